"""One file per target; discovered by folder."""
