"""The toolsets there are and the tools of each, by name.

Loading a toolset loads its tools and no other's, so that a server starts with what it serves.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from steadyhand.lazy import Registry
from steadyhand.schema import bad_request, nearest_name
from steadyhand.tools.toolset import Toolset

if TYPE_CHECKING:  # a server that only names its toolsets has no need of the session yet
    from steadyhand.tools.tool import Tool

__all__ = ["prompt_of", "tools_of", "toolset_named", "toolsets"]

# The tools of each toolset, by the name of its folder; those that several toolsets share have a module of their own.
_TOOLS = {
    folder: Registry(f"steadyhand.tools.{folder}", "TOOL", names)
    for folder, names in {
        "article": "edit_article=tools impact_extract=tools impact_search=tools",
        "claude": "memory text_editor",
        "claude_code": "edit=tools multi_edit=tools read=tools write=tools",
        "coder": "apply_edits=tools write_patch=tools",
        "core": "edit history list outline read search undo write",
        "gemini": "replace=tools write_file=tools",
        "openai": "apply_patch=tools",
        "site": "edit_dom edit_file edit_files read_file write_files",
        "surgical": "edit_file=tools insert_at=tools patch_file=tools report_findings=tools",
        "vault": "text_inspect text_patch text_replace",
    }.items()
}
_SHARED = "steadyhand.tools.file_tools"


def _folder(name: str) -> str:
    return name.replace("-", "_")


@cache
def toolsets() -> Mapping[str, Toolset]:
    """Every toolset by its name, in alphabetical order."""
    return MappingProxyType({folder.replace("_", "-"): _toolset(folder) for folder in _TOOLS})


@cache
def _toolset(folder: str) -> Toolset:
    toolset: Toolset = import_module(f"steadyhand.tools.{folder}.toolset").TOOLSET
    return toolset


def toolset_named(name: str) -> Toolset:
    """One toolset. Refuses with `bad-request` a name that there is not."""
    known = [folder.replace("_", "-") for folder in _TOOLS]
    if name in known:
        return _toolset(_folder(name))
    near = nearest_name(str(name)[:80], known)
    hint = f"did you mean {near!r}?" if near else f"toolsets: {', '.join(known)}"
    raise bad_request("toolset", f"there is no toolset {str(name)[:80]!r}", hint)


@cache
def tools_of(name: str) -> tuple[Tool, ...]:
    """The tools of one toolset, by rank and name."""
    own: list[Tool] = _TOOLS[_folder(name)].load()
    shared: list[Tool] = [tool for tool in import_module(_SHARED).TOOLS.values() if name in tool.toolsets]
    return tuple(sorted([*own, *shared], key=lambda tool: (tool.rank, tool.name)))


@cache
def prompt_of(name: str) -> str:
    """The section of a system prompt that goes with a toolset, as its folder has it."""
    from importlib.resources import files

    return files(f"steadyhand.tools.{_folder(name)}").joinpath("prompt.md").read_text(encoding="utf-8")
