"""One file per way to write keys and values; discovered by folder."""
