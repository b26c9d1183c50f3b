"""Guards: pure checks between plan and commit, which may refuse what the edits would do.

`GUARDS` has them in the order in which they are asked. A guard sees data only: it reads no file, changes nothing, and
knows no other guard.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from steadyhand.errors import EditError, Kind
from steadyhand.hints import AllowShrink, LeaveGuardOut, Reread, Say
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.plan.edit import MAX_EDITS
from steadyhand.structure.format import Fault, Format, Unchecked, format_of, is_neutral
from steadyhand.text.cancel import check_each
from steadyhand.text.lines import Characters, count_lines, split_bodies, split_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    from steadyhand.hints import Advice
    from steadyhand.plan.policy import Policy
    from steadyhand.text.changeset import ChangeSet


Stage = Literal["request", "edit", "file"]
_SHORT = 100_000  # characters of new text


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class GuardedEdit:
    """What one edit takes away and what it writes; `old` is what it quotes until the place is known.

    `blind` is the place of an edit that names it by number and does not say what is there.
    """

    index: int
    old: Characters
    new: str
    blind: Span | None = None


@sized("before", "after")
class GuardInput(NamedTuple):
    """Everything a guard may look at.

    `before` is None for a file that is not there yet; `after` is None until the whole file is planned.
    `after_source` is the text after with whatever has been read of it. `changes` lead from the text before to the one
    after; None where nobody has them. `seen` are the characters of the text before
    that the caller has been shown; None: all of them, or nobody knows.
    """

    path: str | None
    before: Characters | None
    after: str | None
    edits: tuple[GuardedEdit, ...]
    policy: Policy
    is_whole_write: bool = False
    allow_shrink: bool = False
    after_source: Source | None = None
    changes: ChangeSet | None = None
    seen: tuple[Span, ...] | None = None


@sized("details")
@dataclass(frozen=True, slots=True)
class Finding:
    """Why a guard refuses; or, as a warning, what it would have a person know."""

    kind: Kind
    message: str
    advice: Advice
    details: Mapping[str, object] = field(default_factory=dict)
    is_warning: bool = False

    def to_error(self, guard: str) -> EditError:
        return EditError(self.kind, self.message, hint=self.advice, details={**self.details, "guard": guard})


@dataclass(frozen=True, slots=True)
class Guard:
    """One check. `stage` says when: on the request as it came, on each edit once its place is known, or on the file.

    `is_asked_for`: it looks only where a policy names it. The others say where it has nothing to report and is not
    called: `is_for_writes`, for anything but whole-file writes; `longest`, for one edit that quotes no more than that;
    `words`, for one edit whose new text has none of them, in whatever case; `kind_of`, for a path that has no kind.
    """

    name: str
    stage: Stage
    summary: str
    check: Callable[[GuardInput], Finding | None]
    is_asked_for: bool = False
    is_for_writes: bool = False
    longest: int = 0
    words: tuple[str, ...] = ()
    kind_of: Callable[[str | None], object] | None = None


@cache
def usual_guards() -> frozenset[str]:
    """The names of the guards that look where no policy says which."""
    return frozenset(guard.name for guard in GUARDS if not guard.is_asked_for)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guards of a stage say: the first objection as the refusal it becomes, and warnings."""

    refusal: EditError | None = None
    warnings: tuple[str, ...] = ()


_CONTENT = Verdict()


def ask_guards(stage: Stage, given: GuardInput) -> Verdict:
    """What the guards of that stage say that the policy wants; none is asked after the first objection."""
    warnings: list[str] = []
    only = given.edits[0] if len(given.edits) == 1 else None
    for guard in _asked(stage, given.policy.guards, is_whole_write=given.is_whole_write):
        if guard.kind_of is not None and guard.kind_of(given.path) is None:
            continue
        if only is not None and (len(only.old) < guard.longest or _has_none(guard.words, only.new)):
            continue
        finding = guard.check(given)
        if finding is not None and not finding.is_warning:
            return Verdict(finding.to_error(guard.name))
        if finding is not None:
            warnings.append(finding.message)
    return Verdict(warnings=tuple(warnings)) if warnings else _CONTENT


def _has_none(words: tuple[str, ...], text: str) -> bool:
    """Whether a text has none of some words, where there are any; a long text is for the guard to search."""
    if not words or len(text) > _SHORT:
        return False
    return not any(map(text.lower().__contains__, words))


@cache
def _asked(stage: Stage, names: frozenset[str] | None, *, is_whole_write: bool) -> tuple[Guard, ...]:
    """The guards of a stage that a policy names; the usual ones where it names none."""
    wanted = usual_guards() if names is None else names
    named = (guard for guard in GUARDS if guard.stage == stage and guard.name in wanted)
    return tuple(guard for guard in named if is_whole_write or not guard.is_for_writes)


