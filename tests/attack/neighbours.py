"""Others at the same files: agents of other roots and journals, programs that save, somebody who exchanges links."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import suppress
from functools import partial
from itertools import cycle
from pathlib import Path

import steadyhand as sh
from steadyhand.errors import EditError
from steadyhand.workspace.files.sandbox import Sandbox
from steadyhand.workspace.files.storage import Storage
from tests.attack.attack import Attempt, Share, attempt, scratch
from tests.concurrency.test_rivals import SAVES, WAYS, check_agents, check_saves
from tests.faults.storage import EXIT_CODE
from tests.faults.test_neighbours import ACTS, Act, Neighbour, calls_of, check, saver, write_pristine
from tests.hostile.attacks import running
from tests.hostile.test_sandbox_races import RESOLVERS, SWAPS, WORKS, Work, assert_outside_untouched, make_box

__all__ = ["foreign_saves", "link_races", "other_roots", "saves_between_calls"]


ROUNDS = 200  # of a race between two looks at the outside


def other_roots(share: Share) -> Generator[Attempt, None, None]:
    """Two agents on one file, by nested roots, two journals or a link: each edit that was acknowledged is there."""
    edits = 6
    for how in cycle(WAYS):
        before = share.left
        with scratch() as folder:
            yield attempt(partial(check_agents, folder, how, edits), f"{how}, {edits} edits each", 2 * edits)
        edits = share.sized(edits, before, most=500)


def foreign_saves(share: Share) -> Generator[Attempt, None, None]:
    """A program that appends, renames or truncates in a loop while the file is edited; it counts its own saves."""
    edits = 10
    for how in cycle(SAVES):
        before = share.left
        with scratch() as folder:
            yield attempt(partial(check_saves, folder, how, edits), f"{how} during {edits} edits")
        edits = share.sized(edits, before, most=1_000)


def saves_between_calls(share: Share) -> Generator[Attempt, None, None]:
    """A save right before the n-th call of a change, which may die a few calls later: no save is lost."""

    def attack(root: Path, act: Act, neighbour: Neighbour, dies: bool) -> None:
        child = os.fork() if dies else None
        if child:
            os.waitpid(child, 0)
        else:
            try:
                with suppress(EditError), sh.Workspace(root, storage=neighbour) as ws:
                    act(ws)
            finally:
                if dies:
                    os._exit(EXIT_CODE)
        check(root)

    with scratch() as folder:
        pristine = write_pristine(folder / "pristine")
        calls: dict[str, int] = {}
        for name, (act, _) in ACTS.items():
            calls[name] = calls_of(Path(shutil.copytree(pristine, folder / name)), act)
        while True:
            name, how = share.draw.choice(list(ACTS)), share.draw.choice(SAVES)
            act, paths = ACTS[name]
            path, at = share.draw.choice(paths), share.draw.randrange(1, calls[name] + 1)
            dies_after = share.draw.choice((None, share.draw.randrange(40)))
            root = Path(shutil.copytree(pristine, folder / "root"))
            save, times = saver(root, path, how), share.draw.choice((1, 1, 30)) if how == "rename" else 1
            neighbour = Neighbour(save, at=at, dies_after=dies_after, times=times)
            what = f"{name}: {how} of {path} before call {at}, {times} times, death {dies_after} calls later"
            yield attempt(partial(attack, root, act, neighbour, dies_after is not None), what)
            shutil.rmtree(root, ignore_errors=True)
            Path(f"{root}.saved").unlink()


def link_races(share: Share) -> Generator[Attempt, None, None]:
    """Directories and files are exchanged for links to the outside while we read, replace, create and list."""
    ways = [(resolver, swap, work) for resolver in RESOLVERS for swap in SWAPS for work in WORKS]
    share.draw.shuffle(ways)
    for resolver, swap, name in cycle(ways):
        with scratch() as folder:
            make_box(folder)
            with Sandbox(folder / "ws", storage=Storage(), resolver=resolver) as box:  # type: ignore[arg-type]
                with running(SWAPS[swap](folder)):
                    for _ in range(5):
                        race = partial(_race, WORKS[name](box), folder)
                        yield attempt(race, f"{name} while {swap} is exchanged, by {resolver}", ROUNDS)


def _race(work: Work, folder: Path) -> None:
    for turn in range(ROUNDS):
        with suppress(EditError):
            work(turn)
    assert_outside_untouched(folder)
