"""The words of an edit in the layout of the file: for a statement that the file wraps in another way.

Old text and file have the same tokens; only tokens that the edit changes are written, with the blanks the edit has
between them, and every blank and line break between other tokens stays as it is in the file.
"""

from __future__ import annotations

from steadyhand.match.lexis import Lexis, tokens
from steadyhand.text.diff import diff_rows

__all__ = ["relay"]


def relay(old: str, ours: str, new: str, lexis: Lexis) -> str:
    """`ours` with the tokens that `new` changes with respect to `old`.

    >>> from steadyhand.match.lexis import lexis_of
    >>> relay("f(a, b)", "f(\\n    a,\\n    b\\n)\\n", "f(a, c)", lexis_of("x.py"))
    'f(\\n    a,\\n    c\\n)\\n'
    """
    here, there = tokens(lexis, ours), tokens(lexis, new)
    pieces: list[str] = []
    position = 0
    for change in diff_rows(_texts(old, lexis), [new[start:end] for start, end in there]):
        first, last = change.before_start, change.before_end
        brought = range(change.after_start, change.after_end)
        if change.is_replacement or not first:
            start = here[first][0] if first < len(here) else len(ours)
            text = new[there[brought[0]][0] : there[brought[-1]][1]] if brought else ""
            text += _blanks_behind(new, there, brought.stop) if first == last else ""
        else:
            start = here[first - 1][1]
            text = new[there[brought.start - 1][1] : there[brought[-1]][1]] if brought else ""
        pieces += [ours[position:start], text]
        position = here[last - 1][1] if first < last else start
    return "".join([*pieces, ours[position:]])


def _texts(text: str, lexis: Lexis) -> list[str]:
    return [text[start:end] for start, end in tokens(lexis, text)]


def _blanks_behind(new: str, there: list[tuple[int, int]], token: int) -> str:
    """The blanks between a token and the one before it."""
    return new[there[token - 1][1] : there[token][0]] if token < len(there) else ""
