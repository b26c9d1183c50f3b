"""Refusals in the words of the shell: which option of the command at hand does what the hint asks for.

The rooms below speak to Python, JSON and shell alike. What a person types is added here and nowhere else; under
--json a refusal stays as it was made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.corrected import typed

Advice = Callable[[Mapping[str, object]], str | None]
PLACES = ("edit", "delete", "diff")
ADDRESSES = (*PLACES, "act", "locate")
TEXTS = (*ADDRESSES, "insert", "outline", "read", "write")
GUARDED = (*PLACES, "act", "apply", "insert", "move", "write")


def _say(sentence: str) -> Advice:
    return lambda _: sentence


def _version(does: str, more: str = "") -> Advice:
    """The digest of the version that is there, as the option that names it."""

    def advice(details: Mapping[str, object]) -> str | None:
        actual = details.get("actual")
        return f"--expect {actual[:16]} {does} the version that is there now{more}" if isinstance(actual, str) else None

    return advice


def _replacing(details: Mapping[str, object]) -> str | None:
    """A whole file that nobody said to have read; one that was expected to be another is to be read again."""
    is_unread = details.get("expected") is None and isinstance(details.get("actual"), str)
    return "--overwrite replaces it whatever it holds" if is_unread else None


def _insertion_lines(details: Mapping[str, object]) -> str | None:
    count = details.get("line_count")
    if not isinstance(count, int):
        return None
    between = {0: "", 1: "1, "}.get(count, f"1 to {count}, ")
    return f"--line takes {between}0 for the start and -1 for the end"


def _whole_lines(details: Mapping[str, object]) -> str | None:
    count = details.get("line_count")
    if not isinstance(count, int):
        return None
    return f"--lines takes 1:{count} or less" if count else "steadyhand insert FILE --line 0 adds the first line"


def _among(which: str) -> Advice:
    """Several places that answer to one address; each is listed with its own."""

    def advice(details: Mapping[str, object]) -> str | None:
        return f"type the address of the one you mean{which}" if details.get("places") else None

    return advice


def _unguarded(details: Mapping[str, object]) -> str | None:
    """How to leave out the guard that refuses; what is refused before the guards are asked stays refused."""
    guard = details.get("guard")
    return f"--no-guard {guard} makes it all the same" if isinstance(guard, str) else None


_ADDED: dict[tuple[Kind, str], Advice] = {
    (Kind.SUSPICIOUS_SHRINK, "write"): _say("--allow-shrink allows it"),
    **{(Kind.STALE_SOURCE, name): _version("names") for name in (*PLACES, "insert", "rename", "act", "move")},
    **{(Kind.AMBIGUOUS_MATCH, name): _say("typed as --occurrence N, --first, --last or --all") for name in PLACES},
    (Kind.AMBIGUOUS_MATCH, "insert"): _say("typed as --occurrence N, first, last or all"),
    **{(Kind.COUNT_MISMATCH, name): _say("--expected N is the number to count on") for name in (*PLACES, "act")},
    **{(Kind.BREAKS_SYNTAX, name): _unguarded for name in GUARDED},
    **{(Kind.NOT_TEXT, name): _say("--encoding NAME says how it is encoded") for name in TEXTS},
    (Kind.EXISTS_ALREADY, "write"): _say("without --mode, write replaces a file; chmod changes its mode"),
    (Kind.EXISTS_ALREADY, "apply"): _say("--overwrite puts the new file in its place"),
    (Kind.STALE_SOURCE, "apply"): _replacing,
}
# Where the hint from below would not help somebody at a shell, the shell's own takes its place.
_INSTEAD: dict[tuple[Kind, str], Advice] = {
    (Kind.STALE_SOURCE, "write"): _version("replaces", "; --overwrite replaces any"),
    (Kind.SUSPICIOUS_SHRINK, "apply"): _say(
        'send what changes; if the rest is to go, steadyhand write has --allow-shrink, a JSON plan "allow_shrink": true'
    ),
    (Kind.OUT_OF_BOUNDS, "insert"): _insertion_lines,
    **{(Kind.OUT_OF_BOUNDS, name): _whole_lines for name in PLACES},
    **{(Kind.AMBIGUOUS_MATCH, name): _among(", or add --nth N, --first, --last or --all") for name in ADDRESSES},
    (Kind.AMBIGUOUS_MATCH, "insert"): _among(", or add --occurrence N, first, last or all"),
    **{(Kind.AMBIGUOUS_MATCH, name): _among("") for name in ("move", "outline")},
}
_SPELLINGS = (
    ("the edit given as `corrected` in the details", "the corrected call below"),
    ("the edit given as `corrected`", "the corrected call below"),
    ("the text given as `old` in the details", "the text shown here"),
    (", as `corrected` of its candidate has them", ""),
    ("name the file with path=", "name the file with --path FILE"),
    ("encoding=…", "--encoding NAME"),
    ("journal=…", "--journal PLACE"),
    ("open it without read_only", "--read-only was given: leave it out to change files"),
    (" with allow_shrink", " with --allow-shrink"),
    ("leave occurrence and expected out", "leave --occurrence and --expected out"),
)
_SEND = lazy_pattern(r"\bsend (([a-z_]+)(?:\.[a-z_-]+)?(?:\[-?[0-9]+\])?:.*)", re.DOTALL)
_ACT = lazy_pattern(r"(?:\bact )?\b([a-z]+(?:-[a-z]+)+) on key '([^']*)'(?: with name '([^']*)' and a value)?")
_FORMAT = lazy_pattern(r"\bformat='([\w-]+)'")


def advise(error: EditError, command: str | None) -> EditError:
    """The refusal with a hint that can be typed; the same one where there is nothing to add."""
    if command is None:
        return error
    hint = error.hint or ""
    for told, spelled in _SPELLINGS:
        hint = hint.replace(told, spelled)
    hint = _FORMAT.sub(r"--format \1", hint)
    if command in (*ADDRESSES, "insert", "move", "outline"):
        path = error.details.get("path")
        hint = _ACT.sub(lambda found: _typed_act(found, path), _SEND.sub(_typed_address, hint))
    if (instead := _look(_INSTEAD, error, command)) is not None:
        hint = instead
    added = _look(_ADDED, error, command)
    if added is not None and not any(word in hint for word in added.split() if word.startswith("--")):
        hint = f"{hint}; {added}" if hint else added
    return error if hint == (error.hint or "") else _with_hint(error, hint)


def _typed_address(found: re.Match[str]) -> str:
    """An address to send, as a word of the shell; anything else as it was."""
    from steadyhand.structure.target import targets

    return f"type {typed(found[1], one_line=True)}" if found[2] in targets() else found[0]


def _kind_of_keys(path: object) -> str:
    """How keys of a file are addressed: those of a page with front matter are not its own."""
    from steadyhand.structure.config.syntax import syntax_of
    from steadyhand.structure.format import format_of

    known = format_of(path) if isinstance(path, str) else None
    return "front_matter" if known is not None and syntax_of(known.name) is None else "key"


def _typed_act(found: re.Match[str], file: object) -> str:
    """What could be done to a key, as the command that does it."""
    action, path, name = found.groups()
    arguments = "" if name is None else f" name={typed(name, one_line=True)} value=VALUE"
    return f"steadyhand act FILE {typed(f'{_kind_of_keys(file)}:{path}', one_line=True)} {action}{arguments}"


def _look(table: Mapping[tuple[Kind, str], Advice], error: EditError, command: str) -> str | None:
    found = table.get((error.kind, command))
    return found(error.details) if found is not None else None


def _with_hint(error: EditError, hint: str) -> EditError:
    return EditError(error.kind, error.message, hint=hint, details=error.details)
