"""An edit that is forced over the work of others, or applied after it was refused: this task's text replaces theirs."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Literal

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Edit
from steadyhand.text.words import split_tokens
from tests.real_files import real_texts
from tests.sampling import EXAMPLES
from tests.table import table

FORCE = sh.Policy(on_conflict="force")

# The text both read, what one wrote, what the other wants, what is there when that is forced, and whether an edit is
# offered that knows of the others.
FORCED: list[tuple[str, Edit, Edit, str, bool]] = [
    ("c = 3\n", sh.Replace("c = 3", "c = 30"), sh.Replace("c = 3", "c = 4"), "c = 4\n", False),
    ("c = 3\n", sh.Replace("c = 3", "c = 30"), sh.Replace("3", "4"), "c = 4\n", False),
    ("c = 3\n", sh.Replace("3", "-3"), sh.Replace("c = 3", "c = 4"), "c = 4\n", False),
    ("v = '1.2.3'\n", sh.Replace("1.2.3", "1.3.3"), sh.Replace("1.2.3", "1.2.4"), "v = '1.2.4'\n", False),
    ("timeout = 10\n", sh.Replace("10", "30"), sh.Replace("timeout = 10", "timeout = 20"), "timeout = 20\n", False),
    ("timeout = 10\n", sh.Replace("10", "30"), sh.Replace(sh.Lines(1), "timeout = 20\n"), "timeout = 20\n", True),
    ("timeout = 10\n", sh.Replace("10", "30"), sh.Replace(sh.Lines(1, 1, "timeout = 10"), "t = 20"), "t = 20\n", False),
    ("timeout = 10\n", sh.Delete("timeout = 10\n"), sh.Replace("10", "20"), "timeout = 20\n", False),
    ("timeout = 10\nb\n", sh.Replace("10", "30"), sh.Delete("timeout = 10\n"), "b\n", False),
    ("timeout = 10\nb\n", sh.Replace("10", "30"), sh.Delete(sh.Lines(1)), "b\n", True),
    ("f(a, b)\n", sh.Replace("b", "b, c"), sh.Replace("f(a, b)", "g(a, b)"), "g(a, b, c)\n", True),
    ("a\nb\n", sh.Insert("a\n", "x\n"), sh.Insert("a\n", "y\n"), "a\ny\nx\nb\n", True),
    ("a\nb\n", sh.Insert(sh.Lines(1), "x\n"), sh.Insert(sh.Lines(1), "y\n"), "a\nx\ny\nb\n", True),
    ("a\nb\nc\nd\n", sh.Insert(sh.Lines(1), "x\nx\n"), sh.Replace(sh.Lines(3), "C\n"), "a\nx\nx\nb\nC\nd\n", True),
    ("a\nb\nc\nd\n", sh.Delete(sh.Lines(3)), sh.Replace(sh.Lines(2, 3), "B\n"), "a\nB\nd\n", False),
    ("a\nb\nc\nd\n", sh.Replace("b\nc\n", "B\nC\n"), sh.Replace("b\n", "2\n"), "a\n2\nC\nd\n", False),
    ("a\nb\nc\n", sh.Replace("b\n", "B\n"), sh.Insert("b\n", "new\n"), "a\nB\nnew\nc\n", False),
]


@table(("base", "theirs", "mine", "after", "offer"), FORCED, every=3)
@table("way", ["force", "apply"])
def test_forced_text_replaces_what_is_there_and_both_are_recorded(
    way: str, base: str, theirs: Edit, mine: Edit, after: str, offer: bool, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(base)
    with sh.Workspace(tmp_path, actor="host") as ws, ws.task("one") as one, ws.task("two") as two:
        for task in (one, two):
            task.read("a.txt")
        first = one.edit("a.txt", [theirs])
        if way == "force":
            receipt = two.edit("a.txt", [mine], policy=FORCE)
        else:
            with pytest.raises(EditError) as caught:
                two.edit("a.txt", [mine])
            if caught.value.kind is not Kind.CONFLICT:
                return  # the quoted line beside it has changed, and no line of its own
            (conflict,) = ws.conflicts()
            receipt = ws.resolve(conflict.id, "apply")  # type: ignore[assignment]
        assert (tmp_path / "a.txt").read_text() == after
        assert [outcome.forced for outcome in receipt.outcomes] == [(first.id,)]
        assert [note.forced for note in ws.show(receipt.id or "").record.files[0].edits] == [(first.id,)]
        ws.undo(receipt.id)
        assert (tmp_path / "a.txt").read_text() == _after(base, theirs)


@table(("base", "theirs", "mine", "after", "offer"), FORCED)
def test_a_corrected_edit_is_offered_only_where_no_token_is_changed_by_both(
    base: str, theirs: Edit, mine: Edit, after: str, offer: bool, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(base)
    with sh.Workspace(tmp_path, actor="host") as ws, ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [theirs])
        with pytest.raises(EditError) as caught:
            two.edit("a.txt", [mine])
        corrected = caught.value.details.get("corrected")
        assert (corrected is not None) == offer, corrected
        if isinstance(corrected, dict):
            two.edit("a.txt", [corrected])
            assert (tmp_path / "a.txt").read_text() == after


# What another task did to "a b c d", and the lines there with two that this task has put in after "b".
TWO_INSERTED: list[tuple[Edit, str]] = [
    (sh.Replace("b\n", "B\n"), "a B 1 2 c d"),
    (sh.Insert("a\n", "x\n"), "a x b 1 2 c d"),
    (sh.Insert("b\n", "x\n"), "a b 1 2 x c d"),
    (sh.Delete("b\n"), "a 1 2 c d"),
    (sh.Replace("c\n", "C\n"), "a b 1 2 C d"),
    (sh.Replace("b\nc\n", "BC\n"), "a BC 1 2 d"),
    (sh.Replace("a\nb\nc\n", "Z\n"), "Z 1 2 d"),
]


@table(("theirs", "after"), TWO_INSERTED)
@table("batch", ["snapshot", "sequential"])
def test_two_forced_insertions_after_one_line_are_lines_of_their_own_in_the_order_they_have_alone(
    theirs: Edit, after: str, batch: Literal["snapshot", "sequential"], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("a\nb\nc\nd\n")
    mine: list[Edit] = [sh.Insert("b\n", "1\n"), sh.Insert("b\n", "2\n")]
    policy = sh.Policy(on_conflict="force", batch=batch)
    with sh.Workspace(tmp_path, actor="host") as ws, ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [theirs])
        receipt = two.edit("a.txt", mine, policy=policy)
        rows = (tmp_path / "a.txt").read_text().splitlines()
        wanted = after.split()
        if batch == "sequential":  # the second finds "b" before the first of them
            wanted = after.replace("1 2", "2 1").split()
        assert rows == wanted
        assert [rows[(outcome.lines or (0, 0))[0] - 1] for outcome in receipt.outcomes] == ["1", "2"]
        ws.undo(receipt.id)
        assert (tmp_path / "a.txt").read_text() == _after("a\nb\nc\nd\n", theirs)


def _after(base: str, edit: Edit) -> str:
    result = sh.edit(base, [edit])
    assert isinstance(result.text, str)
    return result.text


class Lines:
    """A file of lines, each of its own; the dullest way to say what edits by several parties leave."""

    def __init__(self, count: int) -> None:
        self.rows = [(number, f"name_{number} = {number}00.{number}") for number in range(count)]

    @property
    def text(self) -> str:
        return "".join(f"{row}\n" for _, row in self.rows)

    def has(self, number: int) -> bool:
        return any(number == known for known, _ in self.rows)

    def put(self, number: int, row: str) -> None:
        self.rows = [(known, row if known == number else text) for known, text in self.rows]


def _theirs(chance: random.Random, lines: Lines, number: int) -> Edit:
    old = dict(lines.rows)[number]
    at = [known for known, _ in lines.rows].index(number) + 1
    match chance.randrange(4):
        case 0:
            row = old + chance.choice(["0", ".5", "  # theirs"])
        case 1:
            row = f"theirs_{number} = 1"
        case 2:
            del lines.rows[at - 1]
            return sh.Delete(old + "\n")
        case _:
            lines.rows.insert(at, (1000 + number, f"theirs {number}"))
            return sh.Insert(sh.Lines(at), f"theirs {number}\n")
    lines.put(number, row)
    return sh.Replace(old, row)


def _mine(chance: random.Random, base: Lines, number: int) -> tuple[Edit, str | None]:
    """An edit of one line that this task has read, and the row it wants there; None: none."""
    old, row = base.rows[number][1], f"mine_{number} = 7"
    at = sh.Lines(number + 1)
    match chance.randrange(6):
        case 0:
            return sh.Replace(old, row), row
        case 1:
            return sh.Replace(at, row + "\n"), row
        case 2:
            return sh.Replace(f"{number}00.{number}", "7.7"), f"name_{number} = 7.7"
        case 3:
            return sh.Insert(at, f"{row}\n"), row
        case 4:
            return sh.Delete(old + "\n"), None
    return sh.Delete(at), None


@pytest.mark.hypothesis
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_at_random_a_forced_line_is_there_and_every_other_line_is_as_the_others_left_it(
    store: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    journal = request.getfixturevalue("postgres_url") if store == "postgres" else None
    with sh.Workspace(tmp_path, actor="host", journal=journal) as ws:
        for seed in range(EXAMPLES // 2 if store == "sqlite" else EXAMPLES // 10):
            _force_once(ws, tmp_path / f"{seed}.txt", random.Random(seed))


def _force_once(ws: sh.Workspace, file: Path, chance: random.Random) -> None:
    base, present = Lines(9), Lines(9)
    file.write_text(base.text)
    number = chance.randrange(9)
    with ws.task(f"one {file.name}") as one, ws.task(f"two {file.name}") as two:
        two.read(file.name)
        for other in {number, chance.randrange(9), chance.randrange(9)}:
            one.edit(file.name, [_theirs(chance, present, other)], policy=FORCE)
        assert file.read_text() == present.text
        edit, row = _mine(chance, base, number)
        is_there = present.has(number)
        try:
            two.edit(file.name, [edit], policy=FORCE)
        except EditError as error:
            assert (type(edit), is_there) == (sh.Delete, False), error  # somebody has taken it away before
            return
    after = file.read_text().splitlines()
    others = [text for known, text in present.rows if known != number]
    kept = [text for known, text in present.rows if known == number and isinstance(edit, sh.Insert)]
    assert sorted(after) == sorted([*others, *kept, *([] if row is None else [row])]), (edit, present.text)
    known = {token for text in (base.text, present.text, row or "") for token in split_tokens(text)}
    assert set(split_tokens(file.read_text())) <= known


def test_tools_force_where_their_host_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("timeout = 10\n")
    with sh.Workspace(tmp_path, task="A") as first, sh.Workspace(tmp_path, task="B") as second:
        kits = [first.tools("surgical"), second.tools("surgical", policy=FORCE)]
        for kit in kits:
            kit.call("read_file", {"path": "a.py"})
        for kit, value in zip(kits, ("30", "20"), strict=True):
            sent = {"path": "a.py", "old_content": "timeout = 10", "new_content": f"timeout = {value}"}
            assert kit.call("edit_file", sent)["success"] is True
    assert (tmp_path / "a.py").read_text() == "timeout = 20\n"


def _changed(chance: random.Random, row: str, word: str) -> str:
    """A row with one of its tokens replaced by a word of its own, or with the word before or behind one."""
    tokens = split_tokens(row)
    at = chance.choice([number for number, token in enumerate(tokens) if not token.isspace()])
    tokens[at] = chance.choice([word, f"{word} {tokens[at]}", f"{tokens[at]}{word}"])
    return "".join(tokens)


@pytest.mark.hypothesis
def test_at_random_on_real_lines_a_forced_word_is_there_and_no_token_is_mixed(tmp_path: Path) -> None:
    chance = random.Random(15)
    with sh.Workspace(tmp_path, actor="host", policy=sh.Policy(guards=frozenset())) as ws:
        for turn in range(EXAMPLES // 2):
            text = chance.choice(real_texts())
            rows = [row for row in dict.fromkeys(text.splitlines()) if len(row.strip()) > 8][:30]
            if len(rows) < 10:
                continue
            (tmp_path / f"{turn}.txt").write_text("".join(f"{row}\n" for row in rows))
            at = chance.randrange(len(rows))
            present = [*rows[:at], _changed(chance, rows[at], "theirs"), *rows[at + 1 :]]
            with ws.task(f"one {turn}") as one, ws.task(f"two {turn}") as two:
                two.read(f"{turn}.txt")
                one.edit(f"{turn}.txt", [sh.Replace(sh.Lines(at + 1), present[at])])
                mine = _changed(chance, rows[at], "mine")
                quoted = sh.Lines(at + 1) if chance.random() < 0.3 else sh.Lines(at + 1, at + 1, rows[at])
                two.edit(f"{turn}.txt", [sh.Replace(quoted, mine)], policy=sh.Policy(on_conflict="force"))
            after = (tmp_path / f"{turn}.txt").read_text().splitlines()
            assert after[:at] + after[at + 1 :] == present[:at] + present[at + 1 :]
            assert "mine" in after[at]
            known = {token for row in (rows[at], present[at], mine) for token in split_tokens(row)}
            assert set(split_tokens(after[at])) <= known, (rows[at], present[at], mine, after[at])


@pytest.mark.hypothesis
def test_at_random_several_forced_edits_of_a_call_or_a_transaction_all_land_where_they_were_meant(
    tmp_path: Path,
) -> None:
    with sh.Workspace(tmp_path, actor="host") as ws:
        for seed in range(EXAMPLES // 2):
            _force_several(ws, tmp_path / f"{seed}.txt", random.Random(seed))


def _force_several(ws: sh.Workspace, file: Path, chance: random.Random) -> None:
    base, present = Lines(12), Lines(12)
    file.write_text(base.text)
    with ws.task(f"one {file.name}") as one, ws.task(f"two {file.name}") as two:
        two.read(file.name)
        for number in chance.sample(range(12), chance.randint(1, 4)):
            one.edit(file.name, [_theirs(chance, present, number)], policy=FORCE)
        numbers = chance.sample(range(12), chance.randint(1, 3))
        wanted = {number: f"mine_{number} = 7" for number in numbers}
        edits = [
            sh.Replace(chance.choice([base.rows[n][1] + "\n", sh.Lines(n + 1)]), row + "\n")
            for n, row in wanted.items()
        ]
        if chance.random() < 0.3:
            with two.transaction() as tx:
                for edit in edits:
                    tx.edit(file.name, [edit], policy=FORCE)
        else:
            policy = sh.Policy(on_conflict="force", batch=chance.choice(["sequential", "snapshot"]))
            try:
                two.edit(file.name, edits, policy=policy)
            except EditError as error:
                assert error.kind is Kind.OVERLAPPING_EDITS  # a number that is another line's by now
                return
    rows = [wanted.get(number, row) for number, row in present.rows]
    rows += [row for number, row in wanted.items() if not present.has(number)]
    assert sorted(file.read_text().splitlines()) == sorted(rows), (edits, present.text)


def test_a_line_number_is_that_of_the_version_in_which_the_line_was_last_shown(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(Lines(30).text)
    with sh.Workspace(tmp_path, actor="host") as ws, ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Insert(sh.Lines(2), "put in above\n")])
        shown = two.read("a.txt", lines=(10, 20)).text.splitlines()[14]
        last = one.edit("a.txt", [sh.Replace(shown, "theirs")])
        receipt = two.edit("a.txt", [sh.Replace(sh.Lines(15), "mine\n")], policy=FORCE)
        assert file.read_text().splitlines()[13:16] == ["name_12 = 1200.12", "mine", "name_14 = 1400.14"]
        assert receipt.outcomes[0].forced == (last.id,)


def test_the_record_names_whose_text_was_replaced_and_not_whose_has_the_number_now(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(Lines(9).text)
    with sh.Workspace(tmp_path, actor="host") as ws, ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Delete("name_1 = 100.1\n")])
        replaced = one.edit("a.txt", [sh.Replace("name_4 = 400.4", "theirs_4")])
        one.edit("a.txt", [sh.Replace("name_5 = 500.5", "theirs_5")])
        with pytest.raises(EditError) as caught:
            two.edit("a.txt", [sh.Replace(sh.Lines(5), "mine\n")])
        others = caught.value.details["with"]
        assert isinstance(others, list)
        assert [other["record"] for other in others] == [replaced.id]
        assert caught.value.details["lines"] == [4, 4]
        receipt = two.edit("a.txt", [sh.Replace(sh.Lines(5), "mine\n")], policy=FORCE)
        assert file.read_text().splitlines()[3:5] == ["mine", "theirs_5"]
        assert receipt.outcomes[0].forced == (replaced.id,)


@pytest.mark.hypothesis
def test_at_random_a_number_means_the_line_that_was_shown_with_it(tmp_path: Path) -> None:
    made = Counter[str]()
    with sh.Workspace(tmp_path, actor="host") as ws:
        for seed in range(EXAMPLES):
            made[_number_once(ws, tmp_path / f"{seed}.txt", random.Random(seed))] += 1
    assert made.keys() >= {"edited", "forced", "offered"}, made


def _number_once(ws: sh.Workspace, file: Path, chance: random.Random) -> str:
    """One task reads a part of a file that another changes, and names a line by the number it was shown with."""
    present = Lines(14)
    file.write_text(present.text)
    with ws.task(f"one {file.name}") as one, ws.task(f"two {file.name}") as two:
        changed: dict[int, list[str | None]] = {}

        def check_cancelled() -> None:
            rows = [known for known, text in present.rows if text.startswith("name")]
            for number in chance.sample(rows, chance.randint(1, 3)):
                edit = _theirs(chance, present, number)
                changed.setdefault(number, []).append(one.edit(file.name, [edit], policy=FORCE).id)

        if chance.random() < 0.6:
            two.read(file.name)
        check_cancelled()
        first = chance.randint(1, 6)
        last = chance.randint(first, 10)
        two.read(file.name, lines=(first, last))
        line = chance.randint(first, min(last, len(present.rows)))
        number, shown = present.rows[line - 1]
        changed.clear()
        check_cancelled()
        edit = sh.Replace(sh.Lines(line), "mine\n")
        what = "edited"
        try:
            receipt = two.edit(file.name, [edit], policy=chance.choice([FORCE, sh.Policy()]))
            if receipt.outcomes[0].forced:
                what = "forced"
        except EditError as error:
            assert error.kind is Kind.CONFLICT
            corrected = error.details.get("corrected")
            if not isinstance(corrected, dict):
                assert file.read_text() == present.text
                return "refused"
            receipt, what = two.edit(file.name, [corrected]), "offered"
    rows = ["mine" if known == number else text for known, text in present.rows]
    if not present.has(number):
        rows.append("mine")
    assert sorted(file.read_text().splitlines()) == sorted(rows), (line, shown, present.text)
    if what == "forced" and dict(present.rows).get(number) != shown:
        assert set(receipt.outcomes[0].forced) & set(changed[number])
    return what
