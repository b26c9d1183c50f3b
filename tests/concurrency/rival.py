"""Programs that work on the file a workspace edits: `python -m tests.concurrency.rival edit|save|hold …`.

`edit ROOT PATH TAG COUNT [JOURNAL [USER]]` is an agent with a workspace of its own; says how many of its edits were
done. `hold PATH USER` locks a file until its input ends. Both become that user, if they may.
`save PATH append|rename|truncate` knows nothing of Steadyhand and saves until its input ends; says how often it did.
"""

from __future__ import annotations

import os
import select
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import steadyhand as sh
from steadyhand.errors import EditError, Kind

AGAIN = (Kind.BUSY, Kind.STALE_SOURCE, Kind.CONFLICT)
SAVED = "saved {}\n"


def edit(root: str, path: str, tag: str, count: int, journal: str | None) -> int:
    """Each edit changes a line of its own, so that every one that was acknowledged can be seen in the end."""
    done = 0
    with sh.Workspace(root, actor=tag, task=tag, journal=journal) as ws:
        for number in range(count):
            for _ in range(100):
                try:
                    ws.edit(path, [sh.Replace(f"{tag} {number} free\n", f"{tag} {number} done\n")])
                    done += 1
                    break
                except EditError as error:
                    if error.kind not in AGAIN:
                        raise
    return done


def save(path: Path, how: str) -> int:
    number = 0
    while not select.select([sys.stdin], [], [], 0.001)[0]:
        if how == "append":
            with path.open("a") as file:
                file.write(SAVED.format(number))
        else:
            text = path.read_text() + SAVED.format(number)
            part = path if how == "truncate" else path.with_suffix(".swp")
            part.write_text(text)
            if part != path:
                os.rename(part, path)
        number += 1
    return number


def hold(path: str, user: int) -> int:
    import fcntl

    become(user)
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        print("held", flush=True)
        sys.stdin.read()
    return 0


def become(user: int) -> None:
    """Be another user from here on, where this process may; what it needs is loaded before."""
    if os.getuid() != 0:
        return
    with tempfile.TemporaryDirectory() as warm:  # loads every module: the interpreter itself may be root's alone
        Path(warm, "a.txt").write_text("a\n" * 3)
        with sh.Workspace(warm) as ws:
            ws.edit("a.txt", [sh.Replace("a\na\na\n", "b\n")])
            with suppress(EditError):
                ws.edit("a.txt", [sh.Replace("no such text", "b")])
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def main() -> None:
    what, *given = sys.argv[1:]
    if what == "save":
        print(save(Path(given[0]), given[1]))
    elif what == "hold":
        print(hold(given[0], int(given[1])))
    else:
        root, path, tag, count, *more = given
        if len(more) > 1:
            become(int(more[1]))
        print(edit(root, path, tag, int(count), more[0] if more else None))


if __name__ == "__main__":
    main()
