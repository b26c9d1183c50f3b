"""Patches and structured edits for coding agents."""
