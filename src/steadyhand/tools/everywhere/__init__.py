"""Tools that several toolsets have."""
