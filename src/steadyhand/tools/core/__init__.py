"""The default: few tools, everything reachable, any target and any dialect."""
