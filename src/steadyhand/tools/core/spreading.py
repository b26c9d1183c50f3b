"""The same edits over every file that a glob means: which files they are for, and which of the edits in each.

A file is meant where it holds an old text exactly, or an address leads somewhere; the others are passed over. What
is not surely all of what was meant is refused: a walk that was cut short, an edit that fits nowhere, another count.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.match.tier import STRICT, step_names
from steadyhand.plan.edit import Edit
from steadyhand.plan.place import Old
from steadyhand.plan.policy import Policy
from steadyhand.plan.request import EditFile
from steadyhand.structure.outline import locate
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.tools.call import Call
from steadyhand.tools.globbing import read_glob
from steadyhand.tools.listing import listing_of
from steadyhand.workspace.protection import classify

__all__ = ["Spread", "literally", "spread"]

_MOST_LOOKED_AT = 5_000
_MOST_CHANGED = 500
_MOST_CHARACTERS = 256 * 1024 * 1024
_NAMED = 20
_UNREADABLE = (Kind.NOT_TEXT, Kind.TOO_LARGE, Kind.PROTECTED_PATH, Kind.NOT_ALLOWED, Kind.NO_SUCH_FILE)
_NOWHERE = (Kind.NO_SUCH_TARGET, Kind.UNPARSABLE, Kind.OUT_OF_BOUNDS, Kind.STALE_SOURCE, Kind.BAD_REQUEST)


@dataclass(frozen=True, slots=True)
class Spread:
    """The files that edits are for, how many others were looked at, and how many could not be."""

    files: tuple[EditFile, ...]
    passed_over: int
    unread: int


def spread(call: Call, glob: str, edits: Sequence[Edit], expected: int | None) -> Spread:
    """Where the edits go. Refuses with `no-such-file`, `no-match`, `count-mismatch` or `too-large`."""
    names = _named(call, glob)
    files: list[EditFile] = []
    unread = size = 0
    unused = set(range(len(edits)))
    for name in names:
        source = _source(call, name)
        if source is None:
            unread += 1
            continue
        size += len(source.text)
        if size > _MOST_CHARACTERS:
            raise _too_much(glob, f"{_MOST_CHARACTERS} characters are read by the time it is at {name}")
        fitting = [index for index, edit in enumerate(edits) if _fits(edit, source)]
        unused -= set(fitting)
        if fitting:
            files.append(EditFile(name, tuple(edits[index] for index in fitting)))
    if unused:
        raise _nowhere(min(unused), glob, len(names))
    _check_count(files, expected, glob)
    return Spread(tuple(files), len(names) - len(files) - unread, unread)


def literally(policy: Policy) -> Policy:
    """A policy under which old text must be there as it was sent: over many files nobody looks at each."""
    steps = step_names()
    if policy.tier is not None and steps.index(policy.tier) < steps.index(STRICT[-1]):
        return policy
    return replace(policy, tier=STRICT[-1])


def _named(call: Call, glob: str) -> list[str]:
    listing = listing_of(call, None, glob)
    meant = read_glob(glob)
    names = [name for name in listing.files if meant.match(name)]
    if listing.stopped is not None or len(names) > _MOST_LOOKED_AT:
        raise _too_much(glob, listing.stopped or f"{len(names)} files match it")
    if not names:
        raise EditError(
            Kind.NO_SUCH_FILE,
            f"no file matches {glob!r}; what .gitignore names is left out",
            hint="look with list, or name the files in 'files'",
            details={"glob": glob},
        )
    return names


def _too_much(glob: str, why: str) -> EditError:
    return EditError(Kind.TOO_LARGE, f"glob {glob!r} means too much at once: {why}", hint="send a narrower glob")


def _source(call: Call, name: str) -> Source | None:
    """A file's text; None where it may or can not be read, and for secrets."""
    call.workspace.tick()
    if classify(name).secret:
        return None
    try:
        return call.workspace.source(call.path(name))
    except EditError as error:
        if error.kind not in _UNREADABLE:
            raise
        return None


def _fits(edit: Edit, source: Source) -> bool:
    if isinstance(edit.target, Old):
        return edit.target.text in source.text or to_lf(edit.target.text) in to_lf(source.text)
    try:
        locate(source, edit.target, which="all")
    except EditError as error:
        if error.kind not in _NOWHERE:
            raise
        return False
    return True


def _nowhere(index: int, glob: str, count: int) -> EditError:
    return EditError(
        Kind.NO_MATCH,
        f"edits[{index}]: its target is in none of the {count} files that {glob!r} means",
        hint="over a glob old text must match exactly; find it with search, or leave the edit out",
        details={"index": index, "glob": glob, "files": count},
    )


def _check_count(files: Sequence[EditFile], expected: int | None, glob: str) -> None:
    named = [file.path for file in files[:_NAMED]]
    if len(files) > _MOST_CHANGED:
        raise EditError(
            Kind.TOO_LARGE,
            f"{len(files)} files would change, at most {_MOST_CHANGED} may in one call",
            hint="send several narrower globs",
            details={"files": named, "limit": _MOST_CHANGED},
        )
    if expected is not None and len(files) != expected:
        raise EditError(
            Kind.COUNT_MISMATCH,
            f"{len(files)} file{'' if len(files) == 1 else 's'} of {glob!r} would change, not {expected}",
            hint=f"set expected_files to {len(files)} to change these",
            details={"files": named, "expected": expected, "actual": len(files)},
        )
