"""Threads that edit and guard at once get their own answers, and what belongs to the whole process stays as it was."""

from __future__ import annotations

import contextlib
import locale
import os
import random
import sys
import sysconfig
import warnings
from pathlib import Path

import steadyhand as sh
from steadyhand.structure.code.python import python_fault
from tests.concurrency.crew import THREADS, together
from tests.sampling import EXAMPLES
from tests.table import table

# What the compiler warns of and takes all the same.
WARNED = [
    'x = "\\d"\n',
    'x = b"\\d"\n',
    'x = f"\\d{1}"\n',
    'x = """\n\\w"""\n',
    "y = x is 1\n",
    'y = f(x) is not "a"\n',
    "y = 1 is x\n",
    "y = -1 is x\n",
    "y = (1, 2) is x\n",
    'assert (x, "why")\n',
    "y = [(1, 2) (3, 4)]\n",
    'y = "a" ("b")\n',
    'y = [1, 2]["a"]\n',
    "y = (1)[0]\n",
    "y = (i for i in x)[0]\n",
    "y = {1: 2}(3)\n",
]


@table("text", WARNED)
def test_what_the_compiler_only_warns_of_is_no_fault_whatever_becomes_of_warnings(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert python_fault(text) is None
        for broken in (text + "x = (\n", text + "return 1\n", text + "x = \\d\n"):
            fault = python_fault(broken)
            assert fault is not None
            assert fault.line == broken.count("\n")


def test_the_verdict_is_the_compilers_on_real_files_and_broken_ones() -> None:
    chance = random.Random(15)
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    for file in chance.sample(files, max(EXAMPLES // 5, 20)):
        text = file.read_text("utf-8")
        at = chance.randrange(len(text))
        put = chance.choice(["", "(", ")", " is 1 ", "\\d", "'", "\n", "return ", "\\", '"a"(1)', '[1]["x"]'])
        for each in (text, text[:at] + put + text[at + chance.randrange(3) :]):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = python_fault(each)
            assert (found is None) == _compiles(each), (file, at, put, found)


def _compiles(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(SyntaxError, ValueError):
            compile(text, "<text>", "exec", dont_inherit=True)
            return True
    return False


FILES: list[tuple[str, str, sh.Replace, str | None]] = [
    ("a.py", 'x = "\\d"\ny = x is 1\nz = 1\n', sh.Replace("z = 1", "z = 2"), None),
    ("b.py", 'x = "\\d"\nz = 1\n', sh.Replace("z = 1", "z = (2"), "breaks-syntax"),
    ("c.js", "const a = 1;\nfunction f() { return a; }\n", sh.Replace("a = 1", "a = 2"), None),
    ("d.json", '{"a": 1, "b": [1, 2]}\n', sh.Replace(sh.Key("a"), "2"), None),
    ("e.yaml", "a: 1\nb:\n  - 1\n", sh.Replace(sh.Key("a"), "2"), None),
    ("f.html", "<div><p id='x'>one</p></div>\n", sh.Replace(sh.Selector("#x"), "<p id='x'>two</p>"), None),
    ("g.md", "# One\n\ntext\n\n# Two\n\nmore\n", sh.Replace(sh.Heading("Two"), "other\n"), None),
    ("h.toml", "a = 1\n[b]\nc = 2\n", sh.Replace(sh.Key("a"), "2"), None),
    ("i.txt", "one\ntwo\n", sh.Replace("nowhere at all", "x"), "no-match"),
]


def test_threads_that_edit_and_guard_at_once_get_their_own_answers(tmp_path: Path) -> None:
    alone = {name: _answer(text, edit, name) for name, text, edit, _ in FILES}
    for name, _, _, kind in FILES:
        assert alone[name][1] == kind, name

    def work(number: int) -> None:
        chance = random.Random(number)
        for turn in range(12):
            name, text, edit, _ = chance.choice(FILES)
            assert _answer(text, edit, name) == alone[name], (number, turn, name)

    before = _process()
    together(work)
    assert _process() == before


def test_threads_that_share_a_workspace_leave_the_process_as_it_was(tmp_path: Path) -> None:
    for number in range(THREADS):
        (tmp_path / f"{number}.py").write_text('x = "\\d"\nn = 0\n')
    with sh.Workspace(tmp_path) as ws:
        ws.edit("0.py", [sh.Replace("x =", "y =")])
        before = _process()

        def work(number: int) -> None:
            for turn in range(6):
                ws.edit(f"{number}.py", [sh.Replace(f"n = {turn}", f"n = {turn + 1}")])

        together(work)
        assert _process() == before
    assert all((tmp_path / f"{number}.py").read_text().endswith("n = 6\n") for number in range(THREADS))


def _answer(text: str, edit: sh.Replace, name: str) -> tuple[str, str | None]:
    result = sh.edit(text, [edit], path=name)
    error = result.error
    assert isinstance(result.text, str)
    return result.text, None if error is None else str(error.kind)


def _process() -> tuple[object, ...]:
    """What is one thing for all threads of a process."""
    return (
        list(warnings.filters),
        warnings.showwarning,
        os.getcwd(),
        dict(os.environ),
        locale.setlocale(locale.LC_ALL),
        sys.getrecursionlimit(),
        Path("/proc/self/status").read_text().partition("Umask:")[2].split()[:1],
        sys.stdout,
        sys.stderr,
    )
