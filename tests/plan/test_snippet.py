"""Snippets merged into files: what is refused because its place or its meaning is not certain, and what is not."""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import example, given
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.match.tiers.elision import is_elision
from steadyhand.plan.planner import Plan
from steadyhand.plan.policy import Policy
from steadyhand.plan.snippet import plan_merge
from steadyhand.text.source import Source
from tests.sampling import examples
from tests.table import table

USERS = """\
import json


class Users:
    def load(self, path):
        with open(path) as stream:
            self.rows = json.load(stream)
        return self.rows

    def save(self, path):
        with open(path, "w") as stream:
            json.dump(self.rows, stream)
        return path

    def count(self):
        return len(self.rows)


def main():
    users = Users()
    users.load("users.json")
    print(users.count())
"""
BLOCKS = """\
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v3
      - run: make lint
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v3
      - run: make test
"""
SCRIPT = """\
function first() {
  start();
  return 1;
}

function second() {
  start();
  return 2;
}

function third() {
  start();
  return 3;
}
"""


def merge(before: str, snippet: str, path: str | None = "a.py", policy: Policy | None = None) -> Plan:
    return plan_merge(Source.of_text(before, path=path), snippet, policy or Policy(), path=path)


@dataclass(frozen=True, slots=True)
class Refused:
    """A snippet that must not be merged."""

    name: str
    before: str
    snippet: str
    kind: str
    says: str
    path: str = "a.py"


NEVER = [
    Refused("nothing but marks", USERS, "# ...\n\n# ... existing code ...\n", "no-change", "no line"),
    Refused("the file as it is", USERS, USERS, "no-change", "already in the file"),
    Refused(
        "a part of the file as it is",
        USERS,
        "# ...\n    def count(self):\n        return len(self.rows)\n",
        "no-change",
        "already in the file",
    ),
    Refused(
        "lines of another file",
        USERS,
        "# ...\ndef area(width):\n    return width * 2\n# ...\n",
        "no-match",
        "none of them",
    ),
    Refused(
        "two places, and nothing says which",
        BLOCKS,
        "# ...\n    steps:\n      - uses: actions/checkout@v4\n# ...\n",
        "ambiguous-match",
        "2 places in",
        "ci.yml",
    ),
    Refused(
        "the new line makes one place like the other",
        "first {\n  source: a;\n  extra: wide;\n  target: b;\n}\nsecond {\n  source: a;\n  target: b;\n}\nlast: 1;\n",
        "/* ... */\n  source: a;\n  extra: wide;\n  target: b;\n/* ... */\nlast: 1;\nmore: 2;\n",
        "ambiguous-match",
        "more than one place",
        "a.css",
    ),
    Refused(
        "a new line right below a mark",
        USERS,
        "# ...\n        total = 0\n        with open(path) as stream:\n            self.rows = json.load(stream)\n",
        "low-confidence",
        "added or replaced",
    ),
    Refused(
        "a changed line right above a mark",
        USERS,
        "# ...\n    def count(self):\n        return len(self.rows) + 1\n# ...\n",
        "low-confidence",
        "added or replaced",
    ),
    Refused(
        "another block, or the same one with other words",
        SCRIPT,
        "function first() {\n  start();\n  return 1;\n}\n\nfunction other() {\n  start();\n  return 5;\n}\n// ...\n",
        "low-confidence",
        "added or replaced",
        "a.js",
    ),
    Refused(
        "a forgotten mark",
        USERS,
        "class Users:\n    def load(self, path):\n        with open(path) as stream:\n"
        "    def count(self):\n        return len(self.rows)\n# ...\n",
        "low-confidence",
        "lines 7–13 of a.py",
    ),
    Refused(
        "a comment in the place of code",
        USERS,
        "class Users:\n    def load(self, path):\n        # read rows\n        return self.rows\n\n"
        "    def save(self, path):\n",
        "low-confidence",
        "lines 6–7 of a.py",
    ),
    Refused(
        "what seems to be a mark and is none",
        USERS,
        "import json\nuse the existing imports ... of before\nclass Users:\n    def load(self, path):\n",
        "placeholder-left",
        "stand for lines",
        "a.txt",
    ),
    Refused(
        "parts in another order",
        USERS,
        "# ...\n    def count(self):\n        return 1 + len(self.rows)\n\n\ndef main():\n# ...\nimport json\n",
        "no-match",
        "not between the parts",
    ),
    Refused(
        "a line moved out of what is shown",
        "import b_library\nimport c_library\nimport a_library\nimport d_library\nx = 1\n",
        "# ...\nimport a_library\nimport b_library\nimport c_library\n# ...\n",
        "low-confidence",
        "occur twice",
    ),
    Refused(
        "indentation changed, and nothing else",
        USERS,
        "# ...\n    def count(self):\n            return len(self.rows)\n\n\ndef main():\n# ...\n",
        "low-confidence",
        "indentation only",
    ),
    Refused(
        "blank lines lost around what comes in",
        "import json\n\n\ndef load_users():\n    return 1\n",
        "import json\nimport os\ndef load_users():\n    return 1\n",
        "low-confidence",
        "other blank lines",
    ),
    Refused(
        "dots that stand for nothing",
        "alpha_value = 1\nbravo_value = 2\ncarol_value = 3\ndelta_value = 4\n",
        "alpha_value = 1\nnew_value = 5\nbravo_value = 2\n...\ncarol_value = 3\n",
        "low-confidence",
        "stand for no lines",
    ),
    Refused(
        "two parts on the same lines",
        USERS,
        "import json\nimport os\n\n\nclass Users:\n# ...\nclass Users:\n    limit = 3\n    def load(self, path):\n",
        "low-confidence",
        "both take line 4",
    ),
    Refused(
        "indented otherwise in two ways",
        USERS,
        '# ...\n  def save(self, path):\n   with open(path, "w") as stream:\n       json.dump(self.rows, stream)\n'
        "        stream.flush()\n       return path\n# ...\n",
        "low-confidence",
        "indented differently",
    ),
    Refused("an empty file, and a mark", "", "# ...\nx = 1\n", "no-match", "none of them"),
]


