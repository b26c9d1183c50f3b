"""`steadyhand review` and `steadyhand feedback`: for scripts by options, for people by keys at a real terminal.

The promise: what a key or an option decides is done at once and recorded; leaving at any point loses nothing.
"""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.session.review.change import ReviewChange
from steadyhand.surfaces.cli.review_terminal import _paired, change_lines
from steadyhand.surfaces.terminal import cells, visible
from steadyhand.text.diff import diff_rows
from tests.sampling import examples
from tests.surfaces.shell import Shell
from tests.table import table

LINES = "".join(f"line {number}\n" for number in range(1, 26))
PROMPT = "J,K,q,?] "


@pytest.fixture
def work(shell: Shell) -> Shell:
    """What an agent has done for T-1: three hunks in one file, one of another file that did not match to the letter."""
    (shell.root / "long.md").write_text(LINES)
    agent = ("--actor", "agent", "--task", "T-1", "edit")
    for old, new in (("line 3", "LINE 3"), ("line 10\nline 11", "LINE 10\nLINE 11"), ("line 20\n", "")):
        shell.ok(*agent, "long.md", "--old", old, "--new", new, "--reason", f"about {old.split()[1]}")
    shell.ok(*agent, "app.py", "--old", "y =  2", "--new", "y = 3", "--reason", "three")
    return shell


def changes(shell: Shell, *arguments: str) -> dict[str, dict[str, Any]]:
    return {change["before"]: change for change in shell.json("review", *arguments)["changes"]}


def states(shell: Shell) -> dict[str, str]:
    return {before: change["state"] for before, change in changes(shell).items()}


def test_a_list_has_every_field_and_people_get_a_table(work: Shell) -> None:
    found = changes(work, "--task", "T-1")
    assert set(found) == {"line 3\n", "line 10\nline 11\n", "line 20\n", "y = 2\n"}
    change = found["line 3\n"]
    assert (change["path"], change["lines"], change["after"]) == ("long.md", [3, 3], "LINE 3\n")
    assert (change["reason"], change["actor"], change["task"]) == ("about 3", "agent", "T-1")
    assert (change["state"], change["flags"], found["y = 2\n"]["flags"]) == ("undecided", [], ["tolerant"])
    table = work.ok("review")
    assert all(change["id"] in table for change in found.values())
    assert changes(work, "--task", "T-2") == {}
    assert work.ok("review", "--path", "nothing.md").strip() == "no change is waiting for a decision"


def test_a_broken_link_is_a_risk_at_the_command_line_too_and_no_rule_accepts_it(shell: Shell, tmp_path: Path) -> None:
    config = tmp_path / "rules.toml"
    config.write_text('[[auto_accept]]\npath = "*.md"\n')
    (shell.root / "a.md").write_text("# A\n\n[b](b.md#two)\n\nsome prose\n")
    (shell.root / "b.md").write_text("# Two\n")
    party = ("--config", str(config), "--task", "T-1", "--actor", "agent", "--hold", "edit", "a.md")
    shell.ok(*party, "--old", "b.md#two", "--new", "b.md#three")
    shell.ok(*party, "--old", "some prose", "--new", "some words")
    assert [(each["flags"], each["held"]) for each in shell.json("review")["changes"]] == [
        (["broken-link"], True), ([], False),
    ]  # fmt: skip


def test_options_decide_about_some_and_about_all(work: Shell) -> None:
    found = changes(work)
    ids = {before: change["id"] for before, change in found.items()}
    done = work.json("--actor", "ann", "review", "--reject", ids["line 3\n"], ids["line 20\n"], "--remark", "keep them")
    assert (done["state"], set(done["ids"])) == ("rejected", {ids["line 3\n"], ids["line 20\n"]})
    work.json("--actor", "ann", "review", "--amend", ids["y = 2\n"], "--text", "y = 4")
    work.json("--actor", "ann", "review", "--comment", ids["line 10\nline 11\n"], "--text", "why so loud?")
    work.json("review", "--accept", "--all")
    assert states(work) == {
        "line 3\n": "rejected", "line 10\nline 11\n": "accepted", "line 20\n": "rejected", "y = 2\n": "amended",
    }  # fmt: skip
    assert work.text("long.md") == LINES.replace("line 10\nline 11", "LINE 10\nLINE 11")
    assert work.text("app.py") == "x = 1\ny = 4\nx = 1\n"
    heard = work.json("feedback", "--task", "T-1")["feedback"]
    assert [(item["state"], item["remark"], item["by"]) for item in heard] == [
        ("rejected", "keep them", "ann"), ("rejected", "keep them", "ann"), ("amended", None, "ann"),
        ("commented", "why so loud?", "ann"),
    ]  # fmt: skip
    assert work.json("feedback", "--task", "T-1")["feedback"] == []
    assert work.ok("feedback", "--task", "T-1").strip() == "no feedback"


