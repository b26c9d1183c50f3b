"""What a refused edit is answered with: path, 1-based lines and columns, and one concrete next call.

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
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import clip, show_difference

_LONGEST = 4_000  # code points of one side of a drift

if TYPE_CHECKING:
    from steadyhand.plan.edit import Edit
    from steadyhand.plan.merge_window import Drifted
    from steadyhand.plan.places import Context
    from steadyhand.plan.policy import Policy


def refused(name: str, refusal: Refusal) -> EditError:
    """The refusal of a target or an action, with the file's name before its message."""
    return EditError(refusal.kind, f"{name}: {refusal.message}", hint=refusal.advice, details=refusal.details)


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
    from steadyhand.plan.places import find_contexts, list_places, tell_apart

    total = str(found.total) if found.is_all else f"more than {found.total}"
    more = found.total if found.is_all else None
    contexts: Sequence[Context | None] = [None] * len(found.candidates)
    offers: Sequence[Mapping[str, object] | None] = ()
    if edit is not None and policy is not None:
        from steadyhand.plan.absent import single_out  # only a refusal needs it

        contexts = find_contexts(source, found.candidates)
        offers = single_out(edit, source, policy, found, contexts)
    if found.tier.is_single:
        what = f"old text is not in {name}; {total} places are about equally similar:"
    elif found.tier.differs:
        what = f"old text matches {total} places in {name}, ignoring {' and '.join(found.tier.differs)}:"
    else:
        what = f"old text matches {total} places in {name}:"
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
        what = f"old text matches {places} in {name}, not {found.wanted} as expected:"
        hint: Hint = ExpectCount(found.total)
    else:
        what = f"there is no occurrence {found.wanted}: old text matches {places} in {name}:"
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


def one_place(name: str, key: str) -> EditError:
    """A target that is no old text is one place, and a further one was asked for."""
    return EditError(
        Kind.COUNT_MISMATCH,
        f"a target by {key} is one place in {name}; the edit asks for more",
        hint=LeaveOut(("occurrence", "expected")),
        details={"total": 1},
    )


def other_count(name: str, named: str, count: int, expected: int) -> EditError:
    """An address names more or fewer places than the edit expects."""
    return EditError(
        Kind.COUNT_MISMATCH,
        f"{name}: {named} matches {count} place{'' if count == 1 else 's'}, not {expected} as expected",
        hint=ExpectCount(count),
        details={"count": count, "expected": expected},
    )


def not_together(name: str, first: EditError | None) -> EditError:
    """Edits by address of one call that are right singly and not together."""
    return EditError(
        Kind.OVERLAPPING_EDITS,
        f"{name}: the edits of this call conflict when all apply to the original file"
        + ("" if first is None else f" ({first.message})"),
        hint=OneByOne(),
        details={"batch": "snapshot"} | ({} if first is None else {"kind": str(first.kind), **first.details}),
    )


def too_many(name: str, limit: int) -> EditError:
    """More places than one edit may change."""
    return EditError(
        Kind.TOO_LARGE,
        f"old text matches more than {limit} places in {name}",
        hint=QuoteMore(),
        details={"limit": limit},
    )


def overlapping(name: str, index: int, earlier: int, lines: tuple[int, int]) -> EditError:
    """An edit touches what an earlier edit of the call wrote; edits are shown counted from 1."""
    from steadyhand.plan.places import lines_phrase

    where = lines_phrase(*lines)
    return EditError(
        Kind.OVERLAPPING_EDITS,
        f"edit {index + 1} overlaps what edit {earlier + 1} of this call wrote, {where} of {name}",
        hint=f"merge the two edits, or send edit {index + 1} in a second call",
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
    what = f"{where} of {name} {'differs' if lines[0] == lines[1] else 'differ'} from the old text"
    hints: list[Hint] = [Reread(name, lines)]
    there = actual or source.table.text(max(min(lines[0], source.table.count) - 1, 0))
    pairs = _pairs(lines[0], expected, there)
    if not is_clear:
        what = f"the indentation of the new lines at {where} of {name} is ambiguous"
        hints = [Say(f"copy {where} exactly, and send every new line with its full indentation")]
    elif not expected.strip() and not actual.strip():
        what = f"the blank lines around {where} of {name} differ from the old text"
        hints = [Say(f"read {name} around {where} and copy its blank lines")]
    details: dict[str, object] = {
        "lines": list(lines),
        "expected": clip(expected, width=_LONGEST),
        "actual": clip(actual, width=_LONGEST),
    }
    if corrected is not None:
        details["corrected"] = dict(corrected)
        hints.insert(0, SendCorrected("to keep both changes"))
    elif expected.strip() and not actual.strip():
        hints = [Say(f"read {name} around {where}: the text to change is gone")]
    return EditError(Kind.DRIFT_CONFLICT, "\n".join([what, *pairs]), hint=hints, details=details)


def drift_at(
    name: str, source: Source, drifted: Drifted, edit: Edit | None, span: Span, policy: Policy | None = None
) -> EditError:
    """The same for a place that was built on, with the edit that would keep both changes where there is one.

    It is offered for the `policy` it is sent under; None: nothing is offered.
    """
    from steadyhand.plan.absent import correct  # only a refusal needs it

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
        f"old text matches {where} of {name} in another layout; which of several equal words to change is ambiguous",
        hint=Reread(name, (first, last)),
        details={"lines": [first, last]},
    )


def bad_elisions(name: str, what: str) -> EditError:
    """The new text does not keep what the old text leaves out."""
    return EditError(
        Kind.BAD_REQUEST,
        f"{what}; {name} stays as it is",
        hint="repeat the same placeholder lines in the new text, in the same order",
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
    return [f"  line {line}: {has}", f"  you sent: {'nothing' if sent is None else sent}"]


def no_change(name: str, what: str, hint: str = "send a different new text") -> EditError:
    """The edit would leave everything as it is."""
    return EditError(Kind.NO_CHANGE, f"{what}; {name} would not change", hint=hint)


def made_before(name: str, source: Source, span: Span) -> EditError:
    """The lines that an edit would add stand beside the quoted ones."""
    from steadyhand.plan.places import lines_phrase

    lines = source.lines_of(span)
    return EditError(
        Kind.ALREADY_APPLIED,
        f"the lines to add are already next to {lines_phrase(*lines)} of {name}",
        hint="to add them twice, quote the lines on both sides",
        details={"lines": list(lines)},
    )


def empty_old(name: str, *, is_patch: bool = False) -> EditError:
    """Nothing is quoted, so nothing says where; the line numbers of a patch are hints and no place."""
    if is_patch:
        return EditError(
            Kind.BAD_REQUEST,
            f"a part of the patch only adds lines, without context from {name}",
            hint="include unchanged lines around the addition, as `git diff -U3` prints them",
        )
    return EditError(
        Kind.BAD_REQUEST,
        f"old text is empty, but {name} is not",
        hint="quote the text to replace, or insert next to a quoted line",
    )


def not_text(name: str) -> EditError:
    """The file cannot be edited as text."""
    return EditError(
        Kind.NOT_TEXT,
        f"{name} is not text: NUL bytes, no known encoding",
        hint=NameEncoding(is_binary=True),
    )


def reason_required(index: int) -> EditError:
    """The policy wants to know why."""
    return EditError(Kind.REASON_REQUIRED, f"edit {index + 1} has no reason", hint=GiveReason())