@table("case", NEVER, ids=[case.name for case in NEVER])
def test_what_is_not_certain_is_refused(case: Refused) -> None:
    made = merge(case.before, case.snippet, case.path)
    (outcome,) = made.outcomes
    assert not made.ok
    assert made.after.text == case.before
    assert not made.changes
    assert outcome.error is not None
    assert outcome.error.kind == case.kind, outcome.error
    assert case.says in outcome.error.message
    assert outcome.error.hint
    assert outcome.error.details["path"] == case.path


def test_a_refusal_names_the_lines_of_both_sides() -> None:
    snippet = "# ...\n    def count(self):\n        return len(self.rows) + 1\n# ...\n"
    error = merge(USERS, snippet).error
    assert error is not None
    assert "'return len(self.rows) + 1' is right below 'def count(self):' (line 15 of a.py)" in error.message
    assert error.details["nearest"] == 15
    places = merge(BLOCKS, "# ...\n    steps:\n      - uses: actions/checkout@v4\n# ...\n", "ci.yml").error
    assert places is not None
    candidates = places.details["candidates"]
    assert isinstance(candidates, list)
    assert [candidate["lines"] for candidate in candidates] == [[4, 4], [9, 9]]


@dataclass(frozen=True, slots=True)
class Merged:
    """A snippet, and the lines that go and come in the file."""

    name: str
    before: str
    snippet: str
    gone: str
    come: str
    path: str = "a.py"

    @property
    def after(self) -> str:
        assert self.before.count(self.gone) == 1
        return self.before.replace(self.gone, self.come)


