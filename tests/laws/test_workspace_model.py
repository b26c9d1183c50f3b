"""Any mixture of edits, outside changes, undo, redo and reopening: tree and journal are what a plain model predicts."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from tests.faults.trees import temporaries, tree_of
from tests.laws.tree_model import Born, Event, File, Fill, Gone, Mode, Model, Move, Step, World
from tests.table import table

SLOTS = 6
PATHS = ("a.txt", "b.txt", "sub/c.txt", "sub/deep/d.txt", "other/e.txt", "f.md", "sub/g.md", "h")
TASKS = ("T-1", "T-2", None)
REFUSALS = {Kind.CANNOT_UNDO, Kind.EXISTS_ALREADY}
FAST = Path("/dev/shm")
UNHINDERED = sh.Policy(on_conflict="force")  # who has seen what is another test's subject

HAS_FILES = precondition(lambda self: self._alive())


class WorkspaceMachine(RuleBasedStateMachine):
    """Each rule acts on the real workspace and on the model; the invariants compare them."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="steadyhand-model-", dir=FAST if os.access(FAST, os.W_OK) else None))
        self.root = self.home / "root"
        self.root.mkdir()
        self.tokens = self.ids = self.modes = 0
        self.burnt: set[str] = set()
        self.journalled: set[int] = set()
        self.writers: dict[tuple[int, str], str] = {}
        self.gone: dict[int, tuple[str, ...]] = {}
        self.removers: set[str] = set()
        self.images_dropped = False
        self.model = Model({})
        self.world: World = {}
        self.ws: sh.Workspace | None = None

    def teardown(self) -> None:
        if self.ws is not None:
            self.ws.close()
        shutil.rmtree(self.home)

    @initialize(newlines=st.lists(st.sampled_from(["\n", "\r\n"]), min_size=2, max_size=3))
    def begin(self, newlines: list[str]) -> None:
        for path, newline in zip(PATHS, newlines, strict=False):
            born = self._born(path, newline)
            self._put(born.file)
            self.model.start[born.id] = born.file
        self.world = dict(self.model.start)
        self.ws = sh.Workspace(self.root, actor="model", policy=UNHINDERED)

    # What is done through the workspace.

    @HAS_FILES
    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        number = self._choose_file(data)
        edits, steps = self._edits(data, number)
        if not edits:
            return
        path = self.world[number].path
        assert path is not None
        task = data.draw(st.sampled_from(TASKS))
        self._commit(self._as(task).edit(path, edits), steps, task)

    @HAS_FILES
    @rule(data=st.data())
    def type_again(self, data: st.DataObject) -> None:
        """Somebody fills a slot, and somebody else fills it with what it held before: the same text, but theirs."""
        number = self._choose_file(data)
        file = self.world[number]
        slot = data.draw(st.sampled_from([slot for slot in range(1, SLOTS + 1) if file.slots[slot]] or [0]))
        between = self._token() + file.newline
        if slot:
            writer = self.writers[number, file.slots[slot].split()[0]]
            for task, old, new in (("T-3", file.slots[slot], between), ("T-4", between, file.slots[slot])):
                receipt = self._as(task).edit(self._path(number), [sh.Replace(old, new)])
                self._commit(receipt, (Fill(number, slot, old, new),), task)
            if writer in self.model.standing():
                self._take_back((writer,), lambda **options: self._space.undo(writer, **options), is_undo=True)

    @rule(data=st.data(), newline=st.sampled_from(["\n", "\r\n"]))
    def create(self, data: st.DataObject, newline: str) -> None:
        path = self._choose_free(data)
        if path is not None:
            born = self._born(path, newline)
            self._commit(self._space.create(path, born.file.text, mode=born.file.mode), (born,))

    @HAS_FILES
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        number = self._choose_file(data)
        self._commit(self._space.delete(self._path(number)), (Gone(number),))

    @HAS_FILES
    @rule(data=st.data())
    def rename(self, data: st.DataObject) -> None:
        number = self._choose_file(data)
        path = self._choose_free(data, number)
        if path is not None:
            self._commit(self._space.rename(self._path(number), path), (Move(number, self._path(number), path),))

    @HAS_FILES
    @rule(data=st.data())
    def chmod(self, data: st.DataObject) -> None:
        number, mode = self._choose_file(data), self._fresh_mode()
        self._commit(self._space.chmod(self._path(number), mode), (Mode(number, self.world[number].mode, mode),))

    @HAS_FILES
    @rule(data=st.data())
    def several_at_once(self, data: st.DataObject) -> None:
        """A file is edited and moved, another gets a mode, a third goes, a new one comes: as far as there are files."""
        ids = data.draw(st.permutations(self._alive()))
        task = data.draw(st.sampled_from(TASKS))
        free = self._choose_free(data, ids[0])
        edits, steps = self._edits(data, ids[0])
        done: list[Step] = list(steps)
        with self._as(task).transaction(reason="several") as tx:
            if edits:
                tx.edit(self._path(ids[0]), edits)
            if free is not None and data.draw(st.booleans()):
                tx.rename(self._path(ids[0]), free)
                done.append(Move(ids[0], self._path(ids[0]), free))
            elif free is not None:
                born = self._born(free, "\n")
                tx.create(free, born.file.text, mode=born.file.mode)
                done.append(born)
            if len(ids) > 1:
                mode = self._fresh_mode()
                tx.chmod(self._path(ids[1]), mode)
                done.append(Mode(ids[1], self.world[ids[1]].mode, mode))
            if len(ids) > 2 and data.draw(st.booleans()):
                tx.delete(self._path(ids[2]))
                done.append(Gone(ids[2]))
        if done:
            self._commit(tx.receipt, tuple(done), task)

    @HAS_FILES
    @rule(data=st.data())
    def refused(self, data: st.DataObject) -> None:
        """A transaction whose last edit fails changes nothing."""
        ids = self._alive()
        try:
            with self._space.transaction() as tx:
                tx.write(self._path(ids[0]), "something else\n", overwrite=True)
                tx.edit(self._path(ids[-1]), [sh.Replace("text that is nowhere", "x")])
        except EditError as error:
            assert error.kind is Kind.NO_MATCH
        else:
            raise AssertionError("an edit of text that is nowhere went through")

    # What happens outside.

    @HAS_FILES
    @rule(data=st.data())
    def change_outside(self, data: st.DataObject) -> None:
        number = self._choose_file(data)
        _, steps = self._edits(data, number)
        if steps:
            self._happen(steps, writer="outside" if number in self.journalled else "before-journal")
            file = self.world[number]
            (self.root / self._path(number)).write_bytes(file.data)

    @rule(data=st.data())
    def create_outside(self, data: st.DataObject) -> None:
        path = self._choose_free(data)
        known = {path for entry in self._space.history() for path in entry.record.paths}
        if path is not None and path not in known:
            born = self._born(path, "\n")
            self._happen((born,), writer="before-journal")
            self._put(born.file)

    @precondition(lambda self: len(self._alive()) > 2)
    @rule(data=st.data())
    def delete_outside(self, data: st.DataObject) -> None:
        number = self._choose_file(data)
        path = self._path(number)
        self.burnt.add(path)
        (self.root / path).unlink()
        self._happen((Gone(number),), writer="outside")

    # What takes things back.

    @precondition(lambda self: self.model.records)
    @rule(data=st.data())
    def undo_by_id(self, data: st.DataObject) -> None:
        standing = self.model.standing()
        ids = [event.record for event in self.model.records if event.record in standing]
        chosen = data.draw(st.sampled_from(ids))
        assert chosen is not None
        self._take_back((chosen,), lambda **options: self._space.undo(chosen, **options), is_undo=True)

    @precondition(lambda self: self._undoable())
    @rule()
    def undo_last(self) -> None:
        chosen = self._undoable()[-1]
        self._take_back((chosen,), lambda **options: self._space.undo(last=True, **options), is_undo=True)

    @precondition(lambda self: self._undoable("T-1"))
    @rule()
    def undo_task(self) -> None:
        ids = self._undoable("T-1")
        self._take_back(tuple(ids), lambda **options: self._space.undo(task="T-1", **options), is_undo=True)

    @precondition(lambda self: self._undos())
    @rule()
    def redo_latest(self) -> None:
        chosen = self._undos()[-1]
        self._take_back((chosen,), lambda **options: self._space.redo(**options), is_undo=False)

    # What should not matter.

    @rule()
    def reopen(self) -> None:
        self._space.close()
        self.ws = sh.Workspace(self.root, actor="model", policy=UNHINDERED)
        assert self.ws.warnings == ()

    @rule()
    def collect_garbage(self) -> None:
        self._space.gc(keep_days=30)

    @precondition(lambda self: len(self.model.records) > 8)
    @rule()
    def drop_every_image(self) -> None:
        self._space.gc(keep_days=0, keep_bytes=0)
        self.images_dropped = True

    @invariant()
    def tree_is_as_predicted(self) -> None:
        found = {path: facts for path, facts in tree_of(self.root).items() if facts[0] == "file"}
        expected = {file.path: ("file", file.data, file.mode) for file in self.world.values() if file.path}
        assert found == expected, self.model.log
        assert temporaries(self.root) == []

    @invariant()
    def journal_is_as_predicted(self) -> None:
        if self.ws is None:
            return
        entries = self.ws.history()
        assert [entry.record.id for entry in reversed(entries)] == [event.record for event in self.model.records]
        standing = self.model.standing()
        assert {entry.record.id for entry in entries if entry.undone_by is None} == standing
        assert self.ws.check().ok

    @precondition(lambda self: self.model.records)
    @rule(data=st.data())
    def every_record_has_its_diff(self, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from(self.model.records))
        assert event.record is not None
        diff = self._space.diff_of(event.record)
        if self.images_dropped:
            return
        lines = set(diff.replace("\r", "").split("\n"))
        for step in event.steps:
            if isinstance(step, Fill):
                assert {f"-{line}" for line in step.old.split()} <= lines
                assert {f"+{line}" for line in step.new.split()} <= lines

    @HAS_FILES
    @rule(data=st.data())
    def every_line_has_its_reason(self, data: st.DataObject) -> None:
        number = self._choose_file(data)
        lines = self.world[number].text.split()
        found = self._space.why_all(self._path(number))
        assert [why.text.strip() for why in found] == lines
        if not self.images_dropped:
            answer = [why.origin.record.id if why.origin else why.since for why in found]
            assert answer == [self.writers[number, line] for line in lines]

    # How a rule finds what it acts on.

    @property
    def _space(self) -> sh.Workspace:
        return self._as(None)

    def _as(self, task: str | None) -> sh.Workspace:
        assert self.ws is not None
        session = self.ws._session  # one view for all: this model is not about conflicts
        return self.ws._with(replace(session, context=replace(session.context, task=task)))

    def _alive(self) -> list[int]:
        return [number for number, file in self.world.items() if file.path is not None]

    def _path(self, number: int) -> str:
        path = self.world[number].path
        assert path is not None
        return path

    def _choose_file(self, data: st.DataObject) -> int:
        return data.draw(st.sampled_from(self._alive()))

    def _choose_free(self, data: st.DataObject, number: int | None = None) -> str | None:
        """A name nobody has; for a file that moves, one that it never had: its name must tell who moved it there."""
        taken = {file.path for file in self.world.values()} | self.burnt | self.model.names_of(number)
        free = [path for path in PATHS if path not in taken]
        return data.draw(st.sampled_from(free)) if free else None

    def _undoable(self, task: str | None = None) -> list[str]:
        standing = self.model.standing()
        found = [event for event in self.model.records if not event.is_undo and event.record in standing]
        return [event.record for event in found if event.record and task in (None, event.task)]

    def _undos(self) -> list[str | None]:
        standing = self.model.standing()
        return [event.record for event in self.model.records if event.is_undo and event.record in standing]

    # How the two sides are kept in step.

    def _token(self) -> str:
        self.tokens += 1
        return f"token-{self.tokens:04d}-{'x' * (self.tokens % 7)}"

    def _fresh_mode(self) -> int:
        """A mode no file has had: as with lines, what is there must tell who set it."""
        self.modes += 1
        return 0o600 | self.modes

    def _born(self, path: str, newline: str) -> Born:
        self.ids += 1
        lines = [f"header-{self._token()}{newline}", *(self._token() + newline for _ in range(SLOTS))]
        for line in lines:
            self.writers[self.ids, line.strip()] = "before-journal"
        return Born(self.ids, File(path, newline, tuple(lines), self._fresh_mode()))

    def _put(self, file: File) -> None:
        assert file.path is not None
        path = self.root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(file.mode)

    def _edits(self, data: st.DataObject, number: int) -> tuple[list[sh.Replace], tuple[Fill, ...]]:
        """One or two slots of a file get other lines, or none; never two neighbours in one call.

        A slot is emptied only between two that hold something, and filled from nothing only by taking that back:
        otherwise the text does not show which slot it was, and no reference could say what an undo should give.
        """
        file = self.world[number]
        first, second = data.draw(st.integers(1, SLOTS)), data.draw(st.integers(1, SLOTS))
        steps: list[Fill] = []
        for slot in [first] if abs(first - second) < 2 else [first, second]:
            old = file.slots[slot]
            held = bool(file.slots[slot - 1]) and (slot == SLOTS or bool(file.slots[slot + 1]))
            count = data.draw(st.integers(0 if held else 1, 2))
            if old:
                new = "".join(self._token() + file.newline for _ in range(count))
                steps.append(Fill(number, slot, old, new))
        return [sh.Replace(step.old, step.new) for step in steps], tuple(steps)

    def _commit(self, receipt: sh.Receipt, steps: tuple[Step, ...], task: str | None = None) -> None:
        assert receipt.id is not None
        assert receipt.durable
        self.model.log.append(Event(receipt.id, steps, task=task))
        self._advance(receipt.id)

    def _happen(self, steps: tuple[Step, ...], *, writer: str) -> None:
        self.model.log.append(Event(None, steps))
        self._advance(writer)

    def _advance(self, writer: str) -> None:
        """Replay everything and note who wrote the lines that are new."""
        world = self.model.replay()
        assert world is not None
        for number in self.world.keys() - world.keys():  # its birth was taken back
            self.gone[number] = self.world[number].slots
        for number, file in world.items():
            before = self.world.get(number)
            known = before.slots if before is not None and before.path is not None else ("",) * len(file.slots)
            if before is not None and before.path is not None and file.path is None:
                self.gone[number] = before.slots
            if (before is None or before.path is None) and writer != "outside" and self.gone.get(number) == file.slots:
                known = file.slots  # it came back as it went: its lines are whose they were
            if file.path is not None:
                for old, new in zip(known, file.slots, strict=True):
                    if old != new:
                        self.writers.update({(number, line): writer for line in new.split()})
            if before != file and writer not in ("outside", "before-journal"):
                self.journalled.add(number)
        there = {number for number, file in world.items() if file.path is not None}
        if not there.issuperset(self._alive()):
            self.removers.add(writer)
        self.world = world

    def _take_back(self, ids: tuple[str, ...], act: Any, *, is_undo: bool) -> None:
        expected = self.model.replay(without=ids)
        superseded = bool(self.removers & set(ids)) and not self.model.is_newest_everywhere(ids)
        if expected == self.world or superseded:
            return  # what it took away came back and went again since: which of the two is meant is a matter of taste
        may_refuse = expected is None or self.images_dropped
        may_refuse = may_refuse or not self.model.is_newest_everywhere(ids)
        try:
            foreseen = act(preview=True)
        except EditError as error:
            assert error.kind in REFUSALS, error
            assert may_refuse, f"refused without need: {error}"
            return
        assert foreseen.id is None
        assert expected is not None, f"taking this back makes no sense, yet it was promised: {ids} of {self.model.log}"
        receipt = act()
        assert [(f.path, f.before, f.after) for f in receipt.files] == [
            (f.path, f.before, f.after) for f in foreseen.files
        ]
        assert set(receipt.undoes) == set(ids)
        self.model.log.append(Event(receipt.id, undoes=ids, is_undo=is_undo))
        self._advance(receipt.id)
        assert self.world == expected


