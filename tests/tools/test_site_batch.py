"""`editFiles`, `writeFiles` and `readFile`: elements before passages, file by file or all at once, whole files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from tests.table import table
from tests.tools.ground import make, tree

PAGE = "<nav>\n  <a href='/'>Home</a>\n</nav>\n<footer>(c) 2025</footer>\n"
FILES = {"a.html": PAGE, "b.html": PAGE.replace("\n", "\r\n"), "c.html": "<p>no menu</p>\n"}


def element(selector: str, action: str, **fields: object) -> dict[str, object]:
    return {"selector": selector, "action": action, **fields}


def edit(file: str, elements: object = None, passages: object = None) -> dict[str, object]:
    return {"file": file, "domOperations": elements, "replaceOperations": passages}


START = [element("nav a", "setText", value="Start")]
YEAR = [{"search": "2025", "replace": "2026"}]


def call(kit: sh.Kit, *edits: dict[str, object], **fields: object) -> dict[str, Any]:
    return kit.call("editFiles", {"edits": list(edits), **fields})


def texts(root: Path) -> dict[str, str]:
    return {name: data.decode() for name, data in tree(root).items()}


# What must not happen.


def test_a_file_that_is_named_twice_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    kit = make(tmp_path, FILES).tools("site")
    answer = call(kit, edit("a.html", START), edit("b.html", START), edit("./a.html", None, YEAR))
    assert (answer["success"], answer["kind"], answer["details"]["path"]) == (False, "bad-request", "edits[2].file")
    written = kit.call(
        "writeFiles", {"files": [{"file": "n.html", "content": "x"}, {"file": "n.html", "content": "y"}]}
    )
    assert (written["success"], written["details"]["path"]) == (False, "files[1].file")
    assert texts(tmp_path) == FILES


def test_a_file_with_nothing_to_do_is_refused(tmp_path: Path) -> None:
    kit = make(tmp_path, FILES).tools("site")
    answer = call(kit, edit("a.html", START), edit("b.html", [], []))
    assert (answer["success"], answer["kind"]) == (False, "bad-request")
    assert texts(tmp_path) == FILES


@table(
    "failing",
    [
        edit("c.html", START),
        edit("c.html", None, YEAR),
        edit("c.html", [element("p", "addClass", value="x"), *START]),
        edit("none.html", START),
        edit("../out.html", START),
    ],
    ids=["an element", "a passage", "half of a file", "no such file", "outside"],
)
def test_an_atomic_call_that_fails_anywhere_changes_nothing(failing: dict[str, object], tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    answer = call(workspace.tools("site"), edit("a.html", START), failing, edit("b.html", None, YEAR), atomic=True)
    assert answer["success"] is False
    assert [each["file"] for each in answer["results"]] == ["a.html", failing["file"], "b.html"]
    assert [each["success"] for each in answer["results"]] == [False] * 3
    assert [each.get("heldBack", False) for each in answer["results"]] == [True, False, True]
    assert answer["kind"] == answer["results"][1]["kind"]
    assert "content" not in str(answer["results"])
    assert texts(tmp_path) == FILES
    assert workspace.history() == []


# What must.


def test_elements_come_first_and_passages_find_what_they_left(tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    elements = [element("nav a", "setText", value="Start", reason="German"), element("nav", "addClass", value="menu")]
    passages = [{"search": ">Start</a>\n", "replace": ">Start</a>\n  <b>x</b>\n", "reason": "more"}, *YEAR]
    answer = call(workspace.tools("site"), edit("b.html", elements, passages), reason="spring")
    (result,) = answer["results"]
    after = '<nav class="menu">'
    after += "\n  <a href='/'>Start</a>\n  <b>x</b>\n</nav>\n<footer>(c) 2026</footer>\n"
    assert answer["success"] is True, answer
    assert texts(tmp_path)["b.html"] == after.replace("\n", "\r\n")
    assert result["content"] == texts(tmp_path)["b.html"]
    assert [each["lines"]["start"] for each in result["results"]] == [2, 1]
    assert result["matchTiers"] == ["exact", "exact"]
    (entry,) = workspace.history()
    assert entry.record.id == result["id"]
    assert [note.reason for note in entry.record.files[0].edits] == ["German", "spring", "more", "spring"]
    workspace.undo(result["id"])
    assert texts(tmp_path) == FILES


def test_a_file_that_fails_stops_no_other_and_each_is_a_change_of_its_own(tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    half = edit("c.html", [element("p", "setText", value="x"), *START], YEAR)
    answer = call(
        workspace.tools("site"), edit("a.html", START), edit("none.html", START), half, edit("b.html", None, YEAR)
    )
    assert answer["success"] == "partial"
    assert [each["success"] for each in answer["results"]] == [True, False, "partial", True]
    assert [each.get("kind") for each in answer["results"]] == [None, "no-such-file", "no-match", None]
    third = answer["results"][2]
    assert [each["success"] for each in third["results"]] == [True, False]
    assert (third["appliedCount"], third["failedIndex"]) == (0, 0)
    assert texts(tmp_path) == {
        "a.html": PAGE.replace("Home", "Start"),
        "b.html": FILES["b.html"].replace("2025", "2026"),
        "c.html": "<p>x</p>\n",
    }
    assert len({each["id"] for each in answer["results"] if "id" in each}) == 3
    for each in reversed(answer["results"]):
        if "id" in each:
            workspace.undo(each["id"])
    assert texts(tmp_path) == FILES


def test_an_atomic_call_is_one_change_that_is_undone_as_one(tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    answer = call(workspace.tools("site"), edit("a.html", START, YEAR), edit("b.html", None, YEAR), atomic=True)
    assert answer["success"] is True
    assert {each["id"] for each in answer["results"]} == {answer["id"]}
    assert texts(tmp_path)["a.html"] == PAGE.replace("Home", "Start").replace("2025", "2026")
    assert [each["content"] for each in answer["results"]] == [texts(tmp_path)[name] for name in ("a.html", "b.html")]
    assert [len(entry.record.files) for entry in workspace.history()] == [2]
    workspace.undo(answer["id"])
    assert texts(tmp_path) == FILES


def test_a_call_in_which_every_file_fails_says_why(tmp_path: Path) -> None:
    answer = call(make(tmp_path, FILES).tools("site"), edit("c.html", START), edit("none.html", START))
    assert (answer["success"], answer["kind"]) == (False, "no-such-target")
    assert "error" not in answer["results"][0]  # it is said once, on top
    assert "matches no element" in answer["message"]
    assert texts(tmp_path) == FILES


def test_what_was_done_before_a_call_was_taken_back_is_reported(tmp_path: Path) -> None:
    kit = make(tmp_path, FILES).tools("site")

    def tick() -> None:
        if "2026" in texts(tmp_path)["a.html"]:
            raise EditError(Kind.CANCELLED, "taken back")

    edits = [edit("a.html", None, YEAR), edit("b.html", None, YEAR)]
    answer = kit.call("editFiles", {"edits": edits}, tick=tick)
    assert answer["success"] == "partial"
    assert [each.get("kind") for each in answer["results"]] == [None, "cancelled"]
    assert texts(tmp_path) == FILES | {"a.html": PAGE.replace("2025", "2026")}


def test_an_answer_holds_so_much_content_and_no_more(tmp_path: Path) -> None:
    long = f"{PAGE}<p>{'x' * 149_000}</p>\n"
    answer = call(
        make(tmp_path, {"a.html": long, "b.html": long, "c.html": PAGE}).tools("site"),
        *(edit(f"{name}.html", None, YEAR) for name in "abc"),
    )
    assert answer["success"] is True
    assert [("content" in each, "leftOut" in each) for each in answer["results"]] == [
        (True, False),
        (False, True),
        (True, False),
    ]


def test_failures_in_a_batch_count_as_those_of_a_single_call(tmp_path: Path) -> None:
    kit = make(tmp_path, FILES).tools("site")
    counts = [call(kit, edit("c.html", None, YEAR))["results"][0]["consecutiveFailures"] for _ in range(2)]
    assert counts == [1, 2]
    single = kit.call("editFile", {"file": "c.html", "operations": YEAR})
    assert (single["consecutiveFailures"], single["suggestedTool"]) == (3, "writeFiles")


def write(kit: sh.Kit, **fields: object) -> dict[str, Any]:
    return kit.call("writeFiles", {"files": [fields]})


def test_whole_files_are_written_each_by_itself(tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    kit = workspace.tools("site")
    read = kit.call("readFile", {"file": "b.html"})
    answer = kit.call(
        "writeFiles",
        {
            "files": [
                {"file": "a.html", "content": "<p>x</p>\n"},
                {"file": "b.html", "content": "<p>x</p>\n", "expectedHash": read["fileHash"]},
                {"file": "new/d.html", "content": "<p>d</p>\n"},
            ],
            "reason": "redesign",
        },
    )
    assert answer["success"] == "partial"
    assert [each.get("kind") or each["status"] for each in answer["results"]] == ["stale-source", "edited", "created"]
    after = texts(tmp_path)
    assert after == FILES | {"b.html": "<p>x</p>\r\n", "new/d.html": "<p>d</p>\n"}
    assert [entry.record.reason for entry in workspace.history()] == ["redesign"] * 2
    for each in answer["results"][1:]:
        assert each["fileHash"] == sh.Source.of_bytes(after[each["file"]].encode()).digest[:16]
        assert (each["lines"], each["context"]) == ({"start": 1, "end": 1}, {"beforeLines": [], "afterLines": []})
        workspace.undo(each["id"])
    assert texts(tmp_path) == FILES


def test_a_page_that_an_answer_showed_whole_may_be_written_over(tmp_path: Path) -> None:
    kit = make(tmp_path, FILES).tools("site")
    assert write(kit, file="a.html", content="x")["kind"] == "stale-source"
    assert call(kit, edit("a.html", START))["success"] is True
    assert write(kit, file="a.html", content="<p>x</p>\n")["success"] is True
    assert write(kit, file="b.html", content="x", expectedHash="0" * 16)["kind"] == "stale-source"


def test_a_file_that_would_lose_most_of_its_lines_is_kept_unless_that_is_meant(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.html": "".join(f"<p>{n}</p>\n" for n in range(60))}).tools("site")
    fields = {
        "file": "a.html",
        "content": "<p>x</p>\n",
        "expectedHash": kit.call("readFile", {"file": "a.html"})["fileHash"],
    }
    assert write(kit, **fields)["kind"] == "suspicious-shrink"
    assert write(kit, **fields, allow_shrink=True)["success"] is True


def test_a_stretch_of_a_file_is_read_with_its_numbers_and_the_hash_of_the_whole(tmp_path: Path) -> None:
    kit = make(tmp_path, FILES).tools("site")
    answer = kit.call("readFile", {"file": "b.html", "start": 2, "end": 3})
    assert (answer["content"], answer["totalLines"]) == ("2:   <a href='/'>Home</a>\n3: </nav>", 4)
    assert answer["fileHash"] == sh.Source.of_bytes(FILES["b.html"].encode()).digest[:16]
    assert kit.call("readFile", {"file": "b.html", "start": 3, "end": 2})["kind"] == "bad-request"
    assert write(kit, file="b.html", content="x")["kind"] == "stale-source"  # only a part of it was shown


@table(
    ("mode", "listed"),
    [
        (None, ["readFile", "editDOM", "editFile", "editFiles", "writeFiles", "review_feedback"]),
        ("modify", ["readFile", "editDOM", "editFile", "editFiles", "review_feedback", "writeFiles"]),
        ("generate", ["readFile", "writeFiles", "review_feedback"]),
        ("analyze", ["readFile", "review_feedback"]),
    ],
)
def test_a_mode_has_the_tools_that_fit_it(mode: str | None, listed: list[str], tmp_path: Path) -> None:
    kit = make(tmp_path, FILES, mode=mode).tools("site")
    assert [tool.name for tool in kit.tools] == listed
    if "editFiles" not in listed:
        assert call(kit, edit("a.html", START))["kind"] == "not-allowed"
        assert texts(tmp_path) == FILES


def test_the_prompt_names_every_tool(tmp_path: Path) -> None:
    kit = make(tmp_path, FILES).tools("site")
    assert [tool.name for tool in kit.tools if f"`{tool.name}`" not in kit.prompt()] == []
