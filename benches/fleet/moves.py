"""What an agent may ask of a workspace, as data: so that another process can ask it, and the oracle knows it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import steadyhand as sh
from steadyhand.plan.edit import Edit, edit_to_json
from steadyhand.session.receipt import Receipt
from steadyhand.text.source import Source

Call = Literal["edit", "write", "create", "delete", "rename", "undo", "transaction"]


@dataclass(frozen=True, slots=True)
class Move:
    """One call. `quotes` are the old texts it gives by path: what its author shows to have seen."""

    call: Call
    path: str = ""
    edits: tuple[dict[str, Any], ...] = ()
    content: str = ""
    to: str = ""
    expect: str | None = None
    on_stale: Literal["refuse", "rebase"] = "refuse"
    on_conflict: Literal["refuse", "skip", "force"] = "refuse"
    record: str = ""
    others: tuple[tuple[str, tuple[dict[str, Any], ...]], ...] = ()
    tokens: tuple[str, ...] = ()
    quotes: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Move:
        others = tuple((path, tuple(edits)) for path, edits in data["others"])
        given = {**data, "edits": tuple(data["edits"]), "others": others, "tokens": tuple(data["tokens"])}
        return cls(**given)


def perform(ws: sh.Workspace, move: Move) -> Receipt:
    """Ask for it. Raises what the workspace raises."""
    policy = sh.Policy(on_stale=move.on_stale, on_conflict=move.on_conflict)
    match move.call:
        case "edit":
            return ws.edit(move.path, list(move.edits), expect=move.expect, policy=policy, reason=move.call)
        case "write":
            return ws.write(move.path, move.content, expect=move.expect, reason=move.call)
        case "create":
            return ws.create(move.path, move.content, reason=move.call)
        case "delete":
            return ws.delete(move.path, expect=move.expect, reason=move.call)
        case "rename":
            return ws.rename(move.path, move.to, reason=move.call)
        case "undo":
            return ws.undo(move.record, reason=move.call)
        case "transaction":
            with ws.transaction(reason=move.call) as batch:
                for path, edits in ((move.path, move.edits), *move.others):
                    batch.edit(path, list(edits))
            return batch.receipt


def by_quote(source: Source, row: int, mine: str, *, whole_line: bool) -> tuple[Edit, str]:
    """Old text given word for word: the whole line is replaced, or the token comes at its end."""
    line = body_of(source, row)
    return sh.Replace(line, f"written again {mine}" if whole_line else f"{line} {mine}"), line


def by_lines(first: int, last: int, mine: str) -> Edit:
    """Lines given by their numbers: the caller shows nothing of what is there."""
    return sh.Replace(sh.Lines(first, last), f"lines {first} to {last} {mine}\n")


def by_anchor(source: Source, row: int, mine: str) -> tuple[Edit, str]:
    """A new line behind one that is quoted."""
    line = body_of(source, row) + "\n"
    return sh.Insert(line, f"put in {mine}\n", where="after"), line


def by_structure(part: int, mine: str) -> Edit:
    """A new line at the end of a part."""
    return sh.Insert(sh.Heading(f"Part {part}"), f"added {mine}\n", where="end")


def as_json(*edits: Edit) -> tuple[dict[str, Any], ...]:
    return tuple(edit_to_json(edit) for edit in edits)


def body_of(source: Source, row: int) -> str:
    """A line without its ending."""
    return source.text.splitlines()[row]
