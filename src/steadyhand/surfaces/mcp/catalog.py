"""The tools of one server: those of its toolsets together, each once.

Loading a catalogue loads the tools that are served and no others. Two different tools of one name are refused: a
model could not tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steadyhand.errors import EditError, Kind
from steadyhand.structure.fields import bad_request, nearest_name
from steadyhand.surfaces.mcp.listed import room_of

if TYPE_CHECKING:
    from steadyhand.tools.kit import Kit
    from steadyhand.tools.tool import Tool

__all__ = ["Catalog"]

Schema = dict[str, Any]


class Catalog:
    """Which toolset answers to which name. Where two toolsets have the same tool, the one named first has it."""

    def __init__(self, toolsets: Sequence[str]) -> None:
        from steadyhand.tools.registry import tools_of

        self.toolsets = tuple(dict.fromkeys(toolsets))
        self._owners: dict[str, tuple[str, Tool]] = {}
        for toolset in self.toolsets:
            for tool in tools_of(toolset):
                owner, known = self._owners.setdefault(tool.name, (toolset, tool))
                if known is not tool:
                    raise _clash(tool.name, owner, toolset)
        self._aliases = {
            name: (owner, tool)
            for owner, tool in self._owners.values()
            for name in tool.also
            if name not in self._owners
        }

    def find(self, name: str) -> tuple[str, Tool]:
        """The toolset and the tool that answer to a name. Refuses with `bad-request`, naming the nearest."""
        found = self._owners.get(name) or self._aliases.get(name)
        if found is not None:
            return found
        near = nearest_name(name[:80], self._owners)
        hint = f"did you mean {near!r}?" if near else f"tools: {', '.join(sorted(self._owners))}"
        raise bad_request("tool", f"there is no tool {name[:80]!r} here", hint)

    def schemas(self, kits: Sequence[Kit], most: int) -> list[Schema]:
        """The tools that are listed, in the order of the toolsets. A native tool answers with text alone.

        `most` are the characters of an answer, of which a client that cuts answers sooner is told.
        """
        listed: list[Schema] = []
        for kit in kits:
            for schema in kit.schemas("mcp"):
                if self.find(str(schema["name"]))[0] == kit.toolset.name:
                    native = {"outputSchema"} if kit.toolset.is_native else set()
                    kept = {name: value for name, value in schema.items() if name not in native}
                    listed.append(kept | room_of(most))
        return listed


def _clash(name: str, one: str, other: str) -> EditError:
    return EditError(
        Kind.BAD_REQUEST,
        f"the toolsets {one} and {other} have different tools called {name}",
        hint="serve one of them, or start a server for each",
        details={"tool": name, "toolsets": [one, other]},
    )
