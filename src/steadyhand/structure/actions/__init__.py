"""One file per action; discovered by folder."""
