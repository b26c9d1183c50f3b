"""What a native tool answers, as text: what it changed, or how a refusal becomes such an answer.

A model's mistake is an answer, never an exception: most frameworks hide what an exception says. The first line is
what the tool's documentation promises, where it promises something; what helps comes after it. Of a file with secrets
nothing is shown.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases, SendCorrected, SendOld, render_hints
from steadyhand.lazy import dataclass
from steadyhand.match.tier import STRICT
from steadyhand.schema import Field, Flag, Object, Text
from steadyhand.session.receipt import Receipt
from steadyhand.text.visible import sized
from steadyhand.tools.file_views import Style, snippet
from steadyhand.tools.result import Offer, candidate_offers, candidates_of, main_file, offer_of
from steadyhand.tools.toolsets import NATIVE

# The old text is not in the file as it was sent, whatever else was found there.
NOT_FOUND = (Kind.NO_MATCH, Kind.LOW_CONFIDENCE, Kind.DRIFT_CONFLICT, Kind.ALREADY_APPLIED)

ANSWER = Object.of(
    Field("content", Text(), "What the model reads.", required=True),
    Field("is_error", Flag(), required=True),
    Field("kind", Text(), "Why it was refused."),
    is_open=True,
)

_QUOTED = 3  # places for which an old text is proposed
_QUOTED_LENGTH = 300
_MOST_LINES = 20  # of an answer, as far as it is ours to say how long it is: two short places fit

# The documented sentence says what is wrong; which file it is about was sent.
_SAID_WITH_ADVICE = (Kind.NO_CHANGE, Kind.STALE_SOURCE)
_SAID_BY_ITSELF = (*_SAID_WITH_ADVICE, Kind.EXISTS_ALREADY)

_READ_AGAIN = "read it again and edit its current text"


@sized("content")
@dataclass(frozen=True, slots=True)
class Answer:
    """One call's answer: the text for the model, whether it is an error, and the kind of refusal if it is one."""

    content: str
    is_error: bool = False
    kind: str | None = None

    def to_json(self) -> dict[str, object]:
        """`kind` is left out where there is none."""
        facts: dict[str, object] = {"content": self.content, "is_error": self.is_error}
        return facts if self.kind is None else facts | {"kind": self.kind}


class Worded(EditError):
    """A refusal with the sentence that the tool's documentation has for it; `alone`: nothing else is said."""

    def __init__(self, error: EditError, said: str, *, alone: bool = False) -> None:
        super().__init__(error.kind, error.predicate, subject=error.subject, hint=error.hints, details=error.details)
        self.said = said
        self.alone = alone


@contextlib.contextmanager
def worded(said: Callable[[EditError], str | None]) -> Iterator[None]:
    """Give every refusal of the block its documented sentence, if `said` knows one and it has none yet."""
    try:
        yield
    except Worded:
        raise
    except EditError as error:
        words = said(error)
        if words is None:
            raise
        raise Worded(error, words) from None


def as_texts(old: str, new: str) -> Callable[[Offer], str]:
    """An edit that is offered, as the two fields of these names."""
    return lambda offer: f"{old}:\n{offer.old}\n{new}:\n{offer.new}"


_TEXTS = as_texts("old_string", "new_string")


def answer_refusal(
    error: EditError, phrases: Phrases = NATIVE, render: Callable[[Offer], str] = _TEXTS
) -> dict[str, object]:
    """The answer for a refusal, in its documented words if it has some; `render` gives an edit in the tool's fields.

    >>> print(answer_refusal(EditError(Kind.NO_SUCH_FILE, "there is no file a", hint="name one"))["content"])
    Error: there is no file a
    Hint: name one
    """
    if isinstance(error, Worded) and error.alone:
        return Answer(error.said, is_error=True, kind=str(error.kind)).to_json()
    message = error.message_in(phrases)
    said = _sentences(error, message)
    lines = [*said, *_help_for(error, phrases, render)]
    if error.kind is Kind.AMBIGUOUS_MATCH:
        offers = list(_offers_of_places(error, render, _MOST_LINES - "\n".join(lines).count("\n") - 1))
        if len(said) > 1 and len(offers) == error.details.get("total"):
            lines.remove(message)  # every place is shown, with its line
        lines += offers
    return Answer("\n".join(lines), is_error=True, kind=str(error.kind)).to_json()


def _sentences(error: EditError, message: str) -> list[str]:
    """What is wrong: the documented sentence, and our own where that one does not say it all."""
    if not isinstance(error, Worded):
        return [f"Error: {message}"]
    if error.said.endswith(":"):  # a code
        return [f"{error.said} {message}"]
    if error.kind in _SAID_BY_ITSELF:
        return [error.said]
    rest = error.listing if error.kind in NOT_FOUND else ""  # the sentence says what is wrong
    return [error.said, rest or message]


