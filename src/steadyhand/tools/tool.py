"""What a tool is: a name, what it takes and gives, examples, how far it is to be trusted, and how it runs.

A tool is declared in the module of its toolset and named in the table of `toolsets.py`; one that several toolsets have
is in `file_tools.py` and names them. Here are also fields that many tools take alike, and a tool in the form in which
each maker's API takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, cast

from steadyhand.errors import EditError
from steadyhand.hints import Phrases
from steadyhand.lazy import dataclass, field
from steadyhand.schema import Field, Object, Schema, Text, bad_request, join, plain_schema, strict_schema
from steadyhand.session.checks import digest_of_version
from steadyhand.session.context import Verb
from steadyhand.tools.call import Call, Settings
from steadyhand.tools.result import failure

Trust = Literal["read", "write", "destructive"]
Fields = Mapping[str, object]
Result = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One call, which the tests make: on `files`, after the calls of `first`, under the host's `settings`.

    `result` is what its answer must at least hold; `after` the files that it leaves otherwise than they were, None for
    one that is gone. Values of `arguments` and of `first` that read `$hash:NAME` stand for the hash of that file.
    """

    about: str
    arguments: Mapping[str, object]
    result: Mapping[str, object]
    files: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str | None] = field(default_factory=dict)
    first: Sequence[tuple[str, Mapping[str, object]]] = ()
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.

    `summary` is what the model reads of it. `verbs` are what it may do to files: a mode that allows none of them hides
    it. `modes`: only there it is listed. `lasts`: the modes in which it comes after all others. `refused` makes the
    answer of a refusal, in the phrases of its toolset. `native` is how a style of schema names a tool that the maker's
    models know already, `also` are other names it is called by, and `fitted` makes it what the host's settings ask
    for, such as an earlier version.
    `also_reads`: some of what it does changes nothing, so it is there also where nothing may be changed.
    `run` may raise `EditError`; what it returns is the answer.
    """

    name: str
    title: str
    summary: str
    parameters: Object
    result: Object
    examples: tuple[Example, ...]
    run: Callable[[Call, Fields], Result]
    trust: Trust = "read"
    verbs: frozenset[Verb] = frozenset()
    modes: tuple[str, ...] | None = None
    lasts: tuple[str, ...] = ()
    toolsets: tuple[str, ...] = ()
    rank: int = 50
    refused: Callable[[EditError, Phrases], Result] = failure
    native: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    fitted: Callable[[Tool, Settings], Tool] | None = None
    also_reads: bool = False

    def under(self, settings: Settings) -> Tool:
        """The tool as a host with these settings has it. Refuses with `bad-request` settings it does not know."""
        return self if self.fitted is None else self.fitted(self, settings)

    def annotations(self) -> dict[str, object]:
        """What MCP clients see, so that they know when to ask a person."""
        return {
            "title": self.title,
            "readOnlyHint": self.trust == "read",
            "destructiveHint": self.trust == "destructive",
            "idempotentHint": self.trust == "read",
            "openWorldHint": False,
        }


# Fields that many tools take alike, and what a call says in them.

FILE = Field("path", Text(), "The file, from the workspace root.", required=True)
REASON = Field("reason", Text(), "Why; kept with the change.")


def reason_of(fields: Fields) -> str | None:
    """Why a call is made; None where it does not say."""
    return cast("str | None", fields.get("reason"))


def expected_version(fields: Fields, name: str = "expectedHash", place: str = "") -> str | None:
    """The hash in a field; None where there is none. Refuses with `bad-request`, naming the field of `place`."""
    try:
        return digest_of_version(fields.get(name))
    except EditError:
        hint = "send a fileHash as read, or leave it out"
        raise bad_request(join(place, name), "not a fileHash", hint) from None


# Tools in the form each maker's API takes them; their parameters are JSON Schemas, plain or strict.
#
# Strict: every property is required and may be null, no other is allowed, nothing has a default or a bound. What has no
# shape cannot be said there, so it is asked for as a string that holds JSON: repair reads an object or an array out of
# it, and a tool that takes any value reads the rest.

_REFUSED = (Field("error", Text(), "Nothing was done: why, and what to send instead."), Field("kind", Text()))


def _answer_schema(tool: Tool) -> Schema:
    """What a tool answers, be it a refusal: clients hold that against the schema too, so nothing in it is required."""
    schema = plain_schema(Object(tuple({field.name: field for field in (*_REFUSED, *tool.result.fields)}.values())))
    return {"type": "object", "properties": schema["properties"]}


def _openai(tool: Tool, *, strict: bool) -> Schema:
    return {"type": "function", "function": _function(tool, strict=strict)}


def _responses(tool: Tool, *, strict: bool) -> Schema:
    return {"type": "function", **_function(tool, strict=strict)}


def _function(tool: Tool, *, strict: bool) -> Schema:
    parameters = strict_schema(tool.parameters) if strict else plain_schema(tool.parameters)
    return {"name": tool.name, "description": tool.summary, "parameters": parameters, "strict": strict}


def _anthropic(tool: Tool) -> Schema:
    return {"name": tool.name, "description": tool.summary, "input_schema": plain_schema(tool.parameters)}


def _mcp(tool: Tool) -> Schema:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.summary,
        "inputSchema": plain_schema(tool.parameters),
        "outputSchema": _answer_schema(tool),
        "annotations": tool.annotations(),
    }


STYLES: Mapping[str, Callable[[Tool], Schema]] = {
    "openai": lambda tool: _openai(tool, strict=False),
    "openai-strict": lambda tool: _openai(tool, strict=True),
    "openai-responses": lambda tool: _responses(tool, strict=False),
    "openai-responses-strict": lambda tool: _responses(tool, strict=True),
    "anthropic": _anthropic,
    "mcp": _mcp,
}


def tool_schema(tool: Tool, style: str) -> Schema:
    """A tool as a maker's API takes it; a tool that the maker's models know by a type of its own is named by it."""
    native = tool.native.get(style)
    return dict(native) if native is not None else STYLES[style](tool)
