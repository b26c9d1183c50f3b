"""Review: what a task changed, hunk by hunk, what was decided about it, and what the task hears of that."""
