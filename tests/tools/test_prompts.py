"""Prompts speak of tools and fields that there are, and of no others; and they are short."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steadyhand.errors import EditError, Kind
from steadyhand.schema import Either, Many, Object, Shape, Text
from steadyhand.session.context import MODES
from steadyhand.structure.action import action_names
from steadyhand.structure.target import parse_address, target_keys
from steadyhand.tools.kit import PLANNER, prompt_for
from steadyhand.tools.toolsets import MODEL, prompt_of, tools_of, toolsets
from tests.table import table

SIZES = {"core": 2_000}  # what a client of the MCP server gets at most; the others go into prompts of a host's own
LONGEST, SHORTEST = 4_500, 200
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
KEY = re.compile(r'"([A-Za-z_][A-Za-z0-9_]*)"\s*:')
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
QUOTED = {"vault": {"port"}, "site": {"p"}}  # examples of what is in files
WORDS = {"true", "false", "null", *MODES, *map(str, Kind), *action_names(), *target_keys()}


def names_in(shape: Shape) -> Iterator[str]:
    """Every name of a field and every choice, at any depth."""
    match shape:
        case Object():
            for field in shape.fields:
                yield field.name
                yield from names_in(field.shape)
        case Many():
            yield from names_in(shape.item)
        case Either():
            for each in shape.shapes:
                yield from names_in(each)
        case Text():
            yield from shape.choices
        case _:
            pass


def known(toolset: str) -> set[str]:
    found = set(WORDS)
    for tool in tools_of(toolset):
        found |= {tool.name, *tool.also, *names_in(tool.parameters), *names_in(tool.result)}
        found |= tool.refused(EditError(Kind.NO_MATCH, "x"), MODEL).keys()
    return found | QUOTED.get(toolset, set())


def stale(text: str, toolset: str) -> list[str]:
    """What a prompt quotes that neither a tool nor a field nor a choice of the toolset is."""
    names, wrong = known(toolset), []
    for span in SPAN.findall(FENCED.sub("", text)):
        quoted = [span] if NAME.fullmatch(span) else KEY.findall(span)
        wrong += [name for name in quoted if name not in names]
    return wrong


def strangers(text: str, toolset: str) -> list[str]:
    """Tools of other toolsets that a prompt speaks of, quoted or not; names that are English words aside."""
    own = {tool.name for tool in tools_of(toolset)} | known(toolset)
    others = {tool.name for name in toolsets() for tool in tools_of(name)} - own
    telling = {name for name in others if "_" in name or re.search("[a-z][A-Z]", name)}
    return sorted(telling & set(NAME.findall(text)))


@table("name", toolsets())
def test_what_a_prompt_quotes_is_there(name: str) -> None:
    assert stale(prompt_of(name), name) == []


@table("name", toolsets())
def test_a_prompt_speaks_of_no_tool_of_another_toolset(name: str) -> None:
    assert strangers(prompt_of(name), name) == []


@table("mode", [*MODES, PLANNER])
@table("name", toolsets())
def test_what_is_said_of_a_mode_quotes_what_is_there(name: str, mode: str) -> None:
    text = prompt_for(name, mode)
    assert stale(text, name) == []
    assert strangers(text, name) == []


@table("name", [name for name, toolset in toolsets().items() if not toolset.is_native])
def test_a_prompt_says_something_of_every_tool_that_models_do_not_know_already(name: str) -> None:
    assert [tool.name for tool in tools_of(name) if f"`{tool.name}`" not in prompt_of(name)] == []


@table("name", toolsets())
def test_no_prompt_forbids_what_the_hint_of_a_busy_file_asks_for(name: str) -> None:
    """Refusals of some kinds, such as `busy`, say to send the same call again."""
    assert not re.search(r"\b(never|not) send the same call", prompt_of(name), re.IGNORECASE)


@table("name", toolsets())
def test_a_prompt_is_short(name: str) -> None:
    assert SHORTEST <= len(prompt_of(name)) <= SIZES.get(name, LONGEST)


def test_the_addresses_in_the_prompt_of_core_can_be_read() -> None:
    addresses = re.findall(r'\{"at": "([^"]+)"\}', prompt_of("core"))
    assert len(addresses) >= 2
    for address in addresses:
        parse_address(address)


def test_the_check_notices_names_that_there_are_not() -> None:
    text = prompt_of("core")
    assert stale(text.replace("`edit`", "`edit_files`"), "core") != []
    assert stale(text.replace("`expect`", "`expectedDigest`"), "core") != []
    assert stale(text.replace('`{"at"', '`{"place"'), "core") != []
    assert strangers(text.replace("`write`", "write_file"), "core") == ["write_file"]
