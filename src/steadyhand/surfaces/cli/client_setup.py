"""`steadyhand mcp --config`, `--install` and `--uninstall`: the server that was asked for, in a client's configuration.

What is secret never becomes part of it: a token, and a journal's address with a password, are left to the environment.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.invocation import Invocation, Settings
from steadyhand.surfaces.client_files import Place, Written, has_server, install, place_of, rendered, uninstall
from steadyhand.surfaces.clients import Client, Scope, Section, Server, as_json, client_named, installation
from steadyhand.surfaces.terminal import Line, Piece
from steadyhand.workspace.location import shown_url

if TYPE_CHECKING:
    from steadyhand.session.receipt import Receipt


_OVER_HTTP = ("http", "names", "token")
_ABOUT_CLIENTS = ("client", "install", "uninstall", "scope", "dry_run")
_LEFT_OUT = (*_ABOUT_CLIENTS, "roots", *_OVER_HTTP)
_SHARED = ("mode", "actor", "task", "on_conflict", "on_stale", "on_lease", "hardlinks", "allow", "guard")


def print_config(invocation: Invocation, name: str, scope: Scope | None, roots: Sequence[str]) -> int:
    """Print what to paste for a client: one block for each file, and nothing else inside a block."""
    client = client_named(name)
    chosen = _scope(client, scope)
    server = _server(invocation, client, chosen, roots)
    place = place_of(client, chosen, _project(invocation, roots), os.environ)
    text = rendered(place.path, client.whole(chosen, server.command)).rstrip("\n")
    shown = place.path if chosen == "project" else _short(place.file)
    first = Section("Add the server", shown, text, _note(client, chosen))
    sections = _by_file((first, *client.sections(server)))
    output = invocation.output
    output.document(
        {
            "ok": True,
            "client": client.name,
            "scope": chosen,
            "command": list(server.command),
            "sections": [_document(section) for section in sections],
        }
    )
    output.print(_section_lines(client, sections, chosen))
    return 0


def install_client(
    invocation: Invocation, name: str, scope: Scope | None, roots: Sequence[str], *, dry_run: bool
) -> int:
    """Write the server into a client's own configuration."""
    client = client_named(name)
    chosen = _scope(client, scope)
    server = _server(invocation, client, chosen, roots)
    place = place_of(client, chosen, _project(invocation, roots), os.environ)
    _show(invocation, client, chosen, install(client, chosen, place, server.command, dry_run=dry_run), dry_run=dry_run)
    return 0


def uninstall_client(
    invocation: Invocation, name: str, scope: Scope | None, roots: Sequence[str], *, dry_run: bool
) -> int:
    """Take the server out of a client's configuration."""
    client = client_named(name)
    chosen = _scope(client, scope)
    place = place_of(client, chosen, _project(invocation, roots), os.environ)
    written = uninstall(client, chosen, place, dry_run=dry_run)
    other = None if written.receipt is not None else _other_file(client, chosen, _project(invocation, roots))
    _show(invocation, client, chosen, written, dry_run=dry_run, is_removed=True, other=other)
    return 0


def _other_file(client: Client, scope: Scope, project: str) -> tuple[Scope, Place] | None:
    """The client's file of the other scope, if that one has the server."""
    other: Scope = "user" if scope == "project" else "project"
    if other == "project" and client.project is None:
        return None
    place = place_of(client, other, project, os.environ)
    return (other, place) if has_server(client, place) else None


def _scope(client: Client, given: Scope | None) -> Scope:
    return given or ("user" if client.project is None else "project")


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
    for warning in _warnings(context, settings, program, scope, places):
        invocation.output.warn(warning)
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
            f"{program[0]} is on this machine only: do not share the file, "
            "put `steadyhand` on the PATH, or use --scope user"
        )
    for root in roots if scope == "project" else ():
        if os.path.isabs(root):
            yield f"{root} is outside the project: do not share the file, or use --scope user"
    if any(_is_given(context, name) for name in _OVER_HTTP):
        yield "a client that starts the server talks to it over standard input: the options of HTTP are left out"
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
        value = getattr(settings, name)
        if value:
            yield from _words(f"--{name.replace('_', '-')}", value)
    if settings.read_only:
        yield "--read-only"


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
        output.warn(
            f"the entry had keys that are not of the installation and go with it: {keys}; undo brings them back"
        )


def _removed_lines(written: Written, other: tuple[Scope, Place] | None, *, dry_run: bool) -> Iterator[Line]:
    receipt, shown = written.receipt, _short(written.place.file)
    if receipt is None:
        yield (Piece(f"{shown} does not have Steadyhand"),)
        if other is not None:
            yield (Piece(f"{_short(other[1].file)} has it: add --scope {other[0]}"),)
        return
    if dry_run:
        yield from _diff_lines(written)
        done = f"would delete {shown}" if written.is_deleted else f"would take Steadyhand out of {shown}"
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
