"""`steadyhand mcp --config`, `--install` and `--uninstall`: the server that was asked for, in a client's configuration.

What is secret never becomes part of it: a token, and a journal's address with a password, are left to the environment.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import click

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.surfaces.cli.invocation import Invocation, Settings
from steadyhand.surfaces.clients import SERVER, Client, Scope, Section, Server, as_json, client_named, installation
from steadyhand.surfaces.terminal import Line, Piece
from steadyhand.workspace.location import shown_url

if TYPE_CHECKING:
    from steadyhand.plan.edit import Edit
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.workspace import Workspace
    from steadyhand.structure.config.item import Item
    from steadyhand.text.source import Source
    from steadyhand.workspace.journal.record import FileChange


_OVER_HTTP = ("http", "names", "token")
_ABOUT_CLIENTS = ("client", "install", "uninstall", "scope", "dry_run")
_LEFT_OUT = (*_ABOUT_CLIENTS, "roots", *_OVER_HTTP)
_SHARED = tuple("mode actor task on_conflict on_stale on_lease hardlinks allow guard hold read_only".split())


def configure_client(
    invocation: Invocation,
    what: Literal["print", "install", "uninstall"],
    name: str,
    scope: Scope | None,
    roots: Sequence[str],
    *,
    dry_run: bool,
) -> int:
    """Print what to paste for a client, write the server into the client's own configuration, or take it out."""
    client = client_named(name)
    chosen = scope or ("user" if client.project is None else "project")
    project = _project(invocation, roots)
    place = place_of(client, chosen, project, os.environ)
    if what == "uninstall":
        removed = uninstall(client, chosen, place, dry_run=dry_run)
        other = None if removed.receipt is not None else _other_file(client, chosen, project)
        _show(invocation, client, chosen, removed, dry_run=dry_run, is_removed=True, other=other)
        return 0
    server = _server(invocation, client, chosen, roots)
    if what == "install":
        written = install(client, chosen, place, server.command, dry_run=dry_run)
        _show(invocation, client, chosen, written, dry_run=dry_run)
    else:
        _print(invocation, client, chosen, server, place)
    return 0


def _print(invocation: Invocation, client: Client, scope: Scope, server: Server, place: Place) -> None:
    """One block for each file, and nothing else inside a block."""
    text = rendered(place.path, client.whole(scope, server.command)).rstrip("\n")
    shown = place.path if scope == "project" else _short(place.file)
    first = Section("Add the server", shown, text, _note(client, scope))
    sections = _by_file((first, *client.sections(server)))
    document: dict[str, object] = {"ok": True, "client": client.name, "scope": scope, "command": list(server.command)}
    invocation.output.document(document | {"sections": [_document(section) for section in sections]})
    invocation.output.print(_section_lines(client, sections, scope))


def _other_file(client: Client, scope: Scope, project: str) -> tuple[Scope, Place] | None:
    """The client's file of the other scope, if that one has the server."""
    other: Scope = "user" if scope == "project" else "project"
    if other == "project" and client.project is None:
        return None
    place = place_of(client, other, project, os.environ)
    return (other, place) if has_server(client, place) else None


def _note(client: Client, scope: Scope) -> str | None:
    return client.note if scope == "project" else None


def _by_file(sections: Sequence[Section]) -> list[Section]:
    """One block for each file: what belongs into the same one is put together."""
    found: dict[str, Section] = {}
    for section in sections:
        known = found.get(section.place)
        found[section.place] = section if known is None else _joined(known, section)
    return list(found.values())


def _joined(one: Section, other: Section) -> Section:
    """Two blocks of one file. A key of TOML goes before the tables, or it would belong to the last of them."""
    import json

    if one.place.endswith(".toml"):
        text = f"{other.text}\n\n{one.text}"
    elif one.place.endswith((".json", ".jsonc")):
        text = as_json(json.loads(one.text) | json.loads(other.text))
    else:
        text = f"{one.text}\n{other.text}"
    notes = " ".join(note for note in (one.note, other.note) if note is not None)
    return Section(f"{one.title}; {other.title[:1].lower()}{other.title[1:]}", one.place, text, notes or None)


