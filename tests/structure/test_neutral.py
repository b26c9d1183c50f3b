"""What is proven about a change from its surroundings: never more than a full check finds, and enough to be of use."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand import Kind, Replace
from steadyhand.structure.format import SMALL, Fault, format_of
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice
from tests.checks import check_refused
from tests.sampling import examples
from tests.structure.neutral_changes import is_broken, is_proven, wrong_proofs
from tests.table import table

_PYTHON = '''from __future__ import annotations

import os

TEXT = """
def quoted(a):
    return a
"""


class Reader:
    """Reads what is there."""

    def read(self, path, limit):
        """Read a file."""
        rows = []
        for row in open(path):
            rows.append(row)
        return rows[:limit]

    @property
    def first(self):
        return self.read("a", 1)


def count(path):
    global total
    total = 0
    try:
        total = len(path)
    except TypeError:
        total = 1
    return total


async def wait(task):
    await task
'''
_SCRIPT = """import { read } from './read';

const text = `
export function quoted(a) {
  return a;
}
`;

export function count(path: string): number {
  const rows = read(path);
  if (rows.length > 3) {
    return 3;
  } else {
    rows.pop();
  }
  return rows.length;
}

export class Counter {
  total = 0;

  add(more: number): void {
    this.total += more;
  }
}
"""
_JSON = """{
  "name": "a thing",
  "size": 12,
  "tags": ["a", "b"],
  "inner": {
    "is_old": true,
    "note": null
  },
  "values": [
    1,
    2,
    3
  ]
}
"""
_YAML = """name: a thing
size: 12
title: "A title"
inner:
  one: words
  two: other words
  list:
    - first
    - last
noted: 7   # by "Ada"
text: |
  one: words
  two: other words
long: words that
  go on
"""
_TEXTS = {".py": _PYTHON, ".ts": _SCRIPT, ".json": _JSON, ".yaml": _YAML}

# What breaks a text though every line of it looks right by itself; and what cannot be seen from nearby.
_UNPROVEN = [
    (".py", "        return rows[:limit]\n", "        return rows[:limit\n"),
    (".py", "    def read(self, path, limit):\n", "    def read(self, path, path):\n"),
    (".py", "    def first(self):\n        return", "    x = 1\n    y ="),
    (".py", "    try:\n", "    if path:\n"),
    (".py", "    return total\n", "  return total\n"),
    (".py", "    global total\n    total = 0\n", "    total = 0\n    global total\n"),
    (".py", "def count(path):\n", "def count(total):\n"),
    (".py", "import os\n", "import os\nfrom __future__ import division\n"),
    (".py", "from __future__ import annotations\n\nimport os\n", "import os\nfrom __future__ import annotations\n"),
    (".py", "async def wait", "def wait"),
    (".py", '"""Read a file."""', '"""Read a file.'),
    (".py", "def quoted(a):\n    return a\n", 'def quoted(a):\n    """Doc."""\n    return a\n'),
    (".py", "        rows = []\n", "        nonlocal rows\n        rows = []\n"),
    (".ts", "    return 3;\n  } else {\n", "    return 3;\n  } else\n"),
    (".ts", "  const rows = read(path);\n", "  }\n  {\n  const rows = read(path;\n"),
    (".ts", "  return a;\n", "  return `a`;\n"),
    (".ts", "    rows.pop();\n", "    } else {\n    rows.pop();\n"),
    (".ts", "    this.total += more;\n", "    this.total += ;\n"),
    (".json", '  "size": 12,\n', '  "size": 12\n'),
    (".json", '  "size": 12,\n', '  "size": 012,\n'),
    (".json", '    "note": null\n', '    "note": null,\n    3\n'),
    (".json", "    2,\n    3\n", '    2,\n    "a": 3\n'),
    (".yaml", "  one: words\n  two: other words\n  list", "  one: words\n  two: *other\n  list"),
    (".yaml", 'title: "A title"\n', 'title: "A title\n'),
    (".yaml", "long: words that\n", 'long: "words that"\n'),
    (".yaml", "  list:\n", "  list: words\n"),
    (".yaml", "size: 12\n", "size: 12\n  more: 1\n"),
    (".yaml", 'noted: 7   # by "Ada"\n', 'noted: 7   # by "Ada\n'),
]
_PROVEN = [
    (".py", "        return rows[:limit]\n", "        found = rows[:limit]\n        return {'all': found}\n"),
    (".py", "        total = len(path)\n", "        total = len(os.fspath(path))\n"),
    (".py", "            rows.append(row)\n", "            if row:\n                rows.append(row)\n"),
    (".py", '"""Read a file."""', '"""Read all of a file."""'),
    (".py", "    await task\n", "    return await task\n"),
    (".py", "import os\n", "import os\nimport sys\n"),
    (".ts", "    return 3;\n", "    return [3, 4].length;\n"),
    (".ts", "    this.total += more;\n", "    this.total += more;\n    this.last = { more };\n"),
    (".ts", "  total = 0;\n", "  total = 0;\n  last?: { more: number };\n"),
    (".json", '"a thing"', '"another thing"'),
    (".json", '  "size": 12,\n', '  "size": {"from": 1, "to": 2},\n  "kind": "x",\n'),
    (".json", "    2,\n    3\n", "    2,\n    3,\n    4\n"),
    (".yaml", "name: a thing\n", "name: another thing\n"),
    (".yaml", "  one: words\n  two: other words\n  list", "  one: words\n  three: 3\n  two: 2\n  list"),
    (".yaml", "    - first\n    - last\n", "    - first\n    - second\n    - last\n"),
    (".yaml", "  two: other words\n  list", "  list"),
    (".yaml", "noted: 7 ", "noted: 12 "),
]


