"""Cases as files, one folder each, for whoever wants to know what went wrong.

Only folders named after a score are ever emptied, and only beneath the folder given.
"""

from __future__ import annotations

import difflib
import json
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from benches.accuracy.score import OFFER_SCORES, SCORES, Verdict

STUDIED = (*SCORES, *(f"{score}-offer" for score in OFFER_SCORES))


def write_studies(folder: Path, verdicts: Iterable[Verdict], scores: Sequence[str]) -> dict[str, int]:
    """`<folder>/<score>/<id>/` for each verdict with one of the scores; how many there are of each.

    A case is also written for what it offers: beneath `wrong-offer` where one of its offers is wrong.
    """
    written: dict[str, int] = dict.fromkeys(scores, 0)
    for score in scores:
        shutil.rmtree(folder / score, ignore_errors=True)
    for verdict in verdicts:
        for score in written.keys() & {verdict.score, *(f"{offer}-offer" for offer in verdict.offers)}:
            written[score] += 1
            _write(folder / score / _name(verdict.case.id), verdict)
    return written


def _write(folder: Path, verdict: Verdict) -> None:
    case, answer = verdict.case, verdict.answer
    folder.mkdir(parents=True)
    for name, text in _files(verdict).items():
        (folder / name).write_bytes(text.encode())
    for number, (offer, score) in enumerate(zip(answer.offers, verdict.offers, strict=True)):
        wanted = case.question.before if case.expected is None else case.expected
        text = (
            f"refused again: {offer.detail}\n" if offer.text is None else _diff(wanted, offer.text, "wanted", "given")
        )
        (folder / f"offer-{number}-{offer.what}-{score}.diff").write_bytes(text.encode())
    outcome = {
        "category": case.category,
        "path": case.question.path,
        "score": verdict.score,
        "how": verdict.how,
        "applied": answer.applied,
        "detail": answer.detail,
        "seconds": round(answer.seconds, 6),
        "must": "apply" if case.must_apply else "refuse",
    }
    (folder / "outcome.json").write_text(json.dumps(outcome, indent=1) + "\n", encoding="utf-8")


def _files(verdict: Verdict) -> dict[str, str]:
    case, got = verdict.case, verdict.answer.text
    wanted = case.question.before if case.expected is None else case.expected
    files = {"before": case.question.before, "got": got, "got.diff": _diff(wanted, got, "expected", "got")}
    if case.expected is not None:
        files["expected"] = case.expected
        files["expected.diff"] = _diff(case.question.before, case.expected, "before", "expected")
    if case.kind == "ops":
        files["ops.json"] = json.dumps([asdict(op) for op in case.question.ops], indent=1, ensure_ascii=False) + "\n"
    else:
        files[case.kind] = case.question.text
    return files


def _diff(left: str, right: str, left_name: str, right_name: str) -> str:
    rows = difflib.unified_diff(left.splitlines(keepends=True), right.splitlines(keepends=True), left_name, right_name)
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _name(id: str) -> str:
    """An id as a file name: a case file is input like any other and names no path."""
    return re.sub(r"[^\w.-]", "_", id).lstrip(".") or "_"
