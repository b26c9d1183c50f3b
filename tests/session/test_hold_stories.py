"""Promise: the disk never has what is held, no other task sees it, and its own task always sees the disk with it.

Two tasks hold whatever they do to the same lines, while a third one works on the disk and files are saved past
Steadyhand. `test_hold_model.py` knows exactly what everything should be, on lines that are far apart; here everything
happens anywhere.

1. What a task holds changes neither the disk nor what another task sees.
2. Accepting changes the disk and not what the task sees, but for what others did right beside it; when all is
   accepted, the disk is what the task sees.
3. Rejecting does not touch the disk. What is refused changes nothing.
4. A task of which nothing is held sees the disk, and of a file without held changes what the disk has.
5. A decision that is taken back leaves disk and task as they were.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError
from tests.session.test_review_model import Move, World


class HeldWorld(World):
    """Tasks `H` and `K` hold, `D` does not."""

    tasks = "HHHKKD"

    def open(self) -> None:
        where = {"journal": self.journal}
        self.agents = {
            task: sh.Workspace(self.root, actor=f"agent {task}", task=task, hold=task != "D", **where) for task in "HKD"
        }
        self.reviewers = [sh.Workspace(self.root, actor=who, **where) for who in ("ann", "bob")]

    def seen(self, task: str) -> dict[str, str]:
        ws = self.agents[task]
        return {path: ws.read(path).text for path in ws.files().files}

    def texts(self) -> dict[str, str]:
        return {path: data.decode() for path, (data, _) in self.tree().items()}

    def held(self, task: str) -> list[sh.ReviewChange]:
        return [change for change in self.reviewers[0].review(task=task) if change.held]

    def act(self, move: Move, task: str, path: str) -> None:
        if task == "D" or move == self.save_outside:
            if path in self.tree():
                super().act(move, task, path)
            return
        other = "K" if task == "H" else "H"
        before, theirs = self.tree(), self.seen(other)
        with suppress(EditError):
            super().act(move, task, path)
        assert self.tree() == before
        assert self.seen(other) == theirs

    def decide(self) -> None:
        chance = self.random
        task, reviewer = chance.choice("HK"), chance.choice(self.reviewers)
        review, there = reviewer.review(task=task), self.held(task)
        if not there:
            return
        how = chance.choice(["accept", "accept", "all", "reject", "amend", "take back", "take back a rejection"])
        chosen = there if how == "all" else chance.sample(there, min(len(there), chance.choice([1, 1, 2, 4])))
        ids, before, seen = [change.id for change in chosen], self.tree(), self.seen(task)
        match how:
            case "accept" | "all":
                review.accept(ids)
                self.check_seen(task, seen)
                if how == "all":
                    assert self.held(task) == []
                    assert self.texts() == self.seen(task)
            case "reject":
                review.reject(ids, "no")
                assert self.tree() == before
                assert not set(ids) & {change.id for change in self.held(task)}
            case "amend":
                review.amend(ids[0], self.lines("R"))
            case "take back":
                review.accept(ids)
                try:
                    reviewer.review(task=task).take_back()
                except EditError:  # others have changed what is still held
                    assert self.seen(task) == seen
                    return
                assert (self.tree(), self.seen(task)) == (before, seen)
                assert {change.path for change in self.held(task)} == {change.path for change in there}
            case _:
                review.reject(ids, "no")
                reviewer.review(task=task).take_back()
                assert self.tree() == before
                if not any(change.conflict for change in chosen):  # what others did there is brought in meanwhile
                    assert self.seen(task) == seen

    def check_seen(self, task: str, before: dict[str, str]) -> None:
        """A task sees what it saw, or, where others changed lines right beside its own, that with what they did."""
        seen, disk = self.seen(task), self.texts()
        assert seen.keys() == before.keys()
        for path, text in seen.items():
            was, is_, there = (Counter(each.splitlines()) for each in (before[path], text, disk.get(path, "")))
            assert not (is_ - was) - there
            assert not [row for row in was - is_ if row.endswith(task)]

    def check(self) -> None:
        disk = self.texts()
        for task in "HK":
            seen, held = self.seen(task), self.held(task)
            paths = {change.path for change in held}
            assert held or seen == disk
            assert {path: text for path, text in seen.items() if path not in paths} == {
                path: disk[path] for path in seen if path not in paths
            }
            for change in held:
                if change.status == "edited" and change.lines is not None:
                    rows = seen[change.path].splitlines(keepends=True)
                    first, count = change.lines[0] - 1, len(change.after.splitlines())
                    assert "".join(rows[first : first + count]) == change.after


@pytest.mark.parametrize("seed", range(2))
def test_the_disk_and_each_task_have_what_is_theirs(tmp_path: Path, seed: int) -> None:
    HeldWorld(tmp_path, seed).play(25)


def test_a_journal_on_a_server_holds_as_well(tmp_path: Path, postgres_url: str) -> None:
    HeldWorld(tmp_path, 50, postgres_url).play(15)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100, 220))
def test_long_stories(tmp_path: Path, seed: int) -> None:
    HeldWorld(tmp_path, seed).play(40)
