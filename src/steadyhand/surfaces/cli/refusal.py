"""A refusal for people: kind and message, the facts the message does not hold, the hint, and the call that would do.

Hints are in the words of the shell: the option or the command that does what a hint says. What a person types is said
here and nowhere else; under --json a refusal keeps the words of the library. Behind refusals come those that were kept:
conflicts, and with them the events and leases of the tasks that they are between.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from steadyhand.errors import EditError, Kind
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
    render_hints,
)
from steadyhand.lazy import lazy_pattern, replace
from steadyhand.surfaces.cli.render import diff_lines, fact_lines, lines_of, table_row
from steadyhand.surfaces.terminal import (
    Line,
    Piece,
    counted,
    fit,
    head_of,
    pad,
    shown_time,
    span_of_lines,
    visible,
    visible_line,
    visible_name,
)

if TYPE_CHECKING:
    from steadyhand.session.events import Event
    from steadyhand.session.kept_conflicts import KeptConflict, PresentText
    from steadyhand.session.leases import ActiveLease

_MOST = 12  # lines of facts; programs get them all with --json
_KIND = lazy_pattern(r"([a-z_]+)(?:\.[a-z_-]+)?(?:\[-?[0-9]+\])?:")
# Facts for programs: the message says them in words, or a person has no use for them.
_UNSAID = frozenset(
    (
        "action actions actual also anchor available column conflicts corrected count end errno example excerpt "
        "field formats guard index kind limit line line_count lines mode nearest new_lines offset path places "
        "problem reply_lines similarity size start tier total tried verb wanted"
    ).split()
)
_OUTSIDE = "something outside Steadyhand"
_HEADS = ("conflict", "time", "refused", "where", "against")
_STYLES = {"open": "warning", "applied": "good", "edited": "good"}
_ROWS = 12  # of each side, where there is room
_FEW = 2  # where there is little
_EVENT_STYLES = {
    "edit": "good",
    "undo": "warning",
    "redo": "good",
    "refusal": "error",
    "conflict": "error",
    "resolved": "good",
}
_SIDES = 3  # changes of others that are shown of one conflict
_EVENT_ROWS = 4
_REASON = 300


def error_lines(error: EditError, *, phrases: Phrases | None = None, call: str | None = None) -> list[Line]:
    """The message may run over several lines; so may the hint, said in `phrases`.

    `call` is what would go through instead, as typed.
    """
    hint = render_hints(error.hints, phrases) or ""
    said = f"{error.message}\n{hint}"
    first, *rest = error.message.split("\n")
    lines: list[Line] = [(Piece(str(error.kind), "error"), Piece(": "), *head_of(first))]
    lines += _address_lines(error) or _place_lines(error, rest)
    lines += _nearest_lines(error, said) + _excerpt_lines(error)
    lines += _conflict_lines(error)
    lines += _fact_lines(error, said, is_offered=call is not None)
    lines += _tried_lines(error)
    lines += _reply_lines(error) + _also_lines(error)
    lines += _hint_lines(error, hint.rstrip("\n"))
    return lines + _offer_lines(error, call)


def _hint_lines(error: EditError, hint: str) -> list[Line]:
    """The hint, and under it an example of what could be sent, unless the hint has it."""
    example = error.details.get("example")
    first, *rest = hint.split("\n")
    lines: list[Line] = [(Piece("hint: ", "hint"), *head_of(first))] if hint else []
    lines += [(Piece("  "), *head_of(row)) for row in rest]
    if isinstance(example, str) and example.rstrip("\n") not in hint:
        lines.append((Piece("for example:", "hint"),))
        lines += [(Piece("    "), *head_of(row)) for row in example.rstrip("\n").split("\n")]
    return lines


def _tried_lines(error: EditError) -> list[Line]:
    """What the other formats made of a reply that one of them refuses; those that say the same on one line."""
    tried = error.details.get("tried")
    if not isinstance(tried, Mapping) or "format" not in error.details:
        return []
    said: dict[str, list[str]] = {}
    for name, words in tried.items():
        if words != error.message:
            said.setdefault(str(words), []).append(str(name))
    return [(Piece(f"  {', '.join(names)}:", "dim"), Piece(" "), *head_of(words)) for words, names in said.items()]


def _reply_lines(error: EditError) -> list[Line]:
    """Where in a reply the refused part is."""
    match error.details.get("reply_lines"):
        case [int(first), int(last)]:
            return [(Piece("  in the reply: ", "dim"), Piece(lines_of((first, last)).strip()))]
    return []


def _also_lines(error: EditError) -> list[Line]:
    """The other refusals of the same call, a line each."""
    also = error.details.get("also")
    lines: list[Line] = []
    for other in also if isinstance(also, list) else []:
        index = other.get("index")
        where = f"edit {index + 1}, " if isinstance(index, int) else ""
        lines.append((Piece("  also: ", "dim"), *head_of(f"{where}{other['kind']}: {other['message']}")))
    return lines


def _place_lines(error: EditError, rows: Sequence[str]) -> list[Line]:
    """What the message lists; places among which to choose with the number to ask for each by, and what to quote."""
    places = error.details.get("candidates")
    if error.kind is not Kind.AMBIGUOUS_MATCH or not isinstance(places, list | tuple):
        return [(Piece("  "), *head_of(row)) for row in rows]
    lines: list[Line] = []
    listed = len(rows) - bool(rows and rows[-1].startswith("  … and "))
    for row, place in zip_longest(rows, places[:listed]):
        facts = place if isinstance(place, Mapping) else {}
        number = facts.get("occurrence")
        label = Piece(f"{number:>3}. ", "id") if isinstance(number, int) else Piece("  " if place is None else "     ")
        lines.append((label, *head_of(row if place is None else row.strip())))
    return lines


def _address_lines(error: EditError) -> list[Line]:
    """The places that answer to an address, each by the address that means it alone."""
    places = error.details.get("places")
    lines: list[Line] = []
    for number, place in enumerate(places if isinstance(places, list) else (), 1):
        if isinstance(place, Mapping) and isinstance(place.get("address"), str):
            where = place.get("lines")
            line = f" (line {where[0]})" if isinstance(where, list | tuple) and where else ""
            address = typed(place["address"], one_line=True)
            lines.append((Piece(f"{number:>3}. ", "id"), *head_of(address), Piece(line, "dim")))
    rest = len(lines) - _MOST
    return [*lines[:_MOST], (Piece(f"     … and {rest} more", "dim"),)] if rest > 0 else lines


def _nearest_lines(error: EditError, said: str) -> list[Line]:
    """What is there that is like what was asked for, as it can be typed; nothing where the message has all of it."""
    nearest = error.details.get("nearest") or error.details.get("available")
    items = nearest if isinstance(nearest, list | tuple) else ()
    named = (item.get("address") if isinstance(item, Mapping) else item for item in items)
    names = [name for name in named if isinstance(name, str)]
    if all(name in said for name in names):
        return []
    return [(Piece("  there is: ", "dim"), *head_of(_typed_address(name))) for name in names[:_MOST]]


def _typed_address(name: str) -> str:
    """An address as a word of the shell; a bare name, or one with a remark in brackets behind it, as it is."""
    from steadyhand.structure.target import targets

    kind = _KIND.match(name)
    return typed(name, one_line=True) if kind and kind[1] in targets() and not name.endswith(")") else name


def _excerpt_lines(error: EditError) -> list[Line]:
    """The lines of the new text around the one that would not parse."""
    rows, line = error.details.get("excerpt"), error.details.get("line")
    lines: list[Line] = []
    for row in rows if isinstance(rows, list) else ():
        is_fault = str(row).startswith(f"{line}:")
        lines.append((Piece("  > " if is_fault else "    ", "error"), *head_of(str(row))))
    return lines


def _conflict_lines(error: EditError) -> list[Line]:
    """Both sides of a conflict, and under which names it is kept."""
    others, yours = error.details.get("with"), error.details.get("yours")
    if error.kind is not Kind.CONFLICT or not isinstance(others, list):
        return []
    lines = refusal_lines([other for other in others if isinstance(other, Mapping)], yours)
    kept = error.details.get("conflicts")
    names = ", ".join(map(str, kept)) if isinstance(kept, list) else ""
    more = [(Piece("kept as: ", "dim"), Piece(names, "id"), Piece("  see steadyhand conflicts", "dim"))]
    return [(Piece("  "), *line) for line in [*lines, *(more if names else [])]]


def _offer_lines(error: EditError, call: str | None) -> list[Line]:
    """The call to paste, row by row from the first column, for blanks count in it; a plan takes the edit as JSON."""
    if call is not None:
        return [(Piece("corrected call:", "hint"),), *((Piece(row),) for row in call.split("\n"))]
    edit = error.details.get("corrected")
    if not isinstance(edit, Mapping):
        return []
    import json

    return [(Piece("corrected: ", "hint"), *head_of(json.dumps(dict(edit))))]


def _fact_lines(error: EditError, said: str, *, is_offered: bool) -> list[Line]:
    unsaid = _UNSAID | {"old", "expected"} if is_offered else _UNSAID  # the call has them, or what took their place
    facts = [
        (key, shown)
        for key, value in error.details.items()
        if key not in unsaid and (shown := _show(value)) and shown not in said
    ]
    lines: list[Line] = []
    for key, shown in facts:
        if len(lines) >= _MOST:
            break
        lines += _fact(key.replace("_", " "), shown)
    return lines[:_MOST]


def _fact(name: str, value: str) -> list[Line]:
    """On the line of its name, or, where blanks or newlines count, row by row behind a bar: `  |` is no part of it."""
    label = Piece(f"  {name}:", "dim")
    if "\n" not in value and value == value.strip():
        return [(label, Piece(" "), *head_of(value))]
    return [(label,), *((Piece("  |", "dim"), *head_of(row)) for row in value.split("\n"))]


def _show(value: object) -> str:
    """A fact in words; what has no short form is left to --json."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list | tuple) and all(isinstance(item, str | int) for item in value):
        return ", ".join(str(item) for item in value)
    return ""


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


