"""What every adapter is made of: calls in full for the application, in few words for the model, stopped when asked."""

from __future__ import annotations

import asyncio
import builtins
import importlib
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

import steadyhand as sh
from steadyhand.tools.framework_calls import Made, make_call, make_call_async
from steadyhand.workspace.locks import LockTable
from tests.adapters import story
from tests.table import table

ADAPTERS = ["anthropic", "claude_agent", "langchain", "openai", "openai_agents", "pydantic_ai", "smolagents"]
PACKAGES = {
    "anthropic": "anthropic",
    "claude_agent": "claude-agent-sdk",
    "langchain": "langchain-core",
    "openai_agents": "openai-agents",
    "pydantic_ai": "pydantic-ai-slim",
    "smolagents": "smolagents",
}
FRAMEWORKS = {"agents", "anthropic", "claude_agent_sdk", "langchain_core", "mcp", "openai", "pydantic_ai", "smolagents"}


def adapter(name: str) -> Any:
    return importlib.import_module(f"steadyhand.surfaces.adapters.{name}")


def test_an_edit_is_shown_in_short_and_kept_with_its_record_and_diff(ws: sh.Workspace) -> None:
    made = make_call(ws.tools("surgical"), "edit_file", story.ONCE)
    assert not made.failed
    assert made.kind is None
    assert made.text == (
        f"edited notes.md:3 [id {made.result['id']}, fileHash {made.result['fileHash']}]\n"
        " # Notes\n \n-status: draft\n+status: done\n \n ## Later"
    )
    assert made.records == (made.result["id"],)
    assert "-status: draft\n+status: done\n" in made.diff
    assert made.facts() == {
        "tool": "edit_file",
        "result": made.result,
        "records": [made.result["id"]],
        "diff": made.diff,
    }


def test_a_refusal_is_reported_in_plain_lines_with_its_kind_and_hint(ws: sh.Workspace) -> None:
    made = make_call(ws.tools("surgical"), "edit_file", story.TWICE)
    assert made.failed
    assert made.kind is sh.Kind.AMBIGUOUS_MATCH
    story.check_answer(made.text)
    assert (made.records, made.diff) == ((), "")


@table(
    ("result", "text", "kind"),
    [
        ({"content": "Created a.md", "is_error": False}, "Created a.md", None),
        ({"content": "Error: no", "is_error": True, "kind": "no-match"}, "Error: no", sh.Kind.NO_MATCH),
        (
            {
                "success": False,
                "error": "no",
                "kind": "patch_error",
                "reason": "malformed-patch",
                "example": "@@\n-a\n",
            },
            "malformed-patch: no\nexample:\n@@\n-a",
            sh.Kind.MALFORMED_PATCH,
        ),
        (
            {
                "success": False,
                "error": "no",
                "kind": "no-match",
                "details": {"near": 1},
                "results": [
                    {"index": 0, "success": False, "kind": "no-match", "error": "no", "details": {"near": 1}},
                    {"index": 1, "success": False, "kind": "no-match", "error": "nor\nHint: read", "details": {}},
                ],
            },
            "no-match: no\nnear: 1\noperation 1: no-match: nor\nHint: read",
            sh.Kind.NO_MATCH,
        ),
        ({"status": "error", "error": "no", "kind": "not-allowed"}, "not-allowed: no", sh.Kind.NOT_ALLOWED),
        ({"success": True, "file": "ä", "odd": {"a": 1}}, 'odd: {"a": 1}', None),
        ({"success": True}, "done", None),
    ],
)
def test_each_form_of_answer_is_shown_by_what_the_model_needs_of_it(
    result: Mapping[str, object], text: str, kind: sh.Kind | None
) -> None:
    made = Made.of("any", dict(result))
    assert (made.text, made.kind) == (text, kind)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ('{"path": "notes.md", "old_content": "# N', "the JSON cannot be read, line 1, column"),
        ('["notes.md"]', "an object is expected"),
        ("edit notes.md", "an object is expected"),
        ("", "path: the field is missing"),
    ],
)
def test_text_that_is_no_object_is_refused_and_says_where(ws: sh.Workspace, arguments: str, says: str) -> None:
    made = make_call(ws.tools("surgical"), "edit_file", arguments)
    assert made.kind is sh.Kind.BAD_REQUEST
    assert says in made.text


