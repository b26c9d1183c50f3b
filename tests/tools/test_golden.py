"""Answers stay what they were, but for their words: kind, fields, details and offers, as golden/ has them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from steadyhand.errors import Kind
from steadyhand.tools.toolsets import toolsets
from tests.table import table
from tests.tools.golden import answers_of, cases_of, changed, without_words

GOLDEN = Path(__file__).parent / "golden"


def kept_of(toolset: str) -> Any:
    return json.loads((GOLDEN / f"{toolset}.json").read_text(encoding="utf-8"))


@table("toolset", toolsets())
def test_answers_are_those_that_were_kept(toolset: str, tmp_path: Path) -> None:
    now = json.loads(json.dumps(answers_of(toolset, tmp_path)))
    if os.environ.get("STEADYHAND_GOLDEN") == "write":
        GOLDEN.mkdir(exist_ok=True)
        lines = [f"{json.dumps(name)}: {json.dumps(answer, sort_keys=True)}" for name, answer in now.items()]
        (GOLDEN / f"{toolset}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    kept = kept_of(toolset)
    different = changed(now, kept)
    assert different == [], {name: (now.get(name), kept.get(name)) for name in different[:3]}


def test_every_toolset_is_refused_in_many_ways() -> None:
    seen: set[str] = set()
    for toolset in toolsets():
        answers = kept_of(toolset)
        assert set(answers) == {case.name for case in cases_of(toolset)}
        kinds = {kind for answer in answers.values() if (kind := answer.get("reason") or answer.get("kind"))}
        assert len(kinds) >= 6, toolset
        seen |= kinds
    assert len(seen & set(Kind)) >= 18, seen
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(toolsets())


def test_words_and_ids_are_not_kept() -> None:
    answer = {
        "success": False,
        "hint": "do",
        "details": {"id": "0123456789ab", "also": [{"message": "no", "index": 1}]},
    }
    assert without_words(answer, Path("/nowhere")) == {
        "success": False,
        "details": {"id": "$id", "also": [{"index": 1}]},
    }
