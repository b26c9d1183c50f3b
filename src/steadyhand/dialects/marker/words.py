"""SEARCH and REPLACE as bare words: around the lines in a fence, or above a fence each.

Words are weak marks. They count only as the first line of a fence or right above one, with lines on both sides, and if
no other fence follows that could make it unclear where the new lines end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steadyhand.dialects.labels import label_in
from steadyhand.dialects.marker.mark import Fence, fence_in, mark_in, refusal, word_in
from steadyhand.dialects.reply import Line

__all__ = ["read_words"]

Worded = tuple[Sequence[Line], Sequence[Line], int]


def read_words(lines: Sequence[Line], fence: Fence | None, *, is_followed: bool) -> Worded | None:
    """Old lines, new lines and how many lines were read, of what follows the word SEARCH; None where it is no part.

    `fence` is the one the word is in, `is_followed` whether another part comes after the lines. Refuses where the
    words are there and it is not clear which lines they mean.
    """
    found = _above_fences(lines) if fence is None else _in_fence(lines, fence)
    if found is None or not _is_filled(found[0]):
        return None
    old, new, end = found
    rest = list(lines[end:])
    while is_followed and rest and (not rest[-1].text.strip() or label_in(rest[-1].text) is not None):
        rest.pop()
    if is_followed and rest and fence_in(rest[-1].text) is not None:
        rest.pop()  # it opens the fence of the part to come
    _check(old, new, rest, lines[end - 1])
    return found


def _in_fence(lines: Sequence[Line], fence: Fence) -> Worded | None:
    """Old and new lines in one fence, or in one each."""
    middle = _find(lines, 0, lambda text: _divides(text) or _closes(text, fence))
    if middle is None:
        return None
    if _closes(lines[middle].text, fence):
        return _replacement(lines, lines[:middle], middle + 1)
    end = _find(lines, middle + 1, lambda text: _closes(text, fence))
    if end is None:
        raise refusal(
            lines[middle].number,
            "the words SEARCH and REPLACE without markers, in a fence that is not closed",
            "<<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE",
        )
    last = _last_filled(lines, middle + 1, end)
    return lines[:middle], lines[middle + 1 : last if last is not None and _ends(lines[last].text) else end], end + 1


def _above_fences(lines: Sequence[Line]) -> Worded | None:
    """The word above a fence with the old lines."""
    return _fenced(lines, 0, lambda old, end: _replacement(lines, old, end))


def _replacement(lines: Sequence[Line], old: Sequence[Line], start: int) -> Worded | None:
    """The new lines: the word REPLACE above a fence, or as the first line in one."""
    at = _next_filled(lines, start)
    if at is None:
        return None
    if word_in(lines[at].text) == "REPLACE":
        return _fenced(lines, at + 1, lambda new, end: (old, new, end))
    fence = fence_in(lines[at].text)
    inner = _next_filled(lines, at + 1)
    if fence is None or inner is None or word_in(lines[inner].text) != "REPLACE":
        return None
    end = _find(lines, inner + 1, lambda text: _closes(text, fence))
    return None if end is None else (old, lines[inner + 1 : end], end + 1)


def _fenced(lines: Sequence[Line], start: int, then: Callable[[Sequence[Line], int], Worded | None]) -> Worded | None:
    """The lines of a fence that is the next thing to come."""
    at = _next_filled(lines, start)
    fence = fence_in(lines[at].text) if at is not None else None
    if at is None or fence is None:
        return None
    end = _find(lines, at + 1, lambda text: _closes(text, fence))
    return None if end is None else then(lines[at + 1 : end], end + 1)


def _check(old: Sequence[Line], new: Sequence[Line], rest: Sequence[Line], last: Line) -> None:
    """Refuses where the lines may be divided, or end, elsewhere."""
    doubtful = next((line for line in (*old, *new) if _divides(line.text) or fence_in(line.text) is not None), None)
    after = next((line for line in rest if fence_in(line.text) is not None), None)
    if doubtful is None and after is None and _is_filled(new):
        return
    raise refusal(
        (doubtful or after or last).number,
        "the words SEARCH and REPLACE without markers, so that it is unclear where the old and new lines end",
        "<<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE",
    )


def _divides(text: str) -> bool:
    mark = mark_in(text)
    return word_in(text) == "REPLACE" or (
        mark is not None and (mark.kind == "replace" or (mark.kind == "divider" and 5 <= mark.size <= 9))
    )


def _ends(text: str) -> bool:
    mark = mark_in(text)
    return word_in(text) == "REPLACE" or (mark is not None and mark.kind in ("replace", "end"))


def _closes(text: str, opened: Fence) -> bool:
    fence = fence_in(text)
    return fence is not None and fence.closes(opened)


def _is_filled(lines: Sequence[Line]) -> bool:
    return any(line.text.strip() for line in lines)


def _find(lines: Sequence[Line], start: int, is_it: Callable[[str], bool]) -> int | None:
    return next((index for index in range(start, len(lines)) if is_it(lines[index].text)), None)


def _next_filled(lines: Sequence[Line], start: int) -> int | None:
    return _find(lines, start, lambda text: bool(text.strip()))


def _last_filled(lines: Sequence[Line], start: int, end: int) -> int | None:
    return next((index for index in range(end - 1, start - 1, -1) if lines[index].text.strip()), None)