WorkspaceMachine.TestCase.settings = settings(max_examples=settings.default.max_examples // 4, stateful_step_count=30)
test_workspace_follows_the_model = WorkspaceMachine.TestCase


@table("between", ["rename", "mode"])
def test_a_line_keeps_its_origin_through_an_outside_change_that_a_rename_or_a_mode_follows(
    between: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\nthree\nfour\n")
    with sh.Workspace(tmp_path) as ws:
        first = ws.edit("a.txt", [sh.Replace("one", "1")])
        path.write_text("1\ntwo\n3 by somebody\nfour\n")
        name = "b.txt" if between == "rename" else "a.txt"
        ws.rename("a.txt", name) if between == "rename" else ws.chmod("a.txt", 0o600)
        last = ws.edit(name, [sh.Replace("four", "4")])
        found = [why.origin.record.id if why.origin else why.since for why in ws.why_all(name)]
        assert found == [first.id, "before-journal", "outside", last.id]
        ws.undo(first.id)
        assert (tmp_path / name).read_text() == "one\ntwo\n3 by somebody\n4\n"


@table("before", ["nothing", "a record"])
def test_a_line_changed_outside_after_its_file_came_back_was_not_there_before_the_journal(
    before: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\nthree\n")
    with sh.Workspace(tmp_path) as ws:
        writer = "before-journal" if before == "nothing" else ws.edit("a.txt", [sh.Replace("one", "1")]).id
        ws.undo(ws.delete("a.txt").id)
        lines = path.read_text().split()
        path.write_text(f"{lines[0]}\ntwo by somebody\nthree\n")
        found = [why.origin.record.id if why.origin else why.since for why in ws.why_all("a.txt")]
        assert found == [writer, "outside", "before-journal"]


def test_an_undo_does_not_pass_over_a_mode_that_was_changed_since(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    path.chmod(0o644)
    with sh.Workspace(tmp_path) as ws:
        with ws.transaction() as tx:
            tx.edit("a.txt", [sh.Replace("one", "1")])
            tx.chmod("a.txt", 0o755)
        ws.chmod("a.txt", 0o600)
        with pytest.raises(EditError) as caught:
            ws.undo(tx.receipt.id)
        assert caught.value.kind is Kind.CANNOT_UNDO
        ws.undo(last=True)
        ws.undo(tx.receipt.id)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("one\n", 0o644)
