"""JSON and its relatives."""
