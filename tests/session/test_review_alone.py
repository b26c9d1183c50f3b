"""Promise: what one task alone has changed can always be decided about, however it was quoted.

A task edits a file as agents do: with line ends in the quotation or without, by lines, by a few characters, as a patch,
as a whole file. Nobody else is at work. So no change is shown as written over by others, each is at its lines, and
whatever is rejected in whatever order, the bytes of before come back.
"""

from __future__ import annotations

import difflib
import random
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError
from tests.sampling import sample

WORDS = ("alpha", "beta", "gamma", "foo", "bar")


class Agent:
    """A task that works on a file alone."""

    def __init__(self, root: Path, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.end = chance.choice(["\n", "\n", "\r\n"])
        self.root, self.path = root, chance.choice(["a.md", "a.py", "a.txt"])
        rows = [f"{self.words()}{number}" for number in range(chance.randint(1, 12))]
        text = self.end.join(rows) + (self.end if chance.random() < 0.6 else "")
        (root / self.path).write_bytes(text.encode())

    def words(self) -> str:
        return " ".join(self.chance.choice(WORDS) for _ in range(self.chance.randint(0, 3)))

    def edit(self, ws: sh.Workspace, number: int) -> None:
        chance, end, now = self.chance, self.end, ws.read(self.path).text
        rows = now.splitlines(keepends=True)
        first = chance.randrange(len(rows)) if rows else 0
        last = min(len(rows), first + chance.choice([1, 1, 2, 3]))
        old = "".join(rows[first:last])
        bare, new = old.rstrip("\r\n"), end.join(f"{self.words()}n{number}" for _ in range(chance.choice([0, 1, 1, 2])))
        whole = new + end if new else ""
        at = chance.randrange(len(now)) if now else 0
        edits = [
            (bare, bare + end + new), (bare, new + end + bare), (old, whole), (bare, new), (end + bare, ""),
            (now[at : at + chance.randint(1, 6)], chance.choice(["", "X", f"Y{end}Z"])),
        ]  # fmt: skip
        match chance.randrange(10):
            case 6:
                ws.edit(self.path, [sh.Replace(sh.Lines(first + 1, last), whole)])
            case 7:
                ws.write(self.path, "".join(row for row in rows if chance.random() < 0.8) + chance.choice(["", whole]))
            case 8:
                sides = [[row.rstrip("\r\n") + "\n" for row in each] for each in (rows, rows[:first] + rows[last:])]
                ws.patch("".join(difflib.unified_diff(*sides, f"a/{self.path}", f"b/{self.path}")))
            case 9:
                ws.undo(last=True)
            case which:
                ws.edit(self.path, [sh.Replace(*edits[which])])


def story(root: Path, seed: int, *, hold: bool) -> None:
    agent = Agent(root, seed)
    before = (root / agent.path).read_bytes()
    with sh.Workspace(root, actor="agent", task="T", hold=hold) as ws:
        for number in range(agent.chance.randint(1, 6)):
            with suppress(EditError):
                agent.edit(ws, number)
        rows = ws.read(agent.path).text.splitlines(keepends=True)
    with sh.Workspace(root, actor="ann") as ann:
        for change in ann.review():
            assert "overlapped" not in change.flags
            assert change.lines is not None
            first = change.lines[0] - 1
            assert "".join(rows[first : first + len(change.after.splitlines())]) == change.after
        while left := [change for change in ann.review() if change.state != "rejected"]:
            ann.review().reject([agent.chance.choice(left).id])
            assert len([change for change in ann.review() if change.state != "rejected"]) < len(left)
    assert (root / agent.path).read_bytes() == before


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("seed", [104, 126, 136, 142, 190, 222, 5353, 5389])
def test_a_task_alone_is_never_in_its_own_way(tmp_path: Path, seed: int, hold: bool) -> None:
    story(tmp_path, seed, hold=hold)


@pytest.mark.sampled
@pytest.mark.parametrize("hold", [False, True])
def test_lines_put_in_at_one_place_go_however_they_are_quoted(tmp_path: Path, hold: bool) -> None:
    texts: dict[str, str] = {}
    with sh.Workspace(tmp_path, actor="agent", task="T", hold=hold) as ws:
        for number, (end, *rows) in enumerate(product(("\n", "\r\n"), ("", "x"), ("", "y"))):
            for ways in sample(list(product(range(5), repeat=2)), 9):
                path = f"{number}-{ways[0]}{ways[1]}.txt"
                texts[path] = f"a{end}b{end}"
                (tmp_path / path).write_bytes(texts[path].encode())
                for row, way in zip(rows, ways, strict=True):
                    above, below = "a", ws.read(path).text.removeprefix(f"a{end}")
                    edits = [
                        (above, f"{above}{end}{row}"), (above + end, f"{above}{end}{row}{end}"), ("b", f"{row}{end}b"),
                        (below, f"{row}{end}{below}"), (end + below, f"{end}{row}{end}{below}"),
                    ]  # fmt: skip
                    ws.edit(path, [sh.Replace(*edits[way])])
    with sh.Workspace(tmp_path, actor="ann") as ann:
        changes = list(ann.review())
        assert {change.path for change in changes} == set(texts)
        assert {(change.before, "overlapped" in change.flags) for change in changes} == {("", False)}
        ann.review().reject(change.id for change in changes)
        assert [change for change in ann.review() if change.state != "rejected"] == []
    assert {path: (tmp_path / path).read_bytes().decode() for path in texts} == texts


@pytest.mark.parametrize("beside", [("b", "b\nx"), ("b", "x\nb"), ("e", "x\ne"), ("b\ne", "b\nx\ne")])
@pytest.mark.parametrize("gone", ["c\nd\n", "c\n", "d\n"])
def test_what_was_accepted_is_rejected_beside_what_is_held(tmp_path: Path, gone: str, beside: tuple[str, str]) -> None:
    (tmp_path / "a.txt").write_text("a\nb\nc\nd\ne\nf\n")
    with sh.Workspace(tmp_path, actor="agent", task="T", hold=True) as ws:
        for old, new in ((gone, ""), beside, ("f", "F")):
            with suppress(EditError):
                ws.edit("a.txt", [sh.Replace(old, new)])
        held = ws.read("a.txt").text
        with sh.Workspace(tmp_path, actor="ann") as ann:
            removal = next(change for change in ann.review() if change.before.startswith(gone))
            rest = [change.id for change in ann.review() if change.id != removal.id]
            ann.review().accept([removal.id])
            assert ws.read("a.txt").text == held
            ann.review().reject([removal.id])
            assert [(change.id, change.conflict) for change in ann.review().waiting] == [(each, None) for each in rest]
            seen = ws.read("a.txt").text
            ann.review().accept(rest)
            assert (tmp_path / "a.txt").read_text() == seen == ws.read("a.txt").text


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100, 400))
def test_a_task_alone_in_many_stories(tmp_path: Path, seed: int) -> None:
    story(tmp_path, seed, hold=seed % 2 == 1)
