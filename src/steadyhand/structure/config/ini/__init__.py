"""INI and its relatives."""
