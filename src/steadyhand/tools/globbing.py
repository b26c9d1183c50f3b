"""Globs as models write them: wildcards, and choices in braces.

Without a slash a glob means a name at any depth; with one, a path from the directory that is looked through, or from
the root. Matching is linear, and braces that stand for too many choices are refused.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from steadyhand.lazy import dataclass
from steadyhand.schema import bad_request
from steadyhand.workspace.globs import Glob, expand_braces, parse_glob

__all__ = ["GLOB", "Globs", "read_glob"]

GLOB: Final = "Such as *.py (a name, at any depth), src/**/*.ts (a path), or *.{js,ts}."

_LONGEST: Final = 500
_MOST: Final = 64


@dataclass(frozen=True, slots=True)
class Globs:
    """What a glob stands for, a pattern for each choice in its braces; none: everything is meant."""

    globs: tuple[Glob, ...] = ()
    directory: str = ""

    @property
    def folder(self) -> str:
        """The directory in which everything lies that is meant, from the root; empty where that is not known.

        >>> read_glob("src/{a,b}/*.py").folder, read_glob("*.py").folder
        ('src', '')
        """
        if self.directory:  # a glob is also tried from there
            return ""
        shared = takewhile(lambda names: len(set(names)) == 1, zip(*(glob.folder for glob in self.globs), strict=False))
        return "/".join(names[0] for names in shared)

    def match(self, path: str) -> bool:
        """Whether a path from the root is meant."""
        if not self.globs:
            return True
        names = path.split("/")
        spellings = [names, names[self.directory.count("/") + 1 :]] if self.directory else [names]
        return any(glob.matches(spelling) for glob in self.globs for spelling in spellings)


def read_glob(text: str | None, directory: str = "") -> Globs:
    """A glob for what lies in a directory, given from the root. Refuses with `bad-request` what cannot be meant.

    >>> read_glob("*.{md,txt}").match("docs/a.txt"), read_glob("b/*.md", "a").match("a/b/c.md")
    (True, True)
    """
    if text is None:
        return Globs()
    if not text.strip("/ ") or len(text) > _LONGEST:
        raise bad_request("glob", "it is empty" if len(text) <= _LONGEST else "it is too long", GLOB)
    if text.startswith("!"):
        raise bad_request("glob", "it only excludes", f"say what to include: {GLOB}")
    choices = expand_braces(text, _MOST)
    if choices is None:
        raise bad_request("glob", f"its braces expand to more than {_MOST} choices", "send fewer at a time")
    plain = [each.removeprefix("./").rstrip("/") for each in choices]
    return Globs(tuple(parse_glob(each) for each in plain if each), directory)