def _corrected_part(hint: SendCorrected) -> str:
    return hint.words() if hint.old is not None else f"{hint.aim}, send that part as the edit shown below"


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
        return "leave it alone, or, if it is text after all, set its encoding with --encoding NAME"
    return "set its encoding with --encoding NAME"


def _extra(hint: InstallExtra) -> str:
    from steadyhand.surfaces.clients import installation

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
    (SendCorrected, ("apply",), _corrected_part),
    (SendOld, (), _old),
    (QuoteMore, (), lambda hint: replace(hint, is_offered=False).words()),
    (NameFile, (), _say("name the file with --path FILE")),
    (NameEncoding, (), _encoding),
    (InstallExtra, (), _extra),
    (FreeName, (), _say("choose another name, or delete that file first: steadyhand delete FILE --file")),
    (NameJournal, (), lambda hint: f"give {hint.place} with --journal PLACE"),
    (NameFormat, (), lambda hint: f"send all of it in one format, or choose one with --format {hint.format}"),
    (OpenForWriting, (), lambda hint: f"leave out --read-only{hint.more or ' to change files'}"),
    (AllowShrink, (), _say("to drop the rest, write it again with --allow-shrink")),
    (
        AllowShrink,
        ("apply",),
        _say('to drop the rest, use steadyhand write --allow-shrink, or "allow_shrink": true in a JSON plan'),
    ),
    (GiveReason, (), _say("add --reason TEXT")),
    (LeaveOut, (), lambda hint: f"leave {' and '.join(f'--{field}' for field in hint.fields)} out"),
    (LeaveGuardOut, (*_PLACES, "act", "apply", "insert", "move", "write"), lambda hint: f"add --no-guard {hint.guard}"),
    (SendAddress, _TYPED, _address),
    (Act, _TYPED, _act),
    (UseLines, ("insert",), _insertion_lines),
    (UseLines, _PLACES, _whole_lines),
    (ChooseOccurrence, _PLACES, _say("choose one with --occurrence N, --first, --last or --all")),
    (ChooseOccurrence, ("insert",), _say("choose one with --occurrence N, first, last or all")),
    (ChooseAddress, _ADDRESSES, _say("use the address of the one you mean, or add --nth N, --first, --last or --all")),
    (
        ChooseAddress,
        ("insert",),
        _say("use the address of the one you mean, or add --occurrence N, first, last or all"),
    ),
    (ChooseAddress, ("move", "outline"), _say("use the address of the one you mean")),
    (ExpectCount, (*_PLACES, "act"), lambda hint: f"add --expected {hint.count}, if all places are meant"),
    (
        ExpectVersion,
        (*_PLACES, "act", "insert", "move", "rename", "write"),
        lambda hint: f"expect the current version with --expect {hint.digest[:16]}",
    ),
    (Overwrite, ("write", "apply"), _say("replace it with --overwrite, whatever its content")),
    (ReplaceExisting, ("write",), _say("leave out --mode to replace it; steadyhand chmod changes its mode")),
    (ReplaceExisting, ("apply",), _say("edit it, or replace it with --overwrite")),
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
    options = _options_of(edit, command)
    reason = edit.get("reason")
    if options is None or not isinstance(reason, str) or command == "diff":
        return options
    return f"{options} --reason {typed(reason)}"


