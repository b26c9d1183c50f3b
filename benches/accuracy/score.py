"""How an answer is judged. Independent of every engine: the folding here is the judge's own, not Steadyhand's.

For a case that must apply: *correct* is the expected text to the byte; *near* the right place where only whitespace or
typography differs; *refused* an error with the file as it was; everything else *wrong*. For a case that must be
refused: *correct* is an error with the file as it was, everything else *wrong*. *crash* is no answer at all.

Where indentation has meaning, other indentation is not near. An edit reported as applied that left the file as it was,
and an error that left the file changed, are wrong; `how` tells them apart.

Under another policy than the usual one the same holds, and besides (`how` is *by policy*):

- `on_drift="merge"` asks to join the edit with what someone else made of the very lines it changes. Of a case that must
  be refused for such a conflict a result is correct if the words that went and came are the edit's own, no more and no
  fewer (`changes_the_same`), and no line is indented otherwise for it.
- `on_drift="new"` asks for the new text there. Such a result is correct, too, if the lines that came are the edit's own
  and no more lines went than it takes away, each like one of those (`puts_the_new_lines`).
- a policy or a tool that finds only exact text writes new text as it is sent. A result is correct, too, if it is the
  file with the old text, which is there once, replaced by the new text to the byte.
- `partial` keeps what can be applied of a call that is refused. The file must then be what the edits it names as kept
  make of it, and the case counts as refused.

All other cases that must be refused (not found, several places, places that nearly match, already done, an empty old
text) must be refused under every policy: there is nothing that a policy could ask for.

An *offer* is what a refusal gives to send instead; it was sent as it is. *right*: it gave the expected text, or, where
the case must be refused for a conflict or for several places, it changed the edit's own words and no others. *again*:
it was refused again. *wrong*: everything else, so any correction of an edit that is for another file or done already.
An old text that is offered alone is sent with the new text of the refused edit, and judged the same; in a conflict that
writes over what someone else wrote. A candidate that a guard refuses for what it would write says nothing about the
place, and is right.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import Literal, get_args

from benches.accuracy.adapters.strfind import ops_of_diff, replace_all
from benches.accuracy.cases import Case
from benches.accuracy.question import Answer, Offer, Op

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


OfferScore = Literal["right", "again", "wrong"]
OFFER_SCORES: tuple[OfferScore, ...] = get_args(OfferScore)

_CONFLICT = ("*refuse-stale-conflict", "*refuse-diff-conflict")
_SEVERAL = ("*-ambiguous", "*-ambiguous-ws", "*-near-dup")
_WORD = re.compile(r"\w+|[^\w\s]")
_LIKE = 0.5  # how like a line must be to pass for a version of another


@dataclass(frozen=True, slots=True)
class Rules:
    """What the policy asks for besides.

    `keeps`       what can be applied of a call that is refused
    `is_literal`  new text as it is sent, where the old text is there to the byte
    """

    drift: Literal["refuse", "merge", "new"] = "refuse"
    keeps: bool = False
    is_literal: bool = False


USUAL = Rules()


@dataclass(frozen=True, slots=True)
class Verdict:
    """One case's score; `how` says what kind of wrong, or that a policy asked for it. `offers` are in their order."""

    case: Case
    answer: Answer
    score: Score
    how: Literal["", "other text", "no-op", "partial", "by policy"] = ""
    offers: tuple[OfferScore, ...] = ()


def judge(case: Case, answer: Answer, rules: Rules = USUAL) -> Verdict:
    """The score of one answer and of what it offers."""
    score, how = _judge(case, answer, rules)
    return Verdict(case, answer, score, how, tuple(judge_offer(case, offer) for offer in answer.offers))


def _judge(
    case: Case, answer: Answer, rules: Rules
) -> tuple[Score, Literal["", "other text", "no-op", "partial", "by policy"]]:
    untouched = answer.text == case.question.before
    if answer.crashed:
        return "crash", ""
    if not answer.applied:
        if not untouched and not (rules.keeps and is_kept(case, answer)):
            return "wrong", "partial"
        return "refused" if case.must_apply else "correct", "" if untouched else "by policy"
    if answer.text == case.expected:
        return "correct", ""
    if untouched:
        return "wrong", "no-op"
    if case.expected is not None and (
        answer.text in case.near or looks_alike(answer.text, case.expected, case.language)
    ):
        return "near", ""
    if rules.is_literal and case.must_apply and answer.text == replace_all(case.question.before, ops_of(case)).text:
        return "correct", "by policy"
    if _is_one_of(case, _CONFLICT) and (
        (rules.drift != "refuse" and changes_the_same(case, answer.text))
        or (rules.drift == "new" and puts_the_new_lines(case, answer.text))
    ):
        return "correct", "by policy"
    return "wrong", "other text"


