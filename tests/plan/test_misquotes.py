"""Edits with two mistakes at once, or one that leads astray: the right text or a refusal, and nothing else.

Each was once answered with another text. What is right is what the edit changes, at the place it quotes, in the
layout of the file; where that is uncertain, a refusal is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import steadyhand as sh
from steadyhand.plan.edit import Replace
from steadyhand.plan.preview import edit
from tests.table import table


@dataclass(frozen=True, slots=True)
class Misquote:
    """A file, an edit, and the one text it may give; None: it must be refused."""

    name: str
    before: str
    old: str
    new: str
    after: str | None
    path: str | None = "a.py"


PARTS = """\
async function first(
  bus: Bus,
  request: Part,
): Promise<Out | undefined> {
  try {
    const text = toString(request);
  }
}

async function second(
  bus: Bus,
  request: Part,
  responseText: string,
): Promise<Out | undefined> {
  try {
    const text = toString(request);
  }
}
"""
ERRORS = """\
class A:
    def info(self, ex):
        import litellm

        if ex.kind is litellm.OtherError:
            if 'google' in str(ex):
                return Info('connection', False, 'install google')
            if 'boto3' in str(ex):
                return Info('connection', False, 'install boto3')
        return self.known.get(ex.kind, Info(None, None, None))


class B:
    def info(self, ex):
        import litellm

        if ex.kind is litellm.ConnectionError:
            if 'google' in str(ex):
                return Info('connection', False, 'install google')
            if 'boto3' in str(ex):
                return Info('connection', False, 'install boto3')
        log_it(ex)
        return self.known.get(ex.kind, Info(None, unknown, None))
"""
GOOGLE = """\
            if 'google' in str(ex):
                return Info('connection', False, 'install google')
"""
QUOTED_ERRORS = ERRORS[ERRORS.index("        import") : ERRORS.index("\n\nclass B")].replace("Other", "Connection")
METHODS = """\
class C:
    def a(self):
        return value

    def b(self, key):
        found = []
        for item in self.list:
            go(item)
"""
QUOTED_METHODS = METHODS[METHODS.index("return value") :].replace("found", "xound")
INSTALL = """\
    if ! command -v uv &>/dev/null; then
      brew install uv || exit 1
      UV_VERSION=$(uv --short)
      echo "uv is installed ($UV_VERSION)"
    else
      UV_VERSION=$(uv --version)
      echo "uv is installed ($UV_VERSION)"
    fi
"""
QUOTED_INSTALL = INSTALL[: INSTALL.index("      echo")].replace("--short", "--version")
PROJECT = """\
    } else {
      // If not in .env, set to default and override global
      process.env.PROJECT = 'cloudshell-gcb';
    }
  } else {
    // If no .env file, set to default and override global
    process.env.PROJECT = 'cloudshell-gca';
  }