# Limits of one request: how many edits it has and how long the text is that each quotes.

MAX_OLD = 10_000_000


def _check_limits(given: GuardInput) -> Finding | None:
    """Refuse a request that is larger than the limits."""
    if len(given.edits) > MAX_EDITS:
        return Finding(
            Kind.TOO_LARGE,
            f"{len(given.edits)} edits in one call, the limit is {MAX_EDITS}",
            f"send them in calls of at most {MAX_EDITS}",
            {"count": len(given.edits), "limit": MAX_EDITS},
        )
    for edit in given.edits:
        if len(edit.old) > MAX_OLD and not given.is_whole_write:
            return Finding(
                Kind.TOO_LARGE,
                f"the old text of edit {edit.index + 1} is {len(edit.old)} characters long, the limit is {MAX_OLD}",
                "quote only the lines that change, or write the whole file",
                {"length": len(edit.old), "limit": MAX_OLD, "edit": edit.index},
            )
    return None


# A whole-file write that drops most of the file is more often a mistake than a wish.

_FEWEST = 20


def _check_shrink(given: GuardInput) -> Finding | None:
    """Refuse a whole-file write that drops most of the lines."""
    if given.allow_shrink or given.before is None or given.after is None:
        return None
    before, after = _count(given.before), _count(given.after)
    dropped = before - after
    if dropped < _FEWEST or dropped * 2 <= before:
        return None
    return Finding(
        Kind.SUSPICIOUS_SHRINK,
        f"{given.path or 'the file'} has {before} lines, the new text has {after}",
        (Say("edit only what changes"), AllowShrink()),
        {"lines_before": before, "lines_after": after},
    )


def _count(text: Characters) -> int:
    """How many lines a text has; they are not taken apart for it."""
    return count_lines(text) + (bool(text) and not text.endswith(("\n", "\r")))


# New text that stands for code it does not spell out: `// ... existing code ...`, `# ... (unchanged)`.
#
# Such a line, once written, has silently deleted what it stands for. Only whole lines and comments at the end of a line
# count, only when they say what is left out, and never when the old text or the file had the same line: an Ellipsis in
# Python, a spread in JavaScript and an ellipsis in prose are ordinary text. Where an edit takes away more lines than it
# brings, a comment that says less, such as `# existing implementation` or `// (unchanged)`, counts too.

_DOTS = r"(?:\.{3,}|…)"
_NOUN = (
    r"(?:code|files?|contents?|implementations?|methods?|functions?|class(?:es)?|lines?|logic|imports?|documents?"
    r"|sections?|text|tests?|body|fields?|styles?|markup|components?|config(?:uration)?|script|module|template|page"
    r"|article|properties|props|entries|rows|definitions?|handlers?|routes?|options|settings|parameters|cases"
    r"|statements?|attributes|elements|html|css)"
)
_REST = rf"(?:the )?(?:rest|remainder) of (?:(?:the|your|this|these|our) )?(?:\w+ ){{0,2}}?{_NOUN}"
_KEPT = rf"(?:(?:the|all|your) )*(?:existing|remaining|previous|original|unchanged|other) (?:\w+ ){{0,2}}?{_NOUN}"
_STAYS = (
    r"(?:(?:is|are|remains?|stays?|left|kept|goes|go|continues?) )?"
    r"(?:unchanged|untouched|unmodified|the same|as is|as before|same as (?:before|above|original)"
    r"|omitted(?: for brevity)?|truncated|elided|snipped)"
)
_WITH_DOTS = lazy_pattern(
    rf"{_DOTS} ?(?:{_REST}|{_KEPT})(?: (?:{_STAYS}|here))? ?{_DOTS}?"
    rf"|(?:{_REST}|{_KEPT})(?: (?:{_STAYS}|here))? ?{_DOTS}"
    rf"|{_DOTS} ?(?:{_STAYS}|(?:everything|all) else(?: {_STAYS})?) ?{_DOTS}?"
)
_IN_WORDS = lazy_pattern(
    rf"(?:{_REST}|{_KEPT}) {_STAYS}"
    r"|(?:existing|remaining|previous|original) (?:code|contents?|implementation)(?: goes)? here"
    r"|(?:the )?rest of (?:the |your )?(?:code|file|implementation|contents?)(?: (?:goes )?here)?"
)
_BRACKETED = lazy_pattern(
    rf"(?:{_REST}|{_KEPT})(?: {_STAYS})?"
    r"|(?:code|contents?|text) (?:omitted|truncated|unchanged)(?: for brevity)?"
)
_ONLY_DOTS = lazy_pattern(rf"<!--\s*{_DOTS}\s*-->|/\*\s*{_DOTS}\s*\*/|\{{\s*/\*\s*{_DOTS}\s*\*/\s*\}}")
_COMMENT = lazy_pattern(r"(?:<!--|\{\s*/\*+|/\*+|//+|#+|--+|;+|%+|\*+(?!\*))\s*(.*)", re.DOTALL)
_TRAILING = lazy_pattern(r"[^\"'`]*?\s(//|#|--|/\*|<!--)\s*(.*)", re.DOTALL)
_CLOSING = lazy_pattern(r"\s*(?:-->|\*/\s*\}?)\s*\Z")
_BRACKETS = lazy_pattern(r"[\[(<{].*[\])>}]", re.DOTALL)
_NOISE = lazy_pattern(r"[\s()\[\]{}<>,;:*_—–-]+")
_SUSPECT = (
    "...", "…", "rest of", "remainder of", "unchanged", "omitted", "truncated", "existing", "remaining", "previous",
    "original", "no changes", "same as", "etc.",
)  # fmt: skip
_LONGEST_WORD = max(map(len, _SUSPECT))
_STRETCH = 1_000_000
_LONGEST = 200
_MARKDOWN = (".md", ".markdown", ".mdx", ".rst", ".txt")


