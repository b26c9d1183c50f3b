"""What the journal says for the record: the trail of everything, and what became of each article."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from steadyhand.text.unified import changeset_from_unified
from steadyhand.workspace.history.file_history import Replays
from steadyhand.workspace.journal.log import link
from steadyhand.workspace.journal.record import ToolCall
from steadyhand.workspace.overlay import Trace
from tests.sampling import sample
from tests.workspace.journal.sample_records import behind_its_back

LINES = [f"line {number}\n" for number in range(40)]
TEXT = "".join(LINES)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    made.mkdir()
    (made / "a.md").write_text(TEXT, encoding="utf-8")
    return made


@pytest.fixture
def ws(root: Path) -> Any:
    with sh.Workspace(root, actor="ada") as workspace:
        yield workspace


def by(ws: Any, tool: str = "edit_article", *, call: str, conversation: str = "talk", model: str | None = None) -> Any:
    """The workspace in the name of one call of a tool."""
    return host_of(ws).bound(tool=tool, trace=Trace(ToolCall(call, "article", conversation), "d" * 16, model))


def replace(ws: Any, old: str, new: str, reason: str | None = None, path: str = "a.md") -> str:
    return cast("str", ws.edit(path, [sh.Replace(old, new, reason=reason)]).id)


def refuse(ws: Any, path: str = "a.md", old: str = "nothing of the kind") -> str:
    with pytest.raises(EditError) as caught:
        ws.edit(path, [sh.Replace(old, "x")])
    return str(caught.value.kind)


def groups(audit: dict[str, Any]) -> list[list[str]]:
    return [group["reasons"] for group in audit["hunkReasons"]]


# --- what became of an article ---------------------------------------------------------------------------------------


def test_nobody_asked_for_anything(ws: Any) -> None:
    assert ws.audit("a.md") == {
        "jrn": "a.md",
        "path": "a.md",
        "status": "skipped",
        "evidence": [],
        "patch": "",
        "editReasons": [],
        "hunkReasons": [],
        "toolUsage": {},
    }


def test_a_file_that_never_was_has_no_audit(ws: Any) -> None:
    with pytest.raises(EditError) as caught:
        ws.audit("b.md")
    assert caught.value.kind is Kind.NO_SUCH_FILE


def test_only_refusals_are_a_failure_and_the_last_one_is_reported(ws: Any) -> None:
    replace(ws, "line 1\n", "one\n", path="a.md")  # makes the journal
    ws.undo(last=True)
    with ws.task("T-1") as task:
        refuse(by(task, call="c1"))
        kind = refuse(by(task, call="c2"), old="line")
        audit = task.audit("a.md", task="T-1")
    assert (audit["status"], audit["patch"], audit["hunkReasons"]) == ("failed", "", [])
    assert (
        (audit["error"]["kind"], audit["error"]["tool"])
        == (kind, "edit_article")
        == ("ambiguous-match", "edit_article")
    )
    assert audit["toolUsage"] == {"edit_article": {"calls": 2, "refused": 2}}


def test_a_refused_call_on_a_file_that_is_not_there_is_reported_by_that_name(ws: Any) -> None:
    replace(ws, "line 1\n", "one\n")
    refuse(ws, "missing.md")
    audit = ws.audit("./missing.md")
    assert (audit["status"], audit["error"]["kind"]) == ("failed", "no-such-file")


def test_a_changed_file_is_updated_whatever_fails_afterwards(ws: Any) -> None:
    with suppress(RuntimeError), ws.task("T-1") as task:
        replace(by(task, call="c1"), "line 1\n", "one\n", "digits")
        refuse(by(task, call="c2"))
        raise RuntimeError
    audit = ws.audit("a.md", task="T-1")
    assert (audit["status"], audit["editReasons"]) == ("updated", ["digits"])
    assert audit["error"]["kind"] == "no-match"
    assert audit["toolUsage"] == {"edit_article": {"calls": 2, "refused": 1}}


def test_what_went_through_in_the_end_has_no_error(ws: Any) -> None:
    replace(ws, "line 9\n", "nine\n")
    refuse(ws)
    replace(ws, "line 1\n", "one\n")
    audit = ws.audit("a.md")
    assert audit["status"] == "updated"
    assert "error" not in audit


@pytest.mark.parametrize("how", ["undone", "taken back by hand"])
def test_what_comes_to_nothing_is_unchanged(ws: Any, how: str) -> None:
    made = replace(ws, "line 1\n", "one\n", "digits")
    if how == "undone":
        ws.undo(made)
    else:
        replace(ws, "one\n", "line 1\n")
    audit = ws.audit("a.md")
    assert (audit["status"], audit["patch"], audit["hunkReasons"]) == ("unchanged", "", [])
    assert audit["toolUsage"] == {"python": {"calls": 2, "refused": 0}}


def test_an_undo_by_somebody_else_counts_for_the_task_that_is_undone(ws: Any) -> None:
    with ws.task("T-1") as task:
        made = replace(task, "line 1\n", "one\n")
    ws.undo(made)
    audit = ws.audit("a.md", task="T-1")
    assert (audit["status"], audit["patch"]) == ("unchanged", "")
    assert audit["toolUsage"] == {"python": {"calls": 1, "refused": 0}}


def test_hearing_that_nothing_needs_to_be_done_is_no_failure(ws: Any, root: Path) -> None:
    (root / "b.md").write_text("# Title\n\nThe old sentence about login.\n", encoding="utf-8")
    done = [sh.Replace("The old sentence about login.", "Users sign in with a token\nand may add a second factor.")]
    ws.edit("b.md", done)
    with ws.task("T-1") as task, pytest.raises(EditError) as caught:
        task.edit("b.md", done)
    assert caught.value.kind is Kind.ALREADY_APPLIED
    assert ws.audit("b.md", task="T-1")["status"] == "unchanged"
    with ws.task("T-1") as task:
        refuse(task, "b.md")
    assert ws.audit("b.md", task="T-1")["status"] == "failed"


def test_evidence_is_taken_from_notes_and_says_that_somebody_looked(ws: Any) -> None:
    replace(ws, "line 1\n", "one\n")
    journal = ws._store.writable_journal()
    journal.append_note("evidence", {"path": "a.md", "task": "T-7", "evidence": [{"file": "x.ts", "lines": [3, 4]}]})
    journal.append_note("evidence", {"path": "a.md", "task": "T-7", "actor": "ada", "why": "mentions login"})
    audit = ws.audit("a.md", task="T-7")
    assert audit["evidence"] == [{"file": "x.ts", "lines": [3, 4]}, {"why": "mentions login"}]
    assert audit["status"] == "unchanged"
    assert [each["evidence"] for each in ws.audits.articles(task="T-7")] == [audit["evidence"]]


def test_evidence_is_recorded_and_shown_by_the_audit_and_the_articles(ws: Any) -> None:
    with ws.task("T-7") as task:
        task.record_evidence("a.md", [{"file": "x.ts", "lines": [3, 4]}, "mentions login"])
        task.record_evidence("a.md", {"why": "attention"})
    expected = [{"file": "x.ts", "lines": [3, 4]}, "mentions login", {"why": "attention"}]
    assert ws.audit("a.md")["evidence"] == ws.audit("a.md", task="T-7")["evidence"] == expected
    assert ws.audit("a.md", task="T-8")["evidence"] == []
    (article,) = ws.audits.articles(task="T-7")
    assert (article["status"], article["evidence"]) == ("unchanged", expected)


@pytest.mark.parametrize(
    ("path", "evidence", "kind"),
    [
        ("a.md", None, Kind.BAD_REQUEST),
        ("a.md", [], Kind.BAD_REQUEST),
        ("a.md", " ", Kind.BAD_REQUEST),
        ("a.md", [3], Kind.BAD_REQUEST),
        ("a.md", {"x": object()}, Kind.BAD_REQUEST),
        ("a.md", "x" * 70_000, Kind.TOO_LARGE),
        ("nowhere.md", "x", Kind.NO_SUCH_FILE),
        ("../a.md", "x", Kind.OUTSIDE_ROOT),
    ],
)
def test_evidence_that_says_nothing_is_refused(ws: Any, path: str, evidence: object, kind: Kind) -> None:
    with pytest.raises(EditError) as caught:
        ws.record_evidence(path, evidence)
    assert caught.value.kind is kind


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_a_file_that_was_read_and_needed_no_change_is_unchanged_and_not_skipped(
    root: Path, store: str, request: pytest.FixtureRequest
) -> None:
    (root / "b.md").write_text(TEXT)
    journal = request.getfixturevalue("postgres_url") if store == "postgres" else None
    with sh.Workspace(root, actor="ada", journal=journal) as ws:
        with ws.task("T-1") as task:
            task.read("a.md")
            task.read("b.md", lines=(1, 1))
            assert ws.audit("a.md", task="T-1")["status"] == "unchanged", "while it is at work"
        assert ws.audit("a.md")["status"] == ws.audit("a.md", task="T-1")["status"] == "unchanged"
        assert ws.audit("a.md", task="T-2")["status"] == "skipped"
        assert ws.audit("b.md")["status"] == "skipped", "a part of it was shown"
        assert [each["path"] for each in ws.audits.articles(task="T-1", path="a.md")] == ["a.md"]
        assert list(ws.audits.articles(task="T-1")) == [], "what is only read is asked for by its name"
    with sh.Workspace(root, actor="ada", task="T-3", journal=journal) as ws:
        ws.read("b.md")
    with sh.Workspace(root, actor="bob", journal=journal) as ws:
        assert ws.audit("b.md", task="T-3")["status"] == "unchanged"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("---\njrn: DOC_1\nattention: []\n---\n\n# T\n", "DOC_1"),
        ("---\ntitle: x\njrn: 'DOC 2'\n---\n", "DOC 2"),
        ('\ufeff+++\njrn = "DOC_3"\n+++\n', "DOC_3"),
        ("---\njrn: 7\n---\n", "7"),
        ("---\njrn: [a]\n---\n", "b.md"),
        ("---\njrn: {broken\n---\n", "b.md"),
        ("text\n\njrn: DOC_4\n", "b.md"),
        ("", "b.md"),
    ],
)
def test_an_article_is_called_what_its_front_matter_says(ws: Any, root: Path, text: str, name: str) -> None:
    (root / "b.md").write_text(text, encoding="utf-8")
    assert ws.audit("b.md")["jrn"] == name


def test_a_deleted_article_keeps_its_name(ws: Any, root: Path) -> None:
    (root / "b.md").write_text("---\njrn: DOC_1\n---\ntext\n", encoding="utf-8")
    ws.delete("b.md", reason="not needed")
    audit = ws.audit("b.md")
    assert (audit["jrn"], audit["status"], audit["editReasons"]) == ("DOC_1", "updated", ["not needed"])
    assert audit["patch"].startswith("diff --git a/b.md b/b.md\ndeleted file mode")
    assert groups(audit) == [["not needed"]]


# --- the patch and its reasons ---------------------------------------------------------------------------------------


def test_the_patch_takes_the_first_version_to_the_last(ws: Any, root: Path) -> None:
    replace(ws, "line 3\n", "three\nand more\n")
    replace(ws, "line 30\n", "")
    replace(ws, "three\n", "THREE\n")
    patch = ws.audit("a.md")["patch"]
    assert changeset_from_unified(TEXT, patch).apply(TEXT) == (root / "a.md").read_text(encoding="utf-8")


def test_each_group_of_lines_has_its_reasons_also_after_lines_moved(ws: Any) -> None:
    replace(ws, "line 20\n", "twenty\n", "twenty")
    replace(ws, "line 30\n", "", "away with thirty")
    replace(ws, "line 2\n", "two\n" + "more\n" * 9, "two")
    replace(ws, "line 22\n", "22\n", "near twenty")
    replace(ws, "twenty\n", "TWENTY\n", "twenty again")
    audit = ws.audit("a.md")
    assert groups(audit) == [["two"], ["twenty", "near twenty", "twenty again"], ["away with thirty"]]
    heads = [line for line in audit["patch"].split("\n") if line.startswith("@@")]
    assert [group["hunk"] for group in audit["hunkReasons"]] == heads
    assert audit["editReasons"] == ["twenty", "away with thirty", "two", "near twenty", "twenty again"]


def test_what_an_edit_only_quoted_is_not_its_doing(ws: Any) -> None:
    replace(ws, "line 3\n", "three\n", "three")
    quoted = "".join(["three\n", *LINES[4:30]])
    replace(ws, quoted, quoted.replace("line 29\n", "twenty-nine\n"), "twenty-nine")
    assert groups(ws.audit("a.md")) == [["three"], ["twenty-nine"]]


def test_an_edit_whose_effect_is_gone_is_in_no_group(ws: Any) -> None:
    replace(ws, "line 3\n", "three\n", "there")
    replace(ws, "three\n", "line 3\n", "and back")
    replace(ws, "line 30\n", "thirty\n", "thirty")
    audit = ws.audit("a.md")
    assert groups(audit) == [["thirty"]]
    assert audit["editReasons"] == ["there", "and back", "thirty"]


def test_an_undone_edit_gives_no_reason_and_a_redone_one_does(ws: Any) -> None:
    made = replace(ws, "line 3\n", "three\n", "three")
    replace(ws, "line 30\n", "thirty\n", "thirty")
    back = ws.undo(made).id
    assert (groups(ws.audit("a.md")), ws.audit("a.md")["editReasons"]) == ([["thirty"]], ["thirty"])
    ws.redo(back)
    assert groups(ws.audit("a.md")) == [["three"], ["thirty"]]


def test_a_whole_file_write_gives_its_reason_to_every_group(ws: Any) -> None:
    replace(ws, "line 3\n", "three\n", "three")
    ws.read("a.md")
    text = TEXT.replace("line 3\n", "three\n").replace("line 30\n", "thirty\n") + "end\n"
    ws.write("a.md", text, reason="again")
    assert groups(ws.audit("a.md")) == [["three"], ["again"], ["again"]]


def test_the_reason_of_the_call_serves_for_edits_without_one(ws: Any) -> None:
    ws.edit("a.md", [sh.Replace("line 3\n", "3\n"), sh.Replace("line 30\n", "30\n", reason="mine")], reason="all")
    assert groups(ws.audit("a.md")) == [["all"], ["mine"]]


def test_a_new_article_is_one_group(ws: Any) -> None:
    ws.write("b.md", "one\ntwo\n", reason="asked for")
    replace(ws, "two\n", "2\n", "digits", path="b.md")
    audit = ws.audit("b.md")
    assert audit["patch"].endswith("--- /dev/null\n+++ b/b.md\n@@ -0,0 +1,2 @@\n+one\n+2\n")
    assert groups(audit) == [["asked for", "digits"]]


def test_equal_lines_far_from_the_edit_do_not_lose_its_reason(ws: Any, root: Path) -> None:
    (root / "same.md").write_text("same\n" * 30, encoding="utf-8")
    ws.edit("same.md", [sh.Insert(sh.Lines(1, 1), "same\n", where="before", reason="one more")])
    assert groups(ws.audit("same.md")) == [["one more"]]


def test_lines_that_end_with_cr_are_placed_as_the_diff_counts(ws: Any, root: Path) -> None:
    (root / "dos.md").write_bytes(TEXT.replace("\n", "\r\n").encode())
    (root / "mac.md").write_bytes(b"a\rb\rc\r")
    replace(ws, "line 30", "thirty", "thirty", path="dos.md")
    replace(ws, "line 3\r", "three\r", "three", path="dos.md")
    replace(ws, "b", "B", "b", path="mac.md")
    assert groups(ws.audit("dos.md")) == [["three"], ["thirty"]]
    assert groups(ws.audit("mac.md")) == [["b"]]


@pytest.mark.sampled
@pytest.mark.parametrize("seed", sample(range(4), 2))
def test_every_mark_is_in_the_group_that_names_its_reason(ws: Any, root: Path, seed: int) -> None:
    """Edits that insert, replace and delete lines at random; each leaves a mark that no other edit touches."""
    chance = random.Random(seed)
    for number in range(14):
        rows = (root / "a.md").read_text(encoding="utf-8").splitlines(keepends=True)
        free = [row for row in range(len(rows)) if rows[row].startswith("line")]
        row = chance.choice(free)
        count = chance.randrange(1, 3)
        old = "".join(rows[row : row + count]) if all(r in free for r in range(row, row + count)) else rows[row]
        new = f"mark {number}\n" + "".join(f"more {number} {more}\n" for more in range(chance.randrange(4)))
        replace(ws, old, new if chance.random() < 0.7 else new + old, f"{number}")
    audit = ws.audit("a.md")
    parts = audit["patch"].split("\n@@ ")[1:]
    assert len(parts) == len(audit["hunkReasons"])
    for part, reasons in zip(parts, groups(audit), strict=True):
        marks = [line.removeprefix("+mark ") for line in part.split("\n") if line.startswith("+mark ")]
        assert set(reasons) == set(marks)


# --- several tasks, names and stores ---------------------------------------------------------------------------------


def test_one_task_is_reported_without_what_others_did_in_between(ws: Any) -> None:
    with ws.task("T-1") as one, ws.task("T-2") as two:
        replace(one, "line 20\n", "twenty\n", "mine")
        replace(two, "line 2\n", "two\ntwo and a half\n", "theirs")
        replace(one, "line 30\n", "thirty\n", "mine too")
        replace(two, "line 35\n", "35\n", "theirs too")
    audit = ws.audit("a.md", task="T-1")
    assert [
        line for line in audit["patch"].split("\n") if line.startswith(("+", "-")) and line[:3] not in ("+++", "---")
    ] == [
        "-line 20",
        "+twenty",
        "-line 30",
        "+thirty",
    ]
    assert groups(audit) == [["mine"], ["mine too"]]
    assert "@@ -19,7 +19,7 @@" in audit["patch"]  # where it is among what the others left


def test_tasks_that_wrote_the_same_text_are_reported_record_by_record(ws: Any) -> None:
    with ws.task("T-1") as one:
        replace(one, "line 20\n", "twenty\n", "mine")
        with ws.task("T-2") as two:
            replace(two, "twenty\n", "TWENTY\n", "theirs")
        replace(one, "line 3\n", "three\n", "mine too")
    audit = ws.audit("a.md", task="T-1")
    assert audit["patch"].count("diff --git") == 2
    assert "+twenty\n" in audit["patch"]
    assert "TWENTY" not in audit["patch"]
    assert groups(audit) == [["mine"], ["mine too"]]


def test_what_happened_outside_is_not_in_the_patch(ws: Any, root: Path) -> None:
    replace(ws, "line 3\n", "three\n", "three")
    changed = (root / "a.md").read_text(encoding="utf-8").replace("line 20\n", "by hand\n")
    (root / "a.md").write_text(changed, encoding="utf-8")
    replace(ws, "line 30\n", "thirty\n", "thirty")
    audit = ws.audit("a.md")
    assert "by hand" not in audit["patch"]
    assert groups(audit) == [["three"], ["thirty"]]


def test_a_renamed_article_keeps_its_past_and_is_one_article(ws: Any) -> None:
    replace(ws, "line 3\n", "three\n", "three")
    refuse(by(ws, call="c1"))
    ws.rename("a.md", "docs/b.md", reason="moved")
    replace(ws, "line 30\n", "thirty\n", "thirty", path="docs/b.md")
    audit = ws.audit("docs/b.md")
    assert "rename from a.md\nrename to docs/b.md\n" in audit["patch"]
    assert groups(audit) == [["three"], ["thirty"]]
    assert audit["toolUsage"]["edit_article"] == {"calls": 1, "refused": 1}
    assert list(ws.audits.articles()) == [audit]


def test_the_content_of_secrets_is_nowhere(root: Path) -> None:
    (root / ".env").write_text("KEY=hunter2\n", encoding="utf-8")
    with sh.Workspace(root, actor="ada", allow=[".env"]) as ws:
        ws.edit(".env", [sh.Replace("hunter2", "swordfish", reason="rotated")], reason="rotated")
        with suppress(EditError):
            ws.edit(".env", [sh.Replace("hunter2", "x")])
        audit = ws.audit(".env")
        said = json.dumps([audit, list(ws.audits.trail()), list(ws.audits.articles())])
    assert audit["status"] == "updated"
    assert audit["editReasons"] == ["rotated"]
    assert "hunter2" not in said
    assert "swordfish" not in said


def test_a_version_that_was_dropped_is_reported_and_the_article_is_still_updated(ws: Any) -> None:
    ws.read("a.md")
    ws.write("a.md", "short\n" * 30, reason="again", allow_shrink=True)
    ws.gc(keep_bytes=0)
    audit = ws.audit("a.md")
    assert (audit["status"], audit["editReasons"]) == ("updated", ["again"])
    assert audit["patch"] == "# a.md: its image is gone\n"


def test_every_article_is_reported_as_it_is_alone(ws: Any) -> None:
    ws.write("b.md", "b\n", reason="b")
    replace(by(ws, call="c1"), "line 3\n", "three\n", "three")
    refuse(by(ws, call="c2"), "c.md")
    with ws.transaction(reason="both") as tx:
        tx.edit("a.md", [sh.Replace("line 9\n", "9\n")])
        tx.edit("b.md", [sh.Replace("b\n", "B\n")])
    said = list(ws.audits.articles())
    assert [each["path"] for each in said] == ["a.md", "b.md", "c.md"]
    assert said == [ws.audit(each["path"]) for each in said]
    assert [each["path"] for each in ws.audits.articles(path="b.md")] == ["b.md"]


def test_one_call_with_several_records_is_one_call(ws: Any) -> None:
    call = by(ws, call="c1")
    replace(call, "line 3\n", "3\n")
    replace(call, "line 4\n", "4\n")
    assert ws.audit("a.md")["toolUsage"] == {"edit_article": {"calls": 1, "refused": 0}}


def test_a_file_that_a_call_applied_in_part_left_alone_has_failed(ws: Any) -> None:
    requests = sh.requests_from_json(
        {
            "partial": True,
            "files": [
                {"path": "a.md", "edits": [{"target": "line 3\n", "new": "3\n"}, {"target": "absent", "new": "x"}]},
                {"path": "gone.md", "edits": [{"target": "x", "new": "y"}]},
            ],
        }
    )
    by(ws, call="c1").apply(requests)
    assert ws.audit("a.md")["status"] == "updated"
    audit = ws.audit("gone.md")
    assert (audit["status"], audit["error"]["kind"]) == ("failed", "no-such-file")
    (entry,) = [each for each in ws.audits.trail() if each["type"] == "transaction"]
    outcomes = [(edit["outcome"], edit["kind"]) for edit in entry["files"][0]["edits"]]
    assert outcomes == [("applied", None), ("refused", "no-match")]


# --- the trail -------------------------------------------------------------------------------------------------------


def test_the_trail_tells_of_a_record_what_the_contract_names(ws: Any) -> None:
    made = replace(by(ws, call="c1", model="m-1"), "line  3\n", "three\n", "three")
    (said,) = ws.audits.trail()
    entry = ws.show(made)
    assert {name: said[name] for name in ("type", "id", "time", "actor", "task", "model", "tool", "call")} == {
        "type": "transaction",
        "id": made,
        "time": entry.record.time,
        "actor": "ada",
        "task": None,
        "model": "m-1",
        "tool": "edit_article",
        "call": "c1",
    }
    assert (said["conversation"], said["toolset"], said["arguments"]) == ("talk", "article", "d" * 16)
    assert isinstance(said["durationMs"], int)
    (file,) = said["files"]
    change = entry.record.files[0]
    assert (file["status"], file["before"], file["after"]) == ("edited", change.before.digest, change.after.digest)
    assert file["patch"] == ws.diff_of(made)
    (edit,) = file["edits"]
    assert (edit["outcome"], edit["tier"], edit["lines"], edit["reason"]) == ("applied", "whitespace", [4, 4], "three")
    assert 0 < edit["similarity"] <= 1


def test_the_trail_tells_refusals_and_conflicts_without_their_text(ws: Any) -> None:
    replace(ws, "line 1\n", "one\n")
    refuse(by(ws, call="c1", model="m-1"))
    with ws.task("T-1") as one, ws.task("T-2") as two:
        one.read("a.md")
        two.read("a.md")
        replace(one, "line 20\n", "twenty\n")
        with suppress(EditError):
            two.edit("a.md", [sh.Replace(sh.Lines(21, 21), "precious text\n")])
    said = {each["type"]: each for each in ws.audits.trail()}
    assert (said["refusal"]["path"], said["refusal"]["kind"], said["refusal"]["model"]) == (
        "a.md",
        "no-match",
        "m-1",
    )
    assert (said["conflict"]["kind"], said["conflict"]["task"], said["conflict"]["lines"]) == (
        "conflict",
        "T-2",
        [21, 21],
    )
    assert len(said["conflict"]["with"]) == 1
    assert "precious" not in json.dumps(said)
    assert said["note"]["note"] == "task"


def test_patches_are_the_same_however_many_are_asked_for(ws: Any, root: Path) -> None:
    (root / "b.md").write_text(TEXT, encoding="utf-8")
    for number in range(6):
        with ws.task(f"T-{number % 2}") as task:
            replace(task, f"line {number}\n", f"number {number}\n")
            replace(task, f"line {number + 20}\n", "", path="b.md")
    expected = {entry.record.id: ws.diff_of(entry.record.id) for entry in ws.history()}
    for asked in ({}, {"task": "T-1"}, {"path": "b.md"}, {"after": 9}):
        said = [each for each in ws.audits.trail(**asked) if each["type"] == "transaction"]
        assert len(said) > 2
        assert [each["files"][0]["patch"] for each in said] == [expected[each["id"]] for each in said]
    entries = list(ws._store.journal.entries(newest_first=False))
    roomy, cramped = Replays(ws._store.journal), Replays(ws._store.journal, room=1)
    for entry in entries:
        assert cramped.texts(entry, entry.record.files[0]) == roomy.texts(entry, entry.record.files[0])


def test_rows_are_reported_with_their_seals(ws: Any) -> None:
    replace(ws, "line 1\n", "one\n")
    refuse(ws)
    first, second = ws.audits.trail()
    assert (first["seq"], first["settled"]["seq"], second["seq"]) == (1, 2, 3)
    chain = bytes(32)
    for sealed in (first, first["settled"], second):
        chain = link(chain, bytes.fromhex(sealed["checksum"]))
        assert chain.hex() == sealed["chain"]


def test_the_trail_is_given_from_a_time_or_a_row_on_of_a_task_or_a_place(ws: Any, root: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "b.md").write_text("b\n", encoding="utf-8")
    first = replace(ws, "line 1\n", "one\n")
    with ws.task("T-1") as task:
        second = replace(task, "b\n", "B\n", path="docs/b.md")

    def ids(**asked: Any) -> list[str]:
        return [each["id"] for each in ws.audits.trail(**asked) if each["type"] == "transaction"]

    assert ids() == [first, second]
    assert ids(since=ws.show(second).record.time) == [second]
    assert ids(after=ws.show(first).seq) == [second]
    assert ids(task="T-1") == ids(path="docs") == ids(path="docs/b.md") == [second]
    assert ids(path=".") == [first, second]
    assert ids(since="2999-01-01") == ids(task="T-2") == []


@pytest.mark.parametrize("asked", [{"since": "tomorrow"}, {"since": 5}, {"after": -1}, {"after": True}, {"task": 5}])
def test_what_is_no_time_row_or_task_is_a_bad_request(ws: Any, asked: dict[str, Any]) -> None:
    calls: list[Callable[..., object]] = [lambda: list(ws.audits.trail(**asked)), lambda: ws.audits.statistics(**asked)]
    for call in calls:
        with pytest.raises(EditError) as caught:
            call()
        assert caught.value.kind is Kind.BAD_REQUEST


def test_a_damaged_row_is_left_out_and_reported(ws: Any, root: Path) -> None:
    ids = [replace(ws, f"line {number}\n", f"{number}\n") for number in (1, 2, 3)]
    ws.close()
    damage = ("UPDATE log SET body = ? WHERE seq = 3", (b"{}",))
    behind_its_back(root / ".steadyhand", damage)
    found: list[str] = []
    with sh.Workspace(root, read_only=True) as again:
        said = [each["id"] for each in again.audits.trail(on_damage=found.append)]
        assert again.audits.statistics().damaged == 1
    assert said == [ids[0], ids[2]]
    assert len(found) == 1


def test_nothing_is_made_where_no_journal_is(root: Path) -> None:
    with sh.Workspace(root) as ws:
        assert list(ws.audits.trail()) == list(ws.audits.articles()) == []
        assert ws.audits.statistics().total.calls == 0
        ws.audit("a.md")
    assert [path.name for path in root.iterdir()] == ["a.md"]


def test_a_journal_on_a_server_gives_the_same_account(root: Path, postgres_url: str) -> None:
    with sh.Workspace(root, actor="ada", journal=postgres_url) as ws:
        replace(by(ws, call="c1", model="m-1"), "line 3\n", "three\n", "three")
        refuse(by(ws, call="c2", model="m-1"))
        made = replace(ws, "line 30\n", "thirty\n", "thirty")
        ws.undo(made)
        audit, found = ws.audit("a.md"), ws.audits.statistics()
        types = [each["type"] for each in ws.audits.trail()]
        assert list(ws.audits.articles()) == [audit]
    assert (audit["status"], groups(audit)) == ("updated", [["three"]])
    assert types == ["transaction", "refusal", "transaction", "transaction"]
    assert (found.total.calls, found.total.refused, found.undone) == (4, 1, 1)
