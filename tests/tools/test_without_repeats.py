"""A refusal is told once: what an answer says in words or lists in one place it does not repeat in another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steadyhand.surfaces.mcp.answers import render
from steadyhand.tools.made import make_call
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


@pytest.mark.parametrize("name", CALLS)
def test_structured_content_and_text_say_everything_once(name: str, tmp_path: Path) -> None:
    toolset, tool, arguments = CALLS[name]
    answer: Any = make(tmp_path, {"a.html": PAGE, "a.exe": "x\n"}).tools(toolset).call(tool, arguments)
    rendered = render(answer, 100_000)
    for told in (json.dumps(rendered["structuredContent"]), json.dumps(json.loads(rendered["content"][0]["text"]))):
        for phrase in phrases(rendered["structuredContent"]):
            assert told.count(phrase[1:-1]) == 1, phrase


@pytest.mark.parametrize("name", CALLS)
def test_an_adapter_says_everything_once(name: str, tmp_path: Path) -> None:
    toolset, tool, arguments = CALLS[name]
    made = make_call(make(tmp_path, {"a.html": PAGE, "a.exe": "x\n"}).tools(toolset), tool, arguments)
    told = made.text.replace("\\n", "\n").replace('\\"', '"')
    for phrase in phrases(made.result):
        assert told.count(phrase[1:-1].replace("\\n", "\n").replace('\\"', '"')) <= 1, phrase


def test_the_endings_that_are_allowed_are_listed_once(tmp_path: Path) -> None:
    answer = make(tmp_path, {"a.exe": "x\n"}).tools("vault").call(*CALLS["an ending"][1:])
    assert json.dumps(answer["details"]).count(".markdown") == 0
    assert str(answer["hint"]).count(".markdown") == 1
