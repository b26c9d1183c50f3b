"""`edit`, `insert`, `act` and `move` change one place in a file, named by its text, its lines or an address.

`apply` and `convert` take what a model wrote, in any dialect, over any number of files.
The arguments of an action are typed as `NAME=VALUE`, `NAME:=JSON` or `NAME@=FILE`. A word becomes a value by what the
action says of its parameter; one that could mean two things is refused, because one of them would be wrong.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import (
    Invocation,
    bytes_from,
    decode,
    misused,
    parse_json,
    piped,
    reply_text,
    text_from,
)
from steadyhand.surfaces.cli.options import (
    FILE,
    OCCURRENCE,
    Commit,
    FormatName,
    NamingOption,
    PlaceOptions,
    WhichOptions,
    address_argument,
    address_target,
    anchor_target,
    at_option,
    change,
    commit_options,
    dry_run_option,
    exactly_one,
    file_argument,
    flag,
    lines_target,
    option,
    place_options,
    policy_options,
    reason_option,
    where_option,
    which_options,
)
from steadyhand.surfaces.cli.render import cut_width, diff_lines, progress, report
from steadyhand.surfaces.terminal import Piece, visible_line

if TYPE_CHECKING:
    from steadyhand.plan.edit import Insert
    from steadyhand.plan.policy import Policy
    from steadyhand.plan.request import Requests
    from steadyhand.structure.action import Action, Parameter
    from steadyhand.structure.node import Where


_PLAN = lazy_pattern(r'\s*\{\s*"(?:files|reason|partial)"\s*:')
_FILES = lazy_pattern(r'"files"\s*:')


_Function = TypeVar("_Function", bound=Callable[..., Any])
_path_option = option("--path FILE", "The file to change if the reply names none.", type=FILE)


@command(
    "edit",
    section="Change files",
    examples="""
    steadyhand edit docs/a.md "teh cat" "the cat"
    steadyhand edit docs/a.md --old "teh cat" --new "the cat" --reason "typo"
    steadyhand edit app.py --lines 10:12 --new-file part.py
    steadyhand edit app.py --at symbol.body:Session.send --new-file body.py
    steadyhand edit guide.md --at "heading:Guide > Old news" --delete
    steadyhand edit app.py --old colour --new color --all --expected 7
    steadyhand edit app.py --old-file old.txt --new-file new.txt --tier whitespace
    git show HEAD:part.py | steadyhand edit app.py --anchor 12#a3f --new-file -
    """,
)
@file_argument
@click.argument("texts", nargs=-1, metavar="[OLD NEW]")
@place_options
@option("--new TEXT", "The new text.")
@option("--new-file FILE", "Read the new text from a file; - for standard input.", type=FILE)
@flag("--delete", "Delete the text instead.")
@policy_options()
@commit_options()
def edit_command(
    invocation: Invocation,
    file: str,
    texts: tuple[str, ...],
    new: str | None,
    new_file: str | None,
    delete: bool,
    commit: Commit,
    policy: Policy | None,
    **place: Any,
) -> int:
    """Replace text in a file.

    The old text must occur exactly once, unless you say which occurrence you mean; nothing is guessed. If it is
    misquoted (whitespace, quotes, line numbers, a reworded comment) and only one place can be meant, the edit is made
    there and the answer says what differed; --tier exact requires the exact characters. Texts are literal: no patterns,
    no escapes. A newline at the end of --old-file or --new-file counts. --at takes an address; steadyhand outline lists
    the addresses of a file.
    """
    if texts:
        place["old"], new = _old_and_new(file, texts, place["old"], new)
    where = PlaceOptions(**place)
    if not where.is_given and new is None and new_file is None and not delete:
        raise misused(
            "the texts are missing",
            f"steadyhand edit {shlex.quote(file)} OLD NEW; or a place, such as --lines 3:5, and --new TEXT",
        )
    if delete and (new is not None or new_file is not None):
        raise misused("--delete and a new text exclude each other", "leave out one of them")
    text = text_from(invocation, "--new", new, new_file)
    if text is None and not delete:
        raise misused("no --new was given", "give --new TEXT, --new-file FILE or --new-file - for standard input")
    return change(invocation, file, where.edit(invocation, text, commit["reason"]), commit, policy)


def _old_and_new(file: str, texts: tuple[str, ...], old: str | None, new: str | None) -> tuple[str, str]:
    """The two texts behind FILE. Anything else is most often a text that the shell took apart at its blanks."""
    if len(texts) == 2 and old is None and new is None:
        return texts
    if old is not None or new is not None:
        message = f"more texts than --old and --new: {' '.join(texts)[:120]}"
        example = f"steadyhand edit {shlex.quote(file)} --old 'OLD TEXT' --new 'NEW TEXT'"
    elif len(texts) == 1:
        call = shlex.join(["steadyhand", "edit", file, texts[0][:120]])
        hint = f"{call} NEW; with an option for the place, --new TEXT"
        raise misused("NEW is missing after OLD", hint)
    else:
        message = f"{len(texts)} texts follow FILE instead of two: {' '.join(texts)[:120]}"
        half = len(texts) // 2
        pair = (" ".join(texts[:half]), " ".join(texts[half:])) if len(texts) % 2 == 0 else ("OLD TEXT", "NEW TEXT")
        example = shlex.join(["steadyhand", "edit", file, *pair])
    raise misused(message, f"put quotes around a text with spaces: {example}")


_WHERE = "say where: --before TEXT, --after TEXT, --line N, --anchor LINE#HASH or --at ADDRESS"


@command(
    "insert",
    section="Change files",
    examples="""
    steadyhand insert app.py --after "import os" $'\\nimport sys'
    steadyhand insert notes.md --line 0 "# Notes"
    steadyhand insert notes.md --line -1 --text-file entry.md
    steadyhand insert guide.md --at "heading:Guide > Setup" --where end --text-file steps.md
    """,
)
@file_argument
@click.argument("text", required=False)
@option("--text-file FILE", "Read the text from this file; - for standard input.", type=FILE)
@option("--before TEXT", "Insert directly before this text.")
@option("--after TEXT", "Insert directly after this text.")
@option("--line N", "Insert whole lines after line N; 0: at the start, -1: at the end.", least=-1)
@option("--anchor LINE#HASH", "Insert whole lines after the line with this anchor, from read --anchors.")
@at_option
@where_option("With --at: before or after (default) that place, or inside it at start or end.")
@option("--occurrence WHICH", "unique (default), first, last, all or a number.", type=OCCURRENCE)
@policy_options()
@commit_options()
def insert_command(
    invocation: Invocation,
    file: str,
    text: str | None,
    text_file: str | None,
    commit: Commit,
    policy: Policy | None,
    **where: Any,
) -> int:
    """Insert text before or after a place.

    --before and --after insert exactly the text given, next to text that must occur exactly once. --line and --anchor
    insert whole lines; the newline at the end is optional. --at inserts next to or inside what an address names, with
    the blank lines, indentation or separator that belong there; in HTML exactly the markup given. Without TEXT,
    standard input is read.
    """
    from steadyhand.session.host import host_of

    places = {f"--{name}": where[name] for name in ("before", "after", "line", "anchor", "at")}
    way = exactly_one(places, _WHERE).removeprefix("--")
    if where["where"] is not None and way != "at":
        raise misused(f"--where is for --at, not for --{way}", "leave --where out")
    found = text_from(invocation, "--text", text, text_file)
    hint = "give TEXT, --text-file FILE or pipe it in"
    content = decode(piped(invocation, "TEXT", hint), "standard input") if found is None else found
    path = invocation.path(file)
    with invocation.workspace(writing=not commit["preview"], policy=policy) as workspace:
        if where["line"] == -1:
            source = host_of(workspace).source(path, encoding=commit["encoding"])
            where["line"] = source.line_count
            # The end is where it was when it was counted.
            commit = {**commit, "expect": commit["expect"] or source.digest}
        edit = _insertion(way, content, commit["reason"], where)
        return report(invocation, workspace.edit(path, [edit], **commit))


def _insertion(way: str, content: str, reason: str | None, where: dict[str, Any]) -> Insert:
    from steadyhand.plan.edit import Insert, Old

    occurrence = where["occurrence"]
    match way:
        case "before":
            return Insert(Old(where["before"]), content, where="before", occurrence=occurrence, reason=reason)
        case "after":
            return Insert(Old(where["after"]), content, where="after", occurrence=occurrence, reason=reason)
        case "at":
            side: Where = where["where"] or "after"
            target = address_target(where["at"], "--at")
            return Insert(target, content, where=side, occurrence=occurrence, reason=reason)
        case "anchor":
            return Insert(anchor_target(where["anchor"]), content, where="after", reason=reason)
        case _:
            line = where["line"]
            target = lines_target(line, line) if line else lines_target(1, 0)
            return Insert(target, content, where="after" if line else "before", reason=reason)


_WORD = lazy_pattern(r"([A-Za-z_][A-Za-z0-9_-]*)(:=|@=|=)(.*)", re.DOTALL)
_INTEGER = lazy_pattern(r"-?[0-9]{1,18}", re.ASCII)
_NUMBER = lazy_pattern(r"-?[0-9][0-9.eE+-]*", re.ASCII)
_OPTIONS = ("occurrence", "expected", "reason")  # of every edit
_FORMS = "NAME=VALUE, NAME:=JSON or NAME@=FILE"


def read_arguments(
    invocation: Invocation, action: Action | None, words: Sequence[str], more: str | None
) -> dict[str, object]:
    """What was typed behind an action, and the object of `--json-args`; `action` is None where there is no such one."""
    known = {} if action is None else {parameter.name: parameter for parameter in action.parameters}
    arguments: dict[str, object] = {}
    for name, value in (*_typed(invocation, known, words), *_object(more)):
        if name in _OPTIONS:
            raise misused(f"{name} is not an argument of an action", f"give it as --{name}")
        if name in arguments:
            raise misused(f"{name} is given twice", "give it once")
        arguments[name] = value
    missing = [parameter for parameter in known.values() if parameter.required and parameter.name not in arguments]
    if action is not None and missing and known.keys() >= arguments.keys():  # else a name is wrong
        first = missing[0]
        raise EditError(
            Kind.BAD_REQUEST,
            f"{action.name} needs {first.name}",
            hint=f"add {first.name}={_placeholder(first)}: {first.summary}",
            details={"path": f"args.{first.name}"},
        )
    return arguments


def _typed(
    invocation: Invocation, known: Mapping[str, Parameter], words: Sequence[str]
) -> Iterator[tuple[str, object]]:
    for word in words:
        found = _WORD.fullmatch(word)
        if found is None:
            raise misused(f"{word[:60]!r} is not an argument of an action", _FORMS)
        name, sign, text = found.groups()
        if sign == ":=":
            yield name, parse_json(text, f"the value of {name}")
        elif sign == "@=":
            yield name, decode(bytes_from(invocation, name, text), name)
        else:
            yield name, _value(text, known.get(name), name)


def _object(text: str | None) -> Iterator[tuple[str, object]]:
    if text is None:
        return
    value = parse_json(text, "the object of --json-args")
    if not isinstance(value, dict):
        raise misused("--json-args is not an object", """such as --json-args '{"value": 3}'""")
    yield from value.items()


def _value(text: str, parameter: Parameter | None, name: str) -> object:
    """A word as the parameter's kind; what does not fit stays text, which the action then refuses."""
    match parameter.kind if parameter is not None else "text":
        case "number":
            return int(text) if _INTEGER.fullmatch(text) else text
        case "flag":
            return {"true": True, "false": False}.get(text, text)
        case "value":
            return _any_value(text, name)
        case _:
            return text


