"""Joins plan and workspace: read, plan, lock, verify, commit."""
