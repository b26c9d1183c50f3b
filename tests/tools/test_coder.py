"""The coder's tools: a diff and nothing else, and ranges of lines as the file was read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from steadyhand.dialects.formats.unified import DIALECT
from steadyhand.plan.policy import Policy
from steadyhand.text.source import digest_of
from steadyhand.tools.workspace import Workspace

BEFORE = "one\ntwo\nthree\nfour\nfive\nsix\n"
DIFF = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "a.txt").write_text(BEFORE)
    with Workspace(tmp_path) as workspace:
        yield workspace


def write_patch(ws: Workspace, arguments: object) -> dict[str, object]:
    return ws.tools("coder").call("write_patch", arguments)


def apply_edits(ws: Workspace, arguments: object) -> dict[str, object]:
    return ws.tools("coder").call("apply_edits", arguments)


def text(ws: Workspace) -> str:
    return Path(ws.root, "a.txt").read_text()


CONTAMINATED = [
    ("a fence around it", "```diff\n" + DIFF + "```\n"),
    ("a tag before it", "<tool_call>\n" + DIFF),
    ("a tag behind it", DIFF + "</tool_call>\n"),
    ("prose before it", "Here is the change:\n\n" + DIFF),
    ("prose behind it", DIFF + "\nThis should do it.\n"),
    ("a heredoc", "cat <<'EOF'\n" + DIFF + "EOF\n"),
]


@pytest.mark.parametrize("patch", [patch for _, patch in CONTAMINATED], ids=[name for name, _ in CONTAMINATED])
def test_what_is_around_a_patch_is_rejected_with_an_example_or_left_out(ws: Workspace, patch: str) -> None:
    answer = write_patch(ws, {"path": "a.txt", "patch": patch})
    assert answer["success"] is False
    assert answer["kind"] == "patch_error"
    assert answer["reason"] == "malformed-patch"
    assert answer["example"] == DIALECT.example
    assert text(ws) == BEFORE
    lenient = write_patch(ws, {"path": "a.txt", "patch": patch, "lenient": True})
    assert lenient["success"] is True
    assert lenient["warnings"]
    assert text(ws) == BEFORE.replace("two", "2")


REFUSED = [
    ("prose only", "I would replace two by 2.", "malformed-patch"),
    ("neither header nor signs", "one\ntwo\nthree\n", "malformed-patch"),
    ("another file", DIFF.replace("a.txt", "b.txt"), "malformed-patch"),
    ("two files", DIFF + DIFF.replace("a.txt", "b.txt"), "malformed-patch"),
    ("a binary notice", "diff --git a/a.txt b/a.txt\nBinary files a/a.txt and b/a.txt differ\n", "malformed-patch"),
    ("lines that are not there", "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-nowhere at all\n+x\n", "no-match"),
    ("a new file over this one", "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n", "exists-already"),
]


@pytest.mark.parametrize(("patch", "reason"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_every_refusal_of_a_patch_has_one_shape(ws: Workspace, patch: str, reason: str) -> None:
    answer = write_patch(ws, {"path": "a.txt", "patch": patch})
    assert (answer["success"], answer["kind"], answer["reason"]) == (False, "patch_error", reason)
    assert answer["message"]
    assert answer["example"] == DIALECT.example
    json.dumps(answer)
    assert text(ws) == BEFORE


CLEAN = [
    ("as it is", DIFF),
    ("no newline at its end", DIFF.removesuffix("\n")),
    ("CR LF throughout", DIFF.replace("\n", "\r\n")),
    ("no names", DIFF.partition("+++ b/a.txt\n")[2]),
    ("git's lines", "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n" + DIFF),
    (
        "mailed",
        f"From {'1a2b' * 10} Mon Sep 17 00:00:00 2001\nFrom: A <a@b.c>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n"
        "Subject: [PATCH] two\n\n---\n a.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n"
        "diff --git a/a.txt b/a.txt\n" + DIFF + "-- \n2.43.0\n\n",
    ),
]  # fmt: skip


@pytest.mark.parametrize("patch", [patch for _, patch in CLEAN], ids=[name for name, _ in CLEAN])
def test_a_clean_patch_passes(ws: Workspace, patch: str) -> None:
    answer = write_patch(ws, {"path": "a.txt", "patch": patch, "reason": "digits"})
    assert answer["success"] is True, answer
    assert "warnings" not in answer
    assert text(ws) == BEFORE.replace("two", "2")
    assert answer["lines"] == {"start": 2, "end": 2}
    assert answer["context"] == {"beforeLines": ["one"], "afterLines": ["three", "four", "five"]}
    assert answer["fileHash"] == digest_of(text(ws).encode())[:16]
    (entry,) = ws.history()
    assert (entry.record.id, entry.record.tool, entry.record.reason) == (answer["id"], "write_patch", "digits")


def test_a_diff_of_a_document_with_fences_tags_and_diffs_passes(ws: Workspace) -> None:
    page = "# Page\n\n```diff\n-old\n+new\n```\n\n<tool_call>\n\n--- a/x\n+++ b/x\n"
    Path(ws.root, "page.md").write_text(page)
    rows = "".join(f" {row}\n" for row in page.splitlines())
    patch = f"--- a/page.md\n+++ b/page.md\n@@ -1,11 +1,12 @@\n{rows}+```\n"
    answer = write_patch(ws, {"path": "page.md", "patch": patch})
    assert answer["success"] is True, answer
    assert Path(ws.root, "page.md").read_text() == page + "```\n"


def test_a_new_file_and_a_change_of_mode_only_pass(ws: Workspace) -> None:
    new = "diff --git a/n.sh b/n.sh\nnew file mode 100755\n--- /dev/null\n+++ b/n.sh\n@@ -0,0 +1 @@\n+x\n"
    assert write_patch(ws, {"path": "n.sh", "patch": new})["success"] is True
    mode = "diff --git a/n.sh b/n.sh\nold mode 100755\nnew mode 100644\n"
    assert write_patch(ws, {"path": "n.sh", "patch": mode})["success"] is True
    assert Path(ws.root, "n.sh").stat().st_mode & 0o777 == 0o644


def edit(start: int, end: int, new: str, old: str | None = None) -> dict[str, object]:
    facts: dict[str, object] = {"range": {"start": start, "end": end}, "newText": new}
    return facts if old is None else facts | {"oldText": old}


RANGES_REFUSED = [
    ("overlapping", [edit(1, 3, "x"), edit(3, 4, "y")], "overlapping-edits"),
    ("one inside the other", [edit(1, 5, "x"), edit(3, 2, "y")], "overlapping-edits"),
    ("reversed", [edit(4, 2, "x")], "bad-request"),
    ("beyond the end", [edit(6, 7, "x")], "out-of-bounds"),
    ("before the start", [edit(0, 1, "x")], "out-of-bounds"),
    ("other lines are there", [edit(2, 2, "2", "three")], "stale-source"),
    ("the second is wrong", [edit(1, 1, "1"), edit(3, 3, "3", "four")], "stale-source"),
    ("no edits", [], "bad-request"),
    ("no range", [{"newText": "x"}], "bad-request"),
    ("half a range", [{"range": {"start": 1}, "newText": "x"}], "bad-request"),
    ("an unknown field", [edit(1, 1, "x") | {"line": 3}], "bad-request"),
    ("no new text", [{"range": {"start": 1, "end": 1}}], "bad-request"),
]


@pytest.mark.parametrize(("edits", "kind"), [row[1:] for row in RANGES_REFUSED], ids=[row[0] for row in RANGES_REFUSED])
def test_ranges_that_cannot_be_meant_change_nothing(ws: Workspace, edits: list[object], kind: str) -> None:
    answer = apply_edits(ws, {"path": "a.txt", "edits": edits})
    assert (answer["success"], answer["kind"]) == (False, kind)
    assert str(answer["message"]) in str(answer["error"])
    assert text(ws) == BEFORE


def test_a_stale_range_is_refused_with_where_its_text_is_now(ws: Workspace) -> None:
    answer = apply_edits(ws, {"path": "a.txt", "edits": [edit(2, 2, "4", "four")]})
    assert "4" in str(answer["error"])


def test_ranges_mean_the_file_as_it_was_read(ws: Workspace) -> None:
    edits = [edit(1, 1, "1\n1b\n", "one"), edit(4, 5, ""), edit(6, 5, "before six"), edit(3, 3, "3", "three\n")]
    answer = apply_edits(ws, {"path": "a.txt", "edits": edits, "expectedHash": digest_of(BEFORE.encode())[:16]})
    assert answer["success"] is True, answer
    assert text(ws) == "1\n1b\ntwo\n3\nbefore six\nsix\n"
    assert answer["edits"] == [
        {"start": 1, "end": 2},
        {"start": 5, "end": 5},
        {"start": 5, "end": 5},
        {"start": 4, "end": 4},
    ]
    assert "+before six" in str(answer["diff"])
    assert answer["fileHash"] == digest_of(text(ws).encode())[:16]


def test_a_hash_of_another_version_is_stale(ws: Workspace) -> None:
    answer = apply_edits(ws, {"path": "a.txt", "edits": [edit(1, 1, "x")], "expectedHash": "0" * 16})
    assert (answer["success"], answer["kind"]) == (False, "stale-source")


def test_a_tool_applies_all_of_a_call_whatever_the_policy_of_the_host(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(BEFORE)
    with Workspace(tmp_path, policy=Policy(partial=True)) as ws:
        patch = DIFF + "@@ -9 +9 @@\n-nowhere at all\n+x\n"
        assert write_patch(ws, {"path": "a.txt", "patch": patch})["success"] is False
        edits = [edit(1, 1, "1"), edit(3, 3, "3", "four")]
        assert apply_edits(ws, {"path": "a.txt", "edits": edits})["success"] is False
        assert text(ws) == BEFORE
