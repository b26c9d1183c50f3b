"""What holds for the tools of every toolset: what they take, what a change and a refusal report, what is recorded."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.tools.result import failed
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.table import table
from tests.tools.examples import Case, all_examples, case_name, lay_out, make_calls, split_settings
from tests.tools.ground import make, tree
from tests.tools.hints import check_hints, fields_in

OWN = [name for name, toolset in toolsets().items() if not toolset.is_native]
NAMES = ("article", "claude", "claude-code", "coder", "core", "gemini", "openai", "site", "surgical", "vault")
WHOLE = [("article", "write_file"), ("surgical", "write_file"), ("coder", "write_file"), ("core", "write")]
CASES = [case for case in all_examples() if case[0] in OWN]
# What only the host decides.
HOSTS = {"root", "article", "prefix", "extensions", "backup", "policy", "tier", "guards", "allow", "overwrite"}


def answered(case: Case, root: Path) -> dict[str, Any]:
    name, tool, example = case
    lay_out(root, example.files)
    own, settings = split_settings(example.settings)
    with sh.Workspace(root, actor="contracts", **own) as workspace:
        return make_calls(workspace.tools(name, **settings), tool, example, root)


# What they take.


@table("name", OWN)
def test_whoever_changes_files_may_say_why_and_no_argument_is_the_hosts(name: str) -> None:
    for tool in tools_of(name):
        taken = fields_in(tool.parameters)
        assert tool.trust == "read" or "reason" in taken, tool.name
        assert not taken & HOSTS, tool.name


def test_a_whole_file_is_written_with_a_hash_and_with_leave_to_shrink() -> None:
    for name, writer in [*WHOLE, ("site", "writeFiles")]:
        (tool,) = (each for each in tools_of(name) if each.name == writer)
        assert fields_in(tool.parameters) >= {"expect" if name == "core" else "expectedHash", "allow_shrink"}


@table(
    "settings",
    [
        {"article": 3},
        {"extensions": ".md"},
        {"overwrite": "no"},
        {"allow_shrink": 1},
        {"conversation": 7},
        {"conversation": ""},
        {"model": b"m"},
    ],
)
def test_a_slip_in_the_hosts_settings_opens_nothing(settings: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(EditError) as refused:
        make(tmp_path, {"a.md": "one\n"}).tools("site", **settings)
    assert refused.value.kind is Kind.BAD_REQUEST


def test_a_kit_is_had_by_name_lists_schemas_and_has_a_prompt(tmp_path: Path) -> None:
    workspace = make(tmp_path, {})
    assert tuple(sorted(toolsets())) == NAMES
    for name in NAMES:
        kit = workspace.tools(name, article=Path("docs/a.md"), conversation="talk", policy=sh.Policy())
        for style in ("openai", "openai-strict", "anthropic", "mcp"):
            assert len(kit.schemas(style)) == len(kit.tools) > 0
        assert kit.prompt().startswith("## ")
        assert kit.conversation.id == "talk"


# How they answer.


@table("case", CASES, ids=case_name, every=2)
def test_a_change_is_shown_by_hash_lines_and_what_is_around(case: Case, tmp_path: Path) -> None:
    answer = answered(case, tmp_path)
    check_hints(case[0], answer)
    if failed(answer):
        check_refusal(answer)
        return
    said = str(answer.get("path") or answer.get("filePath") or answer.get("file"))
    if "fileHash" not in answer or answer.get("dryRun"):
        return
    data = (tmp_path / said).read_bytes()
    assert answer["fileHash"] == hashlib.sha256(data).hexdigest()[:16]
    lines, around = answer.get("lines", answer.get("affectedLines")), answer.get("context")
    if isinstance(lines, Mapping) and isinstance(around, Mapping):
        rows = data.decode().splitlines()
        assert rows[max(lines["start"] - 4, 0) : lines["start"] - 1] == around["beforeLines"]
        assert set(around["afterLines"]) <= set(rows)
        assert len(around["afterLines"]) <= 3


def check_refusal(answer: dict[str, Any]) -> None:
    """The fields of every refusal; `error` is message and hint in one."""
    assert {"error", "kind", "message", "hint", "details"} <= set(answer)
    assert answer["error"] == "\nHint: ".join(filter(None, (answer["message"], answer["hint"])))
    assert Kind(answer.get("reason", answer["kind"]))  # type: ignore[call-arg]
    assert len(answer["error"].split("\n")) <= 15


@table("name", toolsets())
def test_a_tool_that_there_is_not_is_refused_in_the_form_of_the_toolset(name: str, tmp_path: Path) -> None:
    answer: Any = make(tmp_path, {}).tools(name).call("no_such_tool", {})
    assert (answer["kind"], failed(answer)) == ("bad-request", True)
    form = "is_error" if toolsets()[name].is_native else "status" if name == "vault" else "success"
    assert [each for each in ("success", "status", "is_error") if each in answer] == [form]
    check_hints(name, answer)


NEW_FILES: list[tuple[str, str, dict[str, Any]]] = [
    ("coder", "write_patch", {"path": "n.txt", "patch": "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"}),
    ("coder", "write_file", {"path": "n.txt", "content": "one\ntwo\n"}),
    ("core", "edit", {"path": "n.txt", "create": "one\ntwo\n"}),
    ("core", "write", {"path": "n.txt", "content": "one\ntwo\n"}),
]


@table(("toolset", "tool", "sent"), NEW_FILES, ids=[f"{row[0]}.{row[1]}" for row in NEW_FILES])
def test_a_new_file_is_shown_with_all_its_lines(toolset: str, tool: str, sent: dict[str, Any], tmp_path: Path) -> None:
    answer: dict[str, Any] = make(tmp_path, {}).tools(toolset).call(tool, sent)
    assert (answer["success"], answer["lines"]) == (True, {"start": 1, "end": 2})
    assert answer["context"] == {"beforeLines": [], "afterLines": []}


@table(("toolset", "tool"), [*WHOLE, ("site", "writeFiles")])
@table("mode", [None, "modify"])
def test_the_hash_of_a_file_that_was_not_read_is_shown_by_no_refusal(
    toolset: str, tool: str, mode: str | None, tmp_path: Path
) -> None:
    kit = make(tmp_path, {"a.txt": "one\ntwo\n"}, mode=mode).tools(toolset)
    file = {"file" if toolset == "site" else "path": "a.txt", "content": "1\n"}
    answer = kit.call(tool, {"files": [file]} if toolset == "site" else file)
    assert failed(answer)
    assert hashlib.sha256(b"one\ntwo\n").hexdigest()[:12] not in str(answer)


def test_a_range_that_runs_backwards_is_reported_in_the_fields_of_the_tool(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": "1\n2\n3\n4\n"}).tools("coder")
    right = {"range": {"start": 1, "end": 1}, "newText": "x"}
    answer: Any = kit.call(
        "apply_edits", {"path": "a.txt", "edits": [right, right | {"range": {"start": 4, "end": 2}}]}
    )
    assert (answer["kind"], answer["details"]["path"]) == ("bad-request", "edits[1].range")
    assert "start 2, end 4" in answer["hint"]


# Tasks that meet, and what the host says of it.


@table(("policy", "after"), [("refuse", "A\n"), ("skip", "A\n"), ("force", "A\nB\n")])
def test_a_conflict_is_refused_or_skipped_and_forced_only_if_the_host_says_so(
    policy: Any, after: str, tmp_path: Path
) -> None:
    first = make(tmp_path, {"a.txt": "one\n"}, task="A").tools("surgical")
    second = make(tmp_path, {}, task="B").tools("surgical", policy=sh.Policy(on_conflict=policy))
    for kit in (first, second):
        kit.call("read_file", {"path": "a.txt"})
    first.call("insert_at", {"path": "a.txt", "line": -1, "content": "A\n"})
    answer = second.call("insert_at", {"path": "a.txt", "line": -1, "content": "B\n"})
    assert tree(tmp_path)["a.txt"].decode() == f"one\n{after}"
    assert (answer["success"], answer.get("kind")) == ((True, None) if policy == "force" else (False, "conflict"))


def test_a_file_is_built_up_in_phases_by_tasks_that_each_add_to_it(tmp_path: Path) -> None:
    make(tmp_path, {}, task="1", mode="generate").tools("surgical").call(
        "write_file", {"path": "app.py", "content": "import os\n"}
    )
    for number in ("2", "3"):
        kit = make(tmp_path, {}, task=number, mode="modify").tools("surgical")
        kit.call("read_file", {"path": "app.py"})
        added = {"path": "app.py", "line": -1, "content": f"\n\ndef step_{number}():\n    return {number}\n"}
        assert kit.call("insert_at", added)["success"] is True
    assert [row for row in tree(tmp_path)["app.py"].decode().split("\n") if row][::2] == [
        "import os",
        "    return 2",
        "    return 3",
    ]


def test_a_task_is_taken_back_with_a_file_that_it_made_renamed_and_deleted(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": "one\n"}, task="T").tools("core")
    for sent in (
        {"path": "n.txt", "create": "x\n"},
        {"path": "n.txt", "edits": [{"target": "x", "new": "y"}]},
        {"path": "n.txt", "rename_to": "m.txt"},
        {"path": "m.txt", "delete": True},
        {"path": "a.txt", "edits": [{"target": "one", "new": "1"}]},
    ):
        assert kit.call("edit", sent)["success"] is True, sent
    assert kit.call("undo", {"task": "T"})["success"] is True
    assert tree(tmp_path) == {"a.txt": b"one\n"}


# What is recorded.

EDIT = {"old_string": "one", "new_string": "1", "reason": "digits"}


def test_a_task_whose_only_call_was_refused_has_failed_and_not_been_skipped(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "one\n", "b.md": "two\n"}, task="T")
    workspace.tools("article").call("edit_article", {"path": "b.md", "edits": [EDIT]})
    said = workspace.audit("b.md")
    assert (said["status"], said["toolUsage"]) == ("failed", {"edit_article": {"calls": 1, "refused": 1}})
    assert workspace.audit("a.md")["status"] == "skipped"


@table("wrong", [{"reason": " "}, {"old_string": ""}, {"old_string": "zzz"}, {"more": 1}])
def test_every_refused_call_counts_for_the_file_it_names(wrong: dict[str, object], tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "one\n"}, task="T")
    kit = workspace.tools("article", model="m-1")
    assert kit.call("edit_article", {"path": "a.md", "edits": [EDIT | wrong]})["success"] is False
    assert kit.call("edit_article", {"path": "a.md", "edits": [EDIT]})["success"] is True
    said = workspace.audit("a.md")
    assert (said["status"], said["editReasons"]) == ("updated", ["digits"])
    assert said["toolUsage"] == {"edit_article": {"calls": 2, "refused": 1}}
    assert "error" not in said


SHARED = {
    "core": (
        "edit",
        {"path": "a.txt", "edits": [{"target": "a\nb", "new": "A\nb"}, {"target": "b\nc", "new": "b\nC"}]},
    ),
    "article": (
        "edit_article",
        {
            "path": "a.txt",
            "edits": [
                {"old_string": "a\nb", "new_string": "A\nb", "reason": "x"},
                {"old_string": "b\nc", "new_string": "b\nC", "reason": "y"},
            ],
        },
    ),
}


@table("toolset", SHARED)
def test_edits_of_one_call_may_share_context(tmp_path: Path, toolset: str) -> None:
    tool, sent = SHARED[toolset]
    settings = {"article": "a.txt", "extensions": [".txt"]} if toolset == "article" else {}
    answer: Any = make(tmp_path, {"a.txt": "a\nb\nc\n"}).tools(toolset, **settings).call(tool, sent)
    assert answer["success"] is True, answer
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "A\nb\nC\n"
