"""No text costs a parser more than in proportion to its length, whatever its format and its shape."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import steadyhand as sh
from steadyhand.structure.code.python import is_bounded
from steadyhand.structure.format import Fault, Unchecked, format_of
from steadyhand.text.source import Source
from tests.hostile.bombs import SHAPES, check_linear
from tests.table import table

SIZE = int(os.environ.get("STEADYHAND_BOMB", "8000"))


@pytest.fixture(scope="module")
def costs() -> dict[str, list[int | None]]:
    run = subprocess.run(
        [sys.executable, "-m", "tests.hostile.bombs", str(SIZE)], capture_output=True, text=True, check=True
    )
    found: dict[str, list[int | None]] = json.loads(run.stdout)
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("name", SHAPES)
def test_memory_grows_with_the_length_of_a_text_and_no_faster(name: str, costs: dict[str, list[int | None]]) -> None:
    check_linear(*costs[name], SIZE)


def test_a_file_beyond_the_bounds_is_edited_as_text_and_says_that_its_syntax_was_not_checked() -> None:
    for path, bomb in {
        "d.toml": "a" + ".a" * 20_000 + " = 1\n",
        "d.json": "[" * 5_000 + "]" * 5_000 + "\n",
        "d.yaml": "a: " + "[" * 5_000 + "]" * 5_000 + "\n",
        "d.py": "x = " + "(" * 5_000 + ")" * 5_000 + "\n",
        "d.go": "// " + "x" * 4_000_001 + "\n",
    }.items():
        text = bomb + ("// old text\n" if path == "d.go" else "# old text\n")
        result = sh.edit(text, [sh.Replace("old text", "new text")], path=path)
        assert result.text == text.replace("old text", "new text")
        notes = [note for note in result.warnings if "not checked" in note]
        assert len(notes) == 1, (path, result.warnings)


def test_python_beyond_the_bounds_of_the_compiler_is_judged_by_its_grammar() -> None:
    known = format_of("a.py")
    assert known is not None
    assert known.fault is not None
    chain = "x = a" + ".a" * 3_000 + "\n"
    assert not is_bounded(chain)
    assert known.fault(Source.of_text(chain, path="a.py")) is None
    assert isinstance(known.fault(Source.of_text(chain + "def f(:\n", path="a.py")), Fault)


@table("chain", ["+1", ".a", "()", "[0]", "(1, 2)", " if a else b", " and not a", "**2"])
def test_what_the_compiler_is_given_never_exhausts_its_stack(chain: str) -> None:
    longest = next(n for n in range(100, 5_000, 50) if not is_bounded(f"# {'x' * 5_000}\nx = a{chain * n}\n")) - 50
    text = f"x = a{chain * longest}\n"
    child = [sys.executable, "-c", "import sys; compile(sys.stdin.read(), '<text>', 'exec')"]
    ran = subprocess.run(child, input=text, capture_output=True, text=True, check=False)  # it could end this process
    assert ran.returncode == 0, ran.stderr[-2_000:]


def test_a_deep_text_is_unchecked_and_no_fault() -> None:
    known = format_of("a.toml")
    assert known is not None
    assert known.fault is not None
    assert isinstance(known.fault(Source.of_text("a" + ".a" * 500 + " = 1\n", path="a.toml")), Unchecked)
