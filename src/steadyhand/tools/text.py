"""An answer as text, for people and for models whose client hands on nothing else: complete on its own.

A change is one line and a short diff; a refusal is kind, message, hint and what the details add to them; content is
shown as it is, in a part of its own and never between our own words. What a field says that no rule here knows is
shown by its name, so that nothing of an answer is lost. Text is made from the answer that `kit.call` gives, and only
here; no tool words it a second time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.text.visible import clip
from steadyhand.tools.result import failed

if TYPE_CHECKING:
    from steadyhand.session.receipt import FileReceipt, Receipt


_CONTEXT = 2  # lines of a diff around what changed
_MOST_ROWS = 40  # of one file's diff
_MOST_FILES = 10  # whose diffs are shown
_LONGEST_TEXT = 400_000  # characters of a file that was written as a whole, up to which it is compared
_PATHS = ("path", "filePath", "file")

# What a headline says, and what only repeats what was sent or what the diff shows.
_SAID = frozenset(
    """success status path filePath file id fileHash lines affectedLines context preview output appliedEdits
    linesChanged operation target totalLines error kind message hint details outcomes results files entries feedback
    matches content diff
    dryRun from appliedCount refusedCount failedIndex column undoes reason filesSearched
    suggestedTool consecutiveFailures fileSize format occurrencesReplaced""".split()
)
# Facts for programs: how a place was looked for, and what a surface computes with.
_FOR_PROGRAMS = frozenset(
    """index tried tier total total_is_exact guard reply_lines batch formats format kind field key size similarity
    position occurrence conflicts line_count lines_before lines_after wanted count code mode tool expected actual named
    id problem failures start fileHash yours""".split()
)

Answer = Mapping[str, object]
Changes = Mapping[str, tuple[str, str]]
"""The status and the short diff of each file that was changed, by its path."""


def render_text(answer: Answer, receipts: Sequence[Receipt] = ()) -> str:
    """An answer in one text; `receipts` are of the changes that the call made.

    >>> print(render_text({"success": False, "kind": "no-match", "message": "it is not there", "hint": "read it"}))
    no-match: it is not there
    Hint: read it
    """
    return "\n".join(render_parts(answer, receipts))


def render_parts(answer: Answer, receipts: Sequence[Receipt] = ()) -> list[str]:
    """The same in parts: what is content of a file is a part of its own."""
    if "is_error" in answer:
        return [str(answer.get("content", ""))]
    parts: list[str] = []
    ours: list[str] = []
    shown: dict[str, tuple[str, str]] = {}
    for receipt in receipts:
        for file in receipt.files[: _MOST_FILES - len(shown)]:
            shown[file.path] = (file.status, _short_diff(file))
    for line, is_content in _answer(answer, shown):
        if is_content:
            parts += ["\n".join(ours), line] if ours else [line]
            ours = []
        else:
            ours.append(line)
    return [*parts, "\n".join(ours)] if ours else parts


Line = tuple[str, bool]


def _ours(lines: Iterator[str]) -> Iterator[Line]:
    return ((line, False) for line in lines)


def _answer(answer: Answer, changes: Changes) -> Iterator[Line]:
    if failed(answer):
        beside = {name: value for name, value in answer.items() if name not in _SAID and name != "applied"}
        yield from _ours(_refusal(answer, beside))
        for each in _mappings(answer.get("results")):
            yield from _ours(_result(each, answer))
        return
    headline = _headline(answer, changes)
    if headline:
        yield headline, False
    yield from _ours(_diff(answer, changes))
    if answer.get("success") == "partial" and isinstance(answer.get("error"), str):
        yield from _ours(_refusal(answer))
    yield from _parts(answer, changes)
    yield from _ours(_rest(answer))
    if not headline and all(value in (None, [], {}) or name in ("success", "status") for name, value in answer.items()):
        yield "done", False


def _headline(answer: Answer, changes: Changes) -> str:
    """One line: what was done where, or what is shown."""
    path = _path(answer)
    facts = [f"{name} {answer[name]}" for name in ("id", "fileHash") if isinstance(answer.get(name), str)]
    if isinstance(undone := answer.get("undoes"), list) and undone:
        facts.append(f"undoes {', '.join(map(str, undone))}")
    files = _mappings(answer.get("files"))
    if "id" in answer or "dryRun" in answer:
        status = _status(answer, files, changes)
        more = answer.get("moreFiles")  # of very many files only the first are listed
        count = len(files) + (more if isinstance(more, int) else 0)
        what = f"{count:,} files" if count > 1 else path or (_path(files[0]) if files else "")
        verb = f"would be {status}" if answer.get("dryRun") else status
        line = f"{what}{_at(answer)} {verb}" if answer.get("dryRun") else f"{verb} {what}{_at(answer)}"
        return f"{line}{_bracketed(facts)}"
    total = answer.get("totalLines")
    lines = f", {total} line{'' if total == 1 else 's'}" if isinstance(total, int) else ""
    if path and ("fileHash" in answer or lines):
        return f"{path}{lines}{_bracketed(facts)}"
    if "matches" in answer:
        found, looked = len(_mappings(answer["matches"])), answer.get("filesSearched")
        searched = f", {looked} file{'' if looked == 1 else 's'} searched" if isinstance(looked, int) else ""
        return f"{found} match{'' if found == 1 else 'es'}{searched}"
    if "entries" in answer and not _mappings(answer["entries"]):
        return "nothing"
    return "no feedback" if answer.get("feedback") == [] else ""


def _status(answer: Answer, files: Sequence[Answer], changes: Changes) -> str:
    if answer.get("undoes"):
        return "restored"
    own, made = answer.get("status"), changes.get(_path(answer))
    if own in ("created", "edited", "deleted", "renamed", "mode"):
        named = {str(own)}
    elif made is not None:
        named = {made[0]}
    else:
        named = {str(each.get("status")) for each in files if each.get("status")}
    one = named.pop() if len(named) == 1 else "edited" if not named else "changed"
    return "changed the mode of" if one == "mode" else one


def _at(answer: Answer) -> str:
    """Where in the file, as `:3` or `:3-5`; nothing where lines were only removed."""
    lines = answer.get("lines", answer.get("affectedLines"))
    if not isinstance(lines, Mapping):
        return ""
    start, end = lines.get("start"), lines.get("end")
    if not isinstance(start, int) or not isinstance(end, int) or end < start:
        return f":{start}" if start else ""
    return f":{start}" if start == end else f":{start}-{end}"


def _bracketed(facts: Sequence[str]) -> str:
    return f" [{', '.join(facts)}]" if facts else ""


def _path(answer: Answer) -> str:
    return next((str(answer[name]) for name in _PATHS if answer.get(name)), "")


def _mappings(value: object) -> list[Answer]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list | tuple) else []


# A change.


def _short_diff(file: FileReceipt) -> str:
    """What changed in a file; nothing of one that is new, gone, secret or too long to be compared."""
    if file.redacted or file.status != "edited" or not file.can_diff(_LONGEST_TEXT):
        return ""
    rows = [clip(row) for row in _body(file.diff(context=_CONTEXT))]
    if len(rows) > _MOST_ROWS:
        rows[_MOST_ROWS:] = [f"… {len(rows) - _MOST_ROWS} more lines of the diff"]
    return "\n".join(rows)


def _body(diff: str) -> list[str]:
    """The rows of one file's diff without what the headline says: its name, and where it is if that is one place."""
    places = diff if diff.startswith("@@ ") else diff[diff.find("\n@@ ") + 1 :]
    rows = places.removesuffix("\n").split("\n")
    return rows[1:] if sum(row.startswith("@@ ") for row in rows) == 1 else rows


