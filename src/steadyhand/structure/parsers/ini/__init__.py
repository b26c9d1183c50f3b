"""INI files and their many relatives, with the place of every section, name and value."""
