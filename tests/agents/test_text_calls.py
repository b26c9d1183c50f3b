"""Calls that a weak model wrote as text: found in every form, and nowhere else."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.agents.model import Offered
from steadyhand.agents.text_calls import text_calls
from tests.table import table

EDIT = Offered(
    "edit_article",
    "",
    {"properties": {"path": {}, "edits": {}}, "required": ["path", "edits"]},
)
DONE = Offered("no_change_needed", "", {"properties": {"reasoning": {}}, "required": ["reasoning"]})
READ = Offered("read_file", "", {"properties": {"path": {}, "start": {}}, "required": ["path"]})
TOOLS = [EDIT, DONE, READ]

NOT_CALLS = [
    "",
    "The article is right as it is.",
    "I would call edit_article, but nothing needs to change.",
    '```json\n{"name": "delete_everything", "arguments": {}}\n```',
    '```json\n{"retries": 3, "timeout": 10}\n```',
    'The example `{"name": "read_file", "arguments": {"path": "x"}}` in the article is fine.',
    '{"path": "a.md"}',  # one field is not enough to know a tool by
    "<b>edit_article</b>",
    "<edit>a</edit>",
    "[1, 2, 3]",
    "{" * 5_000,
    "<" * 5_000,
    '{"name": ["edit_article"], "arguments": 3}',
]


@table("text", NOT_CALLS)
def test_what_is_no_call(text: str) -> None:
    assert text_calls(text, TOOLS) == []


_names = st.sampled_from([tool.name for tool in TOOLS])
_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
_arguments = st.dictionaries(
    st.sampled_from(["path", "reasoning", "start", "edits"]),
    _texts | st.integers() | st.lists(st.dictionaries(st.sampled_from(["old_string", "reason"]), _texts), max_size=2),
    min_size=1,
    max_size=3,
)

FORMS: list[Any] = [
    lambda name, given: "```json\n" + json.dumps({"name": name, "arguments": given}) + "\n```",
    lambda name, given: "```\n" + json.dumps({"tool": name, "parameters": given}, indent=2) + "\n```",
    lambda name, given: json.dumps({"name": name, "arguments": json.dumps(given)}),
    lambda name, given: json.dumps([{"type": "function", "function": {"name": name, "arguments": given}}]),
    lambda name, given: json.dumps({"tool_calls": [{"function": {"name": name, "arguments": json.dumps(given)}}]}),
    lambda name, given: json.dumps({name: given}),
    lambda name, given: json.dumps({"name": f"functions.{name}", "arguments": given}),
    lambda name, given: f"<tool_call>{json.dumps({'name': name, 'arguments': given})}</tool_call>",
    lambda name, given: f"<tool_call>\n{json.dumps({'name': name, 'arguments': given})}",  # cut off before the end
    lambda name, given: f"<function={name}>{json.dumps(given)}</function>",
    lambda name, given: f'<invoke name="{name}">\n{json.dumps(given)}\n</invoke>',
    lambda name, given: f"[TOOL_CALLS] {json.dumps([{'name': name, 'arguments': given}])}",
    lambda name, given: f"<{name}>\n{json.dumps(given)}\n</{name}>",
]


@given(
    form=st.sampled_from(range(len(FORMS))), name=_names, arguments=_arguments, before=st.sampled_from(["", "Sure:\n"])
)
def test_every_form_is_read_as_it_was_written(form: int, name: str, arguments: Any, before: str) -> None:
    assert text_calls(before + FORMS[form](name, arguments), TOOLS) == [(name, arguments)]


def test_the_name_of_a_tag_counts_more_than_fields_that_another_tool_has() -> None:
    assert text_calls('<edit_article>\n{"path": "", "start": ""}\n</edit_article>', TOOLS) == [
        ("edit_article", {"path": "", "start": ""})
    ]


_plain = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<[{\r\x85\u2028\u2029"), max_size=60
)


@given(name=_names, path=_plain, reasoning=_plain.map(str.strip))
def test_parameters_in_elements(name: str, path: str, reasoning: str) -> None:
    expected = [(name, {"path": path, "reasoning": reasoning})]
    inside = f"<parameter=path>{path}</parameter>\n<parameter=reasoning>\n{reasoning}\n</parameter>"
    assert text_calls(f"<function={name}>\n{inside}\n</function>", TOOLS) == expected
    assert text_calls(f"<{name}><path>{path}</path><reasoning>{reasoning}</reasoning></{name}>", TOOLS) == expected


def test_several_calls_keep_their_order() -> None:
    calls = [("read_file", {"path": "a"}), ("no_change_needed", {"reasoning": "b"})]
    lines = [json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls]
    assert text_calls("\n".join(lines), TOOLS) == calls
    assert text_calls("\n".join(f"<tool_call>{line}</tool_call>" for line in lines), TOOLS) == calls


def test_arguments_alone_name_the_tool_that_takes_them() -> None:
    edits = {"path": "a.md", "edits": [{"old_string": "```\na\n```", "new_string": "b", "reason": "c"}]}
    assert text_calls(f"```json\n{json.dumps(edits, indent=1)}\n```", TOOLS) == [("edit_article", edits)]
    assert text_calls(json.dumps({**edits, "more": 1}), TOOLS) == []


def test_a_call_that_is_cut_off_is_handed_on_as_text() -> None:
    cut = '{"name": "edit_article", "arguments": {"path": "a.md", "edits": ['
    assert text_calls(f"```json\n{cut}", TOOLS) == [("edit_article", cut)]


@given(st.text(max_size=300) | st.text(alphabet='{}[]<>"=/: \nnameedit_article', max_size=300))
def test_no_text_is_too_strange(text: str) -> None:
    for name, _ in text_calls(text, TOOLS):
        assert name in {tool.name for tool in TOOLS}


@table("text", ["\n{" * 300_000, "<edit_article>\n" * 50_000, "<function=edit_article>" * 40_000, "[" * 900_000])
def test_a_long_text_is_bounded_work(text: str) -> None:
    assert len(text_calls(text, TOOLS)) <= 50
