"""The tools that several toolsets share: list, search, read and write, bounded, and saying when they are cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.tools import file_views
from steadyhand.tools.file_views import ENTRIES_AT_ONCE, HITS_USUALLY, LONGEST_LINE
from tests.table import table
from tests.tools.ground import make, tree


def kit(root: Path, files: dict[str, str | bytes], **options: Any) -> sh.Kit:
    return make(root, files, **options).tools("surgical")


def paths(answer: dict[str, Any]) -> list[str]:
    assert answer["success"] is True, answer
    return [entry["path"] for entry in answer["entries"]]


def hits(answer: dict[str, Any]) -> list[tuple[str, int, int]]:
    assert answer["success"] is True, answer
    return [(match["path"], match["line"], match["column"]) for match in answer["matches"]]


TREE: dict[str, str | bytes] = {
    ".gitignore": "*.log\nout/\n",
    "a.py": "import os\n",
    "b.log": "import os\n",
    "docs/guide.md": "os\n",
    "docs/deep/er/x.py": "",
    "out/a.js": "import os\n",
    "web/a.ts": "import os\n",
    "web/a.tsx": "",
}


def test_a_listing_is_in_the_order_of_a_tree_with_sizes_and_without_what_is_ignored(tmp_path: Path) -> None:
    answer = kit(tmp_path, TREE).call("list_files", {})
    assert answer["entries"] == [
        {"path": ".gitignore", "size": 11},
        {"path": "a.py", "size": 10},
        {"path": "docs/"},
        {"path": "docs/deep/"},
        {"path": "docs/deep/er/"},
        {"path": "docs/deep/er/x.py", "size": 0},
        {"path": "docs/guide.md", "size": 3},
        {"path": "web/"},
        {"path": "web/a.ts", "size": 10},
        {"path": "web/a.tsx", "size": 0},
    ]
    assert "cut" not in answer


NARROWED = [
    ({"depth": 1}, [".gitignore", "a.py", "docs/", "web/"]),
    ({"path": "docs", "depth": 1}, ["docs/deep/", "docs/guide.md"]),
    ({"path": "docs/"}, ["docs/deep/", "docs/deep/er/", "docs/deep/er/x.py", "docs/guide.md"]),
    ({"path": "./web"}, ["web/a.ts", "web/a.tsx"]),
    ({"path": "out"}, ["out/a.js"]),
    ({"glob": "*.py"}, ["a.py", "docs/deep/er/x.py"]),
    ({"glob": "/*.py"}, ["a.py"]),
    ({"glob": "docs/**/*.py"}, ["docs/deep/er/x.py"]),
    ({"glob": "deep/**/*.py", "path": "docs"}, ["docs/deep/er/x.py"]),
    ({"glob": "docs/deep/**/*.py", "path": "docs"}, ["docs/deep/er/x.py"]),
    ({"glob": "*.{ts,tsx}"}, ["web/a.ts", "web/a.tsx"]),
    ({"glob": "{web/a,docs/g*}.{ts,md}"}, ["docs/guide.md", "web/a.ts"]),
    ({"glob": "deep"}, ["docs/deep/"]),
    ({"glob": "nothing*"}, []),
]


@table(("arguments", "expected"), NARROWED)
def test_a_listing_is_narrowed_by_path_glob_and_depth(
    tmp_path: Path, arguments: dict[str, Any], expected: list[str]
) -> None:
    assert paths(kit(tmp_path, TREE).call("list_files", arguments)) == expected


REFUSED = [
    ("list_files", {"path": "a.py"}, "no-such-file"),
    ("list_files", {"path": "nowhere"}, "no-such-file"),
    ("list_files", {"path": "../"}, "outside-root"),
    ("list_files", {"path": ".steadyhand"}, "protected-path"),
    ("list_files", {"depth": 0}, "bad-request"),
    ("list_files", {"glob": ""}, "bad-request"),
    ("list_files", {"glob": "!*.py"}, "bad-request"),
    ("list_files", {"glob": "{a,b}" * 10}, "bad-request"),
    ("list_files", {"glob": "*" * 501}, "bad-request"),
    ("search_files", {"query": ""}, "bad-request"),
    ("search_files", {"query": "os", "path": "nowhere"}, "no-such-file"),
    ("search_files", {"query": "os", "path": "../x"}, "outside-root"),
    ("search_files", {"query": "os", "max": 0}, "bad-request"),
    ("search_files", {"query": "os", "max": 100_000}, "bad-request"),
    ("search_files", {"query": "os", "glob": "{a,b}" * 10}, "bad-request"),
]


@table(("tool", "arguments", "kind"), REFUSED)
def test_what_cannot_be_looked_through_is_refused(
    tmp_path: Path, tool: str, arguments: dict[str, Any], kind: str
) -> None:
    answer = kit(tmp_path, TREE).call(tool, arguments)
    assert (answer["success"], answer["kind"]) == (False, kind)
    assert answer["hint"]


def test_of_a_huge_tree_the_upper_levels_are_shown_and_the_cut_is_reported(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"d{number % 30}/f{number}.txt": "" for number in range(1_200)}
    hands = kit(tmp_path, files)
    answer = hands.call("list_files", {})
    assert sorted(paths(answer)) == sorted(f"d{number}/" for number in range(30))
    assert "1200 of 1230" in answer["cut"]
    chosen = hands.call("list_files", {"glob": "*.txt"})
    assert len(chosen["entries"]) == ENTRIES_AT_ONCE
    assert "200 of 1200" in chosen["cut"]
    assert len(paths(hands.call("list_files", {"path": "d3"}))) == 40


def test_a_walk_that_is_given_up_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = kit(tmp_path, {f"d{number}/f": "needle" for number in range(20)})
    monkeypatch.setattr(file_views, "_WALKED", 15)
    for answer in (hands.call("list_files", {}), hands.call("search_files", {"query": "needle"})):
        assert "15 entries" in answer["cut"]
    monkeypatch.undo()
    monkeypatch.setattr(file_views, "_SECONDS", 0)
    assert "seconds" in hands.call("list_files", {})["cut"]


def test_links_are_named_and_never_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("needle")
    root = tmp_path / "root"
    hands = kit(root, {"a/b.txt": "needle\n"})
    (root / "a" / "loop").symlink_to("..")
    (root / "out").symlink_to("../outside")
    (root / "itself").symlink_to("itself")
    (root / "twin.txt").symlink_to("a/b.txt")
    answer = hands.call("list_files", {})
    assert [entry["path"] for entry in answer["entries"] if entry.get("link")] == [
        "a/loop",
        "itself",
        "out",
        "twin.txt",
    ]
    assert hits(hands.call("search_files", {"query": "needle"})) == [("a/b.txt", 1, 1)]
    assert hands.call("search_files", {"query": "needle", "path": "out"})["kind"] == "outside-root"


def test_hits_are_shown_by_line_and_column(tmp_path: Path) -> None:
    text = "one two\r\ntwo two\rthree\n\n  two\u2028two"
    answer = kit(tmp_path, {"a.txt": text, "b.txt": "x"}).call("search_files", {"query": "two"})
    assert hits(answer) == [("a.txt", 1, 5), ("a.txt", 2, 1), ("a.txt", 5, 3)]
    assert [match["text"] for match in answer["matches"]] == ["one two", "two two", "  two\u2028two"]
    assert answer["filesSearched"] == 2


FOUND = [
    ({"query": "a.c"}, [(1, 1)]),
    ({"query": "a.c", "isRegex": True}, [(1, 1), (2, 3)]),
    ({"query": r"c$", "isRegex": True}, [(1, 3), (2, 5)]),
    ({"query": r"^\s*$", "isRegex": True}, [(3, 1)]),
    ({"query": "c\nx abc"}, [(1, 3)]),
    ({"query": "c\r\nx abc"}, [(1, 3)]),
    ({"query": r"\p{Lu}{2}", "isRegex": True}, [(4, 1)]),
    ({"query": r"[(?R){2}]Ä", "isRegex": True}, []),
    ({"query": r"\(\?R", "isRegex": True}, []),
    ({"query": "ABC"}, []),
]


@table(("arguments", "expected"), FOUND)
def test_a_query_is_a_text_or_a_pattern_within_a_line(
    tmp_path: Path, arguments: dict[str, Any], expected: list[tuple[int, int]]
) -> None:
    answer = kit(tmp_path, {"a.txt": "a.c\r\nx abc\r\n\r\nÄÖ\r\n"}).call("search_files", arguments)
    if arguments["query"].startswith("[(?R)"):
        assert answer["kind"] == "bad-request"
        return
    assert [place[1:] for place in hits(answer)] == expected


def test_a_search_is_narrowed_by_path_glob_and_ignore_rules(tmp_path: Path) -> None:
    hands = kit(tmp_path, TREE)
    found = {match["path"] for match in hands.call("search_files", {"query": "os"})["matches"]}
    assert found == {"a.py", "docs/guide.md", "web/a.ts"}
    assert hits(hands.call("search_files", {"query": "os", "glob": "*.{ts,js}"})) == [("web/a.ts", 1, 8)]
    assert hits(hands.call("search_files", {"query": "os", "path": "docs"})) == [("docs/guide.md", 1, 1)]
    assert hits(hands.call("search_files", {"query": "os", "path": "docs/guide.md"})) == [("docs/guide.md", 1, 1)]
    assert hits(hands.call("search_files", {"query": "os", "path": "b.log"})) == [("b.log", 1, 8)]


def test_secrets_and_what_is_no_text_are_passed_over(tmp_path: Path) -> None:
    files = {".env": "TOKEN=needle\n", "server.pem": "needle", "a.bin": b"\0\xff\xfeneedle\0", "a.txt": "needle"}
    hands = make(tmp_path, files, allow=[".env"]).tools("surgical")
    answer = hands.call("search_files", {"query": "needle"})
    assert hits(answer) == [("a.txt", 1, 1)]
    assert answer["filesSearched"] == 1
    assert "2 protected" in answer["leftOut"]
    assert "1 not text" in answer["leftOut"]
    for name, kind in ((".env", "protected-path"), ("server.pem", "protected-path"), ("a.bin", "not-text")):
        refused = hands.call("search_files", {"query": "needle", "path": name})
        assert refused["kind"] == kind
        assert "TOKEN" not in json.dumps(refused)


def test_kinds_of_files_that_the_host_leaves_out_are_not_searched(tmp_path: Path) -> None:
    hands = make(tmp_path, {"a.md": "x", "b.py": "x"}).tools("surgical", extensions=(".md",))
    answer = hands.call("search_files", {"query": "x"})
    assert hits(answer) == [("a.md", 1, 1)]
    assert "1 not allowed here" in answer["leftOut"]


def test_hits_are_bounded_and_the_cut_is_reported(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.txt": "x\n" * 5_000})
    assert len(hits(hands.call("search_files", {"query": "x"}))) == HITS_USUALLY
    answer = hands.call("search_files", {"query": "x", "max": 3})
    assert hits(answer) == [("a.txt", line, 1) for line in (1, 2, 3)]
    assert "first 3" in answer["cut"]


def test_a_long_line_is_cut_around_the_hit(tmp_path: Path) -> None:
    answer = kit(tmp_path, {"a.js": "x" * 5_000 + "needle" + "y" * 5_000}).call("search_files", {"query": "needle"})
    (match,) = answer["matches"]
    assert match["column"] == 5_001
    assert "needle" in match["text"]
    assert len(match["text"]) < 400
    assert match["text"].startswith("[4925 characters left out]…")
    assert match["text"].endswith("…[4781 characters left out]")


def test_of_a_very_long_line_a_pattern_sees_the_beginning_and_says_so(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.js": "x" * LONGEST_LINE + "needle"})
    answer = hands.call("search_files", {"query": "needl.", "isRegex": True})
    assert answer["matches"] == []
    assert str(LONGEST_LINE) in answer["leftOut"]
    assert len(hands.call("search_files", {"query": "needle"})["matches"]) == 1


BROKEN = [
    ("a(", 2), ("a)", 1), ("[a", 2), ("*a", 0), ("(?P<a", 5), (r"\p{Nonsense}", None), ("(?<=a", None),
]  # fmt: skip


@table(("pattern", "position"), BROKEN)
def test_a_broken_pattern_is_refused_with_its_position(tmp_path: Path, pattern: str, position: int | None) -> None:
    answer = kit(tmp_path, {"a.txt": "a"}).call("search_files", {"query": pattern, "isRegex": True})
    assert (answer["success"], answer["kind"]) == (False, "bad-request")
    if position is not None:
        assert answer["details"]["position"] == position


def test_a_pattern_that_never_ends_is_refused_as_too_slow(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.txt": "one\n" + "a" * 200 + "b\n"})
    answer = hands.call("search_files", {"query": "(a|aa)+$", "isRegex": True})
    assert (answer["success"], answer["kind"]) == (False, "timed-out")
    assert (answer["details"]["path"], answer["details"]["line"]) == ("a.txt", 2)


BOMBS = [
    "(a(?R)?b|(?R)c)", "(?P<x>a)(?&x)", "(a)(?1)", "(?:hello world){e<=10}", "(?:a){1i+1d<3}",
    "(a{1000}){1000}", "((((a{99}){99}){99}){99}){99}", "a{1,99999999}", "(?:(?:a?){99}){999}",
    "(?#[)([)]a{1000}){1000}(?#])", "(?x)(?: #[\n a{900}){900} #]",
    "(" * 400 + "a" + ")" * 400, "a" * 2_000,
]  # fmt: skip


@table("pattern", BOMBS)
def test_a_pattern_that_would_eat_the_memory_is_refused_before_it_is_read(tmp_path: Path, pattern: str) -> None:
    answer = kit(tmp_path, {"a.txt": "a"}).call("search_files", {"query": pattern, "isRegex": True})
    assert (answer["success"], answer["kind"]) == (False, "bad-request")


HARMLESS = [
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", r"\{e\}", r"f\(\?R\)",
    "(?i:a)(?-i:b)", "a{,3}", "x{1,1000}", "(?:(?:a|b)+|c)*", r"\p{L}+", "(?P<n>a)(?P=n)",
]  # fmt: skip


@table("pattern", HARMLESS)
def test_a_usual_pattern_is_taken(tmp_path: Path, pattern: str) -> None:
    answer = kit(tmp_path, {"a.txt": "none of them\n"}).call("search_files", {"query": pattern, "isRegex": True})
    assert answer["success"] is True, answer


def test_a_search_that_is_taken_back_ends(tmp_path: Path) -> None:
    hands = kit(tmp_path, {f"{number}.txt": "x" for number in range(9)})
    asked = []

    def tick() -> None:
        asked.append(1)
        if len(asked) == 4:
            raise EditError(Kind.CANCELLED, "taken back")

    assert hands.call("search_files", {"query": "x"}, tick=tick)["kind"] == "cancelled"
    assert len(asked) == 4


def test_a_search_that_takes_too_long_gives_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = kit(tmp_path, {f"{number}.txt": "x" for number in range(9)})
    monkeypatch.setattr(file_views, "_SEARCH_SECONDS", -1)
    answer = hands.call("search_files", {"query": "y"})
    assert answer["success"] is True
    assert "time" in answer["cut"]
    assert answer["filesSearched"] == 1
    monkeypatch.undo()
    monkeypatch.setattr(file_views, "_MOST_BYTES", 3)
    assert "amount" in hands.call("search_files", {"query": "y"})["cut"]


def test_a_line_that_a_search_showed_counts_as_read_and_no_other(tmp_path: Path) -> None:
    """The guard for unseen text knows exactly what a task was shown."""
    lines = [f"line {number}" for number in range(1, 21)]
    workspace = make(tmp_path, {"a.txt": "\n".join(lines) + "\n"}, task="T")
    guarded = sh.Policy(guards=frozenset({"unseen"}))
    workspace.tools("surgical").call("search_files", {"query": "line 1", "path": "a.txt", "max": 3})
    with pytest.raises(EditError) as refused:
        workspace.edit("a.txt", sh.Replace(sh.Lines(12, 12), "x\n"), policy=guarded)
    assert refused.value.kind is Kind.UNSEEN_TEXT
    workspace.edit("a.txt", sh.Replace(sh.Lines(11, 11), "x\n"), policy=guarded)
    with pytest.raises(EditError) as refused:
        workspace.edit("a.txt", sh.Replace(sh.Lines(2, 2), "x\n"), policy=guarded)
    assert refused.value.kind is Kind.UNSEEN_TEXT


def test_a_file_whose_every_line_was_a_hit_may_be_written_over(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": "x 1\nx 2\n", "b.txt": "x 1\ny\n"}, task="T")
    hands = workspace.tools("surgical")
    hands.call("search_files", {"query": "x"})
    assert hands.call("write_file", {"path": "a.txt", "content": "z\n"})["success"] is True
    assert hands.call("write_file", {"path": "b.txt", "content": "z\n"})["kind"] == "stale-source"


def test_a_file_is_written_when_it_is_new_read_or_named_by_its_hash(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"old.txt": "one\n"})
    new = hands.call("write_file", {"path": "new/a.txt", "content": "a\nb", "reason": "made"})
    assert (new["success"], new["lines"]) == (True, {"start": 1, "end": 2})
    assert new["context"] == {"beforeLines": [], "afterLines": []}
    refused = hands.call("write_file", {"path": "old.txt", "content": "two\n"})
    assert (refused["kind"], tree(tmp_path)["old.txt"]) == ("stale-source", b"one\n")
    stale = hands.call("write_file", {"path": "old.txt", "content": "two\n", "expectedHash": "0" * 16})
    assert stale["kind"] == "stale-source"
    known = hands.call("read_file", {"path": "old.txt"})["fileHash"]
    assert hands.call("write_file", {"path": "old.txt", "content": "two\n"})["success"] is True
    stale = hands.call("write_file", {"path": "old.txt", "content": "three\n", "expectedHash": known})
    assert (stale["kind"], tree(tmp_path)["old.txt"]) == ("stale-source", b"two\n")
    (entry, *_) = hands.workspace.history("new/a.txt")
    assert (entry.record.tool, entry.record.reason, entry.record.id) == ("write_file", "made", new["id"])


def test_a_write_that_drops_most_of_a_file_needs_leave(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.txt": "line\n" * 100})
    known = hands.call("read_file", {"path": "a.txt"})["fileHash"]
    stub = {"path": "a.txt", "content": "stub\n", "expectedHash": known}
    assert hands.call("write_file", stub)["kind"] == "suspicious-shrink"
    assert hands.call("write_file", stub | {"allow_shrink": True})["success"] is True


def test_a_write_with_the_hosts_leave_needs_neither_hash_nor_a_read(tmp_path: Path) -> None:
    hands = make(tmp_path, {"a.txt": "line\n" * 100}).tools("surgical", overwrite=True, allow_shrink=True)
    assert hands.call("write_file", {"path": "a.txt", "content": ""})["lines"] == {"start": 1, "end": 0}


def test_a_file_is_read_in_pages_that_say_what_is_left_out(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.txt": "".join(f"{number}\n" for number in range(1, 5_001)), "wide.txt": "x" * 9_000})
    first = hands.call("read_file", {"path": "a.txt"})
    assert (first["totalLines"], first["content"].count("\n")) == (5_000, 1_999)
    assert "start 2001" in first["leftOut"]
    last = hands.call("read_file", {"path": "a.txt", "start": 4_999, "end": 9_999})
    assert last["content"] == "4999: 4999\n5000: 5000"
    assert hands.call("read_file", {"path": "a.txt", "start": 5_001})["kind"] == "out-of-bounds"
    assert hands.call("read_file", {"path": "a.txt", "start": 3, "end": 2})["kind"] == "bad-request"
    wide = hands.call("read_file", {"path": "wide.txt"})
    assert len(wide["content"]) < 3_000
    assert "cut" in wide["leftOut"]


def test_only_the_lines_that_were_shown_count_as_read(tmp_path: Path) -> None:
    hands = make(tmp_path, {"a.txt": "one\ntwo\nthree\n"}, task="T").tools("surgical")
    hands.call("read_file", {"path": "a.txt", "end": 2})
    assert hands.call("write_file", {"path": "a.txt", "content": "x\n"})["kind"] == "stale-source"
    hands.call("read_file", {"path": "a.txt", "start": 3})
    assert hands.call("write_file", {"path": "a.txt", "content": "x\n"})["success"] is True


def test_a_line_that_was_cut_does_not_count_as_read(tmp_path: Path) -> None:
    hands = make(tmp_path, {"a.txt": "one\n" + "x" * 5_000 + "\n", "empty.txt": ""}, task="T").tools("surgical")
    known = hands.call("read_file", {"path": "a.txt"})["fileHash"]
    assert hands.call("write_file", {"path": "a.txt", "content": "x\n"})["kind"] == "stale-source"
    assert hands.call("write_file", {"path": "a.txt", "content": "x\n", "expectedHash": known})["success"] is True
    hands.call("read_file", {"path": "empty.txt"})
    assert hands.call("write_file", {"path": "empty.txt", "content": "x\n"})["success"] is True


@table("toolset", ["article", "coder"])
def test_read_file_and_write_file_belong_to_these_toolsets_too(tmp_path: Path, toolset: str) -> None:
    names = {tool.name for tool in make(tmp_path, {}).tools(toolset).tools}
    assert {"read_file", "write_file"} <= names
    assert ({"list_files", "search_files"} <= names) is (toolset == "article")