def judge_offer(case: Case, offer: Offer) -> OfferScore:
    """What came of sending an offer."""
    if offer.text is None:
        is_guarded = offer.what == "candidate" and offer.detail.startswith("breaks-syntax")
        return "right" if is_guarded else "again"
    if case.expected is not None and (
        offer.text == case.expected or looks_alike(offer.text, case.expected, case.language)
    ):
        return "right"
    # A candidate is one place of several, so also where only another one gives the expected text.
    is_place = offer.what == "candidate" and (case.must_apply or _is_several(case))
    may_change = is_place or _is_one_of(case, _CONFLICT)
    return "right" if may_change and changes_the_same(case, offer.text) else "wrong"


def _is_several(case: Case) -> bool:
    return _is_one_of(case, _SEVERAL)


def _is_one_of(case: Case, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(case.category, pattern) for pattern in patterns)


def ops_of(case: Case) -> tuple[Op, ...]:
    """What the edit takes away and puts there; none for a case that only an engine can take apart."""
    return case.question.ops or (tuple(ops_of_diff(case.question.text)) if case.kind == "diff" else ())


def is_kept(case: Case, answer: Answer) -> bool:
    """Whether the file is what the kept edits make of it: to the byte where their old texts are exact, or by words.

    A whole diff or reply, whose parts have no numbers that all would agree on, keeps nothing.
    """
    kept = [op for index, op in enumerate(case.question.ops) if index in answer.kept]
    if not kept:
        return False
    plain = replace_all(case.question.before, kept)
    return answer.text == plain.text if plain.applied else _gone_and_come(case, answer.text) == _of_ops(kept)


def changes_the_same(case: Case, after: str) -> bool:
    """Whether the words that went and came are those of the edit, and no line is indented otherwise for it."""
    ops = ops_of(case)
    return bool(ops) and _gone_and_come(case, after) == _of_ops(ops) and _keeps_indents(case.question.before, after)


def puts_the_new_lines(case: Case, after: str) -> bool:
    """Whether the lines that came are those of the edit, and those that went are versions of lines that it removes."""
    ops, before = ops_of(case), case.question.before
    gone, come = _lines_between(before, after)
    removed, added = Counter[str](), Counter[str]()
    for op in ops:
        one, other = _lines_between(op.old, op.new)
        removed, added = removed + one, added + other
    if not ops or come != added or gone.total() > removed.total():
        return False
    versions = all(any(_alike(line, other) for other in removed) for line in gone)
    return versions and _keeps_indents(before, after)


def _gone_and_come(case: Case, after: str) -> tuple[Counter[str], Counter[str]]:
    return _between(_words(case.question.before), _words(after))


def _of_ops(ops: Sequence[Op]) -> tuple[Counter[str], Counter[str]]:
    return _between(_words("\n".join(op.old for op in ops)), _words("\n".join(op.new for op in ops)))


def _between(left: Counter[str], right: Counter[str]) -> tuple[Counter[str], Counter[str]]:
    return left - right, right - left


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.translate(_PLAIN)))


def _lines_between(left: str, right: str) -> tuple[Counter[str], Counter[str]]:
    lines = (Counter(filter(None, (" ".join(line.split()) for line in text.splitlines()))) for text in (left, right))
    return _between(*lines)


def _alike(left: str, right: str) -> bool:
    return SequenceMatcher(None, left, right, autojunk=False).ratio() >= _LIKE


def _keeps_indents(before: str, after: str) -> bool:
    """Whether lines that changed one for one, with the same first word, begin where they began.

    >>> _keeps_indents("  a(1)\nb\n", "  a(2)\nb\n"), _keeps_indents("  a(1)\n  b\n", "a(2)\n  b\n")
    (True, False)
    """
    return all(_indent(old) == _indent(new) for old, new in _changed_lines(before, after))


def _changed_lines(before: str, after: str) -> Iterator[tuple[str, str]]:
    left, right = before.splitlines(), after.splitlines()
    for tag, start, end, other, other_end in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "replace" and end - start == other_end - other:
            for old, new in zip(left[start:end], right[other:other_end], strict=True):
                if _WORD.findall(old)[:1] == _WORD.findall(new)[:1] != []:
                    yield old, new


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


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
