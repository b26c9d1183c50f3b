"""Processes that die and disks that refuse, at any call: the tree is before or after, and the answer says which."""

from __future__ import annotations

import errno
import random
import shutil
import sys
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import steadyhand as sh
from steadyhand.errors import EditError
from tests.attack.attack import Attempt, Share, attempt, scratch
from tests.concurrency.crew import shared_root
from tests.concurrency.test_crews_under_fire import Crew, Size, _check_journal, _check_work, crew_at
from tests.faults.power_images import CASES, sweep
from tests.faults.storage import FaultStorage
from tests.faults.system_calls import ACTS, IS_TRACEABLE, traced
from tests.faults.test_crash import _check_settled, _count_calls, _relink, _reopen_dying, _run_and_die
from tests.faults.test_refusals import NAMED, _claim, _files
from tests.faults.trees import STORIES, Story, Tree, tree_of

__all__ = ["deaths_at_storage_calls", "errors_at_storage_calls", "kills", "power_images", "stops_at_system_calls"]

DONE, NOT_DONE, UNKNOWN, UNNAMED = 0, 3, 4, 5
SAID = {DONE: "done", NOT_DONE: "not done", UNKNOWN: "unknown"}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A story, ready to be acted on copies of its tree."""

    story: Story
    folder: Path
    before: Tree
    after: Tree
    records: int
    calls: int

    @classmethod
    def of(cls, story: Story, folder: Path) -> Prepared:
        pristine = folder / story.name
        pristine.mkdir()
        story.prepare(pristine)
        before = tree_of(pristine)
        with sh.Workspace(pristine, read_only=True) as ws:
            records = len(ws.history())
        calls, after = _count_calls(pristine, story)
        return cls(story, folder, before, after, records, calls)

    def copy(self) -> Path:
        root = self.folder / "root"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self.folder / self.story.name, root, symlinks=True)
        _relink(self.folder / self.story.name, root)
        return root

    def check_claim(self, root: Path, claim: str) -> None:
        """What was said of the change is so, and whoever opens the tree next finds it whole."""
        if claim != "unknown":
            expected = self.after if claim == "done" else self.before
            assert _files(tree_of(root)) == _files(expected), f"said {claim}"
        self.check(root)

    def check(self, root: Path) -> None:
        _check_settled(root, self.before, self.after, self.records)


def deaths_at_storage_calls(share: Share) -> Generator[Attempt, None, None]:
    """Before a call, in the middle of a write, after a call, and once more while the next one recovers."""

    def attack(prepared: Prepared, moment: str, at: int, again: int) -> None:
        root = prepared.copy()
        survived = _run_and_die(root, prepared.story, at=at, after=moment == "after", torn=moment == "torn")
        if survived:
            assert tree_of(root) == prepared.after
        elif moment == "recovery":
            _reopen_dying(root, at=again)
        prepared.check(root)

    with scratch() as folder:
        stories = [Prepared.of(story, folder) for story in STORIES]
        moments = ("before", "torn", "after", "recovery")
        points = [(one, moment, at) for one in stories for moment in moments for at in range(1, one.calls + 1)]
        share.draw.shuffle(points)
        for one, moment, at in points:
            again = share.draw.randrange(1, 60)
            what = f"{one.story.name}: death {moment} call {at}, recovery {again}"
            yield attempt(partial(attack, one, moment, at, again), what)


def errors_at_storage_calls(share: Share) -> Generator[Attempt, None, None]:
    """A call that is refused, once or from then on: what is said of the change is so."""

    def attack(prepared: Prepared, code: int, at: int, persistent: bool) -> None:
        root = prepared.copy()
        storage = FaultStorage(at=at, error=code, persistent=persistent)
        prepared.check_claim(root, _claim(root, prepared.story, storage))

    with scratch() as folder:
        stories = [Prepared.of(story, folder) for story in STORIES]
        points = [
            (one, code, at, persistent)
            for one in stories
            for code, persistent in product((errno.ENOSPC, errno.EIO), (False, True))
            for at in range(1, one.calls + 1)
        ]
        share.draw.shuffle(points)
        for one, code, at, persistent in points:
            what = f"{one.story.name}: {errno.errorcode[code]} at call {at}{' and after' if persistent else ''}"
            yield attempt(partial(attack, one, code, at, persistent), what)


def stops_at_system_calls(share: Share) -> Generator[Attempt, None, None]:
    """Killed, killed in half a write, refused by a full or broken disk: at each call of ours and of SQLite."""
    if not IS_TRACEABLE:
        print("system calls: not run, it needs Linux on x86-64", file=sys.stderr)
        return

    def act(story: Story, root: Path) -> int:
        try:
            with sh.Workspace(root, actor="child") as ws:
                story.act(ws)
        except EditError as error:
            if error.kind not in NAMED:
                print(f"an error of another kind: {error!r}", file=sys.stderr, flush=True)
                return UNNAMED
            return UNKNOWN if error.details.get("state") == "unknown" else NOT_DONE
        except BaseException as error:  # noqa: BLE001  # in a child that ends here
            print(f"no refusal: {error!r}", file=sys.stderr, flush=True)
            return UNNAMED
        return DONE

    def attack(prepared: Prepared, how: str, at: int) -> None:
        root = prepared.copy()
        ended = traced(lambda: act(prepared.story, root), at=at, act=how)
        if ended.code is None:
            prepared.check(root)
        else:
            assert ended.code in SAID, f"the child ended with {ended.code} after {ended.hit}"
            prepared.check_claim(root, SAID[ended.code])

    with scratch() as folder:
        stories = [Prepared.of(story, folder) for story in STORIES]
        points: list[tuple[Prepared, str, int, str]] = []
        for one in stories:
            calls = traced(partial(act, one.story, one.copy())).calls
            points += [
                (one, how, at, call)
                for how in ACTS
                for at, call in enumerate(calls, 1)
                if how != "half" or call in ("write", "pwrite64")
            ]
        share.draw.shuffle(points)
        for one, how, at, call in points:
            what = f"{one.story.name}: {how} at system call {at}, {call}"
            yield attempt(partial(attack, one, how, at), what)


def kills(share: Share) -> Generator[Attempt, None, None]:
    """Workers at the same files who are killed and started again: what was acknowledged is there, and once."""
    random.seed(share.draw.random())  # the crew draws from it whom to kill
    size = Size(processes=2, edits=5, kills=1)
    while True:
        with scratch() as folder, shared_root(folder) as root, crew_at(root, size) as crew:

            def work(crew: Crew = crew) -> None:
                crew.work([Crew.kill_somebody] * crew.size.kills)
                _check_work(crew)
                _check_journal(crew)

            before = share.left
            yield attempt(work, f"{size}", size.processes * size.edits)
        edits = share.sized(size.edits, before, most=200)
        size = Size(processes=4, edits=edits, kills=max(2, edits // 4))


def power_images(share: Share) -> Generator[Attempt, None, None]:
    """Disks as a power cut may leave them, some of each case."""
    while True:
        for case in share.draw.sample(CASES, len(CASES)):
            seed = share.draw.randrange(1, 1_000_000)
            images, wrong = sweep(case, every=share.draw.choice((53, 199)), seed=seed)
            yield Attempt(images, "\n".join([f"{case.name}, seed {seed}", *wrong]) if wrong else "")