def test_json_text_with_other_names_is_taken_and_what_was_repaired_is_reported(ws: sh.Workspace) -> None:
    text = '{"file_path": "notes.md", "old_str": "# Notes", "new_str": "# Note", "occurrence": "1"}'
    made = make_call(ws.tools("surgical"), "edit_file", text)
    assert made.result["repaired"] == [
        "file_path: taken for path",
        "old_str: taken for old_content",
        "new_str: taken for new_content",
        "occurrence: a string taken for a number",
    ]


def test_a_change_of_a_native_tool_whose_answer_names_none_can_be_undone_all_the_same(
    ws: sh.Workspace, root: Path
) -> None:
    call = {"command": "insert", "path": "notes.md", "insert_line": 0, "insert_text": "Hello."}
    made = make_call(ws.tools("claude"), "str_replace_based_edit_tool", call)
    assert set(made.result) == {"content", "is_error"}
    assert "+Hello." in made.diff
    ws.undo(made.records[0])
    assert (root / "notes.md").read_text(encoding="utf-8") == story.BEFORE


@pytest.mark.parametrize("how", ["asyncio", "anyio"])
def test_a_cancelled_call_changes_nothing_and_has_ended_when_its_task_has(
    ws: sh.Workspace, root: Path, how: str
) -> None:
    seen: list[Made] = []
    may_end = threading.Event()

    def watch(made: Made) -> None:
        may_end.wait()
        seen.append(made)

    call = partial(make_call_async, ws.tools("surgical"), "edit_file", story.ONCE, watch)

    async def in_a_scope(scope: anyio.CancelScope) -> None:
        with scope:
            await call()

    async def cancel_while_it_waits() -> None:
        scope = anyio.CancelScope()
        with LockTable(root / ".steadyhand" / "locks").hold(["notes.md"], timeout=300):
            task = asyncio.create_task(call() if how == "asyncio" else in_a_scope(scope))
            await asyncio.sleep(0)
            task.cancel() if how == "asyncio" else scope.cancel()
            for _ in range(5):
                await asyncio.sleep(0)
            is_waiting = not task.done()
        may_end.set()
        await asyncio.wait([task])
        assert is_waiting
        assert task.cancelled() if how == "asyncio" else scope.cancelled_caught

    ws.create("other.md", "x\n")
    asyncio.run(cancel_while_it_waits())
    assert [made.kind for made in seen] == [sh.Kind.CANCELLED]
    assert (root / "notes.md").read_text(encoding="utf-8") == story.BEFORE


def test_calls_of_several_tasks_are_all_made(ws: sh.Workspace, root: Path) -> None:
    kit = ws.tools("surgical")
    (root / "many.md").write_text("".join(f"line {n}.\n" for n in range(20)), encoding="utf-8")

    async def all_at_once() -> list[Made]:
        calls = [{"path": "many.md", "old_content": f"line {n}.", "new_content": f"{n}"} for n in range(20)]
        return await asyncio.gather(*(make_call_async(kit, "edit_file", call) for call in calls))

    made = asyncio.run(all_at_once())
    assert [each.text for each in made if each.failed] == []
    assert (root / "many.md").read_text(encoding="utf-8") == "".join(f"{n}\n" for n in range(20))


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_a_framework_that_is_not_there_is_named_with_how_to_install_it(
    name: str, ws: sh.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Callable[..., Any] = builtins.__import__

    def without(module: str, *rest: Any, **options: Any) -> Any:
        if module.split(".", maxsplit=1)[0] in FRAMEWORKS:
            raise ModuleNotFoundError(f"No module named {module!r}")
        return real(module, *rest, **options)

    made = adapter(name)
    make = made.runnable if name == "anthropic" else made.tools
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(sh.EditError) as refusal:
        make(ws.tools("surgical"))
    assert refusal.value.kind is sh.Kind.NOT_INSTALLED
    assert refusal.value.hint == f"install it with: pip install {PACKAGES[name]}"


def test_importing_every_adapter_imports_no_framework() -> None:
    modules = ", ".join(f"steadyhand.surfaces.adapters.{name}" for name in ADAPTERS)
    code = f"import sys, {modules}; print(sorted({FRAMEWORKS!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
