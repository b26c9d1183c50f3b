"""How an answer is judged. Independent of every engine: the folding here is the judge's own, not Steadyhand's.

For a case that must apply: *correct* is the expected text to the byte; *near* the right place where only whitespace or
typography differs; *refused* an error with the file as it was; everything else *wrong*. For a case that must be
refused: *correct* is an error with the file as it was, everything else *wrong*. *crash* is no answer at all.

Where indentation has meaning, other indentation is not near. An edit reported as applied that left the file as it was,
and an error that left the file changed, are wrong; `how` tells them apart.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal, get_args

from benches.accuracy.cases import Case
from benches.accuracy.question import Answer

Score = Literal["correct", "near", "refused", "wrong", "crash"]
SCORES: tuple[Score, ...] = get_args(Score)

_INDENT_HAS_MEANING = frozenset("python yaml markdown makefile haml pug sass coffeescript nim restructuredtext".split())
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00a0\u202f\u2007\u2009", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
        "…": "...",
    }
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One case's score; `how` says what kind of wrong."""

    case: Case
    answer: Answer
    score: Score
    how: Literal["", "other text", "no-op", "partial"] = ""


def judge(case: Case, answer: Answer) -> Verdict:
    """The score of one answer."""
    untouched = answer.text == case.question.before
    if answer.crashed:
        return Verdict(case, answer, "crash")
    if not answer.applied:
        if not untouched:
            return Verdict(case, answer, "wrong", "partial")
        return Verdict(case, answer, "refused" if case.must_apply else "correct")
    if answer.text == case.expected:
        return Verdict(case, answer, "correct")
    if untouched:
        return Verdict(case, answer, "wrong", "no-op")
    if case.expected is not None and (
        answer.text in case.near or looks_alike(answer.text, case.expected, case.language)
    ):
        return Verdict(case, answer, "near")
    return Verdict(case, answer, "wrong", "other text")


def looks_alike(left: str, right: str, language: str) -> bool:
    """Whether only whitespace or typography differs.

    >>> looks_alike("f( x )\\n\\ng\\n", "f(  x )\\r\\n  g", "c"), looks_alike("f(x)", "f(y)", "c")
    (True, False)
    >>> looks_alike("if x:\\n  y\\n", "if x:\\ny\\n", "python")
    False
    """
    keep_indent = language.lower() in _INDENT_HAS_MEANING
    return _folded(left, keep_indent=keep_indent) == _folded(right, keep_indent=keep_indent)


def _folded(text: str, *, keep_indent: bool) -> list[str]:
    plain = unicodedata.normalize("NFC", text.translate(_PLAIN)).replace("\r\n", "\n").replace("\r", "\n")
    lines: list[str] = []
    for line in plain.split("\n"):
        if words := " ".join(line.split()):
            indent = line[: len(line) - len(line.lstrip())] if keep_indent else ""
            lines.append(indent + words)
    return lines
