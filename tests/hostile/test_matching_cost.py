"""Inputs that make a search explode: each ends with an answer inside a budget of processor time.

Nothing here is timed. A child process gets a limit that a search in proportion to its input does not come near, even on
a slow and busy machine, and the operating system ends one that goes through it; the outcome is what is asserted.

`STEADYHAND_SCALE=10` makes the large texts as large as they are named: 10 MB of one line, a line of 50 MB.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.table import table

ROOT = Path(__file__).parents[2]
SCALE = int(os.environ.get("STEADYHAND_SCALE", "1"))
SECONDS = 60 * SCALE

Made = tuple[str, str, str]

LINE = "    result = compute(value, other)  # again\n"
NEAR = "".join(
    f"    row_{number % 10} = load(table, {number})\n    check(row_{number % 10})\n" for number in range(30_000)
)


def _nested(depth: int) -> str:
    return "".join("  " * level + f"level_{level}:\n" for level in range(depth))


def _wide(count: int) -> str:
    return "".join(f"value_{number} = {{'key': [{number}, 'text {number}']}}\n" for number in range(count))


ABSENT: set[str | None] = {"no-match", "drift-conflict"}
REFUSED = ABSENT | {"ambiguous-match"}

# name: the text before, the old text and the new text, and the kinds it may end with; None: it is applied
SHAPES: dict[str, tuple[Callable[[], Made], set[str | None]]] = {
    "10 MB of one line, asked for once more indented": (
        lambda: (LINE * 24_000 * SCALE, "\t" + LINE.strip() + "\n", "x\n"),
        {"ambiguous-match"},
    ),
    "10 MB of one line, absent in one character": (
        lambda: (LINE * 24_000 * SCALE, LINE.replace("compute", "compvte"), "x\n"),
        REFUSED,
    ),
    "10 MB of one line, three of them and another": (
        lambda: (LINE * 24_000 * SCALE, LINE * 3 + "other()\n", "x\n"),
        REFUSED,
    ),
    "10 MB of one line and one that differs, quoted with noise": (
        lambda: (
            LINE * 12_000 * SCALE + "    here = 1\n" + LINE * 12_000 * SCALE,
            LINE.replace("  #", " #") + "    here = 1\n" + LINE,
            LINE.replace("  #", " #") + "    here = 2\n" + LINE,
        ),
        {None, "ambiguous-match"},
    ),
    "100,000 lines quoted, none there": (
        lambda: (LINE * 50_000, _wide(10_000 * SCALE), "x\n"),
        {"no-match"},
    ),
    "100,000 lines quoted with blanks at their ends": (
        lambda: (_wide(10_000 * SCALE), _wide(10_000 * SCALE).replace("\n", " \n"), "x\n"),
        {None, "no-match", "too-large"},
    ),
    "100,000 lines quoted with one wrong": (
        lambda: (_wide(10_000 * SCALE), _wide(10_000 * SCALE).replace("text 5000'", "text fifty'"), "x\n"),
        {None, "no-match", "drift-conflict", "too-large"},
    ),
    "30,000 equal lines quoted, one fewer there": (
        lambda: (LINE * (3_000 * SCALE - 1), LINE * (3_000 * SCALE), "x\n"),
        ABSENT,
    ),
    "one line of 50 MB, absent": (
        lambda: ("let a=1;" * 625_000 * SCALE, "let b=2;", "x"),
        {"no-match", "ambiguous-match"},
    ),
    "one line of 50 MB, quoted with blanks": (
        lambda: ("let a=1;" * 312_500 * SCALE + "let b=2;" + "let a=1;" * 312_500 * SCALE, "let  b=2;", "let b=3;"),
        {None, "no-match"},
    ),
    "one long line quoted whole with one blank more": (
        lambda: ("let a = 1;" * 100_000, "let  a = 1;" + "let a = 1;" * 99_999, "x"),
        {None, "no-match", "drift-conflict", "too-large"},
    ),
    "thousands of near places": (
        lambda: (NEAR, "    row_5 = load(tables, 15)\n    check(row_5)\n", "    pass\n"),
        REFUSED,
    ),
    "thousands of near places, a long quotation": (
        lambda: (NEAR, NEAR[: NEAR.index("load(table, 40)")].replace("check", "verify") + "1)\n", "    pass\n"),
        REFUSED,
    ),
    "thousands of equal places, elided": (
        lambda: (
            "begin()\nstep()\nend()\n" * 20_000,
            "begin()\n# ... existing code ...\nend()\n",
            "begin()\n# ... existing code ...\nfinish()\n",
        ),
        {"ambiguous-match", "no-match"},
    ),
    "elisions between lines that are everywhere": (
        lambda: (
            "a()\nb()\n" * 30_000,
            "a()\n...\nb()\n" * 40,
            "a()\n...\nb()\n" * 39 + "a()\n...\nc()\n",
        ),
        {"ambiguous-match", "no-match", "placeholder-left"},
    ),
    "a quotation of nothing but elisions": (
        lambda: (_wide(20_000), "...\n" * 2_000, "...\n" * 1_999),
        {"no-match", "ambiguous-match", "bad-request", "no-change", "placeholder-left"},
    ),
    "a quotation of blanks": (lambda: (" " * 1_000_000 + "x", "\t" * 1_000, "y"), {"no-match"}),
    "a quotation of blank lines": (
        lambda: ("\n" * 200_000 + "x", " \n" * 1_000, "y"),
        {"no-match", "ambiguous-match"},
    ),
    "one character everywhere": (lambda: ("a" * 1_000_000, "a", "b"), {"ambiguous-match"}),
    "one character nowhere": (lambda: ("a" * 1_000_000, "b", "c"), {"no-match"}),
    "one character repeated, one too many": (lambda: ("a" * 100_000, "a" * 100_001, "b"), ABSENT),
    "one word repeated": (lambda: ("a " * 200_000, "a  " * 2_000 + "b", "x"), ABSENT),
    "one word repeated over lines": (lambda: ("a\n" * 60_000, "a\n\n" * 2_000 + "b\n", "x\n"), {"no-match"}),
    "brackets re-wrapped without an end": (
        lambda: ("f(a, a, a, " * 10_000, "f(a,\n  a,\n a,\n b,\n" * 50, "x"),
        {"no-match"},
    ),
    "quotes that never close": (lambda: ("'\"" * 200_000, "'\" \"'" * 500 + "x", "y"), ABSENT),
    "escapes upon escapes": (
        lambda: ("x = 1\n" * 50_000, '\\\\n\\"&amp;lt;' * 20_000, "y"),
        {"no-match"},
    ),
    "fences and numbers around fences and numbers": (
        lambda: (LINE * 20_000, "```\n" * 3_000 + "".join(f"{n}| x\n" for n in range(20_000)) + "```\n" * 3_000, "y\n"),
        {"no-match"},
    ),
    "smart quotes all over": (
        lambda: ("say “x” – now…\n" * 100_000, 'say "y" - now...\n', "x\n"),
        REFUSED,
    ),
    "marks that combine": (lambda: ("e" + "\u0301" * 50_000, "e" + "\u0301\u0316" * 5_000, "x"), ABSENT),
    "deep nesting, quoted from column 0": (
        lambda: (_nested(800), "".join(row.lstrip() for row in _nested(800).splitlines(keepends=True)), "x\n"),
        {None, "no-match", "drift-conflict"},
    ),
    "two texts with the same words in another order": (
        lambda: (
            "".join(f"{'ab'[number % 2]} = {'cd'[number % 3 % 2]}\n" for number in range(20_000)),
            "".join(f"{'ab'[number // 2 % 2]} = {'cd'[number % 2]}\n" for number in range(400)),
            "x\n",
        ),
        REFUSED,
    ),
}

CHILD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[2]),) * 2)
from steadyhand.plan.edit import Replace
from steadyhand.plan.preview import edit
from tests.hostile.test_matching_cost import SHAPES
before, old, new = SHAPES[sys.argv[1]][0]()
result = edit(before, Replace(old, new), path="a.py")
if result.error is not None:
    assert result.text is before
    assert len(result.error.message) < 5_000 and len(result.error.hint or "") < 5_000
print("applied" if result.error is None else str(result.error.kind))
"""


@table("name", SHAPES, every=24)
def test_the_search_ends_with_an_answer(name: str) -> None:
    child = [sys.executable, "-c", CHILD, name, str(SECONDS)]
    done = subprocess.run(child, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    kinds = {"applied" if kind is None else kind for kind in SHAPES[name][1]}
    assert done.stdout.strip() in kinds