def _project(invocation: Invocation, roots: Sequence[str]) -> str:
    """The folder whose files are the project's.

    `--root` before the command names it, as for every command. `--root` of `mcp` names a folder to serve: its
    repository is the project. Without either it is the repository here, else this folder.
    """
    from steadyhand.session.workspace import Workspace

    given = invocation.settings.root
    if given is not None:
        return invocation.root
    return str(Workspace.find_root(os.path.abspath(roots[0]) if roots else os.getcwd()))


def _server(invocation: Invocation, client: Client, scope: Scope, roots: Sequence[str]) -> Server:
    """What the client is to start: a program that works where the file is read, `mcp`, and every option given here."""
    context, settings = click.get_current_context(), invocation.settings
    source = installation()
    program = source.command("mcp") if scope == "user" else source.portable_command("mcp")
    if program[0] != "uvx" and find_spec("mcp") is None:
        raise EditError(
            Kind.NOT_INSTALLED, "serving MCP needs the package mcp", hint=f"{source.how_to_add('mcp')}, then try again"
        )
    places = _roots(client, scope, roots, _project(invocation, roots))
    invocation.output.warn(*_warnings(context, settings, program, scope, places))
    named = [word for place in places for word in ("--root", place)]
    configured = () if settings.config is None else ("--config", os.path.abspath(settings.config))
    journal = _journal(settings)
    kept = () if journal is None else ("--journal", journal)
    own = list(_own(context))
    if client.tool_prefix and "--tool-prefix" not in own:
        own += ["--tool-prefix", client.tool_prefix]
    words = (*program, *configured, "mcp", *named, *own, *_of_all(settings), *kept)
    return Server(words, tuple(roots) or (".",), journal, (*program, "observe"))


def _roots(client: Client, scope: Scope, given: Sequence[str], project: str) -> tuple[str, ...]:
    """Where the server works. A project's file has no path of this machine; the user's file is for every project."""
    if scope == "user":
        return tuple(map(os.path.abspath, given))
    if not given:
        return () if client.root is None else (client.root,)
    return tuple(_within(project, os.path.abspath(root), client.root or ".") for root in given)


def _within(project: str, path: str, root: str) -> str:
    """A folder as it is called from the project's."""
    inner = os.path.relpath(path, project)
    if inner == os.curdir:
        return root
    if inner.split(os.sep)[0] == os.pardir:
        return path
    return inner if root == "." else f"{root}/{inner}"


def _warnings(
    context: click.Context, settings: Settings, program: Sequence[str], scope: Scope, roots: Sequence[str]
) -> Iterator[str]:
    """What was asked for and is no part of it, and what others cannot use of it."""
    if scope == "project" and os.path.isabs(program[0]):
        yield (
            f"{program[0]} exists only on this machine: do not share the file, put `steadyhand` on the PATH, or use "
            "--scope user"
        )
    for root in roots if scope == "project" else ():
        if os.path.isabs(root):
            yield f"{root} is outside the project: do not share the file, or use --scope user"
    if any(_is_given(context, name) for name in _OVER_HTTP):
        yield "a client that starts the server talks to it over standard input: the HTTP options are left out"
    if settings.journal is not None and _journal(settings) is None:
        yield "the journal's address may hold a password and is left out: let the client set STEADYHAND_JOURNAL"


def _journal(settings: Settings) -> str | None:
    """Where the journal is, unless that is secret."""
    given = settings.journal
    if given is None or "://" not in given:
        return given and os.path.abspath(given)
    return given if shown_url(given) == given else None


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _own(context: click.Context) -> Iterator[str]:
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in _LEFT_OUT and name in context.params and _is_given(context, name):
            yield from _words(max(parameter.opts, key=len), context.params[name])


def _of_all(settings: Settings) -> Iterator[str]:
    for name in _SHARED:
        if value := getattr(settings, name):
            yield from _words(f"--{name.replace('_', '-')}", value)


def _words(option: str, value: object) -> Iterator[str]:
    if value is True:
        yield option
        return
    for each in value if isinstance(value, tuple | list) else (value,):
        yield from (option, f"{each:g}" if isinstance(each, float) else str(each))


