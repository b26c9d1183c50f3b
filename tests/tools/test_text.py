"""Answers as text and as fields: each is complete on its own, and neither says anything twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.surfaces.mcp.resources import render
from steadyhand.tools.framework_calls import make_call
from steadyhand.tools.result import failed
from steadyhand.tools.text import render_text
from steadyhand.tools.toolsets import toolsets
from tests.table import table
from tests.tools.golden import played
from tests.tools.ground import make

PAGE = "<h1 id=title>Hi</h1>\n<p>a</p>\n<p>b</p>\n"
MISSING = {"selector": "#titel", "action": "setText", "value": "x"}
TWO = {"selector": "p", "action": "setText", "value": "x"}
CALLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "one operation": ("site", "editDOM", {"file": "a.html", "operations": [MISSING]}),
    "two operations": ("site", "editDOM", {"file": "a.html", "operations": [MISSING, TWO]}),
    "a passage": ("site", "editFile", {"file": "a.html", "operations": [{"search": "<p>c</p>\nx", "replace": "x"}]}),
    "one file": ("site", "editFiles", {"edits": [{"file": "a.html", "domOperations": [MISSING]}]}),
    "an ending": ("vault", "TextReplace", {"filePath": "a.exe", "oldText": "x", "newText": "y"}),
    "an old text": ("surgical", "edit_file", {"path": "a.html", "old_content": "<p>", "new_content": "<b>"}),
    "in part": (
        "core",
        "edit",
        {"path": "a.html", "edits": [{"target": "Hi", "new": "Ho"}, {"target": "zwei", "new": "2"}], "partial": True},
    ),
}


def phrases(answer: dict[str, Any]) -> list[str]:
    """The sentences and lists that must not be there twice."""
    said = [answer.get("message"), answer.get("hint")]
    results = [each for each in answer.get("results", ()) if isinstance(each, dict)]
    said += [text for each in results for text in (each.get("error"), each.get("message"))]
    facts = [each.get("details") for each in (answer, *results)]
    lists = [value for fact in facts if isinstance(fact, dict) for value in fact.values() if isinstance(value, list)]
    return [json.dumps(each) for each in (*said, *lists) if each]


@table("name", CALLS)
def test_structured_content_and_text_say_everything_once(name: str, tmp_path: Path) -> None:
    toolset, tool, arguments = CALLS[name]
    answer: Any = make(tmp_path, {"a.html": PAGE, "a.exe": "x\n"}).tools(toolset).call(tool, arguments)
    rendered = render(answer, 100_000)
    text = json.dumps(rendered["content"][0]["text"])
    for phrase in phrases(rendered["structuredContent"]):
        assert json.dumps(rendered["structuredContent"]).count(phrase[1:-1]) == 1, phrase
        assert text.count(phrase[1:-1]) <= 1, phrase


def _is_offered(offer: Any, text: str) -> bool:
    """Whether a text has what is offered: a diff as it is, the fields of a call but for the file, which was sent."""
    if isinstance(offer, str):
        return offer in f"{text}\n"
    sent = {name: each for name, each in (offer or {}).items() if name not in ("path", "reason")}
    return json.dumps(sent, ensure_ascii=False)[1:-1] in text or repr(sent.get("oldText")) in text


def _check_complete(answer: dict[str, Any], text: str) -> None:
    """Whoever sees only the text can act as well as whoever sees the fields."""
    message, hint, details = answer.get("message"), answer.get("hint"), answer.get("details")
    if failed(answer):
        assert text.startswith(f"{answer.get('reason', answer['kind'])}: {message}"), text
        assert not hint or f"\nHint: {hint}" in text, text
        for candidate in details.get("candidates", ()) if isinstance(details, dict) else ():
            assert _is_offered(candidate.get("corrected"), text), text
        assert _is_offered(details.get("corrected"), text) or "corrected" not in details, text
        return
    for name in ("id", "fileHash"):
        assert str(answer.get(name, "")) in text, (name, text)
    if "content" in answer and "id" not in answer:
        assert answer["content"] in text
    for entry in (each for name in ("entries", "matches") for each in answer.get(name, ())):
        assert str(entry.get("address") or entry.get("path") or entry.get("text") or entry.get("id")) in text, text
    for warning in answer.get("warnings", ()):
        assert warning in text, text


@table("toolset", [name for name, each in toolsets().items() if not each.is_native], every=3)
def test_text_and_fields_are_each_complete_on_their_own(toolset: str, tmp_path: Path) -> None:
    answers = list(played(toolset, tmp_path))
    assert len(answers) > 30
    for answer, receipts in answers:
        facts = render(answer, 100_000)["structuredContent"]
        assert not ("message" in facts and "error" in facts)
        _check_complete(dict(answer), render_text(answer, receipts))


def test_a_change_is_one_line_and_a_short_diff(tmp_path: Path) -> None:
    rows = [f"line {number}" for number in range(300)]
    kit = make(tmp_path, {"a.txt": "\n".join(rows), "b.txt": "x" * 900 + "\n"}).tools("surgical")
    made = make_call(kit, "edit_file", {"path": "a.txt", "old_content": "line 150", "new_content": "line 151"})
    assert made.text.split("\n")[1:] == [
        " line 148", " line 149", "-line 150", "+line 151", " line 151", " line 152"
    ]  # fmt: skip
    many = make_call(
        kit, "write_file", {"path": "a.txt", "content": "\n".join(rows[::-1]), "expectedHash": made.result["fileHash"]}
    )
    assert many.text.count("\n") <= 42
    assert many.text.endswith("more lines of the diff")
    long = make_call(kit, "insert_at", {"path": "b.txt", "line": -1, "content": "y\n"})
    assert "characters left out]" in long.text
    new = make_call(kit, "write_file", {"path": "n.txt", "content": "one\n"})
    assert new.text == f"created n.txt:1 [id {new.result['id']}, fileHash {new.result['fileHash']}]"


def test_the_endings_that_are_allowed_are_listed_once(tmp_path: Path) -> None:
    answer = make(tmp_path, {"a.exe": "x\n"}).tools("vault").call(*CALLS["an ending"][1:])
    assert json.dumps(answer["details"]).count(".markdown") == 0
    assert str(answer["hint"]).count(".markdown") == 1


def test_of_very_many_files_the_text_has_their_number(tmp_path: Path) -> None:
    for number in range(120):
        (tmp_path / f"{number:03}.md").write_text("one\n")
    requests = [{"path": f"{number:03}.md", "edits": [{"target": "one", "new": "two"}]} for number in range(120)]
    with sh.Workspace(tmp_path) as ws:
        result = ws.tools("core").call("edit", {"files": requests})
    assert len(result["files"]) + result["moreFiles"] == 120
    assert render_text(result, []).startswith("edited 120 files ")
