"""Where a key is written that a YAML file seems to have at another place: merges and aliases are told, never followed.

Only says where to look; a key that comes by a merge is never located at the place it comes to.
"""

from __future__ import annotations

from collections.abc import Iterator

from steadyhand.errors import Kind
from steadyhand.structure.config.item import Item, KeyPath, Step
from steadyhand.structure.config.path import counted, render_path
from steadyhand.structure.config.yaml.note import Parsed, note_of
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source

_MERGE = "<<"
_MOST = 100


def elsewhere(source: Source, parsed: Parsed, path: KeyPath, document: int | None) -> Refusal | None:
    """The refusal of a path that only a merge or an alias leads to, naming the place it is written at."""
    for top in parsed.reading.documents[slice(None) if document is None else slice(document - 1, document)]:
        item: Item | None = top
        for at, step in enumerate(path):
            assert item is not None
            found = _child(item, step)
            if found is None:
                return _told(source, top, item, path, at)
            item = found
    return None


def _told(source: Source, top: Item, item: Item, path: KeyPath, at: int) -> Refusal | None:
    if note_of(item).style == "alias":
        anchored = _anchored(top, item)
        return None if anchored is None else _refusal(source, top, item, anchored, path, at)
    for alias, anchored in _merged(top, item):
        if _child(anchored, path[at]) is not None:
            return _refusal(source, top, alias, anchored, path, at)
    return None


def _refusal(source: Source, top: Item, alias: Item, anchored: Item, path: KeyPath, at: int) -> Refusal:
    where = render_path((*anchored.path, *path[at:]))
    name = note_of(anchored).anchor or ""
    line, there = source.line_of(alias.value.start), source.line_of(note_of(anchored).start)
    by = "merge" if alias.path[-1:] == (_MERGE,) or _MERGE in alias.path[-2:] else "alias"
    own = ""
    if by == "merge" and top.kind == "mapping":
        here = f"act add-key on key {render_path(path[:at])!r:.120} with name {str(path[at])!r:.80}"
        own = f", or give it a value of its own here: {here}"
    return Refusal(
        Kind.NO_SUCH_TARGET,
        f"{render_path(path)[:80]} is not written there: it comes by the {by} *{name[:60]} on line {line}"
        f" from the anchor &{name[:60]} on line {there}",
        f"edit key {where[:120]!r}, which changes it wherever *{name[:60]} stands{own}",
        {"nearest": [f"key:{where}"], "line": line, "anchor": name, "anchor_line": there},
    )


def _child(item: Item, step: Step) -> Item | None:
    wanted = counted(item, step)
    return next((child for child in item.children if child.path[-1] == wanted), None)


def _merged(top: Item, item: Item) -> Iterator[tuple[Item, Item]]:
    """The mappings that are merged into one, each with the alias in it that leads there, those that count first."""
    waiting = [(alias, alias) for alias in _merges(item)]
    for _ in range(_MOST):
        if not waiting:
            return
        first, alias = waiting.pop(0)
        anchored = _anchored(top, alias)
        if anchored is not None:
            yield first, anchored
            waiting[:0] = [(first, inner) for inner in _merges(anchored)]


def _merges(item: Item) -> list[Item]:
    """The aliases behind the `<<` of a mapping."""
    found = [child for child in item.children if child.path[-1] == _MERGE]
    return [part for child in found for part in (child, *child.children) if note_of(part).style == "alias"]


def _anchored(top: Item, alias: Item) -> Item | None:
    """What an alias means: the last thing above it with that anchor."""
    name = alias.data[1] if isinstance(alias.data, tuple) else None
    found = None
    for item in top.walk():
        if note_of(item).start >= alias.value.start and not item.is_container:
            break
        if note_of(item).anchor == name and note_of(item).start < alias.value.start:
            found = item
    return found
