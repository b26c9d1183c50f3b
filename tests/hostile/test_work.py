"""Inputs for which one rule or another may do its work again and again: each is done inside a budget of processor time.

Nothing here is timed. As in `test_matching_cost.py`, a child process gets a limit that work in proportion to its input
does not come near, and the operating system ends one that goes through it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.articles.attention import read_article
from steadyhand.articles.mentions import names_in
from steadyhand.structure.code.language import languages
from steadyhand.structure.code.python import python_fault
from steadyhand.structure.page import read_page_facts
from tests.table import table

ROOT = Path(__file__).parents[2]
SECONDS = 60


def tags_that_are_not_closed() -> None:
    assert not sh.patch("a\n", "<source>\n" * 30_000, path="a.txt").ok


def hunks_with_many_blank_lines() -> None:
    text = "".join(f"line {number} of the text\n\n" for number in range(5_000)) + "end\n"
    rows = "".join(f" line {number}  of the text\n \n+\n" for number in range(5_000))
    assert sh.patch(text, f"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n{rows}-end\n+END\n", path="a.txt").ok


def one_line_made_two_in_thousands_of_places() -> None:
    text = "def f():\n{}    return x\n"
    edit = sh.Replace("x = load(1)", "x = load(1)\ny = 2", occurrence="all")
    result = sh.edit(text.format("    x = load(1)\n" * 2_500), [edit], path="a.py")
    assert result.text == text.format("    x = load(1)\n    y = 2\n" * 2_500)


def rows_quoted_half_wrong_in_a_long_log() -> None:
    rows = [f"12:00:{number % 60:02d} INFO worker-{number % 97} request {number} done\n" for number in range(400_000)]
    quoted = "".join(rows[200_000:200_300:2]).replace("INFO", "NOTE") + rows[200_300]
    result = sh.edit(
        "".join(rows), [sh.Replace(quoted, quoted.replace(" 200300 done", " 200300 failed"))], path="a.log"
    )
    assert not result.ok


def conflicts_in_a_long_file() -> None:
    root = Path(tempfile.mkdtemp())
    (root / "a.txt").write_text("".join(f"line {number} is {number} and so on\n" for number in range(12_000)))
    with sh.Workspace(root, actor="a", task="A") as mine, sh.Workspace(root, actor="b", task="B") as theirs:
        mine.read("a.txt")
        numbers = range(10, 410, 10)
        theirs.edit("a.txt", [sh.Replace(f"{n} is {n} and", f"{n} is {n}0 and") for n in numbers])
        edits = [sh.Replace(f"line {n} is {n} and", f"line {n} is 7 and") for n in numbers]
        with pytest.raises(sh.EditError, match="after you last read it"):
            mine.edit("a.txt", edits)
        mine.edit("a.txt", edits, policy=sh.Policy(on_conflict="force"))
    assert (root / "a.txt").read_text().count(" is 7 and") == len(numbers) + 1


def a_change_of_many_places_undone_over_another() -> None:
    root, numbers = Path(tempfile.mkdtemp()), range(2, 8_000, 2)
    (root / "a.txt").write_text("".join(f"line {number} = {number} and so on\n" for number in range(8_001)))
    with sh.Workspace(root) as ws:
        first = ws.edit("a.txt", [sh.Replace(f"line {n} = {n} and", f"line {n} = {n}.5 and") for n in numbers])
        ws.edit("a.txt", [sh.Replace(f"line {n + 1} = ", f"line {n + 1} = 9") for n in numbers])
        ws.undo(first.id)
    assert ".5" not in (root / "a.txt").read_text()


def comparisons_that_may_be_type_arguments() -> None:
    for piece in ("a<=>", "a<{", "a<{a{", "a<b,"):
        text = piece * (200_000 // len(piece))
        for cover in languages()["typescript"].unread:
            assert len(cover(text)) == len(text)


def branches_inside_a_branch() -> None:
    text = "#if A\n" + "#if B\nint x;\n#endif\n" * 80_000 + "#endif\n"
    assert len(languages()["csharp"].unread[0](text)) == len(text)


def strings_of_python_that_are_not_closed() -> None:
    for piece in ('"\\', "'''", '"""\\', "'a"):
        assert python_fault(piece * (400_001 // len(piece))) is not None


def pages_made_of_marks() -> None:
    pieces = ("[a](b) ", "[", "![](", '<a href="x">', "id=", "```python\nx\n```\n", "_", "--a", "a.", "/", "<!--", "|a")
    for piece in pieces:
        text = piece * (200_000 // len(piece))
        for name in ("a.md", "a.html"):
            read_page_facts(name, text)
            read_article(name, text)
        assert sum(1 for _ in names_in(text)) <= len(text)


WORK: tuple[Callable[[], None], ...] = (
    tags_that_are_not_closed,
    hunks_with_many_blank_lines,
    one_line_made_two_in_thousands_of_places,
    rows_quoted_half_wrong_in_a_long_log,
    conflicts_in_a_long_file,
    a_change_of_many_places_undone_over_another,
    comparisons_that_may_be_type_arguments,
    branches_inside_a_branch,
    strings_of_python_that_are_not_closed,
    pages_made_of_marks,
)

CHILD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[2]),) * 2)
from tests.hostile import test_work
getattr(test_work, sys.argv[1])()
"""


@table("work", WORK, ids=lambda work: work.__name__, every=12)
def test_the_work_is_in_proportion_to_the_input(work: Callable[[], None]) -> None:
    child = [sys.executable, "-c", CHILD, work.__name__, str(SECONDS)]
    done = subprocess.run(child, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