def _splice(suffix: str, old: str, new: str) -> Splice:
    assert _TEXTS[suffix].count(old) == 1
    return Splice(_TEXTS[suffix].index(old), old, new)


@table(("suffix", "old", "new"), _UNPROVEN)
def test_what_may_break_a_text_is_not_proven(suffix: str, old: str, new: str) -> None:
    known = format_of(f"x{suffix}")
    assert known is not None
    assert not is_proven(known, _TEXTS[suffix], _splice(suffix, old, new))


@table(("suffix", "old", "new"), _PROVEN)
def test_usual_changes_are_proven(suffix: str, old: str, new: str) -> None:
    known = format_of(f"x{suffix}")
    assert known is not None
    text, splice = _TEXTS[suffix], _splice(suffix, old, new)
    assert not is_broken(known, suffix, text)
    assert is_proven(known, text, splice)
    assert not is_broken(known, suffix, text[: splice.start] + new + text[splice.end :])


@pytest.mark.parametrize("suffix", [".py", ".ts", ".tsx", ".js", ".json", ".yaml", ".toml", ".md"])
@examples(8)
@given(seed=st.integers(0, 2**32))
def test_what_is_proven_is_what_the_full_check_finds(suffix: str, seed: int) -> None:
    for _, _, wrong in wrong_proofs(suffix, random.Random(seed)):
        assert wrong is None
        break


def test_a_text_beyond_the_compiler_is_proven_as_a_small_one_is() -> None:
    """The grammar judges such a text as a whole, which takes long; what is proven must still be what Python takes."""
    known = format_of("x.py")
    assert known is not None
    above = f"# {'more ' * 20}\n" * 11_000
    start = len(_PYTHON.partition("import os\n")[0])
    for suffix, old, new in [*_PROVEN, *_UNPROVEN]:
        if suffix != ".py" or _PYTHON.index(old) <= start:
            continue
        text = _PYTHON[:start] + above + _PYTHON[start:]
        assert len(text) > 1_000_000
        splice = Splice(text.index(old), old, new)
        assert is_proven(known, text, splice) == ((suffix, old, new) in _PROVEN)
        if (suffix, old, new) in _PROVEN:
            compile(text[: splice.start] + new + text[splice.end :], "x.py", "exec")


def test_a_comment_above_a_future_import_is_proven_and_a_statement_is_not() -> None:
    known = format_of("x.py")
    assert known is not None
    text = f"# A note.\n\n{_PYTHON}"
    assert is_proven(known, text, Splice(2, "A note.", "Another 'note'."))
    assert is_proven(known, text, Splice(0, "# A note.\n", ""))
    assert not is_proven(known, text, Splice(0, "# A note.\n", "x = 1\n"))


