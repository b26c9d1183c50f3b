"""Old text to matches. Pure; locates, never edits."""
