"""What the toolset `core` is, and how it says hints."""

from __future__ import annotations

from steadyhand.hints import (
    Act,
    AllowShrink,
    ChooseAddress,
    ChooseOccurrence,
    ExpectCount,
    LeaveOut,
    NameFile,
    Phrases,
    Redo,
    RunCommand,
    SendAddress,
    UseLines,
)
from steadyhand.tools.phrases import MODEL, say
from steadyhand.tools.toolset import Toolset

_PHRASES: Phrases = {
    **MODEL,
    Act: Act.words,
    AllowShrink: say("set allow_shrink to drop the rest"),
    ChooseAddress: say("send one of the addresses in `places`"),
    ChooseOccurrence: ChooseOccurrence.words,
    ExpectCount: lambda hint: f"set expected to {hint.count} to change all of them",
    LeaveOut: LeaveOut.words,
    SendAddress: SendAddress.words,
    NameFile: say("set `path`"),
    Redo: lambda hint: f"to restore it, undo {hint.undo}",
    RunCommand: lambda hint: _HISTORY if hint.command.startswith("log") else None,
    UseLines: lambda hint: f"use lines 1 to {hint.count}" if hint.count else "insert at lines:1-0",
}
_HISTORY = "find the change and its id with history"

TOOLSET = Toolset(
    name="core",
    summary="The default: few tools, everything reachable, any target and any dialect.",
    phrases=_PHRASES,
)