def _options_of(edit: Mapping[object, object], command: str | None) -> str | None:
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


def conflict_table(conflicts: Sequence[KeptConflict], *, width: int) -> list[Line]:
    """One row per conflict, and as much of the reason of the refused edit as fits."""
    if not conflicts:
        return [(Piece("no open conflicts", "dim"),)]
    rows = [
        (
            d.id,
            shown_time(d.time),
            _name(d.actor, d.task),
            f"{visible_name(d.path)}:{span_of_lines(*d.lines)}",
            _others(d),
        )
        for d in conflicts
    ]
    widths = [min(max(len(visible_line(row[i])) for row in (_HEADS, *rows)), 40) for i in range(len(_HEADS))]
    room = max(width - sum(widths) - 2 * len(_HEADS) - 10, 10)
    lines: list[Line] = [(Piece(table_row([*_HEADS, "state", "why"], [*widths, 8, room]), "dim"),)]
    for kept, row in zip(conflicts, rows, strict=True):
        cells = f"  {table_row(row[1:], widths[1:])}  "
        state = Piece(pad(kept.state, 8), _STYLES.get(kept.state, "dim"))
        lines.append((Piece(row[0], "id"), Piece(cells), state, Piece(f"  {fit(kept.reason or '', room)}")))
    return lines


