"""The reference tasks: the same small changes everywhere, so that the scores of different people can be compared.

They are made of the texts in `reference_texts.py`. For one seed they are always the same; another seed gives other
names and numbers and another order. The version says which set a score is of: it changes when any text, edit or
description does, and a test fails if it has not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from steadyhand.agents.score.reference_texts import BASES, Base, Edit
from steadyhand.agents.score.task import Task, TaskFile

VERSION = "reference-1"

_NOUNS = "parcel ticket recipe sensor invoice garden lantern engine bottle ladder".split()
_VERBS = "send check pack count store paint sort move clean fold".split()


def reference_tasks(count: int, seed: str = "0") -> tuple[Task, ...]:
    """So many tasks: each edit of each text once, in an order by the seed, and then again with other words.

    >>> len(reference_tasks(5)), reference_tasks(3) == reference_tasks(5)[:3]
    (5, True)
    """
    tasks: list[Task] = []
    turn = 0
    while len(tasks) < count:
        tasks += _turn(seed, turn)
        turn += 1
    return tuple(tasks[:count])


def _turn(seed: str, turn: int) -> Iterator[Task]:
    """Every edit once; a turn has words of its own."""
    every = [(base, number, edit) for base in BASES for number, edit in enumerate(base.edits)]
    for base, number, edit in sorted(every, key=lambda each: _chance(seed, turn, each[0].name, each[1])):
        yield _task(base, edit, _words(seed, turn, base.name, number), f"{base.name} {number + 1}.{turn + 1}")


def _chance(*key: object) -> int:
    """A number that nobody can tell from a thrown one, and that is the same on every machine."""
    return int.from_bytes(hashlib.sha256("\0".join(map(str, key)).encode()).digest()[:8])


def _words(*key: object) -> Mapping[str, str]:
    thing = _NOUNS[_chance("thing", *key) % len(_NOUNS)]
    low = 3 + _chance("n", *key) % 6
    return {
        "«thing»": thing,
        "«Thing»": thing.capitalize(),
        "«verb»": _VERBS[_chance("verb", *key) % len(_VERBS)],
        "«n»": str(low),
        "«m»": str(low + 11 + _chance("m", *key) % 30),
    }


def _task(base: Base, edit: Edit, words: Mapping[str, str], id: str) -> Task:
    before = {_filled(path, words): _filled(text, words) for path, text in base.files}
    after = dict(before)
    if isinstance(edit.change, tuple):
        old, new = edit.change
        after = {path: text.replace(old, new) for path, text in before.items()}
    else:
        for path, gone, come in _places(_filled(edit.change, words), next(iter(before))):
            lines = f"\n{after[path]}"
            if lines.count(f"\n{gone}") != 1:
                raise ValueError(f"{base.name}, {edit.kind}: {gone!r} is not at one place")
            after[path] = lines.replace(f"\n{gone}", f"\n{come}")[1:]
    files = tuple(TaskFile(path, before[path], after[path]) for path in before if before[path] != after[path])
    return Task(f"{id} {edit.kind}", _filled(edit.intent, words), files)


def _places(change: str, path: str) -> Iterator[tuple[str, str, str]]:
    """The places of a change: path, the lines that are there before, and those after."""
    for place in f"\n{change}".split("\n@@")[0 if not change.startswith("@@") else 1 :]:
        first, _, rest = place.partition("\n")
        path = first.strip() or path
        rows = rest.split("\n")[: -1 if rest.endswith("\n") else None]
        yield (
            path,
            "".join(f"{row[1:]}\n" for row in rows if row[:1] != "+"),
            "".join(f"{row[1:]}\n" for row in rows if row[:1] != "-"),
        )


def _filled(text: str, words: Mapping[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text
