"""A transaction plans each edit once: again only where the text it was planned on is another by then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import steadyhand as sh
from tests.table import table

COUNT = 6
PAGE = "<body>\n" + "".join(f"<div id=d{at}><p>one <b>two</b></p></div>\n" for at in range(300)) + "</body>\n"


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long each text was that the parser of pages has read."""
    import turbohtml

    lengths: list[int] = []
    parse = turbohtml.parse

    def counting(text: str, **options: bool) -> turbohtml.Document:
        lengths.append(len(text))
        return parse(text, **options)

    monkeypatch.setattr(turbohtml, "parse", counting)
    return lengths


def whole_pages(parsed: list[int]) -> int:
    return sum(length > len(PAGE) // 2 for length in parsed)


def set_text(at: int) -> sh.Act:
    return sh.Act(sh.Selector(f"#d{at} b"), "set-text", value="three")


# What must not be taken for the same.


def test_a_file_that_another_changes_meanwhile_is_planned_again(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE)
    with sh.Workspace(tmp_path) as ws:
        with ws.transaction() as batch:
            batch.edit("a.html", set_text(200))
            (tmp_path / "a.html").write_text(PAGE.replace("<div id=d7>", "<div id=d7 class=new>"))
        assert batch.receipt.id is not None
    expected = PAGE.replace("<div id=d7>", "<div id=d7 class=new>").splitlines(keepends=True)
    expected[201] = expected[201].replace("two", "three")
    assert (tmp_path / "a.html").read_text() == "".join(expected)


@table("again", [lambda edit: [edit], lambda edit: (edit,)], ids=["list", "tuple"])
def test_the_same_edit_twice_is_planned_twice(again: Callable[[sh.Replace], list[sh.Replace]], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a a a\n")
    edits = again(sh.Replace("a", "b", occurrence="first"))
    with sh.Workspace(tmp_path) as ws, ws.transaction() as batch:
        batch.edit("a.txt", edits)
        batch.edit("a.txt", edits)
    assert (tmp_path / "a.txt").read_text() == "b b a\n"


# What is the same.


def test_a_page_is_read_once_for_each_edit_of_a_transaction(tmp_path: Path, parsed: list[int]) -> None:
    (tmp_path / "a.html").write_text(PAGE)
    with sh.Workspace(tmp_path) as ws:
        with ws.transaction() as batch:
            for at in range(COUNT):
                batch.edit("a.html", set_text(at))
        outcomes = batch.receipt.outcomes
    assert [outcome.lines for outcome in outcomes] == [(at + 2, at + 2) for at in range(COUNT)]
    assert (tmp_path / "a.html").read_text().count("three") == COUNT
    assert whole_pages(parsed) == COUNT
