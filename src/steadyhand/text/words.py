"""Splitting a line into words, for diffs that people read, and into tokens, which a merge never splits. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Literal

from steadyhand.lazy import lazy_pattern
from steadyhand.text.diff import diff_rows, shared_prefix, shared_rows
from steadyhand.text.span import Span

__all__ = ["WINDOW", "shared_words", "sort_of", "split_tokens", "split_words", "token_around", "word_changes"]

_WORD = lazy_pattern(r"\w+|\s+|[^\w\s]")
# A token's characters are all but blanks and ASCII signs, so that combining marks stay with their letters. Signs that
# join what is on both sides of them make one value of it: 1.2.3, a-dashed-name, 10:30, a/b, me@home, A::f, p->q,
# 1,000.
_LETTER = r"[^\s\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]"
_JOINT = r"(?:::|->|[-.:/@+'\\~]|(?<=[0-9]),(?=[0-9]))"
_TOKEN = lazy_pattern(rf"{_LETTER}+(?:{_JOINT}{_LETTER}+)*|[^\S\r\n]+|\r\n|[\s\S]")
WINDOW = 2_000  # code points on each side in which a token is looked for
_LONGEST = 20_000  # code points; beyond this only the shared ends are looked at
_SHARED = 0.3  # of the longer line; below this the words in common are chance


def split_words(line: str) -> list[str]:
    """Words, runs of blanks and single signs; joined they are the line again.

    >>> split_words("a += 10")
    ['a', ' ', '+', '=', ' ', '10']
    """
    return _WORD.findall(line)


def split_tokens(text: str) -> list[str]:
    """The parts that only one of two changes may touch: numbers, versions, dotted and hyphenated names, blanks, signs.

    >>> split_tokens("a.b = v1.2.3-rc1, 0x10")
    ['a.b', ' ', '=', ' ', 'v1.2.3-rc1', ',', ' ', '0x10']
    """
    return _TOKEN.findall(text)


def token_around(text: str, span: Span) -> Span:
    """A span grown so that it takes no token of its lines apart; a blank or a sign is one by itself.

    >>> token_around("v = 1.2.3", Span(6, 7))
    Span(start=4, end=9)
    """
    first = max(text.rfind("\n", 0, span.start) + 1, span.start - WINDOW)
    last = min(len(text), span.end + WINDOW)
    start, end = span
    for found in _TOKEN.finditer(text, first, last):
        if found.start() < span.start < found.end():
            start = found.start()
        if found.start() < span.end < found.end():
            end = found.end()
        if found.start() >= span.end:
            break
    return Span(start, end)


def sort_of(char: str) -> Literal["word", "blank", "ending", "sign"]:
    """Which sort a character is of: neighbours of one sort belong together, but for signs that stand alone."""
    if char in (" ", "\t"):
        return "blank"
    return "word" if char.isalnum() or char == "_" else "ending" if char in "\r\n" else "sign"


def shared_words(before: str, after: str) -> tuple[int, int]:
    """How many code points two texts share at the start and at the end, in whole words.

    The word next to what differs is left out on each side, with the blanks between.

    >>> shared_words("f(a, b, c)", "f(a, x, c)")
    (3, 3)
    """
    if max(len(before), len(after)) > _LONGEST:
        return 0, 0
    one, two = split_words(before), split_words(after)
    head, tail = shared_rows(one, two)
    head, tail = _without_last(one[:head]), _without_last(one[len(one) - tail :][::-1])
    return sum(map(len, one[:head])), sum(map(len, one[len(one) - tail :]))


def _without_last(words: Sequence[str]) -> int:
    """How many words are left without the last that is no blank."""
    count = len(words)
    while count and words[count - 1].isspace():
        count -= 1
    return max(count - 1, 0)


def word_changes(before_line: str, after_line: str) -> tuple[list[Span], list[Span]]:
    """The spans that differ on each side; the whole line where little is shared.

    >>> word_changes("total = price * 2", "total = price * count")
    ([Span(start=16, end=17)], [Span(start=16, end=21)])
    """
    if before_line == after_line:
        return [], []
    if max(len(before_line), len(after_line)) > _LONGEST:
        return _between_shared_ends(before_line, after_line)
    before, after = split_words(before_line), split_words(after_line)
    changes = diff_rows(before, after)
    left = _spans(before, [(change.before_start, change.before_end) for change in changes])
    right = _spans(after, [(change.after_start, change.after_end) for change in changes])
    if _shared_share(before_line, after_line, left) < _SHARED:
        return _whole(before_line), _whole(after_line)
    return left, right


def _spans(words: Sequence[str], ranges: Iterable[tuple[int, int]]) -> list[Span]:
    """Ranges of words as spans; two that only blanks keep apart are one, so that a phrase reads as a phrase."""
    starts = list(accumulate(map(len, words), initial=0))
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if start == end:
            continue
        if joined and all(word.isspace() for word in words[joined[-1][1] : start]):
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return [Span(starts[start], starts[end]) for start, end in joined]


def _shared_share(before_line: str, after_line: str, left: Sequence[Span]) -> float:
    """How much of the longer line is unchanged on the left, blanks not counted."""
    changed = sum(_visible(span.of(before_line)) for span in left)
    longer = max(_visible(before_line), _visible(after_line))
    return 1.0 if longer == 0 else (_visible(before_line) - changed) / longer


def _visible(text: str) -> int:
    return sum(map(len, text.split()))


def _whole(line: str) -> list[Span]:
    return [Span(0, len(line))] if line else []


def _between_shared_ends(before: str, after: str) -> tuple[list[Span], list[Span]]:
    head = shared_prefix(before, after)
    tail = shared_prefix(before[head:][::-1], after[head:][::-1])
    spans = Span(head, len(before) - tail), Span(head, len(after) - tail)
    return [span for span in spans[:1] if not span.is_empty], [span for span in spans[1:] if not span.is_empty]


def is_one_word(left: str, right: str) -> bool:
    """Whether two characters that are side by side belong together: letters and digits, or signs."""
    if not left or not right or left.isspace() or right.isspace():
        return False
    return sort_of(left) == sort_of(right)
