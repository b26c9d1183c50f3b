"""Structural addresses to matches. Pure; locates, never edits."""
