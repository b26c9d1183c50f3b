""".env files."""
