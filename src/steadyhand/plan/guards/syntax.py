"""A file that parsed before has to parse after; one that did not parse before is only warned about."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.hints import LeaveGuardOut, Say
from steadyhand.plan.guards.guard import Finding, Guard, GuardInput
from steadyhand.structure.format import Fault, Format, Unchecked, format_of, is_neutral
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source

_LONGEST = 160  # characters of a line of an excerpt


def check(given: GuardInput) -> Finding | None:
    """Refuse what would break a file that parses; the text before is looked at only when the text after is broken."""
    known = format_of(given.path)
    if known is None or known.fault is None or given.after is None or _is_neutral(known, given):
        return None
    after = _fault(known, given.after, given.path, given.after_source)
    if after is None:
        return None
    name = given.path or "the text"
    if isinstance(after, Unchecked):
        return _warning(_not_checked(name, after))
    before_text = "" if given.before is None else given.before[:]
    if not before_text.strip():
        return _warning(f"{name} is written, but does not parse as its name says: {_described(after)}")
    if isinstance(before := _fault(known, before_text, given.path), Unchecked):
        return _warning(
            f"{name} was not checked before the edit ({before.reason}) and does not parse now: {_described(after)}"
        )
    if before is not None:
        return _warning(f"{name} did not parse before either, so its syntax was not checked: {_described(after)}")
    return Finding(
        Kind.BREAKS_SYNTAX,
        f"{name} would no longer parse: {_described(after)}",
        (
            Say("fix the new text, or send edits that belong together in one call"),
            LeaveGuardOut("syntax"),
        ),
        {
            "line": after.line,
            "column": after.column,
            "problem": after.message,
            "excerpt": _excerpt(given.after or "", after.line),
        },
    )


def _is_neutral(known: Format, given: GuardInput) -> bool:
    """Whether the change itself shows that a text which parsed still does; what has been read already is looked up."""
    if known.is_neutral is None or given.before is None or given.changes is None:
        return False
    if given.after is None or given.after_source is not None or len(given.after) > known.largest:
        return False
    return is_neutral(known.is_neutral, given.before[:], given.changes, given.after)


def _fault(known: Format, text: str, path: str | None, source: Source | None = None) -> Fault | Unchecked | None:
    """The first fault of a text in the format its name says; None also where that has no syntax."""
    if known.fault is None:
        return None
    if len(text) > known.largest:
        return _too_long(known)
    return known.fault(source if source is not None and source.path == path else Source.of_text(text, path=path))


def unchecked(path: str | None, length: int) -> tuple[str, ...] | None:
    """What is said of a text that is too long to be checked, if anything; None where it is not too long.

    >>> unchecked("a.json", 10_000_000), unchecked("a.txt", 10), unchecked("a.json", 10)
    (('the syntax of a.json was not checked: it has more than 2,000,000 characters',), (), None)
    """
    known = format_of(path)
    if known is None or known.fault is None:
        return ()
    return (_not_checked(path or "the text", _too_long(known)),) if length > known.largest else None


def _too_long(known: Format) -> Unchecked:
    return Unchecked(f"it has more than {known.largest:,} characters")


def _not_checked(name: str, why: Unchecked) -> str:
    return f"the syntax of {name} was not checked: {why.reason}"


def _excerpt(text: str, line: int) -> list[str]:
    """The lines of the new text around a fault, numbered: nobody else will ever see that text."""
    rows = split_bodies(text)
    first, last = max(line - 2, 1), min(line + 1, len(rows))
    return [f"{number}: {rows[number - 1][:_LONGEST]}" for number in range(first, last + 1)]


def _described(fault: Fault) -> str:
    column = "" if fault.column is None else f", column {fault.column}"
    return f"line {fault.line}{column}: {fault.message}"


def _warning(message: str) -> Finding:
    return Finding(Kind.BREAKS_SYNTAX, message, "", is_warning=True)


GUARD = Guard(
    name="syntax",
    rank=40,
    stage="file",
    summary="A file that parses in the format of its name has to parse after; others are only warned about.",
    check=check,
    kind_of=format_of,
)
