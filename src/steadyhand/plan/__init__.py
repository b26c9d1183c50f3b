"""Edits and sources to change sets. Pure."""
