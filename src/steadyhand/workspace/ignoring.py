"""Ignore rules: which names below a directory its `.gitignore` files leave out.

Rules mean what they mean to git: the last rule of a file that fits decides, a deeper file before those above it, and
what lies in an ignored directory is not looked at. The files are a tree's own and so are not trusted: reading them is
bounded, and no rule takes more than linear time.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from steadyhand.lazy import dataclass
from steadyhand.workspace.globs import Glob, parse_glob

__all__ = ["IGNORE_FILE", "MAX_IGNORE_BYTES", "IgnoreRules", "read_rules"]

IGNORE_FILE: Final = ".gitignore"
MAX_IGNORE_BYTES: Final = 256 * 1024
_MOST_RULES: Final = 5_000  # that hold in one directory
_LONGEST: Final = 1_000


@dataclass(frozen=True, slots=True)
class Rule:
    """One line; `is_kept`: what it fits is not ignored after all; `is_for_directories`: it fits nothing else."""

    glob: Glob
    is_kept: bool = False
    is_for_directories: bool = False


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules that hold in a directory: those of its own file last, each with the depth that it counts from."""

    files: tuple[tuple[int, tuple[Rule, ...]], ...] = ()

    def within(self, depth: int, data: bytes | None) -> IgnoreRules:
        """The rules of a directory `depth` names below the root, whose own file holds `data`."""
        room = _MOST_RULES - sum(len(rules) for _, rules in self.files)
        rules = read_rules(data)[:room] if data else ()
        return IgnoreRules((*self.files, (depth, rules))) if rules else self

    def ignores(self, names: tuple[str, ...], *, is_directory: bool) -> bool:
        """Whether a name is left out, given by all its names from the root.

        >>> IgnoreRules().within(0, b"*.log\\n!keep.log\\nout/\\n").ignores(("a", "x.log"), is_directory=False)
        True
        """
        for depth, rules in reversed(self.files):
            for rule in reversed(rules):
                if (is_directory or not rule.is_for_directories) and rule.glob.matches(names[depth:]):
                    return not rule.is_kept
        return False


def read_rules(data: bytes) -> tuple[Rule, ...]:
    """The rules of one file, in its order; what lies beyond the limits is left out."""
    lines = data[:MAX_IGNORE_BYTES].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").split("\n")
    read = (_rule(line.removesuffix("\r")) for line in lines)
    return tuple(islice((rule for rule in read if rule is not None), _MOST_RULES))


def _rule(line: str) -> Rule | None:
    line = _without_blanks(line)
    if not line or line.startswith("#") or len(line) > _LONGEST:
        return None
    is_kept = line.startswith("!")
    pattern = line[is_kept:]
    is_for_directories = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    return Rule(parse_glob(pattern), is_kept, is_for_directories) if pattern else None


def _without_blanks(line: str) -> str:
    """The line without the blanks at its end; one behind a backslash stays."""
    kept = line.rstrip(" ")
    if len(kept) < len(line) and (len(kept) - len(kept.rstrip("\\"))) % 2:
        kept += " "
    return kept
