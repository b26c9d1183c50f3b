"""`.env` files, by their names. An outline of one has names in it and never values."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.format import Entry, Format
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source


def _outline(source: Source) -> Sequence[Entry] | Refusal:
    from steadyhand.structure.keys.syntax import syntaxes
    from steadyhand.structure.nodes.key import key_entries

    reading = source.derive(syntaxes()["env"].read)
    return reading if isinstance(reading, Refusal) else key_entries(reading)


_STAGES = "example sample template dist defaults local development dev test testing staging production prod ci docker"

FORMATS = (
    Format(
        "env",
        (
            ".env",
            *(f".env.{stage}" for stage in _STAGES.split()),
            *(f".env.{stage}.local" for stage in ("development", "test", "production")),
        ),
        _outline,
    ),
)