def _any_value(text: str, name: str) -> object:
    """JSON where it is JSON, else text. A number whose spelling would not survive may be a version or a code."""
    import json

    try:
        value = parse_json(text, name)
    except EditError:
        if _NUMBER.fullmatch(text) and text[1:].isdigit():  # 007 is no JSON, and may yet be meant as a number
            raise _two_meanings(text, name, json.dumps(int(text))) from None
        return text
    if isinstance(value, int | float) and not isinstance(value, bool) and json.dumps(value) != text:
        raise _two_meanings(text, name, json.dumps(value))
    return value


def _two_meanings(text: str, name: str, number: str) -> EditError:
    return misused(
        f"{name}={text[:40]} may be a number or a text",
        f"{name}:={number} for the number, {name}:='\"{text[:40]}\"' for the text",
    )


def _placeholder(parameter: Parameter) -> str:
    if parameter.choices:
        return "|".join(parameter.choices)
    kinds = {"number": "N", "flag": "true", "place": "ADDRESS", "text": "TEXT", "value": "VALUE"}
    return kinds[parameter.kind]


def action_rows() -> list[tuple[str, str]]:
    """Every action with its parameters, those that may be left out in brackets, and what it does."""
    from steadyhand.structure.action import actions

    return [(_signature(action), action.summary) for action in actions().values()]


