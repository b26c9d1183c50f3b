"""FILE arguments count from the current directory and are spelled from the root, without looking at the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.invocation import spell_from_root
from tests.table import table


@table(("file", "directory"), [("a.md", "/elsewhere"), ("../x/a.md", "/elsewhere"), ("a.md", "/treetop")])
def test_a_relative_file_from_outside_is_refused_with_the_way_out(file: str, directory: str) -> None:
    with pytest.raises(EditError) as refused:
        spell_from_root(file, "/tree", directory)
    assert refused.value.kind is Kind.OUTSIDE_ROOT
    assert "absolute" in str(refused.value.hint)


@table(
    ("file", "directory", "spelled"),
    [
        ("a.md", "/tree", "a.md"),
        ("a.md", "/tree/docs", "docs/a.md"),
        ("../a.md", "/tree/docs", "docs/../a.md"),
        ("../../etc/passwd", "/tree/docs", "docs/../../etc/passwd"),
        ("./a.md", "/tree", "./a.md"),
        ("/tree/docs/a.md", "/elsewhere", "docs/a.md"),
        ("/tree/../etc/passwd", "/elsewhere", "../etc/passwd"),
        ("/treetop/a.md", "/tree", "/treetop/a.md"),
        ("/etc/passwd", "/tree", "/etc/passwd"),
        ("/tree", "/tree", "."),
        ("../tree/a.md", "/elsewhere", "a.md"),
        ("", "/tree", ""),
        ("a\0b", "/tree", "a\0b"),
    ],
)
def test_spelling(file: str, directory: str, spelled: str) -> None:
    assert spell_from_root(file, "/tree", directory) == spelled


def test_a_root_reached_through_a_link_has_both_names(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    (real / "docs").mkdir(parents=True)
    link.symlink_to(real)
    assert spell_from_root(str(real / "docs/a.md"), str(link), "/") == "docs/a.md"
    assert spell_from_root(str(link / "docs/a.md"), str(link), "/") == "docs/a.md"
    assert spell_from_root("a.md", str(link), str(real / "docs")) == "docs/a.md"
