"""Leases, and the journal itself, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from steadyhand.surfaces.cli.render.care import shown_size
from steadyhand.surfaces.cli.render.history import fact_lines
from steadyhand.surfaces.terminal import Line, Piece, counted, shown_time, visible_name

if TYPE_CHECKING:
    from steadyhand.session.journals import Moved
    from steadyhand.workspace.announced import Announced

_NAMES = {"root_id": "tree", "repo_id": "repository"}


def lease_lines(leases: Sequence[Announced]) -> list[Line]:
    """One line for each lease: where, who, since when, why."""
    if not leases:
        return [(Piece("no leases", "dim"),)]
    return [_line(announced) for announced in leases]


def _line(announced: Announced) -> Line:
    lease = announced.lease
    lines = announced.lines
    where = "" if lines is None else f":{lines[0]}" if lines[0] == lines[1] else f":{lines[0]}–{lines[1]}"
    limit = "" if lease.seconds is None else f" for {lease.seconds:g} s"
    return (
        Piece(f"{visible_name(announced.path)}{where}", "place"),
        Piece(f"  {announced.party}  since {shown_time(lease.time)}{limit}"),
        Piece(f"  {lease.reason}" if lease.reason else ""),
    )


def journal_lines(facts: Mapping[str, object]) -> list[Line]:
    """Where the journal is and what it holds."""
    shown: list[tuple[str, object]] = []
    for name, value in facts.items():
        if name == "bytes" and isinstance(value, int):
            shown.append(("size", shown_size(value)))
        elif name in ("oldest", "newest") and isinstance(value, str):
            shown.append(("since" if name == "oldest" else "until", shown_time(value)))
        elif name == "error" and isinstance(value, Mapping):
            shown.append((name, value.get("message")))
        elif value not in (None, [], ()):
            shown.append((_NAMES.get(name, name), value))
    return fact_lines(shown)


def moved_lines(moved: Moved, *, needs_password: bool) -> list[Line]:
    """What was copied, and what to do so that it is used."""
    copied = moved.copied
    size = f"{counted(copied.rows, 'row')} and {counted(copied.images, 'image')} ({shown_size(copied.image_bytes)})"
    lines: list[Line] = [(Piece("copied and verified", "good"), Piece(f": {size}, from {moved.source}"))]
    if copied.problems:
        lines.append((Piece("copied as damaged as it was", "warning"), Piece(f": {len(copied.problems)} problems")))
    lines.append((Piece(f"use it from now on: --journal {moved.target}, or STEADYHAND_JOURNAL={moved.target}"),))
    if needs_password:
        lines.append((Piece("with the password as before: in the URL, as PGPASSWORD or in ~/.pgpass", "dim"),))
    lines.append((Piece("the old journal stays as it is; what is changed with it is not in the new one", "dim"),))
    return lines
