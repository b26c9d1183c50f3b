"""What a contestant is asked, what it answers, and the loop that does so inside its process. Standard library only.

A question is a line of JSON on standard input, an answer a line on standard output; the first line out is the greeting.

1. One question, one answer, in order. What an adapter raises is an answer too: a crash.
2. Whatever a contestant prints goes to standard error; the answers have a descriptor of their own.
3. A kind of question without an adapter is not asked: the greeting names those that have one.
"""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import Literal, get_args

Kind = Literal["ops", "diff", "snippet", "reply"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Op:
    """Old text and the new text to put in its place."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Question:
    """A file and an edit of it: `ops` in order, all or none, or the `text` of a diff, a snippet, a reply.

    Beside a text, `ops` is what it says, where that is known: for the judge, not for who is asked.
    """

    kind: Kind
    path: str
    before: str
    ops: tuple[Op, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a refusal offers to send instead, sent as it is: the text it gave, or None where it was refused again.

    `corrected` is the one edit that is offered in the place of the refused one, `candidate` one of several places,
    `old` an old text alone, which is sent with the new text of the refused edit.
    """

    what: Literal["corrected", "candidate", "old"]
    text: str | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of the file, whether the contestant said it applied the edit, and in which words.

    `kept` are the edits, counted from 0, that a refused call says it applied all the same.
    """

    applied: bool
    text: str
    detail: str = ""
    crashed: bool = False
    seconds: float = 0.0
    kept: tuple[int, ...] = ()
    offers: tuple[Offer, ...] = ()


def fenced(text: str, language: str = "") -> str:
    """A text as a model hands it over: in a fence that is longer than any in it.

    >>> fenced("a = 1"), fenced("```\\n", "md")
    ('```\\na = 1\\n```\\n', '````md\\n```\\n````\\n')
    """
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{end}{fence}\n"


Adapter = Callable[[Question], Answer]


def serve(name: str, adapters: Mapping[Kind, Adapter]) -> None:
    """Greet, then answer until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    _say(answers, {"name": name, "kinds": sorted(adapters)})
    for line in sys.stdin:
        question = read_question(json.loads(line))
        _say(answers, asdict(_ask(adapters[question.kind], question)))


def read_question(data: Mapping[str, object]) -> Question:
    fields = dict(data)
    ops = tuple(Op(**op) for op in fields.pop("ops"))  # type: ignore[attr-defined]
    return Question(**fields, ops=ops)  # type: ignore[arg-type]


def read_answer(data: Mapping[str, object]) -> Answer:
    fields = dict(data)
    offers = tuple(Offer(**offer) for offer in fields.pop("offers"))  # type: ignore[attr-defined]
    kept = tuple(fields.pop("kept"))  # type: ignore[arg-type]
    return Answer(**fields, kept=kept, offers=offers)  # type: ignore[arg-type]


def _ask(adapter: Adapter, question: Question) -> Answer:
    started = perf_counter()
    try:
        answer = adapter(question)
    except Exception:  # noqa: BLE001 — how a contestant fails is what is measured
        return Answer(False, question.before, traceback.format_exc()[-2000:], True, perf_counter() - started)
    return answer if answer.seconds else replace(answer, seconds=perf_counter() - started)


def _say(stream: object, data: object) -> None:
    print(json.dumps(data), file=stream, flush=True)  # type: ignore[call-overload]
