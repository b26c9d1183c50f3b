"""The vault's files: which kinds may be used, where they may lie, and odd ones, whose other bytes all stay."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.tools.toolsets import toolset_named
from tests.table import table
from tests.tools.ground import make, tree

CALLS: dict[str, dict[str, Any]] = {
    "TextInspect": {"mode": "structure"},
    "TextReplace": {"oldText": "a", "newText": "b"},
    "TextPatch": {"operation": "replace", "target": {"lines": {"start": 1, "end": 1}}, "content": "b"},
}
ALLOWED = "md markdown txt rst json jsonc yaml yml toml ini conf cfg html htm css csv tsv xml log".split()


@table("tool", CALLS)
@table("name", ["run.sh", "a.py", "a.md.bak", "md", ".md", "a", "a.env.example", "x/.env.sample"])
def test_a_kind_of_file_that_is_not_allowed_is_refused_with_those_that_are(
    tmp_path: Path, tool: str, name: str
) -> None:
    kit = make(tmp_path, {name: "a\n"}).tools("vault")
    answer = kit.call(tool, {"filePath": name, **CALLS[tool]})
    assert (answer["status"], answer["kind"]) == ("error", "not-allowed")
    assert answer["hint"] == f"allowed: {' '.join(toolset_named('vault').extensions or ())}"
    assert "extensions" not in answer["details"]  # the hint lists them
    assert tree(tmp_path) == {name: b"a\n"}


@table("name", [*(f"a.{ending}" for ending in ALLOWED), "A.MD", "x.y.md", ".env.example", "d/.env.example"])
def test_every_allowed_kind_of_file_can_be_edited(tmp_path: Path, name: str) -> None:
    text = {"json": '{"k": "a"}\n', "html": "<p>a</p>\n", "toml": 'k = "a"\n', "xml": "<a/>\n"}.get(name[-4:], "k: a\n")
    text = "K=a\n" if name.endswith(".env.example") else text
    kit = make(tmp_path, {name: text}).tools("vault")
    assert kit.call("TextInspect", {"filePath": name, "mode": "lines"})["status"] == "success"
    answer = kit.call("TextReplace", {"filePath": name, "oldText": "a", "newText": "b", "occurrence": "last"})
    assert answer["status"] == "success"


def test_the_host_may_allow_other_kinds(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.py": "a\n", "a.md": "a\n", "p.html.j2": "a\n"}).tools(
        "vault", extensions=("py", ".html.j2")
    )
    for name, status in (("a.py", "success"), ("p.html.j2", "success"), ("a.md", "error")):
        assert kit.call("TextReplace", {"filePath": name, "oldText": "a", "newText": "b"})["status"] == status


def test_a_workspace_that_takes_fewer_kinds_is_a_wall_of_its_own(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": "a\n"}, extensions=(".md",)).tools("vault")
    answer = kit.call("TextReplace", {"filePath": "a.txt", "oldText": "a", "newText": "b"})
    assert (answer["status"], answer["kind"]) == ("error", "not-allowed")


@table("tool", CALLS)
def test_a_link_does_not_lead_to_a_kind_of_file_that_is_not_allowed(tmp_path: Path, tool: str) -> None:
    make(tmp_path, {"run.sh": "a\n"})
    os.symlink("run.sh", tmp_path / "run.md")
    answer = make(tmp_path, {}).tools("vault").call(tool, {"filePath": "run.md", **CALLS[tool]})
    assert (answer["status"], answer["kind"]) == ("error", "not-allowed")
    assert (tmp_path / "run.sh").read_text() == "a\n"


@table("tool", CALLS)
@table("path", ["../a.md", "/etc/a.md", "x/../../a.md", "..%2fa.md", "a\0.md", "link/a.md"])
def test_a_path_that_leads_out_of_the_vault_is_refused(tmp_path: Path, tool: str, path: str) -> None:
    root, outside = tmp_path / "vault", tmp_path / "a.md"
    make(root, {"b.md": "b\n"})
    outside.write_text("a\n")
    os.symlink(tmp_path, root / "link")
    answer = make(root, {}).tools("vault").call(tool, {"filePath": path, **CALLS[tool]})
    assert (answer["status"], answer["kind"] in ("outside-root", "bad-request")) == ("error", True)
    assert outside.read_text() == "a\n"


@table("tool", CALLS)
def test_a_file_that_is_not_there_is_refused_with_the_names_like_it(tmp_path: Path, tool: str) -> None:
    answer = make(tmp_path, {"notes.md": "a\n"}).tools("vault").call(tool, {"filePath": "note.md", **CALLS[tool]})
    assert (answer["kind"], answer["details"]["similar"]) == ("no-such-file", ["notes.md"])
    assert list(tree(tmp_path)) == ["notes.md"]


SECTIONS = b"# A\n\nold\n\n## B\n\nb\n"
ODD = {
    "CR LF": SECTIONS.replace(b"\n", b"\r\n"),
    "a byte order mark": b"\xef\xbb\xbf" + SECTIONS,
    "cp1252": b"# A\n\n\x93caf\xe9\x94 costs 5 \x80\n\nold\n\n## B\n\nb\n",
    "UTF-16": b"\xff\xfe" + SECTIONS.decode().encode("utf-16-le"),
    "no final newline": SECTIONS.rstrip(b"\n"),
    "trailing blanks": SECTIONS.replace(b"## B", b"## B  ").replace(b"# A\n", b"# A\t\n"),
    "setext headings": b"A\n=\n\nold\n\nB\n-\n\nb\n",
    "front matter with hashes": b"---\n# A\ntitle: x # y\n---\n\n# A\n\nold\n\n## B\n\nb\n",
    "headings in fences": b"~~~\n# A\n## B\n~~~\n\n# A\n\nold\n\n## B\n\nb\n",
    "headings with emoji": "# \U0001f680 A\n\nold\n\n## B \u2728\n\nb\n".encode(),
    "mixed line ends": b"# A\r\n\r\nold\n\n## B\r\n\nb\n",
}


def encoded(text: str, like: bytes) -> bytes:
    return text.encode("utf-16-le" if like.startswith(b"\xff\xfe") else "ascii")


@table("before", ODD.values(), ids=ODD)
def test_text_is_replaced_in_odd_files_and_every_other_byte_stays(tmp_path: Path, before: bytes) -> None:
    kit = make(tmp_path, {"a.md": before}).tools("vault")
    answer = kit.call("TextReplace", {"filePath": "a.md", "oldText": "old", "newText": "new"})
    assert (answer["status"], answer["occurrencesFound"]) == ("success", 1)
    assert (tmp_path / "a.md").read_bytes() == before.replace(encoded("old", before), encoded("new", before))


@table("before", ODD.values(), ids=ODD)
def test_a_section_of_an_odd_file_is_patched_and_every_other_byte_stays(tmp_path: Path, before: bytes) -> None:
    kit = make(tmp_path, {"a.md": before}).tools("vault")
    heading = "B \u2728" if "\u2728".encode() in before else "B"
    call = {"filePath": "a.md", "operation": "replace", "target": {"heading": heading}, "content": "new\n"}
    assert kit.call("TextPatch", call)["status"] == "success"
    head, tail, end = before.rpartition(encoded("b", before))
    assert (tmp_path / "a.md").read_bytes() == head + encoded("new", before) + end
    assert tail


@table("before", ODD.values(), ids=ODD)
def test_what_is_appended_to_a_section_of_an_odd_file_takes_its_line_ends(tmp_path: Path, before: bytes) -> None:
    kit = make(tmp_path, {"a.md": before}).tools("vault")
    heading = "B \u2728" if "\u2728".encode() in before else "B"
    call = {"filePath": "a.md", "operation": "insert", "target": {"appendToSection": heading}, "content": "x\ny"}
    assert kit.call("TextPatch", call)["status"] == "success"
    after = (tmp_path / "a.md").read_bytes()
    stem = before.rstrip(b"\r\n\0")
    assert after.startswith(stem)
    added = after[len(stem) :]
    assert [row.strip() for row in _text(added).split("\n") if row.strip()] == ["x", "y"]
    assert added.count(b"\r") == (added.count(b"\n") if before.endswith(b"\r\n") else 0)


def _text(data: bytes) -> str:
    return data.replace(b"\0", b"").decode("latin-1").replace("\r\n", "\n")


@table("before", ODD.values(), ids=ODD)
def test_an_odd_file_has_the_headings_a_reader_sees(tmp_path: Path, before: bytes) -> None:
    kit = make(tmp_path, {"a.md": before}).tools("vault")
    answer = kit.call("TextInspect", {"filePath": "a.md", "mode": "structure"})
    assert [heading["text"].strip("\U0001f680\u2728 ") for heading in answer["headings"]] == ["A", "B"]
    assert answer["fileSize"] == len(before)


def test_an_empty_file_can_be_inspected_and_filled(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.md": b""}).tools("vault")
    for mode, field in (("structure", "headings"), ("lines", "lines")):
        answer = kit.call("TextInspect", {"filePath": "a.md", "mode": mode})
        assert (answer["status"], answer["totalLines"], answer[field]) == ("success", 0, [])
    assert kit.call("TextInspect", {"filePath": "a.md", "mode": "search", "query": "x"})["totalMatches"] == 0
    assert kit.call("TextReplace", {"filePath": "a.md", "oldText": "x", "newText": "y"})["kind"] == "no-match"
    call = {"filePath": "a.md", "operation": "insert", "target": {"lines": {"start": 1}}, "content": "# A\n"}
    assert kit.call("TextPatch", call)["affectedLines"] == {"start": 1, "end": 1}
    assert (tmp_path / "a.md").read_bytes() == b"# A\n"


def test_a_character_that_the_encoding_does_not_have_is_refused(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": ODD["cp1252"]}).tools("vault")
    answer = kit.call("TextReplace", {"filePath": "a.txt", "oldText": "old", "newText": "\u4e2d"})
    assert (answer["status"], answer["kind"]) == ("error", "unencodable")
    assert (tmp_path / "a.txt").read_bytes() == ODD["cp1252"]


def test_an_old_text_with_line_feeds_finds_its_twin_with_crlf(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": b"one\r\ntwo\r\none\r\ntwo\r\n"}).tools("vault")
    call = {"filePath": "a.txt", "oldText": "one\ntwo", "newText": "1\n2", "occurrence": "2"}
    answer = kit.call("TextReplace", call)
    assert (answer["occurrencesFound"], answer["note"]) == (2, "oldText still matches 1 other place: line 1")
    assert (tmp_path / "a.txt").read_bytes() == b"one\r\ntwo\r\n1\r\n2\r\n"


@pytest.fixture
def large(tmp_path: Path) -> tuple[sh.Kit, bytes]:
    """Five megabytes: fifty sections, each with one long paragraph."""
    paragraph = b"word " * 20_000
    data = b"".join(b"## Section %d\n\n%s\n\n" % (number, paragraph) for number in range(50))
    return make(tmp_path, {"large.md": data}).tools("vault"), data


def test_a_file_of_five_megabytes_is_inspected_and_edited(large: tuple[sh.Kit, bytes], tmp_path: Path) -> None:
    kit, data = large
    look = {"filePath": "large.md"}
    assert len(kit.call("TextInspect", {**look, "mode": "structure"})["headings"]) == 50
    found = kit.call("TextInspect", {**look, "mode": "search", "query": "Section 4"})
    assert [hit["line"] for hit in found["matches"]][:2] == [17, 161]
    replaced = kit.call("TextReplace", {**look, "oldText": "## Section 49\n", "newText": "## Last\n"})
    assert replaced["affectedLines"] == {"start": 197, "end": 197}
    target = {"appendToSection": "Last"}
    patched = kit.call("TextPatch", {**look, "operation": "insert", "target": target, "content": "The end."})
    assert patched["status"] == "success"
    assert (tmp_path / "large.md").read_bytes() == data.replace(b"Section 49", b"Last").rstrip(
        b"\n"
    ) + b"\n\nThe end.\n\n"
    answer = kit.call("TextInspect", {**look, "mode": "lines"})
    assert len("\n".join(answer["lines"])) < 500_000
