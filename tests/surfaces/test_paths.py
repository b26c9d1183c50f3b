"""FILE arguments count from the current directory and are spelled from the root, without looking at the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.invocation import spell_from_root


@pytest.mark.parametrize(
    ("file", "directory"), [("a.md", "/elsewhere"), ("../x/a.md", "/elsewhere"), ("a.md", "/workshop")]
)
def test_a_relative_file_from_outside_is_refused_with_the_way_out(file: str, directory: str) -> None:
    with pytest.raises(EditError) as refused:
        spell_from_root(file, "/work", directory)
    assert refused.value.kind is Kind.OUTSIDE_ROOT
    assert "absolute" in str(refused.value.hint)


@pytest.mark.parametrize(
    ("file", "directory", "spelled"),
    [
        ("a.md", "/work", "a.md"),
        ("a.md", "/work/docs", "docs/a.md"),
        ("../a.md", "/work/docs", "docs/../a.md"),
        ("../../etc/passwd", "/work/docs", "docs/../../etc/passwd"),
        ("./a.md", "/work", "./a.md"),
        ("/work/docs/a.md", "/elsewhere", "docs/a.md"),
        ("/work/../etc/passwd", "/elsewhere", "../etc/passwd"),
        ("/workshop/a.md", "/work", "/workshop/a.md"),
        ("/etc/passwd", "/work", "/etc/passwd"),
        ("/work", "/work", "."),
        ("../work/a.md", "/elsewhere", "a.md"),
        ("", "/work", ""),
        ("a\0b", "/work", "a\0b"),
    ],
)
def test_spelling(file: str, directory: str, spelled: str) -> None:
    assert spell_from_root(file, "/work", directory) == spelled


def test_a_root_reached_through_a_link_has_both_names(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    (real / "docs").mkdir(parents=True)
    link.symlink_to(real)
    assert spell_from_root(str(real / "docs/a.md"), str(link), "/") == "docs/a.md"
    assert spell_from_root(str(link / "docs/a.md"), str(link), "/") == "docs/a.md"
    assert spell_from_root("a.md", str(link), str(real / "docs")) == "docs/a.md"
