"""From a key path to the items that answer to it, or to what stands where the path leaves the file.

Paths are from the top of a document. A path that only ends like a real one is refused with the real one.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import Kind
from steadyhand.structure.config.item import Item, KeyPath, Reading, Step
from steadyhand.structure.config.operation import names_of, said
from steadyhand.structure.config.path import counted, render_path
from steadyhand.structure.node import Refusal
from steadyhand.text.resemblance import similar_names

_SHOWN = 10


def find_items(
    reading: Reading, path: KeyPath, document: int | None = None, prefix: str = "key"
) -> list[Item] | Refusal:
    """Every item that answers to the path, in the order of the file; `document` counts from 1.

    `prefix` is the kind of address that a refusal names the nearest ones by.
    """
    level = list(reading.documents)
    if document is not None:
        if not 1 <= document <= len(level):
            return _no_document(len(level), document)
        level = [level[document - 1]]
    for at, step in enumerate(path):
        below = [child for item in level for child in _answering(reading, item, step)]
        if not below:
            return _miss(reading, level, path, at, prefix)
        level = below
    return level or _miss(reading, level, path, 0, prefix)


def _answering(reading: Reading, item: Item, step: Step) -> list[Item]:
    wanted = counted(item, step)
    if item.kind == "sequence":
        is_there = isinstance(wanted, int) and 0 <= wanted < len(item.children)
        return [item.children[wanted]] if is_there and isinstance(wanted, int) else []
    found = reading.named(item, wanted)
    return found if len(found) == 1 or all(child.path[-1] == wanted for child in found) else []


def _no_document(count: int, document: int) -> Refusal:
    return Refusal(
        Kind.NO_SUCH_TARGET,
        f"the file has {count} document{'' if count == 1 else 's'}, there is no number {document}",
        f"give a number from 1 to {count}" if count else "the file is empty",
        {"count": count},
    )


def _miss(reading: Reading, level: Sequence[Item], path: KeyPath, at: int, prefix: str) -> Refusal:
    """There is no `path[at]` in the items of the level: what there is, and where the whole path's end stands."""
    step = path[at] if path else ""
    every = names_of(level)
    whole = ".".join(map(str, path[at:]))  # a name with a dot in it, sent without its quotes
    close = [whole] if whole in every else similar_names(str(step), every, 3)
    names = list(dict.fromkeys([*close, *every]))[:_SHOWN]
    longer = _ending_with(reading, path)
    if not level:
        there = "the file has no keys"
    elif not level[0].is_container:
        there = f"{said(level[0])} is a {level[0].kind}, it has nothing inside"
    elif level[0].kind == "sequence":
        there = f"{said(level[0])} is a sequence of {len(level[0].children)}, there is no {step!r:.60}"
    else:
        there = f"{said(level[0])} has no {step!r:.60}, it has: {', '.join(names) or 'nothing'}"
    return Refusal(
        Kind.NO_SUCH_TARGET,
        there,
        _hint(level, path, at, close, longer),
        {
            "nearest": [f"{prefix}:{near}" for near in dict.fromkeys([*longer, *_paths(level, close)])],
            "available": [f"{prefix}:{path}" for path in _paths(level, names)],
        },
    )


def _hint(level: Sequence[Item], path: KeyPath, at: int, close: Sequence[str], longer: Sequence[str]) -> str:
    if longer:
        return f"paths start at the top: did you mean {' or '.join(longer[:3])}?"
    container = render_path(path[:at])
    if level and level[0].kind == "mapping":
        meant = f"did you mean {render_path((*path[:at], close[0]))}? " if close else ""
        step = str(path[at])[:80]
        return f"{meant}to create it, act add-key on key {container!r:.120} with name {step!r} and a value"
    if level and level[0].kind == "sequence":
        return f"items count from 0; to add one, act append-item on key {container!r:.120}"
    return f"give it another value with set-key on key {container!r:.120}" if level else "write the file as a whole"


def _paths(level: Sequence[Item], names: Sequence[str]) -> list[str]:
    """The paths of what stands at a level under some names, in the order of the names."""
    known = {str(child.path[-1]): child.path for item in level for child in item.children}
    return [render_path(known[name]) for name in names]


def _ending_with(reading: Reading, path: KeyPath) -> list[str]:
    if not path:
        return []
    wanted = tuple(map(str, path))
    found: list[str] = []
    for top in reading.documents:
        for item in top.walk():
            tail = item.path[-len(wanted) :]
            if len(item.path) > len(wanted) and tail[-1] in (path[-1], wanted[-1]) and tuple(map(str, tail)) == wanted:
                found.append(render_path(item.path))
                if len(found) == 5:
                    return found
    return found