def _signature(action: Action) -> str:
    names = (
        f"{parameter.name}={_placeholder(parameter)}"
        if parameter.required
        else f"[{parameter.name}={_placeholder(parameter)}]"
        for parameter in action.parameters
    )
    return " ".join((action.name, *names))


class ActionName(click.ParamType[str]):
    """The name of an action; whether it exists is checked with the edit."""

    name = "action"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        from steadyhand.structure.action import actions

        found = actions().values()
        return [CompletionItem(one.name, help=one.summary) for one in found if one.name.startswith(incomplete)]


@command(
    "act",
    section="Change files",
    examples="""
    steadyhand act compose.yaml key:services.web.image set-key value=nginx:1.27
    steadyhand act package.json key:scripts add-key name=test value="pytest -q"
    steadyhand act settings.toml key:server.port set-key value:=8080 --reason "the usual one"
    steadyhand act index.html "selector:#cta" add-class value=primary --dry-run
    steadyhand act index.html "selector:ul > li" set-html value@=item.html --all --expected 3
    """,
    listing=lambda: ("Actions", action_rows()),
)
@file_argument
@address_argument
@click.argument("action", type=ActionName())
@click.argument("arguments", metavar="[NAME=VALUE]...", nargs=-1)
@option("--json-args JSON", "The arguments as one JSON object, instead of or with NAME=VALUE.")
@which_options
@option("--expected N", "Refuse unless there are exactly N.", least=1)
@policy_options(tolerance=False)
@commit_options()
def act_command(
    invocation: Invocation,
    file: str,
    address: str,
    action: str,
    arguments: tuple[str, ...],
    json_args: str | None,
    expected: int | None,
    commit: Commit,
    policy: Policy | None,
    **which: Any,
) -> int:
    """Run an action at an address: set a key, add a class.

    ADDRESS is listed by outline, such as key:server.port. It must match exactly one place, unless you say which one.
    Only the bytes that must change do. VALUE is text, or JSON if the parameter takes any value and the text is JSON;
    NAME:=JSON is always JSON, and NAME@=FILE reads the text from a file (- for standard input).
    """
    from steadyhand.plan.edit import edit_from_json, place_to_json
    from steadyhand.structure.action import actions

    target = place_to_json(address_target(address))
    given = read_arguments(invocation, actions().get(action), arguments, json_args)
    said = {"occurrence": WhichOptions(**which).which(), "expected": expected, "reason": commit["reason"]}
    edit = edit_from_json({"target": target, "act": action, "args": given, **said})
    return change(invocation, file, edit, commit, policy)


