"""What an edit that cannot be made is told: path, 1-based lines and columns, and one concrete next call.

Only messages are made here; whether something is refused is decided elsewhere.
At most about fifteen lines each, however long the file and the old text are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import (
    ChooseOccurrence,
    ExpectCount,
    GiveReason,
    Hint,
    LeaveOut,
    NameEncoding,
    OneByOne,
    QuoteMore,
    Reread,
    Say,
    SendCorrected,
)
from steadyhand.match.resolve import Miscount, Several
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import clip, show_difference

_LONGEST = 4_000  # code points of one side of a drift

if TYPE_CHECKING:
    from steadyhand.plan.edit import Edit
    from steadyhand.plan.making import Drifted
    from steadyhand.plan.policy import Policy
    from steadyhand.plan.unique import Context


def ambiguous(
    name: str,
    source: Source,
    found: Several,
    *,
    edit: Edit | None = None,
    policy: Policy | None = None,
    with_numbers: bool = True,
) -> EditError:
    """Several places, and nothing says which: list them, and say what would tell them apart.

    With the `edit` and its policy an edit that means one place alone is offered for each, which costs some searches.
    `with_numbers`: the edit may say which occurrence it means; a patch has no word for that.
    """
    from steadyhand.plan.distinction import tell_apart
    from steadyhand.plan.places import list_places
    from steadyhand.plan.unique import find_contexts

    total = str(found.total) if found.is_all else f"more than {found.total}"
    more = found.total if found.is_all else None
    contexts: Sequence[Context | None] = [None] * len(found.candidates)
    offers: Sequence[Mapping[str, object] | None] = ()
    if edit is not None and policy is not None:
        from steadyhand.plan.corrected import single_out  # only a refusal needs it

        contexts = find_contexts(source, found.candidates)
        offers = single_out(edit, source, policy, found, contexts)
    if found.tier.is_single:
        what = f"the old text is not in {name} as it was sent, and {total} places are about as near to it:"
    elif found.tier.differs:
        what = f"but for {' and '.join(found.tier.differs)}, the old text stands in {total} places of {name}:"
    else:
        what = f"the old text stands in {total} places of {name}:"
    details = {
        "tier": found.tier.name,
        "total": found.total,
        "total_is_exact": found.is_all,
        "candidates": _candidates(source, found, offers, with_numbers=with_numbers),
    }
    message = "\n".join([what, *list_places(source, found.candidates, more)])
    hints: list[Hint] = [tell_apart(source, found.candidates, contexts)]
    if with_numbers and not found.tier.is_single:
        hints.append(ChooseOccurrence(found.total if found.is_all else None))
    return EditError(Kind.AMBIGUOUS_MATCH, message, hint=hints, details=details)


def _candidates(
    source: Source, found: Several, offers: Sequence[Mapping[str, object] | None], *, with_numbers: bool
) -> list[dict[str, object]]:
    """What programs get for each place: also how to ask for it, and an edit that means it alone.

    `unique_old` is the old text of that edit; with the new text that was sent, what it quotes besides would be lost.
    """
    from steadyhand.plan.places import describe_places, occurrences_of

    facts = describe_places(source, found.candidates)
    for fact, number in zip(facts, occurrences_of(found.candidates), strict=True):
        if number is not None and with_numbers and not found.tier.is_single:
            fact["occurrence"] = number
    for fact, offer in zip(facts, offers, strict=False):
        if offer is not None and "new" in offer:
            fact |= {"unique_old": offer["target"], "corrected": dict(offer)}
    return facts


def miscount(name: str, source: Source, found: Miscount) -> EditError:
    """There are more or fewer places than the caller said, or not as many as the occurrence asked for."""
    from steadyhand.plan.places import describe_places, list_places

    places = f"{found.total} place{'' if found.total == 1 else 's'}"
    if found.is_expected:
        what = f"the old text stands in {places} of {name}, not in {found.wanted} as expected:"
        hint: Hint = ExpectCount(found.total)
    else:
        what = f"there is no {_ordinal(found.wanted)} occurrence, the old text stands in {places} of {name}:"
        hint = ChooseOccurrence(found.total)
    return EditError(
        Kind.COUNT_MISMATCH,
        "\n".join([what, *list_places(source, found.candidates, found.total)]),
        hint=hint,
        details={
            "tier": found.tier.name,
            "total": found.total,
            "wanted": found.wanted,
            "candidates": describe_places(source, found.candidates),
        },
    )


def _ordinal(number: int) -> str:
    words = ("first", "second", "third", "fourth", "fifth")
    if number <= len(words):
        return words[number - 1]
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def one_place(name: str, key: str) -> EditError:
    """A target that is no old text is one place, and a further one was asked for."""
    return EditError(
        Kind.COUNT_MISMATCH,
        f"a target by {key} is one place of {name}, and the edit asks for more",
        hint=LeaveOut(("occurrence", "expected")),
        details={"total": 1},
    )


def other_count(name: str, named: str, count: int, expected: int) -> EditError:
    """An address names more or fewer places than the edit expects."""
    return EditError(
        Kind.COUNT_MISMATCH,
        f"{name}: {named} is in {count} place{'' if count == 1 else 's'}, not in {expected} as expected",
        hint=ExpectCount(count),
        details={"count": count, "expected": expected},
    )


def not_together(name: str, first: EditError | None) -> EditError:
    """Edits by address of one call that are right singly and not together."""
    return EditError(
        Kind.OVERLAPPING_EDITS,
        f"{name}: the edits of this call get in each other's way when all see the file as it was"
        + ("" if first is None else f" ({first.message})"),
        hint=OneByOne(),
        details={"batch": "snapshot"} | ({} if first is None else {"kind": str(first.kind), **first.details}),
    )


def too_many(name: str, limit: int) -> EditError:
    """More places than one edit may change."""
    return EditError(
        Kind.TOO_LARGE,
        f"the old text stands in more than {limit} places of {name}",
        hint=QuoteMore(),
        details={"limit": limit},
    )


def overlapping(name: str, index: int, earlier: int, lines: tuple[int, int]) -> EditError:
    """An edit touches what an earlier edit of the call wrote; edits are shown counted from 1."""
    from steadyhand.plan.places import lines_phrase

    where = lines_phrase(*lines)
    return EditError(
        Kind.OVERLAPPING_EDITS,
        f"edit {index + 1} touches what edit {earlier + 1} of the same call has written, {where} of {name}",
        hint=f"make one edit of the two, or send edit {index + 1} in a call of its own",
        details={"earlier": earlier, "lines": list(lines)},
    )


def drift(
    name: str,
    source: Source,
    lines: tuple[int, int],
    expected: str,
    actual: str,
    corrected: Mapping[str, object] | None = None,
    *,
    is_clear: bool = True,
) -> EditError:
    """The place is found, and the very lines to be changed say something else than the edit quotes.

    `lines` are those of the file that are in the way, `expected` and `actual` what the edit and the file have there;
    `corrected` is an edit that would keep both changes. `is_clear` is as in `Drifted`.
    """
    from steadyhand.plan.places import lines_phrase

    where = lines_phrase(*lines)
    verb = "does" if lines[0] == lines[1] else "do"
    what = f"{where} of {name} {verb} not say what the edit would change there"
    hints: list[Hint] = [Reread(name, lines)]
    there = actual or source.table.text(max(min(lines[0], source.table.count) - 1, 0))
    pairs = _pairs(lines[0], expected, there)
    if not is_clear:
        what = f"it is not clear how the new lines at {where} of {name} are to be indented"
        hints = [Say(f"quote {where} exactly, and send every new line with its whole indentation")]
    elif not expected.strip() and not actual.strip():
        what = f"the blank lines around {where} of {name} are not those that the edit quotes"
        hints = [Say(f"read {name} around {where} and quote its blank lines as they are")]
    details: dict[str, object] = {
        "lines": list(lines),
        "expected": clip(expected, width=_LONGEST),
        "actual": clip(actual, width=_LONGEST),
    }
    if corrected is not None:
        details["corrected"] = dict(corrected)
        hints.insert(0, SendCorrected("if both changes are wanted"))
    elif expected.strip() and not actual.strip():
        hints = [Say(f"read {name} around {where}: what the edit would change is not there any more")]
    return EditError(Kind.DRIFT_CONFLICT, "\n".join([what, *pairs]), hint=hints, details=details)


def drift_at(
    name: str, source: Source, drifted: Drifted, edit: Edit | None, span: Span, policy: Policy | None = None
) -> EditError:
    """The same for a place that was built on, with the edit that would keep both changes where there is one.

    It is offered for the `policy` it is sent under; None: nothing is offered.
    """
    from steadyhand.plan.corrected import correct  # only a refusal needs it

    corrected = None if edit is None or policy is None else correct(edit, source, span, policy)
    lines, is_clear = source.lines_of(drifted.span), drifted.is_clear
    return drift(name, source, lines, drifted.expected, drifted.actual, corrected, is_clear=is_clear)


def unclear_words(name: str, source: Source, span: Span) -> EditError:
    """The words are there in another layout, and it is not clear which of equal ones the edit changes."""
    from steadyhand.plan.places import lines_phrase

    first, last = source.lines_of(span)
    where = lines_phrase(first, last)
    return EditError(
        Kind.LOW_CONFIDENCE,
        f"the old text matches {where} of {name} in another layout, and which of equal words it changes is not clear",
        hint=Reread(name, (first, last)),
        details={"lines": [first, last]},
    )


def bad_elisions(name: str, what: str) -> EditError:
    """The new text does not keep what the old text leaves out."""
    return EditError(
        Kind.BAD_REQUEST,
        f"{what}; {name} stays as it is",
        hint="give in the new text the same lines that stand for what is left out, in the same order",
    )


def _pairs(line: int, expected: str, actual: str) -> list[str]:
    """The first two rows that differ, with the difference made visible; none where only blank lines may differ."""
    quoted, there = split_bodies(expected) or [""], split_bodies(actual) or [""]
    if quoted == there or not any(row.strip() for row in (*quoted, *there)):
        return []  # nothing against nothing shows no difference
    shared = min(len(quoted), len(there))
    at = next((row for row in range(shared) if quoted[row] != there[row]), shared)
    sent, has = show_difference(_row(quoted, at), _row(there, at))
    return two_lines(line + at, sent if at < len(quoted) else None, has if at < len(there) else None)


def _row(rows: Sequence[str], at: int) -> str:
    return rows[at] if at < len(rows) else ""


def two_lines(line: int, sent: str | None, there: str | None) -> list[str]:
    """What a line has and what the edit quotes for it, one below the other; None: no such line on that side."""
    has = "nothing" if there is None else there
    return [f"  line {line} has: {has}", f"  you sent{' ' * len(str(line))} : {'nothing' if sent is None else sent}"]


def no_change(name: str, what: str, hint: str = "send the new text that is wanted") -> EditError:
    """The edit would leave everything as it is."""
    return EditError(Kind.NO_CHANGE, f"{what}; {name} would stay as it is", hint=hint)


def made_before(name: str, source: Source, span: Span) -> EditError:
    """The lines that an edit would add stand beside the quoted ones."""
    from steadyhand.plan.places import lines_phrase

    lines = source.lines_of(span)
    return EditError(
        Kind.ALREADY_APPLIED,
        f"the lines to be added stand beside {lines_phrase(*lines)} of {name} already",
        hint="if they are wanted twice, quote the lines on both sides of where they go",
        details={"lines": list(lines)},
    )


def empty_old(name: str, *, is_patch: bool = False) -> EditError:
    """Nothing is quoted, so nothing says where; the line numbers of a patch are hints and no place."""
    if is_patch:
        return EditError(
            Kind.BAD_REQUEST,
            f"a part of the patch only adds lines and has no line of {name} around them",
            hint="send it with lines that stay around what is added, as `git diff -U3` prints them",
        )
    return EditError(
        Kind.BAD_REQUEST,
        f"the old text is empty, and {name} is not",
        hint="quote the text to replace; to add text, insert before or after a quoted line",
    )


def not_text(name: str) -> EditError:
    """The file cannot be edited as text."""
    return EditError(
        Kind.NOT_TEXT,
        f"{name} is not text: it holds NUL bytes and bytes of no known encoding",
        hint=NameEncoding(is_binary=True),
    )


def reason_required(index: int) -> EditError:
    """The policy wants to know why."""
    return EditError(Kind.REASON_REQUIRED, f"edit {index + 1} gives no reason", hint=GiveReason())
