"""The processes of the concurrency tests: `python -m tests.concurrency.worker ROLE ROOT NAME COUNT [JOURNAL]`.

A worker says what it knows, one JSON object per line on its standard output, and says it only once it is so:
a line with `done` is an edit that was acknowledged. What a worker does is known from its name and its count, so
whoever started it can tell what must be in the files afterwards.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable

import steadyhand as sh
from steadyhand.errors import EditError, Kind

SHARED = ("a.txt", "b.txt", "c.txt")
FIRST, LAST = "== first ==\n", "== last ==\n"
START = f"{FIRST}count 0\n{LAST}"
PATIENCE = 300.0
FORCE = sh.Policy(on_conflict="force")


def say(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def token(name: str, turn: int) -> str:
    """What the edit of one turn writes, and nobody else."""
    return f"[{name}.{turn:04d}]"


def edits(ws: sh.Workspace, name: str, count: int) -> None:
    """One edit per turn on a shared file, in every way that must not lose another process's work."""
    kinds = (insert_first, insert_last, count_up, insert_expecting, replace_own)
    for turn in range(count):
        path = SHARED[turn % len(SHARED)]
        began = time.monotonic()
        facts = kinds[turn % len(kinds)](ws, path, name, turn)
        say(turn=turn, path=path, waited=time.monotonic() - began, **facts)


def insert_first(ws: sh.Workspace, path: str, name: str, turn: int) -> dict[str, object]:
    """Everybody wants this place; the host allows to write over what others put there unseen."""
    mine = token(name, turn)
    return {"done": ws.edit(path, [sh.Insert(FIRST, mine + "\n")], policy=FORCE).id, "wrote": mine}


def insert_last(ws: sh.Workspace, path: str, name: str, turn: int) -> dict[str, object]:
    """Everybody wants this place too; whoever meets the work of others reads it and tries again."""
    mine = token(name, turn)
    met = 0
    while True:
        try:
            receipt = ws.edit(path, [sh.Insert(LAST, mine + "\n", where="before")])
        except EditError as error:
            if error.kind is not Kind.CONFLICT:
                raise
            met += 1
            ws.read(path)
            continue
        return {"done": receipt.id, "wrote": mine, "met": met}


def count_up(ws: sh.Workspace, path: str, name: str, turn: int) -> dict[str, object]:
    """The classic lost update: read a number, write its successor; a refusal means somebody was faster."""
    refused = 0
    while True:
        text = ws.read(path).text
        line = next(line for line in text.splitlines() if line.startswith("count "))
        try:
            receipt = ws.edit(path, [sh.Replace(line + "\n", f"count {int(line[6:]) + 1}\n")])
        except EditError as error:
            if error.kind not in (Kind.NO_MATCH, Kind.ALREADY_APPLIED, Kind.CONFLICT):
                raise
            refused += 1
            continue
        return {"done": receipt.id, "counted": True, "refused": refused}


def insert_expecting(ws: sh.Workspace, path: str, name: str, turn: int) -> dict[str, object]:
    """Only for the version that was read: each refused try has a token of its own, which must stay away."""
    absent: list[str] = []
    while True:
        source = ws.read(path)
        mine = f"{token(name, turn)}<{len(absent)}>"
        try:
            receipt = ws.edit(path, [sh.Insert(LAST, mine + "\n", where="before")], expect=source.digest)
        except EditError as error:
            if error.kind is not Kind.STALE_SOURCE:
                raise
            absent.append(mine)
            continue
        assert receipt.files[0].before == source.digest
        return {"done": receipt.id, "wrote": mine, "absent": absent}


def replace_own(ws: sh.Workspace, path: str, name: str, turn: int) -> dict[str, object]:
    """Two edits on text that is ours alone."""
    draft, mine = f"draft of {token(name, turn)}", token(name, turn)
    ws.edit(path, [sh.Insert(FIRST, draft + "\n")], policy=FORCE)
    receipt = ws.edit(path, [sh.Replace(draft + "\n", mine + "\n")])
    return {"done": receipt.id, "wrote": mine, "absent": [draft]}


def transactions(ws: sh.Workspace, name: str, count: int) -> None:
    """Every shared file at once; half of the workers name them backwards."""
    paths = SHARED if sum(map(ord, name)) % 2 else tuple(reversed(SHARED))
    for turn in range(count):
        mine = token(name, turn)
        with ws.transaction(reason=mine) as tx:
            for path in paths:
                tx.edit(path, [sh.Insert(FIRST, mine + "\n")], policy=FORCE)
            if turn % 3 == 0:
                tx.create(f"made/{name}-{turn}.txt", mine + "\n")
            if turn % 3 == 1:
                tx.rename(f"made/{name}-{turn - 1}.txt", f"made/moved-{name}-{turn - 1}.txt")
        say(turn=turn, done=tx.receipt.id, wrote=mine)


def read_always(ws: sh.Workspace, name: str, count: int) -> None:
    """Read until asked to end, with and without Steadyhand; report each version once."""
    seen: set[tuple[str, str]] = set()
    reads = 0
    while os.getppid() != 1 and not os.path.exists(os.path.join(ws.root, "..", "stop")):
        for path in SHARED:
            reads += 1
            source = ws.read(path)
            with open(os.path.join(ws.root, path), "rb") as file:
                raw = sh.Source.of_bytes(file.read())
            for found in (source, raw):
                if (path, found.digest) not in seen:
                    seen.add((path, found.digest))
                    whole = found.text.startswith(FIRST) and found.text.endswith(LAST)
                    say(path=path, digest=found.digest, whole=whole)
    say(reads=reads)


ROLES: dict[str, Callable[[sh.Workspace, str, int], None]] = {
    "edits": edits,
    "transactions": transactions,
    "reader": read_always,
}


def main() -> None:
    role, root, name, count, *journal = sys.argv[1:]
    where = journal[0] if journal else None
    with sh.Workspace(root, actor=name, task=f"task of {name}", journal=where, lock_timeout=PATIENCE) as ws:
        ROLES[role](ws, name, int(count))
    say(ended=name)


if __name__ == "__main__":
    main()