@command(
    "move",
    section="Change files",
    examples="""
    steadyhand move guide.md "heading:Guide > History" --to-file history.md
    steadyhand move guide.md "heading:Guide > Setup" --to "heading:Guide > Usage" --where before
    steadyhand move app.py symbol:Session.send --to-file session.py --to symbol:Session --where end
    steadyhand move notes.md lines:3-5 --to lines:9
    """,
)
@file_argument
@address_argument
@option("--to ADDRESS", "The new place (default: the end of the other file).")
@option("--to-file FILE", "The other file; created if it does not exist.", type=FILE)
@where_option("before or after that place (default: after), or inside it at start or end; without --to, of the file.")
@policy_options(tolerance=False)
@commit_options(encoding=False)
def move_command(
    invocation: Invocation,
    file: str,
    address: str,
    to: str | None,
    to_file: str | None,
    where: Where | None,
    commit: Commit,
    policy: Policy | None,
) -> int:
    """Move lines, a section, a symbol or a key to another place or file.

    It arrives unchanged, with the indentation and separators of its new place. Both places change in one record, which
    undo reverts as a whole.
    """
    if to is None and to_file is None:
        raise misused("no place was given", "say where to: --to ADDRESS, --to-file FILE or both")
    target = address_target(address)
    place = None if to is None else address_target(to, "--to")
    path, other = invocation.path(file), None if to_file is None else invocation.path(to_file)
    with invocation.workspace(writing=not commit["preview"], policy=policy) as workspace:
        return report(invocation, workspace.move(path, target, to=place, to_path=other, where=where, **commit))


def _format_option(words: str, default: str, *names: str) -> Callable[[_Function], _Function]:
    kind = FormatName(written=default != "auto")
    return click.option(*names, metavar="NAME", type=kind, cls=NamingOption, default=default, help=words)


