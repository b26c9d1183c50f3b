"""A knowledge base of text files: inspect, replace, patch by heading, code block or lines."""
