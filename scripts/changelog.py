"""The changelog, from the fragments in `changes/`.

    python scripts/changelog.py            print the section that the next release would have
    python scripts/changelog.py --write    put it into CHANGELOG.md and remove the fragments

A fragment is `<what>.<type>.md`; `changes/README.md` says what it holds. The version is the one in pyproject.toml.
Nothing is written, and no fragment removed, unless every fragment can be read and the version is new.
"""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TYPES = ("added", "changed", "fixed", "removed")
TITLE = "# Changelog\n\nWhat users notice, newest first.\n"
_NAME = re.compile(r"(?P<what>[a-z0-9][a-z0-9-]*)\.(?P<type>[a-z]+)\.md")
_HEADING = re.compile(r"^## (?P<version>\S+)", re.MULTILINE)


class ChangelogError(Exception):
    """The changelog cannot be written; the message says which file has to change."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """One change that users notice: its type, and what is said of it, a sentence on a line."""

    path: Path
    type: str
    text: str


def read_fragments(folder: Path) -> list[Fragment]:
    """Every fragment, by name. Refuses a name or a type that is not one, and a fragment that says nothing."""
    found = []
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        name = _NAME.fullmatch(path.name)
        if name is None or name["type"] not in TYPES:
            raise ChangelogError(
                f"{path.name}: a fragment is called <what>.<type>.md, the type one of {', '.join(TYPES)}"
            )
        text = path.read_text(encoding="utf-8").strip()
        if not text:
            raise ChangelogError(f"{path.name}: it is empty")
        found.append(Fragment(path, name["type"], text))
    return found


def section(version: str, day: date, fragments: list[Fragment]) -> str:
    """The section of one release: a list for each type that has fragments."""
    lines = [f"## {version} ({day.isoformat()})"]
    for kind in TYPES:
        said = [_item(fragment.text) for fragment in fragments if fragment.type == kind]
        if said:
            lines += ["", f"### {kind.capitalize()}", "", *said]
    return "\n".join(lines) + "\n"


def _item(text: str) -> str:
    """A fragment as an item of a list; a link that leads out of `changes/` leads from the root."""
    lines = [line.strip() for line in text.replace("](../", "](").splitlines() if line.strip()]
    return "- " + "\n  ".join(lines)


def with_section(changelog: str, made: str) -> str:
    """The changelog with one more release, above the others. Refuses a version that is there already."""
    version = _HEADING.search(made)
    known = {each["version"] for each in _HEADING.finditer(changelog)}
    if version is not None and version["version"] in known:
        raise ChangelogError(
            f"CHANGELOG.md has version {version['version']} already: set the next one in pyproject.toml"
        )
    head, heading, rest = (changelog or TITLE).partition("\n## ")
    return f"{head.rstrip()}\n\n{made}" + (f"\n{heading.lstrip()}{rest}" if heading else "")


def release_version(root: Path) -> str:
    """The version that pyproject.toml names."""
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert isinstance(version, str)
    return version


def write_release(root: Path, day: date) -> str:
    """Write the changelog, then remove the fragments; the section that was added."""
    fragments = read_fragments(root / "changes")
    if not fragments:
        raise ChangelogError("changes/: there is no fragment, so there is nothing to release")
    made = section(release_version(root), day, fragments)
    path = root / "CHANGELOG.md"
    text = with_section(path.read_text(encoding="utf-8") if path.is_file() else "", made)
    path.write_text(text, encoding="utf-8")  # first: a fragment that is gone and not in it would be lost
    for fragment in fragments:
        fragment.path.unlink()
    return made


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Print or write the section; the exit code says whether that was possible."""
    day = datetime.now(UTC).date()
    try:
        if "--write" in arguments:
            print(write_release(root, day), end="")
        else:
            path = root / "CHANGELOG.md"
            made = section(release_version(root), day, read_fragments(root / "changes"))
            with_section(path.read_text(encoding="utf-8") if path.is_file() else "", made)
            print(made, end="")
    except ChangelogError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
