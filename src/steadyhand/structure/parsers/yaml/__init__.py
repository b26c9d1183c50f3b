"""YAML with exact places: reading by PyYAML's events, writing by splices."""