def test_a_decision_is_taken_back_by_undo(work: Shell) -> None:
    before = work.tree()
    work.json("review", "--reject", "--all")
    assert work.text("long.md") == LINES
    work.json("review", "--undo")
    assert work.tree() == before
    assert set(states(work).values()) == {"undecided"}
    assert work.kind("review", "--undo") == "cannot-undo"


@table(
    "arguments",
    [
        ("--accept",), ("--accept", "0000"), ("--reject", "x"), ("--accept", "0000", "--reject", "0000"),
        ("--amend", "0000"), ("--comment", "0000"), ("--accept", "0000", "--text", "x"), ("0000",), ("--text", "x"),
        ("--since", "yesterday"), ("--remark", "x"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(work: Shell, arguments: tuple[str, ...]) -> None:
    assert work.kind("review", *arguments) == "bad-request"


def test_feedback_needs_a_task(work: Shell) -> None:
    assert work.kind("feedback") == "bad-request"


def test_the_configuration_accepts_what_needs_nobody(work: Shell, tmp_path: Path) -> None:
    config = tmp_path / "rules.toml"
    config.write_text('[[auto_accept]]\npath = "*.md"\nlines = 1\n')
    found = changes(work, "--config", str(config))
    assert {before: (change["state"], change["by"]) for before, change in found.items()} == {
        "line 3\n": ("accepted", "policy"), "line 10\nline 11\n": ("undecided", None),
        "line 20\n": ("accepted", "policy"), "y = 2\n": ("undecided", None),
    }  # fmt: skip
    for wrong in (
        "[[auto_accept]]\n",
        "auto_accept = 1\n",
        "[[auto_accept]]\nfile = 'x'\n",
        "[[auto_accept]]\nlines = 'x'\n",
    ):
        config.write_text(wrong)
        assert work.kind("review", "--config", str(config)) == "bad-request"


def _own_terminal() -> None:
    """In the child: standard input is the terminal that interrupts it, also where interrupts were ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Person:
    """Somebody at a terminal."""

    def __init__(self, shell: Shell, *, columns: int = 80, **environ: str) -> None:
        self.master, slave = pty.openpty()
        self.resize(columns)
        # An interrupt drops what was not shown yet, after the signal: also what is answered to it.
        modes = termios.tcgetattr(slave)
        modes[3] |= termios.NOFLSH
        termios.tcsetattr(slave, termios.TCSANOW, modes)
        self.child = shell.process(
            "review", environ=environ, stdin=slave, stdout=slave, stderr=slave, preexec_fn=_own_terminal
        )
        os.close(slave)
        self.seen = ""
        self.read_to = 0

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

    def expect(self, text: str) -> str:
        """Wait until a text is shown; what was shown up to it since the last one."""
        while text not in self.seen[self.read_to :]:
            data = os.read(self.master, 4096)
            assert data, self.seen
            self.seen += data.decode("utf-8", "replace").replace("\r\n", "\n")
        end = self.seen.index(text, self.read_to) + len(text)
        shown, self.read_to = self.seen[self.read_to : end], end
        return shown

    def press(self, keys: str) -> str:
        """Press keys and wait for the next question."""
        os.write(self.master, keys.encode())
        return self.expect(PROMPT)

    def leave(self, keys: str) -> str:
        os.write(self.master, keys.encode())
        with suppress(OSError):  # the other end is closed
            while data := os.read(self.master, 4096):
                self.seen += data.decode("utf-8", "replace").replace("\r\n", "\n")
        assert self.child.wait(timeout=300) == 0
        return self.seen[self.read_to :]


@contextmanager
def person(shell: Shell, **options: Any) -> Iterator[Person]:
    made = Person(shell, **options)
    try:
        made.expect(PROMPT)
        yield made
    finally:
        if made.child.poll() is None:
            made.child.kill()
        made.child.wait()
        os.close(made.master)


def test_a_person_decides_with_keys(work: Shell, tmp_path: Path) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import sys\nname = sys.argv[1]\ntext = open(name).read()\n"
        "open(name, 'w').write(text.replace('y = 3', 'y = 33'))\n"
    )
    with person(work, EDITOR=f"{sys.executable} {editor}", VISUAL="", NO_COLOR="1") as ann:
        assert "(1/4, 4 left) app.py:2" in ann.seen, "what is risky comes first"
        assert "risk: tolerant" in ann.seen
        assert "reason: three" in ann.seen
        assert "reject and revert it" in ann.press("?")
        assert "no evidence" in ann.press("v")
        assert "long.md:3" in ann.press("J")
        assert "app.py:2" in ann.press("K")
        assert "long.md:20" in ann.press("/line 20\n")
        assert "no change contains" in ann.press("/nowhere\n")
        assert "app.py:2" in ann.press("J")
        shown = ann.press("e")
        assert work.text("app.py") == "x = 1\ny = 33\nx = 1\n"
        assert "(2/4, 3 left) long.md:3" in shown
        ann.press("c" + "why?\n")
        assert "cannot be split" in ann.press("s")
        assert "long.md:10" in ann.press("y")
        os.write(ann.master, b"s")
        ann.expect("this line? [y,n,q] ")
        os.write(ann.master, b"y")
        ann.expect("this line? [y,n,q] ")
        assert "long.md:20" in ann.press("n")
        assert "LINE 10\nline 11\n" in work.text("long.md")
        assert "undone: 1 change" in ann.press("u")
        assert "LINE 10\nLINE 11\n" in work.text("long.md")
        assert "long.md:20" in ann.press("n")
        assert "line 10\nline 11\n" in work.text("long.md")
        last = ann.leave("r" + "it was right\n")
    assert "1 amended, 1 accepted, 2 rejected; nothing left" in last
    assert work.text("long.md") == LINES.replace("line 3\n", "LINE 3\n")
    heard = work.json("feedback", "--task", "T-1")["feedback"]
    assert {(item["state"], item["remark"]) for item in heard} == {
        ("amended", None), ("commented", "why?"), ("rejected", None), ("rejected", "it was right"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "last", "left"),
    [
        ("A", "3 accepted; 1 change left", {"accepted": 3, "undecided": 1}),
        ("Ja", "3 accepted; 1 change left", {"accepted": 3, "undecided": 1}),
        ("Jd", "3 rejected; 1 change left", {"rejected": 3, "undecided": 1}),
    ],
)
def test_a_key_decides_about_many(work: Shell, keys: str, last: str, left: dict[str, int]) -> None:
    with person(work) as ann:
        for key in keys:
            ann.press(key)
        assert last in ann.leave("q")
    found = list(states(work).values())
    assert {state: found.count(state) for state in set(found)} == left


def test_an_interrupt_keeps_what_was_decided(work: Shell) -> None:
    with person(work) as ann:
        ann.press("J")
        ann.press("y")
        assert "1 accepted; 3 changes left" in ann.leave("\x03")
    assert states(work)["line 3\n"] == "accepted"
    with person(work) as ann:
        ann.press("J")
        os.write(ann.master, b"c")
        ann.expect("comment")
        assert "nothing decided; 3 changes left" in ann.leave("\x03")


def test_a_killed_review_keeps_what_was_decided(work: Shell) -> None:
    with person(work) as ann:
        ann.press("n")
        os.killpg(ann.child.pid, signal.SIGKILL)
        ann.child.wait()
    assert work.text("app.py") == "x = 1\ny = 2\nx = 1\n"
    assert states(work)["y = 2\n"] == "rejected"


def test_a_wide_terminal_shows_both_sides_and_a_plain_one_no_colour(work: Shell) -> None:
    with person(work, columns=160, NO_COLOR="1") as ann:
        assert "\x1b[" not in ann.seen
        assert any(" │ " in row and "y = 2" in row and "y = 3" in row for row in ann.seen.splitlines())
        assert any(row.count("x = 1") == 2 for row in ann.seen.splitlines()), "what is around it, on both sides"
        ann.resize(70)
        shown = ann.press("J")
        assert " │ " not in shown
        assert max(map(len, shown.splitlines())) <= 70
        ann.leave("q")


def test_a_change_that_comes_back_is_where_it_was(work: Shell) -> None:
    with person(work, EDITOR="true", VISUAL="", NO_COLOR="1") as ann:
        assert "hint: to keep the change as it is, accept it" in ann.press("e")
        assert "(2/4, 3 left) long.md:3" in ann.press("y")
        assert "(1/4, 4 left) app.py:2" in ann.press("u")
        assert "(2/4, 3 left) long.md:3" in ann.press("n")
        assert "(3/4, 2 left) long.md:10" in ann.press("y")
        assert "(2/4, 3 left) long.md:3" in ann.press("u")
        ann.leave("q")


LINE = st.text(st.sampled_from("ab"), max_size=2).map(lambda row: f"{row}\n")


@examples(60)
@given(st.lists(LINE, max_size=6), st.lists(LINE, max_size=6))
def test_a_split_asks_about_every_line_that_differs_and_no_other(before: list[str], after: list[str]) -> None:
    pairs = list(_paired(before, after))
    assert "".join(old for old, _ in pairs) == "".join(before)
    assert "".join(new for _, new in pairs) == "".join(after)
    differing = sum(old != new for old, new in pairs)
    parts = diff_rows(before, after)
    assert differing <= sum(
        max(part.before_end - part.before_start, part.after_end - part.after_start) for part in parts
    )
    if after[1:] == before or before[1:] == after:
        assert differing <= 1


def test_lines_that_are_kept_of_both_sides_stay_lines(shell: Shell) -> None:
    (shell.root / "open.txt").write_text("one\ntwo")
    shell.ok("--actor", "agent", "edit", "open.txt", "--lines", "1:2", "--new", "1\n2\n3")
    with person(shell) as ann:
        os.write(ann.master, b"s")
        for key in (b"y", b"n", b"y"):
            ann.expect("this line? [y,n,q] ")
            os.write(ann.master, key)
        ann.leave("")
    assert shell.text("open.txt") == "1\ntwo\n3"


ROW = st.text(st.sampled_from("ab \t\u6f22e\u0301\x0c\x1b-+\\…"), max_size=60)


@examples(60)
@given(st.lists(ROW, max_size=3), st.lists(ROW, max_size=3), st.lists(ROW, max_size=4), st.booleans())
def test_both_sides_are_shown_whole_however_long_their_rows_are(
    before: list[str], after: list[str], around: list[str], is_open: bool
) -> None:
    old, new = ("".join(f"{row}\n" for row in rows) for rows in (before, after))
    if is_open:
        old, new = old.removesuffix("\n"), new.removesuffix("\n")
    rows = [f"{row}\n" for row in (*around[:2], *after, *around[2:])]
    first = len(around[:2]) + 1
    change = ReviewChange(
        "0" * 12, "a.md", "edited", (first, first), old, new, "because " * 60, "agent", "T", "cli", None, None, "", ()
    )
    lines = change_lines(change, rows, width=150, number=1, left=1, total=1)
    shown = ["".join(piece.text for piece in line) for line in lines]
    assert all(sum(map(cells, line)) <= 150 for line in shown)
    assert " ".join(" ".join(shown).split()).count("because") == 60
    halves = [row.split(" │ ") for row in shown if " │ " in row]
    assert {sum(map(cells, half)) for pair in halves for half in pair} <= {73}
    for number, (sign, side) in enumerate(zip("-+", (old, new), strict=True)):
        said = "".join(pair[number][2:] for pair in halves if pair[number][:1] in (sign, " ")).replace(" ", "")
        for row in side.split("\n"):
            assert visible(row.replace("\t", "")).replace(" ", "") in said


def test_hostile_text_is_shown_and_not_obeyed(work: Shell) -> None:
    agent = ("--actor", "a\x1b[2Jb", "--task", "T-9", "edit", "notes.md")
    work.ok(
        *agent, "--old", "the cat sat", "--new", "\x1b]0;x\x07the \u202ecat" + "x" * 50_000, "--reason", "r\x1b[31m"
    )
    with person(work, NO_COLOR="1") as ann:
        shown = ann.seen
        while "notes.md" not in shown:
            shown = ann.press("J")
        assert not {"\x1b", "\x07", "\u202e"} & set(shown)
        assert len(shown) < 5_000
        ann.leave("q")


HELD = "# Title\n\nIt says alpha here.\n"


def test_the_command_line_holds_reviews_and_accepts(shell: Shell) -> None:
    (shell.root / "a.md").write_text(HELD)
    party = ("--task", "T-1", "--actor", "agent", "--hold")
    document = shell.json("edit", "a.md", *party, "--old", "alpha", "--new", "omega")
    assert document["receipt"]["held"] is True
    assert "omega" in shell.ok("read", "a.md", *party)
    assert "omega" not in shell.ok("read", "a.md")
    with person(shell, NO_COLOR="1") as ann:
        assert " # Title\n \n-It says alpha here.\n+It says omega here.\n" in ann.seen, "with what is around it"
        ann.leave("q")
    listed = shell.json("review", "--task", "T-1")["changes"]
    assert [(each["held"], each["conflict"]) for each in listed] == [(True, None)]
    shell.ok("review", "--task", "T-1", "--accept", listed[0]["id"])
    assert "omega" in shell.text("a.md")
    shell.ok("review", "--undo")
    assert shell.text("a.md") == HELD
