"""Refusals that are errors of the protocol: a code, what is wrong, and in `data` the kind and what to do next.

What a tool refuses is no such error but its answer, with `isError`. Here is what is asked of the server otherwise, and
what the SDK refuses before anything of ours is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyhand.errors import Action, EditError, Kind

if TYPE_CHECKING:
    from mcp.shared.exceptions import MCPError
    from pydantic import ValidationError

__all__ = ["refused", "told_by_sdk"]

_NOT_FOUND = -32002
_OURS = (Kind.INTERNAL, Kind.JOURNAL_DAMAGED, Kind.NOT_INSTALLED)
_SHOWN = 80
_FAULTS = 3


def refused(error: EditError, version: str) -> MCPError:
    """A refusal of ours, in the code that a revision has for it."""
    from mcp.shared.exceptions import MCPError

    told = error.message if error.hint is None else f"{error.message} ({error.hint})"
    return MCPError(_code(error.kind, version), told, error.to_json())


def told_by_sdk(error: MCPError | ValidationError, method: str) -> MCPError:
    """What the SDK refuses with no more than a code, told like what we refuse; anything else as it is."""
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND

    if not isinstance(error, MCPError):
        told = f"{method[:_SHOWN]} cannot be asked like this: {_faults(error)}"
        return _bad(INVALID_PARAMS, told, "mend that and send it again")
    if error.error.code == METHOD_NOT_FOUND:
        return _bad(METHOD_NOT_FOUND, f"Method not found: {method[:_SHOWN]!r}", "ask for what the capabilities offer")
    if error.error.code == INVALID_PARAMS and error.error.data == "":
        return _bad(INVALID_PARAMS, "the connection is not initialized", "send initialize first")
    return error


def _bad(code: int, text: str, hint: str) -> MCPError:
    from mcp.shared.exceptions import MCPError

    return MCPError(code, text, {"kind": str(Kind.BAD_REQUEST), "hint": hint})


def _faults(error: ValidationError) -> str:
    """What is wrong and where, without what was sent."""
    found = error.errors(include_url=False, include_context=False, include_input=False)[:_FAULTS]
    return "; ".join(f"{'.'.join(map(str, fault['loc']))[:_SHOWN]}: {fault['msg'][: 2 * _SHOWN]}" for fault in found)


def _code(kind: Kind, version: str) -> int:
    """Whose fault it is; and only the earlier revisions have a number for what is not there."""
    from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

    if kind is Kind.NO_SUCH_FILE and version not in MODERN_PROTOCOL_VERSIONS:
        return _NOT_FOUND
    return INTERNAL_ERROR if kind in _OURS or kind.action is Action.RETRY_LATER else INVALID_PARAMS
