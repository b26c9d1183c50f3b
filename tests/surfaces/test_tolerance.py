"""What is tolerated is reported, and what is refused comes with what to type instead."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.match.tier import step_names
from steadyhand.plan.policy import Policy
from steadyhand.surfaces.cli.options import OnDrift, policy_of
from steadyhand.surfaces.cli.refusal import corrected_options, error_lines, typed
from steadyhand.surfaces.cli.render import finding
from steadyhand.surfaces.terminal import Line, paint
from tests.surfaces.shell import Shell
from tests.table import table

FETCH = """\
RETRIES = 3

def fetch(url):
    # the gateway drops a call now and then
    for attempt in range(RETRIES):
        answer = get(url, timeout=10)
        if answer.ok:
            return answer

def ping(url):
    return get(url, timeout=10).ok
"""
DRIFTED = """\
    for attempt in range(RETRIES):
        answer = get(url, timeout=30)
        if answer.ok:"""
MERGED = DRIFTED.replace("get(", "load(")


@pytest.fixture
def fetching(shell: Shell) -> Shell:
    (shell.root / "fetch.py").write_text(FETCH)
    return shell


def shown(lines: list[Line]) -> list[str]:
    return list(paint(lines, color=False))


def test_an_exact_find_is_no_news(fetching: Shell) -> None:
    assert "found at" not in fetching.ok("edit", "fetch.py", "--old", "RETRIES = 3", "--new", "RETRIES = 5")


@table("tier", [None, "exact", "lines", "anchor"])
def test_nothing_is_said_of_a_place_that_was_named_exactly(tier: str | None) -> None:
    assert finding(tier, 1.0, 1.0, ()) is None


def test_the_confidence_is_shown_and_never_rounded_to_one() -> None:
    assert finding("typography", 0.9996, 0.9996, ("typography",)) == "matched ignoring typography (confidence 0.99)"
    assert finding("fuzzy", 0.9, 0.96, ("wording", "indentation")) == (
        "matched ignoring wording, indentation (confidence 0.90)"
    )
    assert finding("fuzzy", None, 0.96, ("wording",)) == "matched ignoring wording (similarity 0.96)"
    assert finding("newline", 1.0, 1.0, ("line endings",)) == "matched ignoring line endings"


@pytest.mark.parametrize("command", [["edit"], ["edit", "--dry-run"], ["diff"], ["edit", "--quiet"]])
def test_a_tolerant_find_is_reported_wherever_it_is_used(fetching: Shell, command: list[str]) -> None:
    answer = fetching.ok(command[0], "fetch.py", "--old", "RETRIES  =  3", "--new", "RETRIES  =  5", *command[1:])
    assert "note: matched ignoring blanks inside lines (confidence 0." in answer


def test_programs_get_the_confidence_of_a_match(fetching: Shell) -> None:
    document = fetching.json("edit", "fetch.py", "--old", "RETRIES  =  3", "--new", "RETRIES  =  5")
    (outcome,) = document["receipt"]["outcomes"]
    assert outcome["tier"] == "whitespace"
    assert outcome["differs"] == ["blanks inside lines"]
    assert 0.5 < outcome["similarity"] < 1
    assert 0.5 < outcome["confidence"] < 1
    (entry,) = fetching.json("log")["entries"]
    assert entry["files"][0]["edits"][0]["differs"] == ["blanks inside lines"]
    assert "edit 1, line 1: matched ignoring blanks inside lines (similarity 0." in fetching.ok("show", entry["id"])


def test_of_several_edits_each_note_says_which_it_is_about(fetching: Shell) -> None:
    edits = '[{"target": "RETRIES  =  3", "new": "RETRIES  =  5"}, {"target": "ping", "new": "pong"}]'
    answer = fetching.ok("apply", stdin=f'{{"files": [{{"path": "fetch.py", "edits": {edits}}}]}}')
    assert "  note: edit 1, fetch.py line 1: matched ignoring blanks inside lines" in answer
    assert answer.count("note:") == 1


@pytest.mark.parametrize("command", ["edit", "diff"])
def test_the_laxest_tier_can_be_named(fetching: Shell, command: str) -> None:
    sloppy = (command, "fetch.py", "--old", "RETRIES  =  3", "--new", "RETRIES  =  5")
    assert fetching.kind(*sloppy, "--tier", "exact") == "no-match"
    assert fetching.kind(*sloppy, "--tier", "repair") == "no-match"
    fetching.ok(*sloppy, "--tier", "whitespace")


def test_a_deletion_an_insertion_and_a_plan_take_the_tier_too(fetching: Shell) -> None:
    assert fetching.kind("delete", "fetch.py", "--old", "RETRIES  =  3", "--tier", "exact") == "no-match"
    assert fetching.kind("insert", "fetch.py", "x", "--after", "RETRIES  =  3", "--tier", "exact") == "no-match"
    plan = '{"files": [{"path": "fetch.py", "edits": [{"target": "RETRIES  =  3", "new": "RETRIES  =  5"}]}]}'
    assert fetching.kind("apply", "--tier", "exact", stdin=plan) == "no-match"
    fetching.ok("apply", stdin=plan)


def test_a_tier_that_is_none_is_answered_with_those_there_are(fetching: Shell) -> None:
    error = fetching.refused("edit", "fetch.py", "--old", "a", "--new", "b", "--tier", "sloppy")
    assert error["kind"] == "bad-request"
    assert all(name in error["message"] for name in step_names())


def test_the_options_know_what_the_policy_knows() -> None:
    assert get_args(OnDrift) == get_args(get_type_hints(Policy)["on_drift"])
    assert policy_of(None, None) is None
    assert policy_of("repair", "merge") == Policy(tier="repair", on_drift="merge")


def test_drift_is_refused_with_both_lines_and_merged_when_asked(fetching: Shell) -> None:
    edit = ("edit", "fetch.py", "--old", DRIFTED, "--new", MERGED)
    answer = fetching.run(*edit).stderr
    assert "line 6:         answer = get(url, timeout=10)" in answer
    assert "you sent:         answer = get(url, timeout=30)" in answer
    assert fetching.refused(*edit)["details"]["corrected"]["new"].count("load(url, timeout=10)") == 1
    fetching.ok(*edit, "--on-drift", "merge")
    assert "        answer = load(url, timeout=10)\n" in fetching.text("fetch.py")


def test_the_corrected_call_does_what_it_promises_when_pasted(fetching: Shell) -> None:
    answer = fetching.run("edit", "fetch.py", "--old", DRIFTED, "--new", MERGED, "--reason", "it's quicker").stderr
    _, _, call = answer.partition("corrected call:\n")
    program, *words = shlex.split(call)
    assert program == "steadyhand"
    fetching.ok(*words)
    assert fetching.text("fetch.py") == FETCH.replace("answer = get(", "answer = load(")
    assert fetching.json("log")["entries"][0]["reason"] == "it's quicker"


def test_a_plan_is_offered_the_edit_in_its_own_form(fetching: Shell) -> None:
    plan = {"files": [{"path": "fetch.py", "edits": [{"target": DRIFTED, "new": MERGED}]}]}
    answer = fetching.run("apply", stdin=json.dumps(plan)).stderr
    offered = next(row.removeprefix("corrected: ") for row in answer.splitlines() if row.startswith("corrected: "))
    plan["files"][0]["edits"] = [json.loads(offered)]
    fetching.ok("apply", stdin=json.dumps(plan))


def test_places_are_numbered_as_they_are_asked_for_and_distinguished(fetching: Shell) -> None:
    answer = fetching.run("edit", "fetch.py", "--old", "timeout=10", "--new", "timeout=60").stderr
    assert "  1. line 6: answer = get(url, timeout=10)\n" in answer
    assert "  2. line 11: return get(url, timeout=10).ok\n" in answer
    assert "add more of it, 'timeout=10).', to old and new text" in answer
    fetching.ok("edit", "fetch.py", "--old", "timeout=10", "--new", "timeout=60", "--occurrence", "2")
    assert "return get(url, timeout=60)" in fetching.text("fetch.py")


def test_an_old_text_is_not_reported_without_the_new_text_that_goes_with_it() -> None:
    places = [{"lines": [n, n], "occurrence": n, "unique_old": f"{'x' * 30}\n{n}"} for n in (1, 2)]
    error = EditError(Kind.AMBIGUOUS_MATCH, "two:\n  line 1: a\n  line 2: a", details={"candidates": places})
    assert shown(error_lines(error)) == ["ambiguous-match: two:", "  1. line 1: a", "  2. line 2: a"]


NOT_OFFERED = [
    ("edit", {"target": {"lines": [1, 2]}, "new": "x"}),
    ("edit", {"target": "a\0b", "new": "x"}),
    ("edit", {"target": "a" * 5_000, "new": "x"}),
    ("insert", {"target": "a", "insert": "--json", "where": "after"}),
    ("apply", {"target": "a", "new": "b"}),
    (None, {"target": "a", "new": "b"}),
]


@table(("command", "edit"), NOT_OFFERED)
def test_no_call_is_offered_that_cannot_be_typed(command: str | None, edit: dict[str, object]) -> None:
    assert corrected_options(EditError(Kind.NO_MATCH, "m", details={"corrected": edit}), command) is None


WORDS = ["a b", "it's", "a\nb", "a\tb", "tab\t'quoted'\\n", "\x1b[31mred", "\u202ereversed", "caf\udce9", "\x85", "猫"]


@table("text", WORDS)
@table("one_line", [False, True])
def test_a_typed_word_reads_back_as_the_same_text(text: str, one_line: bool, tmp_path: Path) -> None:
    word = typed(text, one_line=one_line)
    assert "\x1b" not in word
    assert not (one_line and "\n" in word)
    script = f"printf %s {word}".encode("utf-8", "surrogateescape")
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    assert done.stdout.decode("utf-8", "surrogateescape") == text
