"""Put our server into a client's configuration file, and take it out again, with the engine itself.

Nothing but the server's own entry changes: comments, order and layout of the rest stay byte for byte, and what a person
has added to the entry stays too. The change is a record of a journal, so it can be undone, and the record says later
what the installation wrote. The workspace is opened for exactly one protected file.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.surfaces.clients import SERVER, Client, Scope, as_json

if TYPE_CHECKING:
    from steadyhand.plan.edit import Edit
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.workspace import Workspace
    from steadyhand.structure.config.item import Item
    from steadyhand.text.source import Source
    from steadyhand.workspace.journal.record import FileChange


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
                _remove_empty(place, made.made_dirs)
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


def _remove_empty(place: Place, folders: Sequence[str]) -> None:
    """Remove the folders that the installation made, the innermost first, as far as they are empty."""
    with contextlib.suppress(OSError):
        for folder in reversed(folders):
            os.rmdir(os.path.join(place.root, folder))


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

    known = format_of(place.path)
    syntax = None if known is None else syntax_of(known.name)
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


def _children(top: Item, path: Path) -> Sequence[Item]:
    found = _at(top, path)
    return () if found is None else found.children


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
    for item in _children(top, (client.servers,)):
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
