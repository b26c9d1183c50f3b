"""A vault of text files: inspect, replace, patch by heading, code block or lines."""
