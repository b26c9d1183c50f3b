"""The toolsets there are and the tools of each, found by folder.

Loading a toolset loads its tools and no other's, so that a server starts with what it serves.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from steadyhand.structure.fields import bad_request, nearest_name
from steadyhand.tools.toolset import Toolset

if TYPE_CHECKING:  # a server that only names its toolsets has no need of the session yet
    from steadyhand.tools.tool import Tool

__all__ = ["prompt_of", "tools_of", "toolset_named", "toolsets"]

_COMMON = "everywhere"


@cache
def _folders() -> Mapping[str, str]:
    """The folder of each toolset."""
    from steadyhand import tools as here

    found = {}
    for module in pkgutil.iter_modules(here.__path__):
        if module.ispkg and module.name != _COMMON:
            name = f"{here.__name__}.{module.name}"
            found[importlib.import_module(f"{name}.toolset").TOOLSET.name] = name
    return MappingProxyType(dict(sorted(found.items())))


@cache
def toolsets() -> Mapping[str, Toolset]:
    """Every toolset by its name, in alphabetical order."""
    return MappingProxyType(
        {name: importlib.import_module(f"{folder}.toolset").TOOLSET for name, folder in _folders().items()}
    )


def toolset_named(name: str) -> Toolset:
    """One toolset. Refuses with `bad-request` a name that there is not."""
    known = toolsets()
    if name in known:
        return known[name]
    near = nearest_name(str(name)[:80], known)
    hint = f"did you mean {near!r}?" if near else f"toolsets: {', '.join(known)}"
    raise bad_request("toolset", f"there is no toolset {str(name)[:80]!r}", hint)


@cache
def tools_of(name: str) -> tuple[Tool, ...]:
    """The tools of one toolset, by rank and name."""
    own = list(_tools_in(_folders()[name]))
    from_common = [tool for tool in _tools_in(f"steadyhand.tools.{_COMMON}") if name in tool.toolsets]
    return tuple(sorted([*own, *from_common], key=lambda tool: (tool.rank, tool.name)))


@cache
def prompt_of(name: str) -> str:
    """The section of a system prompt that goes with a toolset, as its folder has it."""
    data = pkgutil.get_data(_folders()[name], "prompt.md")
    assert data is not None
    return data.decode("utf-8")


def _tools_in(package: str) -> Iterator[Tool]:
    folder = importlib.import_module(package)
    for module in pkgutil.iter_modules(folder.__path__):
        tool = getattr(importlib.import_module(f"{package}.{module.name}"), "TOOL", None)
        if tool is not None:
            yield tool
