"""`edit_article`: exact, unique, explained edits of the one article, in order, all or none; refusals that help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from tests.table import table
from tests.tools.ground import make, tree

AUTH = """# Auth

## Authentication

The login endpoint accepts username and password.

## Parameters

| Name | Type | Required |
|------|------|----------|
| user | string | Yes |

## Errors

The login endpoint answers 401.
"""


def edit(old: str, new: str, reason: str = "the code changed") -> dict[str, str]:
    return {"old_string": old, "new_string": new, "reason": reason}


def edited(root: Path, text: str | bytes, *edits: object, path: str = "docs/auth.md", **more: Any) -> dict[str, Any]:
    kit = make(root, {"docs/auth.md": text}).tools("article", **more)
    return kit.call("edit_article", {"path": path, "edits": list(edits)})


def content(root: Path) -> str:
    return (root / "docs/auth.md").read_bytes().decode()


def test_edits_are_applied_with_their_reasons_and_lines(tmp_path: Path) -> None:
    answer = edited(
        tmp_path,
        AUTH,
        edit(
            "## Authentication\n\nThe login endpoint accepts username and password.",
            "## Authentication\n\nThe login endpoint accepts username, password,\nand an MFA token.",
            "login() takes a token",
        ),
        edit("| user | string | Yes |", "| user | string | Yes |\n| mfaToken | string | No |", "a new parameter"),
    )
    assert answer["success"] is True
    assert answer["path"] == "docs/auth.md"
    assert answer["output"] == "Applied 2 edits to docs/auth.md"
    assert answer["appliedEdits"] == [
        {"index": 0, "reason": "login() takes a token", "lines": {"start": 5, "end": 6}},
        {"index": 1, "reason": "a new parameter", "lines": {"start": 12, "end": 13}},
    ]
    assert answer["lines"] == {"start": 5, "end": 13}  # lines that changed, not lines that were quoted
    assert "password,\nand an MFA token." in content(tmp_path)
    assert "| mfaToken | string | No |" in content(tmp_path)


def test_one_edit_is_reported_in_the_singular(tmp_path: Path) -> None:
    assert edited(tmp_path, AUTH, edit("401", "403"))["output"] == "Applied 1 edit to docs/auth.md"


def test_reasons_are_kept_with_the_change(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"docs/auth.md": AUTH})
    edits = [edit("401", "403", "another code"), edit("# Auth\n", "# Login\n", "another name")]
    answer = workspace.tools("article", model="m-1").call("edit_article", {"path": "docs/auth.md", "edits": edits})
    record = workspace.history("docs/auth.md")[0].record
    assert (record.id, record.tool, record.model) == (answer["id"], "edit_article", "m-1")
    assert record.reason == "another code; another name"
    assert workspace.why("docs/auth.md", line=1).reason == "another name"


def test_a_text_that_is_not_there_is_refused_with_the_nearest_place(tmp_path: Path) -> None:
    answer = edited(tmp_path, AUTH + "More words.\n" * 50, edit("The login endpoint accepts user and password.", "x"))
    assert (answer["success"], answer["kind"]) == (False, "no-match")
    assert answer["error"].startswith("Edit 0: Text not found")
    assert "line 5" in answer["error"]
    assert answer["details"]["nearest"][0]["lines"] == [5, 5]
    assert "content" not in answer["details"]
    assert len(answer["error"].split("\n")) <= 15


def test_a_short_file_is_shown_whole_when_a_text_is_not_there(tmp_path: Path) -> None:
    short = "# A\n\n" + "x" * 494 + "\n"
    assert len(short) == 500
    answer = edited(tmp_path, short, edit("nothing of the kind", "x"))
    assert answer["details"]["content"] == short
    assert short not in answer["error"]
    longer = edited(tmp_path, short + "y", edit("nothing of the kind", "x"))
    assert "content" not in longer["details"]


def test_what_is_shown_of_a_short_file_counts_as_read(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"docs/auth.md": "# A\n"}, task="T-1")
    edits = [edit("nothing of the kind", "x")]
    workspace.tools("article").call("edit_article", {"path": "docs/auth.md", "edits": edits})
    assert workspace.write("docs/auth.md", "# B\n").ok


def test_a_text_that_appears_several_times_is_refused_with_the_lines_of_each(tmp_path: Path) -> None:
    answer = edited(tmp_path, AUTH + "\nThe login endpoint is new.\n", edit("The login endpoint", "x"))
    assert (answer["success"], answer["kind"]) == (False, "ambiguous-match")
    assert answer["error"].startswith("Edit 0: Text appears 3 times")
    assert (answer["details"]["total"], answer["details"]["lines"]) == (3, [5, 15, 17])
    assert "heading" in answer["hint"]
    for line in (5, 15, 17):
        assert f"line {line}: The login endpoint" in answer["message"]


def test_an_old_text_that_is_offered_for_one_of_several_places_goes_through(tmp_path: Path) -> None:
    answer = edited(tmp_path, AUTH, edit("The login endpoint", "The endpoint"))
    offered = answer["details"]["candidates"][1]["old_string"]
    changed = offered.replace("The login endpoint", "The endpoint")
    assert edited(tmp_path, AUTH, edit(offered, changed))["success"] is True
    assert content(tmp_path) == AUTH.replace("The login endpoint answers", "The endpoint answers")


def test_overlapping_places_count_each(tmp_path: Path) -> None:
    assert edited(tmp_path, "aaa\n", edit("aa", "b"))["details"]["total"] == 2


@table("old", ["the login endpoint answers", "The login  endpoint answers", "endpoint answers 401. "])
def test_nothing_is_found_that_differs_in_one_character(tmp_path: Path, old: str) -> None:
    assert edited(tmp_path, AUTH, edit(old, "x"))["kind"] == "no-match"
    assert content(tmp_path) == AUTH


def test_the_first_edit_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"docs/auth.md": AUTH})
    edits = [edit("401", "403"), edit("nothing of the kind", "x"), edit("# Auth\n", "# Login\n")]
    answer = workspace.tools("article").call("edit_article", {"path": "docs/auth.md", "edits": edits})
    assert answer["error"].startswith("Edit 1: Text not found")
    assert answer["details"]["index"] == 1
    assert content(tmp_path) == AUTH
    assert workspace.history("docs/auth.md") == []


def test_an_edit_sees_what_the_ones_before_it_left(tmp_path: Path) -> None:
    answer = edited(tmp_path, "one\ntwo\none\n", edit("two\none", "two\nthree"), edit("one", "first"))
    assert answer["success"] is True
    assert content(tmp_path) == "first\ntwo\nthree\n"


@table("second", ["new", "ne", "new\ntwo", "zero\nnew"])
def test_an_edit_may_not_match_what_an_earlier_one_wrote(tmp_path: Path, second: str) -> None:
    answer = edited(tmp_path, "zero\none\ntwo\n", edit("one", "new"), edit(second, "x"))
    assert (answer["kind"], answer["details"]["earlier"]) == ("overlapping-edits", 0)
    assert answer["error"].startswith("Edit 1: ")
    assert "edit 0" in answer["message"]
    assert content(tmp_path) == "zero\none\ntwo\n"


def test_an_empty_new_text_deletes(tmp_path: Path) -> None:
    edited(tmp_path, AUTH, edit("| user | string | Yes |\n", ""))
    assert content(tmp_path) == AUTH.replace("| user | string | Yes |\n", "")


@table(
    ("broken", "field", "kind"),
    [
        (edit("", "x"), "edits[1].old_string", "bad-request"),
        (edit("401", "x", ""), "edits[1].reason", "reason-required"),
        (edit("401", "x", " \n"), "edits[1].reason", "reason-required"),
        ({"old_string": "401", "new_string": "x"}, "edits[1].reason", "bad-request"),
        ({"old_string": "401", "reason": "r"}, "edits[1].new_string", "bad-request"),
        ({"new_string": "401", "reason": "r"}, "edits[1].old_string", "bad-request"),
        ({**edit("401", "x"), "line": 3}, "edits[1].line", "bad-request"),
    ],
)
def test_a_field_that_is_missing_empty_or_unknown_is_named(
    tmp_path: Path, broken: dict[str, object], field: str, kind: str
) -> None:
    answer = edited(tmp_path, AUTH, edit("# Auth\n", "# Login\n"), broken)
    assert (answer["success"], answer["kind"], answer["details"]["path"]) == (False, kind, field)
    assert field in answer["error"]
    assert content(tmp_path) == AUTH


def test_no_edits_at_all_are_refused(tmp_path: Path) -> None:
    assert edited(tmp_path, AUTH)["kind"] == "bad-request"


def test_a_missing_file_is_reported_as_such_and_not_created(tmp_path: Path) -> None:
    answer = edited(tmp_path, AUTH, edit("a", "b"), path="docs/oauth.md")
    assert (answer["success"], answer["kind"]) == (False, "no-such-file")
    assert answer["error"].startswith("File not found: docs/oauth.md")
    assert answer["details"]["similar"] == ["docs/auth.md"]
    assert list(tree(tmp_path)) == ["docs/auth.md"]


def test_another_file_than_the_article_is_not_edited(tmp_path: Path) -> None:
    make(tmp_path, {"docs/other.md": "a\n"})
    answer = edited(tmp_path, AUTH, edit("a", "b"), path="docs/other.md", article="docs/auth.md")
    assert (answer["success"], answer["kind"]) == (False, "not-allowed")
    assert "docs/other.md" in answer["error"]
    assert "docs/auth.md" in answer["error"]
    assert (tmp_path / "docs/other.md").read_text() == "a\n"


@table("spelled", ["docs/auth.md", "./docs/auth.md", "docs//auth.md", "absolute"])
def test_the_article_is_known_however_it_is_spelled(tmp_path: Path, spelled: str) -> None:
    path = str(tmp_path / "docs/auth.md") if spelled == "absolute" else spelled
    answer = edited(tmp_path, AUTH, edit("401", "403"), path=path, article="docs/auth.md")
    assert (answer["success"], answer["path"]) == (True, path)


def test_a_way_around_the_article_is_not_taken(tmp_path: Path) -> None:
    make(tmp_path, {"secret/docs/auth.md": "401\n", "secret/x/y": ""})
    (tmp_path / "link").symlink_to("secret/x")
    for path in ("link/../docs/auth.md", "secret/docs/auth.md", "docs/auth.md/", "DOCS/auth.md"):
        answer = edited(tmp_path, AUTH, edit("401", "403"), path=path, article="docs/auth.md")
        assert answer["success"] is False
    assert (tmp_path / "secret/docs/auth.md").read_text() == "401\n"


def test_other_files_than_the_article_can_be_read(tmp_path: Path) -> None:
    kit = make(tmp_path, {"docs/auth.md": AUTH, "src/login.py": "def login(): ...\n"}).tools(
        "article", article="docs/auth.md"
    )
    assert kit.call("read_file", {"path": "src/login.py"})["success"] is True


def test_only_the_article_is_written_over_and_nothing_else_created(tmp_path: Path) -> None:
    kit = make(tmp_path, {"docs/auth.md": AUTH}).tools("article", article="docs/auth.md")
    kit.call("read_file", {"path": "docs/auth.md"})
    refused = kit.call("write_file", {"path": "docs/new.md", "content": "# New\n"})
    assert (refused["success"], refused["kind"]) == (False, "not-allowed")
    assert kit.call("write_file", {"path": "docs/auth.md", "content": "# Auth\n" * 9})["success"] is True
    assert list(tree(tmp_path)) == ["docs/auth.md"]


def test_without_an_article_any_file_can_be_edited_and_created(tmp_path: Path) -> None:
    kit = make(tmp_path, {"docs/a.md": "a\n"}).tools("article")
    assert kit.call("edit_article", {"path": "docs/a.md", "edits": [edit("a", "b")]})["success"] is True
    assert kit.call("write_file", {"path": "docs/b.md", "content": "# B\n"})["success"] is True


def test_the_tools_are_in_the_order_in_which_they_should_be_thought_of(tmp_path: Path) -> None:
    names = [tool.name for tool in make(tmp_path, {}).tools("article").tools]
    own = "read_file list_files search_files edit_article write_file review_feedback"
    assert names == [*own.split(), "impact_search", "impact_extract"]


ODD = {
    "CR LF": b"# A\r\n\r\none\r\ntwo\r\n",
    "a byte order mark": b"\xef\xbb\xbf# A\n\none\ntwo\n",
    "cp1252": b"# Caf\xe9 \x80\n\none\ntwo\n",
    "no final newline": b"# A\n\none\ntwo",
    "mixed line ends": b"# A\r\n\none\ntwo\r\n",
}


@table("before", ODD.values(), ids=ODD)
def test_every_other_byte_of_an_odd_file_stays(tmp_path: Path, before: bytes) -> None:
    answer = edited(tmp_path, before, edit("one\ntwo", "1\n2"))
    assert (answer["success"], "matchTiers" in answer) == (True, False)
    after = (tmp_path / "docs/auth.md").read_bytes()
    assert after == before.replace(b"one", b"1").replace(b"two", b"2")


def test_an_empty_file_has_no_text_to_find(tmp_path: Path) -> None:
    answer = edited(tmp_path, b"", edit("a", "b"))
    assert (answer["kind"], answer["details"]["content"]) == ("no-match", "")


def test_replacement_text_is_literal(tmp_path: Path) -> None:
    new = r"$& $1 \1 \n %s"
    edited(tmp_path, AUTH, edit("401", new))
    assert content(tmp_path) == AUTH.replace("401", new)


def test_edits_sent_as_a_string_or_singly_are_taken_and_reported(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.md": "a b\n"}).tools("article")
    single = kit.call("edit_article", {"file_path": "a.md", "edits": edit("a", "1")})
    assert (single["success"], len(single["repaired"])) == (True, 2)
    text = '[{"oldText": "b", "newText": "2", "reason": "r"}]'
    assert kit.call("edit_article", {"path": "a.md", "edits": text})["success"] is True
    assert (tmp_path / "a.md").read_text() == "1 2\n"


def test_a_lax_policy_of_the_host_does_not_make_it_lax(tmp_path: Path) -> None:
    policy = sh.Policy(tier=None, occurrence="first", partial=True, already="skip")
    kit = make(tmp_path, {"docs/auth.md": AUTH}, policy=policy).tools("article")
    for edits in ([edit("The login endpoint", "x")], [edit("401", "x"), edit("the LOGIN endpoint answers", "y")]):
        assert kit.call("edit_article", {"path": "docs/auth.md", "edits": edits})["success"] is False
    assert content(tmp_path) == AUTH


STATED = """---
jrn: AUTH
title: Log in
attention:
  - op: file
    path: src/auth/**
  - {op: symbol, path: "src/auth.py#login", keywords: [token]}
---

# Log in

One try.
"""


@table(
    ("old", "new"),
    [
        ("jrn: AUTH\n", ""),
        ("jrn: AUTH", "jrn: LOGIN"),
        ("  - op: file\n    path: src/auth/**\n", ""),
        ("src/auth/**", "src/login/**"),
        ("keywords: [token]", "keywords: [code]"),
        ("---\njrn: AUTH", "jrn: AUTH"),
        (STATED.partition("# Log in")[0], ""),
        ("attention:\n", "attentions:\n"),
    ],
)
def test_an_edit_that_loses_the_id_or_a_rule_is_refused(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "a.md").write_text(STATED)
    with sh.Workspace(tmp_path) as ws:
        kit = ws.tools("article", article="a.md")
        refused = kit.call("edit_article", {"path": "a.md", "edits": [edit(old, new)]})
        assert refused["kind"] in ("loses-attention", "breaks-syntax")
        kit.call("read_file", {"path": "a.md"})
        whole = kit.call("write_file", {"path": "a.md", "content": STATED.replace(old, new)})
        assert whole["kind"] in ("loses-attention", "breaks-syntax")
    assert (tmp_path / "a.md").read_text() == STATED


def test_the_rest_of_the_front_matter_may_change_and_rules_may_be_added(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(STATED)
    edits = [
        edit("title: Log in", "title: Sign in"),
        edit("  - op: file\n", "  - {op: key, path: app.yaml#tries}\n  - op: file\n"),
        edit("One try.", "Two tries."),
    ]
    with sh.Workspace(tmp_path) as ws:
        done = ws.tools("article", article="a.md").call("edit_article", {"path": "a.md", "edits": edits})
    assert done["success"] is True


def test_a_comment_that_carries_the_rules_is_kept_too(tmp_path: Path) -> None:
    page = "<!-- attention:\n  - {op: file, path: a.py}\n-->\n<h1>Page</h1>\n"
    (tmp_path / "a.html").write_text(page)
    with sh.Workspace(tmp_path) as ws:
        kit = ws.tools("article", article="a.html")
        refused = kit.call("edit_article", {"path": "a.html", "edits": [edit("{op: file, path: a.py}", "x")]})
        assert refused["kind"] == "loses-attention"
        assert kit.call("edit_article", {"path": "a.html", "edits": [edit("Page", "A page")]})["success"] is True


def test_outside_of_the_toolset_rules_are_edited_as_any_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(STATED)
    with sh.Workspace(tmp_path) as ws:
        ws.edit("a.md", [sh.Replace("src/auth/**", "src/login/**")])
        with pytest.raises(sh.EditError) as refused:
            ws.edit("a.md", [sh.Replace("jrn: AUTH\n", "")], policy=sh.Policy(guards=frozenset({"attention"})))
    assert refused.value.kind == "loses-attention"


def test_a_new_page_beside_the_article_is_the_hosts_to_allow(tmp_path: Path) -> None:
    (tmp_path / "docs/deep").mkdir(parents=True)
    for name in ("docs/a.md", "docs/b.md"):
        (tmp_path / name).write_text("text\n")
    with sh.Workspace(tmp_path) as ws:
        plain, allowing = (ws.tools("article", article="docs/a.md", allow_new=allowed) for allowed in (False, True))
        new = {"path": "docs/new.md", "content": "new\n"}
        assert plain.call("write_file", new)["kind"] == "not-allowed"
        assert "Do not write new files" in plain.prompt()
        assert "You may write new pages next to it" in allowing.prompt()
        assert allowing.call("write_file", new)["success"] is True
        allowing.call("read_file", {"path": "docs/b.md"})
        for elsewhere in ("new.md", "docs/deep/new.md", "docs/new.py", "docs/b.md", "docs/../x.md", "docs/new.md"):
            assert allowing.call("write_file", {"path": elsewhere, "content": "x\n"})["kind"] in (
                "not-allowed",
                "outside-root",
            ), elsewhere
    assert (tmp_path / "docs/b.md").read_text() == "text\n"