COUNT = "        return len(self.rows)\n"
SAFE = "        return len(self.rows or ())\n"
MERGED = [
    Merged(
        "one line between two that stay",
        USERS,
        f"# ... existing code ...\n    def count(self):\n{SAFE}\n\ndef main():\n# ... existing code ...\n",
        COUNT,
        SAFE,
    ),
    Merged("dots for marks", USERS, f"...\n    def count(self):\n{SAFE}\n\ndef main():\n...\n", COUNT, SAFE),
    Merged("no mark at the end", USERS, f"# ...\n    def count(self):\n{SAFE}\n\ndef main():\n", COUNT, SAFE),
    Merged("no mark at the start", USERS, f"    def count(self):\n{SAFE}\n\ndef main():\n# ...\n", COUNT, SAFE),
    Merged("no marks at all", USERS, f"    def count(self):\n{SAFE}\n\ndef main():\n", COUNT, SAFE),
    Merged("the whole file", USERS, USERS.replace(COUNT, SAFE), COUNT, SAFE),
    Merged(
        "a line comes in",
        USERS,
        "# ...\n            self.rows = json.load(stream)\n            self.rows.sort()\n        return self.rows\n",
        "            self.rows = json.load(stream)\n",
        "            self.rows = json.load(stream)\n            self.rows.sort()\n",
    ),
    Merged(
        "a line goes",
        USERS,
        "# ...\n    users = Users()\n    print(users.count())\n# ...\n",
        '    users.load("users.json")\n',
        "",
    ),
    Merged(
        "a line comes in at the start of the file",
        USERS,
        "import os\nimport json\n\n\nclass Users:\n# ...\n",
        "import json\n",
        "import os\nimport json\n",
    ),
    Merged(
        "lines come in at the end of the file",
        USERS,
        '# ...\n    users.load("users.json")\n    print(users.count())\n\n\nmain()\n',
        "    print(users.count())\n",
        "    print(users.count())\n\n\nmain()\n",
    ),
    Merged(
        "the first line of the file with other words",
        USERS,
        "import json as codec\n\n\nclass Users:\n    def load(self, path):\n# ...\n",
        "import json\n",
        "import json as codec\n",
    ),
    Merged(
        "the last line of the file with other words",
        USERS,
        '# ...\n    users.load("users.json")\n    print("users:", users.count())\n',
        "    print(users.count())\n",
        '    print("users:", users.count())\n',
    ),
    Merged(
        "two parts",
        USERS,
        '# ...\nimport json\nimport os\n\n\nclass Users:\n# ...\n    users = Users()\n    users.load("users.json")\n',
        "import json\n",
        "import json\nimport os\n",
    ),
    Merged(
        "a part that only shows where",
        BLOCKS,
        "# ...\n  test:\n# ...\n      - uses: actions/checkout@v3\n      - run: make test all\n",
        "make test\n",
        "make test all\n",
        "ci.yml",
    ),
    Merged(
        "a bracket that is often",
        SCRIPT,
        "// ...\n  return 1;\n}\n\nfunction other() {\n  start();\n  return 2;\n// ...\n",
        "second",
        "other",
        "a.js",
    ),
    Merged(
        "less indentation than the file",
        USERS,
        '# ...\ndef save(self, path):\n    with open(path, "w") as stream:\n        json.dump(self.rows, stream)\n'
        "        stream.flush()\n    return path\n# ...\n",
        "            json.dump(self.rows, stream)\n",
        "            json.dump(self.rows, stream)\n            stream.flush()\n",
    ),
    Merged("line numbers", USERS, f"15→    def count(self):\n16→{SAFE}17→\n18→\n19→def main():\n", COUNT, SAFE),
    Merged(
        "numbers behind bars, and a mark",
        USERS,
        f"# ...\n15|     def count(self):\n16| {SAFE}17| \n18| \n19| def main():\n# ...\n",
        COUNT,
        SAFE,
    ),
    Merged(
        "blank lines lost between lines that stay",
        USERS,
        f"# ...\n    def count(self):\n{SAFE}def main():\n# ...\n",
        COUNT,
        SAFE,
    ),
    Merged(
        "blanks at line ends and other quotes in lines that stay",
        USERS,
        "        with open(path, 'w') as stream:  \n            json.dump(self.rows, stream)\n        return path \n\n"
        f"    def count(self):\n{SAFE}\n\ndef main():\n",
        COUNT,
        SAFE,
    ),
    Merged(
        "lines lined up with one that comes in",
        "cmd := Command{\n\tUse:   name,\n\tShort: text,\n\tRun: func() {\n",
        "// ...\ncmd := Command{\n\tUse:     name,\n\tAliases: more,\n\tShort:   text,\n\tRun: func() {\n// ...\n",
        "\tUse:   name,\n\tShort: text,\n",
        "\tUse:     name,\n\tAliases: more,\n\tShort:   text,\n",
        "a.go",
    ),
    Merged(
        "lines that move inwards under a new one",
        USERS,
        '# ...\ndef main():\n    if ready():\n        users = Users()\n        users.load("users.json")\n'
        "    print(users.count())\n",
        '    users = Users()\n    users.load("users.json")\n',
        '    if ready():\n        users = Users()\n        users.load("users.json")\n',
    ),
    Merged(
        "marks of reStructuredText",
        "Top\n===\n\nSome words here.\n",
        ".. ... existing text ...\nTop\n===\n\nOther words here.\n",
        "Some",
        "Other",
        "a.rst",
    ),
    Merged("an empty file", "", "x = 1\n", "", "x = 1\n"),
    Merged("a file of blank lines", "\n\n", "x = 1\n", "\n\n", "x = 1\n"),
]


