"""The configuration file: read from outside the root only, and strict about its keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.config import Config, default_location, load_config, parse_config, parse_size
from tests.table import table

WRONG = [
    ("alow = []", "allow"),
    ("colour = 'never'", "color"),
    ("[retention]\nkeep_day = 3", "keep_days"),
    ("actor = 3", "actor"),
    ("actor = ''", "actor"),
    ("allow = '*.md'", "allow"),
    ("allow = [1]", "allow"),
    ("allow = ['']", "allow"),
    ("protect = 'nothing'", "standard"),
    ("color = 'yes'", "auto"),
    ("retention = 3", "retention"),
    ("[retention]\nkeep_days = -1", "keep_days"),
    ("[retention]\nkeep_days = true", "keep_days"),
    ("[retention]\nkeep_size = '3 parsecs'", "keep_size"),
    ("[retention]\nkeep_size = 1.5", "keep_size"),
    ("roots = 3", "roots"),
    ("[roots]\n'relative/path' = {}", "absolute"),
    ("[roots.'/somewhere/else']\nalow = []", "allow"),
    ("[roots.'/somewhere/else'.roots]\nx = 1", "roots"),
    ("actor = ", "TOML"),
    ("a = " + "[" * 5000, "TOML"),
    ("\udcff", "UTF-8"),
]


@table(("text", "named"), WRONG)
def test_a_slip_is_refused_and_named(text: str, named: str) -> None:
    with pytest.raises(EditError) as refused:
        parse_config(text.encode("utf-8", "surrogateescape"), "/w")
    assert refused.value.kind is Kind.BAD_REQUEST
    assert named in refused.value.message + str(refused.value.hint)


def test_a_named_file_inside_the_root_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "config.toml"
    inside.write_text("allow = ['**']")
    with pytest.raises(EditError) as refused:
        load_config(str(inside), str(tmp_path), {})
    assert refused.value.kind is Kind.NOT_ALLOWED


def test_a_link_into_the_root_does_not_help(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "config.toml").write_text("allow = ['**']")
    (tmp_path / "link.toml").symlink_to(root / "config.toml")
    with pytest.raises(EditError) as refused:
        load_config(str(tmp_path / "link.toml"), str(root), {})
    assert refused.value.kind is Kind.NOT_ALLOWED


def test_the_default_file_inside_the_root_is_passed_over_with_a_warning(tmp_path: Path) -> None:
    location = default_location({"XDG_CONFIG_HOME": str(tmp_path / ".config")})
    location.parent.mkdir(parents=True)
    location.write_text("allow = ['**']")
    config = load_config(None, str(tmp_path), {"XDG_CONFIG_HOME": str(tmp_path / ".config")})
    assert config.allow == ()
    assert config.warnings


@table("named", ["missing.toml", "a\0b", ""])
def test_a_named_file_that_cannot_be_read_is_refused(tmp_path: Path, named: str) -> None:
    with pytest.raises(EditError) as refused:
        load_config(str(tmp_path / "x" / named) if named != "a\0b" else named, "/w", {})
    assert refused.value.kind in (Kind.BAD_REQUEST, Kind.DISK_REFUSED)
    assert str(tmp_path) not in refused.value.message


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "big.toml").write_bytes(b"#" * (1 << 20) + b"##")
    with pytest.raises(EditError) as refused:
        load_config(str(tmp_path / "big.toml"), "/w", {})
    assert refused.value.kind is Kind.TOO_LARGE


def test_no_file_says_nothing(tmp_path: Path) -> None:
    assert load_config(None, "/w", {"XDG_CONFIG_HOME": str(tmp_path)}) == Config()


def test_a_missing_home_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME", raising=False)
    load_config(None, "/w", {})


def test_every_key_is_read() -> None:
    text = """
    actor = "ada"
    allow = [".vscode/**"]
    protect = "none"
    color = "never"
    [retention]
    keep_days = 90
    keep_size = "500 MB"
    """
    assert parse_config(text.encode(), "/w") == Config("ada", (".vscode/**",), "none", "never", 90, 500_000_000)


def test_the_table_of_this_root_adds_and_replaces(tmp_path: Path) -> None:
    text = f"""
    actor = "ada"
    allow = ["a"]
    [roots."{tmp_path}"]
    actor = "grace"
    allow = ["b"]
    retention.keep_days = 1
    [roots."/somewhere/else"]
    actor = "nobody"
    """
    assert parse_config(text.encode(), str(tmp_path)) == Config("grace", ("a", "b"), keep_days=1)


@table(
    ("text", "size"),
    [("", None), ("-1", None), ("1 TB", None), ("KB", None), ("9" * 40, None), ("1k", 1000), ("2 KiB", 2048), ("0", 0)],
)
def test_sizes(text: str, size: int | None) -> None:
    assert parse_size(text) == size
