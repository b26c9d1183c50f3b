"""What a refusal advises can be done with the tools at hand: it names their fields, and what it offers goes through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.tools.result import failed
from steadyhand.tools.toolsets import toolsets
from tests.table import table
from tests.tools.ground import make, tree
from tests.tools.hints import check_hints, hints_in

TWICE = "x = 1\ny\nx = 1\nlast\n"
FILES: dict[str, str | bytes] = {
    "twice.txt": TWICE,
    "raw.txt": b"\0\xff\0\xfe",
    "odd.txt": b"caf\xe9 \x81\x8d\x8f\x90\x9d\none\n",
    "keys.json": '{\n  "a": 1\n}\n',
    "guide.md": "# A\n\n## Notes\n\n1\n\n# B\n\n## Notes\n\n2\n",
}
HUNK = "@@\n-x = 1\n+x = 2\n"
SAME = "@@ -9 +9 @@\n-x = 1\n+x = 2\n"
BOTH = f"*** Begin Patch\n*** Update File: twice.txt\n{HUNK}*** End Patch\n--- a/raw.txt\n+++ b/raw.txt\n{HUNK}"
OLD = "0" * 16
TOP = [{"at": "key:$", "act": "add-key", "args": {"name": "c", "value": value}} for value in (1, 2)]

# Calls that are refused for what the files are, by tool.
WRONG: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "article": [
        ("edit_article", {"path": "twice.txt", "edits": {"old_string": "x", "new_string": "z", "reason": "r"}}),
        ("edit_article", {"path": "raw.txt", "edits": {"old_string": "x", "new_string": "z", "reason": "r"}}),
        ("edit_article", {"path": "odd.txt", "edits": {"old_string": "one", "new_string": "ö", "reason": "r"}}),
        ("read_file", {"path": "raw.txt"}),
        ("write_file", {"path": "twice.txt", "content": "z", "expectedHash": "no hash"}),
        ("write_file", {"path": "twice.txt", "content": "z", "expectedHash": OLD}),
    ],
    "claude": [
        (tool, {"command": "str_replace", "path": f"{above}{path}", "old_str": old, "new_str": "ö"})
        for tool, above in (("str_replace_based_edit_tool", ""), ("memory", "/memories/"))
        for path, old in (("twice.txt", "x = 1"), ("raw.txt", "x"), ("odd.txt", "one"), ("twice.txt", "x = 12"))
    ],
    "claude-code": [
        ("Edit", {"file_path": "twice.txt", "old_string": "x = 1", "new_string": "z"}),
        ("Edit", {"file_path": "twice.txt", "old_string": "", "new_string": "z"}),
        ("Edit", {"file_path": "odd.txt", "old_string": "one", "new_string": "ö"}),
        ("Write", {"file_path": "twice.txt", "content": "z"}),
        ("Read", {"file_path": "raw.txt"}),
    ],
    "coder": [
        ("write_patch", {"path": "twice.txt", "patch": HUNK}),
        ("write_patch", {"path": "twice.txt", "patch": SAME}),
        ("write_patch", {"path": "raw.txt", "patch": HUNK}),
        ("write_patch", {"path": "twice.txt", "patch": f"--- /dev/null\n+++ b/twice.txt\n{HUNK}"}),
        ("apply_edits", {"path": "odd.txt", "edits": {"range": {"start": 1, "end": 1}, "newText": "ö"}}),
        *(
            ("apply_edits", {"path": "twice.txt", "edits": {"range": {"start": 1, "end": 1}, "newText": "z"}} | more)
            for more in ({"expectedHash": "no hash"}, {"expectedHash": OLD})
        ),
        ("write_file", {"path": "twice.txt", "content": "z", "expectedHash": "no hash"}),
    ],
    "core": [
        ("edit", {"path": "twice.txt", "edits": [{"target": "x = 1", "new": "z"}]}),
        ("edit", {"path": "twice.txt", "edits": [{"target": "x = 1", "new": "z", "occurrence": 7}]}),
        ("edit", {"path": "twice.txt", "edits": [{"target": {"at": "lines:1-1"}, "new": "z", "occurrence": 2}]}),
        ("edit", {"path": "twice.txt", "patch": HUNK}),
        ("edit", {"patch": BOTH}),
        ("edit", {"path": "twice.txt", "create": "z"}),
        ("edit", {"path": "raw.txt", "edits": [{"target": "x", "new": "z"}]}),
        ("edit", {"path": "odd.txt", "edits": [{"target": "one", "new": "ö"}]}),
        ("edit", {"path": "twice.txt", "edits": [{"target": "y", "new": "z"}], "expect": "no hash"}),
        ("write", {"path": "twice.txt", "content": "z", "expect": "no hash"}),
        ("write", {"path": "twice.txt", "content": "z"}),
        ("edit", {"path": "keys.json", "edits": [{"at": "lines:1-0", "insert": "// x"}, *TOP]}),
        ("undo", {"id": "ffffffffffff"}),
        ("undo", {"id": "$undone"}),
        ("undo", {"task": "nobody"}),
        ("undo", {"last": True}),
        ("history", {"id": "ffffffffffff"}),
    ],
    "gemini": [
        ("replace", {"file_path": "twice.txt", "old_string": "x = 1", "new_string": "z"}),
        ("replace", {"file_path": "twice.txt", "old_string": "x = 1", "new_string": "z", "expected_replacements": 3}),
        ("replace", {"file_path": "twice.txt", "old_string": "", "new_string": "z"}),
        ("write_file", {"file_path": "twice.txt", "content": "z"}),
    ],
    "openai": [
        ("apply_patch", {"type": "update_file", "path": "twice.txt", "diff": HUNK}),
        ("apply_patch", {"type": "create_file", "path": "twice.txt", "diff": "+z\n"}),
        ("apply_patch", {"type": "update_file", "path": "raw.txt", "diff": HUNK}),
        ("apply_patch", {"input": f"*** Begin Patch\n*** Update File: twice.txt\n{HUNK}*** End Patch\n"}),
    ],
    "site": [
        ("editFile", {"file": "twice.txt", "operations": [{"search": "x = 1", "replace": "z"}]}),
        ("editFile", {"file": "raw.txt", "operations": [{"search": "x = 1", "replace": "z"}]}),
        ("editFile", {"file": "odd.txt", "operations": [{"search": "one", "replace": "ö"}]}),
        ("editDOM", {"file": "twice.txt", "operations": [{"selector": "p", "action": "remove"}]}),
        ("writeFiles", {"files": [{"file": "twice.txt", "content": "z", "expectedHash": "no hash"}]}),
        ("writeFiles", {"files": [{"file": "twice.txt", "content": "z", "expectedHash": OLD}]}),
    ],
    "surgical": [
        ("edit_file", {"path": "twice.txt", "old_content": "x = 1", "new_content": "z"}),
        ("edit_file", {"path": "twice.txt", "old_content": "x = 1", "new_content": "z", "occurrence": 7}),
        ("edit_file", {"path": "odd.txt", "old_content": "one", "new_content": "ö"}),
        ("patch_file", {"path": "twice.txt", "patch": HUNK}),
        ("patch_file", {"path": "twice.txt", "patch": SAME}),
        ("write_file", {"path": "twice.txt", "content": "z", "expectedHash": "no hash"}),
        ("read_file", {"path": "raw.txt"}),
    ],
    "vault": [
        ("TextReplace", {"filePath": "twice.txt", "oldText": "x", "newText": "z", "occurrence": "7"}),
        ("TextReplace", {"filePath": "twice.txt", "oldText": "X", "newText": "z"}),
        ("TextReplace", {"filePath": "twice.txt", "oldText": "x", "newText": "z", "expectedHash": "no hash"}),
        ("TextReplace", {"filePath": "raw.txt", "oldText": "x", "newText": "z"}),
        ("TextPatch", {"filePath": "guide.md", "operation": "delete", "target": {"heading": "Notes"}}),
        ("TextPatch", {"filePath": "twice.txt", "operation": "delete", "target": {"lines": {"start": 8, "end": 9}}}),
    ],
}  # fmt: skip


@table("name", toolsets())
def test_a_call_that_the_files_refuse_names_what_the_toolset_has_for_it(name: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    receipt = workspace.edit("guide.md", [sh.Replace("1", "one")])
    workspace.undo(receipt.id)
    before = tree(tmp_path)
    for tool, arguments in WRONG[name]:
        sent = {key: receipt.id if value == "$undone" else value for key, value in arguments.items()}
        answer = workspace.tools(name).call(tool, sent)
        assert failed(answer), (tool, sent)
        assert toolsets()[name].is_native or any(hint for hint, _ in hints_in(answer)), answer
        check_hints(name, answer)
    assert tree(tmp_path) == before


RANGE = {"range": {"start": 1, "end": 1}, "newText": "z"}
HASHED = [
    ("article", "write_file", {"path": "twice.txt", "content": "z"}, "expectedHash"),
    ("coder", "write_file", {"path": "twice.txt", "content": "z"}, "expectedHash"),
    ("coder", "apply_edits", {"path": "twice.txt", "edits": [RANGE]}, "expectedHash"),
    ("vault", "TextReplace", {"filePath": "twice.txt", "oldText": "y", "newText": "z"}, "expectedHash"),
    ("core", "write", {"path": "twice.txt", "content": "z"}, "expect"),
    ("core", "edit", {"path": "twice.txt", "edits": [{"target": "y", "new": "z"}]}, "expect"),
]


@table(("toolset", "tool", "sent", "field"), HASHED, ids=[f"{row[0]}.{row[1]}" for row in HASHED])
def test_a_hash_that_is_none_is_shown_by_the_field_it_was_sent_in(
    toolset: str, tool: str, sent: dict[str, Any], field: str, tmp_path: Path
) -> None:
    answer: Any = make(tmp_path, FILES).tools(toolset).call(tool, {**sent, field: "no hash"})
    assert (answer["kind"], answer["details"]["path"]) == ("bad-request", field)
    assert answer["message"].startswith(f"{field}: ")


def test_a_hash_of_one_of_several_files_is_reported_with_its_place(tmp_path: Path) -> None:
    files = [{"file": "new.txt", "content": "z"}, {"file": "twice.txt", "content": "z", "expectedHash": "no hash"}]
    answer: Any = make(tmp_path, FILES).tools("site").call("writeFiles", {"files": files})
    assert answer["success"] == "partial"
    assert answer["results"][1]["details"]["path"] == "files[1].expectedHash"


PATCHED = [
    ("surgical", "patch_file", {"path": "twice.txt", "patch": HUNK}),
    ("coder", "write_patch", {"path": "twice.txt", "patch": HUNK}),
    ("core", "edit", {"path": "twice.txt", "patch": HUNK}),
    ("openai", "apply_patch", {"type": "update_file", "path": "twice.txt", "diff": HUNK}),
]


@table(("toolset", "tool", "sent"), PATCHED, ids=[f"{row[0]}.{row[1]}" for row in PATCHED])
def test_a_patch_that_fits_twice_learns_what_to_quote_and_no_number(
    toolset: str, tool: str, sent: dict[str, Any], tmp_path: Path
) -> None:
    """A patch has no word for which of several places it means."""
    answer: Any = make(tmp_path, FILES).tools(toolset).call(tool, sent)
    said = answer.get("error") or answer["content"]
    assert "occurrence" not in str(answer)
    assert {"openai": "For line 1:"}.get(toolset, "send `corrected` of the candidate you mean") in said


@table(("toolset", "tool", "sent"), PATCHED[:2], ids=[row[1] for row in PATCHED[:2]])
def test_the_header_that_a_diff_which_fits_twice_is_shown_decides(
    toolset: str, tool: str, sent: dict[str, Any], tmp_path: Path
) -> None:
    kit = make(tmp_path, FILES).tools(toolset)
    hint = str(kit.call(tool, sent)["hint"])
    header = hint[hint.index("@@ -") : hint.index("@@ for") + 2]
    answer: Any = kit.call(tool, {**sent, "patch": sent["patch"].replace("@@", header, 1)})
    assert (answer["success"], answer["lines"]) == (True, {"start": 1, "end": 1})


ROWS = "alpha one\nbeta two three\ngamma four\ndelta five\n"
SENT, MEANT = "beta two trhee", "beta 2 trhee"
WRONG_ROW = f"@@\n-{SENT}\n+{MEANT}\n"
OFFERED: dict[str, dict[str, Any]] = {
    "article.edit_article": {"path": "a.txt", "edits": [{"old_string": SENT, "new_string": MEANT, "reason": "r"}]},
    "coder.write_patch": {"path": "a.txt", "patch": WRONG_ROW},
    "core.edit": {"path": "a.txt", "edits": [{"target": SENT, "new": MEANT}]},
    "surgical.edit_file": {"path": "a.txt", "old_content": SENT, "new_content": MEANT},
    "surgical.patch_file": {"path": "a.txt", "patch": WRONG_ROW},
    "vault.TextReplace": {"filePath": "a.txt", "oldText": SENT, "newText": MEANT},
}


def sent_again(tool: str, sent: dict[str, Any], offered: Any) -> tuple[str, dict[str, Any]]:
    """The call with what was offered in the place of what was sent."""
    if isinstance(offered, str):
        return tool, sent | {"patch": offered}
    if "tool" in offered:
        return offered["tool"], {name: value for name, value in offered.items() if name != "tool"}
    listed = next((name for name in ("edits", "operations") if name in sent), None)
    return tool, sent | (offered if listed is None else {listed: [offered]})


@table("named", OFFERED)
def test_what_is_offered_for_a_misquoted_line_goes_through_as_it_is(named: str, tmp_path: Path) -> None:
    toolset, tool = named.split(".")
    kit = make(tmp_path, {"a.txt": ROWS}).tools(toolset)
    answer: Any = kit.call(tool, OFFERED[named])
    assert failed(answer)
    again = kit.call(*sent_again(tool, OFFERED[named], answer["details"]["corrected"]))
    assert not failed(again), again
    assert "repaired" not in again
    assert tree(tmp_path)["a.txt"].decode() == ROWS.replace("beta two three", "beta 2 three")


def test_a_misspelt_word_that_the_new_text_repeats_keeps_the_spelling_of_the_file(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": ROWS}).tools("site")
    answer: Any = kit.call("editFile", {"file": "a.txt", "operations": [{"search": SENT, "replace": MEANT}]})
    assert not failed(answer), answer
    assert tree(tmp_path)["a.txt"].decode() == ROWS.replace("beta two three", "beta 2 three")


BY_LINE: dict[str, dict[str, Any]] = {
    "coder.apply_edits": {"path": "a.txt", "edits": [{"range": {"start": 3, "end": 3}, "newText": "gamma 4"}]},
    "core.edit": {"path": "a.txt", "edits": [{"target": {"at": "lines:3-3"}, "new": "gamma 4"}]},
    "surgical.insert_at": {"path": "a.txt", "line": 3, "content": "gamma 4"},
}


MOVED, CHANGED = "alpha one\ntheirs\n", "gamma theirs\nmore\n"
NOT_OFFERED = [("surgical.insert_at", MOVED)]  # a line number alone does not say where the line went


@table("theirs", [MOVED, CHANGED], ids=["moved", "changed"])
@table("named", BY_LINE)
def test_what_is_offered_for_lines_that_others_changed_goes_through_as_it_is(
    named: str, theirs: str, tmp_path: Path
) -> None:
    toolset, tool = named.split(".")
    mine, other = (make(tmp_path, {"a.txt": ROWS}, task=task) for task in ("A", "B"))
    kit = mine.tools(toolset)
    kit.call("read" if toolset == "core" else "read_file", {"path": "a.txt"})
    other.edit("a.txt", [sh.Replace("alpha one\n" if "alpha" in theirs else "gamma four\n", theirs)])
    answer: Any = kit.call(tool, BY_LINE[named])
    assert answer["kind"] == "conflict"
    offered = answer["details"].get("corrected")
    is_offered = (named, theirs) not in NOT_OFFERED
    assert ("corrected" in answer["hint"], offered is not None) == (is_offered, is_offered)
    if is_offered:
        again = kit.call(*sent_again(tool, BY_LINE[named], offered))
        assert again["success"] is True, again
        assert tree(tmp_path)["a.txt"].count(b"gamma 4\n") == 1
