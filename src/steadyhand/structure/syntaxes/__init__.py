"""One file per way to write keys and values; named in a table."""
