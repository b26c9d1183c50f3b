"""What a refusal says to whoever has to send something else: which operation, what was sought, what comes nearest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.table import table
from tests.tools.ground import make, tree

PAGE = """<h1 id="top">Shop</h1>
<p>one</p>
<p>two</p>
<h2 class="text-2xl font-bold">Our Services</h2>
<p>three</p>
<p>four</p>
"""
SOUGHT = '<h2 class="text-xl">Our Services</h2>'
OPERATIONS = [
    {"search": "one", "replace": "1"},
    {"search": "two", "replace": "2"},
    {"search": SOUGHT, "replace": "<h2>Services</h2>"},
    {"search": "three", "replace": "3"},
    {"search": "four", "replace": "4"},
]


def passed_on(answer: dict[str, Any]) -> None:
    """The best match is in the words of the refusal too, with how like it is and where."""
    best = answer["bestMatch"]
    assert f"{best['similarity']:.0%}" in answer["error"]
    assert f"line {best['line']}" in answer["error"]
    assert best["text"] in answer["error"]


def test_the_third_of_five_operations_is_named_with_its_search_the_best_match_and_what_to_do(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.html": PAGE}).tools("site")
    answer: dict[str, Any] = kit.call("editFile", {"file": "a.html", "operations": OPERATIONS})
    assert (answer["success"], answer["failedIndex"], answer["appliedCount"]) == ("partial", 2, 2)
    assert "3/5" in answer["error"]
    assert SOUGHT in answer["error"]
    assert answer["bestMatch"]["line"] == 4
    passed_on(answer)
    assert answer["hint"]
    assert answer["error"].endswith(answer["hint"])
    repaired = {"search": answer["bestMatch"]["text"], "replace": "<h2>Services</h2>"}
    rest = kit.call("editFile", {"file": "a.html", "operations": [repaired, *OPERATIONS[3:]]})
    assert rest["success"] is True
    assert "<h2>Services</h2>" in tree(tmp_path)["a.html"].decode()


def test_a_failure_inside_a_batch_says_as_much(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.html": PAGE, "b.html": PAGE}).tools("site")
    edits = [{"file": name, "replaceOperations": OPERATIONS} for name in ("a.html", "b.html")]
    answer: dict[str, Any] = kit.call("editFiles", {"edits": edits})
    for result in answer["results"]:
        assert "3/5" in result["error"]
        assert result["file"] in result["error"]
        passed_on(result)


@table(
    ("selector", "named"),
    [
        ("#tpo", {"selector": "#top", "tag": "h1", "id": "top", "line": 1}),
        ("h2.text-xl", {"tag": "h2", "classes": ["text-2xl", "font-bold"], "line": 4}),
        ("main > h1", {"selector": "#top", "tag": "h1", "line": 1}),
    ],
)
def test_elements_like_the_one_sought_are_named_with_what_singles_them_out(
    selector: str, named: dict[str, object], tmp_path: Path
) -> None:
    kit = make(tmp_path, {"a.html": PAGE}).tools("site")
    operation = {"selector": selector, "action": "setText", "value": "x"}
    answer: dict[str, Any] = kit.call("editDOM", {"file": "a.html", "operations": [operation]})
    assert (answer["success"], answer["kind"]) == (False, "no-such-target")
    (nearest, *_) = answer["details"]["similar"]
    assert named.items() <= nearest.items()
    again = kit.call("editDOM", {"file": "a.html", "operations": [operation | {"selector": nearest["selector"]}]})
    assert again["success"] is True


CODE = "import os\n\n\ndef analyze(log):\n    total = len(log)\n    return total\n"
MISQUOTED: list[tuple[str, str, dict[str, Any]]] = [
    ("surgical", "edit_file", {"path": "a.py", "old_content": "    total = len(logs)", "new_content": "x"}),
    ("coder", "write_patch", {"path": "a.py", "patch": "@@ -5 +5 @@\n-    total = len(logs)\n+    x = 1\n"}),
    (
        "article",
        "edit_article",
        {"path": "a.py", "edits": [{"old_string": "    total = len(logs)", "new_string": "x", "reason": "r"}]},
    ),
    ("core", "edit", {"path": "a.py", "edits": [{"target": "    total = len(logs.all())", "new": "x"}]}),
]


@table(("toolset", "tool", "sent"), MISQUOTED, ids=[f"{row[0]}.{row[1]}" for row in MISQUOTED])
def test_a_misquoted_line_is_shown_as_it_is_with_its_number(
    toolset: str, tool: str, sent: dict[str, Any], tmp_path: Path
) -> None:
    answer: dict[str, Any] = make(tmp_path, {"a.py": CODE}).tools(toolset).call(tool, sent)
    assert answer["success"] is False
    assert "line 5" in answer["error"]
    assert "total = len(log)" in answer["error"]
    assert answer["hint"]
    assert tree(tmp_path)["a.py"].decode() == CODE
