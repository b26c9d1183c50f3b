"""Programs that work on the file a workspace edits: `python -m tests.concurrency.rival edit|save …`.

`edit ROOT PATH TAG COUNT [JOURNAL]` is an agent with a workspace of its own; says how many of its edits were done.
`save PATH append|rename|truncate` knows nothing of Steadyhand and saves until its input ends; says how often it did.
"""

from __future__ import annotations

import os
import select
import sys
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


def main() -> None:
    what, *given = sys.argv[1:]
    if what == "save":
        print(save(Path(given[0]), given[1]))
    else:
        root, path, tag, count, *journal = given
        print(edit(root, path, tag, int(count), journal[0] if journal else None))


if __name__ == "__main__":
    main()
