"""A request on its way to the overlay, with what goes with it, and which verbs a mode allows. Pure data."""

from __future__ import annotations

from typing import Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.plan.policy import Policy
from steadyhand.plan.request import FileRequest
from steadyhand.text.visible import sized
from steadyhand.workspace.journal.record import EditNote

__all__ = ["MODES", "Ask", "Request", "Verb", "WriteBytes", "allowed_verbs", "check_mode"]

Verb = Literal["edit", "write", "create", "delete", "rename", "mode"]

_VERBS: frozenset[Verb] = frozenset({"edit", "write", "create", "delete", "rename", "mode"})
_FORBIDDEN: dict[str, frozenset[Verb]] = {
    "research": _VERBS,
    "analyze": _VERBS,
    "generate": frozenset({"edit", "write", "delete", "rename", "mode"}),
    "modify": frozenset({"create"}),
    "execute": frozenset(),
}
MODES = tuple(_FORBIDDEN)


@sized("data")
@dataclass(frozen=True, slots=True)
class WriteBytes:
    """Replace a file's whole content, or create it, with bytes that are not looked into."""

    path: str
    data: bytes
    expect: str | None = None
    allow_shrink: bool = False


Request = FileRequest | WriteBytes


@dataclass(frozen=True, slots=True)
class Ask:
    """A request with what goes with it: policy, encoding, and whether the host vouches for an overwrite.

    `left` tells of edits of the same file that were refused before, for the record.
    """

    request: Request
    policy: Policy
    encoding: str | None = None
    reason: str | None = None
    overwrite: bool = False
    left: tuple[EditNote, ...] = ()


def allowed_verbs(mode: str | None) -> frozenset[Verb]:
    """What a mode allows to do to files."""
    return _VERBS if mode is None else _VERBS - _FORBIDDEN[mode]


def check_mode(mode: str | None, verb: Verb, path: str) -> None:
    """Refuse with `not-allowed` what the mode of the workspace does not allow."""
    if mode is not None and verb in _FORBIDDEN[mode]:
        allowed = sorted(allowed_verbs(mode))
        raise EditError(
            Kind.NOT_ALLOWED,
            f"mode {mode} does not allow to {verb} {path}",
            hint=f"allowed here: read{', ' if allowed else ''}{', '.join(allowed)}",
            details={"mode": mode, "verb": verb},
        )