def check_placeholder(given: GuardInput) -> Finding | None:
    """Refuse the first new line that stands for text it does not spell out."""
    for edit in given.edits:
        if not _is_suspect(edit.new):
            continue
        is_shorter: bool | None = None
        for row, line in enumerate(check_each(split_lines(edit.new))):
            if len(line) > _LONGEST:
                continue
            is_meant = is_placeholder(line, given.path)
            if not is_meant and _says_that_rows_stay(line, given.path):
                is_meant = is_shorter = _takes_away(edit) if is_shorter is None else is_shorter
            if is_meant and not _was_there(line, edit.old, given):  # last, because it searches the whole file
                return _left_placeholder(line, row, given.path)
    return None


def _says_that_rows_stay(line: str, path: str | None) -> bool:
    if line.lstrip().startswith("#") and _is_prose(path):
        return False
    from steadyhand.match.tiers.elision import says_that_rows_stay

    return says_that_rows_stay(line)


def _takes_away(edit: GuardedEdit) -> bool:
    """Whether more lines go than come: then a comment that says that lines stay, which comes too, is in their place."""
    old, new = ({line.strip() for line in split_bodies(text)} - {""} for text in (edit.old[:_SHORT], edit.new))
    return len(old - new) > len(new - old)


def _is_suspect(text: str) -> bool:
    """Whether a text has any of the words that every such line has one of, in whatever case."""
    for start in check_each(range(0, len(text), _STRETCH), 1) if len(text) > _STRETCH else (0,):
        stretch = text[start : start + _STRETCH + _LONGEST_WORD].lower()
        for word in _SUSPECT:
            if word in stretch:
                return True
    return False


def is_placeholder(line: str, path: str | None = None) -> bool:
    """Whether a line says that other lines belong here instead of being them.

    >>> is_placeholder("    // ... existing code ..."), is_placeholder("    ...")
    (True, False)
    """
    stripped = line.strip()
    if _ONLY_DOTS.fullmatch(stripped):
        return True
    if _BRACKETS.fullmatch(stripped) and not _COMMENT.fullmatch(stripped):
        words = _words(stripped[1:-1])
        return bool(_BRACKETED.fullmatch(words) or _WITH_DOTS.fullmatch(words))
    if comment := _COMMENT.fullmatch(stripped):
        words = _words(_CLOSING.sub("", comment.group(1)))
        is_heading = stripped.startswith("#") and _is_prose(path)
        return bool(_WITH_DOTS.fullmatch(words) or (not is_heading and _IN_WORDS.fullmatch(words)))
    if stripped.startswith(("...", "…")):
        return bool(_WITH_DOTS.fullmatch(_words(stripped)))
    trailing = _TRAILING.fullmatch(stripped)
    return bool(trailing and _WITH_DOTS.fullmatch(_words(_CLOSING.sub("", trailing.group(2)))))


def _is_prose(path: str | None) -> bool:
    return (path or "").lower().endswith(_MARKDOWN)


def _words(text: str) -> str:
    """The words and dots of a comment, without brackets and dashes; a full stop at the end is no dot."""
    words = _NOISE.sub(" ", text).strip().lower()
    return words if words.endswith("...") else words.rstrip(".!")


def _was_there(line: str, old: Characters, given: GuardInput) -> bool:
    return line.strip() in old or (given.before is not None and line.strip() in given.before)


