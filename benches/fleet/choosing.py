"""Which change an agent asks for next: every kind there is, the frequent ones more often. Pure but for its numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from benches.fleet.moves import Move, as_json, by_anchor, by_lines, by_quote, by_structure
from benches.fleet.tree import LINES, name_of, token
from steadyhand.text.source import Source


@dataclass(frozen=True, slots=True)
class Situation:
    """What an agent knows when it chooses: a file as it remembers it, a part of it, its own records."""

    random: random.Random
    source: Source
    part: int
    files: int
    own: tuple[str, ...]

    @property
    def path(self) -> str:
        assert self.source.path is not None
        return self.source.path

    def row(self) -> int:
        """A line of the part that says something; the first line of the file where there is none."""
        lines = self.source.text.splitlines()
        head = f"## Part {self.part}"
        start = lines.index(head) + 1 if head in lines else 0
        rows = [row for row in range(start, min(start + LINES + 3, len(lines))) if _is_prose(lines, row)]
        return self.random.choice(rows) if rows else 0


def choose_move(situation: Situation, agent: int, task: int, step: int) -> Move:
    """One move, with a token that no other move has."""
    kinds, weights = zip(*_KINDS, strict=True)
    (make,) = situation.random.choices(kinds, weights)
    return make(situation, token(agent, task, step))  # type: ignore[no-any-return]


def _append(on: Situation, mine: str) -> Move:
    edit, quoted = by_quote(on.source, on.row(), mine, whole_line=False)
    return Move("edit", on.path, as_json(edit), tokens=(mine,), quotes={on.path: quoted})


def _rewrite(on: Situation, mine: str) -> Move:
    edit, quoted = by_quote(on.source, on.row(), mine, whole_line=True)
    return Move("edit", on.path, as_json(edit), tokens=(mine,), quotes={on.path: quoted})


def _lines(on: Situation, mine: str) -> Move:
    row = on.row()
    last = min(row + on.random.randint(1, 2), on.source.table.count)
    return Move("edit", on.path, as_json(by_lines(row + 1, last, mine)), tokens=(mine,))


def _forced(on: Situation, mine: str) -> Move:
    made = _lines(on, mine)
    return Move("edit", made.path, made.edits, on_conflict="force", tokens=(mine,))


def _skipping(on: Situation, mine: str) -> Move:
    row = on.row()
    return Move("edit", on.path, as_json(by_lines(row + 1, row + 1, mine)), on_conflict="skip", tokens=(mine,))


def _insert(on: Situation, mine: str) -> Move:
    edit, quoted = by_anchor(on.source, on.row(), mine)
    return Move("edit", on.path, as_json(edit), tokens=(mine,), quotes={on.path: quoted})


def _structure(on: Situation, mine: str) -> Move:
    return Move("edit", on.path, as_json(by_structure(on.part, mine)), tokens=(mine,))


def _expecting(on: Situation, mine: str) -> Move:
    made = _lines(on, mine)
    return Move("edit", on.path, made.edits, expect=on.source.digest, tokens=(mine,))


def _rebasing(on: Situation, mine: str) -> Move:
    made = _lines(on, mine)
    return Move("edit", on.path, made.edits, expect=on.source.digest, on_stale="rebase", tokens=(mine,))


def _write(on: Situation, mine: str) -> Move:
    lines = on.source.text.splitlines(keepends=True)
    lines.insert(min(on.row() + 1, len(lines)), f"whole file {mine}\n")
    expect = on.source.digest if on.random.random() < 0.5 else None
    return Move("write", on.path, content="".join(lines), expect=expect, tokens=(mine,))


def _transaction(on: Situation, mine: str) -> Move:
    other = name_of(on.random.randrange(on.files))
    more = ((other, as_json(by_structure(on.part, mine))),) if other != on.path else ()
    edit, quoted = by_anchor(on.source, on.row(), mine)
    return Move("transaction", on.path, as_json(edit), others=more, tokens=(mine,), quotes={on.path: quoted})


def _undo(on: Situation, mine: str) -> Move:
    return Move("undo", record=on.random.choice(on.own)) if on.own else _append(on, mine)


def _create(_: Situation, mine: str) -> Move:
    return Move("create", f"made/{mine}.md", content=f"# Made\n\nmade {mine}\n", tokens=(mine,))


def _delete(on: Situation, mine: str) -> Move:
    return Move("delete", on.path) if on.random.random() < 0.2 else _insert(on, mine)


def _rename(on: Situation, mine: str) -> Move:
    if on.random.random() < 0.2:
        return Move("rename", on.path, to=f"moved/{mine}.md")
    return _insert(on, mine)


def _is_prose(lines: list[str], row: int) -> bool:
    return bool(lines[row].strip()) and not lines[row].startswith("#")


_KINDS: tuple[tuple[Callable[[Situation, str], Move], int], ...] = (
    (_append, 16), (_rewrite, 10), (_lines, 26), (_insert, 12), (_structure, 8), (_expecting, 4), (_rebasing, 12),
    (_forced, 3), (_skipping, 3), (_write, 4), (_transaction, 6), (_undo, 5), (_create, 2), (_delete, 1), (_rename, 1),
)  # fmt: skip
