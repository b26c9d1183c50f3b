"""One file per tier; discovered by folder, ordered by rank."""
