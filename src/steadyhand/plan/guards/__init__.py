"""One file per guard; discovered by folder, ordered by rank."""