def _diff(answer: Answer, changes: Changes) -> Iterator[str]:
    given = answer.get("diff")
    files = _mappings(answer.get("files"))
    if answer.get("dryRun") and isinstance(given, str):
        yield given.removesuffix("\n") if len(files) > 1 else "\n".join(_body(given))
        return
    if "id" not in answer:
        return
    if len(files) < 2:
        made = changes.get(_path(answer)) or (next(iter(changes.values())) if len(changes) == 1 else None)
        if made is not None and made[1]:
            yield made[1]
        return
    for file in files:
        named = f" from {file['from']}" if "from" in file else ""
        digest = [f"fileHash {file['fileHash']}"] if "fileHash" in file else []
        yield f"{file.get('status')} {_path(file)}{_at(file)}{named}{_bracketed(digest)}"
        made = changes.get(_path(file))
        if made is not None and made[1]:
            yield made[1]


# What a reading tool shows, and the parts of an answer about several things.


def _parts(answer: Answer, changes: Changes) -> Iterator[Line]:
    content, lines = answer.get("content"), answer.get("lines")
    if isinstance(content, str) and "id" not in answer:
        yield content, True
    if isinstance(lines, list):
        yield "\n".join(map(str, lines)), True
    if "id" not in answer and "dryRun" not in answer:
        for file in _mappings(answer.get("files")):
            yield from _part(file, changes)
    entries = answer.get("entries", answer.get("feedback"))
    for entry in entries if isinstance(entries, list) else ():
        yield _entry(entry), False
    for match in _mappings(answer.get("matches")):
        path, rest = _path(match), _facts(match, ("path", "line", "column", "text", "context"))
        place = ":".join(str(each) for each in (path, match.get("line"), match.get("column")) if each)
        yield f"{place}: {match.get('text', '')}{f'  ({rest})' if rest else ''}", False
    yield from _ours(_outcomes(answer))
    results = _mappings(answer.get("results"))
    for each in results:
        if "index" in each:
            yield from _ours(_result(each))
        else:
            yield from _part(each, changes)


