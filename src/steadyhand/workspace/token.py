"""Names and tokens that nobody can guess. Chance is asked for in this room."""

from __future__ import annotations

import secrets

__all__ = ["new_name", "new_token"]


def new_name() -> str:
    """A short name that is not taken elsewhere."""
    return secrets.token_hex(4)


def new_token() -> str:
    """What a client has to show to be let in."""
    return secrets.token_urlsafe(32)
