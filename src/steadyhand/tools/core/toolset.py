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
    AllowShrink: say("send allow_shrink true, if the rest is to go"),
    ChooseAddress: say("send one of the addresses in `places`"),
    ChooseOccurrence: ChooseOccurrence.words,
    ExpectCount: lambda hint: f"send expected {hint.count}, if all places are meant",
    LeaveOut: LeaveOut.words,
    SendAddress: SendAddress.words,
    NameFile: say("send `path`, the file it is for"),
    Redo: lambda hint: f"to have it again, undo {hint.undo}",
    RunCommand: lambda hint: _HISTORY if hint.command.startswith("log") else None,
    UseLines: lambda hint: f"use lines from 1 to {hint.count}" if hint.count else "insert at lines:1-0",
}
_HISTORY = "look with history for a change that stands, and give its id"

TOOLSET = Toolset(
    name="core",
    summary="The default: few tools, everything reachable, any target and any dialect.",
    phrases=_PHRASES,
)
