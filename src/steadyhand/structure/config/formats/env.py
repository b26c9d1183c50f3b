"""`.env` files, by their names. An outline of one has names in it and never values."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.format import Entry, Fault, Format, Unchecked
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source


def _outline(source: Source) -> Sequence[Entry] | Refusal:
    from steadyhand.structure.config.key_node import outline_keys

    return outline_keys(source, "env")


def _fault(source: Source) -> Fault | Unchecked | None:
    """The line of the first error, and nothing of what stands there."""
    from steadyhand.structure.config.syntax import syntaxes

    return Fault.of(source.derive(syntaxes()["env"].read), "this is no line of a .env file")


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
        _fault,
    ),
)