def conflict_lines(kept: KeptConflict, present: PresentText | None, *, width: int | None) -> list[Line]:
    """One conflict in full: both sides, and the current text."""
    facts = [
        ("conflict", kept.id),
        ("time", shown_time(kept.time)),
        ("file", f"{visible_name(kept.path)}{lines_of(kept.lines)}"),
        ("state", kept.state + (f", record {kept.record}" if kept.record else "")),
    ]
    lines = fact_lines(facts)
    for other in kept.others:
        lines += side_lines(other, rows=_ROWS, width=width)
    mine = {"actor": kept.actor, "task": kept.task, "time": kept.time, "reason": kept.reason}
    lines += side_lines({**mine, **(kept.yours or {}), "refused": True}, rows=_ROWS, width=width)
    return lines + _present_lines(present)


def _present_lines(present: PresentText | None) -> list[Line]:
    if present is None:
        return []
    if not present.text:
        return [(Piece("now: ", "heading"), Piece("the text is gone", "dim"))]
    first, last = present.lines
    rows = present.text.split("\n")[: last - first + 1]
    digits = len(str(last))
    lines: list[Line] = [(Piece("now:", "heading"), Piece(lines_of(present.lines), "place"))]
    lines += [(Piece(f"    {first + i:>{digits}} ", "dim"), *head_of(row)) for i, row in enumerate(rows[:_ROWS])]
    return [*lines, _more(len(rows) - _ROWS)] if len(rows) > _ROWS else lines


