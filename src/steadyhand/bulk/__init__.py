"""Many jobs, each an edit of one tree, carried out by many processes: each exactly once in its effect."""
