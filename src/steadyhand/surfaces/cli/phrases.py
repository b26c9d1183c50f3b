"""Hints in the words of the shell: the option or the command that does what a hint says.

What a person types is said here and nowhere else; under --json a refusal keeps the words of the library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from steadyhand.hints import (
    Act,
    AllowShrink,
    ChooseAddress,
    ChooseOccurrence,
    ExpectCount,
    ExpectVersion,
    GiveReason,
    Hint,
    LeaveGuardOut,
    LeaveOut,
    NameEncoding,
    NameFile,
    NameFormat,
    NameJournal,
    OpenForWriting,
    Overwrite,
    Phrases,
    QuoteMore,
    ReplaceExisting,
    SendAddress,
    SendCorrected,
    SendOld,
    UseLines,
)
from steadyhand.lazy import replace
from steadyhand.surfaces.cli.corrected import typed

__all__ = ["phrases_for"]

_PLACES = ("edit", "delete", "diff")
_ADDRESSES = (*_PLACES, "act", "locate")
_TYPED = (*_ADDRESSES, "insert", "move", "outline")


def phrases_for(command: str | None) -> Phrases:
    """How a command says hints; those it has no word of its own for keep the words of the library."""
    said = {kind: phrase for kind, commands, phrase in _PHRASES if not commands or command in commands}
    return said if command is not None else {}


def _say(sentence: str) -> Callable[[Hint], str]:
    return lambda _: sentence


def _corrected(hint: SendCorrected) -> str:
    return hint.words() if hint.old is not None else f"{hint.aim}, send the corrected call below"


def _old(hint: SendOld) -> str:
    return hint.words() if hint.old is not None else f"{hint.aim}, send the text shown here as the old text"


def _address(hint: SendAddress) -> str:
    verb = "type" if hint.verb == "send" else hint.verb
    return replace(hint, verb=verb).spelled(typed(hint.address, one_line=True))


def _act(hint: Act) -> str:
    arguments = "" if hint.name is None else f" name={typed(hint.name, one_line=True)} value=VALUE"
    call = f"steadyhand act FILE {typed(hint.address, one_line=True)} {hint.action}{arguments}"
    return f"{hint.aim}, {call}" if hint.aim else call


def _insertion_lines(hint: UseLines) -> str:
    between = {0: "", 1: "1, "}.get(hint.count, f"1 to {hint.count}, ")
    return f"--line takes {between}0 for the start and -1 for the end"


def _whole_lines(hint: UseLines) -> str:
    return (
        f"--lines takes 1:{hint.count} or less" if hint.count else "steadyhand insert FILE --line 0 adds the first line"
    )


# The hint, the commands that say it so (none: all of them), and how; of several that fit, the last counts.
_PHRASES: tuple[tuple[type[Hint], tuple[str, ...], Callable[[Any], str | None]], ...] = (
    (SendCorrected, (), _corrected),
    (SendOld, (), _old),
    (QuoteMore, (), lambda hint: replace(hint, is_offered=False).words()),
    (NameFile, (), _say("name the file with --path FILE")),
    (NameEncoding, (), _say("say with --encoding NAME how it is encoded")),
    (NameJournal, (), lambda hint: f"give {hint.place} with --journal PLACE"),
    (NameFormat, (), lambda hint: f"send all of it in one format, or say which is meant with --format {hint.format}"),
    (OpenForWriting, (), lambda hint: f"leave --read-only out{hint.more or ', which was given, to change files'}"),
    (AllowShrink, (), _say("write it again with --allow-shrink, if the rest is to go")),
    (
        AllowShrink,
        ("apply",),
        _say('use steadyhand write --allow-shrink, or "allow_shrink": true in a JSON plan, if the rest is to go'),
    ),
    (GiveReason, (), _say("say with --reason why it is made")),
    (LeaveOut, (), lambda hint: f"leave {' and '.join(f'--{field}' for field in hint.fields)} out"),
    (LeaveGuardOut, (*_PLACES, "act", "apply", "insert", "move", "write"), lambda hint: f"add --no-guard {hint.guard}"),
    (SendAddress, _TYPED, _address),
    (Act, _TYPED, _act),
    (UseLines, ("insert",), _insertion_lines),
    (UseLines, _PLACES, _whole_lines),
    (ChooseOccurrence, _PLACES, _say("say which with --occurrence N, --first, --last or --all")),
    (ChooseOccurrence, ("insert",), _say("say which with --occurrence N, first, last or all")),
    (ChooseAddress, _ADDRESSES, _say("type the address of the one you mean, or add --nth N, --first, --last or --all")),
    (
        ChooseAddress,
        ("insert",),
        _say("type the address of the one you mean, or add --occurrence N, first, last or all"),
    ),
    (ChooseAddress, ("move", "outline"), _say("type the address of the one you mean")),
    (ExpectCount, (*_PLACES, "act"), lambda hint: f"add --expected {hint.count}, if all places are meant"),
    (
        ExpectVersion,
        (*_PLACES, "act", "insert", "move", "rename", "write"),
        lambda hint: f"name the version that is there now with --expect {hint.digest[:16]}",
    ),
    (Overwrite, ("write", "apply"), _say("replace it whatever it holds with --overwrite")),
    (ReplaceExisting, ("write",), _say("leave --mode out to replace it; steadyhand chmod changes its mode")),
    (ReplaceExisting, ("apply",), _say("edit it, or put the new file in its place with --overwrite")),
)
