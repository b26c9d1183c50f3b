"""A policy that makes no sense is refused when it is made."""

from __future__ import annotations

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.plan.policy import Policy
from tests.table import table


@table(
    ("name", "value"),
    [
        ("tier", "fuzy"),
        ("tier", 3),
        ("occurrence", "some"),
        ("occurrence", None),
        ("occurrence", 0),
        ("batch", "parallel"),
        ("partial", 1),
        ("require_reason", "yes"),
        ("on_stale", "ignore"),
        ("on_drift", ""),
        ("on_conflict", None),
        ("already", "apply"),
        ("guards", "shrink"),
        ("guards", {"shrunk"}),
        ("guards", {1}),
        ("backup", "both"),
        ("hardlinks", "keep"),
        ("newlines", "crlf"),
    ],
)
def test_a_setting_that_does_not_exist_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(EditError) as caught:
        Policy(**{name: value})  # type: ignore[arg-type]
    assert caught.value.kind == Kind.BAD_REQUEST
    assert caught.value.details["path"] == f"policy.{name}"


def test_the_usual_policy_refuses_rather_than_guesses() -> None:
    usual = Policy()
    assert (usual.occurrence, usual.batch, usual.partial) == ("unique", "sequential", False)
    assert (usual.on_stale, usual.on_drift, usual.on_conflict, usual.already) == ("refuse",) * 4
    assert usual.to_json() == {}


def test_only_what_differs_is_written_down() -> None:
    assert Policy(occurrence="all", guards=frozenset({"shrink"})).to_json() == {
        "occurrence": "all",
        "guards": ["shrink"],
    }


def test_guards_can_be_chosen_and_all_are_asked_otherwise() -> None:
    assert Policy().wants_guard("shrink")
    assert not Policy(guards=frozenset({"limits"})).wants_guard("shrink")
