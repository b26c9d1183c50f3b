"""What an answer says of a change: how its place was found, the lines as they are now, and what to look out for.

Of a file with secrets nothing is shown.
"""

from __future__ import annotations

from steadyhand.match.tier import STRICT
from steadyhand.session.receipt import Receipt
from steadyhand.tools.numbered import Style, snippet
from steadyhand.tools.result import main_file

__all__ = ["how_found", "lines_now", "replacements", "tell", "was_created"]

_ENDINGS = "line endings"  # which a file keeps, whatever those of the text are


def tell(receipt: Receipt, *parts: str | None) -> str:
    """The parts that say something, below each other, and what the receipt warns of."""
    warned = [f"Note: {warning}" for warning in receipt.warnings]
    unsure = [] if receipt.durable else ["Note: done, but it may not survive a power cut"]
    return "\n".join([*(part for part in parts if part), *warned, *unsure])


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