def _part(part: Answer, changes: Changes) -> Iterator[Line]:
    """A file of several, as if it had been asked for alone."""
    if failed(part) or "kind" in part:
        path = _path(part)
        refused = list(_refusal(part))
        yield (refused[0] if path in refused[0] else f"{path}: {refused[0]}"), False
        yield from _ours(iter(refused[1:]))
    elif {"content", "id", "fileHash", "success"} & part.keys():
        yield from _answer(part, changes)
    else:
        yield from _ours(iter([_facts(part)]))


def _entry(entry: object) -> str:
    """One file, section or change of a list."""
    if not isinstance(entry, Mapping):
        return str(entry)
    if "address" in entry:
        rest = _facts(entry, ("address", "startLine", "endLine", "kind"))
        lines = f"{entry.get('startLine')}-{entry.get('endLine')}"
        return f"{lines}  {entry.get('kind')}  {entry['address']}{f'  ({rest})' if rest else ''}"
    if set(entry) <= {"path", "size"}:
        size = f"  {entry['size']}" if "size" in entry else ""
        return f"{entry.get('path')}{size}"
    return _facts(entry)


def _outcomes(answer: Answer) -> Iterator[str]:
    """The edits of a call that were refused, or found otherwise than they were quoted."""
    outcomes = _mappings(answer.get("outcomes"))
    for outcome in outcomes:
        name = f"edit {outcome.get('index')}"
        if "kind" in outcome:
            first, *more = _refusal(outcome)
            yield f"{name}: {first}"
            yield from more
        elif rest := _facts(outcome, ("index", "applied", "path", "lines")):
            place = f"{_path(outcome)}{_at(outcome)}"
            yield f"{name}{f', {place}' if _path(outcome) else ''}: {rest}"


def _result(result: Answer, said: Answer | None = None) -> Iterator[str]:
    """One operation or file of several: nothing of one that was done as asked for, or that was `said` already."""
    is_said = said is not None and all(result.get(name) == said.get(name) for name in ("kind", "error"))
    if failed(result) and (result.get("error") or result.get("message")) and not is_said:
        first, *more = _refusal(result)
        name = _path(result) or f"operation {result.get('index')}"
        yield first if name in first or "operation " in first else f"{name}: {first}"
        yield from more


# A refusal.


def _refusal(answer: Answer, beside: Answer | None = None) -> Iterator[str]:
    """Kind and message, hint, then what the details add, and what a tool tells `beside` them."""
    message, hint = answer.get("message"), answer.get("hint")
    reason = answer.get("reason") if answer.get("kind") == "patch_error" else None
    said = str(answer.get("error", ""))  # what a part of an answer has: both in one
    if isinstance(message, str):
        said = f"{message}\nHint: {hint}" if hint else message
    yield f"{reason or answer.get('kind')}: {said}"
    details = answer.get("details")
    facts = {**(details if isinstance(details, Mapping) else {}), **(beside or {})}
    if reason not in (None, Kind.MALFORMED_PATCH):
        facts.pop("example", None)  # how a patch is written is not what went wrong
    for name, value in facts.items():
        if name not in _FOR_PROGRAMS and not _is_said(value, said) and not _is_hinted(name, value, said):
            yield from _detail(name, value, said)


def _is_hinted(name: str, value: object, said: str) -> bool:
    """Whether the hint has the part of a fact that is new to whoever made the call."""
    match name, value:
        case "available", _:
            return "the folder has" in said
        case "corrected", Mapping():
            return any(isinstance(each, str) and f"send {each!r}" in said for each in value.values())
        case _:
            return False


def _is_said(value: object, said: str) -> bool:
    """Whether the message or the hint says all of a fact already."""
    match value:
        case None | bool() | float():
            return True
        case int():
            return re.search(rf"\b{value}\b", said) is not None
        case str():
            return value in said
        case Mapping():
            return all(_is_said(each, said) for name, each in value.items() if name not in _FOR_PROGRAMS)
        case list() | tuple():
            return all(_is_said(each, said) for each in value)
        case _:
            return False