def side_lines(side: Mapping[str, object], *, rows: int, width: int | None = None) -> list[Line]:
    """One side of a conflict: who, when, where and why, then what it took away and what it wrote."""
    is_refused = side.get("refused") is True
    who = _name(side.get("actor"), side.get("task")) if is_refused or side.get("record") else _OUTSIDE
    label = Piece("refused: " if is_refused else "current: ", "error" if is_refused else "good")
    pair = _pair(side.get("lines"))
    time, reason, record = (side.get(name) for name in ("time", "reason", "record"))
    head = [label, Piece(visible_line(who), "heading")]
    head += [Piece(f"  {shown_time(time)}", "dim")] if isinstance(time, str) else []
    head += [Piece(f" {lines_of(pair)}", "place")] if pair else []
    head += [Piece(f"  {fit(reason, 300)}")] if isinstance(reason, str) else []
    head += [Piece(f"  {record}", "id")] if isinstance(record, str) else []
    return [tuple(head), *_change_lines(side.get("before"), side.get("after"), rows=rows, width=width)]


def refusal_lines(others: Sequence[Mapping[str, object]], yours: object) -> list[Line]:
    """Both sides in a few lines, for whoever is refused just now."""
    lines: list[Line] = []
    for other in others[:_FEW]:
        lines += side_lines(other, rows=_FEW)
    if len(others) > _FEW:
        lines.append((Piece(f"… and {counted(len(others) - _FEW, 'more change')} of others", "dim"),))
    if isinstance(yours, Mapping) and (yours.get("before") or yours.get("after")):
        changed = _change_lines(yours.get("before"), yours.get("after"), rows=_FEW, width=None)
        lines += [(Piece("refused: ", "error"), Piece("this edit", "heading")), *changed]
    return lines


def _change_lines(before: object, after: object, *, rows: int, width: int | None) -> list[Line]:
    """What was taken away and what was written, as the rows of a diff, at most so many of each."""
    old, new = (_rows(text) if isinstance(text, str) else [] for text in (before, after))
    if not old and not new:
        return []
    diff = "\n".join([f"@@ -1,{len(old)} +1,{len(new)} @@", *(f"-{row}" for row in old), *(f"+{row}" for row in new)])
    shown = diff_lines(diff, width=width)[1:]
    lines: list[Line] = []
    for side in (shown[: len(old)], shown[len(old) :]):
        lines += [(Piece("    "), *line) for line in side[:rows]]
        lines += [_more(len(side) - rows)] if len(side) > rows else []
    return lines


def _more(number: int) -> Line:
    return (Piece(f"    … {counted(number, 'more line')}", "dim"),)


