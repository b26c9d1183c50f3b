"""Edits in JSON: what is none, what is refused and where, every form that is read, ranges, and writing."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.dialects.dialect import Change
from steadyhand.dialects.formats.json_edits import DIALECT
from steadyhand.dialects.piece import Note, Piece
from steadyhand.dialects.reply import Splitter
from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Delete, Edit, Insert, Old, Replace, edit_from_json
from steadyhand.plan.preview import edit
from steadyhand.plan.request import (
    ChangeMode,
    CreateFile,
    DeleteFile,
    EditFile,
    FileRequest,
    MergeFile,
    RenameFile,
    WriteFile,
    requests_from_json,
)
from steadyhand.structure.lines import Lines
from tests.sampling import examples
from tests.table import table


def read(reply: str, cuts: Sequence[int] = ()) -> tuple[list[Piece], list[Note]]:
    """The pieces of a reply that arrives in parts."""
    reader, splitter, pieces = DIALECT.reader(), Splitter(), list[Piece]()
    bounds = [0, *sorted(cut % (len(reply) + 1) for cut in cuts), len(reply)]
    for start, end in pairwise(bounds):
        for line in splitter.feed(reply[start:end]):
            pieces.extend(reader.feed(line))
    for line in splitter.close():
        pieces.extend(reader.feed(line))
    pieces.extend(reader.close())
    return pieces, reader.notes


def requests(reply: str) -> list[FileRequest]:
    return [piece.request for piece in read(reply)[0]]


def edits(reply: str) -> list[Edit]:
    found = requests(reply)
    assert all(isinstance(request, EditFile) for request in found)
    return [one for request in found if isinstance(request, EditFile) for one in request.edits]


def refused(reply: str) -> EditError:
    with pytest.raises(EditError) as caught:
        read(reply)
    return caught.value


@table(
    "reply",
    [
        "",
        "No change is needed.",
        "{",
        "[",
        "}{",
        "[1] and {2}",
        '{"name": "app", "version": "1.0.0", "files": ["dist"], "scripts": {"test": "jest"}}',
        '```json\n{\n  "compilerOptions": {"target": "es2020"},\n  "files": ["a.ts"]\n}\n```\n',
        '{"success": true, "path": "a.py", "lines": {"start": 1, "end": 2}, "fileHash": "00"}',
        '[{"path": "a.py", "mode": "0644"}, {"path": "b.py", "mode": "0755"}]',
        '{"files": [{"path": "a.py"}, {"path": "b.py"}]}',
        '{"edits": 5}',
        '{"edits": []}',
        '{"search": {"query": "x"}, "replace": false}',
        '{"find": "x", "replace": "y", "flags": "g"}',
        '{"search": "Suchen", "replace": "Ersetzen", "close": "Zu"}',
        '[{"op": "replace", "path": "/a", "value": 1}]',
        '{"name": "read_file", "arguments": {"path": "a.py"}}',
        '{"type": "function", "function": {"name": "Edit", "parameters": {"type": "object", "properties": {}}}}',
        '{"name": "apply_patch", "arguments": {"input": "*** Begin Patch\\n*** End Patch"}}',
        '{"path": "a.py", "patch": "--- a\\n+++ b\\n"}',
        '{"type": "apply_patch_call", "operation": {"type": "update_file", "path": "a", "diff": "@@"}}',
        '{"path": "a.py", "content": "x"}',
        '{"command": "view", "path": "a.py"}',
        '[{"selector": "h1", "rules": []}]',
        '[{"version": "1.0", "changes": ["x"]}, {"path": "a", "operations": [{"op": "add"}]}]',
        '{"changes": [{"type": "added", "description": "x"}], "files": [{"name": "a", "content": "b"}]}',
        'setup(package_dir={"": "src"})',
        'export default {\n  selector: "x",\n}\n',
        'Use `{"old_string": "a", "new_string": "b"}` for that.',
        '```python\ncall({"old_string": "a", "new_string": "b"})\n{"old_string": "a", "new_string": "b"}\n```\n',
        '```json title=fixtures/call.json\n{"old_string": "a", "new_string": "b"}\n```\n',
        "function f() {\n  return {a: 1}\n}\n",
        "{% raw %}{{ x }}{% endraw %}\n[link](url) {x}\n",
    ],
)
def test_what_is_no_edit_gives_nothing(reply: str) -> None:
    assert read(reply) == ([], [])


PAIR = '{"old_string": "a", "new_string": "b"}'


@table(
    ("reply", "place", "word"),
    [
        ('{"edits": [{"old_string": "a"', (1, 30), "ends here"),
        ('Edits:\n{"edits": [{"old_string": "a", "new_string": "b"}', (2, 50), "ends here"),
        ('```json\n{"edits": [{"old_string": "a", "new_string": "b"}\n```\n', (3, 1), "'`'"),
        ('{"old_string": "a", "new_string": "b", "new_string": "c"}', (1, 40), "twice"),
        ('{"old_string": "a", "new_string": "b", "oldText": "c"}', (1, 40), "oldText"),
        ('{"old_string": "a", "new_string": "b", "insertions": []}', (1, 40), "insertions"),
        ('{"old_string": "a", "new_string": "b", "position": "after"}', (1, 40), "position"),
        ('{"old_string": "a", "new_string": "b", "glob": "*"}', (1, 40), "glob"),
        ('{"old_string": "a"}', (1, 1), "new_string"),
        ('{"new_string": "a"}', (1, 1), "old_string"),
        ('{"old_string": "a", "new_string": null}', (1, 1), "new_string"),
        ('{"old_string": ["a"], "new_string": "b"}', (1, 16), "an array"),
        ('{"old_string": "a", "new_string": {}}', (1, 35), "an object"),
        ('{"old_string": "a", "new_string": "b", "replace_all": "perhaps"}', (1, 55), "replace_all"),
        ('{"old_string": "a", "new_string": "b", "expected_replacements": 0}', (1, 65), "0 places"),
        ('{"old_string": "a", "new_string": "b", "occurrence": -2}', (1, 54), "-2"),
        ('{"old_string": "a", "new_string": "b", "occurrence": 1, "replace_all": true}', (1, 54), "all of them"),
        ('{"old_string": "a", "new_string": "b", "expect": "nope"}', (1, 50), "digest"),
        ('{"old_string": "a", "new_string": "b", "end_line": 3}', (1, 52), "without a start"),
        ('{"old_string": "a", "new_string": "b", "type": "insert_after"}', (1, 48), "insert_after"),
        ('{"old_string": "a", "new_string": "it\\\'s"}', (1, 38), "not a JSON escape"),
        ('{"old_string": "a", "new_string": "\\xa0",}', (1, 36), "not a JSON escape"),
        ('{"old_string": "a", "new_string": "\\bword\\b"}', (1, 35), "control character"),
        ('{"old_string": "a", "new_string": "C:\\temp"}', (1, 35), "control character"),
        ('{"old_string": "a", "new_string": "b\nf(\'\\n\')"}', (2, 4), "two characters"),
        ('{"old_string": "a", "new_string": "\\srv\\new"}', (1, 40), "two characters"),
        (f'{{"edits": [{PAIR}, 3]}}', (1, 52), "not an edit"),
        (f'{{"edits": [{PAIR}, {{"x": 1}}]}}', (1, 52), "not an edit"),
        (f'{{"path": "a", "edits": [{PAIR}], "dryRun": true}}', (1, 1), "dry run"),
        (f'{{"path": "a", "edits": [{PAIR[:-1]}, "path": "b"}}]}}', (1, 72), "'b'"),
        (f'{{"edits": [{PAIR}], "replace_all": true}}', (1, 53), "replace_all"),
        (f'{{"edits": [{PAIR}], "expect": "nope"}}', (1, 63), "digest"),
        ('{"file": "a", "operations": [{"selector": "h1", "action": "setText"}]}', (1, 30), "page"),
        ('{"filePath": "a", "operation": "replace", "target": {"heading": "X"}, "content": "y"}', (1, 53), "target"),
        ('{"files": [{"path": "a", "edits": [{"target": "x", "new": 3}]}]}', (1, 52), "a string is expected"),
        ('{"files": [{"path": "a", "edits": [{"target": "x", "nwe": "y"}]}]}', (1, 52), "unknown field"),
        ('{"files": [{"path": "a", "delete": true}], "partial": true}', (1, 44), "whole"),
        ('{"path": "", "delete": true}', (1, 2), "empty"),
        ('{"name": "Edit", "arguments": "{\\"old_string\\": \\"a\\", \\"new_string\\""}', (1, 31), "in the JSON text"),
        ('{"old_string": "a", "new_string": "b" "reason": "c"}', (1, 37), "may end the text"),
        (PAIR + " and more", (1, 39), "after the JSON"),
        (PAIR + '\nthe rest"}', (2, 1), "after the JSON"),
        (f"```\n{PAIR}\nthe rest\n```\n", (3, 1), "after the JSON"),
        (f'"old_string": "x", "new_string": "y"}}\n{PAIR}', (1, 2), "outside any edit"),
        (f'{{"steps": [{{"old_string": "x"}}]}}\n{PAIR}', (1, 14), "outside any edit"),
    ],
)
def test_an_edit_that_makes_no_sense_is_refused_at_its_place(reply: str, place: tuple[int, int], word: str) -> None:
    error = refused(reply)
    assert error.kind == Kind.MALFORMED_PATCH
    assert (error.details["line"], error.details["column"]) == place
    assert f"line {place[0]}, column {place[1]} of the reply" in error.message
    assert word in error.message
    assert error.hint
    assert error.details["format"] == "json"


@table(
    "form",
    [
        '{"old_string": "a", "new_string": "%"}',
        '{"command": "insert", "path": "a", "insert_line": 1, "new_str": "%"}',
        '{"command": "create", "path": "a", "file_text": "%"}',
        '{"name": "write_file", "arguments": {"path": "a", "content": "%"}}',
        '{"target_file": "a", "instructions": "b", "code_edit": "%"}',
        '{"filePath": "a", "operation": "replace", "target": {"lines": {"start": 1, "end": 2}}, "content": "%"}',
        '{"path": "a", "write": "%"}',
        '{"path": "a", "create": "%"}',
        '{"path": "a", "edits": [{"target": {"lines": [1, 1]}, "new": "%"}]}',
        '{"path": "a", "edits": [{"target": "x", "insert": "%", "where": "after"}]}',
        '{"path": "a", "edits": [{"target": {"at": "key:a"}, "act": "set-key", "args": {"value": "%"}}]}',
    ],
)
@table("text", ["it\\'s", "x\nf('\\n')", "\\srv\\new", "x\nre(/a\\/b/)", "'\\xa0'"])
def test_text_that_can_be_read_in_two_ways_is_written_in_no_form(form: str, text: str) -> None:
    assert read(form.replace("%", "plain"))[0]
    error = refused(form.replace("%", text))
    assert error.kind == Kind.MALFORMED_PATCH
    assert "two characters" in error.message or "not a JSON escape" in error.message
    assert error.hint is not None
    assert any(f"\\\\{letter} for a backslash" in error.hint for letter in "'nx/")


@table("target", ["@", {"old": "@"}, {"lines": {"start": 1, "end": 1, "text": "@"}}])
@table("char", ["\f", "\b", "C:\t"])
def test_a_control_character_that_the_old_text_has_may_be_written(target: object, char: str) -> None:
    made = {"target": target, "new": f"{char}int y;\n"}
    for form in (made, {"path": "a.c", "edits": [made]}):
        with_old = json.dumps(form).replace("@", json.dumps(f"{char}int x;\n")[1:-1])
        assert len(requests(with_old)) == 1
        assert "control character" in refused(json.dumps(form).replace("@", "int x;")).message


@table(("char", "code"), [("\f", "000c"), ("\b", "0008"), ("Q:\t", "0009")])
def test_a_control_character_that_is_written_as_its_code_is_meant(char: str, code: str) -> None:
    short = json.dumps({"path": "a.c", "old_string": "int x;", "new_string": f"{char}int y;"})
    expected = refused(short).message + (refused(short).hint or "")
    assert f"\\u{code} for the control character" in expected
    assert len(requests(short.replace(json.dumps(char[-1])[1:-1], f"\\u{code}"))) == 1


@table(
    ("old", "new"),
    [
        ("old_string", "new_string"),
        ("oldString", "newString"),
        ("old_str", "new_str"),
        ("oldText", "newText"),
        ("old_text", "new_text"),
        ("old_content", "new_content"),
        ("old", "new"),
        ("search", "replace"),
        ("find", "replace"),
        ("search", "replacement"),
    ],
)
@table("path", ["path", "file", "file_path", "filePath", "target_file", "filename"])
def test_old_and_new_text_go_by_many_names(old: str, new: str, path: str) -> None:
    pair = {old: "a\n", new: "b\n"}
    wanted: list[FileRequest] = [EditFile("x.py", (Replace("a\n", "b\n"),))]
    assert requests(json.dumps(pair | {path: "x.py"})) == wanted
    assert requests(json.dumps([pair | {path: "x.py"}])) == wanted
    assert requests(json.dumps({path: "x.py", "edits": [pair]})) == wanted
    assert requests(json.dumps({path: "x.py", "edits": pair})) == wanted
    assert requests(json.dumps({path: "x.py", "edits": json.dumps([pair])})) == wanted
    assert requests(json.dumps({"edits": [{path: "x.py", "edits": [pair]}]})) == wanted
    assert requests(json.dumps({"edits": [pair]})) == [EditFile("", (Replace("a\n", "b\n"),))]
    assert requests(json.dumps(pair)) == [EditFile("", (Replace("a\n", "b\n"),))]


@table(
    ("fields", "wanted"),
    [
        ({"replace_all": True}, Replace("a", "b", occurrence="all")),
        ({"replaceAll": "true"}, Replace("a", "b", occurrence="all")),
        ({"replace_all": False}, Replace("a", "b")),
        ({"allow_multiple": True}, Replace("a", "b", occurrence="all")),
        ({"expected_replacements": 3}, Replace("a", "b", expected=3)),
        ({"expectedReplacements": 1}, Replace("a", "b", occurrence="unique")),
        ({"occurrence": "last"}, Replace("a", "b", occurrence="last")),
        ({"occurrence": "2"}, Replace("a", "b", occurrence=2)),
        ({"occurrence": 0}, Replace("a", "b", occurrence="all")),
        ({"occurrence": -1}, Replace("a", "b", occurrence=-1)),
        ({"occurrence": None}, Replace("a", "b")),
        ({"start_line": 7, "end_line": 9}, Replace(Old("a", line=7), "b")),
        ({"reason": "why"}, Replace("a", "b", reason="why")),
        ({"explanation": "why"}, Replace("a", "b", reason="why")),
        ({"instruction": "do", "id": 3, "comment": "x", "name": "y"}, Replace("a", "b")),
        ({"context": {"before": ["x"]}}, Replace("a", "b")),
        ({"type": "replace"}, Replace("a", "b")),
    ],
)
def test_what_else_an_edit_says_is_kept(fields: dict[str, object], wanted: Edit) -> None:
    assert edits(json.dumps({"old_string": "a", "new_string": "b", **fields})) == [wanted]


@table(
    ("value", "wanted"),
    [
        ({"command": "str_replace", "path": "a", "old_str": "x"}, EditFile("a", (Replace("x", ""),))),
        ({"command": "create", "path": "a", "file_text": "x\n"}, CreateFile("a", "x\n")),
        ({"command": "delete", "path": "a"}, DeleteFile("a")),
        ({"command": "rename", "old_path": "a", "new_path": "b"}, RenameFile("a", "b")),
        (
            {"command": "insert", "path": "a", "insert_line": 2, "insert_text": "x"},
            EditFile("a", (Insert(Lines(3, 2), "x", where="before"),)),
        ),
        (
            {"command": "insert", "path": "a", "insert_line": 0, "new_str": "x"},
            EditFile("a", (Insert(Lines(1, 0), "x", where="before"),)),
        ),
        ({"file_path": "a", "old_string": "", "new_string": "x"}, CreateFile("a", "x")),
        ({"target_file": "a", "instructions": "i", "code_edit": "x\n# ...\n"}, MergeFile("a", "x\n# ...\n")),
        ({"name": "write_file", "arguments": {"path": "a", "content": "x"}}, WriteFile("a", "x")),
        ({"name": "Write", "input": {"file_path": "a", "content": "x"}}, WriteFile("a", "x")),
        ({"name": "create_file", "arguments": {"path": "a", "content": "x"}}, CreateFile("a", "x")),
        ({"files": [{"file": "a", "content": "x", "allow_shrink": True}]}, WriteFile("a", "x", allow_shrink=True)),
        (
            {"name": "insert_at", "arguments": {"path": "a", "line": -1, "content": "x"}},
            EditFile("a", (Insert(Old("", at_end=True), "x", where="before"),)),
        ),
        (
            {"filePath": "a", "operation": "delete", "target": {"lines": {"start": 2, "end": 3}}},
            EditFile("a", (Delete(Lines(2, 3)),)),
        ),
        (
            {"filePath": "a", "operation": "insert", "target": {"lines": {"start": 2, "end": 3}}, "content": "x"},
            EditFile("a", (Insert(Lines(2, 1), "x", where="before"),)),
        ),
        (
            {
                "filePath": "a",
                "oldText": "x",
                "newText": "y",
                "occurrence": "first",
                "expectedHash": "ABCDEF0123456789",
            },
            EditFile("a", (Replace("x", "y", occurrence="first"),), "abcdef0123456789"),
        ),
        ({"path": "a", "delete": True}, DeleteFile("a")),
        (
            {"path": "a", "edits": [{"target": {"lines": [1, 2]}, "delete": True}]},
            EditFile("a", (Delete(Lines(1, 2)),)),
        ),
        ({"file_path": "a", "edits": [{"target": "x", "new": "y"}]}, EditFile("a", (Replace("x", "y"),))),
        ({"target": "x", "insert": "y", "where": "before"}, EditFile("", (Insert("x", "y", where="before"),))),
    ],
)
def test_every_toolset_is_read(value: object, wanted: FileRequest) -> None:
    assert requests(json.dumps(value)) == [wanted]
    assert requests(json.dumps(value, indent=2)) == [wanted]


def test_our_own_requests_are_read_by_their_own_reader() -> None:
    value = {
        "files": [
            {"path": "a", "edits": [{"target": "x", "new": "y", "occurrence": "all"}, {"target": "p", "delete": True}]},
            {"path": "b", "create": "text", "mode": "0755"},
            {"path": "c", "rename_to": "d"},
            {"path": "e", "mode": "0644"},
            {"path": "f", "write": "x", "allow_shrink": True},
            {"path": "g", "move": {"heading": "A"}, "to": {"path": "h", "where": "end"}},
        ]
    }
    wanted = requests_from_json(value).files
    found = requests(json.dumps(value, indent=1))
    assert isinstance(wanted[0], EditFile)
    assert found == [*(EditFile("a", (one,)) for one in wanted[0].edits), *wanted[1:]]
    assert requests(json.dumps(value["files"][:3])) == found[:4]


def test_edits_by_address_and_actions_are_read_with_their_reasons() -> None:
    acts = [
        {"target": {"at": "key:a.b"}, "act": "set-key", "args": {"value": [1, None]}},
        {"target": {"selector": {"css": "p", "nth": 2}}, "act": "add-class", "args": {"value": "x"}, "reason": "own"},
        {"target": {"heading": ["A", "B"]}, "insert": "text", "where": "end"},
    ]
    wanted = [edit_from_json({"reason": "why", **act}) for act in acts]
    reply = json.dumps({"files": [{"path": "f", "edits": acts}], "reason": "why"})
    assert edits(reply) == wanted
    assert edits(json.dumps({"path": "f", "edits": [{"reason": "why", **act} for act in acts]})) == wanted


def test_the_reason_of_a_batch_is_the_reason_of_its_edits() -> None:
    own = {"files": [{"path": "a", "edits": [{"target": "x", "new": "y"}]}], "reason": "why"}
    other = {
        "path": "a",
        "explanation": "why",
        "edits": [{"old": "x", "new": "y"}, {"old": "p", "new": "q", "reason": "r"}],
    }
    assert [one.reason for one in edits(json.dumps(own))] == ["why"]
    assert [one.reason for one in edits(json.dumps(other))] == ["why", "r"]


ARGUMENTS = {"file_path": "a", "old_string": "x", "new_string": "y"}


@table(
    "call",
    [
        {"name": "Edit", "arguments": ARGUMENTS},
        {"name": "Edit", "arguments": json.dumps(ARGUMENTS)},
        {"name": "Edit", "parameters": ARGUMENTS},
        {"tool": "edit", "input": ARGUMENTS},
        {"tool_name": "edit", "tool_input": ARGUMENTS},
        {"action": "edit", "action_input": ARGUMENTS},
        {"type": "tool_use", "id": "1", "name": "Edit", "input": ARGUMENTS},
        {"type": "function", "function": {"name": "Edit", "arguments": json.dumps(ARGUMENTS)}},
        {"function_call": {"name": "Edit", "args": ARGUMENTS}},
        {"tool_calls": [{"id": "1", "function": {"name": "Edit", "arguments": json.dumps(ARGUMENTS)}}]},
        [{"name": "read_file", "arguments": {"path": "b"}}, {"name": "Edit", "arguments": ARGUMENTS}],
        {"name": "MultiEdit", "arguments": {"file_path": "a", "edits": json.dumps([{"old": "x", "new": "y"}])}},
    ],
)
def test_a_call_of_a_tool_is_what_it_is_called_with(call: object) -> None:
    assert requests(json.dumps(call)) == [EditFile("a", (Replace("x", "y"),))]


@table(
    ("reply", "lines"),
    [
        (PAIR, (1, 1)),
        (f"```json\n{PAIR}\n```\n", (2, 2)),
        (f"```\n{PAIR}\n```\n", (2, 2)),
        (f'Sure.\n\n{PAIR}\n\nThis replaces "a".\n', (3, 3)),
        (f"The edit: {PAIR}\n", (1, 1)),
        (f"<tool_call>{PAIR}</tool_call>\n", (1, 1)),
        (f"<tool_call>\n{PAIR}\n</tool_call>\n", (2, 2)),
        (f"1. {PAIR}\n", (1, 1)),
        (f"edit({PAIR})\n", (1, 1)),
        ('{\n  "edits": [\n    {\n      "old_string": "a",\n      "new_string": "b"\n    }\n  ]\n}\n', (3, 6)),
        ("{\n\n" + PAIR[1:], (1, 3)),
        ('```python\nx = {"a": 1}\n```\n\n```json\n' + PAIR + "\n```\n", (6, 6)),
        ('{"x": [1, {"y": "}"}]}\n' + PAIR, (2, 2)),
        ("{\r\n" + PAIR[1:] + "\r\n", (1, 2)),
    ],
)
def test_an_edit_is_found_anywhere_in_a_reply(reply: str, lines: tuple[int, int]) -> None:
    assert read(reply) == ([Piece(EditFile("", (Replace("a", "b"),)), lines)], [])


def test_several_values_are_read_one_after_the_other() -> None:
    reply = '{"old": "a", "new": "b"} {"old": "c", "new": "d"}\ntext\n[{"old": "e", "new": "f"}]\n'
    reply += '{"old": "g", "new": "h",}\n'
    assert edits(reply) == [Replace("a", "b"), Replace("c", "d"), Replace("e", "f"), Replace("g", "h")]


def test_plain_json_is_given_as_soon_as_it_ends() -> None:
    reader, splitter = DIALECT.reader(), Splitter()
    given = [len(list(reader.feed(line))) for line in splitter.feed(f"{{\n{PAIR[1:]}\ntext\n[{PAIR}]\n")]
    assert given == [0, 1, 0, 1]


@table(
    ("reply", "note"),
    [
        ('{"old_string": "a", "new_string": "b",}', "a comma after the last item of a list"),
        ("{'old_string': 'a', 'new_string': 'b'}", "a string in single quotes"),
        ('{old_string: "a", new_string: "b"}', "a key without quotes"),
        ('{"old_string": "a", // old\n"new_string": "b"}', "a comment"),
        ('{"old_string": "a"\n"new_string": "b"}', "a comma that is missing"),
    ],
)
def test_what_is_no_plain_json_is_noted(reply: str, note: str) -> None:
    pieces, notes = read("Text.\n" + reply + "\n")
    assert [piece.request for piece in pieces] == [EditFile("", (Replace("a", "b"),))]
    assert note in [one.what for one in notes]
    assert all(one.line > 1 for one in notes)


def test_line_breaks_inside_a_string_are_those_of_the_reply() -> None:
    plain = '{"old_string": "a\nb", "new_string": "c"}\n'
    assert edits(plain) == [Replace("a\nb", "c")]
    assert edits(plain.replace("\n", "\r\n")) == [Replace("a\nb", "c")]
    assert edits('{\n"old_string": "a\r\nb", "new_string": "c"}\n') == [Replace("a\r\nb", "c")]


def test_an_edit_that_changes_nothing_is_left_out_where_others_change_something() -> None:
    idle = '{"old_string": "x", "new_string": "x"}'
    pieces, notes = read(f'{{"edits": [\n{idle},\n{PAIR},\n{idle}\n]}}')
    assert [piece.request for piece in pieces] == [EditFile("", (Replace("a", "b"),))]
    assert [note.line for note in notes] == [2, 4]
    pieces, notes = read(f'{{"edits": [\n{idle},\n{idle}\n]}}')
    assert [piece.request for piece in pieces] == [EditFile("", (Replace("x", "x"),))]
    assert [note.line for note in notes] == [3]


RANGED = '{{"path": "a", "edits": [{}]}}'


def ranged(*items: tuple[int, int, str]) -> str:
    edits = [{"range": {"start": start, "end": end}, "newText": new} for start, end, new in items]
    return json.dumps({"path": "a", "edits": edits})


@table(
    ("one", "kind"),
    [
        (
            '{"range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 4}}, "newText": "x"}',
            "line",
        ),
        ('{"range": {"start": 3, "end": 1}, "newText": "x"}', "backwards"),
        ('{"range": {"start": "3", "end": 4}, "newText": "x"}', "not a line number"),
        ('{"range": {"start": 3}, "newText": "x"}', "not a range"),
        ('{"range": "3-4", "newText": "x"}', "not a range"),
        ('{"range": {"start": 3, "end": 3}}', "new_string"),
        ('{"range": {"start": 3, "end": 3}, "newText": "x", "version": 2}', "version"),
        (
            '{"range": {"start": 3, "end": 3}, "newText": "x"}, {"old_string": "a", "new_string": "b"}',
            "without a range",
        ),
    ],
)
def test_ranges_that_are_none_are_refused(one: str, kind: str) -> None:
    error = refused(RANGED.format(one))
    assert error.kind == Kind.MALFORMED_PATCH
    assert kind in error.message


@table(
    "items",
    [
        [(1, 2, "x"), (2, 3, "y")],
        [(2, 3, "x"), (2, 3, "y")],
        [(5, 9, "x"), (1, 7, "y")],
        [(2, 4, "x"), (3, 2, "y")],
        [(1, 9, "x"), (3, 3, "y"), (4, 4, "z")],
    ],
)
def test_ranges_that_overlap_are_refused(items: list[tuple[int, int, str]]) -> None:
    error = refused(ranged(*items))
    assert error.kind == Kind.OVERLAPPING_EDITS
    assert error.details["line"] == 1


@table(
    "reply",
    [
        ranged((3, 3, "x")) + "\n" + ranged((5, 5, "y")),
        ranged((5, 4, "x")) + "\n" + ranged((5, 4, "y")),
        '{"path": "a", "old_string": "p", "new_string": "p\\nq"}\n' + ranged((5, 5, "y")),
        '{"path": "a", "insert_line": 1, "insert_text": "x"}\n{"path": "a", "insert_line": 2, "insert_text": "y"}',
    ],
)
def test_numbers_that_an_edit_before_them_may_have_moved_are_refused(reply: str) -> None:
    error = refused(reply)
    assert error.kind == Kind.MALFORMED_PATCH
    assert (error.details["line"], "moved" in error.message) == (2, True)


def test_numbers_above_all_edits_before_them_mean_the_same_either_way() -> None:
    assert len(edits(ranged((5, 5, "y")) + "\n" + ranged((3, 4, "x")))) == 2
    assert len(edits('{"path": "a", "old_string": "p", "new_string": "q"}\n' + ranged((5, 5, "y")))) == 2
    assert len(edits(ranged((5, 5, "y")) + '\n{"path": "b", "insert_line": 9, "insert_text": "x"}')) == 2


TEXT = "one\ntwo\nthree\nfour\n"


def test_old_text_of_a_range_must_be_there() -> None:
    reply = '{"edits": [{"range": {"start": 2, "end": 3}, "oldText": "two\\nthree", "newText": "TWO"}]}'
    assert edit(TEXT, edits(reply)).text == "one\nTWO\nfour\n"
    assert edit(TEXT.replace("\n", "\r\n"), edits(reply)).text == "one\r\nTWO\r\nfour\r\n"
    stale = edit("zero\n" + TEXT, edits(reply)).error
    assert stale is not None
    assert stale.kind == Kind.STALE_SOURCE
    assert stale.details["now_at"] == [3]


def test_a_range_beyond_the_file_is_out_of_bounds() -> None:
    error = edit(TEXT, edits(ranged((4, 5, "x")))).error
    assert error is not None
    assert error.kind == Kind.OUT_OF_BOUNDS


RANGES = st.lists(
    st.tuples(st.integers(1, 13), st.integers(-1, 3), st.sampled_from(["", "x", "y\nz", "w\n"])), max_size=6
)


@given(RANGES, st.integers(0, 12), st.booleans())
def test_ranges_are_made_as_if_all_at_once(items: list[tuple[int, int, str]], count: int, is_crlf: bool) -> None:
    """The dullest reference: rows in a list, changed from the end; ranges that collide are left out."""
    rows = [f"row {number}" for number in range(1, count + 1)]
    chosen: list[tuple[int, int, str]] = []
    free = set(range(2 * count + 1))
    for start, size, new in items:
        end = min(start + size, count)
        taken = set(range(2 * start - 2, 2 * start - 1)) if end < start else set(range(2 * start - 1, 2 * end))
        if start <= count + (end < start) and end >= start - 1 and taken <= free and (new or end >= start):
            chosen.append((start, end, new))
            free -= taken
    if not chosen:
        return
    expected = list(rows)
    for start, end, new in sorted(chosen, reverse=True):
        expected[start - 1 : end] = new.removesuffix("\n").split("\n") if new else []
    ending = "\r\n" if is_crlf else "\n"
    before = "".join(row + ending for row in rows)
    result = edit(before, edits(ranged(*chosen)))
    assert result.text.splitlines() == expected, result.error


def check_written(before: str, after: str) -> None:
    text = DIALECT.write([Change("a", "a", before, after)]) if DIALECT.write else ""
    assert json.loads(text)
    assert edit(before, edits(text), path="a").text == after


LINES = st.lists(st.sampled_from(["a", "b", "", "  c", '"q" \\ é', "\u2028", "a\tb"]), max_size=9)


@given(LINES, LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.booleans())
@examples(20)
def test_what_is_written_makes_the_text_after(
    before: list[str], after: list[str], ending: str, ends: bool, also: bool
) -> None:
    texts = [ending.join(before) + ending * ends, ending.join(after) + ending * also]
    if texts[0] != texts[1]:
        check_written(*texts)


@given(st.text(alphabet='ab"\\\n\r \u00e9\U0001f600\x00', max_size=30), st.text(alphabet='ab"\\\n é', max_size=30))
def test_what_cannot_be_written_is_refused(before: str, after: str) -> None:
    if before == after or "\x00" in before:
        return
    try:
        check_written(before, after)
    except EditError as error:
        assert error.kind == Kind.BAD_REQUEST
        assert "\r" in before


def test_lines_that_repeat_are_written_with_what_tells_them_apart() -> None:
    before = "".join(f"def f{n}():\n    x = 1\n    return x\n\n" for n in range(20))
    after = before.replace("def f7():\n    x = 1", "def f7():\n    x = 2")
    check_written(before, after)
    text = DIALECT.write([Change("a", "a", before, after)]) if DIALECT.write else ""
    assert len(text) < 300


def test_files_that_come_go_and_move_are_written_as_requests() -> None:
    changes = [
        Change(None, "new", None, "x\n", None, 0o755),
        Change("gone", None, "y\n", None),
        Change("from", "to", "a\nb\n", "a\nc\n"),
        Change("mode", "mode", "z", "z", 0o644, 0o755),
        Change("same", "same", "z", "z"),
    ]
    assert DIALECT.write is not None
    assert requests(DIALECT.write(changes)) == [
        CreateFile("new", "x\n", 0o755),
        DeleteFile("gone"),
        RenameFile("from", "to"),
        EditFile("to", (Replace("b\n", "c\n"),)),
        ChangeMode("mode", 0o755),
    ]
    with pytest.raises(EditError) as caught:
        DIALECT.write(changes[-1:])
    assert caught.value.kind == Kind.BAD_REQUEST


def test_a_lone_surrogate_survives_being_written() -> None:
    assert DIALECT.write is not None
    text = DIALECT.write([Change(None, "a", None, "\udc80\n")])
    assert text.isascii()
    assert requests(text) == [CreateFile("a", "\udc80\n")]


REPLIES = [
    f"Sure.\n```json\n{PAIR}\n```\nDone.\n",
    '{\n  "path": "a",\n  "edits": [\n    {"old_string": "a\nb", "new_string": "say "hi"",},\n  ]\n}\n',
    ranged((1, 2, "x"), (5, 4, "y")),
    '<tool_call>\n{"name": "Edit", "arguments": "{\\"old_str\\": \\"a\\", \\"new_str\\": \\"b\\"}"}\n</tool_call>\n',
    '{"files": [{"path": "a", "edits": [{"target": {"lines": [1, 2]}, "new": "x"}]}]}\r\n',
    "{'old': 'a', 'new': None}\n{old: \"x\", new: \"y\" /* z */}\n[{},\n[]]",
]


@given(st.sampled_from(REPLIES), st.lists(st.integers(0, 400), max_size=6))
def test_how_a_reply_is_cut_makes_no_difference(reply: str, cuts: list[int]) -> None:
    def outcome(cuts: Sequence[int]) -> object:
        try:
            return read(reply, cuts)
        except EditError as error:
            return error.to_json()

    assert outcome(cuts) == outcome(())


@table("indent", [None, 2])
def test_a_reply_that_breaks_off_is_never_half_an_edit(indent: int | None) -> None:
    value = {
        "path": "a",
        "edits": [{"old_string": "x {\n", "new_string": 'y "]\n'}, {"old_string": "p", "new_string": "q"}],
    }
    reply = json.dumps(value, indent=indent)
    for end in range(len(reply)):
        try:
            assert requests(reply[:end]) == []
        except EditError as error:
            assert error.kind == Kind.MALFORMED_PATCH


@given(st.integers())
@examples(20)
def test_damaged_replies_are_refused_or_read_and_nothing_else_happens(seed: int) -> None:
    chance = random.Random(seed)
    reply = chance.choice(REPLIES)
    for _ in range(chance.randint(1, 6)):
        at, size = chance.randint(0, len(reply)), chance.choice([0, 0, 1, 1, 5])
        reply = (
            reply[:at]
            + chance.choice(['"', "'", "{", "}", "[", "]", ",", ":", "\\", "\n", "```\n", "", "x", reply[at : at + 9]])
            + reply[at + size :]
        )
    try:
        pieces, notes = read(reply)
    except EditError as error:
        assert isinstance(error.details["line"], int)
    else:
        lines = reply.count("\n") + 1
        assert all(1 <= piece.lines[0] <= piece.lines[1] <= lines for piece in pieces)
        assert all(1 <= note.line <= lines for note in notes)


QUOTED = st.text(alphabet='"""{}[],: \nab', min_size=1, max_size=12)


def sloppy(text: str, chance: random.Random) -> str:
    """A string as a careless writer has it: some quotes without a backslash, some line breaks as they are."""
    quotes, breaks = chance.choice([0, 0.3, 1]), chance.choice([0, 0.5, 1])
    out = ""
    for char in text:
        if char == '"':
            out += char if chance.random() < quotes else '\\"'
        elif char == "\n":
            out += char if chance.random() < breaks else "\\n"
        else:
            out += char
    return f'"{out}"'


@given(QUOTED, QUOTED, st.integers())
@examples(20)
def test_quotes_without_a_backslash_never_make_another_edit(old: str, new: str, seed: int) -> None:
    chance = random.Random(seed)
    pair = f'"old_string": {sloppy(old, chance)},\n"new_string": {sloppy(new, chance)}'
    form = chance.choice(
        ["{{{}}}", "{{\n{}\n}}\n", '{{"edits": [{{{}}}]}}', "[\n{{\n{},\n}}\n]", "```json\n{{{}}}\n```\n"]
    )
    try:
        found = edits(form.format(pair))
    except EditError:
        return
    assert found in ([], [Replace(old, new)])
