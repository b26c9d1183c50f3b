"""JSON and its relatives: text to items with places, and values to text."""