def test_a_declaration_that_leaves_its_function_is_not_proven() -> None:
    known = format_of("x.py")
    assert known is not None
    text = "total = 0\n\n\ndef count(path):\n    size = len(path)\n    global total\n    total = size\n"
    splice = Splice(text.index("    global"), "", "if text:\n")
    assert is_broken(known, ".py", text.replace("    global", "if text:\n    global"))
    assert not is_proven(known, text, splice)


def _long(suffix: str) -> str:
    """A text that is long enough for proofs, with something in it that is once."""
    text = _TEXTS[suffix]
    if suffix == ".json":
        rows = "".join(f'  "more{number}": {number},\n' for number in range(400))
        return text.replace("{\n", "{\n" + rows, 1)
    more = {".py": "def more_{}(a):\n    return a\n", ".ts": "export const more{} = 1;\n", ".yaml": "more_{}: 1\n"}[
        suffix
    ]
    return text + "".join(more.format(number) for number in range(400))


@table(("suffix", "old", "new"), _UNPROVEN, every=4)
def test_a_long_file_is_refused_as_a_full_check_says(suffix: str, old: str, new: str) -> None:
    text = _long(suffix)
    assert len(text) > SMALL
    known = format_of(f"x{suffix}")
    assert known is not None
    assert not is_broken(known, suffix, text)
    if not is_broken(known, suffix, text.replace(old, new, 1)):
        assert sh.edit(text, Replace(old, new), path=f"x{suffix}").text == text.replace(old, new, 1)
        return
    error = check_refused(text, Replace(old, new), Kind.BREAKS_SYNTAX, path=f"x{suffix}")
    assert known.fault is not None
    fault = known.fault(Source.of_text(text.replace(old, new, 1), path=f"x{suffix}"))
    assert isinstance(fault, Fault)
    assert (error.details["line"], error.details["problem"]) == (fault.line, fault.message)


@table(("suffix", "old", "new"), _PROVEN)
def test_what_is_proven_is_not_looked_at_as_a_whole(suffix: str, old: str, new: str) -> None:
    """A fault far away shows whether the whole text was parsed: then it would be warned of."""
    text = _long(suffix) + "\n)]} :\n  - {\n"
    known = format_of(f"x{suffix}")
    assert known is not None
    assert is_broken(known, suffix, text)
    result = sh.edit(text, Replace(old, new), path=f"x{suffix}")
    assert result.text == text.replace(old, new, 1)
    assert not result.warnings


def test_of_markdown_only_the_front_matter_is_looked_at() -> None:
    text = "---\ntitle: [a\nkind: note\n---\n\n# Title\n\nSome text.\n" + "More of it.\n" * 400
    assert not sh.edit(text, Replace("Some text", "Some words"), path="x.md").warnings
    assert sh.edit(text, Replace("kind: note", "kind: page"), path="x.md").warnings
    broken = text.replace("[a", "a")
    check_refused(broken, Replace("title: a", "title: [a"), Kind.BREAKS_SYNTAX, path="x.md")


def test_edits_of_several_places_are_proven_one_after_another() -> None:
    text = _long(".py") + "\n)]} :\n"
    edits = [Replace("total = len(path)", "total = len(path) + 1"), Replace("await task", "return await task")]
    assert not sh.edit(text, edits, path="x.py").warnings
    assert sh.edit(text, [*edits, Replace("    try:\n", "    if path:\n")], path="x.py").warnings


def test_a_short_file_that_is_broken_is_warned_of() -> None:
    result = sh.edit(_PYTHON + "\n)\n", Replace("await task", "return await task"), path="x.py")
    assert "did not parse before" in result.warnings[0]


def test_of_a_file_that_is_not_short_only_what_is_around_the_change_is_looked_at() -> None:
    more = "".join(f"def more_{number}(a):\n    return a\n" for number in range(20))
    result = sh.edit(f"{_PYTHON}\n\n{more}\n)\n", Replace("await task", "return await task"), path="x.py")
    assert result.ok
    assert not result.warnings
