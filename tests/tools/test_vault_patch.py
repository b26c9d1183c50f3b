"""`TextPatch`: which target fits which operation, sections and code blocks as wholes, versions, and the report."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from tests.table import table
from tests.tools.ground import make

GUIDE = """# Intro

Intro text.

## Setup

Setup text.

### On a server

Ask.

## Config

Config text.

```sh
# Setup
run
```
"""
CONTENT = {"replace": "new", "insert": "new", "delete": None}


def patched(root: Path, text: str | bytes, operation: str, target: object, **more: Any) -> dict[str, Any]:
    name = more.pop("name", "g.md")
    kit = make(root, {name: text}).tools("vault")
    arguments = {"filePath": name, "operation": operation, "target": target, **more}
    return kit.call("TextPatch", {field: value for field, value in arguments.items() if value is not None})


def content(root: Path, name: str = "g.md") -> str:
    return (root / name).read_bytes().decode()


REMOVED = [
    ("text", "Setup", "TextReplace"),
    ("pattern", "Set.*", "TextInspect"),
    ("afterHeading", "Setup", "appendToSection"),
    ("after_heading", "Setup", "appendToSection"),
    ("section", "Setup", "heading"),
]


@table(("target", "value", "instead"), REMOVED, ids=[row[0] for row in REMOVED])
@table("operation", ["replace", "insert", "delete"])
def test_a_target_of_former_times_is_refused_with_its_replacement(
    tmp_path: Path, target: str, value: str, instead: str, operation: str
) -> None:
    answer = patched(tmp_path, GUIDE, operation, {target: value}, content=CONTENT[operation])
    assert (answer["status"], answer["kind"]) == ("error", "bad-request")
    assert instead in answer["hint"]
    assert content(tmp_path) == GUIDE


def test_the_operation_replace_lines_is_refused_with_its_replacement(tmp_path: Path) -> None:
    answer = patched(tmp_path, GUIDE, "replaceLines", {"lines": {"start": 1, "end": 2}}, content="x")
    assert (answer["status"], answer["kind"]) == ("error", "bad-request")
    assert '"replace"' in answer["hint"]
    assert "lines" in answer["hint"]
    assert content(tmp_path) == GUIDE


MATRIX = [
    ("replace", "beforeHeading", "Setup"),
    ("replace", "appendToSection", "Setup"),
    ("insert", "heading", "Setup"),
    ("insert", "codeBlock", {"index": 0}),
    ("delete", "beforeHeading", "Setup"),
    ("delete", "appendToSection", "Setup"),
]


@table(("operation", "target", "value"), MATRIX, ids=[f"{row[0]} {row[1]}" for row in MATRIX])
def test_a_target_that_does_not_fit_its_operation_is_refused_with_what_does(
    tmp_path: Path, operation: str, target: str, value: object
) -> None:
    answer = patched(tmp_path, GUIDE, operation, {target: value}, content=CONTENT[operation])
    assert answer["kind"] == "bad-request"
    for fitting in answer["details"]["allowed"]:
        assert fitting in answer["message"]
    assert content(tmp_path) == GUIDE


@table(
    "target",
    [
        {},
        {"nth": 1},
        {"heading": "Setup", "lines": {"start": 1, "end": 1}},
        {"lines": {"start": 1, "end": 1}, "nth": 1},
    ],
    ids=["none", "only nth", "two", "nth beside lines"],
)
def test_a_target_says_exactly_one_place(tmp_path: Path, target: dict[str, object]) -> None:
    assert patched(tmp_path, GUIDE, "replace", target, content="x")["kind"] == "bad-request"
    assert content(tmp_path) == GUIDE


@table(
    ("operation", "target", "kind"),
    [
        ("replace", {"lines": {"start": 3, "end": 99}}, "out-of-bounds"),
        ("replace", {"lines": {"start": 5, "end": 3}}, "bad-request"),
        ("replace", {"lines": {"start": 5}}, "bad-request"),
        ("replace", {"lines": {"start": 0, "end": 1}}, "bad-request"),
        ("insert", {"lines": {"start": 99}}, "out-of-bounds"),
        ("replace", {"heading": "  "}, "bad-request"),
        ("replace", {"codeBlock": {"index": 7}}, "no-such-target"),
        ("replace", {"codeBlock": {"index": -1}}, "bad-request"),
    ],
)
def test_a_place_that_cannot_be_is_refused(
    tmp_path: Path, operation: str, target: dict[str, object], kind: str
) -> None:
    assert patched(tmp_path, GUIDE, operation, target, content="x")["kind"] == kind
    assert content(tmp_path) == GUIDE


@table(("operation", "text"), [("replace", None), ("insert", None), ("delete", "x")])
def test_content_goes_with_replace_and_insert_only(tmp_path: Path, operation: str, text: str | None) -> None:
    answer = patched(tmp_path, GUIDE, operation, {"lines": {"start": 1, "end": 1}}, content=text)
    assert (answer["kind"], answer["details"]["path"]) == ("bad-request", "content")


@table("target", ["heading", "beforeHeading", "appendToSection"])
def test_a_heading_that_is_not_there_is_refused_with_the_nearest_and_nothing_is_created(
    tmp_path: Path, target: str
) -> None:
    operation = "replace" if target == "heading" else "insert"
    answer = patched(tmp_path, GUIDE, operation, {target: "Setpu"}, content="x")
    assert answer["kind"] == "no-such-target"
    assert answer["details"]["nearest"][0] == {target: "Intro > Setup"}
    assert "Intro > Setup" in answer["hint"]
    assert content(tmp_path) == GUIDE


def test_a_heading_in_a_code_block_is_no_heading(tmp_path: Path) -> None:
    text = "# A\n\n```sh\n# Setup\n```\n"
    assert patched(tmp_path, text, "replace", {"heading": "Setup"}, content="x")["kind"] == "no-such-target"


@table("name", ["a.txt", "a.json", "a.yaml", "a.html", "a.rst"])
@table("target", [{"appendToSection": "Setup"}, {"beforeHeading": "Setup"}])
def test_sections_are_for_markdown_only(tmp_path: Path, name: str, target: dict[str, object]) -> None:
    answer = patched(tmp_path, "{}\n", "insert", target, content="x", name=name)
    assert (answer["status"], answer["kind"]) == ("error", "bad-request")
    assert "Markdown" in answer["error"]
    assert "TextReplace" in answer["hint"]
    assert content(tmp_path, name) == "{}\n"


TWICE = "# A\n\n## Notes\n\none\n\n# B\n\n## Notes\n\ntwo\n\n## Notes\n\nthree\n"


def test_a_heading_that_several_sections_have_is_refused_with_their_paths_and_lines(tmp_path: Path) -> None:
    answer = patched(tmp_path, TWICE, "delete", {"heading": "Notes"})
    assert answer["kind"] == "ambiguous-match"
    assert answer["details"]["places"] == [
        {"heading": "A > Notes", "line": 3},
        {"heading": "B > Notes", "nth": 1, "line": 9},
        {"heading": "B > Notes", "nth": 2, "line": 13},
    ]
    for said in ("A > Notes (line 3)", "B > Notes (line 9)", "B > Notes (line 13)"):
        assert said in answer["message"]
    assert "nth" in answer["hint"]
    assert content(tmp_path) == TWICE


@table(
    ("target", "gone"),
    [
        ({"heading": "A > Notes"}, "one"),
        ({"heading": "Notes", "nth": 1}, "one"),
        ({"heading": "Notes", "nth": 2}, "two"),
        ({"heading": "B > Notes", "nth": 2}, "three"),
    ],
)
def test_a_longer_path_or_a_number_picks_one_of_several_sections(
    tmp_path: Path, target: dict[str, object], gone: str
) -> None:
    answer = patched(tmp_path, TWICE, "replace", target, content="changed")
    assert answer["status"] == "success"
    assert content(tmp_path) == TWICE.replace(gone, "changed")


def test_a_number_beyond_the_last_section_is_refused(tmp_path: Path) -> None:
    answer = patched(tmp_path, TWICE, "delete", {"heading": "Notes", "nth": 4})
    assert (answer["kind"], answer["details"]["count"]) == ("count-mismatch", 3)


def test_what_is_appended_to_a_section_is_at_its_end_before_the_next_heading(tmp_path: Path) -> None:
    text = "# Intro\nIntro text\n## Setup\nSetup text\n## Config\nConfig text\n"
    answer = patched(tmp_path, text, "insert", {"appendToSection": "## Setup"}, content="Appended")
    assert answer["status"] == "success"
    rows = content(tmp_path).split("\n")
    assert rows.index("Setup text") < rows.index("Appended") < rows.index("## Config")
    assert [row for row in rows if row != "Appended" and row] == [row for row in text.split("\n") if row]


def test_what_is_appended_to_a_section_is_behind_its_subsections(tmp_path: Path) -> None:
    patched(tmp_path, GUIDE, "insert", {"appendToSection": "Setup"}, content="Appended.")
    assert content(tmp_path) == GUIDE.replace("Ask.\n", "Ask.\n\nAppended.\n")


def test_what_is_appended_to_the_last_section_is_at_the_end_of_the_file(tmp_path: Path) -> None:
    patched(tmp_path, GUIDE, "insert", {"appendToSection": "Config"}, content="Appended.")
    assert content(tmp_path) == GUIDE + "\nAppended.\n"


def test_the_end_of_a_section_that_has_no_final_newline_gets_one(tmp_path: Path) -> None:
    patched(tmp_path, "# A\n\ntext", "insert", {"appendToSection": "A"}, content="more")
    assert content(tmp_path) in ("# A\n\ntext\n\nmore", "# A\n\ntext\n\nmore\n")


def test_what_goes_before_a_heading_is_between_it_and_the_section_above(tmp_path: Path) -> None:
    patched(tmp_path, GUIDE, "insert", {"beforeHeading": "Config"}, content="## Middle\n\nText.")
    assert content(tmp_path) == GUIDE.replace("## Config", "## Middle\n\nText.\n\n## Config")


def test_replacing_a_section_keeps_its_heading(tmp_path: Path) -> None:
    patched(tmp_path, GUIDE, "replace", {"heading": "On a server"}, content="Tell.")
    assert content(tmp_path) == GUIDE.replace("Ask.", "Tell.")


def test_content_that_starts_with_a_heading_brings_it_and_never_doubles_it(tmp_path: Path) -> None:
    patched(tmp_path, GUIDE, "replace", {"heading": "Config"}, content="## Options\n\nNone.")
    assert content(tmp_path) == GUIDE[: GUIDE.index("## Config")] + "## Options\n\nNone.\n"
    patched(tmp_path, GUIDE, "replace", {"heading": "On a server"}, content="### On a server\n\nTell.")
    assert content(tmp_path) == GUIDE.replace("Ask.", "Tell.")


def test_deleting_a_section_takes_its_heading_and_its_subsections(tmp_path: Path) -> None:
    patched(tmp_path, GUIDE, "delete", {"heading": "Setup"})
    assert content(tmp_path) == GUIDE[: GUIDE.index("## Setup")] + GUIDE[GUIDE.index("## Config") :]


SPELLED = ["Setup", "## Setup", "setup", "Intro > Setup", "intro > SETUP", "**Setup**", "## Setup ##", " Setup "]


@table("spelled", SPELLED)
def test_a_heading_is_known_however_it_is_spelled(tmp_path: Path, spelled: str) -> None:
    answer = patched(tmp_path, GUIDE, "replace", {"heading": spelled}, content="x")
    assert (answer["status"], content(tmp_path)) == (
        "success",
        GUIDE.replace("Setup text.\n\n### On a server\n\nAsk.", "x"),
    )


def test_a_heading_with_emphasis_a_tail_and_a_variant_of_an_emoji_is_known_by_its_words(tmp_path: Path) -> None:
    text = "# A\n\n## **Ship** it \u2764\ufe0f ##\n\nold\n"
    patched(tmp_path, text, "replace", {"heading": "ship it \u2764"}, content="new")
    assert content(tmp_path) == text.replace("old", "new")


def test_a_heading_with_marks_of_another_level_is_another(tmp_path: Path) -> None:
    assert patched(tmp_path, GUIDE, "delete", {"heading": "### Setup"})["kind"] == "no-such-target"


def test_replacing_a_code_block_keeps_its_fences(tmp_path: Path) -> None:
    patched(tmp_path, GUIDE, "replace", {"codeBlock": {"index": 0}}, content="make\nmake install")
    assert content(tmp_path) == GUIDE.replace("# Setup\nrun", "make\nmake install")


def test_deleting_a_code_block_empties_it_and_keeps_its_fences(tmp_path: Path) -> None:
    patched(tmp_path, GUIDE, "delete", {"codeBlock": {"index": 0}})
    assert content(tmp_path) == GUIDE.replace("# Setup\nrun\n", "")


def test_the_number_of_a_code_block_is_the_one_that_inspecting_prints(tmp_path: Path) -> None:
    text = "~~~\na\n~~~\n\n- item\n\n  ```py\n  b\n  ```\n\n    indented\n"
    kit = make(tmp_path, {"g.md": text}).tools("vault")
    blocks = kit.call("TextInspect", {"filePath": "g.md", "mode": "structure"})["codeBlocks"]
    python = next(block["index"] for block in blocks if block["language"] == "py")
    call = {"filePath": "g.md", "operation": "replace", "target": {"codeBlock": {"index": python}}, "content": "c"}
    kit.call("TextPatch", call)
    assert content(tmp_path) == text.replace("  b\n", "  c\n")


@table(
    ("operation", "lines", "text", "after"),
    [
        ("replace", {"start": 2, "end": 3}, "x", "1\nx\n4\n"),
        ("replace", {"start": 2, "end": 3}, "x\n", "1\nx\n4\n"),
        ("replace", {"start": 4, "end": 4}, "x\ny", "1\n2\n3\nx\ny\n"),
        ("replace", {"start": 1, "end": 1}, "", "2\n3\n4\n"),
        ("insert", {"start": 1}, "x", "x\n1\n2\n3\n4\n"),
        ("insert", {"start": 3, "end": 3}, "x", "1\n2\nx\n3\n4\n"),
        ("insert", {"start": 5}, "x", "1\n2\n3\n4\nx\n"),
        ("delete", {"start": 2, "end": 4}, None, "1\n"),
        ("delete", {"start": 1, "end": 4}, None, ""),
    ],
)
def test_lines_are_replaced_inserted_before_and_deleted(
    tmp_path: Path, operation: str, lines: dict[str, int], text: str | None, after: str
) -> None:
    answer = patched(tmp_path, "1\n2\n3\n4\n", operation, {"lines": lines}, content=text, name="a.txt")
    assert (answer["status"], content(tmp_path, "a.txt")) == ("success", after)


def test_the_answer_has_the_fields_of_the_contract(tmp_path: Path) -> None:
    answer = patched(tmp_path, GUIDE, "replace", {"heading": "On a server"}, content="Tell.\nTwice.")
    assert answer == {
        "status": "success",
        "filePath": "g.md",
        "operation": "replace",
        "target": {"heading": "On a server"},
        "affectedLines": {"start": 11, "end": 12},
        "linesChanged": 2,
        "context": {"beforeLines": ["", "### On a server", ""], "afterLines": ["", "## Config", ""]},
        "preview": {"before": "Ask.", "after": "Tell.\nTwice."},
        "fileHash": hashlib.sha256((tmp_path / "g.md").read_bytes()).hexdigest()[:16],
        "id": answer["id"],
    }


def test_at_the_start_of_a_file_there_are_no_lines_before(tmp_path: Path) -> None:
    answer = patched(tmp_path, "1\n2\n3\n", "replace", {"lines": {"start": 1, "end": 1}}, content="x")
    assert answer["context"] == {"beforeLines": [], "afterLines": ["2", "3"]}


def test_at_the_end_of_a_file_there_are_no_lines_after(tmp_path: Path) -> None:
    answer = patched(tmp_path, "1\n2\n3\n", "replace", {"lines": {"start": 3, "end": 3}}, content="x\ny")
    assert answer["context"] == {"beforeLines": ["1", "2"], "afterLines": []}


@table(
    ("start", "end", "context"),
    [
        (3, 4, {"beforeLines": ["1", "2"], "afterLines": ["5", "6"]}),
        (5, 6, {"beforeLines": ["2", "3", "4"], "afterLines": []}),
        (1, 5, {"beforeLines": [], "afterLines": ["6"]}),
        (1, 6, {"beforeLines": [], "afterLines": []}),
    ],
)
def test_after_lines_were_deleted_the_context_is_what_is_on_both_sides(
    tmp_path: Path, start: int, end: int, context: dict[str, list[str]]
) -> None:
    answer = patched(tmp_path, "1\n2\n3\n4\n5\n6\n", "delete", {"lines": {"start": start, "end": end}})
    assert (answer["context"], answer["linesChanged"]) == (context, end - start + 1)


def test_the_hash_of_the_version_at_hand_lets_the_edit_through(tmp_path: Path) -> None:
    known = hashlib.sha256(GUIDE.encode()).hexdigest()[:16]
    answer = patched(tmp_path, GUIDE, "delete", {"heading": "Config"}, expectedHash=known)
    assert answer["status"] == "success"


def test_a_hash_of_another_version_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    answer = patched(tmp_path, GUIDE, "delete", {"heading": "Config"}, expectedHash="f" * 16)
    present = hashlib.sha256(GUIDE.encode()).hexdigest()[:16]
    assert (answer["kind"], answer["details"]["fileHash"]) == ("stale-source", present)
    assert content(tmp_path) == GUIDE


def test_a_target_sent_as_a_string_of_json_is_taken_and_reported(tmp_path: Path) -> None:
    answer = patched(tmp_path, GUIDE, "delete", '{"lines": {"start": "1", "end": 1}}')
    assert (answer["status"], len(answer["repaired"])) == ("success", 2)


def test_a_patch_can_be_undone_by_its_id(tmp_path: Path) -> None:
    answer = patched(tmp_path, GUIDE, "delete", {"heading": "Setup"})
    make(tmp_path, {}).undo(answer["id"])
    assert content(tmp_path) == GUIDE
