"""`editDOM`: each action changes its own bytes and no others; what is refused says what to send instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import steadyhand as sh
from tests.table import table
from tests.tools.ground import make, tree

PAGE = """<!DOCTYPE html>
<html>
<body>
  <h1 class="hero" id=top>Caf&eacute; &amp; bar</h1>
  <UL>
    <li>one</li>
    <li class='b'>two</li>
    <li>three</li>
  </UL>
  <img src="a.png" alt='A "x"'>
  <p>Some <b>bold <i>mis</b>nested</i> text</p>
</body>
</html>
"""


def operation(selector: str, action: str, **fields: object) -> dict[str, object]:
    return {"selector": selector, "action": action, **fields}


def call(workspace: sh.Workspace, *operations: dict[str, object], **fields: object) -> dict[str, Any]:
    return workspace.tools("site").call("editDOM", {"file": "a.html", "operations": list(operations), **fields})


def page(root: Path) -> str:
    return tree(root)["a.html"].decode()


# What must not happen.


def test_a_selector_that_matches_nothing_gets_the_elements_like_it(tmp_path: Path) -> None:
    answer = call(make(tmp_path, {"a.html": PAGE}), operation(".herO-", "setText", value="x"))
    assert (answer["success"], answer["kind"], answer["suggestedTool"]) == (False, "no-such-target", "editFile")
    assert answer["details"]["similar"][0] == {
        "selector": "#top", "tag": "h1", "id": "top", "classes": ["hero"], "line": 4,
    }  # fmt: skip
    assert "content" not in answer
    assert "id" not in answer
    assert page(tmp_path) == PAGE


def test_a_selector_that_matches_several_gets_one_for_each_of_them(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.html": PAGE})
    for action, fields in (("remove", {}), ("setText", {"value": "x"}), ("addClass", {"value": "x"})):
        answer = call(workspace, operation("li", action, **fields))
        assert (answer["success"], answer["kind"]) == (False, "ambiguous-match")
    matches = answer["details"]["matches"]
    assert [match["line"] for match in matches] == [6, 7, 8]
    assert page(tmp_path) == PAGE
    for match, word in zip(matches, ("one", "two", "three"), strict=True):
        before = page(tmp_path)
        answer = call(workspace, operation(match["selector"], "setText", value=word.upper()))
        assert answer["success"] is True
        assert page(tmp_path) == before.replace(f">{word}<", f">{word.upper()}<")


def test_a_bad_selector_learns_where_it_is_bad(tmp_path: Path) -> None:
    answer = call(make(tmp_path, {"a.html": PAGE}), operation("li[", "remove"))
    assert (answer["success"], answer["kind"]) == (False, "bad-request")
    assert answer["details"]["position"] == 3
    assert page(tmp_path) == PAGE


WRONG_FIELDS = [
    ("a field is missing", operation("img", "setAttribute", value="x"), "attr"),
    ("there is no value", operation("h1", "setText"), "value"),
    ("one of two classes", operation("h1", "replaceClass", oldClass="hero"), "newClass"),
    ("no position", operation("h1", "insertAdjacentHTML", value="<p>x</p>"), "position"),
    ("a field too many", operation("h1", "remove", value="x"), "value"),
    ("a field of another action", operation("h1", "addClass", value="x", newClass="y"), "newClass"),
]


@table(("wrong", "field"), [row[1:] for row in WRONG_FIELDS], ids=[row[0] for row in WRONG_FIELDS])
def test_an_operation_with_the_wrong_fields_names_those_that_fit(
    wrong: dict[str, object], field: str, tmp_path: Path
) -> None:
    answer = call(make(tmp_path, {"a.html": PAGE}), wrong, operation("h1", "setText", value="x"))
    assert answer["success"] == "partial"
    refused, made = answer["results"]
    assert (refused["success"], refused["kind"], refused["details"]["path"]) == (False, "bad-request", field)
    assert made["success"] is True


def test_an_action_that_there_is_not_changes_nothing(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.html": PAGE})
    answer = call(workspace, operation("h1", "setText", value="x"), operation("h1", "explode"))
    assert (answer["success"], answer["kind"]) == (False, "bad-request")
    assert page(tmp_path) == PAGE


@table("action", ["setText", "setHTML", "replaceElement"])
def test_what_the_parser_had_to_repair_is_not_rewritten(action: str, tmp_path: Path) -> None:
    answer = call(make(tmp_path, {"a.html": PAGE}), operation("p > i", action, value="<u>x</u>"))
    assert (answer["success"], answer["kind"]) == (False, "unparsable")
    assert page(tmp_path) == PAGE


@table(
    "nothing",
    [operation("h1", "addClass", value="hero"), operation("img", "setAttribute", attr="src", value="a.png")],
)
def test_what_is_there_already_is_no_change(nothing: dict[str, object], tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.html": PAGE})
    answer = call(workspace, nothing)
    assert (answer["success"], answer["kind"]) == (False, "no-change")
    assert "suggestedTool" not in answer
    assert workspace.history() == []


@table(
    ("file", "text"),
    [
        ("a.css", "a::after { content: '<p>x</p>' }\n"),
        ("a.js", "const p = <p>x</p>\n"),
        ("a.md", "# A\n\n<p>x</p>\n"),
        ("a.json", '{"a": "<p>x</p>"}\n'),
        ("notes.txt", "none < some\n"),
        ("App.vue", "<template><Row /><p>x</p></template>\n"),
    ],
)
def test_a_file_that_is_no_page_is_refused_with_the_tool_for_it(file: str, text: str, tmp_path: Path) -> None:
    kit = make(tmp_path, {file: text}).tools("site")
    answer: Any = kit.call("editDOM", {"file": file, "operations": [operation("p", "remove"), operation("*", "wrap")]})
    assert (answer["success"], answer["kind"], answer["suggestedTool"]) == (False, "bad-request", "editFile")
    assert [each["kind"] for each in answer["results"]] == ["bad-request"] * 2
    for said in (answer["hint"], answer["results"][1]["error"]):
        assert "HTML pages" in said
        assert "editFile" in said
    assert tree(tmp_path)[file].decode() == text


@table("file", ["index.php", "icon.svg", "page", "page.html.erb"])
def test_a_page_by_another_name_is_a_page(file: str, tmp_path: Path) -> None:
    kit = make(tmp_path, {file: "<div><p>x</p></div>\n"}).tools("site")
    answer = kit.call("editDOM", {"file": file, "operations": [operation("p", "setText", value="y")]})
    assert answer["success"] is True, answer


def test_passages_of_a_file_that_is_no_page_are_changed_beside_its_elements(tmp_path: Path) -> None:
    edit = {
        "file": "a.css",
        "domOperations": [operation("p", "remove")],
        "replaceOperations": [{"search": "red", "replace": "blue"}],
    }
    answer: Any = make(tmp_path, {"a.css": "p { color: red }\n"}).tools("site").call("editFiles", {"edits": [edit]})
    assert answer["success"] == "partial"
    assert tree(tmp_path)["a.css"] == b"p { color: blue }\n"


def test_a_file_that_is_not_there_is_reported_with_names_like_it(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"about.html": PAGE})
    answer = workspace.tools("site").call("editDOM", {"file": "abuot.html", "operations": [operation("h1", "remove")]})
    assert (answer["success"], answer["kind"], answer["file"]) == (False, "no-such-file", "abuot.html")
    assert answer["details"]["similar"] == ["about.html"]


# What must.

IMG = '<img src="a.png" alt=\'A "x"\'>'
H1 = '<h1 class="hero" id=top>Caf&eacute; &amp; bar</h1>'
ACTIONS = [
    (operation("img", "setAttribute", attr="src", value='/n.jpg?a=1&b="'), ('"a.png"', '"/n.jpg?a=1&b=&quot;"')),
    (operation("img", "setAttribute", attr="loading", value="lazy"), ("x\"'>", "x\"' loading='lazy'>")),
    (operation("img", "removeAttribute", attr="alt"), (" alt='A \"x\"'", "")),
    (operation("h1", "setText", value="a < b & $&"), ("Caf&eacute; &amp; bar", "a &lt; b &amp; $&amp;")),
    (operation("h1", "setHTML", value="<em>Caf&eacute;</em>"), ("Caf&eacute; &amp; bar", "<em>Caf&eacute;</em>")),
    (operation("h1", "addClass", value="big wide"), ('"hero"', '"hero big wide"')),
    (operation("li.b", "removeClass", value="b"), (" class='b'", "")),
    (operation("li.b", "replaceClass", oldClass="b", newClass="c"), ("'b'", "'c'")),
    (operation("li.b", "remove"), ("    <li class='b'>two</li>\n", "")),
    (operation("h1", "replaceElement", value="<h2>x</h2>"), (H1, "<h2>x</h2>")),
    (operation("img", "wrap", value='<a href="/"></a>'), (IMG, f'<a href="/">{IMG}</a>')),
    (operation("h1", "unwrap"), (H1, "Caf&eacute; &amp; bar")),
    (operation("h1", "insertAdjacentHTML", position="beforebegin", value="<i>x</i>"), (H1, f"<i>x</i>{H1}")),
    (operation("h1", "insertAdjacentHTML", position="afterbegin", value="<i>x</i>"), ("Caf", "<i>x</i>Caf")),
    (operation("h1", "insertAdjacentHTML", position="beforeend", value="<i>x</i>"), (" bar<", " bar<i>x</i><")),
    (operation("h1", "insertAdjacentHTML", position="afterend", value="<i>x</i>"), (H1, f"{H1}<i>x</i>")),
]


@table(("asked", "change"), ACTIONS, ids=[f"{asked['action']} {asked.get('position', '')}" for asked, _ in ACTIONS])
@table("newline", ["\n", "\r\n"])
def test_an_action_changes_its_own_bytes_and_no_others(
    asked: dict[str, object], change: tuple[str, str], newline: str, tmp_path: Path
) -> None:
    before = PAGE.replace("\n", newline)
    workspace = make(tmp_path, {"a.html": before})
    answer = call(workspace, asked)
    assert answer["success"] is True, answer
    wanted = before.replace(change[0].replace("\n", newline), change[1])
    assert page(tmp_path) == wanted
    assert answer["content"] == wanted
    assert answer["fileHash"] == sh.Source.of_bytes(wanted.encode()).digest[:16]
    workspace.undo(answer["id"])
    assert page(tmp_path) == before


LINES = "<i>1</i>\n<i>2</i>\n"


@table("all_of_them", [False, True])
@table(
    ("action", "fields", "after"),
    [
        ("setHTML", {"value": LINES}, f"<b>{LINES}</b>"),
        ("setText", {"value": "1\n2\n"}, "<b>1\n2\n</b>"),
        ("replaceElement", {"value": LINES}, LINES),
        ("insertAdjacentHTML", {"value": LINES, "position": "afterend"}, f"<b></b>{LINES}"),
        ("insertAdjacentHTML", {"value": LINES.replace("\n", "\r\n"), "position": "beforeend"}, f"<b>{LINES}</b>"),
    ],
)
def test_lines_that_are_put_in_end_as_those_of_the_page_do(
    action: str, fields: dict[str, str], after: str, all_of_them: bool, tmp_path: Path
) -> None:
    many = 2 if all_of_them else 1
    workspace = make(tmp_path, {"a.html": "<p>\r\n</p>\r\n" + "<b></b>\r\n" * many})
    assert call(workspace, operation("b", action, all=all_of_them, **fields))["success"] is True
    assert page(tmp_path) == ("<p>\n</p>\n" + f"{after}\n" * many).replace("\n", "\r\n")


@table("encoding", ["utf-8-sig", "latin-1", "utf-16"])
def test_a_page_keeps_its_encoding(encoding: str, tmp_path: Path) -> None:
    text = '<meta charset="latin-1">\r\n<p>Grüße</p>\r\n<b>é</b>'
    workspace = make(tmp_path, {"a.html": text.encode(encoding)})
    assert call(workspace, operation("p", "setText", value="für dich"))["success"] is True
    assert tree(tmp_path)["a.html"] == text.replace("Grüße", "für dich").encode(encoding)


def test_scripts_and_styles_are_left_as_they_are_written(tmp_path: Path) -> None:
    before = '<style>a > b { color: red }</style>\n<script>if (a < b && "</p>") { x("<li>") }</script>\n<p>x</p>\n'
    workspace = make(tmp_path, {"a.html": before})
    assert call(workspace, operation("p", "setText", value="y"))["success"] is True
    assert call(workspace, operation("li", "remove"))["kind"] == "no-such-target"
    assert call(workspace, operation("style", "setText", value="a > b { color: blue }"))["success"] is True
    assert page(tmp_path) == before.replace("red", "blue").replace("<p>x", "<p>y")


def test_every_element_that_matches_is_changed_where_that_is_said(tmp_path: Path) -> None:
    answer = call(make(tmp_path, {"a.html": PAGE}), operation("li", "addClass", value="x", all=True))
    assert answer["results"] == [{"index": 0, "success": True, "lines": {"start": 6, "end": 8}}]
    assert page(tmp_path) == PAGE.replace("<li>", '<li class="x">').replace("'b'", "'b x'")
    assert call(make(tmp_path / "b", {"a.html": PAGE}), operation("dd", "remove", all=True))["kind"] == "no-such-target"


def test_each_operation_sees_the_page_that_the_last_one_left(tmp_path: Path) -> None:
    answer = call(
        make(tmp_path, {"a.html": PAGE}),
        operation("h1", "replaceElement", value='<div id="new"><p class="lead">x</p></div>'),
        operation("#new .lead", "setText", value="y"),
        operation("#new .lead", "addClass", value="one"),
        operation(".lead.one", "addClass", value="two"),
        operation("#new", "unwrap"),
    )
    assert answer["success"] is True, answer
    assert page(tmp_path) == PAGE.replace(H1, '<p class="lead one two">y</p>')


def test_a_failed_operation_stops_no_other_and_all_that_are_made_are_one_change(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.html": PAGE})
    answer = call(
        workspace,
        operation("h2", "setText", value="x", reason="none such"),
        operation("h1", "setText", value="x", reason="shorter"),
        operation("li", "remove"),
        operation("img", "remove"),
        reason="cleaning",
    )
    assert answer["success"] == "partial"
    assert [(each["index"], each["success"], each.get("kind")) for each in answer["results"]] == [
        (0, False, "no-such-target"),
        (1, True, None),
        (2, False, "ambiguous-match"),
        (3, True, None),
    ]
    (entry,) = workspace.history()
    (change,) = entry.record.files
    assert (entry.record.id, entry.record.tool, entry.record.reason) == (answer["id"], "editDOM", "cleaning")
    assert [edit.reason for edit in change.edits] == ["shorter", "cleaning"]
    assert [(edit.reason, edit.kind) for edit in change.left] == [
        ("none such", "no-such-target"),
        (None, "ambiguous-match"),
    ]
    workspace.undo(answer["id"])
    assert page(tmp_path) == PAGE


def test_lines_are_those_of_the_page_as_it_is_in_the_end(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.html": PAGE})
    answer = call(
        workspace,
        operation("img", "setAttribute", attr="src", value="b.png"),
        operation("li.b", "insertAdjacentHTML", position="afterend", value="\n    <li>new</li>\n    <li>newer</li>"),
        operation("li.b", "setText", value="2"),
        operation("li:first-of-type", "remove"),
        operation("h1", "insertAdjacentHTML", position="beforebegin", value="<p>a</p>\n  <p>b</p>\n  "),
    )
    rows = page(tmp_path).split("\n")
    wanted = [("b.png", "b.png"), ("new<", "newer"), ("'b'>2", "'b'>2"), None, ("<p>a", "hero")]
    for result, edges in zip(answer["results"], wanted, strict=True):
        first, last = result["lines"]["start"], result["lines"]["end"]
        assert edges is None or (edges[0] in "\n".join(rows[first - 1 : last]) and edges[1] in rows[last - 1]), result
    (change,) = workspace.history()[0].record.files
    reported = [(each["lines"]["start"], each["lines"]["end"]) for each in answer["results"]]
    assert [edit.lines for edit in change.edits] == reported


def test_a_page_of_a_megabyte_is_changed_in_place_and_not_sent_back(tmp_path: Path) -> None:
    parts = [f"<section id=s{n}>\n<h2 class='t'>{n}</h2>\n<p>{'text ' * 40}</p>\n</section>\n" for n in range(4_500)]
    before = "".join(parts)
    assert len(before) > 1_000_000
    answer = call(make(tmp_path, {"a.html": before}), operation("#s4000 h2", "setText", value="four"))
    assert answer["success"] is True
    assert "content" not in answer
    assert answer["leftOut"]
    assert answer["context"]["beforeLines"][-1] == "<section id=s4000>"
    assert page(tmp_path) == before.replace(">4000<", ">four<")
