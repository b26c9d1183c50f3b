"""Cases: one JSON object a line, in files ending in `.jsonl` or `.jsonl.gz`. Nothing here knows an engine.

A case is of the first kind it has a field for: `ops`, `diff`, `snippet`, `reply`. Where it is of another kind and has
a `reply` too, it is asked twice: as it was parsed, and as the whole reply, which is a case of its own with the same
answer. A line that is no case is an error with its file and line, never a case left out in silence.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from benches.accuracy.question import KINDS, Kind, Op, Question

_REPLY = "reply/"


class CasesError(Exception):
    """The folder or a file in it cannot be read as cases; the message says where."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question, the one right answer (None: it must be refused), and texts that count as near.

    `parsed` is the id of the case that asks the same with the reply taken apart already; empty where there is none.
    """

    id: str
    category: str
    language: str
    question: Question
    expected: str | None
    near: tuple[str, ...] = ()
    parsed: str = ""

    @property
    def kind(self) -> Kind:
        return self.question.kind

    @property
    def must_apply(self) -> bool:
        return self.expected is not None


def load_cases(folder: Path, only: Sequence[str] = ()) -> list[Case]:
    """Every case beneath the folder, by file name and line; `only` names categories or ids, by pattern.

    Naming a case names its whole reply too; the reply alone is `reply/` and the name.
    """
    if not folder.is_dir():
        raise CasesError(f"{folder} is no folder")
    files = sorted(path for path in folder.rglob("*.jsonl*") if path.name.endswith((".jsonl", ".jsonl.gz")))
    if not files:
        raise CasesError(f"{folder} has no file ending in .jsonl or .jsonl.gz")
    cases = [case for path in files for case in _read(path)]
    return [case for case in cases if not only or _is_named(case, only)]


def _is_named(case: Case, only: Sequence[str]) -> bool:
    names = {case.id, case.category}
    if case.parsed:
        names |= {name.removeprefix(_REPLY) for name in names}
    return any(fnmatchcase(name, pattern) for name in names for pattern in only)


def _read(path: Path) -> Iterator[Case]:
    data = path.read_bytes()
    try:
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, EOFError, ValueError) as error:
        raise CasesError(f"{path}: {error}") from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield from _cases(json.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                raise CasesError(f"{path}, line {number}: no case: {type(error).__name__} {error}") from None


def _cases(row: Mapping[str, object]) -> Iterator[Case]:
    near = row.get("near") or ()
    case = Case(
        id=_text(row["id"]),
        category=_text(row["category"]),
        language=_text(row.get("language") or ""),
        question=_question(row),
        expected=None if row["expected"] is None else _text(row["expected"]),
        near=tuple(map(_text, near if isinstance(near, list) else [near])) if near else (),
    )
    yield case
    if case.kind != "reply" and row.get("reply") is not None:
        asked = case.question
        question = Question("reply", asked.path, asked.before, asked.ops, _text(row["reply"]))
        category = _REPLY + case.category
        yield replace(case, id=_REPLY + case.id, category=category, question=question, parsed=case.id)


def _question(row: Mapping[str, object]) -> Question:
    path, before = _text(row["path"]), _text(row["before"])
    for kind in KINDS:
        given = row.get(kind)
        if given is None:
            continue
        if kind != "ops":
            return Question(kind, path, before, text=_text(given))
        if not isinstance(given, list):
            raise TypeError("ops is no list")
        return Question(kind, path, before, ops=tuple(Op(_text(op["old"]), _text(op["new"])) for op in given))
    raise ValueError(f"none of {', '.join(KINDS)} is there")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
