"""`TextInspect`: what a file is made of, where a text is in it, its lines, its hash, and what counts as read."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import steadyhand as sh
from tests.table import table
from tests.tools.ground import make

GUIDE = """---
title: Guide  # not a heading
tags: [a, b]
---

# Guide

See [the setup](#setup "there") and ![a picture](img/a.png).

## Setup

```sh
# no heading
run
```

| Option | Meaning |
|--------|---------|
| `-v`   | [more](more.md) |

Older
-----

A [[Page|page]] and [a label][l] and `[no](link)`.

## Setup

[l]: https://example.org/l
"""


def inspected(
    root: Path, text: str | bytes, mode: str = "structure", name: str = "g.md", **more: Any
) -> dict[str, Any]:
    return make(root, {name: text}).tools("vault").call("TextInspect", {"filePath": name, "mode": mode, **more})


def test_the_structure_of_markdown_has_everything_that_can_be_addressed(tmp_path: Path) -> None:
    answer = inspected(tmp_path, GUIDE)
    assert (answer["status"], answer["filePath"], answer["format"]) == ("success", "g.md", "markdown")
    assert (answer["totalLines"], answer["fileSize"]) == (GUIDE.count("\n"), len(GUIDE))
    assert answer["frontMatter"] == {"format": "yaml", "startLine": 1, "endLine": 4, "keys": ["title", "tags"]}
    assert answer["headings"] == [
        {"level": 1, "text": "Guide", "line": 6, "path": "Guide", "nth": 1},
        {"level": 2, "text": "Setup", "line": 10, "path": "Guide > Setup", "nth": 1},
        {"level": 2, "text": "Older", "line": 21, "path": "Guide > Older", "nth": 1},
        {"level": 2, "text": "Setup", "line": 26, "path": "Guide > Setup", "nth": 2},
    ]
    assert answer["sections"][1] == {"path": "Guide > Setup", "startLine": 10, "endLine": 20}
    assert answer["codeBlocks"] == [{"index": 0, "language": "sh", "startLine": 12, "endLine": 15}]
    assert answer["tables"] == [{"index": 0, "columns": 2, "startLine": 17, "endLine": 19}]
    assert [(link["line"], link["kind"], link["text"], link["target"]) for link in answer["links"]] == [
        (8, "link", "the setup", "#setup"),
        (8, "image", "a picture", "img/a.png"),
        (19, "link", "more", "more.md"),
        (24, "wiki", "page", "Page"),
        (24, "link", "a label", "https://example.org/l"),
    ]


def test_the_path_and_number_of_every_heading_lead_back_to_it(tmp_path: Path) -> None:
    text = "# A\n\n## N\n\n### N\n\n# A\n\n## N\n\n## N\n\n> # A\n\n- # N\n"
    workspace = make(tmp_path, {"g.md": text})
    answer = workspace.tools("vault").call("TextInspect", {"filePath": "g.md", "mode": "structure"})
    assert len(answer["headings"]) == 8
    for heading in answer["headings"]:
        (place,) = workspace.locate("g.md", sh.Heading(heading["path"], nth=heading["nth"], part="line"))
        assert place.lines[0] == heading["line"]


def test_the_structure_has_a_hash_of_sixteen_hex_digits(tmp_path: Path) -> None:
    answer = inspected(tmp_path, GUIDE)
    assert re.fullmatch("[0-9a-f]{16}", answer["fileHash"])
    assert answer["fileHash"] == hashlib.sha256(GUIDE.encode()).hexdigest()[:16]


@table("mode", ["structure", "search", "lines"])
def test_the_hash_is_the_same_for_the_same_content_and_another_for_another(tmp_path: Path, mode: str) -> None:
    more = {"query": "Setup"} if mode == "search" else {}
    first, again = (inspected(tmp_path / each, GUIDE, mode, **more)["fileHash"] for each in ("a", "b"))
    other = inspected(tmp_path / "c", GUIDE + "\n", mode, **more)["fileHash"]
    assert first == again != other


def test_a_hash_notices_what_lines_do_not(tmp_path: Path) -> None:
    texts = (b"a\nb\n", b"a\r\nb\r\n", b"a\nb", b"\xef\xbb\xbfa\nb\n")
    assert len({inspected(tmp_path / str(at), text)["fileHash"] for at, text in enumerate(texts)}) == len(texts)


@table(
    ("name", "text", "format", "first"),
    [
        ("a.json", '{"a": {"b": 1}}', "json", {"address": "key:a", "kind": "key", "startLine": 1, "endLine": 1}),
        ("a.yaml", "x: 1\na:\n  b: 1\n", "yaml", {"address": "key:x", "kind": "key", "startLine": 1, "endLine": 1}),
        ("a.toml", "[a]\nb = 1\n", "toml", {"address": "key:a", "startLine": 1, "endLine": 2}),
        ("a.html", "<main>\n<p id=x>y</p>\n</main>\n", "html", {"address": "selector:main", "endLine": 3}),
        ("a.ini", "[a]\nb = 1\n", "ini", {"address": "key:a"}),
    ],
)
def test_other_formats_have_an_outline_of_addresses(
    tmp_path: Path, name: str, text: str, format: str, first: dict[str, object]
) -> None:
    answer = inspected(tmp_path, text, name=name)
    assert answer["format"] == format
    assert first.items() <= answer["outline"][0].items()
    assert set(answer["outline"][0]) == {"address", "kind", "startLine", "endLine"}
    assert "headings" not in answer


@table("name", ["a.txt", "a.csv", "a.log", "a.rst", "a.xml"])
def test_a_text_without_structure_has_an_empty_outline(tmp_path: Path, name: str) -> None:
    answer = inspected(tmp_path, "# one\ntwo\n", name=name)
    assert (answer["status"], answer["format"], answer["outline"]) == ("success", "text", [])


def test_a_file_that_does_not_parse_is_shown_with_its_hash(tmp_path: Path) -> None:
    answer = inspected(tmp_path, '{"a": [1,}', name="a.json")
    assert (answer["status"], answer["outline"]) == ("success", [])
    assert "line 1" in answer["problem"]
    assert answer["fileHash"]


def test_front_matter_that_does_not_parse_is_shown_beside_the_headings(tmp_path: Path) -> None:
    answer = inspected(tmp_path, "---\na: [\n---\n\n# H\n")
    assert answer["frontMatter"]["problem"]
    assert [heading["text"] for heading in answer["headings"]] == ["H"]


def test_a_long_structure_is_cut_and_says_how_to_go_on(tmp_path: Path) -> None:
    text = "".join(f"# H{number}\n\n" for number in range(250))
    kit = make(tmp_path, {"g.md": text}).tools("vault")
    answer = kit.call("TextInspect", {"filePath": "g.md", "mode": "structure"})
    assert len(answer["headings"]) == 100
    assert "headings from line 201 on" in answer["leftOut"]
    rest = kit.call("TextInspect", {"filePath": "g.md", "mode": "structure", "start": 201})
    assert rest["headings"][0]["text"] == "H100"


def test_a_search_tells_line_column_text_context_and_heading_of_each_hit(tmp_path: Path) -> None:
    answer = inspected(tmp_path, GUIDE, "search", query="run")
    assert answer["totalMatches"] == 1
    assert answer["matches"] == [
        {
            "line": 14,
            "column": 1,
            "text": "run",
            "context": {"beforeLines": ["# no heading"], "afterLines": ["```"]},
            "heading": "Guide > Setup",
        }
    ]


def test_hits_are_counted_as_occurrences_are(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": "aaaaa aa\n"}).tools("vault")
    found = kit.call("TextInspect", {"filePath": "a.txt", "mode": "search", "query": "aa"})
    assert [hit["column"] for hit in found["matches"]] == [1, 3, 7]
    replaced = kit.call("TextReplace", {"filePath": "a.txt", "oldText": "aa", "newText": "b"})
    assert replaced["occurrencesFound"] == found["totalMatches"]


def test_hits_beyond_the_first_fifty_are_counted_and_not_shown(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": "x\n" * 120}).tools("vault")
    answer = kit.call("TextInspect", {"filePath": "a.txt", "mode": "search", "query": "x"})
    assert (answer["totalMatches"], len(answer["matches"])) == (120, 50)
    assert "70 matches behind line 50" in answer["leftOut"]
    rest = kit.call("TextInspect", {"filePath": "a.txt", "mode": "search", "query": "x", "start": 101, "end": 110})
    assert [hit["line"] for hit in rest["matches"]] == list(range(101, 111))


def test_a_query_may_span_lines_and_does_not_mind_how_they_end(tmp_path: Path) -> None:
    answer = inspected(tmp_path, "a\r\nb c\r\nd\r\n", "search", name="a.txt", query="c\nd")
    assert [(hit["line"], hit["column"]) for hit in answer["matches"]] == [(2, 3)]


def test_a_regular_expression_is_looked_for_within_lines(tmp_path: Path) -> None:
    answer = inspected(tmp_path, "port 80\r\nport x\r\nport 8080\r\n", "search", query=r"^port \d+$", isRegex=True)
    assert [hit["line"] for hit in answer["matches"]] == [1, 3]


def test_without_is_regex_a_query_is_literal(tmp_path: Path) -> None:
    answer = inspected(tmp_path, "a.c\nabc\n", "search", query="a.c")
    assert [hit["line"] for hit in answer["matches"]] == [1]


def test_a_text_that_is_in_another_case_only_is_noted(tmp_path: Path) -> None:
    answer = inspected(tmp_path, "# Setup\n\nsetup\n", "search", query="SETUP")
    assert (answer["status"], answer["totalMatches"], answer["matches"]) == ("success", 0, [])
    assert "line 1, 3" in answer["note"]


@table("query", ["(", "[a", "a{2,1}", "(?P<n>a)(?P<n", "(?R)"])
def test_a_broken_pattern_is_refused(tmp_path: Path, query: str) -> None:
    answer = inspected(tmp_path, GUIDE, "search", query=query, isRegex=True)
    assert (answer["status"], answer["kind"]) == ("error", "bad-request")


def test_a_pattern_that_would_never_end_is_given_up(tmp_path: Path) -> None:
    answer = inspected(tmp_path, "a" * 5_000 + "b\n", "search", query=r"(a|aa)+(a|aa)+(a|aa)+$", isRegex=True)
    assert (answer["status"], answer["kind"]) == ("error", "timed-out")


def test_a_hit_in_a_long_line_is_shown_with_what_is_around_it(tmp_path: Path) -> None:
    answer = inspected(tmp_path, "x" * 9_000 + "needle" + "y" * 9_000 + "\n", "search", query="needle")
    (hit,) = answer["matches"]
    assert hit["column"] == 9_001
    assert "needle" in hit["text"]
    assert hit["text"].endswith("characters left out]")
    assert len(hit["text"]) <= 360


def test_lines_come_numbered_and_in_pages(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": "".join(f"l{line}\n" for line in range(1, 4_001))}).tools("vault")
    answer = kit.call("TextInspect", {"filePath": "a.txt", "mode": "lines"})
    assert (len(answer["lines"]), answer["lines"][0], answer["totalLines"]) == (2_000, "1: l1", 4_000)
    assert "start 2001" in answer["leftOut"]
    rest = kit.call("TextInspect", {"filePath": "a.txt", "mode": "lines", "start": 3_999, "end": 9_999})
    assert rest["lines"] == ["3999: l3999", "4000: l4000"]


@table(
    ("arguments", "kind"),
    [
        ({"mode": "search"}, "bad-request"),
        ({"mode": "search", "query": ""}, "bad-request"),
        ({"mode": "lines", "query": "x"}, "bad-request"),
        ({"mode": "structure", "query": "x"}, "bad-request"),
        ({"mode": "lines", "start": 5, "end": 2}, "bad-request"),
        ({"mode": "lines", "start": 9_999}, "out-of-bounds"),
        ({"mode": "lines", "start": 0}, "bad-request"),
        ({"mode": "everything"}, "bad-request"),
        ({}, "bad-request"),
    ],
)
def test_a_call_that_makes_no_sense_is_refused(tmp_path: Path, arguments: dict[str, object], kind: str) -> None:
    answer = make(tmp_path, {"g.md": GUIDE}).tools("vault").call("TextInspect", {"filePath": "g.md", **arguments})
    assert (answer["status"], answer["kind"]) == ("error", kind)


def blind(root: Path, text: str) -> tuple[sh.Workspace, sh.Kit]:
    """A workspace in which nothing may be written over that was not read."""
    guards = frozenset({"unseen"})
    workspace = make(root, {"a.md": text}, policy=sh.Policy(guards=guards), task="T-1")
    return workspace, workspace.tools("vault")


def patch_line(kit: sh.Kit, line: int) -> dict[str, Any]:
    target = {"lines": {"start": line, "end": line}}
    return kit.call("TextPatch", {"filePath": "a.md", "operation": "replace", "target": target, "content": "new"})


@table(
    ("look", "seen", "unseen"),
    [
        ({"mode": "lines", "start": 3, "end": 4}, 4, 9),
        ({"mode": "search", "query": "row 7"}, 8, 3),
        ({"mode": "search", "query": "row [37]$", "isRegex": True}, 4, 5),
    ],
)
def test_lines_and_hits_that_were_shown_count_as_read_and_others_do_not(
    tmp_path: Path, look: dict[str, object], seen: int, unseen: int
) -> None:
    _, kit = blind(tmp_path, "".join(f"row {line}\n" for line in range(1, 11)))
    assert patch_line(kit, seen)["kind"] == "unseen-text"
    assert kit.call("TextInspect", {"filePath": "a.md", **look})["status"] == "success"
    assert patch_line(kit, unseen)["kind"] == "unseen-text"
    assert patch_line(kit, seen)["status"] == "success"


def test_a_structure_shows_no_text_and_counts_as_nothing_read(tmp_path: Path) -> None:
    _, kit = blind(tmp_path, "# A\n\ntext\n")
    kit.call("TextInspect", {"filePath": "a.md", "mode": "structure"})
    assert patch_line(kit, 3)["kind"] == "unseen-text"


def test_inspecting_changes_nothing_and_works_where_nothing_may_be_changed(tmp_path: Path) -> None:
    (tmp_path / "g.md").write_text(GUIDE)
    kit = make(tmp_path, {}, mode="research").tools("vault")
    assert [tool.name for tool in kit.tools] == ["TextInspect"]
    for arguments in ({"mode": "structure"}, {"mode": "search", "query": "run"}, {"mode": "lines"}):
        assert kit.call("TextInspect", {"filePath": "g.md", **arguments})["status"] == "success"
    refused = kit.call("TextReplace", {"filePath": "g.md", "oldText": "run", "newText": "x"})
    assert (refused["status"], refused["kind"]) == ("error", "not-allowed")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.md"]
