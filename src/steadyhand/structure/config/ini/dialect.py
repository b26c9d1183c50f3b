"""The dialects of INI files, chosen by the name of the file.

They differ in what parts a name from its value, in what continues a line and in what starts a comment behind a value;
where a file's name says nothing, it is read as most readers do, and a comment needs blanks on both of its sides.
"""

from __future__ import annotations

import re
from typing import Literal

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.format import file_name

_SPACED = lazy_pattern(r"(?:(?<=[ \t])|(?<![^\n]))[#;](?=[ \t]|\Z)")
_ESCAPED = lazy_pattern(r'(?:[^"\\]++|\\["\\ntb]|"(?:[^"\\]++|\\["\\ntb])*+")*+')
_ANY = lazy_pattern(r'[^"\\#;]*+(?:(?:\\.|"(?:[^"\\]|\\.)*+"?)[^"\\#;]*+)*+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a family of INI files is written.

    `equals`         the signs that part names from values
    `indent`         a line that is indented further than its name goes on with the value
    `backslash`      a backslash at the end of a line goes on with the value on the next
    `comment_behind` whether a comment may stand behind a value: never, with blanks on both sides, or anywhere
    `folds`          names in a section that differ only in case are one name
    `escapes`        a quote in a value must be closed, and a backslash must be one of the known escapes
    """

    equals: str = "=:"
    indent: bool = True
    backslash: bool = False
    comment_behind: Literal["never", "spaced", "anywhere"] = "spaced"
    folds: bool = True
    escapes: bool = False

    def equals_in(self, content: str) -> int:
        """Where the first sign stands that parts a name from its value; -1 where there is none."""
        found = -1
        for sign in self.equals:
            at = content.find(sign, 0, found if found >= 0 else len(content))
            found = at if at >= 0 else found
        return found

    def can_say(self, value: str) -> bool:
        """Whether a reader takes a value on one line, as it is written.

        >>> Dialect(escapes=True).can_say("C:\\\\new"), Dialect(escapes=True).can_say('an "open quote')
        (True, False)
        """
        return not self.escapes or _ESCAPED.fullmatch(value) is not None

    def value_end(self, value: str) -> int:
        """Where a value on one line ends, blanks and the comment behind it left out.

        >>> text = "red # warm"
        >>> Dialect().value_end(text), Dialect(comment_behind="never").value_end(text)
        (3, 10)
        """
        end = len(value)
        if "#" not in value and ";" not in value:
            return len(value.rstrip(" \t"))
        if self.comment_behind == "spaced":
            found = _SPACED.search(value)
            end = found.start() if found else end
        elif self.comment_behind == "anywhere":
            found = _ANY.match(value)
            end = found.end() if found else end
        return len(value[:end].rstrip(" \t"))


_PYTHON = Dialect(comment_behind="never")
_UNIT = Dialect("=", indent=False, backslash=True, comment_behind="never", folds=False)
_DESKTOP = Dialect("=", indent=False, comment_behind="never", folds=False)
_GIT = Dialect("=", indent=False, backslash=True, comment_behind="anywhere", escapes=True)
_NPM = Dialect("=", indent=False, comment_behind="anywhere", folds=False)
_EDITOR = Dialect(indent=False)

UNIT_SUFFIXES = (".service", ".socket", ".timer", ".mount", ".target", ".path", ".slice", ".network", ".netdev")
_BY_SUFFIX = {
    **dict.fromkeys((".cfg", ".pylintrc", ".flake8", ".coveragerc"), _PYTHON),
    ".desktop": _DESKTOP,
    ".gitconfig": _GIT,
    ".gitmodules": _GIT,
    ".npmrc": _NPM,
    ".editorconfig": _EDITOR,
    **dict.fromkeys(UNIT_SUFFIXES, _UNIT),
}
_BY_NAME = {"tox.ini": _PYTHON, "pytest.ini": _PYTHON, "mypy.ini": _PYTHON, "alembic.ini": _PYTHON}


def dialect_of(path: str | None) -> Dialect:
    """The dialect of a file by its name."""
    name = file_name(path)
    return _BY_NAME.get(name) or _BY_SUFFIX.get(name[name.rfind(".") :] if "." in name else "") or Dialect()