def _show(
    invocation: Invocation,
    client: Client,
    scope: Scope,
    written: Written,
    *,
    dry_run: bool,
    is_removed: bool = False,
    other: tuple[Scope, Place] | None = None,
) -> None:
    output, place, receipt = invocation.output, written.place, written.receipt
    document: dict[str, object] = {"ok": True, "client": client.name, "scope": scope, "file": place.file}
    document |= {"changed": receipt is not None, "deleted": written.is_deleted, "dry_run": dry_run}
    if receipt is not None:
        document |= {"diff": written.diff} if receipt.id is None else {"id": receipt.id, "diff": written.diff}
    if written.lost:
        document["lost"] = list(written.lost)
    if other is not None:
        document["installed_in"] = {"scope": other[0], "file": other[1].file}
    output.document(document)
    if is_removed:
        output.print(_removed_lines(written, other, dry_run=dry_run))
    else:
        output.print(_installed_lines(client, written, _note(client, scope), dry_run=dry_run))
    if written.lost:
        keys = ", ".join(written.lost)
        output.warn(f"the entry had keys that you added, which are removed too: {keys}; undo restores them")


def _removed_lines(written: Written, other: tuple[Scope, Place] | None, *, dry_run: bool) -> Iterator[Line]:
    receipt, shown = written.receipt, _short(written.place.file)
    if receipt is None:
        yield (Piece(f"{shown} does not have Steadyhand"),)
        if other is not None:
            yield (Piece(f"{_short(other[1].file)} has it: add --scope {other[0]}"),)
        return
    if dry_run:
        yield from _diff_lines(written)
        done = f"would delete {shown}" if written.is_deleted else f"would remove Steadyhand from {shown}"
        yield (Piece(f"{done}; nothing was changed"),)
        return
    done = f"removed Steadyhand from {shown}"
    if written.is_deleted:
        done = f"deleted {shown}: the installation created it, and nothing else was in it"
    yield (Piece(done), Piece(f" · undo with: {_undo(written, receipt)}", "dim"))


def _installed_lines(client: Client, written: Written, note: str | None, *, dry_run: bool) -> Iterator[Line]:
    receipt, shown = written.receipt, _short(written.place.file)
    if receipt is None:
        yield (Piece(f"{shown} is up to date"),)
        return
    if dry_run:
        yield from _diff_lines(written)
        yield (Piece(f"would write {shown}; nothing was changed"),)
        return
    done = f"installed for {client.title} in {shown}"
    yield (Piece(done), Piece(f" · undo with: {_undo(written, receipt)}", "dim"))
    if note is not None:
        yield (Piece(note),)
    yield (Piece(f"Restart {client.title} now."),)
    if any(section.title.endswith(" off") for section in client.sections(Server(()))):
        yield (Piece(f"To turn its own edit tools off: steadyhand mcp --config {client.name}", "dim"),)


def _diff_lines(written: Written) -> Iterator[Line]:
    yield from ((Piece(row),) for row in written.diff.rstrip("\n").split("\n"))


def _undo(written: Written, receipt: Receipt) -> str:
    """The command that takes the change back; the root only where that of this folder is another."""
    from steadyhand.session.workspace import Workspace

    place = written.place
    is_here = place.journal is None and str(Workspace.find_root(os.getcwd())) == place.root
    options = [] if is_here else [_word(option) for option in place.options]
    return " ".join(["steadyhand undo", receipt.id or "--last", *options, "--allow", shlex.quote(place.path)])


def _word(text: str) -> str:
    """A word of a command, with `~` for the home."""
    home = os.path.expanduser("~")
    if text != home and not text.startswith(home + os.sep):
        return shlex.quote(text)
    inner = os.path.relpath(text, home)
    return "~" if inner == os.curdir else f"~/{shlex.quote(inner)}"


def _short(path: str) -> str:
    """A path as a person would type it: from here, else from home."""
    for start, prefix in ((os.getcwd(), ""), (os.path.expanduser("~"), "~/")):
        if os.path.commonpath([start, path]) == start:
            inner = os.path.relpath(path, start)
            return prefix.rstrip("/") or inner if inner == os.curdir else f"{prefix}{inner}"
    return path


def _section_lines(client: Client, sections: Sequence[Section], scope: Scope) -> Iterator[Line]:
    """The sections of a client, in order; the text of each is alone between empty lines, so that it can be copied."""
    yield (Piece(f"steadyhand mcp --install {client.name} --scope {scope} writes the first of these for you.", "dim"),)
    for section in sections:
        yield ()
        yield (Piece(f"{section.title}: {section.place}", "heading"),)
        if section.note is not None:
            yield (Piece(section.note, "dim"),)
        yield ()
        yield from ((Piece(row),) for row in section.text.split("\n"))