@command(
    "apply",
    section="Change files",
    examples="""
    steadyhand apply reply.md --dry-run
    git -C ../clone diff | steadyhand apply
    steadyhand apply change.diff --path src/app.py
    echo '{"files": [{"path": "a.md", "edits": [{"target": "teh", "new": "the"}]}]}' | steadyhand apply
    """,
)
@click.argument("reply", metavar="[FILE|-]", required=False, type=FILE)
@_format_option("The format of the reply.", "auto", "--format", "format_name")
@_path_option
@flag("--overwrite", "Let new, moved and whole files replace existing ones.")
@flag("--strict", "Refuse anything around the patch: prose, fences, tags.")
@policy_options()
@reason_option
@dry_run_option
def apply_command(
    invocation: Invocation,
    reply: str | None,
    format_name: str,
    path: str | None,
    overwrite: bool,
    strict: bool,
    reason: str | None,
    dry_run: bool,
    policy: Policy | None,
) -> int:
    """Apply a model's reply: a patch in any format, even with prose around it.

    The format is detected and reported. Either everything is applied, or nothing. A JSON plan {"files": [...]} is a
    format too: each file has a path and edits, write, merge, create, delete, rename_to, copy_to, move or mode;
    "partial": true applies whatever can be applied. Paths are relative to the root. Without FILE, or for -, standard
    input is read.
    """
    text = reply_text(invocation, reply)
    plan = _plan(text) if format_name in ("auto", "json") and not (path or overwrite or strict) else None
    with invocation.workspace(writing=not dry_run, policy=policy) as workspace:
        with progress(invocation.output, "staging") as shown:
            if plan is not None:
                receipt = workspace.apply(plan, reason=reason, preview=dry_run, progress=shown)
            else:
                receipt = workspace.patch(
                    text,
                    path=None if path is None else invocation.path(path),
                    format=format_name,
                    strict=strict,
                    overwrite=overwrite,
                    reason=reason,
                    preview=dry_run,
                    progress=shown,
                )
        return report(invocation, receipt)


def _plan(text: str) -> Requests | None:
    """The requests of a JSON plan; None where the text is none, or JSON of another kind that begins like one."""
    if not (_PLAN.match(text) and _FILES.search(text)):
        return None
    from steadyhand.dialects.front import read_patch
    from steadyhand.plan.request import requests_from_json

    value = parse_json(text, "the plan")
    try:
        return requests_from_json(value)
    except EditError as refusal:
        try:
            read_patch(text, format="json")
        except EditError:
            raise refusal from None
        return None


@command(
    "convert",
    section="Look",
    examples="""
    steadyhand convert reply.md > clean.patch
    steadyhand convert clean.patch --to v4a
    git -C ../clone diff | steadyhand convert --to search-replace
    """,
)
@click.argument("reply", metavar="[FILE|-]", required=False, type=FILE)
@_format_option("The format to write.", "unified", "--to")
@_format_option("The format to read.", "auto", "--format", "format_name")
@_path_option
@policy_options(guards=False)
def convert_command(
    invocation: Invocation,
    reply: str | None,
    to: str,
    format_name: str,
    path: str | None,
    policy: Policy | None,
) -> int:
    """Convert a patch to another format, for the files as they are now.

    The patch is matched as apply would match it, and its changes are printed in the format of --to, for example as a
    unified diff for git apply. Nothing is written; what apply would refuse is refused here too. Without FILE, or for -,
    standard input is read.
    """
    from steadyhand.dialects.dialect import dialect_named

    text = reply_text(invocation, reply)
    with invocation.workspace(policy=policy) as workspace:
        receipt = workspace.patch(
            text, path=None if path is None else invocation.path(path), format=format_name, preview=True
        )
    dialect = dialect_named(to)
    assert dialect is not None
    assert dialect.write is not None
    written = dialect.write([file.change() for file in receipt.files])
    output = invocation.output
    output.warn(*receipt.warnings)
    output.document({"ok": True, "format": to, "read": receipt.format, "text": written})
    if output.is_terminal and not output.json:
        shown = [(Piece(visible_line(row)),) for row in written.split("\n")[:-1]]
        output.print(diff_lines(written, width=cut_width(invocation)) if to == "unified" else shown)
    elif not output.json:
        output.raw(written.encode("utf-8", "surrogateescape"))
    return 0
