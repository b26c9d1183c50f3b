"""Which tools of a toolset are there: what a mode, and a workspace that may only be read, leave of them."""

from __future__ import annotations

from collections.abc import Iterable

from steadyhand.errors import EditError, Kind
from steadyhand.session.context import allowed_verbs
from steadyhand.tools.tool import Tool

__all__ = ["not_offered", "offered"]


def offered(tools: Iterable[Tool], mode: str | None = None, *, is_read_only: bool = False) -> tuple[Tool, ...]:
    """The tools that are listed, in the order in which a model should see them."""
    listed = [tool for tool in tools if not_offered(tool, mode, is_read_only=is_read_only) is None]
    return tuple(sorted(listed, key=lambda tool: mode in tool.lasts))


def not_offered(tool: Tool, mode: str | None, *, is_read_only: bool = False) -> EditError | None:
    """Why a tool is not there; None where it is."""
    if tool.modes is not None and mode not in tool.modes:
        return _not_here(tool, mode, f"it belongs to the mode {' and '.join(tool.modes)}")
    if tool.trust == "read" or tool.also_reads:
        return None
    if is_read_only and (mode is None or allowed_verbs(mode)):
        return EditError(
            Kind.READ_ONLY,
            f"{tool.name} is not available: the workspace is read-only",
            hint="use the listed tools, and say what you would change",
        )
    if tool.verbs and not tool.verbs & allowed_verbs(mode):
        return _not_here(tool, mode, "this mode does not allow it")
    return None


def _not_here(tool: Tool, mode: str | None, why: str) -> EditError:
    return EditError(
        Kind.NOT_ALLOWED,
        f"{tool.name} is not available {'without a mode' if mode is None else f'in mode {mode}'}: {why}",
        hint="use the listed tools, or ask the host for another mode",
        details={"mode": mode, "tool": tool.name},
    )