"""
QUOTED_PROJECT = PROJECT[: PROJECT.index("    }\n  }")].replace("gcb", "gca")
NESTED = "f(() => {\n  g(() => {\n    h(() => {\n      return true;\n      });\n    }\n  });\n"
STEPS = "      - uses: x\n        env:\n          TOKEN: 1\n        with:\n          tag: 2\n"
QUOTED_STEPS = "\t\t\t- uses: x\n\t\t\tenv:\n\t\t\t\t\tTOKEN: 1\n\t\t\t\twith:\n\t\t\t\t\ttag: 2\n"
QUOTED_PARTS = """\
  bus: Bus,
  request: Part,
): Promise<Out | undefined> {
  responseText: string,
  try {
    const text = toString(request);
"""

REFUSED = [
    Misquote("rows as deep as the file has them, the other way round", NESTED, "\t\t}\n\t\t\t});\n", "\t\t}\n", None),
    Misquote(
        "a line end where the file's line goes on",
        'import s from "c";\nimport r from "n";\n\nexport x\n',
        'import r from "n"\n',
        'import r from "n"\n\nadded(1)\n',
        None,
        "a.ts",
    ),
    Misquote(
        "a line end where the file's line goes on, other quotes",
        "He said “yes”, then left.\nEnd.\n",
        'He said "yes"\n',
        'He said "no"\n',
        None,
        "a.md",
    ),
    Misquote("blank lines around what is part of a word", "x = barfoo()\ny\n", "\n\nfoo()\n\n", "\n\nbaz()\n\n", None),
    Misquote("a fence around what is part of a word", "x = barfoo()\ny\n", "```\nfoo()\n```", "```\nbaz()\n```", None),
    Misquote(
        "line numbers before what is part of a word", "barfoo()\nbaz()\n", "1| foo()\n2| baz()", "1| x\n2| baz()", None
    ),
    Misquote(
        "rows added behind a last row that goes on in the file",
        'f(\n    a=1,\n    help="x",\n)\n',
        '\ta=1,\n\thelp="x"',
        '\ta=1,\n\thelp="x"\n\tadded=2',
        None,
    ),
    Misquote(
        "rows added behind a last row that goes on in the file, with escapes",
        'f(\n    a="1",\n    help="x",\n)\n',
        '    a=\\"1\\",\n    help=\\"x\\"',
        '    a=\\"1\\",\n    help=\\"x\\"\n    added=2',
        None,
    ),
    Misquote(
        "the row to change was changed by somebody, and is as quoted in the next branch",
        INSTALL,
        QUOTED_INSTALL,
        QUOTED_INSTALL.replace("uv --version", "uv --long"),
        None,
        "a.sh",
    ),
    Misquote(
        "the edit was made before, and its old text is nearly in the next branch",
        PROJECT,
        QUOTED_PROJECT,
        QUOTED_PROJECT.replace("gca", "gcb"),
        None,
        "a.ts",
    ),
    Misquote(
        "the edit was made before, and old text has a blank line there",
        "function value(items) {\n\treturn value;\n\treturn fresh;\n\tconsole.log('done...', config);\n}\n",
        "function value(items) {\n\treturn value;\n\n\tconsole.log('done...', config);\n",
        "function value(items) {\n\treturn value;\n\treturn fresh;\n\tconsole.log('done...', config);\n",
        None,
        "a.js",
    ),
    Misquote(
        "a near place that lacks a quoted row which another has",
        PARTS,
        QUOTED_PARTS,
        QUOTED_PARTS.replace("  request", "  added: 1,\n  request"),
        None,
        "a.ts",
    ),
    Misquote(
        "two near places, and what differs in one is in the other",
        ERRORS,
        QUOTED_ERRORS,
        QUOTED_ERRORS.replace(GOOGLE, ""),
        None,
    ),
    Misquote(
        "rows inserted between one that is quoted right and one that is not",
        "if a:\n    x = 1\nelif b:\n    y = 2\nelse:\n    z = 3\n",
        "        y = 2\nelse:\n",
        "    inserted(0)\n    inserted(1)\n        y = 2\nelse:\n",
        None,
    ),
]

BLANK_LINES = [
    Misquote(
        "a blank line too many in old text only",
        "  });\n}\n\nwindow.x = y\n",
        "}\n\n\nwindow.x = y",
        "if c:\n  }\n\nwindow.x = y",
        "  });\nif c:\n  }\n\nwindow.x = y\n",
        "a.js",
    ),
    Misquote(
        "a blank line of old text, and another of new text",
        "<head>\n    <m a>\n    <m b>\n    <t>\n",
        "<head>\n    <m a>\n\n    <m b>",
        "<head>\n    <m a>\n    <m b>\n\n    added()",
        "<head>\n    <m a>\n    <m b>\n\n    added()\n    <t>\n",
        "a.html",
    ),
    Misquote(
        "a blank line too many in old text only, after lines that change",
        "  1. notes: index\n    1. changes: name\n\n1. stable: value\n",
        "  1. notes: index\n    1. changes: name\n\n\n1. stable: value\n",
        "  1. notes: fresh\n    1. changes: other\n\n1. stable: value\n",
        "  1. notes: fresh\n    1. changes: other\n\n1. stable: value\n",
        "a.md",
    ),
    Misquote(
        "a blank line with blanks in it, between two lines that change",
        "\tx = 1   \n\treturn value\n\t\ndef path(self):\n\tpass\n",
        "\tx = 1\n\treturn value\n\ndef path(self):\n\tpass\n",
        "\tx = 1\n\treturn fresh\n\ndef other(self):\n\tpass\n",
        "\tx = 1   \n\treturn fresh\n\t\ndef other(self):\n\tpass\n",
    ),
    Misquote(
        "a blank line missing before a line that changes",
        "x = 0\nalpha = 1\n\nbeta = 2\ngamma = 3\n",
        "alpha = 1\nbeta = 2\ngamma = 3",
        "alpha = 1\nbeta = 9\ngamma = 3",
        "x = 0\nalpha = 1\n\nbeta = 9\ngamma = 3\n",
    ),
    Misquote(
        "a blank line missing after a line that changes",
        "x = 0\nalpha = 1\n\nbeta = 2\ngamma = 3\n",
        "alpha = 1 \nbeta = 2\ngamma = 3",
        "alpha = 9\nbeta = 2\ngamma = 3",
        "x = 0\nalpha = 9\n\nbeta = 2\ngamma = 3\n",
    ),
    Misquote(
        "a blank line the file lacks, with blanks in old text",
        "    - t: J\n    - t: B\n      s:\n        - x\n",
        "    - t: J\n    - t: B\n  \n      s:",
        "    - t: J\n    added: 1\n    - t: B\n\n      s:",
        "    - t: J\n    added: 1\n    - t: B\n      s:\n        - x\n",
        "a.yml",
    ),
]

REPEATED_ROWS = [
    Misquote(
        "a run of blanks in both texts, a shift in one",
        "config_items: value\nvalue: name\n",
        "    config_items:\tvalue\n    value:  name",
        "value:  name",
        "value: name\n",
        "a.yaml",
    ),
    Misquote(
        "trailing blanks in both texts, a run in one",
        "t.py: 5/5 (100%) [.]\nx\n",
        "t.py: 5/5  (100%) [.]  \nx",
        "t.py: 5/5 (100%) [.]  \ny",
        "t.py: 5/5 (100%) [.]\ny\n",
        None,
    ),
    Misquote(
        "rows that change places around one the edit does not know",
        "self.context = None  # e.g. math\n\nsomebody_else = 1\n# States of it\nself.document = State.INITIAL\n",
        "self.context = None  # e.g. math\n\n# States of it\nself.document = State.INITIAL\n",
        "self.document = State.INITIAL\n\n# States of it\nself.context = None  # e.g. math\n",
        "self.document = State.INITIAL\n\nsomebody_else = 1\n# States of it\nself.context = None  # e.g. math\n",
    ),
    Misquote(
        "other quotes in both texts, a trailing tab in one",
        'if w == "r":\n    go()\nend()\n',
        "if w == 'r':\t\n    go()\nend()",
        "if w == 'r':\n    stop()\nend()",
        'if w == "r":\n    stop()\nend()\n',
    ),
    Misquote(
        "more trailing blanks in one text than in the other",
        "if a\n  b\n  c\n",
        "if a    \n  b    \n  c",
        "if a  \n  b  \n  d",
        "if a\n  b\n  d\n",
        None,
    ),
    Misquote(
        "a row of new text that is the file's, trailing blanks too",
        '<a>\n  const s = get("t")  \n</a>\n',
        '<a>\n  const\u00a0s = get("t")  \n</a>',
        '<b>\n  const s = get("t")  \n</b>',
        '<b>\n  const s = get("t")  \n</b>\n',
        "a.html",
    ),
    Misquote(
        "line numbers, and line ends the file does not have",
        "a: 1,\nb: 2,\nc: 3,\n",
        "1| a: 1,\r\n2| b: 2,\r\n3| c: 3,\r\n",
        "1| a: 1,\r\n2| b: 9,\r\n3| c: 3,\r\n",
        "a: 1,\nb: 9,\nc: 3,\n",
    ),
]

DEPTHS = [
    Misquote(
        "a first row without its indentation, changed",
        "def f():\n    alpha = call(one)\n    beta = 2\n    gamma = 3\n",
        "alpha = call(one)\n    beta = 2\n\n    gamma = 3",
        "alpha = call(two)\n    beta = 2\n\n    gamma = 3",
        "def f():\n    alpha = call(two)\n    beta = 2\n    gamma = 3\n",
    ),
    Misquote(
        "a first row without its indentation, kept, with an odd blank",
        "case x\n    return nil if b == 1\n    res = []\nend\n",
        "return\u00a0nil if b == 1\n    res = []",
        "return nil if b == 1\n    res = [1]",
        "case x\n    return nil if b == 1\n    res = [1]\nend\n",
        "a.rb",
    ),
    Misquote(
        "a first row without its indentation, replaced",
        "class C:\n    state = key(1)\n    name = key(2)\n    def f(self):\n        pass\n",
        "state = key(1)\n    name = key(2)  \n    def f(self):",
        "replaced = 0\n    name = key(2)\n    def f(self):",
        "class C:\n    replaced = 0\n    name = key(2)\n    def f(self):\n        pass\n",
    ),
    Misquote(
        "a first row without its indentation, and a word wrong",
        METHODS,
        QUOTED_METHODS,
        QUOTED_METHODS.replace("return value", "return other"),
        METHODS.replace("return value", "return other"),
    ),
    Misquote(
        "rows inserted together stay together",
        '<ul>\n  ...\n  <li class="d"></li>\n',
        '  ...\n<li class="d"></li>',
        '  ...\n  inserted(1)\n    deeper()\n<li class="d"></li>',
        '<ul>\n  ...\n  inserted(1)\n    deeper()\n  <li class="d"></li>\n',
        "a.html",
    ),
    Misquote(
        "a row made deeper, and another quoted too deep",
        "  flex: row;\n  align: center;\n  padding: 0;\n  width: 0;\n",
        "    flex: row;\n  align: center;\n  padding: 0;\n  width: 0;",
        "    flex: row;\n  align: center;\n  padding: 0;\n  if c:\n    width: 0;",
        "  flex: row;\n  align: center;\n  padding: 0;\n  if c:\n    width: 0;\n",
        "a.css",
    ),
    Misquote(
        "old text too deep, new text as deep as the file",
        "f(() => {\n    // note\n    return limit;\n    const state = 1;\n});\n",
        "        return\tlimit;\n",
        "    return limit;\n    return other;\n",
        "f(() => {\n    // note\n    return limit;\n    return other;\n    const state = 1;\n});\n",
        "a.js",
    ),
    Misquote(
        "old text too deep and with odd blanks, new text as deep as the file",
        "for v in r:\n    return items\n    with user() as items:\n        return total\n",
        "        return\u00a0items\n        with\u00a0user() as\u00a0items:\n",
        "    return items\n    with user() as items:\n        fresh(items)\n",
        "for v in r:\n    return items\n    with user() as items:\n        fresh(items)\n        return total\n",
    ),
    Misquote(
        "both texts without the indentation of their first row, which goes",
        "def f(\n    a,\n):\n    info: dict = {}\n    if summary:\n        go(summary)\n    if terms:\n        pass\n",
        "info: dict = {}\n    if summary:\n        go(summary)\n    if  terms:\n",
        "if summary:\n        go(summary)\n    if  terms:\n",
        "def f(\n    a,\n):\n    if summary:\n        go(summary)\n    if terms:\n        pass\n",
    ),
    Misquote(
        "rows made as deep as the file has them by chance",
        "class R:\n    def a(self):\n        self.x = 1\n        self.y = 2\n",
        "def a(self):\n    self.x = 1\n    self.y = 2",
        "def a(self):\n    if c:\n        self.x = 1\n    self.y = 2",
        "class R:\n    def a(self):\n        if c:\n            self.x = 1\n        self.y = 2\n",
    ),
    Misquote(
        "a row made less deep, and another quoted less deep",
        '          git log\n          echo ""\n          echo "R"\n          git branch\n',
        '  git log\n            echo ""\n            echo "R"\n',
        '  git log\n            echo ""\n          echo "R"\n',
        '          git log\n          echo ""\n        echo "R"\n          git branch\n',
        "a.yml",
    ),
    Misquote(
        "tabs for the file's blanks, and one row quoted less deep",
        STEPS,
        QUOTED_STEPS,
        QUOTED_STEPS.replace("\t\t\t\t\tTOKEN", "\t\t\t\t\tif c:\n\t\t\t\t\t\tTOKEN"),
        STEPS.replace("          TOKEN", "          if c:\n            TOKEN"),
        "a.yml",
    ),
    Misquote(
        "blanks for the file's tabs, and a first row without its indentation",
        "a(\n\t\t\tT.ONE,\n\t\t\tT.TWO,\n)\n",
        "T.ONE,\n      T.TWO,\n",
        "T.ONE,\n      inserted(0)\n        deeper()\n      T.TWO,\n",
        "a(\n\t\t\tT.ONE,\n\t\t\tinserted(0)\n\t\t\t\tdeeper()\n\t\t\tT.TWO,\n)\n",
        "a.ts",
    ),
]

ALL = [*REFUSED, *BLANK_LINES, *REPEATED_ROWS, *DEPTHS]


@table("case", ALL, ids=[case.name for case in ALL])
def test_an_edit_with_more_than_one_mistake_is_made_right_or_refused(case: Misquote) -> None:
    result = edit(case.before, Replace(case.old, case.new), path=case.path)
    if result.ok:
        assert result.text == case.after
    else:
        assert result.text == case.before


def test_of_two_readings_of_a_drifted_hunk_the_one_whose_rows_are_there_is_merged() -> None:
    """Whether a blank in front of a context row is a sign shows in the file, also where another row has drifted."""
    before = "start of it\nhead of the page\n def fetch(url, tries):\n     # until one goes well\nend of it\n"
    rows = " head of the page\n- def fetch(url):\n-     # until one goes well\n"
    rows += "+ def read(url):\n+     # until all goes well\n"
    after = before.replace("fetch", "read").replace("one goes", "all goes")
    diff = f"--- a/a.txt\n+++ b/a.txt\n@@ -2,3 +2,3 @@\n{rows}"
    merged = sh.patch(before, diff, path="a.txt", policy=sh.Policy(on_drift="merge"))
    assert merged.text == after
    refused = sh.patch(before, diff, path="a.txt").error
    assert refused is not None
    assert sh.edit(before, [refused.details["corrected"]], path="a.txt").text == after  # type: ignore[list-item]


TICKS = "def test_ticks():\n    axes = subplot()\n    assert axes.top\n\n\ndef other():\n    pass\n"
DRAWN = "     axes = subplot()\n     assert axes.top\n+    axes.draw()\n \n \n"


@table("patch", [f"*** Begin Patch\n*** Update File: a.py\n@@\n{DRAWN}*** End Patch\n", f"@@ ... @@\n{DRAWN}", ""])
def test_blank_lines_beside_added_ones_say_where_these_go(patch: str) -> None:
    """Where the file has another line there, the quotation left it out, and the place is not clear."""

    def sent(text: str) -> str:
        old, new = ("".join(row[1:] + "\n" for row in DRAWN.splitlines() if row[0] in signs) for signs in (" -", " +"))
        return sh.patch(text, patch, path="a.py").text if patch else edit(text, Replace(old, new), path="a.py").text

    assert sent(TICKS) == TICKS.replace("top\n", "top\n    axes.draw()\n")
    before = TICKS.replace("top\n", "top\n    assert axes.right\n")
    assert sent(before) == before
