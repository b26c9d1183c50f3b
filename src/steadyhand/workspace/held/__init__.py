"""Held work: what a task changed that waits for a reviewer, as a layer between the disk and the task."""
