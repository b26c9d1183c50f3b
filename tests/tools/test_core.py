"""The core tools as a model uses them: any place, any number of files, any dialect; short answers, helpful refusals."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.storage import DirEntry, Storage
from tests.table import table
from tests.tools.examples import lay_out, tree
from tests.tools.ground import OPENED, make

TABLE = "| Name | Size |\n|---|---|\n| a | 1 |\n"
GUIDE = f"---\ntitle: Guide\n---\n\n# Guide\n\n## Setup\n\nRun it.\n\n```sh\nmake\n```\n\n{TABLE}"
APP = "class Shape:\n    def area(self):\n        return 0\n\n\ndef main():\n    return Shape()\n"
PAGE = '<main>\n  <p id="cta" class="big">Go</p>\n</main>\n'
PACKAGE = '{\n  "name": "x",\n  "ports": [80, 443]\n}\n'
FILES = {"guide.md": GUIDE, "app.py": APP, "page.html": PAGE, "package.json": PACKAGE, "a.txt": "one\ntwo\nthree\n"}

Answer = dict[str, Any]


class Ground:
    """A tree of files and a kit over it."""

    def __init__(self, root: Path, files: dict[str, str] | None = None, **options: Any) -> None:
        self.root = root
        lay_out(root, FILES if files is None else files)
        own = {name: options.pop(name) for name in ("mode", "read_only", "task", "actor") if name in options}
        self.workspace = sh.Workspace(root, **{"actor": "tester", **own})
        OPENED.append(self.workspace)
        self.kit = self.workspace.tools("core", **options)

    def call(self, tool: str, **arguments: object) -> Answer:
        answer = self.kit.call(tool, arguments)
        json.dumps(answer)
        return answer

    def ok(self, tool: str, **arguments: object) -> Answer:
        answer = self.call(tool, **arguments)
        assert answer["success"] is True, answer
        return answer

    def refused(self, tool: str, **arguments: object) -> Answer:
        before, records = tree(self.root), len(self.workspace.history())
        answer = self.call(tool, **arguments)
        assert answer["success"] is False, answer
        assert answer["error"].count("\n") < 15
        assert (tree(self.root), len(self.workspace.history())) == (before, records)
        return answer

    def edit(self, path: str, *edits: object, **more: object) -> str:
        self.ok("edit", path=path, edits=list(edits), **more)
        return self.text(path)

    def text(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


# Where an edit goes.

PLACES: list[tuple[str, object, dict[str, object], str]] = [
    ("a.txt", "two", {"new": "2"}, "one\n2\nthree\n"),
    ("a.txt", {"old": "two"}, {"new": "2"}, "one\n2\nthree\n"),
    ("a.txt", {"lines": [2, 3]}, {"new": "2"}, "one\n2\n"),
    ("a.txt", {"at": "lines:2-1"}, {"insert": "1.5"}, "one\n1.5\ntwo\nthree\n"),
    ("a.txt", {"at": "lines:3"}, {"insert": "4", "where": "after"}, "one\ntwo\nthree\n4\n"),
    ("a.txt", {"anchor": "2#3fc"}, {"delete": True}, "one\nthree\n"),
    ("guide.md", {"heading": "Setup"}, {"delete": True}, GUIDE[: GUIDE.index("## Setup") - 1]),
    ("guide.md", {"at": "code_block:0"}, {"new": "make all"}, GUIDE.replace("make\n", "make all\n")),
    ("guide.md", {"at": "table:0[1,Size]"}, {"act": "set-cell", "args": {"value": "2"}}, GUIDE.replace("1 |", "2 |")),
    ("guide.md", {"at": "front_matter:title"}, {"new": "Manual"}, GUIDE.replace("title: Guide", "title: Manual")),
    ("app.py", {"symbol": "main"}, {"delete": True}, APP[: APP.index("\n\n\ndef main")] + "\n"),
    ("app.py", {"at": "symbol.body:main"}, {"new": "    return None"}, APP.replace("return Shape()", "return None")),
    ("page.html", {"selector": "#cta"}, {"act": "set-text", "args": {"value": "Stop"}}, PAGE.replace("Go", "Stop")),
    ("package.json", {"key": "ports[0]"}, {"act": "set-key", "args": {"value": 8080}}, PACKAGE.replace("80,", "8080,")),
    ("package.json", {"at": "key:name"}, {"new": '"y"'}, PACKAGE.replace('"x"', '"y"')),
]  # fmt: skip


@pytest.mark.parametrize(("path", "target", "what", "after"), PLACES)
def test_an_edit_goes_to_any_target(ground: Ground, path: str, target: object, what: Answer, after: str) -> None:
    assert ground.edit(path, {"target": target, **what}) == after


@pytest.mark.parametrize(("path", "target", "what", "after"), PLACES)
def test_the_same_in_files_and_dry(ground: Ground, path: str, target: object, what: Answer, after: str) -> None:
    files = [{"path": path, "edits": [{"target": target, **what}]}]
    answer = ground.ok("edit", files=files, dry_run=True)
    assert answer["dryRun"]
    assert "id" not in answer
    assert answer["diff"].startswith("--- a/")
    assert tree(ground.root) == FILES
    assert ground.ok("edit", files=files)["fileHash"] == answer["fileHash"]
    assert ground.text(path) == after


def test_an_address_may_be_beside_the_new_text(ground: Ground) -> None:
    assert ground.edit("a.txt", {"at": "lines:1", "new": "1"}) == "1\ntwo\nthree\n"
    answer = ground.refused("edit", path="a.txt", edits=[{"at": "lines:1", "target": "1", "new": "x"}])
    assert answer["details"]["path"] == "edits[0].at"


def test_every_address_of_an_outline_is_one_that_edit_takes(ground: Ground) -> None:
    for path in ("guide.md", "app.py", "page.html", "package.json"):
        entries = ground.ok("outline", path=path)["entries"]
        assert len(entries) >= 2
        for entry in entries:
            edits = [{"target": {"at": entry["address"]}, "delete": True}]
            answer = ground.call("edit", path=path, edits=edits, dry_run=True)
            assert answer["success"] is True or answer["kind"] in ("breaks-syntax", "bad-request", "not-allowed"), (
                answer
            )


def test_an_old_text_that_reads_like_an_address_is_old_text_first(tmp_path: Path) -> None:
    ground = Ground(tmp_path, {"a.md": "# Setup\n\nsee heading:Setup\n"})
    assert ground.edit("a.md", {"target": "heading:Setup", "new": "above"}) == "# Setup\n\nsee above\n"
    answer = ground.refused("edit", path="a.md", edits=[{"target": "heading:Setup", "new": "x"}])
    assert '{"at": "heading:Setup"}' in answer["hint"]


@pytest.mark.parametrize(
    ("target", "offered"),
    [
        ({"heading": "Notes", "nth": 2}, '{"at": "heading[2]:Notes"}'),
        ({"symbol": "f", "part": "body"}, '{"at": "symbol.body:f"}'),
        ({"lines": "3-5"}, '{"at": "lines:3-5"}'),
    ],
)
def test_a_target_in_an_odd_form_is_refused_with_its_address(ground: Ground, target: object, offered: str) -> None:
    answer = ground.refused("edit", files=[{"path": "guide.md", "edits": [{"target": target, "new": "x"}]}])
    assert answer["details"]["path"] == "files[0].edits[0].target"
    assert offered in answer["hint"]


@pytest.mark.parametrize(
    "edit",
    [
        {"old_string": "two", "new_string": "2"},
        {"search": "two", "replace": "2"},
        {"old": "two", "new": "2"},
        {"oldText": "two", "newText": "2", "occurrence": "1"},
        {"target": "two", "new": "2", "delete": False, "insert": None, "act": ""},
    ],
)
def test_what_models_call_old_and_new_is_taken(ground: Ground, edit: object) -> None:
    assert ground.edit("a.txt", edit) == "one\n2\nthree\n"
    assert ground.edit("a.txt", {"target": "2", "new": "two"}) == FILES["a.txt"]


def test_an_edit_that_is_outside_edits_is_refused_with_where_it_belongs(ground: Ground) -> None:
    for name in ("target", "old_string", "newText"):
        answer = ground.refused("edit", **{"path": "a.txt", name: "two"})
        assert "edits: [{" in answer["hint"]


def test_replacement_text_means_itself(ground: Ground) -> None:
    new = "$& $1 \\1 \\n %s \\ {}"
    assert ground.edit("a.txt", {"target": "two", "new": new}) == f"one\n{new}\nthree\n"


def test_an_occurrence_is_honoured_and_the_others_are_reported(tmp_path: Path) -> None:
    ground = Ground(tmp_path, {"a.txt": "x\nx\nx\n"})
    answer = ground.refused("edit", path="a.txt", edits=[{"target": "x", "new": "y"}])
    assert (answer["kind"], answer["details"]["total"]) == ("ambiguous-match", 3)
    said = ground.ok("edit", path="a.txt", edits=[{"target": "x", "new": "y", "occurrence": 2}])
    assert said["outcomes"] == [{"index": 0, "applied": True, "lines": {"start": 2, "end": 2}, "others": [1, 3]}]
    said = ground.ok("edit", path="a.txt", edits=[{"target": "x", "new": "z", "occurrence": "all"}])
    assert said["outcomes"][0]["places"] == 2
    assert ground.text("a.txt") == "z\ny\nz\n"


def test_a_tolerant_match_is_reported_and_a_literal_one_is_not(ground: Ground) -> None:
    answer = ground.ok(
        "edit", path="app.py", edits=[{"target": "def area(self):\n  return 0", "new": "def area(self):\n  return 1"}]
    )
    assert answer["matchTiers"] == [answer["outcomes"][0]["tier"]]
    assert "matchTiers" not in ground.ok("edit", path="app.py", edits=[{"target": "return 1", "new": "return 2"}])
    by_address = ground.ok("edit", path="guide.md", edits=[{"at": "heading.body:Setup", "new": "x"}])
    assert "matchTiers" not in by_address
    assert "outcomes" not in by_address


# What an answer says.


def test_the_answer_of_one_file_has_the_facts_on_top_and_is_short(ground: Ground) -> None:
    answer = ground.ok("edit", path="a.txt", edits=[{"target": "two", "new": "2"}], reason="digits")
    entry = ground.workspace.history()[0]
    assert answer == {
        "success": True,
        "path": "a.txt",
        "id": entry.record.id,
        "fileHash": answer["fileHash"],
        "lines": {"start": 2, "end": 2},
        "context": {"beforeLines": ["one"], "afterLines": ["three"]},
        "files": [{"path": "a.txt", "status": "edited", "fileHash": answer["fileHash"]}],
    }
    assert (entry.record.reason, entry.record.tool) == ("digits", "edit")
    assert ground.ok("edit", path="a.txt", edits=[{"target": "2", "new": "two"}], expect=answer["fileHash"])


def test_several_edits_of_one_file_are_reported_one_by_one(ground: Ground) -> None:
    edits = [{"target": "one", "new": "1"}, {"target": "three", "new": "3", "reason": "x"}]
    said = ground.ok("edit", path="a.txt", edits=edits)["outcomes"]
    assert [(one["index"], one["lines"]["start"]) for one in said] == [(0, 1), (1, 3)]


def test_a_reason_beside_a_path_is_that_of_its_edits(ground: Ground) -> None:
    edits = [{"target": "one", "new": "1", "reason": "own"}, {"target": "two", "new": "2"}]
    ground.ok("edit", files=[{"path": "a.txt", "edits": edits, "reason": "digits"}], reason="whole")
    record = ground.workspace.history()[0].record
    assert (record.reason, [edit.reason for edit in record.files[0].edits]) == ("whole", ["own", "digits"])
    answer = ground.refused("edit", files=[{"path": "a.txt", "delete": True, "reason": "gone"}])
    assert answer["details"]["path"] == "files[0].reason"


def test_a_refused_edit_leaves_every_file_as_it_was(ground: Ground) -> None:
    files = [
        {"path": "a.txt", "edits": [{"target": "two", "new": "2"}]},
        {"path": "app.py", "edits": [{"target": "nowhere at all", "new": "2"}]},
        {"path": "new.txt", "create": "x"},
        {"path": "nope.txt", "delete": True},
    ]
    answer = ground.refused("edit", files=files)
    assert (answer["kind"], answer["details"]["path"]) == ("no-match", "app.py")
    assert [also["kind"] for also in answer["details"]["also"]] == ["no-such-file"]


def test_partial_applies_what_it_can_and_says_what_it_did_not(ground: Ground) -> None:
    files = [
        {"path": "a.txt", "edits": [{"target": "two", "new": "2"}, {"target": "twenty-seven", "new": "27"}]},
        {"path": "nope.txt", "delete": True},
    ]
    answer = ground.call("edit", files=files, partial=True)
    assert (answer["success"], answer["appliedCount"], answer["refusedCount"]) == ("partial", 1, 2)
    assert answer["kind"] == "no-match"
    assert answer["id"]
    said = [(one["path"], one["index"], one["applied"], one.get("kind")) for one in answer["outcomes"]]
    assert said == [("a.txt", 0, True, None), ("a.txt", 1, False, "no-match"), ("nope.txt", 0, False, "no-such-file")]
    assert ground.text("a.txt") == "one\n2\nthree\n"
    assert ground.refused("edit", files=files[1:], partial=True)["kind"] == "no-such-file"


def test_a_corrected_edit_that_the_engine_offers_stays_in_the_details(ground: Ground) -> None:
    target = "    def area(self, unit):\n        return 0\n"
    new = "    def area(self, unit):\n        return 1\n"
    answer = ground.refused("edit", path="app.py", edits=[{"target": target, "new": new}])
    assert answer["details"]["corrected"]["target"] == "    def area(self):\n        return 0\n"
    ground.edit("app.py", answer["details"]["corrected"])
    assert ground.text("app.py") == APP.replace("return 0", "return 1")


def test_a_stale_expect_is_refused_with_the_present_hash(ground: Ground) -> None:
    edit = {"path": "a.txt", "edits": [{"target": "two", "new": "2"}]}
    answer = ground.refused("edit", **edit, expect="0123456789abcdef")
    present = answer["details"]["actual"]
    assert answer["kind"] == "stale-source"
    assert ground.ok("edit", **edit, expectedHash=present)["repaired"] == ["expectedHash: taken for expect"]


def test_a_long_answer_is_cut_and_says_so(tmp_path: Path) -> None:
    ground = Ground(tmp_path, {f"{n:03}.txt": "x\n" * 200 for n in range(120)})
    answer = ground.ok("edit", glob="*.txt", edits=[{"target": "x", "new": "y", "occurrence": "all"}], dry_run=True)
    assert (len(answer["files"]), answer["moreFiles"], answer["filesChanged"]) == (50, 70, 120)
    assert len(answer["outcomes"]) == 50
    assert len(answer["diff"]) <= 20_000
    assert answer["diff"].endswith("\n")
    assert "more line" in answer["diffCut"]


# Whole files.


def test_files_are_made_renamed_copied_and_taken_away(ground: Ground) -> None:
    ground.ok("edit", path="docs/new.txt", create="new\n")
    ground.ok("edit", path="a.txt", rename_to="docs/a.txt")
    ground.ok("edit", path="app.py", delete=True)
    answer = ground.ok("edit", files=[{"path": "page.html", "copy_to": "copy.html"}, {"path": "e.txt", "content": ""}])
    assert [file["status"] for file in answer["files"]] == ["created", "created"]
    assert set(tree(ground.root)) == {
        "copy.html", "docs/a.txt", "docs/new.txt", "e.txt", "guide.md", "package.json", "page.html",
    }  # fmt: skip


def test_of_a_file_that_takes_the_place_of_another_its_own_facts_are_reported(ground: Ground) -> None:
    one = {"path": "a.txt", "edits": [{"target": "three", "new": "3"}]}
    answer = ground.ok("edit", files=[one, {"path": "a.txt", "delete": True}, {"path": "a.txt", "create": "x\ny\n"}])
    gone, made = answer["files"]
    assert gone == {"path": "a.txt", "status": "deleted"}
    assert (made["status"], made["lines"]) == ("created", {"start": 1, "end": 2})
    assert made["fileHash"] == ground.ok("read", path="a.txt")["fileHash"]


def test_a_section_is_moved_to_another_file(ground: Ground) -> None:
    ground.ok("edit", files=[{"path": "guide.md", "move": {"heading": "Setup"}, "to": {"path": "setup.md"}}])
    assert ground.text("setup.md").startswith("## Setup\n")
    assert "Setup" not in ground.text("guide.md")


@table(
    ("arguments", "field"),
    [
        ({}, ""),
        ({"path": "a.txt"}, "path"),
        ({"path": "a.txt", "edits": []}, "path"),
        ({"edits": [{"target": "two", "new": "2"}]}, ""),
        ({"files": []}, ""),
        ({"files": [{"path": "a.txt", "delete": True}], "path": "a.txt"}, "path"),
        ({"files": [{"path": "a.txt", "delete": True}], "patch": "x"}, "patch"),
        ({"patch": "x", "edits": [{"target": "two", "new": "2"}]}, "edits"),
        ({"glob": "*"}, "edits"),
        ({"glob": "*", "edits": [{"target": "two", "new": "2"}], "expect": "0" * 16}, "expect"),
        ({"path": "a.txt", "edits": [{"target": "two", "new": "2"}], "expected_files": 1}, "expected_files"),
        ({"path": "a.txt", "edits": [{"target": "two"}]}, "edits[0]"),
        ({"path": "a.txt", "edits": [{"target": "two", "new": "2", "insert": "3"}]}, "edits[0]"),
        ({"path": "a.txt", "edits": [{"new": "2"}]}, "edits[0].target"),
        ({"path": "a.txt", "edits": [{"target": "two", "new": "2", "replace_some": True}]}, "edits[0].replace_some"),
        ({"path": "a.txt", "edits": [{"target": "two", "act": "explode"}]}, "edits[0].target"),
        ({"path": "a.txt", "delete": True, "create": "x"}, ""),
    ],
)
def test_a_call_that_does_not_say_one_thing_is_refused_by_its_field(
    ground: Ground, arguments: Answer, field: str
) -> None:
    answer = ground.refused("edit", **arguments)
    assert (answer["kind"], answer["details"]["path"]) == ("bad-request", field)
    assert answer["hint"]


# Patches.

PATCHES = {
    "unified": "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    "v4a": "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch\n",
    "search-replace": "a.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n",
}


@pytest.mark.parametrize("dialect", PATCHES)
def test_a_patch_may_be_in_any_dialect(ground: Ground, dialect: str) -> None:
    answer = ground.ok("edit", patch=f"Here it is:\n\n{PATCHES[dialect]}", reason="digits")
    assert answer["format"] == dialect
    assert ground.text("a.txt") == "one\n2\nthree\n"


def test_a_patch_that_names_no_file_takes_the_path(ground: Ground) -> None:
    bare = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
    assert ground.refused("edit", patch=bare)["kind"] == "bad-request"
    assert ground.ok("edit", patch=bare, path="a.txt")["path"] == "a.txt"


def test_paths_inside_a_patch_are_read_like_any_other(tmp_path: Path) -> None:
    ground = Ground(tmp_path, prefix="/repo", extensions=(".txt",))
    ground.ok("edit", patch=PATCHES["v4a"].replace("a.txt", "/repo/a.txt"))
    ground.ok("edit", patch=f"*** Begin Patch\n*** Update File: {tmp_path}/a.txt\n@@\n-2\n+two\n*** End Patch\n")
    outside = ground.refused("edit", patch=PATCHES["v4a"].replace("a.txt", "../a.txt"))
    other = ground.refused("edit", patch="*** Begin Patch\n*** Delete File: app.py\n*** End Patch\n")
    assert (outside["kind"], other["kind"]) == ("outside-root", "not-allowed")


def test_a_patch_is_applied_in_part_where_that_is_asked_for(ground: Ground) -> None:
    patch = PATCHES["search-replace"] + "\n" + PATCHES["search-replace"].replace("two", "elephants").replace("2", "3")
    assert ground.refused("edit", patch=patch)["kind"] == "no-match"
    assert ground.call("edit", patch=patch, partial=True)["success"] == "partial"
    assert ground.text("a.txt") == "one\n2\nthree\n"


# The same over a glob.

COLOURS = {
    "a.md": "colour\n",
    "docs/b.md": "a colour and a colour\r\nend\r\n",
    "c.md": "no such word\n",
    "d.txt": "colour\n",
    "build/e.md": "colour\n",
    ".env": "NAME=colour\n",
    ".gitignore": "build/\n",
}
ALL = {"target": "colour", "new": "color", "occurrence": "all"}


def test_over_a_glob_files_without_the_text_are_passed_over(tmp_path: Path) -> None:
    ground = Ground(tmp_path, COLOURS)
    dry = ground.ok("edit", glob="*.md", edits=[ALL], dry_run=True)
    assert (dry["filesChanged"], dry["filesPassedOver"]) == (2, 1)
    assert "expected_files 2" in dry["note"]
    assert tree(tmp_path) == COLOURS
    answer = ground.ok("edit", glob="*.md", edits=[ALL], expected_files=2, reason="spelling")
    assert [file["path"] for file in answer["files"]] == ["a.md", "docs/b.md"]
    assert "note" not in answer
    expected = {"a.md": "color\n", "docs/b.md": "a color and a color\r\nend\r\n"}
    assert tree(tmp_path) == COLOURS | expected
    ground.ok("undo", id=answer["id"])
    assert tree(tmp_path) == COLOURS


def test_over_a_glob_secrets_and_what_is_ignored_stay_as_they_are(tmp_path: Path) -> None:
    ground = Ground(tmp_path, COLOURS)
    answer = ground.ok("edit", glob="*", edits=[ALL])
    assert {file["path"] for file in answer["files"]} == {"a.md", "d.txt", "docs/b.md"}
    assert answer["filesNotRead"] == 1
    assert "expected_files" in answer["note"]


@table(
    ("arguments", "kind"),
    [
        ({"glob": "*.md", "edits": [ALL], "expected_files": 3}, "count-mismatch"),
        ({"glob": "*.md", "edits": [{"target": "colour", "new": "color"}]}, "ambiguous-match"),
        ({"glob": "*.md", "edits": [ALL, {"target": "shade", "new": "tint"}]}, "no-match"),
        ({"glob": "*.md", "edits": [{"target": "  colour", "new": "color"}]}, "no-match"),
        ({"glob": "*.rst", "edits": [ALL]}, "no-such-file"),
        ({"glob": "{" + "a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n", "edits": [ALL]}, "no-such-file"),
        ({"glob": "!*.md", "edits": [ALL]}, "bad-request"),
    ],
)
def test_over_a_glob_nothing_is_guessed(tmp_path: Path, arguments: Answer, kind: str) -> None:
    answer = Ground(tmp_path, COLOURS).refused("edit", **arguments)
    assert answer["kind"] == kind
    if kind == "ambiguous-match":
        assert 'occurrence to "all"' in answer["hint"]
    if kind == "count-mismatch":
        assert answer["details"]["files"] == ["a.md", "docs/b.md"]


def test_over_a_glob_an_edit_may_go_by_address(tmp_path: Path) -> None:
    ground = Ground(tmp_path, {"a/p.json": '{"v": 1}\n', "b/p.json": '{"v": 1, "w": 2}\n', "c/p.json": '{"w": 2}\n'})
    edit = {"target": {"at": "key:v"}, "act": "set-key", "args": {"value": 2}}
    ground.ok("edit", glob="**/p.json", edits=[edit], expected_files=2)
    assert tree(tmp_path) == {"a/p.json": '{"v": 2}\n', "b/p.json": '{"v": 2, "w": 2}\n', "c/p.json": '{"w": 2}\n'}


def test_a_call_that_is_no_longer_wanted_ends_before_anything_is_changed(tmp_path: Path) -> None:
    ground = Ground(tmp_path, COLOURS)

    def tick() -> None:
        raise EditError(Kind.CANCELLED, "not wanted any more")

    answer = ground.kit.call("edit", {"glob": "*.md", "edits": [ALL]}, tick=tick)
    assert (answer["kind"], tree(tmp_path)) == ("cancelled", COLOURS)


# What the host decides.


def test_only_the_article_is_changed_whichever_way_it_is_asked(tmp_path: Path) -> None:
    ground = Ground(tmp_path, article="a.txt")
    two = [{"target": "o", "new": "0", "occurrence": "first"}]
    for arguments in (
        {"path": "app.py", "delete": True},
        {"path": "a.txt", "rename_to": "b.txt"},
        {"files": [{"path": "a.txt", "copy_to": "b.txt"}]},
        {"files": [{"path": "guide.md", "move": {"heading": "Setup"}, "to": {"path": "a.txt"}}]},
        {"files": [{"path": "a.txt", "move": {"lines": [1, 1]}, "to": {"path": "b.txt"}}]},
        {"patch": PATCHES["unified"].replace("a.txt", "app.py")},
    ):
        assert ground.refused("edit", **arguments)["kind"] == "not-allowed", arguments
    answer = ground.ok("edit", glob="*", edits=two)
    assert [file["path"] for file in answer["files"]] == ["a.txt"]
    assert ground.ok("read", path="app.py")


@table("mode", ["research", "analyze"])
def test_a_mode_that_reads_changes_nothing_however_it_is_asked(tmp_path: Path, mode: str) -> None:
    ground = Ground(tmp_path, mode=mode)
    for tool in ("edit", "write", "undo"):
        assert ground.refused(tool, path="a.txt", content="x", last=True)["kind"] == "not-allowed"
    ground.ok("read", path="a.txt")
    ground.ok("history")


def test_generate_makes_files_and_leaves_those_that_exist(tmp_path: Path) -> None:
    ground = Ground(tmp_path, mode="generate")
    ground.ok("edit", path="new.txt", create="x\n")
    ground.ok("write", path="newer.txt", content="x\n")
    for arguments in (
        {"path": "a.txt", "edits": [{"target": "two", "new": "2"}]},
        {"path": "a.txt", "delete": True},
        {"path": "a.txt", "create": "x"},
        {"files": [{"path": "a.txt", "write": "x"}]},
        {"patch": PATCHES["unified"]},
    ):
        assert ground.refused("edit", **arguments)["kind"] in ("not-allowed", "exists-already")
    assert ground.refused("write", path="a.txt", content="x")["kind"] == "not-allowed"


def test_modify_changes_files_that_exist_and_replaces_them_whole_only_by_their_hash(tmp_path: Path) -> None:
    ground = Ground(tmp_path, mode="modify")
    assert [tool.name for tool in ground.kit.tools][-1] == "write"
    hash_read = ground.ok("read", path="a.txt")["fileHash"]
    answer = ground.refused("write", path="a.txt", content="x\n")
    assert (answer["kind"], answer["details"]["path"]) == ("bad-request", "expect")
    ground.ok("write", path="a.txt", content="x\n", expect=hash_read)
    ground.ok("edit", path="a.txt", edits=[{"target": "x", "new": "y"}])
    assert ground.refused("edit", path="new.txt", create="x")["kind"] == "not-allowed"
    assert ground.refused("write", path="new.txt", content="x")["kind"] == "not-allowed"


def test_the_hash_of_a_file_that_was_not_read_is_not_reported(ground: Ground) -> None:
    answer = ground.refused("write", path="a.txt", content="x\n")
    assert answer["kind"] == "stale-source"
    assert ground.ok("read", path="a.txt")["fileHash"] not in json.dumps(answer)


# Reading.


def test_several_files_are_read_at_once_and_anchors_lead_back(ground: Ground) -> None:
    answer = ground.ok("read", files=["a.txt", {"path": "app.py", "start": 1, "end": 2}], anchors=True)
    first, second = answer["files"]
    assert second["content"].count("\n") == 1
    assert "lines 1-2 of 7" in second["leftOut"]
    anchor = first["content"].splitlines()[1].split(":")[0]
    assert ground.edit("a.txt", {"target": {"at": f"anchor:{anchor}"}, "new": "2"}) == "one\n2\nthree\n"


def test_what_was_read_whole_may_be_written_over_and_what_was_read_in_part_may_not(ground: Ground) -> None:
    ground.ok("read", path="a.txt", end=1)
    assert ground.refused("write", path="a.txt", content="x\n")["kind"] == "stale-source"
    ground.ok("read", files=["a.txt"])
    assert ground.ok("write", path="a.txt", content="x\n")["lines"] == {"start": 1, "end": 1}


def test_a_file_that_cannot_be_read_does_not_hold_up_the_others(ground: Ground) -> None:
    answer = ground.call("read", files=["nope.txt", "a.txt", {"path": "a.txt", "start": 9}])
    assert answer["success"] == "partial"
    assert [file.get("kind") for file in answer["files"]] == ["no-such-file", None, "out-of-bounds"]
    assert ground.refused("read", files=["nope.txt", "never.txt"])["kind"] == "no-such-file"


def test_an_answer_with_many_files_comes_to_an_end(tmp_path: Path) -> None:
    ground = Ground(
        tmp_path, {f"{n}.txt": "x" * 1_900 + "\n" for n in range(3)} | {"big.txt": ("y" * 1_900 + "\n") * 220}
    )
    answer = ground.ok("read", files=["big.txt", "0.txt", "1.txt"])
    assert [("content" in file, "leftOut" in file) for file in answer["files"]] == [
        (True, True),
        (False, True),
        (False, True),
    ]
    assert ground.refused("write", path="0.txt", content="z")["kind"] == "stale-source"


@pytest.mark.parametrize("arguments", [{}, {"path": "a.txt", "files": ["a.txt"]}, {"files": ["a.txt"], "start": 2}])
def test_a_read_says_which_files(ground: Ground, arguments: Answer) -> None:
    assert ground.refused("read", **arguments)["kind"] == "bad-request"


def test_an_outline_is_cut_from_below_and_opened_by_an_address(tmp_path: Path) -> None:
    keys = {f"k{n}": {f"x{m}": m for m in range(20)} for n in range(30)}
    ground = Ground(
        tmp_path, {"a.json": json.dumps(keys, indent=1), "b.py": "def f(:\n    pass\n\n\ndef g():\n    pass\n"}
    )
    answer = ground.ok("outline", path="a.json")
    assert len(answer["entries"]) == 30
    assert "600 of 630" in answer["leftOut"]
    assert len(ground.ok("outline", path="a.json", within="key:k3")["entries"]) == 21
    assert len(ground.ok("outline", path="a.json", depth=0)["entries"]) == 30
    assert "line 1" in ground.ok("outline", path="b.py")["warnings"][0]
    assert ground.refused("outline", path="c.json")["kind"] == "no-such-file"
    assert ground.refused("outline", path="a.json", within="key:zzz")["kind"] == "no-such-target"


def test_list_and_search_leave_out_what_is_ignored(tmp_path: Path) -> None:
    ground = Ground(tmp_path, COLOURS)
    assert [entry["path"] for entry in ground.ok("list", glob="*.md")["entries"]] == ["a.md", "c.md", "docs/b.md"]
    found = ground.ok("search", query="colou?r$", isRegex=True, max=1)
    assert [(hit["path"], hit["line"]) for hit in found["matches"]] == [("a.md", 1)]
    assert found["cut"]


# The past.


def test_the_last_change_is_ones_own(tmp_path: Path) -> None:
    ground = Ground(tmp_path, task="T-1")
    ground.edit("a.txt", {"target": "one", "new": "1"})
    with sh.Workspace(tmp_path, actor="other", task="T-2") as other:
        other.edit("a.txt", [sh.Replace("three", "3")])
    assert ground.ok("undo", last=True)["undoes"]
    assert ground.text("a.txt") == "one\ntwo\n3\n"
    assert ground.refused("undo", last=True)["kind"] == "cannot-undo"


def test_a_task_is_taken_back_and_the_undo_again(ground: Ground) -> None:
    with ground.workspace.task("T-9") as task:
        kit = task.tools("core")
        kit.call("edit", {"path": "a.txt", "edits": [{"target": "one", "new": "1"}]})
        kit.call("write", {"path": "new.txt", "content": "x\n"})
    assert ground.ok("undo", task="T-9", dry_run=True)["diff"]
    answer = ground.ok("undo", task="T-9", reason="not wanted")
    assert tree(ground.root) == FILES
    ground.ok("undo", id=answer["id"])
    assert ground.text("a.txt") == "1\ntwo\nthree\n"


@pytest.mark.parametrize("arguments", [{}, {"last": False}, {"last": True, "task": "T"}, {"id": "ab", "last": True}])
def test_an_undo_says_what_to_take_back(ground: Ground, arguments: Answer) -> None:
    assert ground.refused("undo", **arguments)["kind"] == "bad-request"


def test_an_undo_below_later_work_is_refused_with_the_lines(ground: Ground) -> None:
    first = ground.ok("edit", path="a.txt", edits=[{"target": "two", "new": "2"}])["id"]
    ground.edit("a.txt", {"target": "2", "new": "zwei"})
    assert ground.refused("undo", id=first)["kind"] == "cannot-undo"


def test_history_tells_who_changed_what_and_why_page_by_page(ground: Ground) -> None:
    for number in range(5):
        ground.ok("edit", path=f"{number}.txt", create="x\n", reason=f"number {number}")
    page = ground.ok("history", max=2)
    assert [entry["reason"] for entry in page["entries"]] == ["number 4", "number 3"]
    assert "skip 2" in page["more"]
    rest = ground.ok("history", skip=2, limit=3)
    assert [entry["reason"] for entry in rest["entries"]] == ["number 2", "number 1", "number 0"]
    assert "more" not in rest
    assert ground.ok("history", task="nobody")["entries"] == []


def test_history_follows_a_file_through_its_names_and_shows_a_patch(ground: Ground) -> None:
    edited = ground.ok("edit", path="a.txt", edits=[{"target": "two", "new": "2", "reason": "digits"}])
    ground.ok("edit", path="a.txt", rename_to="b.txt", reason="a better name")
    entries = ground.ok("history", path="b.txt")["entries"]
    assert [entry["reason"] for entry in entries] == ["a better name", "digits"]
    shown = ground.ok("history", id=edited["id"])
    assert "-two\n+2\n" in shown["diff"]
    assert shown["entry"]["actor"] == "tester"
    why = ground.ok("history", path="b.txt", line=2)["why"]
    assert (why["id"], why["reason"], why["text"]) == (edited["id"], "digits", "2")
    assert "older than the history" in ground.ok("history", path="b.txt", line=1)["why"]["since"]


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"path": "never.txt"}, "no-such-file"),
        ({"path": "a.txt", "line": 99}, "out-of-bounds"),
        ({"line": 1}, "bad-request"),
        ({"id": "ffffffffffff"}, "no-such-file"),
        ({"id": "not an id"}, "bad-request"),
        ({"path": "../x"}, "outside-root"),
    ],
)
def test_a_past_that_there_is_not_is_refused(ground: Ground, arguments: Answer, kind: str) -> None:
    ground.edit("a.txt", {"target": "two", "new": "2"})
    assert ground.refused("history", **arguments)["kind"] == kind


def test_nothing_of_a_secret_is_shown_by_what_only_tells_of_changes(tmp_path: Path) -> None:
    lay_out(tmp_path, {".env": "A=1\nPASSWORD=hunter2\n"})
    with sh.Workspace(tmp_path, allow=[".env"]) as workspace:
        kit = workspace.tools("core")
        edit = {"path": ".env", "edits": [{"target": {"at": "key:PASSWORD"}, "new": "hunter3"}]}
        answers = [
            kit.call("edit", {**edit, "dry_run": True}),
            kit.call("edit", edit),
            kit.call("edit", {"path": ".env", "edits": [{"target": "PASSWORD=hunter22", "new": "x"}]}),
            kit.call("history", {"path": ".env", "line": 2}),
            kit.call("history", {}),
        ]
        answers.append(kit.call("history", {"id": answers[1]["id"]}))
    assert [answer["success"] for answer in answers] == [True, True, False, True, True, True]
    assert "hunter" not in json.dumps(answers)
    assert (tmp_path / ".env").read_text() == "A=1\nPASSWORD=hunter3\n"


def test_what_git_makes_of_a_dry_run_is_what_edit_makes(ground: Ground) -> None:
    edits = [{"target": "two", "new": "2"}, {"target": {"at": "lines:1-1"}, "delete": True}]
    call = {"files": [{"path": "a.txt", "edits": edits}, {"path": "app.py", "rename_to": "lib.py"}]}
    diff = ground.ok("edit", **call, dry_run=True)["diff"]
    subprocess.run(["git", "apply"], input=diff.encode(), cwd=ground.root, check=True)
    patched = tree(ground.root)
    (ground.root / "lib.py").rename(ground.root / "app.py")
    (ground.root / "a.txt").write_text(FILES["a.txt"])
    ground.ok("edit", **call)
    assert tree(ground.root) == patched


def test_a_copy_kept_beside_a_file_does_not_hide_what_became_of_it(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": "one\n"}).tools("core", policy=sh.Policy(backup="bak"))
    answer: Any = kit.call("edit", {"path": "a.txt", "edits": [{"target": "one", "new": "1"}]})
    assert (answer["path"], answer["lines"]) == ("a.txt", {"start": 1, "end": 1})
    assert [(file["path"], file["status"]) for file in answer["files"]] == [
        ("a.txt", "edited"),
        ("a.txt.bak", "created"),
    ]
    kit.call("read", {"path": "a.txt"})
    assert kit.call("write", {"path": "a.txt", "content": "2\n"})["status"] == "edited"


class CountingStorage(Storage):
    """Counts the entries of directories that were listed."""

    def __init__(self) -> None:
        self.listed = 0

    def listdir(self, dir_fd: int, *, limit: int) -> list[DirEntry]:
        found = super().listdir(dir_fd, limit=limit)
        self.listed += len(found)
        return found


def test_a_glob_walks_only_below_the_directories_that_it_names(tmp_path: Path) -> None:
    for folder in ("d1", "d9/deep", "skipped"):
        (tmp_path / folder).mkdir(parents=True)
    for number in range(300):
        (tmp_path / f"file{number}.txt").touch()
        (tmp_path / "d1" / f"file{number}.txt").touch()
    (tmp_path / ".gitignore").write_text("skipped/\n")
    for name in ("d9/a.txt", "d9/deep/b.txt", "skipped/c.txt"):
        (tmp_path / name).write_text("one\n")
    storage = CountingStorage()
    with sh.Workspace(tmp_path, storage=storage) as workspace:
        kit = workspace.tools("core")
        found = {}
        for glob in ("d9/*.txt", "d9/**/*.txt", "skipped/*.txt", "d9/../d1/*.txt", "nowhere/*.txt"):
            entries = kit.call("list", {"glob": glob})["entries"]
            found[glob] = [entry["path"] for entry in entries]  # type: ignore[index]
        assert storage.listed < 20
        assert found == {
            "d9/*.txt": ["d9/a.txt"],
            "d9/**/*.txt": ["d9/a.txt", "d9/deep/b.txt"],
            "skipped/*.txt": [],
            "d9/../d1/*.txt": [],
            "nowhere/*.txt": [],
        }
        answer = kit.call("edit", {"glob": "d9/*.txt", "edits": [{"old": "one", "new": "two"}]})
        assert answer["success"], answer
        assert kit.call("search", {"query": "two", "glob": "d9/*.txt"})["filesSearched"] == 1
        assert storage.listed < 40
        assert kit.call("list", {"glob": "../*.txt"})["entries"] == []


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
def test_the_lines_that_changed_do_not_depend_on_how_much_was_quoted(ground: Ground, ending: str) -> None:
    quotes = [("two", "2"), ("two\n", "2\n"), ("one\ntwo", "one\n2"), ("wo\nthree", "wo!\nthree")]
    text = (ending or "\n").join(["one", "two", "three"]) + ending
    for number, (target, new) in enumerate(quotes):
        (ground.root / f"{number}.txt").write_bytes(text.encode())
        answer = ground.ok("edit", path=f"{number}.txt", edits=[{"target": target, "new": new}])
        assert answer["lines"] == {"start": 2, "end": 2}, target