def _document(section: Section) -> dict[str, object]:
    shown: dict[str, object] = {"title": section.title, "place": section.place, "text": section.text}
    return shown if section.note is None else shown | {"note": section.note}


# Put our server into a client's configuration file, and take it out again, with the engine itself.
#
# Nothing but the server's own entry changes: comments, order and layout of the rest stay byte for byte, and what a
# person has added to the entry stays too. The change is a record of a journal, so it can be undone, and the record says
# later what the installation wrote. The workspace is opened for exactly one protected file.

Path = tuple[str | int, ...]
_TOOL = "mcp --install"


@dataclass(frozen=True, slots=True)
class Place:
    """A configuration file: the root and the journal of the workspace that changes it, and its path there."""

    root: str
    journal: str | None
    path: str

    @property
    def file(self) -> str:
        return os.path.join(self.root, self.path)

    @property
    def options(self) -> list[str]:
        """The options of the command line that lead to the same workspace."""
        return ["--root", self.root, *(() if self.journal is None else ("--journal", self.journal))]


@dataclass(frozen=True, slots=True)
class Written:
    """What happened to the file, or would happen: `receipt` is None where nothing had to change.

    `lost` are the keys in the server's entry that an installation does not write, and that went with it.
    """

    place: Place
    receipt: Receipt | None = None
    lost: tuple[str, ...] = ()

    @property
    def diff(self) -> str:
        return "" if self.receipt is None else self.receipt.diff()

    @property
    def is_deleted(self) -> bool:
        return self.receipt is not None and self.receipt.files[0].status == "deleted"


def place_of(client: Client, scope: Scope, project: str, environ: Mapping[str, str]) -> Place:
    """The file of a client and a scope.

    A project's file is changed like any other file of the project. A file in the home has its journal with the
    user's state: a `.steadyhand` in the home would make the whole home one workspace.
    """
    if scope == "project":
        path = client.file(scope).path(project, environ)
        return Place(project, None, os.path.relpath(path, project))
    from steadyhand.workspace.location import user_state

    home, state = os.path.expanduser("~"), user_state()
    if state is None or not os.path.isdir(home):
        raise EditError(Kind.NO_SUCH_FILE, "there is no home directory", hint="set HOME, or use --scope project")
    path = client.file(scope).path(home, environ)
    root = home
    if os.path.commonpath([home, path]) != home:  # then a variable names its folder, which may not exist yet
        named = os.path.abspath(environ[client.file(scope).variable or ""])
        above = os.path.dirname(named)
        root = _existing(named if os.path.dirname(above) == above else above)
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return Place(root, str(state / "clients" / name), os.path.relpath(path, root))