def matches_of(error: EditError) -> str:
    """How many places an ambiguous old text matches, as far as they were counted."""
    total = error.details.get("total", "several")
    return str(total) if error.details.get("total_is_exact", True) else f"more than {total}"


def lines_of_matches(error: EditError) -> str:
    """The lines at which an ambiguous old text begins."""
    lines = [str(lines[0]) for place in candidates_of(error.details) if isinstance(lines := place.get("lines"), list)]
    has_more = str(len(lines)) != matches_of(error)
    return ", ".join([*dict.fromkeys(lines), *(["…"] if has_more else [])])


def _help_for(error: EditError, phrases: Phrases, render: Callable[[Offer], str]) -> Iterator[str]:
    if isinstance(error, Worded) and error.kind in _SAID_WITH_ADVICE and not error.said.endswith(":"):
        return
    offered = _offered(error, render)
    hint = _READ_AGAIN if offered is None else render_hints(error.hints, phrases)
    if hint is not None:
        yield f"Hint: {hint}"
    yield from offered or ()


def _offers_of_places(error: EditError, render: Callable[[Offer], str], room: int) -> Iterator[str]:
    """For each place an edit that means it alone: the first, the others as far as they fit in so many lines."""
    offers = [each for each in candidate_offers(error)[:_QUOTED] if _is_short(each[1].old) and _is_short(each[1].new)]
    left_out: list[str] = []
    for number, (line, offer) in enumerate(offers):
        said = f"For line {line}:\n{render(offer)}"
        room -= said.count("\n") + 1
        if number and (left_out or room < (number + 1 < len(offers))):
            left_out.append(str(line))
        else:
            yield said
    if left_out:
        yield f"Hint: for line {' or '.join(left_out)}, quote the lines around it in the same way"


def _offered(error: EditError, render: Callable[[Offer], str]) -> list[str] | None:
    """What a hint speaks of and only the details have, which are not shown here; None where it is too much to show."""
    is_said = any(isinstance(hint, SendOld | SendCorrected) and hint.old is not None for hint in error.hints)
    offer, old = offer_of(error), error.details.get("old")
    if is_said or (offer is None and old is None):
        return []
    if offer is None:
        return [f"`old`:\n{old}"] if _is_short(old) else None
    is_shown = _is_short(offer.old) and _is_short(offer.new)
    return [f"`corrected`:\n{render(offer)}"] if is_shown else None


def _is_short(text: object) -> bool:
    return isinstance(text, str) and len(text) <= _QUOTED_LENGTH


# What an answer says of a change: how its place was found, the lines as they are now, and what to look out for.
#
# Of a file with secrets nothing is shown.

_ENDINGS = "line endings"  # which a file keeps, whatever those of the text are


HELD = "Note: held for review"


def tell(receipt: Receipt, *parts: str | None) -> str:
    """The parts that say something, below each other, and what the receipt warns of."""
    warned = [f"Note: {warning}" for warning in receipt.warnings]
    unsure = [] if receipt.durable else ["Note: done, but it may not survive a power cut"]
    held = [HELD] if receipt.held else []
    return "\n".join([*(part for part in parts if part), *warned, *unsure, *held])


def how_found(receipt: Receipt) -> str | None:
    """A sentence for each old text that is not in the file exactly as it was sent; None where all do."""
    several = len(receipt.files) > 1
    said = [
        f"Matched line {outcome.lines[0]}{f' of {outcome.path}' if several else ''} ignoring {' and '.join(differs)}."
        for outcome in receipt.outcomes
        if outcome.applied and outcome.lines and (differs := [each for each in outcome.differs if each != _ENDINGS])
    ]
    return "\n".join(said) or None


def lines_now(receipt: Receipt, style: Style) -> str:
    """The lines that were written and a few around them, numbered; empty where nothing may be shown."""
    file = main_file(receipt)
    written = [outcome.lines for outcome in receipt.outcomes if outcome.applied and outcome.lines]
    if file.redacted or not written:
        return ""
    return snippet(file.present.text, written, style, file.changed_columns())


def replacements(receipt: Receipt) -> int | None:
    """At how many places old text was replaced; None where the places were not literal ones."""
    if any(outcome.tier not in STRICT for outcome in receipt.outcomes if outcome.applied):
        return None
    return sum(len(outcome.splices) for outcome in receipt.outcomes)


def was_created(receipt: Receipt) -> bool:
    """Whether the file is new."""
    return main_file(receipt).status == "created"
