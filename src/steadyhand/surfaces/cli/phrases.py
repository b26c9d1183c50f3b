"""Hints in the words of the shell: the option or the command that does what a hint says.

What a person types is said here and nowhere else; under --json a refusal keeps the words of the library.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from steadyhand.errors import EditError
from steadyhand.hints import (
    Act,
    AllowShrink,
    ChooseAddress,
    ChooseOccurrence,
    ExpectCount,
    ExpectVersion,
    FreeName,
    GiveReason,
    Hint,
    InstallExtra,
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
from steadyhand.surfaces.terminal import visible

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


def _encoding(hint: NameEncoding) -> str:
    if hint.is_binary:
        return "leave it alone, or, if it is text after all, name its encoding with --encoding NAME"
    return "say with --encoding NAME how it is encoded"


def _extra(hint: InstallExtra) -> str:
    from steadyhand.surfaces.installation import installation

    return installation().how_to_add(hint.extra)


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
    (NameEncoding, (), _encoding),
    (InstallExtra, (), _extra),
    (FreeName, (), _say("choose another name, or delete that file first: steadyhand delete FILE --file")),
    (NameJournal, (), lambda hint: f"give {hint.place} with --journal PLACE"),
    (NameFormat, (), lambda hint: f"send all of it in one format, or say which is meant with --format {hint.format}"),
    (OpenForWriting, (), lambda hint: f"leave out --read-only{hint.more or ' to change files'}"),
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


_LONGEST = 4_000  # characters of a call that somebody may want to paste
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def typed(text: str, *, one_line: bool = False) -> str:
    """A text as a word of the shell.

    A tab would make a shell complete names, and what a terminal would obey never reaches it: both are written out.

    >>> typed("a b"), typed("a\\tb"), typed("a\\nb", one_line=True)
    ("'a b'", "$'a\\\\tb'", "$'a\\\\nb'")
    """
    is_plain = visible(text) == text and "\t" not in text
    if is_plain and not (one_line and "\n" in text):
        return shlex.quote(text)
    return f"$'{''.join(map(_escape, text))}'"


def _escape(char: str) -> str:
    if char in _ESCAPES or visible(char) == char:
        return _ESCAPES.get(char, char)
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"  # an undecodable byte, carried as a surrogate
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def corrected_options(error: EditError, command: str | None) -> str | None:
    """The options and texts of the corrected call, behind the file's name; None where there is nothing to type."""
    edit = error.details.get("corrected")
    if not isinstance(edit, Mapping):
        return None
    texts = [value for value in edit.values() if isinstance(value, str)]
    if any("\0" in text for text in texts) or sum(map(len, texts)) > _LONGEST:
        return None
    told = _told(edit, command)
    reason = edit.get("reason")
    if told is None or not isinstance(reason, str) or command == "diff":
        return told
    return f"{told} --reason {typed(reason)}"


def _told(edit: Mapping[object, object], command: str | None) -> str | None:
    target, new, insert, where = (edit.get(name) for name in ("target", "new", "insert", "where"))
    if not isinstance(target, str):
        return None
    if command in ("edit", "diff") and isinstance(new, str):
        return f"--old {typed(target)} --new {typed(new)}"
    if command in ("delete", "diff") and "delete" in edit:
        return f"--old {typed(target)}"
    is_word = isinstance(insert, str) and not insert.startswith("-")  # else it would be taken for an option
    if command == "insert" and is_word and where in ("before", "after"):
        return f"--{where} {typed(target)} {typed(str(insert))}"
    return None
