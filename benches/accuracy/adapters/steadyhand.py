"""Steadyhand: one function per kind of case. A dialect that reads another kind adds its function here.

Whatever a refusal offers is sent as it is, on the same text and under the same policy. Where a call of several edits is
refused for another of them next, what that one is offered is sent too; an offer behind which a refusal without an offer
remains is left out, because nothing can be said of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import steadyhand as sh
from benches.accuracy.left_out import leave_out
from benches.accuracy.question import Adapter, Answer, Kind, Offer, Question, fenced, serve
from benches.accuracy.ways import way_named

Edit = sh.Replace | Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Asked:
    """Steadyhand under one policy."""

    policy: sh.Policy

    def replace(self, question: Question) -> Answer:
        """All ops in one call, on bytes, as a file is."""
        edits: list[Edit] = [sh.Replace(op.old, op.new) for op in question.ops]
        started = perf_counter()
        result = self._edit(question, edits)
        return _answer(result, perf_counter() - started, self._offers(question, edits, result))

    def patch(self, question: Question) -> Answer:
        """A diff or a whole reply; nobody says in which format it is."""
        return self._patch(question, question.text)

    def snippet(self, question: Question) -> Answer:
        """A snippet in a fence, as it comes from a model, with or without marks for what stays."""
        return self._patch(question, fenced(question.text))

    def _patch(self, question: Question, reply: str) -> Answer:
        started = perf_counter()
        result = sh.patch(question.before.encode(), reply, path=question.path, policy=self.policy)
        seconds = perf_counter() - started
        is_single = len(result.outcomes) == 1  # of several hunks the others would have to be sent again too
        return _answer(result, seconds, self._offers(question, [{}], result) if is_single else iter(()))

    def _edit(self, question: Question, edits: Sequence[Edit]) -> sh.Result[bytes]:
        return sh.edit(question.before.encode(), edits, path=question.path, policy=self.policy)

    def _offers(self, question: Question, edits: Sequence[Edit], result: sh.Result[bytes]) -> Iterator[Offer]:
        for outcome in result.outcomes:
            if outcome.error is None:
                continue
            details = outcome.error.details
            corrected, candidates = details.get("corrected"), details.get("candidates")
            if isinstance(corrected, Mapping):
                yield from self._sent(question, edits, outcome.index, corrected, "corrected")
            elif isinstance(old := details.get("old"), str) and (new := _new_of(edits[outcome.index])) is not None:
                yield from self._sent(question, edits, outcome.index, {"target": old, "new": new}, "old")
            for place in candidates if isinstance(candidates, list) else ():
                if (pair := pair_of(place, edits[outcome.index])) is not None:
                    yield from self._sent(question, edits, outcome.index, pair, "candidate")

    def _sent(self, question: Question, edits: Sequence[Edit], index: int, edit: Edit, what: str) -> Iterator[Offer]:
        tried: list[Edit] = [*edits[:index], edit, *edits[index + 1 :]]
        for _ in edits:
            result = self._edit(question, tried)
            refused = next((outcome for outcome in result.outcomes if outcome.error is not None), None)
            error = result.error if refused is None else refused.error
            if error is None:
                yield Offer(what, result.text.decode())  # type: ignore[arg-type]
                return
            if refused is None or refused.index == index:
                yield Offer(what, None, f"{error.kind.value}: {error.message}")  # type: ignore[arg-type]
                return
            following = error.details.get("corrected")
            if not isinstance(following, Mapping):
                return
            tried[refused.index] = following


def pair_of(place: Mapping[str, object], edit: Edit) -> Edit | None:
    """What a candidate of an ambiguous edit is asked for by: the edit that is offered, or more text around it."""
    corrected, old = place.get("corrected"), place.get("unique_old")
    if isinstance(corrected, Mapping):
        return corrected
    new = _new_of(edit)
    return {"target": old, "new": new} if isinstance(old, str) and new is not None else None


def _new_of(edit: Edit) -> str | None:
    return edit.new if isinstance(edit, sh.Replace) else None


def _answer(result: sh.Result[bytes], seconds: float, offers: Iterator[Offer]) -> Answer:
    text = result.text.decode()
    if result.error is not None:
        kept = tuple(outcome.index for outcome in result.outcomes if outcome.applied)
        detail = f"{result.error.kind.value}: {result.error.message}"
        return Answer(False, text, detail, seconds=seconds, kept=kept, offers=tuple(offers))
    tiers = ", ".join(str(outcome.tier) for outcome in result.outcomes)
    return Answer(True, text, f"{result.format}: {tiers}" if result.format else tiers, seconds=seconds)


def adapters(asked: Asked) -> dict[Kind, Adapter]:
    return {"ops": asked.replace, "diff": asked.patch, "snippet": asked.snippet, "reply": asked.patch}


if __name__ == "__main__":
    way = way_named(sys.argv[1]) if len(sys.argv) > 1 else None
    if way is not None and way.without:
        leave_out(way.without)
    asked = Asked(sh.Policy() if way is None else sh.Policy(**way.policy))
    serve(f"steadyhand {sh.__version__}", adapters(asked))