@table("case", MERGED, ids=[case.name for case in MERGED])
def test_a_snippet_changes_what_it_shows_and_nothing_else(case: Merged) -> None:
    before = case.before
    made = merge(before, case.snippet, case.path)
    assert made.ok, made.error
    assert made.after.text == case.after
    assert made.changes.apply(before) == case.after
    assert made.changes.invert().apply(case.after) == before
    assert all(outcome.applied for outcome in made.outcomes)


@table("case", MERGED, ids=[case.name for case in MERGED])
@table("sent", ["\n", "\r\n"])
def test_the_line_endings_of_the_file_stay(case: Merged, sent: str) -> None:
    before = case.before.replace("\n", "\r\n")
    made = merge(before, case.snippet.replace("\n", sent), case.path)
    assert made.ok, made.error
    assert made.after.text in (case.after.replace("\n", "\r\n"), case.after if not before else None)


@table("case", [case for case in MERGED if case.before.strip()], ids=lambda case: case.name)
def test_a_last_line_without_ending_stays_so(case: Merged) -> None:
    made = merge(case.before.removesuffix("\n"), case.snippet, case.path)
    assert made.ok, made.error
    assert made.after.text.removesuffix("\n") == case.after.removesuffix("\n")


def test_both_parts_are_merged_or_none() -> None:
    good = "# ...\nimport json\nimport os\n\n\nclass Users:\n# ...\n"
    bad = "    def gone(self):\n        return 0\n# ...\n"
    policy = Policy(partial=True)
    assert merge(USERS, good, policy=policy).ok
    assert merge(USERS, good + bad, policy=policy).after.text == USERS


def test_a_strict_policy_takes_lines_as_they_are() -> None:
    loose = f"# ...\n    def count(self): \n{SAFE}\n\ndef main():\n"
    assert merge(USERS, loose).ok
    assert merge(USERS, loose, policy=Policy(tier="whitespace")).ok
    assert not merge(USERS, loose, policy=Policy(tier="exact")).ok
    assert merge(USERS, loose.replace("(self): ", "(self):"), policy=Policy(tier="exact")).ok


