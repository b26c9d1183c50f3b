"""The default: few tools, any target, any dialect, several files at once."""
