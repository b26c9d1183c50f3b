"""Review: what there is to decide about, what each decision does to the files, and what the task hears of it.

The promises: a decision touches its own hunk and no other byte; no decision is lost, by a restart, by a second reviewer
or by edits elsewhere; nothing is taken back twice; a hunk that changed since is undecided again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.session.review.change import AutoAccept, ReviewChange, item_of
from steadyhand.session.review.review import DECISION, Review
from steadyhand.workspace.files.storage import Storage
from tests.faults.storage import FaultStorage
from tests.postgres.server import Server
from tests.sampling import examples

TEXT = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text(TEXT)
    return tmp_path


@pytest.fixture
def agent(root: Path) -> Iterator[sh.Workspace]:
    with sh.Workspace(root, actor="agent", task="T") as workspace:
        yield workspace


@pytest.fixture
def ann(root: Path) -> Iterator[sh.Workspace]:
    with sh.Workspace(root, actor="ann") as workspace:
        yield workspace


def change_line(ws: sh.Workspace, number: int, new: str, **facts: str) -> sh.Receipt:
    return ws.edit("a.md", [sh.Replace(f"line {number}\n", new)], **facts)  # type: ignore[arg-type]


def lines(root: Path, name: str = "a.md") -> list[str]:
    return (root / name).read_text().splitlines()


def facts(review: Review) -> list[tuple[str, str, str, str | None]]:
    return [(change.before, change.after, change.state, change.reason) for change in review]


def only(review: Review, before: str) -> ReviewChange:
    (found,) = [change for change in review if change.before == before and change.state != "rejected"]
    return found


def refusal(action: object, *arguments: object) -> EditError:
    with pytest.raises(EditError) as caught:
        action(*arguments)  # type: ignore[operator]
    return caught.value


def test_without_a_journal_there_is_nothing_to_review_and_none_is_made(ann: sh.Workspace, root: Path) -> None:
    assert list(ann.review()) == []
    assert ann.review().feedback("T") == []
    assert not (root / ".steadyhand").exists()


def test_a_change_says_where_it_is_what_it_did_why_and_by_whom(agent: sh.Workspace, ann: sh.Workspace) -> None:
    receipt = change_line(agent, 3, "LINE 3\nand more\n", reason="louder")
    (change,) = ann.review(task="T")
    assert (change.path, change.lines, change.before, change.after) == (
        "a.md",
        (3, 4),
        "line 3\n",
        "LINE 3\nand more\n",
    )
    assert (change.reason, change.actor, change.task, change.state) == ("louder", "agent", "T", "undecided")
    assert change.records == (receipt.id,)
    assert set(change.to_json()) >= {
        "id",
        "path",
        "lines",
        "before",
        "after",
        "reason",
        "actor",
        "task",
        "state",
        "flags",
    }


def test_the_edits_of_one_call_are_hunks_of_their_own(agent: sh.Workspace, ann: sh.Workspace) -> None:
    agent.edit("a.md", [sh.Replace("line 3", "3", reason="a"), sh.Replace("line 4", "4", reason="b")])
    assert facts(ann.review()) == [("line 3\n", "3\n", "undecided", "a"), ("line 4\n", "4\n", "undecided", "b")]


def test_a_rejected_hunk_goes_and_its_neighbours_stay(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    agent.edit("a.md", [sh.Replace("line 3", "3"), sh.Replace("line 4", "4"), sh.Delete("line 5\n")])
    review = ann.review(task="T")
    review.reject([only(review, "line 4\n").id], "keep the word")
    assert lines(root)[2:5] == ["3", "line 4", "line 6"]
    review.reject([only(review, "line 5\n").id])
    assert lines(root)[2:6] == ["3", "line 4", "line 5", "line 6"]
    states = {change.before: (change.state, change.remark) for change in ann.review(task="T")}
    assert states == {
        "line 3\n": ("undecided", None), "line 4\n": ("rejected", "keep the word"), "line 5\n": ("rejected", None),
    }  # fmt: skip


def test_an_accepted_hunk_stays_accepted_whatever_happens_elsewhere(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    change_line(agent, 10, "TEN\n")
    review = ann.review()
    review.accept([change.id for change in review])
    change_line(agent, 2, "two\nlines\n")
    (root / "a.md").write_text("a line from outside\n" + (root / "a.md").read_text())
    agent.rename("a.md", "b.md")
    with sh.Workspace(root, actor="bob") as bob:
        change = only(bob.review(path="b.md"), "line 10\n")
    assert (change.state, change.by, change.lines) == ("accepted", "ann", (12, 12))


def test_a_hunk_that_changed_since_is_undecided_again_and_says_so(agent: sh.Workspace, ann: sh.Workspace) -> None:
    change_line(agent, 10, "TEN\n")
    ann.review().accept([only(ann.review(), "line 10\n").id])
    agent.edit("a.md", [sh.Replace("TEN", "X")])
    change = only(ann.review(), "line 10\n")
    assert (change.after, change.state, "changed" in change.flags) == ("X\n", "undecided", True)


def test_a_decision_about_one_change_of_a_record_leaves_the_others_unmarked(
    agent: sh.Workspace, ann: sh.Workspace
) -> None:
    agent.edit("a.md", [sh.Replace("line 3", "LINE 3"), sh.Replace("line 10", "LINE 10")])
    ann.review().accept([only(ann.review(), "line 3\n").id])
    agent.edit("a.md", [sh.Replace("LINE 10", "LINE X")])
    change = only(ann.review(), "line 10\n")
    assert (change.after, change.state, "changed" in change.flags) == ("LINE X\n", "undecided", False)
    ann.review().amend(change.id, "line ten")
    agent.read("a.md")
    agent.edit("a.md", [sh.Replace("line ten", "line TEN")])
    change = only(ann.review(), "line 10\n")
    assert (change.after, change.state, "changed" in change.flags) == ("line TEN\n", "undecided", True)


def test_an_amended_hunk_has_the_reviewers_text(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    change_line(agent, 3, "LINE 3\n")
    review = ann.review(task="T")
    review.amend(review.changes[0].id, "Line three", "no capitals")
    assert lines(root)[2] == "Line three"
    (change,) = ann.review(task="T")
    assert (change.after, change.state, change.by, change.remark) == ("Line three\n", "amended", "ann", "no capitals")
    agent.read("a.md")
    agent.edit("a.md", [sh.Replace("Line three", "Line 3!")])
    assert ann.review(task="T").changes[0].state == "undecided"


def test_a_line_that_was_deleted_is_amended_in_its_place(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    change_line(agent, 3, "")
    review = ann.review()
    review.amend(review.changes[0].id, "line 3, shorter")
    assert lines(root)[1:4] == ["line 2", "line 3, shorter", "line 4"]
    assert facts(review) == [("line 3\n", "line 3, shorter\n", "amended", "amended in review")]


def test_what_was_rejected_and_is_made_again_is_a_new_change(agent: sh.Workspace, ann: sh.Workspace) -> None:
    change_line(agent, 3, "LINE 3\n")
    review = ann.review()
    review.reject([review.changes[0].id])
    agent.read("a.md")
    change_line(agent, 3, "LINE 3\n")
    again = only(ann.review(), "line 3\n")
    assert (again.state, "again" in again.flags) == ("undecided", True)


@pytest.mark.parametrize("hold", [False, True])
def test_an_equal_change_that_was_made_before_a_rejection_was_not_made_again(
    root: Path, ann: sh.Workspace, hold: bool
) -> None:
    for name in ("b.md", "c.md"):
        (root / name).write_text("same\nother\nsame\n")
    with sh.Workspace(root, actor="agent", task="T", hold=hold) as agent:
        for name in ("b.md", "c.md"):
            agent.edit(name, [sh.Replace(sh.Lines(number, number), "new\n") for number in (1, 3)])
        found = [change for change in ann.review() if change.path == "b.md"]
        ann.review().reject([found[0].id], "no")
        assert [change.flags for change in ann.review().waiting] == [(), (), ()]
        agent.read("b.md")
        agent.edit("b.md", [sh.Replace(sh.Lines(1, 1), "new\n")])
    assert [(each.path, each.lines) for each in ann.review().waiting if each.flags == ("again",)] == [("b.md", (1, 1))]


def test_what_others_changed_since_is_shown_and_not_forced(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    change_line(agent, 3, "LINE 3\n")
    with sh.Workspace(root, actor="other", task="B") as other:
        other.read("a.md")
        other.edit("a.md", [sh.Replace("LINE 3", "LINE three")])
    (change,) = ann.review(task="T")
    before = (root / "a.md").read_bytes()
    assert (change.flags, change.lines) == (("overlapped",), None)
    assert refusal(ann.review(task="T").reject, [change.id]).kind is Kind.CONFLICT
    assert (root / "a.md").read_bytes() == before
    (theirs,) = ann.review(task="B")
    assert (theirs.before, theirs.after) == ("LINE 3\n", "LINE three\n")


def test_a_listing_that_is_out_of_date_changes_nothing(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    change_line(agent, 3, "LINE 3\n")
    review = ann.review()
    name = review.changes[0].id
    agent.edit("a.md", [sh.Replace("LINE 3", "Line 3")])
    assert refusal(review.reject, [name]).kind is Kind.CONFLICT
    assert lines(root)[2] == "Line 3"


def test_two_reviewers_reject_once(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    change_line(agent, 3, "LINE 3\n")
    first, second = ann.review(), ann.review()
    name = first.changes[0].id
    assert second.changes[0].id == name
    first.reject([name])
    assert refusal(second.reject, [name]).kind is Kind.CONFLICT
    assert refusal(ann.review().reject, [name]).kind is Kind.NO_CHANGE
    assert (root / "a.md").read_text() == TEXT


@pytest.mark.parametrize("ids", [[], ["nowhere"], ["ab"], [""]])
def test_ids_that_are_no_changes_are_refused(agent: sh.Workspace, ann: sh.Workspace, ids: list[str]) -> None:
    change_line(agent, 3, "LINE 3\n")
    for action in (ann.review().accept, ann.review().reject):
        assert refusal(action, ids).kind is Kind.BAD_REQUEST


def test_files_that_come_go_move_and_change_their_mode_are_changes(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    (root / "gone.txt").write_text("old\n")
    (root / "moved.txt").write_text("stays\n")
    (root / "run.sh").write_text("echo\n")
    (root / "run.sh").chmod(0o644)
    agent.create("new.txt", "new\n")
    agent.read("gone.txt")
    agent.delete("gone.txt")
    agent.rename("moved.txt", "there.txt")
    agent.chmod("run.sh", 0o755)
    review = ann.review(task="T")
    assert {(change.path, change.status) for change in review} == {
        ("new.txt", "created"), ("gone.txt", "deleted"), ("there.txt", "renamed"), ("run.sh", "mode"),
    }  # fmt: skip
    review.reject([change.id for change in review])
    assert sorted(path.name for path in root.iterdir() if path.is_file()) == ["a.md", "gone.txt", "moved.txt", "run.sh"]
    assert (root / "gone.txt").read_text() == "old\n"
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o644
    assert {change.state for change in ann.review(task="T")} == {"rejected"}


def test_a_task_hears_once_what_was_said(agent: sh.Workspace, ann: sh.Workspace) -> None:
    for number in (3, 6, 9, 12):
        change_line(agent, number, f"LINE {number}\n", reason=f"r{number}")
    review = ann.review(task="T")
    review.reject([only(review, "line 3\n").id], "no")
    review.amend(only(review, "line 6\n").id, "six\n")
    review.comment(only(review, "line 9\n").id, "why?")
    review.accept([only(review, "line 12\n").id])
    heard = [(item.state, item.remark, item.lines, item.now) for item in agent.review().feedback("T")]
    assert heard == [
        ("rejected", "no", (3, 3), None), ("amended", None, (6, 6), "six\n"), ("commented", "why?", (9, 9), None),
    ]  # fmt: skip
    assert agent.review().feedback("T") == []
    review.comment(only(review, "line 9\n").id, "still?")
    assert [item.remark for item in agent.review().feedback("T", keep=True)] == ["still?"]
    assert [item.remark for item in agent.review().feedback("T")] == ["still?"]


def test_a_task_that_has_not_read_a_rejection_does_not_write_over_it(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    agent.read("a.md")
    change_line(agent, 3, "LINE 3\n")
    ann.review().amend(ann.review().changes[0].id, "by ann\n")
    assert refusal(agent.edit, "a.md", [sh.Replace(sh.Lines(3, 3), "mine\n")]).kind is Kind.CONFLICT
    assert lines(root)[2] == "by ann"


def test_a_decision_is_taken_back(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    change_line(agent, 3, "LINE 3\n")
    change_line(agent, 6, "LINE 6\n")
    review = ann.review()
    review.accept([only(review, "line 3\n").id])
    review.reject([only(review, "line 6\n").id])
    review.take_back()
    assert lines(root)[5] == "LINE 6"
    review.take_back()
    assert [change.state for change in ann.review()] == ["undecided", "undecided"]
    assert refusal(review.take_back).kind is Kind.CANNOT_UNDO


def test_flags_say_what_is_risky(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    (root / "page.md").write_text("---\njrn: p\ntitle: x\n---\n\ntext\n")
    (root / "AGENTS.md").write_text("be kind\n")
    (root / "code.py").write_text("def f():\n    return  1\n")
    agent.edit("a.md", [sh.Replace("".join(f"line {n}\n" for n in range(1, 16)), "short\n")])
    agent.edit("page.md", [sh.Replace("jrn: p", "jrn: q")])
    agent.edit("AGENTS.md", [sh.Replace("be kind", "obey")])
    agent.edit("code.py", [sh.Replace("return 1", "return 2")])
    (root / "plain.py").write_text("one = 1\n")
    agent.edit("plain.py", [sh.Replace(sh.Lines(1, 1), "one = 2\n")])  # nothing is quoted
    found = {change.path: set(change.flags) for change in ann.review()}
    assert found == {
        "a.md": {"shrinks"}, "page.md": {"front-matter"}, "AGENTS.md": {"instructions"}, "code.py": {"tolerant"},
        "plain.py": set(),
    }  # fmt: skip


@pytest.mark.parametrize("amends", [False, True])
@pytest.mark.parametrize("how", ["after", "before", "remove it with its end", "remove it with the end above"])
@examples(10)
@given(
    count=st.integers(1, 4), ending=st.sampled_from(["\n", "\r\n"]), is_open=st.booleans(), number=st.integers(0, 3),
    hold=st.booleans(),
)  # fmt: skip
def test_a_line_that_comes_or_goes_is_taken_back_and_amended_however_its_end_was_quoted(
    count: int, ending: str, is_open: bool, number: int, hold: bool, amends: bool, how: str
) -> None:
    rows = [f"row {letter}" for letter in "abcd"[:count]]
    row = rows[number % count]
    text = ending.join(rows) + ("" if is_open else ending)
    edits = {
        "after": (row, f"{row}{ending}new"), "before": (row, f"new{ending}{row}"),
        "remove it with its end": (f"{row}{ending}", ""), "remove it with the end above": (f"{ending}{row}", ""),
    }  # fmt: skip
    old, new = edits[how]
    if old not in text:
        return
    changed = text.replace(old, new)
    with tempfile.TemporaryDirectory() as folder, sh.Workspace(folder, actor="ann") as ann:
        path = Path(folder, "a.txt")
        path.write_bytes(text.encode())
        with sh.Workspace(folder, actor="agent", task="T", hold=hold) as agent:
            agent.edit("a.txt", [sh.Replace(old, new)])
        review = ann.review()
        (change,) = review
        assert change.flags == ("unchecked",)
        assert change.lines is not None
        there = changed.splitlines(keepends=True)
        first, size = change.lines[0] - 1, len(change.after.splitlines())
        assert "".join(there[first : first + size]) == change.after
        if amends:
            review.amend(change.id, "amended")
            there[first : first + size] = ["amended\n"]
            assert path.read_text().splitlines() == "".join(there).splitlines()
            ann.review().take_back()
        else:
            review.reject([change.id])
        assert path.read_bytes() == (changed if amends and not hold else text).encode()
        assert [each.state for each in ann.review()] == ["undecided" if amends else "rejected"]


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("mark", ["---", "+++"])
def test_whatever_is_changed_in_front_matter_is_a_risk(root: Path, ann: sh.Workspace, mark: str, hold: bool) -> None:
    sign = ":" if mark == "---" else " ="
    rows = [mark, f'title{sign} "x"', f"draft{sign} true", f'by{sign} "ann"', mark, "", "first", "", "second"]
    for number in (2, 3, 4, 7, 9):
        new = {2: f'title{sign} "y"\n', 3: "", 4: f"{rows[3]}\nof{sign} 1\n", 7: "", 9: "title: y\n"}[number]
        (root / "page.md").write_text("".join(f"{row}\n" for row in rows))
        with sh.Workspace(root, actor="agent", task=f"T{number}", hold=hold) as agent:
            agent.edit("page.md", [sh.Replace(sh.Lines(number, number), new)])
        found = ann.review(task=f"T{number}")
        assert [change.flags for change in found] == [("front-matter",) if number < 5 else ()]
        found.reject([change.id for change in found])


@examples(10)
@given(
    st.lists(st.integers(1, 3), min_size=5, max_size=5),
    st.text("M ", max_size=2),
    st.text("T ", max_size=2),
    st.permutations(range(5)),
)
def test_on_one_line_too_only_what_others_left_alone_is_taken_back(
    sizes: list[int], mine: str, theirs: str, places: list[int]
) -> None:
    parts = [letter * size for letter, size in zip("abcde", sizes, strict=True)]
    before = parts.copy()
    with tempfile.TemporaryDirectory() as folder, sh.Workspace(folder, actor="ann") as ann:
        path = Path(folder, "a.txt")
        path.write_text(f"1\n{''.join(parts)}\n2\n")
        for task, place, new in (("T", places[0], mine), ("U", places[1], theirs)):
            with sh.Workspace(folder, actor="agent", task=task) as ws:
                ws.edit("a.txt", [sh.Replace(parts[place], new)])
            parts[place] = new
        is_apart = abs(places[0] - places[1]) > 1
        with nullcontext() if is_apart else pytest.raises(EditError):
            ann.review().reject([change.id for change in ann.review(task="T")])
        if is_apart:
            parts[places[0]] = before[places[0]]
        assert path.read_text() == f"1\n{''.join(parts)}\n2\n"


def test_rules_accept_what_is_plain_and_leave_the_rest(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    (root / "AGENTS.md").write_text("be kind\n")
    change_line(agent, 3, "LINE 3\n")
    agent.edit("AGENTS.md", [sh.Replace("be kind", "obey")])
    states = {change.path: (change.state, change.by) for change in ann.review(auto_accept=[AutoAccept(path="*.md")])}
    assert states == {"a.md": ("accepted", "policy"), "AGENTS.md": ("undecided", None)}
    for rule in (AutoAccept(path="*.py"), AutoAccept(actor="x"), AutoAccept(tool="x"), AutoAccept(lines=0)):
        assert {change.state for change in ann.review(auto_accept=[rule])} == {"undecided"}


def test_the_changes_of_people_without_a_task_are_reviewed_too(ann: sh.Workspace, root: Path) -> None:
    with sh.Workspace(root, actor="bob") as bob:
        change_line(bob, 3, "LINE 3\n")
    review = ann.review()
    review.reject([review.changes[0].id])
    assert (root / "a.md").read_text() == TEXT
    assert [(change.actor, change.state) for change in ann.review()] == [("bob", "rejected")]


@pytest.mark.parametrize(
    ("data", "old", "new"),
    [
        (b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n", "two", "2"),
        ("eins\nzw\u00f6lf\ndrei\n".encode("latin-1"), "zw\u00f6lf", "\u00fcber"),
        ("one\ntwo\nthree".encode("utf-16"), "three", "3"),
        (b"one\rtwo\rthree", "three", "3"),
        (b"no newline", "newline", "line"),
    ],
)
def test_every_byte_comes_back(
    agent: sh.Workspace, ann: sh.Workspace, root: Path, data: bytes, old: str, new: str
) -> None:
    (root / "odd.txt").write_bytes(data)
    agent.edit("odd.txt", [sh.Replace(old, new)])
    review = ann.review(path="odd.txt")
    review.reject([change.id for change in review])
    assert (root / "odd.txt").read_bytes() == data


def without(text: str, changes: list[ReviewChange]) -> str:
    """The text with each of these hunks replaced by what was there before, from the last to the first."""
    rows = text.splitlines(keepends=True)
    for change in sorted(changes, key=lambda each: each.lines or (0, 0), reverse=True):
        assert change.lines is not None
        first = change.lines[0] - 1
        count = len(change.after.splitlines())
        assert "".join(rows[first : first + count]) == change.after
        rows[first : first + count] = change.before.splitlines(keepends=True)
    return "".join(rows)


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["edit", "edit", "insert", "delete", "outside", "accept", "reject", "amend", "undo", "back"]),
        st.integers(0, 50),
    ),
    min_size=3,
    max_size=12,
)


AGENTS = [f"line {number}" for number in range(4, 21, 4)]  # between these and the lines of others one stays as it is


@given(ACTIONS)
def test_the_file_is_always_what_was_not_rejected(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, int]]
) -> None:
    follow(tmp_path_factory.mktemp("review"), actions)


@examples(2)
@given(ACTIONS)
def test_the_file_is_what_was_not_rejected_with_a_journal_on_postgresql_too(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: Server, actions: list[tuple[str, int]]
) -> None:
    follow(tmp_path_factory.mktemp("review"), actions, journal=postgres_server.fresh())


def follow(root: Path, actions: list[tuple[str, int]], **where: str) -> None:
    """Random work of an agent on some lines, of others on other ones, and decisions, in ever new workspaces."""
    path = root / "a.md"
    path.write_text(TEXT)
    base = TEXT.splitlines()  # the file without the agent's changes
    accepted: dict[str, str] = {}
    for step, (action, number) in enumerate(actions):
        with (
            sh.Workspace(root, actor="agent", task="T", **where) as agent,
            sh.Workspace(root, actor="ann", **where) as ann,
        ):
            own = [row for row in lines(root) if row.startswith("by ") or row in AGENTS]
            row = own[number % len(own)] if own else None
            agent.read("a.md")
            review = ann.review(task="T")
            there = [change for change in review if change.state != "rejected"]
            if action in ("edit", "insert", "delete") and row is not None and path.read_text().count(f"{row}\n") == 1:
                new = {"edit": f"by agent {step} 0\n", "insert": f"{row}\nmore {step}\n", "delete": ""}[action]
                agent.edit("a.md", [sh.Replace(f"{row}\n", new)])
            elif action == "outside":
                at = 4 * (number % 5) + 1
                path.write_text("".join(f"{r} from outside\n" if r == base[at] else f"{r}\n" for r in lines(root)))
                base[at] += " from outside"
            elif action == "undo" and there and not any(change.state == "amended" for change in there):
                try:
                    agent.undo(task="T")
                except EditError as error:
                    assert error.kind is Kind.CANNOT_UNDO
            elif action == "back":
                try:
                    review.take_back()
                except EditError as error:
                    assert error.kind is Kind.CANNOT_UNDO
                accepted.clear()
            elif there and action in ("accept", "reject", "amend"):
                change = there[number % len(there)]
                before = path.read_text()
                if action == "accept":
                    review.accept([change.id])
                    accepted[change.id] = change.after
                    assert path.read_text() == before
                elif action == "reject":
                    review.reject([change.id])
                    assert path.read_text() == without(before, [change])
                else:
                    review.amend(change.id, f"by ann {step} 0\n")
        with sh.Workspace(root, actor="bob", **where) as bob:
            now = [change for change in bob.review(task="T") if change.state != "rejected"]
            assert without(path.read_text(), now) == "".join(f"{row}\n" for row in base)
            for change in now:
                if change.id in accepted:
                    assert change.state == "accepted", "a decision was lost"


def test_a_crash_at_any_call_leaves_a_decision_made_or_not(tmp_path: Path) -> None:
    """Fail the n-th storage call of a rejection, for every n: the file and what was decided agree afterwards."""
    number, outcomes = 0, set()
    while True:
        number += 1
        root = tmp_path / str(number)
        root.mkdir()
        (root / "a.md").write_text(TEXT)
        with sh.Workspace(root, actor="agent", task="T") as agent:
            change_line(agent, 3, "LINE 3\n")
        storage = FaultStorage(watch="mutating")
        try:
            with sh.Workspace(root, actor="ann", storage=storage) as ann:
                review = ann.review()
                name = review.changes[0].id
                storage.at = storage.count + number
                review.reject([name], "no")
        except (EditError, OSError):
            pass
        is_done = not storage.faults
        with sh.Workspace(root, actor="bob") as bob:
            (change,) = bob.review()
            rejected = change.state == "rejected"
            assert (root / "a.md").read_text() == (TEXT if rejected else TEXT.replace("line 3\n", "LINE 3\n"))
            outcomes.add(rejected)
        if is_done:
            break
    assert outcomes == {True, False}


def test_a_rename_by_somebody_else_is_not_taken_back(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    agent.rename("a.md", "b.md")
    with sh.Workspace(root, actor="bob", task="U") as bob:
        bob.rename("b.md", "c.md")
    (change,) = ann.review(task="T")
    assert (change.status, change.before, "overlapped" in change.flags) == ("renamed", "a.md", True)
    assert refusal(ann.review(task="T").reject, [change.id]).kind is Kind.CONFLICT
    assert (root / "c.md").read_text() == TEXT
    (theirs,) = ann.review(task="U")
    assert (theirs.before, theirs.after) == ("b.md", "c.md")
    ann.review(task="U").reject([theirs.id])
    ann.review(task="T").reject([only(ann.review(task="T"), "a.md").id])
    assert (root / "a.md").read_text() == TEXT


def test_a_mode_that_somebody_else_gave_is_no_change_of_the_task(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    change_line(agent, 3, "LINE 3\n")
    (root / "a.md").chmod(0o755)
    change_line(agent, 9, "LINE 9\n")
    assert [change.status for change in ann.review(task="T")] == ["edited", "edited"]


def test_a_mode_that_somebody_gave_since_is_not_taken_back(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    (root / "run.sh").write_text("run\n")
    (root / "run.sh").chmod(0o644)
    agent.patch("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n")
    (change,) = ann.review(task="T")
    (root / "run.sh").chmod(0o700)
    assert refusal(ann.review(task="T").reject, [change.id]).kind is Kind.CANNOT_UNDO
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o700


def test_an_amendment_is_written_with_the_line_ends_of_the_file(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    (root / "a.md").write_bytes(b"one\r\ntwo\r\nthree")
    agent.edit("a.md", [sh.Replace("two", "TWO"), sh.Replace("three", "THREE")])
    for before, text in (("two\r\n", "zwei\nund\n"), ("three", "drei\nEnde")):
        ann.review(task="T").amend(only(ann.review(task="T"), before).id, text)
    assert (root / "a.md").read_bytes() == b"one\r\nzwei\r\nund\r\ndrei\r\nEnde"


def test_a_file_that_was_moved_since_is_read_in_its_own_encoding(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    (root / "0.txt").write_text("caf\u00e9 caf\u00e9\none\n", "utf-8")
    (root / "b.txt").write_text("caf\u00e9\none\ntwo\n", "utf-16")
    with agent.transaction() as tx:
        tx.edit("0.txt", [sh.Replace("one", "ONE")])
        tx.edit("b.txt", [sh.Replace("one", "ONE")])
    with sh.Workspace(root, actor="bob", task="U") as bob:
        bob.rename("b.txt", "c.txt")
    (change,) = [change for change in ann.review(task="T") if change.path == "c.txt"]
    assert (change.status, change.before, change.after) == ("edited", "one\n", "ONE\n")
    ann.review(task="T").reject([change.id])
    assert (root / "c.txt").read_text("utf-16") == "caf\u00e9\none\ntwo\n"
    assert [(each.path, each.state) for each in ann.review(task="T")] == [("0.txt", "undecided"), ("c.txt", "rejected")]


def test_a_file_that_cannot_be_read_hides_no_other(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    (root / "b.md").write_text("one\n")
    change_line(agent, 3, "LINE 3\n")
    agent.edit("b.md", [sh.Replace("one", "ONE")])
    (root / "b.md").unlink()
    (root / "b.md").symlink_to(root.parent / "elsewhere.md")
    assert [(each.path, each.status, each.after) for each in ann.review(task="T")] == [
        ("a.md", "edited", "LINE 3\n"),
        ("b.md", "hidden", ""),
    ]


def test_equal_changes_of_one_record_are_decided_apart(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    for name in ("b.md", "c.md"):
        (root / name).write_text("one\ntwo\none\n")
    with agent.transaction() as tx:
        for name in ("b.md", "c.md"):
            tx.edit(name, [sh.Replace("one", "ONE", occurrence="all")])
        tx.create("d.md", "new\n")
        tx.create("e.md", "new\n")
    changes = list(ann.review(task="T"))
    assert len({change.id for change in changes}) == len(changes) == 6
    wanted = [change for change in changes if (change.path, change.lines) in (("c.md", (3, 3)), ("e.md", (1, 1)))]
    ann.review(task="T").reject([change.id for change in wanted])
    assert [lines(root, name) for name in ("b.md", "c.md")] == [["ONE", "two", "ONE"], ["ONE", "two", "one"]]
    assert ((root / "d.md").exists(), (root / "e.md").exists()) == (True, False)


def test_equal_lines_of_a_whole_write_are_decided_apart(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    (root / "b.md").write_text("one\ntwo\none\n")
    agent.read("b.md")
    agent.write("b.md", "ONE\ntwo\nONE\n")
    ann.review(task="T").reject([change.id for change in ann.review(task="T") if change.lines == (1, 1)])
    assert lines(root, "b.md") == ["one", "two", "ONE"]
    assert [change.state for change in ann.review(task="T")] == ["undecided", "rejected"]


@pytest.mark.parametrize("toolset", ["core", "surgical", "article", "site"])
def test_a_model_hears_what_was_said_by_a_tool(root: Path, ann: sh.Workspace, toolset: str) -> None:
    with sh.Workspace(root, actor="agent", task="T") as agent:
        change_line(agent, 3, "LINE 3\n")
        review = ann.review(task="T")
        review.reject([review.changes[0].id], "too loud")
        kit = agent.tools(toolset, article="a.md") if toolset == "article" else agent.tools(toolset)
        (heard,) = kit.call("review_feedback", {})["feedback"]  # type: ignore[misc]
        assert (heard["state"], heard["remark"], heard["yours"], heard["now"], heard["startLine"]) == (
            "rejected", "too loud", "LINE 3\n", "line 3\n", 3,
        )  # fmt: skip
        assert kit.call("review_feedback", {})["feedback"] == []


def test_a_rejection_of_several_tasks_is_refused_as_a_whole(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    change_line(agent, 3, "LINE 3\n")
    with sh.Workspace(root, actor="bob", task="U") as bob, sh.Workspace(root, actor="eve", task="V") as eve:
        change_line(bob, 9, "LINE 9\n")
        eve.read("a.md")
        eve.edit("a.md", [sh.Replace("LINE 9\n", "line nine\n")])
    review = ann.review()
    wanted = [change.id for change in review if change.task in ("T", "U")]
    before = (root / "a.md").read_text()
    assert refusal(review.reject, wanted).kind is Kind.CONFLICT
    assert (root / "a.md").read_text() == before
    assert {change.state for change in ann.review()} == {"undecided"}


def test_what_comes_back_with_a_deleted_file_is_undecided(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    change_line(agent, 3, "LINE 3\n")
    agent.delete("a.md")
    ann.review(task="T").reject([change.id for change in ann.review(task="T")])
    assert lines(root)[2] == "LINE 3"
    assert [(each.status, each.state) for each in ann.review(task="T")] == [
        ("edited", "undecided"),
        ("deleted", "rejected"),
    ]


def test_a_rejection_of_several_tasks_is_taken_back_as_a_whole(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    change_line(agent, 3, "LINE 3\n")
    with sh.Workspace(root, actor="bob", task="U") as bob:
        change_line(bob, 9, "LINE 9\n")
    review, made = ann.review(), (root / "a.md").read_text()
    decision = review.reject([change.id for change in review], "no")
    assert (root / "a.md").read_text() == TEXT
    taken = ann.review().take_back()
    assert (taken.id, set(taken.changes), len(taken.receipts)) == (decision.id, set(decision.changes), 2)
    assert (root / "a.md").read_text() == made
    assert {change.state for change in ann.review()} == {"undecided"}

    ann.review().reject([change.id for change in ann.review()])
    (root / "a.md").write_text(TEXT.replace("line 9\n", "nine\n"))
    assert refusal(ann.review().take_back).kind is Kind.CANNOT_UNDO
    assert (root / "a.md").read_text() == TEXT.replace("line 9\n", "nine\n"), "all of it or nothing"
    assert {change.state for change in ann.review()} == {"rejected"}


def test_files_that_took_each_others_names_are_rejected_together(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    (root / "b.md").write_text("other\n")
    with agent.transaction() as tx:
        tx.rename("a.md", "c.md")
        tx.rename("b.md", "a.md")
        tx.rename("c.md", "b.md")
    review = ann.review(task="T")
    assert [(change.path, change.status, change.before) for change in review] == [
        ("a.md", "renamed", "b.md"), ("b.md", "renamed", "a.md"),
    ]  # fmt: skip
    assert refusal(review.reject, [review.changes[0].id]).kind is Kind.EXISTS_ALREADY
    review.reject([change.id for change in review])
    assert ((root / "a.md").read_text(), (root / "b.md").read_text()) == (TEXT, "other\n")
    ann.review().take_back()
    assert ((root / "a.md").read_text(), (root / "b.md").read_text()) == ("other\n", TEXT)


class Meddler(Storage):
    """Somebody else saves another line nine as soon as the first file was exchanged, once."""

    path: Path | None = None

    def exchange(self, *names: Any, **places: Any) -> None:
        super().exchange(*names, **places)
        if self.path is not None:
            path, self.path = self.path, None
            path.write_text(
                "".join("nine\n" if "9" in row and "1" not in row else f"{row}\n" for row in lines(path.parent))
            )


@pytest.mark.parametrize("action", ["reject", "take back"])
def test_a_decision_about_two_tasks_is_whole_or_nothing_whoever_writes_meanwhile(root: Path, action: str) -> None:
    for task, line in (("T", 3), ("U", 9)):
        with sh.Workspace(root, actor="agent", task=task) as agent:
            change_line(agent, line, f"LINE {line}\n")
    storage = Meddler()
    with sh.Workspace(root, actor="ann", storage=storage) as ann:
        review = ann.review()
        if action == "take back":
            review.reject([change.id for change in review][::-1])  # line 3 comes back first
        before, storage.path = lines(root), root / "a.md"
        with pytest.raises(EditError):
            review.reject([change.id for change in review]) if action == "reject" else review.take_back()
    assert lines(root) == [*before[:8], "nine", *before[9:]]
    with sh.Workspace(root, actor="bob") as bob:
        states = {change.task: change.state for change in bob.review()}
        assert states == dict.fromkeys("TU", "undecided" if action == "reject" else "rejected")


def test_a_fault_at_any_call_leaves_a_decision_about_two_tasks_whole(tmp_path: Path) -> None:
    number, outcomes, is_done = 1, set(), False
    while not is_done:
        root = tmp_path / str(number)
        root.mkdir()
        (root / "a.md").write_text(TEXT)
        for task, line in (("T", 3), ("U", 9)):
            with sh.Workspace(root, actor="agent", task=task) as agent:
                change_line(agent, line, f"LINE {line}\n")
        made, storage = (root / "a.md").read_text(), FaultStorage(watch="mutating")
        with sh.Workspace(root, actor="ann", storage=storage) as ann, suppress(EditError):
            review = ann.review()
            storage.at = storage.count + number
            review.reject([change.id for change in review])
        with sh.Workspace(root, actor="bob") as bob:
            (state,) = {change.state for change in bob.review()}
            assert (root / "a.md").read_text() == (TEXT if state == "rejected" else made)
            outcomes.add(state)
        number, is_done = number + 2, not storage.faults
    assert outcomes == {"rejected", "undecided"}


def test_a_change_that_breaks_a_link_or_an_anchor_says_so(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    (root / "b.md").write_text("# One\n\n[two](c.md#two) and [gone](gone.md).\n\n# Two\n\n[one](#one)\n\nsome prose\n")
    (root / "c.md").write_text("# Two\n\ntext\n")
    (root / "d.md").write_text("# Far\n\n[there](c.md) [web](https://example.org/x.md)\n")
    agent.edit("b.md", [sh.Replace("[gone](gone.md).", "[gone](gone.md), still.")])  # it was dead before
    agent.edit("b.md", [sh.Replace("[one](#one)", "[one](#first)")])
    agent.edit("b.md", [sh.Replace("some prose", "some words")])
    agent.edit("c.md", [sh.Replace("# Two", "# Second")])  # b.md links to it
    agent.edit("d.md", [sh.Replace("# Far", "# Near"), sh.Replace("x.md", "y.md")])
    flagged = {(each.path, each.before): each.flags for each in ann.review(task="T") if "broken-link" in each.flags}
    assert set(flagged) == {("b.md", "[one](#one)\n"), ("c.md", "# Two\n")}
    agent.delete("c.md")
    (deleted,) = [each for each in ann.review(task="T") if each.status == "deleted"]
    assert "broken-link" in deleted.flags
    review = ann.review(task="T")
    review.reject([deleted.id])
    assert {each.path for each in review if "broken-link" in each.flags} == {"b.md", "c.md"}, "as it is now"


def test_a_rule_does_not_accept_held_changes_that_break_a_link(root: Path, ann: sh.Workspace) -> None:
    (root / "b.md").write_text("# One\n\n[two](c.md)\n\nsome prose, [one](#one)\n")
    (root / "c.md").write_text("# Two\n")
    before = (root / "b.md").read_text()
    with sh.Workspace(root, actor="agent", task="H", hold=True, auto_accept=[AutoAccept(path="*.md")]) as held:
        assert held.edit("b.md", [sh.Replace("[two](c.md)", "[two](d.md)")]).held
        assert (root / "b.md").read_text() == before
        (change,) = ann.review(task="H")
        assert "broken-link" in change.flags
        held.create("d.md", "# Three\n")  # where the task has it, the link leads somewhere
        (change,) = [each for each in ann.review(task="H") if each.path == "b.md"]
        assert "broken-link" not in change.flags
        assert not held.edit("b.md", [sh.Replace("some prose", "some words")]).held


def test_what_is_not_shown_is_a_risk(ann: sh.Workspace, root: Path) -> None:
    (root / ".env").write_text("API_KEY=one1234567890\n")
    with sh.Workspace(root, actor="agent", task="S", allow=[".env"]) as ws:
        ws.edit(".env", [sh.Replace("one1", "two2")])
    (change,) = ann.review()
    assert (change.status, change.before, change.after, change.flags) == ("hidden", "", "", ("unseen",))


def test_an_empty_file_that_was_written_is_listed_and_comes_back(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    (root / "empty.txt").write_bytes(b"")
    agent.read("empty.txt")
    agent.write("empty.txt", "one\ntwo\n")
    (change,) = ann.review(task="T")
    assert (change.before, change.after) == ("", "one\ntwo\n")
    ann.review(task="T").reject([change.id])
    assert (root / "empty.txt").read_bytes() == b""


def test_an_accepted_name_stays_accepted_whatever_is_written_in_the_file(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    agent.rename("a.md", "b.md")
    (root / "b.md").chmod(0o644)
    agent.chmod("b.md", 0o600)
    ann.review().accept([change.id for change in ann.review()])
    agent.edit("b.md", [sh.Replace("line 3\n", "3\n")])
    assert {(change.status, change.state) for change in ann.review()} == {
        ("renamed", "accepted"), ("mode", "accepted"), ("edited", "undecided"),
    }  # fmt: skip


def test_what_is_rejected_beside_a_change_that_others_wrote_over_is_gone(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    agent.edit("a.md", [sh.Replace("line 3", "LINE 3"), sh.Replace("line 9", "LINE 9")])
    with sh.Workspace(root, actor="other", task="B") as other:
        other.read("a.md")
        other.edit("a.md", [sh.Replace("LINE 3", "LINE three")])
    ann.review(task="T").reject([only(ann.review(task="T"), "line 9\n").id])
    found = {(change.before, change.state, "overlapped" in change.flags) for change in ann.review(task="T")}
    assert found == {("line 3\n", "undecided", True), ("line 9\n", "rejected", False)}


def test_who_undoes_the_change_of_another_task_changed_nothing(root: Path, ann: sh.Workspace) -> None:
    with sh.Workspace(root, actor="one", task="A") as one, sh.Workspace(root, actor="two", task="B") as two:
        change_line(two, 9, "LINE 9\n")
        undone = change_line(one, 3, "LINE 3\n")
        change_line(two, 15, "LINE 15\n")
        two.undo(undone.id)
    assert [change.before for change in ann.review(task="A")] == []
    assert [change.before for change in ann.review(task="B")] == ["line 9\n", "line 15\n"]


def test_a_file_that_got_the_name_of_another_is_listed_after_a_decision_is_taken_back(
    agent: sh.Workspace, ann: sh.Workspace, root: Path
) -> None:
    agent.rename("a.md", "z.md")
    agent.write("a.md", "two\n")
    review = ann.review()
    listed = facts(review)
    review.reject([change.id for change in review])
    assert (root / "a.md").read_text() == TEXT
    review.take_back()
    assert facts(ann.review()) == listed
    assert len(listed) == 2


def test_a_file_whose_name_another_got_is_still_a_deletion(agent: sh.Workspace, ann: sh.Workspace, root: Path) -> None:
    (root / "new.md").write_text("new\n")
    agent.read("a.md")
    agent.delete("a.md")
    agent.rename("new.md", "a.md")
    found = {(change.status, change.before, change.flags) for change in ann.review(task="T")}
    assert found == {("renamed", "new.md", ()), ("deleted", TEXT, ("shrinks", "overlapped"))}
    renamed = only(ann.review(task="T"), "new.md")
    ann.review(task="T").reject([renamed.id])
    ann.review(task="T").reject([only(ann.review(task="T"), TEXT).id])
    assert ((root / "a.md").read_text(), (root / "new.md").read_text()) == (TEXT, "new\n")


def test_a_note_of_a_decision_whose_fields_have_other_types_counts_for_nothing(
    agent: sh.Workspace, ann: sh.Workspace
) -> None:
    change_line(agent, 3, "three\n")
    change_line(agent, 15, "fifteen\n")
    decision = ann.review().reject([only(ann.review(), "line 15\n").id])
    change = only(ann.review(), "line 3\n")
    for name in ("id", "path", "before", "after", "lines", "records"):
        item = {**item_of(change), name: [{"of": "another version"}]}
        body = {"decision": decision.id, "state": "rejected", "group": "task:T", "actor": "ann", "changes": [item]}
        ann._session.store.writable_journal().append_note(DECISION, body)
    assert only(ann.review(), "line 3\n").state == "undecided"
