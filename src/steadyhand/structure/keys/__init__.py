"""Keys and values of configuration files, whatever the format."""
