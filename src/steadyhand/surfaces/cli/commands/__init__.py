"""One file per command, found by folder; each defines COMMAND and imports no other."""
