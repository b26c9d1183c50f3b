"""JSON and its relatives, by the names of their files."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.format import Entry, Fault, Format, Unchecked
from steadyhand.structure.neutral import Change
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source


def _outline(source: Source) -> Sequence[Entry] | Refusal:
    from steadyhand.structure.config.key_node import outline_keys

    return outline_keys(source, "json")


def _fault(source: Source) -> Fault | Unchecked | None:
    from steadyhand.structure.config.json.text import fault_of

    return fault_of(source)


def _is_neutral(change: Change) -> bool:
    from steadyhand.structure.config.json.neutral import is_neutral

    return is_neutral(change)


FORMATS = (
    Format(
        "json",
        (".json", ".webmanifest", ".geojson", ".topojson", ".jsonld", ".avsc", ".har"),
        _outline,
        _fault,
        (".babelrc", ".jshintrc", ".swcrc", "composer.lock", "pipfile.lock", "flake.lock", "deno.lock"),
        is_neutral=_is_neutral,
    ),
    Format(
        "jsonc",
        (".jsonc", ".code-workspace", ".code-snippets"),
        _outline,
        _fault,
        ("bun.lock",),
        is_neutral=_is_neutral,
    ),
    Format("json5", (".json5",), _outline, _fault),
    Format("jsonl", (".jsonl", ".ndjson"), _outline, _fault),
)