def _existing(folder: str) -> str:
    """The folder itself, or the nearest one above it that exists."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder


def install(client: Client, scope: Scope, place: Place, command: Sequence[str], *, dry_run: bool = False) -> Written:
    """Write the server into the file, or bring the entry that is there up to date."""
    entry = client.entry(command)
    whole = rendered(place.path, client.whole(scope, command))
    with _opened(place) as workspace:
        if not os.path.lexists(place.file):
            return Written(place, workspace.create(place.path, whole, reason=_added_to(client), preview=dry_run))
        source = workspace.read(place.path)
        top, text = _top(place, source), source.text
        if top is None:
            after = f"{text.rstrip()}\n{whole}" if text.strip() else whole
            receipt = workspace.write(place.path, after, overwrite=True, reason=_added_to(client), preview=dry_run)
            return Written(place, receipt)
        reason = f"update Steadyhand for {client.title}" if _own_keys(top, client) else _added_to(client)
        edits = list(_added(top, client, entry, place))
        return Written(place, _edited(workspace, place, edits, reason, dry_run=dry_run) if edits else None)


def uninstall(client: Client, scope: Scope, place: Place, *, dry_run: bool = False) -> Written:
    """Take the server's entry out, and nothing else of the file.

    A file that is as the installation left it becomes what it was before: gone, if the installation created it. In any
    other file the entry goes; one without a command would stop some clients, so that keys which others have added to it
    go too, and are named. A file that the installation created goes with the entry if it has nothing else.
    """
    from steadyhand.plan.edit import Act
    from steadyhand.structure.config.key import Key

    if not os.path.lexists(place.file):
        return Written(place)
    reason = f"stop serving Steadyhand to {client.title}"
    with _opened(place) as workspace:
        source = workspace.read(place.path)
        top = _top(place, source)
        path = None if top is None else _entry_path(top, client)
        ours = () if top is None else _own_keys(top, client)
        if top is None or path is None or not ours:
            return Written(place)
        entry = _at(top, path)
        assert entry is not None
        lost = tuple(str(child.path[-1]) for child in entry.children if child.path[-1] not in ours)
        made = _creation(workspace, place)
        receipt = _before_installation(workspace, client, place, reason, dry_run=dry_run)
        if receipt is None and made is not None and not lost and _is_all(client, scope, place, entry, source.text):
            receipt = workspace.delete(place.path, reason=reason, preview=dry_run)
        if receipt is not None:
            if made is not None and not dry_run and receipt.files[0].status == "deleted":
                with contextlib.suppress(OSError):
                    for folder in reversed(made.made_dirs):
                        os.rmdir(os.path.join(place.root, folder))
            return Written(place, receipt)
        edits = [Act(Key(path), "delete-key")]
        return Written(place, _edited(workspace, place, edits, reason, dry_run=dry_run), lost)


def has_server(client: Client, place: Place) -> bool:
    """Whether the file has our server; False where it cannot be read."""
    if not os.path.lexists(place.file):
        return False
    try:
        with _opened(place) as workspace:
            top = _top(place, workspace.read(place.path))
            return top is not None and bool(_own_keys(top, client))
    except EditError:
        return False


def _added_to(client: Client) -> str:
    """The reason of a record that put the server into a file which did not have it."""
    return f"serve Steadyhand to {client.title}"


def _creation(workspace: Workspace, place: Place) -> FileChange | None:
    """The change that created the file, if that was an installation."""
    for entry in workspace.history(place.path):
        for change in entry.record.files:
            if change.before is None:
                return change if entry.record.tool == _TOOL else None
    return None


def _before_installation(
    workspace: Workspace, client: Client, place: Place, reason: str, *, dry_run: bool
) -> Receipt | None:
    """Undo the record that put the server in, if the file is as that record left it; None if it is not."""
    from steadyhand.session.host import host_of

    newest = next(iter(workspace.history(place.path, limit=1)), None)
    if newest is None or newest.record.tool != _TOOL or newest.record.reason != _added_to(client):
        return None
    digest = host_of(workspace).source(place.path).digest
    if not any(change.after is not None and change.after.digest == digest for change in newest.record.files):
        return None
    try:
        return workspace.undo(newest.record.id, reason=reason, preview=dry_run)
    except EditError as error:
        if error.kind is Kind.CANNOT_UNDO:  # of a file with secrets no earlier version is kept
            return None
        raise


def _is_all(client: Client, scope: Scope, place: Place, entry: Item, text: str) -> bool:
    """Whether the file has nothing but what a new one has; blanks do not count, because clients reformat it."""
    data = _data(entry)
    value: Any = [data] if client.is_list else {SERVER: data}
    fresh = rendered(place.path, {**client.file(scope).whole, client.servers: value})
    return "".join(fresh.split()) == "".join(text.split())


def rendered(name: str, value: Mapping[str, Any]) -> str:
    """A whole file in the format that its name says."""
    if name.endswith(".toml"):
        return _toml(value)
    if name.endswith((".yaml", ".yml")):
        import yaml

        return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True))
    return as_json(value) + "\n"


def _toml(value: Mapping[str, Any], prefix: tuple[str, ...] = ()) -> str:
    """Tables of plain values, which is all that a server needs. JSON's texts, numbers and lists are TOML's too."""
    import json

    plain = {key: each for key, each in value.items() if not isinstance(each, Mapping)}
    text = f"[{'.'.join(prefix)}]\n" if prefix and plain else ""
    text += "".join(f"{key} = {json.dumps(each, ensure_ascii=False)}\n" for key, each in plain.items())
    return text + "".join(_toml(each, (*prefix, key)) for key, each in value.items() if isinstance(each, Mapping))


def _opened(place: Place) -> Workspace:
    from steadyhand.tools.workspace import Workspace

    return Workspace(place.root, journal=place.journal, allow=[place.path], tool=_TOOL)


def _edited(workspace: Workspace, place: Place, edits: Sequence[Edit], reason: str, *, dry_run: bool) -> Receipt:
    """One record of edits that are made one after another: several new keys of a TOML table go to the same place."""
    with workspace.transaction(reason=reason, preview=dry_run) as batch:
        for edit in edits:
            batch.edit(place.path, [edit])
    return batch.receipt


def _top(place: Place, source: Source) -> Item | None:
    """The keys of the file; None where it says nothing at all. Refuses with `unparsable` what has something else."""
    from steadyhand.structure.config.item import Reading
    from steadyhand.structure.config.syntax import syntax_of
    from steadyhand.structure.format import format_of

    syntax = syntax_of(format_of(place.path))
    assert syntax is not None, place.path
    if not source.text.strip():
        return None
    read = syntax.read(source)
    if not isinstance(read, Reading):
        raise EditError(Kind.UNPARSABLE, f"{place.file}: {read.message}", hint="fix the file first; it was not changed")
    if not read.documents:  # YAML that has only comments
        return None
    if len(read.documents) != 1 or read.documents[0].kind != "mapping":
        raise EditError(
            Kind.UNPARSABLE, f"{place.file} has no keys", hint="delete the file, or write {} into it, and try again"
        )
    return read.documents[0]


def _at(item: Item, path: Path) -> Item | None:
    for step in path:
        below = next((child for child in item.children if child.path[-1] == step), None)
        if below is None:
            return None
        item = below
    return item


def _entry_path(top: Item, client: Client) -> Path | None:
    """Where the server's entry is, if there is one; in a list it is the item with its name."""
    if not client.is_list:
        path: Path = (client.servers, SERVER)
        return path if _at(top, path) is not None else None
    servers = _at(top, (client.servers,))
    for item in () if servers is None else servers.children:
        name = _at(item, ("name",))
        if name is not None and _data(name) == SERVER:
            return item.path
    return None


