"""Whatever arguments a tool is called with, it answers in its shape; a refusal has a kind and changes nothing.

`STEADYHAND_CALLS` is how many calls each tool gets; `make fuzz` asks for more than a test run. With `STEADYHAND_SEARCH`
they are others in every run. A failure names the seed, and `Maker.call(seed)` makes its call again.
"""

from __future__ import annotations

import json
import os
import random
import reprlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import jsonschema

import steadyhand as sh
from steadyhand.errors import Kind
from steadyhand.schema import plain_schema
from steadyhand.tools.result import failed
from steadyhand.tools.tool import Tool
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.table import table
from tests.tools.examples import filled, split_settings
from tests.tools.hints import check_hints
from tests.tools.malformed import Maker
from tests.tools.surrounded import SECRETS, Content, Ground, maker_for, prepare_ground

CALLS = int(os.environ.get("STEADYHAND_CALLS", "6"))
SEED = str(random.randrange(10**9)) if os.environ.get("STEADYHAND_SEARCH") else "steadyhand"
ALL = [(name, tool) for name in toolsets() for tool in tools_of(name)]

TRACES = ("Traceback", 'File "', "Error(", "Exception", " at 0x", "site-packages", "<class ")
MOST_LINES = 20  # a hint that quotes what to send, and some lines of it
MOST_CHARACTERS = 10_000  # besides what the call itself said


def sent(arguments: object) -> str:
    """Every text that a call holds, as an answer would spell it; calls may be too deep to be written out."""
    level, texts = [arguments], []
    while level:
        texts += [json.dumps(each, ensure_ascii=False) for each in level if isinstance(each, str)]
        dicts = [each for each in level if isinstance(each, dict)]
        lists = [each for each in level if isinstance(each, list)]
        level = [inner for each in dicts for inner in (*each, *each.values())] + [x for each in lists for x in each]
    return "\n".join(texts)


def check_answer(answer: dict[str, Any], asked: str, validator: Any) -> None:
    """It can be sent, is in the tool's shape, and says of a refusal why."""
    reported = json.dumps(answer, ensure_ascii=False, allow_nan=False)
    reported.encode()
    if not failed(answer):
        problem = next(validator.iter_errors(answer), None)
        assert problem is None, problem
        return
    kind = answer["reason"] if answer["kind"] == "patch_error" else answer["kind"]
    assert Kind(kind) is not Kind.INTERNAL, answer
    said = answer["content"] if "content" in answer else answer["error"]
    assert isinstance(said, str)
    assert said.strip()
    assert len(said.splitlines()) <= MOST_LINES, said
    assert len(reported) <= MOST_CHARACTERS + 3 * len(asked), reported[:2_000]


def check_silence(answer: dict[str, Any], asked: str, ground: Ground) -> None:
    """Nothing is said of what lies elsewhere, of secrets, or of our own making."""
    reported = json.dumps(answer, ensure_ascii=False)
    for secret in SECRETS:
        assert secret not in reported
    for word in (*TRACES, str(ground.root.parent)):
        assert word not in reported or word in asked, (word, reported[:3_000])


@table(("name", "tool"), ALL, ids=[f"{name}.{tool.name}" for name, tool in ALL])
def test_any_arguments_are_answered_and_a_refusal_changes_nothing(name: str, tool: Tool, tmp_path: Path) -> None:
    for number, example in enumerate(tool.examples):
        ground = prepare_ground(tmp_path / str(number), example.files)
        own, settings = split_settings(example.settings)
        calls = range(number, CALLS, len(tool.examples))
        with sh.Workspace(ground.root, actor="malformed", **own) as workspace:
            kit = workspace.tools(name, **settings)
            for first, arguments in example.first:
                kit.call(first, filled(arguments, ground.root))
            make_calls(
                kit, tool, ground, maker_for(ground, tool, example), [f"{SEED}:{tool.name}:{index}" for index in calls]
            )
    outside = sorted(path.name for path in tmp_path.glob("*/*") if path.name not in ("root", "out.md"))
    assert outside == []


def make_calls(kit: sh.Kit, tool: Tool, ground: Ground, maker: Maker, seeds: Iterable[str]) -> None:
    validator = jsonschema.Draft202012Validator(plain_schema(tool.result))
    before, content = ground.stats(), ground.content()
    for seed in seeds:
        arguments = maker.call(seed)
        receipts: list[sh.Receipt] = []
        try:
            answer = kit.call(tool.name, arguments, receipts=receipts)
            records = [str(receipt.id) for receipt in receipts]
            asked = sent(arguments)
            check_answer(answer, asked, validator)
            check_silence(answer, asked, ground)
            check_hints(kit.toolset.name, answer)
            if ground.stats() != before:
                check_change(kit, ground, answer, records, content)
                before = ground.stats()
            else:
                assert records == [], "a change is recorded and there is none"
        except Exception as problem:
            raise AssertionError(f"{seed}: {tool.name}({reprlib.repr(arguments)})") from problem


def check_change(kit: sh.Kit, ground: Ground, answer: dict[str, Any], records: list[str], before: Content) -> None:
    """Something is not as it was: that is what a success did, and its records take it back."""
    if failed(answer):
        assert records == []
    else:
        assert records, "a change that no record knows"
        assert {*_ids(answer)} <= {*records}, "an id of another change"
        for record in reversed(records):
            kit.workspace.undo(record)
    assert ground.content() == before, answer


def _ids(answer: Mapping[str, Any]) -> list[str]:
    results = answer.get("results", [])
    return [each["id"] for each in (answer, *results) if "id" in each]
