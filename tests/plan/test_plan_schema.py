"""The JSON Schema of the plan format takes what `apply` takes, and refuses what it refuses by its shape."""

from __future__ import annotations

from typing import Any

import jsonschema

from steadyhand.errors import EditError
from steadyhand.plan.request import REQUEST_VERBS, plan_schema, requests_from_json
from tests.table import table

EDIT = {"target": "a", "new": "b"}
GOOD: list[dict[str, Any]] = [
    {"path": "a", "edits": [EDIT, EDIT | {"occurrence": "all", "reason": "r"}, EDIT | {"expected": 2}]},
    {"path": "a", "edits": [{"target": {"at": "lines:3-5"}, "insert": "x", "where": "before"}], "expect": "0" * 16},
    {"path": "a", "edits": [{"target": {"lines": [3, 5]}, "delete": True}]},
    {"path": "a", "edits": [{"target": {"key": "a.b"}, "act": "set-key", "args": {"value": 3}}]},
    {"path": "a", "write": "x", "allow_shrink": True},
    {"path": "a", "create": "x", "mode": "0755"},
    {"path": "a", "delete": True},
    {"path": "a", "rename_to": "b"},
    {"path": "a", "copy_to": "b"},
    {"path": "a", "merge": "x"},
    {"path": "a", "move": {"at": "lines:1-2"}, "to": {"path": "b", "where": "end"}},
    {"path": "a", "mode": "0644"},
]
BAD: list[dict[str, Any]] = [
    {"path": "a"},
    {"edits": [EDIT]},
    {"path": "a", "edits": []},
    {"path": "a", "edits": [{"target": "a"}]},
    {"path": "a", "edits": [{"new": "b"}]},
    {"path": "a", "edits": [EDIT | {"delete": True}]},
    {"path": "a", "edits": [EDIT | {"nwe": "b"}]},
    {"path": "a", "edits": [EDIT | {"occurrence": "some"}]},
    {"path": "a", "edits": [EDIT], "write": "x"},
    {"path": "a", "delete": True, "allow_shrink": True},
    {"path": "a", "write": 3},
    {"path": "a", "wirte": "x"},
]


def is_valid(request: dict[str, Any]) -> bool:
    validator = jsonschema.Draft202012Validator(plan_schema())
    return bool(validator.is_valid({"files": [request]}))


def test_it_is_a_schema_and_every_verb_is_tried() -> None:
    jsonschema.Draft202012Validator.check_schema(plan_schema())
    assert {verb for request in GOOD for verb in REQUEST_VERBS if verb in request} == set(REQUEST_VERBS)


@table("request_", GOOD)
def test_what_apply_takes_is_valid(request_: dict[str, Any]) -> None:
    assert requests_from_json({"files": [request_]}).files
    assert is_valid(request_)


@table("request_", BAD)
def test_what_apply_refuses_is_not(request_: dict[str, Any]) -> None:
    try:
        requests_from_json({"files": [request_]})
    except EditError:
        assert not is_valid(request_)
    else:
        raise AssertionError("apply takes it")


def test_the_whole_plan() -> None:
    validator = jsonschema.Draft202012Validator(plan_schema())
    assert validator.is_valid({"files": GOOD, "reason": "r", "partial": True})
    for wrong in ({}, {"files": []}, {"files": GOOD, "dry_run": True}, {"files": GOOD, "partial": "yes"}):
        assert not validator.is_valid(wrong)
