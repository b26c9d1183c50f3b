"""An edit whose context is of another part of the file is refused in every policy, however sure its own lines are."""

from __future__ import annotations

import steadyhand as sh
from steadyhand import Policy, Replace
from tests.table import table

COMPOSE = """\
services:
  web:
    image: nginx
    environment:
      LOG_LEVEL: debug_verbose
  api:
    image: backend
    environment:
      LOG_LEVEL: info
"""
RULES = """\
.header {
  color: red;
  background-color: #fafafa;
}
.footer {
  color: blue;
  background-color: #efefef;
}
"""
SECTIONS = "[web]\nname = frontend_server_one\nport = 80\n\n[db]\nname = database_server\nport = 5432\n"
OBJECTS = 'const a = {\n  name: "first entry",\n  color: "red",\n};\n\nconst b = {\n  name: "second",\n};\n'
GUIDE = "# Guide\n\n## Setup\n\nRun the installer program.\nThen wait.\n\n## API\n\nCall the endpoint.\n"

CASES = {
    "the head of another entry above a row that both have": (
        "compose.yaml",
        COMPOSE,
        "  api:\n    environment:\n      LOG_LEVEL: debug_verbose\n",
        ("debug_verbose", "warn"),
    ),
    "all of another entry": (
        "compose.yaml",
        COMPOSE,
        "  api:\n    image: backend\n    environment:\n      LOG_LEVEL: debug_verbose\n",
        ("debug_verbose", "warn"),
    ),
    "an entry that is not there": (
        "compose.yaml",
        COMPOSE,
        "  mailer:\n    environment:\n      LOG_LEVEL: debug_verbose\n",
        ("debug_verbose", "warn"),
    ),
    "another rule": ("a.css", RULES, ".footer {\n  background-color: #fafafa;\n}\n", ("fafafa", "000000")),
    "another rule, more of it": (
        "a.css",
        RULES,
        ".footer {\n  color: red;\n  background-color: #fafafa;\n}\n",
        ("fafafa", "000000"),
    ),
    "another section": ("a.ini", SECTIONS, "[db]\nname = frontend_server_one\nport = 80\n", ("frontend", "backend")),
    "a section that is not there": (
        "a.ini",
        SECTIONS,
        "[cache]\nname = frontend_server_one\nport = 80\n",
        ("frontend", "backend"),
    ),
    "another object": ("a.js", OBJECTS, 'const b = {\n  name: "first entry",\n', ("first entry", "third")),
    "an object that is not there": (
        "a.js",
        OBJECTS,
        'const c = {\n  name: "first entry",\n  color: "green",\n',
        ("first entry", "third"),
    ),
    "another heading": ("a.md", GUIDE, "## API\n\nRun the installer program.\nThen wait.\n", ("installer", "setup")),
}


@table("on_drift", ["refuse", "merge", "new"])
@table("name", CASES)
def test_context_of_another_part_is_refused(name: str, on_drift: str) -> None:
    path, text, old, change = CASES[name]
    policy = Policy(on_drift=on_drift)  # type: ignore[arg-type]
    result = sh.edit(text, [Replace(old, old.replace(*change))], path=path, policy=policy)
    assert not result.ok
    assert result.error is not None
    assert "corrected" not in result.error.details


@table("on_drift", ["refuse", "merge", "new"])
def test_a_misspelt_head_is_no_other_part(on_drift: str) -> None:
    old = ".headr {\n  background-color: #fafafa;\n}\n"
    policy = Policy(on_drift=on_drift)  # type: ignore[arg-type]
    result = sh.edit(RULES, [Replace(old, old.replace("fafafa", "000000"))], path="a.css", policy=policy)
    assert result.text == RULES.replace("fafafa", "000000")


def test_equal_edits_do_not_count_parts_of_words() -> None:
    twice = [Replace("x = 1", "x = 2"), Replace("x = 1", "x = 2")]
    refused = sh.edit("x = 1\ny = 0\nx = 10\n", twice)
    assert refused.error is not None
    assert refused.error.kind == sh.Kind.AMBIGUOUS_MATCH
    assert sh.edit("x = 1\ny = 0\nx = 1\n", twice).text == "x = 2\ny = 0\nx = 2\n"


def test_a_list_with_other_blanks_is_no_diff_of_the_line_beside_it() -> None:
    text = "- first\n- keep  this item\nkeep this item\n"
    assert not sh.edit(text, [Replace("- keep this item", "- keep that item")], path="a.md").ok
    assert sh.edit("keep this\n", [Replace("-keep this", "+keep that")], path="a.md").text == "keep that\n"


def test_lines_that_are_only_taken_away_must_be_those_quoted() -> None:
    text = "def f():\n    a = 1\n    b = 2\n    c = 3\n    return a + b + c\n"
    for on_drift in ("refuse", "merge", "new"):
        policy = Policy(on_drift=on_drift)  # type: ignore[arg-type]
        result = sh.edit(text, [Replace("    b = 2\n    b = 5\n", "")], path="a.py", policy=policy)
        assert not result.ok


@table("on_drift", ["refuse", "merge", "new"])
def test_no_policy_of_drift_believes_other_context_around_lines_that_have_not_drifted(on_drift: str) -> None:
    row = "from .response_reasoning_text_done_event import ResponseReasoningTextDoneEvent"
    others = "".join(f"import module_{number}\n" for number in range(30))
    text = f"from typing import Union\n\nfrom .utils import Info\n{others}{row}\nimport end\n"
    old = f"from typing import Union\n{row}\n\nfrom .utils import Info\n"
    policy = Policy(on_drift=on_drift)  # type: ignore[arg-type]
    assert not sh.edit(text, [Replace(old, old.replace("Reasoning", "Reasoned"))], policy=policy).ok
