"""What a tool is: a name, what it takes and gives, examples, how far it is to be trusted, and how it runs.

A tool is one file in the folder of its toolset that ends with `TOOL = Tool(…)`; a table names them. A tool
that several toolsets have is in `everywhere/` and names them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from steadyhand.errors import EditError
from steadyhand.hints import Phrases
from steadyhand.lazy import dataclass, field
from steadyhand.schema import Object
from steadyhand.session.context import Verb
from steadyhand.tools.call import Call, Settings
from steadyhand.tools.result import failure

__all__ = ["Example", "Fields", "Result", "Tool", "Trust"]

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