def _rows(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _others(kept: KeptConflict) -> str:
    names = [_name(o.get("actor"), o.get("task")) if o.get("record") else _OUTSIDE for o in kept.others]
    return ", ".join(dict.fromkeys(names))


def _name(actor: object, task: object) -> str:
    return f"{actor} · {task}" if task else str(actor)


def _pair(value: object) -> tuple[int, int] | None:
    match value:
        case [int(first), int(last)]:
            return first, last
    return None


def event_lines(event: Event, *, width: int | None) -> list[Line]:
    """The line of an event, and what belongs to it further in."""
    lines = [_head(event), *_edit_lines(event)]
    if event.type == "conflict":
        lines += _side_lines(event, width)
    return lines


def _head(event: Event) -> Line:
    who = f"{event.actor} · {event.task}" if event.actor and event.task else event.actor or event.task or ""
    pieces = [
        Piece(f"{event.seq}  {shown_time(event.time, seconds=True)}  ", "dim"),
        Piece(event.type, _EVENT_STYLES.get(event.type, "place")),
        Piece(f"  {visible_line(who)}" if who else "", "heading"),
        Piece(f"  {_where(event)}" if event.paths else "", "place"),
        Piece(f"  {visible_line(event.message)}" if _has_own_message(event) else ""),
        Piece(f"  {fit(event.reason, _REASON)}" if event.reason else ""),
        Piece(f"  {event.id}" if event.id else "", "id"),
    ]
    return tuple(piece for piece in pieces if piece.text)


def _has_own_message(event: Event) -> bool:
    """Whether the message says more than type, place and reason do."""
    undoes = event.details.get("undoes")
    if isinstance(undoes, list) and undoes and all(str(name) in (event.reason or "") for name in undoes):
        return False
    return event.message != f"edited {event.paths[0]}" if len(event.paths) == 1 else bool(event.message)


def _where(event: Event) -> str:
    names = ", ".join(visible_name(path) for path in event.paths[:3])
    more = f" and {len(event.paths) - 3} more" if len(event.paths) > 3 else ""
    lines = ",".join(span_of_lines(*each) for each in event.lines[:6])
    return f"{names}{more}{':' if lines else ''}{lines}{' …' if len(event.lines) > 6 else ''}"


def _edit_lines(event: Event) -> list[Line]:
    """The reasons of single edits, where they are not the one above, and what an edit was written over."""
    lines: list[Line] = []
    for file in _mappings(event.details.get("files")):
        for edit in _mappings(file.get("edits")):
            reason, forced = edit.get("reason"), edit.get("forced")
            if isinstance(reason, str) and reason != event.reason and event.type == "edit":
                lines.append((Piece(f"    {_place(file, edit)}", "place"), Piece(f"  {fit(reason, _REASON)}")))
            if isinstance(forced, list) and forced:
                over = visible_line(", ".join(map(str, forced)))
                lines.append((Piece("    forced over: ", "warning"), Piece(over, "id")))
    return lines


def _place(file: Mapping[str, object], edit: Mapping[str, object]) -> str:
    name = visible_name(str(file.get("path")))
    match edit.get("lines"):
        case [int(first), int(last)]:
            return f"{name}:{span_of_lines(first, last)}"
    return name


def _side_lines(event: Event, width: int | None) -> list[Line]:
    others = _mappings(event.details.get("with"))
    yours = event.details.get("yours")
    lines: list[Line] = []
    for other in others[:_SIDES]:
        lines += [(Piece("    "), *line) for line in side_lines(other, rows=_EVENT_ROWS, width=width)]
    if len(others) > _SIDES:
        lines.append((Piece(f"    … and {len(others) - _SIDES} more", "dim"),))
    if isinstance(yours, Mapping):
        mine = {"actor": event.actor, "task": event.task, "refused": True, **yours}
        lines += [(Piece("    "), *line) for line in side_lines(mine, rows=_EVENT_ROWS, width=width)]
    return lines


def _mappings(value: object) -> list[Mapping[str, object]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def lease_lines(leases: Sequence[ActiveLease]) -> list[Line]:
    """One line for each lease: where, who, since when, why."""
    if not leases:
        return [(Piece("no leases", "dim"),)]
    return [_lease(active) for active in leases]


def _lease(active: ActiveLease) -> Line:
    lease = active.lease
    lines = active.lines
    where = "" if lines is None else f":{span_of_lines(*lines)}"
    limit = "" if lease.seconds is None else f" for {lease.seconds:g} s"
    return (
        Piece(f"{visible_name(active.path)}{where}", "place"),
        Piece(f"  {active.party}  since {shown_time(lease.time)}{limit}"),
        Piece(f"  {lease.reason}" if lease.reason else ""),
    )
