"""`steadyhand stats`: figures and bars for people, a document, a page and a picture."""

from __future__ import annotations

import builtins
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.session.statistics import Statistics, Tally
from steadyhand.surfaces.cli.commands.audit import stats_lines
from steadyhand.surfaces.clients import installation
from steadyhand.surfaces.plot import charts_of, percent, render_page, render_picture
from steadyhand.surfaces.terminal import cells, paint
from tests.surfaces.shell import Shell
from tests.table import table

EVIL = '<script>alert("1")</script>\x1b[31m\u202egpj.$x^2$\n'


def tally(applied: int, refused: int = 0, first: int = 0) -> Tally:
    ways = Counter({"edited": applied})
    return Tally(applied + refused, applied, first, min(first, applied), refused, ways)


def made(**names: Tally) -> Statistics:
    return Statistics(
        tally(1_234, 56, 900),
        Counter(exact=1_200, fuzzy=34),
        Counter({"no-match": 56}),
        tools=names or {"edit": tally(3, 1)},
        models={EVIL: tally(1_234, 56)},
        types={".md": tally(1_290)},
        first_time="2026-11-01T00:00:00.000Z",
        last_time="2026-11-15T00:00:00.000Z",
    )


@pytest.fixture
def busy(shell: Shell) -> Shell:
    """A workspace in which two calls were applied and one was refused."""
    shell.ok("edit", "notes.md", "--old", "cat", "--new", "dog", "--task", "T-1")
    shell.ok("edit", "app.py", "--old", "y = 2", "--new", "y = 3")
    assert shell.run("edit", "app.py", "--old", "absent", "--new", "x").exit_code == 10
    return shell


@table(
    ("kind", "arguments"),
    [
        ("bad-request", ("stats", "--since", "yesterday")),
        ("bad-request", ("stats", "--since", "2026-13-01")),
        ("no-such-file", ("stats", "--since", "abcdefabcdef")),
        ("disk-refused", ("stats", "--html", "no/such/folder/x.html")),
        ("disk-refused", ("stats", "--html", ".")),
        ("bad-request", ("stats", "--html", "x.html/")),
        ("disk-refused", ("stats", "--html", "a\0b")),
        ("protected-path", ("stats", "--html", ".steadyhand/journal.sqlite")),
        ("read-only", ("stats", "--read-only", "--html", "x.html")),
        ("read-only", ("stats", "--mode", "analyze", "--html", "x.html")),
    ],
)
def test_what_cannot_be_counted_or_written_is_refused(busy: Shell, kind: str, arguments: tuple[str, ...]) -> None:
    assert busy.kind(*arguments) == kind


def test_nothing_recorded_is_an_answer_and_leaves_no_trace(shell: Shell) -> None:
    assert shell.ok("stats") == "no calls recorded\n"
    assert shell.json("stats")["statistics"]["calls"] == 0
    assert not (shell.root / ".steadyhand").exists()


def test_the_figures_and_a_bar_for_each_name(busy: Shell) -> None:
    answer = busy.ok("stats")
    assert "3  2 applied, 1 refused" in answer
    assert "first try" in answer
    assert re.search(r"^cli +█+▒+ +2 \+ 1  first try 100 %$", answer, re.MULTILINE)
    for words in ("Calls by tool", "Calls by model", ".md", ".py", "exact", "no-match", "edited"):
        assert words in answer
    assert "\x1b" not in answer
    assert "\x1b[32m█" in busy.ok("stats", "--color", "always")


def test_the_document_holds_every_number(busy: Shell) -> None:
    found = busy.json("stats")["statistics"]
    assert (found["calls"], found["applied"], found["refused"], found["retries"]) == (3, 2, 1, 0)
    assert found["firstTry"] == {"calls": 2, "applied": 2, "rate": 1.0}
    assert found["refusals"] == {"no-match": 1}
    assert found["adoption"] == {"edited": 2, "rewritten": 0, "created": 0, "share": 1.0}
    assert [each["name"] for each in found["fileTypes"]] == [".py", ".md"]


def test_one_task_one_tool_and_a_time_can_be_asked_for(busy: Shell) -> None:
    def calls(*arguments: str) -> int:
        number = busy.json(*arguments)["statistics"]["calls"]
        assert isinstance(number, int)
        return number

    first = busy.json("log", "--task", "T-1")["entries"][0]
    assert calls("stats", "--task", "T-1") == calls("--task", "T-1", "stats") == 1
    assert calls("stats", "--tool", "cli") == 3
    assert calls("stats", "--tool", "edit") == 0
    assert calls("stats", "--since", first["id"]) == calls("stats", "--since", str(first["seq"])) == 2
    assert (
        calls("stats", "--since", "1d")
        == calls("stats", "--since", "2026-01-01")
        == calls("stats", "--since", "999999w")
        == 3
    )
    assert calls("stats", "--since", "2999-01-01T10:00+02:00") == 0


@table("width", [40, 60, 80, 120, 200])
@table("blocks", [True, False])
def test_no_line_is_wider_than_the_terminal(width: int, blocks: bool) -> None:
    found = made(**{"a tool with a very long name indeed, or so it seems": tally(1_000_000, 1), "b": tally(1, 0)})
    lines = list(paint(stats_lines(found, width=width, blocks=blocks), color=False))
    assert max(map(cells, lines)) <= width
    assert all(character not in "\n".join(lines) for character in "\x1b\u202e")
    drawn = next(line for line in lines if line.startswith("a tool"))
    assert ("▒" if blocks else "-") in drawn, "what is not nothing is drawn"
    assert blocks or "█" not in "".join(lines)


