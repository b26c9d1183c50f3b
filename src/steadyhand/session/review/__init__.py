"""Review: what a task changed, hunk by hunk, the decisions about it, and the feedback that the task gets."""
