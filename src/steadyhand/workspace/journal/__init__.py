"""The append-only record of every change."""