def test_many_names_are_one_bar_in_the_end() -> None:
    found = made(**{f"tool {number}": tally(number + 1, 1) for number in range(30)})
    bars = charts_of(found)[0].bars
    assert len(bars) == 12
    assert bars[-1].label == "(19 others)"
    assert sum(bar.total for bar in bars) == sum(each.calls for each in found.tools.values())


@table(
    ("share", "shown"),
    [(None, "none"), (0.0, "0 %"), (1.0, "100 %"), (0.99999, "99.9 %"), (0.00001, "0.1 %"), (2 / 3, "66.7 %")],
)
def test_a_share_that_is_not_all_never_looks_like_all(share: float | None, shown: str) -> None:
    assert percent(share) == shown


class Page(HTMLParser):
    """The tags of a page, what they refer to, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_needs_nothing_and_runs_nothing() -> None:
    page = Page(render_page(made(), title=EVIL))
    assert not set(page.tags) & {"script", "img", "iframe", "object", "foreignobject", "a", "b"}
    names = {name for name, value in page.attributes if (name, value) != ("href", "data:,")}  # no icon is asked for
    assert not {name for name in names if name.startswith("on") or name in ("src", "href", "style", "xlink:href")}
    policy = next(str(value) for name, value in page.attributes if name == "content" and "default-src" in str(value))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    words = "".join(page.words)
    assert "url(" not in words
    assert "@import" not in words
    assert "prefers-color-scheme: dark" in words
    assert "\\x1b[31m\\u202egpj" in words
    assert not any(character in words for character in "\x1b\u202e")


def test_the_style_of_the_page_is_the_one_that_its_policy_allows() -> None:
    import base64
    import hashlib

    text = render_page(made(), title="t")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"sha256-{digest}" in text.replace("&#x27;", "'")


def test_page_and_picture_are_written_where_the_caller_says(busy: Shell, tmp_path: Path) -> None:
    page, picture = tmp_path / "stats.html", busy.root / "stats.png"
    page.write_text("old", encoding="utf-8")
    page.chmod(0o640)
    document = busy.json("stats", "--html", str(page), "--png", "stats.png")
    assert document["files"] == [str(page), "stats.png"]
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert page.stat().st_mode & 0o777 == 0o640
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert not list(tmp_path.glob(".*")), "nothing unfinished is left"
    assert busy.json("log")["entries"][0]["files"][0]["path"] != "stats.png", "it is no change of the workspace"
    assert busy.ok("stats", "--html", str(page)) == f"wrote {page}\n"


def test_a_link_is_written_through_and_a_pipe_as_it_is(busy: Shell, tmp_path: Path) -> None:
    target = tmp_path / "target.html"
    link = tmp_path / "link.html"
    link.symlink_to(target)
    busy.ok("stats", "--html", str(link))
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8").endswith("</html>\n")
    busy.ok("stats", "--html", "/dev/null")


def test_a_picture_of_strange_names_is_drawn() -> None:
    names = {EVIL: tally(3, 1), "$\\frac{1}$": tally(1), "字": tally(2)}
    assert render_picture(made(**names), title=EVIL).startswith(b"\x89PNG")
    assert render_picture(Statistics(), title="empty").startswith(b"\x89PNG")


def test_without_matplotlib_the_way_to_install_it_is_reported(busy: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *more: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *more)

    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", missing)
    error = busy.refused("stats", "--html", "x.html", "--png", "x.png")
    assert error["kind"] == "not-installed"
    assert "pip install 'steadyhand[plot]'" in error["hint"]
    shown = busy.run("stats", "--png", "x.png").stderr
    assert f"hint: {installation().how_to_add('plot')}; or use --html" in shown


def test_counting_changes_nothing(busy: Shell) -> None:
    before = busy.tree()
    with sh.Workspace(busy.root) as ws:
        head = ws._store.journal.head()
    busy.ok("stats")
    busy.ok("stats", "--read-only")
    with sh.Workspace(busy.root) as ws:
        assert ws._store.journal.head() == head
    assert busy.tree() == before


def test_the_table_has_intervals_and_two_periods_can_be_compared(busy: Shell) -> None:
    answer = busy.ok("stats", "--by", "tool,type")
    assert re.search(r"^tool +file type +calls +first try +95 % +in the end", answer, re.MULTILINE)
    assert re.search(r"^cli +\.py +2 +100 % \(1/1\) +21–100 +100 %", answer, re.MULTILINE)
    document = busy.json("stats", "--by", "tool")
    assert document["statistics"]["by"] == ["tool"]
    (row,) = document["statistics"]["table"]
    assert row["key"] == {"tool": "cli"}
    assert row["firstShare"] == {"count": 2, "of": 2, "rate": 1.0, "low": 0.3424, "high": 1.0}
    first = busy.json("log", "--task", "T-1")["entries"][0]["id"]
    compared = busy.json("stats", "--since", first, "--compare", "1d")
    assert compared["statistics"]["calls"] == 2
    assert compared["compared"]["calls"] == 1
    assert "not shown to differ" in busy.ok("stats", "--since", first, "--compare", "1d", "--by", "tool")
    assert busy.json("stats", "--until", first)["statistics"]["calls"] == 1
    assert busy.kind("stats", "--compare", "1d") == "bad-request"
    assert busy.kind("stats", "--by", "colour") == "bad-request"


def test_the_page_has_the_table_and_what_changed(busy: Shell, tmp_path: Path) -> None:
    file = tmp_path / "stats.html"
    first = busy.json("log", "--task", "T-1")["entries"][0]["id"]
    busy.ok("stats", "--html", str(file), "--since", first, "--compare", "1d")
    page = Page(file.read_text(encoding="utf-8"))
    assert page.tags.count("table") == 2
    assert "circle" in page.tags
    assert "21–100" in "".join(page.words)
    assert not {name for name, value in page.attributes if value != "data:,"} & {"src", "href", "style"}
