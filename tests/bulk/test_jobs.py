"""Promise: a file of jobs is read line by line; a line that is no job is refused with its number, the others go on."""

from __future__ import annotations

import json
from pathlib import Path

from steadyhand.bulk.job import BadLine, Job, jobs_for, read_job, read_jobs, short_name
from steadyhand.bulk.run_store import BulkSettings
from steadyhand.errors import EditError, Kind
from tests.bulk.ground import Ground
from tests.table import table

PLAN = {"files": [{"path": "a.md", "edits": [{"target": "a", "new": "b"}]}]}
GOOD = {"key": "k", "root": "/srv/a", "plan": PLAN}


@table(
    ("changed", "field"),
    [
        ({"key": None}, "key"),
        ({"key": ""}, "key"),
        ({"key": "a\nb"}, "key"),
        ({"key": "x" * 201}, "key"),
        ({"root": None}, "root"),
        ({"repo": "git@host:a"}, "repo"),
        ({"root": "-x"}, "root"),
        ({"ref": "main"}, "ref"),
        ({"root": None, "repo": "--upload-pack=x"}, "repo"),
        ({"root": None, "repo": "https://a/b", "ref": "-x"}, "ref"),
        ({"plan": None}, ""),
        ({"patch": "x"}, ""),
        ({"plan": {"files": []}}, "files"),
        ({"plan": {"files": [{"path": "a", "edits": [{"target": "a", "nwe": "b"}]}]}}, "files[0].edits[0].nwe"),
        ({"policy": {"tire": "exact"}}, "policy.tire"),
        ({"policy": {"tier": "exacly"}}, "policy.tier"),
        ({"result": "brunch"}, "result"),
        ({"reasons": "x"}, "reasons"),
        ({"plan": None, "act": {"glob": [], "edits": [{"target": "a"}]}}, "act.glob"),
        ({"plan": None, "act": {"glob": "*.md", "edits": []}}, "act.edits"),
        ({"plan": None, "task": {"text": "x", "max_turns": 0}}, "task.max_turns"),
        ({"plan": None, "task": {}}, "task.text"),
        ({"plan": None, "impact": {"docs": "docs"}}, "impact.docs"),
        ({"plan": None, "impact": {"docs": ["docs", 1]}}, "impact.docs[1]"),
        ({"plan": None, "impact": {"mentions": "no"}}, "impact.mentions"),
        ({"plan": None, "impact": {"limit": 0}}, "impact.limit"),
        ({"plan": None, "act": {"glob": ["*.md", 1], "edits": [{"target": "a", "new": "b"}]}}, "act.glob[1]"),
        ({"plan": None, "act": {"glob": "*.md", "edits": [{"target": "a"}]}}, "act.edits[0]"),
        ({"policy": 3}, "policy"),
    ],
)
def test_a_job_that_is_wrong_is_refused_at_its_field(changed: dict[str, object], field: str) -> None:
    try:
        read_job({**GOOD, **changed})
    except EditError as error:
        assert error.kind is Kind.BAD_REQUEST
        assert error.details.get("path", field) == field
    else:
        raise AssertionError("it was taken")


@table(
    "job",
    [
        GOOD,
        {"key": "k", "repo": "https://host/a.git", "ref": "v1", "patch": "…", "result": "branch", "reason": "why"},
        {"key": "k", "root": "/a", "act": {"glob": ["*.md"], "edits": [{"target": "a", "new": "b"}]}, "result": "hold"},
        {"key": "k", "root": "/a", "task": {"text": "do it", "model": "openai:x"}, "policy": {"tier": "exact"}},
        {"key": "k", "root": "/a", "impact": {"base": "main"}, "result": "patch"},
    ],
)
def test_a_job_is_what_its_json_says(job: dict[str, object]) -> None:
    assert read_job(job).to_json() == job
    assert Job.of_json(read_job(job).to_json()) == read_job(job)


def test_broken_lines_are_counted_and_the_others_go_on() -> None:
    lines = [
        json.dumps(GOOD).encode(),
        b"",
        b"{broken",
        b"\xff",
        b"[" * 100_000,
        json.dumps({**GOOD, "key": "z"}).encode(),
    ]
    found = list(read_jobs(lines))
    assert [number for number, _ in found] == [1, 3, 4, 5, 6]
    assert [isinstance(each, Job) for _, each in found] == [True, False, False, False, True]
    assert all(each.error.kind is Kind.BAD_REQUEST for _, each in found if isinstance(each, BadLine))


def test_a_list_of_trees_is_a_job_for_each() -> None:
    lines = [b"# remark", b"/srv/a", b"https://host/b.git", b"git@host:c v2", b"/srv/d main", b"a b c"]
    found = dict(jobs_for(lines, "plan", PLAN, result="branch", reason="why"))
    jobs = [each for each in found.values() if isinstance(each, Job)]
    assert [(job.place, job.is_repo, job.ref) for job in jobs] == [
        ("/srv/a", False, None), ("https://host/b.git", True, None), ("git@host:c", True, "v2"),
        ("/srv/d", True, "main"),
    ]  # fmt: skip
    assert isinstance(found[6], BadLine)


def test_keys_name_one_job_each(tmp_path: Path) -> None:
    store = Ground(tmp_path).store()
    run = store.make_run(BulkSettings())
    other = {**GOOD, "root": "/srv/b"}
    lines = [json.dumps(each).encode() for each in (GOOD, GOOD, other)]
    for _ in range(2):  # the same file once more adds nothing
        store.add(run, list(read_jobs([*lines, b"{broken"])))
        assert dict(store.status(run).counts) | {"waiting": 1, "refused": 2} == dict(store.status(run).counts)
    refused = list(store.jobs(run, ("refused",)))
    assert [(job.key, job.kind) for job in refused] == [("line 3", "bad-request"), ("line 4", "bad-request")]
    assert "already used in line 1" in str(refused[0].error)


@table("at_once", [1, 2, 5])
def test_a_file_that_is_given_again_in_other_parts_adds_what_is_new(at_once: int, tmp_path: Path) -> None:
    other = {**GOOD, "patch": "x", "plan": None}
    rows = [{**GOOD, "key": "line 4"}, GOOD, other, {**GOOD, "key": 3}, {**GOOD, "key": "l"}]
    jobs = list(read_jobs(json.dumps(row).encode() for row in rows))
    store = Ground(tmp_path).store()
    run = store.make_run(BulkSettings())
    for _ in range(2):
        for start in range(0, len(jobs), at_once):
            store.add(run, jobs[start : start + at_once])
    kept = {job.key: job.state for job in store.jobs(run)}
    assert kept == {"line 1": "refused", "k": "waiting", "line 3": "refused", "line 4": "refused", "l": "waiting"}
    counts = store.status(run).counts
    assert (counts["waiting"], counts["refused"]) == (2, 3)


def test_short_names_do_not_meet() -> None:
    assert len({short_name(key) for key in ("a/b", "a-b", "a b", "A b")}) == 4
