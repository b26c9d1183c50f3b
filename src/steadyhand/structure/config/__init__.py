"""Configuration files: keys and values in JSON, YAML, TOML, INI and .env."""
