"""Hints as models read them: in the fields of the tools at hand, without what no call can say.

An argument of Python, a setting of the host or a command at a shell is nothing that a call can have. A toolset adds the
names of its own fields in its `toolset.py`; how it says a hint is decided there and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable

from steadyhand.hints import (
    Act,
    AllowPath,
    AllowShrink,
    ChooseAddress,
    ChooseOccurrence,
    ExpectCount,
    ExpectVersion,
    FitEncoding,
    GiveReason,
    Hint,
    LeaveOut,
    NameEncoding,
    NameFile,
    NameFormat,
    NameJournal,
    OneByOne,
    OpenForWriting,
    Phrases,
    QuoteMore,
    Redo,
    ReplaceExisting,
    RunCommand,
    SendAddress,
    SendCorrected,
    SendOld,
    UseLines,
)

__all__ = ["MODEL", "NATIVE", "in_fields", "native_fields", "say"]


def say(sentence: str | None) -> Callable[[Hint], str | None]:
    """A phrase that is the same for every hint of its type; None leaves them out."""
    return lambda _: sentence


_UNSAID = say(None)


def _lines(hint: SendAddress) -> str | None:
    """Lines in plain words; what has another address cannot be named by most tools."""
    kind, _, lines = hint.address.partition(":")
    first, _, last = lines.partition("-")
    return hint.spelled(f"lines {first} to {last}") if kind == "lines" else None


def in_fields(old: str, new: str) -> Phrases:
    """Hints about old and new text for tools that have a field for each."""
    return {
        QuoteMore: lambda hint: hint.named(f"{old} and {new}"),
        SendCorrected: lambda hint: hint.named(old, new),
        SendOld: lambda hint: hint.named(old),
    }


# For every toolset. What is left out here needs a field that only some of them have.
MODEL: Phrases = {
    NameEncoding: lambda hint: "name a text file" if hint.is_binary else None,
    FitEncoding: say("use only characters of that encoding, such as ASCII"),
    NameFormat: say("send one format"),
    NameFile: say("name the file"),
    OneByOne: say("send them one at a time, in separate calls"),
    AllowPath: say("leave it alone, or ask the host to allow it"),
    UseLines: lambda hint: f"use lines 1 to {hint.count}" if hint.count else "the file is empty: add text to it",
    SendAddress: _lines,
    ChooseAddress: _UNSAID,
    ChooseOccurrence: _UNSAID,
    Act: _UNSAID,
    ExpectCount: _UNSAID,
    LeaveOut: _UNSAID,
    AllowShrink: _UNSAID,
    ExpectVersion: _UNSAID,  # it would be sent instead of reading
    OpenForWriting: _UNSAID,
    NameJournal: _UNSAID,
    RunCommand: _UNSAID,
    Redo: _UNSAID,
}

# For tools that a maker's models know: they take old and new text, and what singles a place out is shown with both.
NATIVE: Phrases = {
    **MODEL,
    QuoteMore: lambda hint: hint.words() if hint.line is None else None,
    GiveReason: _UNSAID,
    ReplaceExisting: say("edit it, or choose another name"),
}


def native_fields(old: str, new: str) -> Phrases:
    """The same for a tool with these two fields."""
    return {**NATIVE, **{kind: say for kind, say in in_fields(old, new).items() if kind is not QuoteMore}}
