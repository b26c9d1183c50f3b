"""The error contract: a closed set of kinds, each saying what to do next, and one exception that carries them."""

from __future__ import annotations

import json
import pickle

import pytest

from steadyhand.errors import Action, EditError, Kind
from tests.table import table

FIRST_SET = """
    no-match ambiguous-match low-confidence count-mismatch already-applied no-change overlapping-edits stale-source
    conflict drift-conflict malformed-patch out-of-bounds no-such-target unparsable not-text unencodable outside-root
    protected-path not-allowed read-only no-such-file exists-already too-large placeholder-left suspicious-shrink
    breaks-syntax unseen-text reason-required loses-attention bad-request busy timed-out cancelled not-installed
    disk-refused journal-damaged cannot-undo internal
""".split()


def test_the_kinds_are_exactly_the_promised_ones() -> None:
    assert sorted(Kind) == sorted(FIRST_SET)


def test_no_two_kinds_share_an_exit_code() -> None:
    codes = [kind.exit_code for kind in Kind]
    assert len(set(codes)) == len(codes)


@table("kind", Kind)
def test_an_exit_code_is_neither_success_nor_the_shells(kind: Kind) -> None:
    assert 1 < kind.exit_code < 126


@table("kind", Kind)
def test_every_kind_says_what_it_means_in_one_sentence(kind: Kind) -> None:
    assert kind.doc[0].isupper()
    assert kind.doc.endswith(".")
    assert "\n" not in kind.doc
    assert ". " not in kind.doc


@table("kind", Kind)
def test_every_kind_says_what_the_caller_should_do(kind: Kind) -> None:
    assert isinstance(kind.action, Action)


@table("kind", Kind)
def test_a_name_is_kebab_case_and_finds_its_kind(kind: Kind) -> None:
    assert kind.value == kind.name.lower().replace("_", "-")
    assert Kind(kind.value) is kind
    assert str(kind) == kind.value


def test_every_action_is_some_kinds() -> None:
    assert {kind.action for kind in Kind} == set(Action)


def test_only_the_bug_kind_asks_to_report_a_bug() -> None:
    assert [kind for kind in Kind if kind.action is Action.REPORT_BUG] == [Kind.INTERNAL]


def test_an_unknown_name_is_not_a_kind() -> None:
    with pytest.raises(ValueError, match="no-idea"):
        Kind("no-idea")


def test_an_error_shows_kind_and_message_but_not_the_hint() -> None:
    error = EditError(Kind.NO_MATCH, "old text not found in a.md", hint="read a.md again")
    assert str(error) == "no-match: old text not found in a.md"


def test_the_json_form_has_kind_message_hint_action_and_details() -> None:
    error = EditError(Kind.STALE_SOURCE, "a.md moved on", hint="read a.md again", details={"path": "a.md", "line": 3})
    assert json.loads(json.dumps(error.to_json())) == {
        "kind": "stale-source",
        "message": "a.md moved on",
        "hint": "read a.md again",
        "action": "re-read",
        "details": {"path": "a.md", "line": 3},
    }


def test_an_error_without_hint_and_details_says_so() -> None:
    form = EditError(Kind.BUSY, "a.md is held").to_json()
    assert form["hint"] is None
    assert form["details"] == {}


def test_details_cannot_be_changed_from_outside() -> None:
    given = {"path": "a.md"}
    error = EditError(Kind.NO_MATCH, "m", details=given)
    given["path"] = "b.md"
    assert error.details["path"] == "a.md"
    with pytest.raises(TypeError):
        error.details["path"] = "c.md"  # type: ignore[index]


def test_more_details_never_replace_the_ones_nearer_to_the_cause() -> None:
    error = EditError(Kind.NO_MATCH, "m", hint="h", details={"path": "near"}).with_details(path="far", index=2)
    assert dict(error.details) == {"path": "near", "index": 2}
    assert (error.kind, error.message, error.hint) == (Kind.NO_MATCH, "m", "h")


def test_an_error_survives_the_way_between_processes() -> None:
    error = EditError(Kind.CONFLICT, "m", hint="h", details={"lines": [1, 2]})
    copy = pickle.loads(pickle.dumps(error))
    assert copy.to_json() == error.to_json()
