"""Promise: with held and direct tasks, reviewers and other programs at work on the same files, the disk is always what
was accepted, not rejected or written directly, and each task sees that with what it holds; nothing is made twice and no
decision is lost, also over kills and reopening, on SQLite and on PostgreSQL.

The model is dull: a file is a list of lines, each with a name of its own; the disk has a text for each, and a held task
its own text for some. Lines are far enough apart that no two changes are of the same lines, unless that is meant.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from tests.table import table

NAMES = [f"line{number}" for number in range(12)]
FILES = ("a.md", "sub/b.md")
Held = dict[tuple[str, str], str]


class Model:
    """What everything should be."""

    def __init__(self) -> None:
        self.disk = {(path, name): "0" for path in FILES for name in NAMES}
        self.held: dict[str, Held] = {"H-1": {}, "H-2": {}}
        self.bases: dict[str, Held] = {"H-1": {}, "H-2": {}}  # what the disk had when a line was first held
        self.decided: list[tuple[str, str]] = []

    def seen(self, task: str | None) -> dict[tuple[str, str], str]:
        return self.disk | (self.held[task] if task is not None else {})


def text_of(lines: dict[tuple[str, str], str], path: str) -> str:
    return "".join(f"{name} is {lines[path, name]}\n\n" for name in NAMES)


class World:
    """The workspaces, which may all be closed and opened again at any moment."""

    def __init__(self, root: Path, journal: str | None, seed: int) -> None:
        self.root, self.journal = root, journal
        self.random = random.Random(seed)
        self.model = Model()
        self.count = 0
        for path in FILES:
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(text_of(self.model.disk, path))
        self.open()

    def open(self) -> None:
        self.agents = {
            task: sh.Workspace(self.root, actor=task.lower(), task=task, hold=True, journal=self.journal)
            for task in self.model.held
        }
        self.direct = sh.Workspace(self.root, actor="bob", task="D", journal=self.journal)
        self.reviewers = [sh.Workspace(self.root, actor=who, journal=self.journal) for who in ("ada", "ann")]

    def close(self) -> None:
        for ws in (*self.agents.values(), self.direct, *self.reviewers):
            ws.close()

    def value(self) -> str:
        self.count += 1
        return str(self.count)

    def place(self, but: set[tuple[str, str]] | None = None) -> tuple[str, str] | None:
        free = [place for place in self.model.disk if place not in (but or set())]
        return self.random.choice(free) if free else None

    def held_anywhere(self) -> set[tuple[str, str]]:
        return {place for held in self.model.held.values() for place in held}

    # What happens

    def hold(self) -> None:
        task = self.random.choice(list(self.agents))
        others = {place for name, held in self.model.held.items() if name != task for place in held}
        place = self.place(others)
        if place is not None:
            path, name = place
            old, new = self.model.seen(task)[place], self.value()
            self.agents[task].read(path)
            edit = {"target": f"{name} is {old}\n", "new": f"{name} is {new}\n"}
            receipt = self.agents[task].edit(path, [edit], reason=f"{name} {new}")
            assert receipt.held
            self.model.bases[task].setdefault(place, self.model.disk[place])
            self.model.held[task][place] = new

    def edit_directly(self) -> None:
        place = self.place(self.held_anywhere())
        if place is not None:
            path, name = place
            old, new = self.model.disk[place], self.value()
            self.direct.read(path)
            self.direct.edit(path, [{"target": f"{name} is {old}\n", "new": f"{name} is {new}\n"}])
            self.model.disk[place] = new

    def write_outside(self) -> None:
        place = self.place(self.held_anywhere())
        if place is not None:
            path, name = place
            new = self.value()
            file = self.root / path
            file.write_text(file.read_text().replace(f"{name} is {self.model.disk[place]}\n", f"{name} is {new}\n"))
            self.model.disk[place] = new

    def undo(self) -> None:
        task = self.random.choice(list(self.agents))
        held = self.model.held[task]
        if held:
            place = self.random.choice(list(held))
            old, new = held[place], self.model.disk[place]
            path, name = place
            self.agents[task].read(path)
            self.agents[task].edit(path, [{"target": f"{name} is {old}\n", "new": f"{name} is {new}\n"}])
            self.agents[task].undo(last=True)  # it comes back

    def waiting(self, task: str) -> tuple[sh.Review, dict[tuple[str, str], sh.ReviewChange]]:
        review = self.random.choice(self.reviewers).review(task=task)
        found = {}
        for change in review.waiting:
            if change.held:
                found[change.path, change.after.split(" is ")[0]] = change
        return review, found

    def decide(self) -> None:
        task = self.random.choice(list(self.agents))
        review, found = self.waiting(task)
        held = self.model.held[task]
        assert set(found) == set(held), (found, held)
        chosen = [place for place in found if self.random.random() < 0.4]
        if not chosen:
            return
        ids = [found[place].id for place in chosen]
        how = self.random.choice(["accept", "reject", "amend", "take back", "two"])
        if how == "reject":
            review.reject(ids, "no")
            for place in chosen:
                del held[place]
        elif how == "amend":
            place, new = chosen[0], self.value()
            review.amend(ids[0], f"{place[1]} is {new}")
            del held[place]
            self.model.disk[place] = new
        elif how == "two":  # two reviewers have listed the same changes
            other, _ = self.waiting(task)
            assert len(other) >= 0
            review.accept(ids)
            with pytest.raises(EditError) as refused:
                other.reject(ids)
            assert refused.value.kind in (Kind.CONFLICT, Kind.BAD_REQUEST)
            self.accepted(task, chosen)
        else:
            review.accept(ids)
            if how == "take back":
                review.take_back()
            else:
                self.accepted(task, chosen)

    def accepted(self, task: str, chosen: list[tuple[str, str]]) -> None:
        for place in chosen:
            self.model.disk[place] = self.model.held[task].pop(place)
            self.model.decided.append((place[0], f"{place[1]} is {self.model.disk[place]}\n"))

    def reopen(self) -> None:
        self.close()
        self.open()

    def check(self) -> None:
        model = self.model
        for path in FILES:
            assert (self.root / path).read_text() == text_of(model.disk, path)
            for task, ws in self.agents.items():
                assert ws.read(path).text == text_of(model.seen(task), path), task
        for task, ws in self.agents.items():
            assert set(ws.held) == {path for path, _ in model.held[task]}

    def play(self, steps: int) -> None:
        moves = [self.hold] * 5 + [self.edit_directly, self.write_outside, self.undo, self.reopen] + [self.decide] * 3
        for _ in range(steps):
            self.random.choice(moves)()
            self.check()
        assert self.reviewers[0].check().problems == ()
        last = dict.fromkeys(self.model.decided)
        accepted = {(each.path, each.after) for each in self.reviewers[0].review() if each.state == "accepted"}
        present = {(path, f"{name} is {value}\n") for (path, name), value in self.model.disk.items()}
        assert {each for each in last if each in present} <= accepted | {
            (each.path, each.after) for each in self.reviewers[0].review() if each.state == "amended"
        }
        self.close()


@table("seed", range(2))
def test_held_and_direct_tasks_agree_with_the_model(tmp_path: Path, seed: int) -> None:
    World(tmp_path, None, seed).play(30)


@pytest.mark.sweep
def test_a_journal_on_a_server_agrees_with_the_model(tmp_path: Path, postgres_url: str) -> None:
    World(tmp_path, postgres_url, 100).play(20)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_long_stories_agree_with_the_model(tmp_path: Path, seed: int) -> None:
    World(tmp_path, None, 1000 + seed).play(120)