def _left_placeholder(line: str, row: int, path: str | None) -> Finding:
    return Finding(
        Kind.PLACEHOLDER_LEFT,
        f"{f'{path}: ' if path else ''}line {row + 1} of the new text is a placeholder: {line.strip()[:80]!r}",
        "write those lines out, or edit only what changes",
        {"line": row + 1, "text": line.strip()[:200]},
    )


# An edit that names lines by number, or replaces a whole file, over text that its task was never shown.


def _check_unseen(given: GuardInput) -> Finding | None:
    """Refuse what would be written blindly."""
    if given.seen is None or given.before is None:
        return None
    blind = [Span(0, len(given.before))] if given.is_whole_write else [edit.blind for edit in given.edits]
    for place in blind:
        gap = None if place is None or place.is_empty else _first_gap(place, given.seen)
        if gap is not None:
            return _unseen(given, given.before, gap)
    return None


def _first_gap(place: Span, seen: tuple[Span, ...]) -> Span | None:
    """The first characters of a place that are not among those seen, which are in order."""
    at = place.start
    for span in seen:
        if span.start > at:
            break
        at = max(at, span.end)
        if at >= place.end:
            return None
    return Span(at, min([place.end, *(span.start for span in seen if span.start > at)]))


def _unseen(given: GuardInput, before: Characters, gap: Span) -> Finding:
    first = count_lines(before, gap.start) + 1
    last = max(first, count_lines(before, gap.end - 1) + 1)
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    return Finding(
        Kind.UNSEEN_TEXT,
        f"{given.path or 'the file'}: this task has not read the current {lines}",
        Reread(given.path, (first, last)),
        {"lines": [first, last]},
    )


# An edit of an article keeps the article's id and its rules of attention: without them nobody finds it again.

_SHOWN_RULES = 5


def _check_attention(given: GuardInput) -> Finding | None:
    """Refuse what would take away an id or a rule that the text before has."""
    if given.before is None or given.after is None or given.path is None:
        return None
    if "jrn" not in given.before and "attention" not in given.before:
        return None
    from steadyhand.structure.markdown.front_matter import lost_rules  # few files have any

    lost = lost_rules(given.path, given.before[:], given.after)
    if not lost:
        return None
    more = f" and {len(lost) - _SHOWN_RULES} more" if len(lost) > _SHOWN_RULES else ""
    return Finding(
        Kind.LOSES_ATTENTION,
        f"{given.path} would lose {', '.join(lost[:_SHOWN_RULES])}{more}",
        "keep jrn and attention in the front matter, and change the text below it",
        {"lost": lost},
    )


# A file that parsed before has to parse after; one that did not parse before is only warned about.

_LONGEST_ROW = 160  # characters of a line of an excerpt


def _check_syntax(given: GuardInput) -> Finding | None:
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
        return _warning(f"{name} is written, but does not parse in the format of its name: {_described(after)}")
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
    return [f"{number}: {rows[number - 1][:_LONGEST_ROW]}" for number in range(first, last + 1)]


def _described(fault: Fault) -> str:
    column = "" if fault.column is None else f", column {fault.column}"
    return f"line {fault.line}{column}: {fault.message}"


def _warning(message: str) -> Finding:
    return Finding(Kind.BREAKS_SYNTAX, message, "", is_warning=True)


# Every guard, in the order they are asked; front matter that does not parse any more is reported as that.
GUARDS: tuple[Guard, ...] = (
    Guard(
        name="limits",
        stage="request",
        summary="A request has at most 10,000 edits, and each quotes at most 10 million characters.",
        check=_check_limits,
        longest=MAX_OLD,
    ),
    Guard(
        name="placeholder",
        stage="edit",
        summary="New text may not elide code (`// ... existing code ...`) that the old text did not elide.",
        check=check_placeholder,
        words=_SUSPECT,
    ),
    Guard(
        name="unseen",
        stage="edit",
        summary="An edit by line number or of a whole file may not write over text that its task has not read.",
        check=_check_unseen,
        is_asked_for=True,
    ),
    Guard(
        name="shrink",
        stage="file",
        summary="A whole-file write may not drop more than half of the lines, and at least 20, unless allowed.",
        check=_check_shrink,
        is_for_writes=True,
    ),
    Guard(
        name="syntax",
        stage="file",
        summary="A file that parses in the format of its name has to parse after; others are only warned about.",
        check=_check_syntax,
        kind_of=format_of,
    ),
    Guard(
        name="attention",
        stage="file",
        summary="A page keeps its `jrn` and every rule of its `attention`.",
        check=_check_attention,
        is_asked_for=True,
    ),
)