def _detail(name: str, value: object, said: str) -> Iterator[str]:
    rows = _mappings(value)
    if name == "with":
        for other in rows:
            task = f" ({other['task']})" if other.get("task") else ""
            if len(rows) > 1 or f"{other.get('actor')}{task}" not in said:
                yield f"{other.get('actor')}{task}, change {other.get('record')}:"
            yield from _sides(other)
    elif name == "bestMatch" and isinstance(value, Mapping):
        yield f"{name}: {_json(value.get('text'))}"
    elif name == "candidates" and any("corrected" in row or "old_string" in row for row in rows):
        yield from _candidates(rows)
    elif name == "excerpt" and isinstance(value, list):
        yield "\n".join(map(str, value))
    elif rows:
        fresh = [row for row in rows if not _is_said(_without_place(row), said)]
        if fresh:
            yield f"{name}:"
        for row in fresh:
            lines = row.get("lines")
            at = f"line {lines[0]}: " if isinstance(lines, list) and lines else ""
            yield f"  {at}{_json(_without_place(row))}"
    elif isinstance(value, str) and "\n" in value:
        yield f"{name}:\n{value.removesuffix(chr(10))}"
    else:
        yield f"{name}: {_plain(value)}"


def _candidates(rows: Sequence[Answer]) -> Iterator[str]:
    """For each place the edit that means it alone, as the tool takes it."""
    for row in rows:
        corrected, lines = row.get("corrected", _without_place(row)), row.get("lines")
        line = lines[0] if isinstance(lines, list) else "?"
        if isinstance(corrected, str):
            yield f"corrected for line {line}:\n{corrected.removesuffix(chr(10))}"
        elif isinstance(corrected, Mapping):
            sent = {name: each for name, each in corrected.items() if name not in ("reason", *_PATHS)}
            yield f"corrected for line {line}: {_json(sent)}"


def _without_place(row: Answer) -> Answer:
    return {name: each for name, each in row.items() if name not in ("lines", "column")}


def _sides(change: Answer) -> Iterator[str]:
    for sign, side in (("-", "before"), ("+", "after")):
        text = change.get(side)
        if isinstance(text, str) and text:
            yield "\n".join(f"{sign}{clip(row)}" for row in text.removesuffix("\n").split("\n"))


# Everything else.


def _rest(answer: Answer) -> Iterator[str]:
    """Fields that no rule knows: warnings and notes as they are, short facts on one line, others by their names."""
    short: list[str] = []
    long: list[str] = []
    for name, value in answer.items():
        if name in _SAID or value in (None, [], {}) or _is_implied(answer, name, value):
            continue
        if name == "warnings" and isinstance(value, list):
            long += [f"Note: {warning}" for warning in value]
        elif name == "durable":
            long.append("Note: done, but it may not survive a power cut")
        elif name == "held":
            long.append("Note: held for review")
        elif name in ("note", "leftOut", "diffCut", "cut") and isinstance(value, str):
            long.append(f"Note: {value}")
        elif name in _SAYINGS:
            long += _SAYINGS[name](answer, value)
        elif isinstance(value, str | int | float) or (isinstance(value, list) and not _mappings(value)):
            short.append(f"{name}: {_plain(value)}")
        elif rows := _mappings(value):
            long += _table(name, rows)
        else:
            long.append(f"{name}: {_json(value)}")
    if short:
        yield "; ".join(short)
    yield from long


def _is_implied(answer: Answer, name: str, value: object) -> bool:
    """Whether a fact follows from what is shown."""
    match name, value:
        case "matchTiers", list():
            return set(value) <= {"exact"} or "tolerated" in answer
        case "totalMatches", _:
            return value == len(_mappings(answer.get("matches")))
        case _:
            return False


# Facts that are said in words of their own.
_SAYINGS: Mapping[str, Callable[[Answer, object], list[str]]] = {
    "occurrencesFound": lambda answer, found: [f"replaced {answer.get('occurrencesReplaced')} of {found}"],
    "tolerated": lambda _, rows: [
        f"line {row.get('line')} matched ignoring {_plain(row.get('differs'))}" for row in _mappings(rows)
    ],
    "why": lambda _, why: [_facts(why)] if isinstance(why, Mapping) else [],
}


def _table(name: str, rows: Sequence[Answer]) -> Iterator[str]:
    """A list of objects: as a table where all have the same short fields, else one object a line."""
    names = list(rows[0])
    is_even = all(list(row) == names and not any(map(_is_long, row.values())) for row in rows)
    yield f"{name} ({', '.join(names)}):" if is_even else f"{name}:"
    for row in rows:
        yield f"  {' | '.join(map(_plain, row.values()))}" if is_even else f"  {_json(row)}"


def _is_long(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple) or (isinstance(value, str) and ("\n" in value or "|" in value))


def _facts(value: Answer, leave_out: Sequence[str] = ()) -> str:
    return ", ".join(
        f"{name} {_plain(each)}" for name, each in value.items() if name not in leave_out and each is not None
    )


def _plain(value: object) -> str:
    if isinstance(value, list | tuple) and all(isinstance(each, str | int | float) for each in value):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