def _data(item: Item) -> object:
    from steadyhand.structure.config.item import plain_of

    return plain_of(item)


def _own_keys(top: Item, client: Client) -> tuple[str, ...]:
    """The keys of the server's entry that an installation writes; a table in it is ours only as it was written."""
    path = _entry_path(top, client)
    found: list[str] = []
    for name, wanted in client.entry(["steadyhand"]).items() if path is not None else ():
        field = None if path is None else _at(top, (*path, name))
        if field is not None and (not isinstance(wanted, Mapping) or _data(field) == wanted):
            found.append(name)
    return () if client.is_list and found == ["name"] else tuple(found)


def _added(top: Item, client: Client, entry: Mapping[str, Any], place: Place) -> Iterator[Edit]:
    """The edits that make the file say the entry: as few and as deep as may be."""
    from steadyhand.plan.edit import Act
    from steadyhand.structure.config.key import Key

    path = _entry_path(top, client)
    if path is not None:
        _check_kind(_at(top, path), "mapping", place)
        for name, wanted in entry.items():
            field = _at(top, (*path, name))
            if field is None:
                yield Act(Key(path), "add-key", name=name, value=wanted)
            elif _data(field) != wanted and not (isinstance(wanted, Mapping) and field.kind == "mapping"):
                yield Act(Key((*path, name)), "set-key", value=wanted)
        return
    value: Any = [dict(entry)] if client.is_list else {SERVER: dict(entry)}
    servers = _at(top, (client.servers,))
    if servers is None:
        yield Act(Key(()), "add-key", name=client.servers, value=value)
        return
    if not servers.is_container and _data(servers) is None:
        yield Act(Key((client.servers,)), "set-key", value=value)
        return
    _check_kind(servers, "sequence" if client.is_list else "mapping", place)
    if client.is_list:
        yield Act(Key((client.servers,)), "append-item", value=dict(entry))
    else:
        yield Act(Key((client.servers,)), "add-key", name=SERVER, value=dict(entry))


def _check_kind(item: Item | None, wanted: str, place: Place) -> None:
    """Refuse a value that the client could not read either: to replace it would lose what somebody wrote."""
    if item is not None and item.kind != wanted:
        name = ".".join(map(str, item.path))
        needed = "a list of servers" if wanted == "sequence" else "a table"
        raise EditError(
            Kind.UNPARSABLE,
            f"{place.file}: {name} is not {needed}",
            hint=f"fix {name} first, or delete it; the file was not changed",
        )
