"""The changelog writer: fragments become a section, and are removed only when it is written."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from scripts import changelog

DAY = date(2026, 11, 18)


def furnish(root: Path, version: str = "1.2.0", **fragments: str) -> Path:
    (root / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n', encoding="utf-8")
    changes = root / "changes"
    changes.mkdir(exist_ok=True)
    (changes / "README.md").write_text("# Changes\n", encoding="utf-8")
    for name, text in fragments.items():
        (changes / f"{name.replace('_', '.')}.md").write_text(text, encoding="utf-8")
    return root


def test_a_release_has_its_types_in_order_and_its_fragments_by_name(tmp_path: Path) -> None:
    furnish(tmp_path, b_fixed="No crash.\n", a_fixed="No hang.\nNo leak.\n", new_added="See [it](../docs/it.md).\n")
    made = changelog.write_release(tmp_path, DAY)
    assert made == (
        "## 1.2.0 (2026-11-18)\n\n"
        "### Added\n\n- See [it](docs/it.md).\n\n"
        "### Fixed\n\n- No hang.\n  No leak.\n- No crash.\n"
    )
    assert (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8") == f"{changelog.TITLE}\n{made}"
    assert [path.name for path in (tmp_path / "changes").iterdir()] == ["README.md"]


def test_a_later_release_is_above_the_others(tmp_path: Path) -> None:
    first = changelog.write_release(furnish(tmp_path, "1.0.0", a_added="One.\n"), DAY)
    second = changelog.write_release(furnish(tmp_path, "1.1.0", b_changed="Two.\n"), DAY)
    third = changelog.write_release(furnish(tmp_path, "1.2.0", c_removed="Three.\n"), DAY)
    text = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text == f"{changelog.TITLE}\n{third}\n{second}\n{first}"


@pytest.mark.parametrize(
    ("fragments", "message"),
    [
        pytest.param({"a_improved": "x"}, "a.improved.md", id="a type that is none"),
        pytest.param({"Bad_added": "x"}, "Bad.added.md", id="a name that is none"),
        pytest.param({"a_added": " \n"}, "a.added.md: it is empty", id="nothing said"),
        pytest.param({}, "nothing to release", id="no fragment"),
    ],
)
def test_what_cannot_be_released_leaves_everything(fragments: dict[str, str], message: str, tmp_path: Path) -> None:
    furnish(tmp_path, **fragments)
    before = sorted(path.name for path in (tmp_path / "changes").iterdir())
    with pytest.raises(changelog.ChangelogError, match=message):
        changelog.write_release(tmp_path, DAY)
    assert not (tmp_path / "CHANGELOG.md").exists()
    assert sorted(path.name for path in (tmp_path / "changes").iterdir()) == before


def test_a_version_is_released_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changelog.write_release(furnish(tmp_path, a_added="One.\n"), DAY)
    text = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    furnish(tmp_path, b_added="Two.\n")
    assert changelog.main(["--write"], tmp_path) == 1
    assert "1.2.0 already" in capsys.readouterr().err
    assert (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8") == text
    assert (tmp_path / "changes" / "b.added.md").exists()


def test_a_dry_run_prints_and_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    furnish(tmp_path, a_added="One.\n")
    assert changelog.main([], tmp_path) == 0
    assert "- One.\n" in capsys.readouterr().out
    assert not (tmp_path / "CHANGELOG.md").exists()
    assert (tmp_path / "changes" / "a.added.md").exists()


def test_every_fragment_of_this_repository_can_be_released() -> None:
    fragments = changelog.read_fragments(changelog.ROOT / "changes")
    made = changelog.section("0", DAY, fragments)
    assert made.count("\n- ") == len(fragments)