def test_what_had_to_be_overlooked_is_reported() -> None:
    whole = USERS.replace(COUNT, SAFE)
    assert {outcome.tier for outcome in merge(USERS, whole).outcomes} == {"exact"}
    assert {outcome.tier for outcome in merge(USERS, whole.replace("import json", "import json ")).outcomes} == {
        "whitespace"
    }
    assert {
        outcome.tier for outcome in merge(USERS, f"# ...\n    def count(self):\n{SAFE}\n\ndef main():\n").outcomes
    } == {"elision"}


def test_a_reason_is_asked_for_and_kept() -> None:
    source = Source.of_text(USERS, path="a.py")
    snippet = MERGED[0].snippet
    error = plan_merge(source, snippet, Policy(require_reason=True)).error
    assert error is not None
    assert error.kind is Kind.REASON_REQUIRED
    made = plan_merge(source, snippet, Policy(require_reason=True), reason="rows may be None")
    assert {outcome.reason for outcome in made.outcomes} == {"rows may be None"}


def test_what_is_no_text_is_refused() -> None:
    error = plan_merge(Source.of_bytes(b"\x00\xff\xfe\x81"), "x\n", Policy()).error
    assert error is not None
    assert error.kind is Kind.NOT_TEXT


WORDS = ("alpha", "bravo", "carol", "delta", "eagle", "fable", "grape", "hotel", "india", "joker", "koala", "lemon")


def file_rows(chance: random.Random, count: int) -> list[str]:
    """Rows of which each is once, with blank ones and brackets in between."""
    rows: list[str] = []
    for number in range(count):
        indent = "  " * chance.randrange(3)
        rows.append(f"{indent}{chance.choice(WORDS)}_{chance.choice(WORDS)} = {chance.choice(WORDS)}({number})")
        rows += chance.choice(([], [], [], [""], [indent + "}"]))
    return rows


def snippet_around(
    chance: random.Random, after: list[str], start: int, end: int, context: tuple[int, int]
) -> list[str]:
    """The rows of a change and as many telling ones around it, between marks."""
    first, last = start, end
    above, below = context
    while above and first:
        first -= 1
        above -= "=" in after[first]
    while below and last < len(after):
        below -= "=" in after[last]
        last += 1
    marks = [chance.choice(("// ... existing code ...", "// ...", "/* ... rest unchanged ... */")) for _ in range(2)]
    return [*marks[: first > 0], *after[first:last], *marks[: last < len(after)]]


@examples(20)
@example(677)
@given(st.integers(0, 10**9))
def test_a_change_between_two_rows_of_the_file_is_merged_as_it_is(seed: int) -> None:
    chance = random.Random(seed)
    before = file_rows(chance, chance.randrange(3, 25))
    at = chance.randrange(1, len(before))
    gone, come = chance.randrange(3), chance.randrange(4)
    new = [f"{chance.choice(('', '  '))}new_{number}(1)" for number in range(come)]
    after = [*before[:at], *new, *before[at + gone :]]
    if [row for row in after if row] == [row for row in before if row]:
        return  # blank rows alone are never a reason to change anything
    snippet = snippet_around(chance, after, at, at + come, (chance.randrange(1, 4), chance.randrange(1, 4)))
    made = merge("\n".join(before) + "\n", "\n".join(snippet) + "\n", "a.js")
    if made.ok and all(before[at : at + gone]):
        assert made.after.text == "\n".join(after) + "\n"
    elif made.ok:  # a blank row that goes with others is noise, and stays
        assert [row for row in made.after.lines if row] == [row for row in after if row]
    else:
        assert "=" not in (before[at - 1] + (before[at + gone] if at + gone < len(before) else "")) or not made.changes


@examples(30)
@given(st.integers(0, 10**9))
def test_the_whole_file_with_some_lines_changed_is_that_file(seed: int) -> None:
    chance = random.Random(seed)
    before = file_rows(chance, chance.randrange(4, 30))
    after = [row + "  // changed" if "=" in row and chance.random() < 0.2 else row for row in before]
    made = merge("\n".join(before) + "\n", "\n".join(after) + "\n", "a.js")
    if before == after:
        assert not made.ok
    elif made.ok:
        assert made.after.text == "\n".join(after) + "\n"


