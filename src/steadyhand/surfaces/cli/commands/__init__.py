"""One file per command, named in a table; each defines COMMAND and imports no other."""
