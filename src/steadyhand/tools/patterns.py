"""What a search looks for: a text as it is, or a regular expression that cannot take more time or memory than it may.

A pattern is looked for in one line at a time, cut where it is very long, each time under a limit. What would let the
engine run away all the same is refused: recursion, approximate matching, counts that multiply, too many groups.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.schema import bad_request
from steadyhand.text.lines import split_bodies
from steadyhand.workspace.deadline import Deadline

if TYPE_CHECKING:
    import regex

__all__ = ["LONGEST_LINE", "Found", "LinePattern", "LiteralText", "read_query"]

LONGEST_LINE: Final = 20_000
_LONGEST: Final = 1_000
_SECONDS: Final = 0.25
_LARGEST: Final = 250_000
_MOST_GROUPS: Final = 100
_SIMPLER: Final = "send a simpler one"
_CALLS: Final = lazy_pattern(r"\(\?(?:R|[+-]?[0-9]+|&|P>)")
_ROUGHLY: Final = lazy_pattern(r"\{(?=[^{}]*[eids])[0-9eids<=+, ]+(?::[^{}]*)?\}")
_COUNT: Final = lazy_pattern(r"\{([0-9]+),?([0-9]+)?\}|\{,([0-9]+)\}")

Found = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LiteralText:
    """A text that is looked for as it is; it may span lines."""

    text: str

    def find(self, text: str, deadline: Deadline) -> Iterator[Found]:
        """Where it occurs, as line and column from 1, once for each line it begins in, until the deadline.

        >>> list(LiteralText("b").find("abb\\r\\nb", Deadline.after(1)))
        [(1, 2), (2, 1)]
        """
        if "\r" in text:  # a line for a line, so that lines and columns stay what they are
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        start = line = 0
        while (at := text.find(self.text, start)) >= 0 and not deadline.is_over:
            line += text.count("\n", start, at)
            begin = text.rfind("\n", 0, at) + 1
            yield line + 1, at - begin + 1
            start = text.find("\n", at) + 1
            if start == 0:
                return
            line += 1


@dataclass(frozen=True, slots=True)
class LinePattern:
    """A regular expression that is looked for within lines."""

    pattern: regex.Pattern[str]

    def find(self, text: str, deadline: Deadline) -> Iterator[Found]:
        """Where it fits, likewise. Refuses with `timed-out` a pattern that takes too long in one line."""
        for line, body in enumerate(split_bodies(text), 1):
            if deadline.is_over:
                return
            try:
                found = self.pattern.search(body[:LONGEST_LINE], timeout=_SECONDS)
            except TimeoutError:
                raise _too_slow(line) from None
            if found is not None:
                yield line, found.start() + 1

    def overlooks(self, text: str) -> bool:
        """Whether a line is too long to be looked at whole."""
        return len(text) > LONGEST_LINE and any(len(body) > LONGEST_LINE for body in split_bodies(text))


def read_query(query: str, *, is_regex: bool) -> LiteralText | LinePattern:
    """What to look for. Refuses with `bad-request`, for a broken pattern with the position."""
    if not query:
        raise bad_request("query", "it is empty", "send the text to look for")
    if not is_regex:
        return LiteralText(query.replace("\r\n", "\n").replace("\r", "\n"))
    _check(query)
    import regex

    try:
        return LinePattern(regex.compile(query))
    except regex.error as error:
        raise _broken(getattr(error, "msg", "it is broken"), getattr(error, "pos", None)) from None
    except (RecursionError, OverflowError, ValueError, KeyError, MemoryError):
        raise bad_request("query", "the pattern cannot be read", _SIMPLER) from None


def _check(query: str) -> None:
    """Refuse what the engine can be made to run away with; what only looks so goes with it."""
    if len(query) > _LONGEST or query.count("(") > _MOST_GROUPS:
        raise bad_request("query", f"the pattern is longer than {_LONGEST} characters or has too many groups", _SIMPLER)
    plain = re.sub(r"\\.", "__", query, flags=re.DOTALL)
    for refused, what in ((_CALLS, "a pattern that calls itself"), (_ROUGHLY, "an approximate pattern")):
        if found := refused.search(plain):
            hint = "write it without; put a backslash before a literal brace or parenthesis"
            raise _broken(f"{what} is not taken", found.start(), hint)
    counts = [max(int(number) for number in (*found.groups("0"), "1")) for found in _COUNT.finditer(query)]
    if math.prod(counts) * len(query) > _LARGEST:  # written out by the engine, each for every one around it
        raise bad_request("query", "its counts come to too much", "say + or * instead of large counts")


def _broken(what: str, position: int | None, hint: str | None = None) -> EditError:
    where = "" if position is None else f" at position {position}"
    return EditError(
        Kind.BAD_REQUEST,
        f"query: {what}{where}",
        hint=hint or "fix the pattern, or leave out isRegex to search for plain text",
        details={"field": "query", "position": position},
    )


def _too_slow(line: int) -> EditError:
    return EditError(
        Kind.TIMED_OUT,
        f"the pattern takes too long in line {line}",
        hint="send one without repeats inside repeats, such as a+ for (a+)+, or look for plain text",
        details={"field": "query", "line": line},
    )