FRAGMENTS = (
    *USERS.splitlines(),
    *SCRIPT.splitlines(),
    "# ...",
    "// ... existing code ...",
    "...",
    "",
    "   ",
    "\t}",
    "new_line()",
    "12| x = 1",
    "a\rb",
    "\ud800",
    "… rest of the file",
)


@examples(30)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14), st.sampled_from([USERS, SCRIPT, BLOCKS, "", "\n", "x"]))
def test_whatever_is_sent_is_merged_or_refused_and_no_mark_comes_in(rows: list[str], before: str) -> None:
    made = merge(before, "\n".join(rows), "a.py")
    assert made.ok or made.after.text == before
    if made.ok:
        assert not any(is_elision(row) for row in made.after.lines)
        assert made.changes.apply(before) == made.after.text
    else:
        assert made.error is not None
        assert made.error.hint


@table("shown", [range(25), range(5, 30)])
def test_a_file_but_for_a_few_lines_at_one_end_may_be_the_file_or_a_part_of_it(shown: range) -> None:
    before = "".join(f"value_{number} = {number}\n" for number in range(30))
    snippet = "".join(f"value_{number} = {number if number != 11 else 'eleven'}\n" for number in shown)
    made = plan_merge(Source.of_text(before), snippet, Policy())
    assert made.error is not None
    assert made.error.kind is Kind.LOW_CONFIDENCE
    mark = "# ... existing code ...\n"
    assert plan_merge(Source.of_text(before), mark + snippet + mark, Policy()).ok


def test_blank_lines_that_stay_as_the_file_has_them_are_reported() -> None:
    before = "alpha = 1\n\n\nbeta = 2\ngamma = 3\n"
    made = plan_merge(Source.of_text(before), "alpha = 1\n\nbeta = 2\ngamma = 4\n", Policy())
    assert made.after.text == before.replace("3", "4")
    assert [outcome.tier for outcome in made.outcomes] == ["whitespace"]
    assert all(outcome.differs for outcome in made.outcomes)
    exact = plan_merge(Source.of_text(before), before.replace("3", "4"), Policy())
    assert [outcome.tier for outcome in exact.outcomes] == ["exact"]


KEYS = """\
import { One } from "./one"
import { Two } from "./two"

steps:
  - name: Lint
    run: make lint
  - name: Test
    run: make test
    env: none
limits:
  max_size: 10
  count: 3
"""


@table(
    ("snippet", "after"),
    [
        ("# ...\n  - name: Test\n    run: make check\n# ...\n", KEYS.replace("make test", "make check")),
        ("# ...\nlimits:\n  maxSize: 10\n# ...\n", KEYS.replace("max_size", "maxSize")),
        (
            '# ...\nimport { One } from "../one"\nimport { Two } from "./two"\n\nsteps:\n# ...\n',
            KEYS.replace("./one", "../one"),
        ),
    ],
)
def test_a_row_beside_a_mark_that_names_the_same_thing_as_the_files_row_replaces_it(snippet: str, after: str) -> None:
    assert merge(KEYS, snippet, path="a.yml", policy=Policy(guards=frozenset())).after.text == after


@table(
    ("before", "snippet"),
    [
        ("a = start()\nb = None\nc = run(b)\n", "# ...\nb = fetch()\nc = run(b)\n# ...\n"),
        ("first()\nx = [\n    1,\n]\nlast()\n", "# ...\nfirst()\nx = [2]\n# ...\n"),
        ("Fixed: one\nFixed: two\nFixed: three\n", "# ...\nFixed: one\nFixed: other\n# ...\n"),
        ("p {}\na:hover { x }\n", "# ...\np {}\na:focus { y }\n# ...\n"),
    ],
)
def test_a_row_beside_a_mark_that_may_come_in_beside_one_like_it_is_refused(before: str, snippet: str) -> None:
    assert not merge(before, snippet).ok
