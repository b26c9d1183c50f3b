"""One file per repair; discovered by folder, ordered by rank."""
