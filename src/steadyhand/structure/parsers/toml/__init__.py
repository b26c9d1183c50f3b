"""TOML with the place of everything in it: scanned here, verified by the standard library."""
