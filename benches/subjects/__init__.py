"""One file per subject; discovered by folder, ordered by rank."""
