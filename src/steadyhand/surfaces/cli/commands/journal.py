"""`journal`, `check`, `doctor`, `gc` and `observe`: the journal itself, and changes that were made without it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import click

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation, misused
from steadyhand.surfaces.cli.options import BYTE_SIZE, dry_run_option, flag, option
from steadyhand.surfaces.cli.output import CommandResult
from steadyhand.surfaces.cli.render import check_document, check_error, fact_lines, gc_document, progress
from steadyhand.surfaces.terminal import Line, Piece, counted, shown_time, visible_name

if TYPE_CHECKING:
    from steadyhand.workspace.history.outside import CheckReport
    from steadyhand.workspace.journal.maintenance import GcReport
    from steadyhand.workspace.location import MovedJournal


@command(
    "journal",
    section="Maintenance",
    examples="""
    steadyhand journal
    steadyhand journal move --to postgresql://me@db.example.org/work
    steadyhand journal move old/.steadyhand new/.steadyhand
    steadyhand journal move 'postgresql:///work?journal=site' backup/site
    steadyhand journal reindex
    """,
)
@click.argument("action", metavar="[show|move|reindex]", type=click.Choice(["show", "move", "reindex"]), default="show")
@click.argument("source", metavar="[SRC]", required=False)
@click.argument("target", metavar="[DST]", required=False)
@option("--to PLACE", "Move this workspace's own journal there: a folder or a postgresql:// URL.")
@flag("--keep-going", "Copy a damaged journal too, damage included.")
def journal_command(
    invocation: Invocation, action: str, source: str | None, target: str | None, to: str | None, keep_going: bool
) -> CommandResult:
    """Show where the journal is, copy it elsewhere, or rebuild its indexes.

    show prints the store, its place, size and age. move copies every row and every kept version from SRC to DST, each a
    folder or a URL, and compares them; the copy has the same ids, times and checksums. DST must be new or empty. SRC is
    never changed or removed: set --journal or STEADYHAND_JOURNAL to the new place, in every process, before the next
    change. reindex rebuilds the indexes from the log, where steadyhand check finds only those wrong.
    """
    if action == "move":
        return _move(invocation, source, target, to, keep_going=keep_going)
    if source is not None or to is not None:
        raise misused(f"journal {action} takes no place", "steadyhand journal move copies it")
    with invocation.workspace(writing=action == "reindex") as workspace:
        if action == "show":
            facts = workspace.journal()
            return CommandResult({"journal": facts}, journal_lines(facts))
        from steadyhand.session.host import host_of

        host_of(workspace).reindex()
        facts = workspace.journal()
    return CommandResult({"reindexed": True, "journal": facts}, [(Piece("rebuilt the indexes from the log"),)])


def _move(
    invocation: Invocation, source: str | None, target: str | None, to: str | None, *, keep_going: bool
) -> CommandResult:
    from steadyhand.workspace.location import move_journal, move_own

    if invocation.settings.read_only:
        raise EditError(Kind.READ_ONLY, "a journal cannot be written with --read-only", hint="leave the option out")
    with progress(invocation.output, "copying") as shown:
        if to is not None and source is None:
            with invocation.workspace(writing=True):
                pass  # finishes what was left half done
            moved = move_own(invocation.root, invocation.journal, to, damaged=keep_going, progress=shown)
        elif source is not None and target is not None and to is None:
            moved = move_journal(source, target, damaged=keep_going, progress=shown)
        else:
            raise misused(
                "source and target are missing",
                "steadyhand journal move SRC DST, or steadyhand journal move --to PLACE for this workspace",
            )
    given = to or target or ""
    return CommandResult(moved.to_json(), moved_lines(moved, needs_password="://" in given and moved.target != given))


@command(
    "check",
    section="Maintenance",
    examples="""
    steadyhand check
    steadyhand check --json
    """,
)
def check_command(invocation: Invocation) -> CommandResult:
    """Verify the journal and the files it records.

    Verifies every record's checksum and chain, and compares every file with its last recorded version. A file changed
    by others is reported but is not a problem; a damaged journal is.
    """
    with invocation.workspace() as workspace, progress(invocation.output, "checking") as shown:
        result = workspace.check(progress=shown)
    code = 0 if result.ok else check_error(result).kind.exit_code
    return CommandResult(check_document(result), check_lines(result), code)


@command(
    "doctor",
    section="Maintenance",
    examples="""
    steadyhand doctor
    steadyhand doctor --json
    """,
)
def doctor_command(invocation: Invocation) -> CommandResult:
    """Report what this machine and this workspace support.

    Covers kernel support for the sandbox, installed extras, the journal and its size, and mount points inside the root.
    """
    with invocation.workspace() as workspace:
        facts = workspace.doctor()
    return CommandResult({"facts": facts}, fact_lines((name, _word(value)) for name, value in _flatten("", facts)))


@command(
    "gc",
    section="Maintenance",
    examples="""
    steadyhand gc --keep-days 90
    steadyhand gc --keep-size 500MB --dry-run
    """,
)
@option("--keep-days N", "Keep versions younger than this.", least=0, most=1_000_000)
@option("--keep-size SIZE", "Keep the newest versions up to this size, such as 500MB.", type=BYTE_SIZE)
@dry_run_option
def gc_command(invocation: Invocation, keep_days: int | None, keep_size: int | None, dry_run: bool) -> CommandResult:
    """Free space by dropping old versions of files.

    History stays readable, but a change whose old version was dropped may no longer be undone. Without options,
    [retention] of the configuration file is used; without that, nothing is dropped.
    """
    output, config = invocation.output, invocation.config
    if keep_days is None and keep_size is None:
        keep_days, keep_size = config.keep_days, config.keep_bytes
    with invocation.workspace(writing=not dry_run) as workspace, progress(output, "collecting") as shown:
        result = workspace.gc(keep_days=keep_days, keep_bytes=keep_size, preview=dry_run, progress=shown)
    return CommandResult(gc_document(result), gc_lines(result))


_OBSERVE_NAMES = ("file_path", "filePath", "path", "notebook_path")
_LISTS = ("files", "paths")
# Some clients run their hook after every tool; what was only looked at has not changed.
_READS = lazy_pattern(r"(copilot_)?(read|view|grep|glob|ls|list|get|search(?!.*replace))", re.IGNORECASE)
_MOST = 1 << 24
_DEEP = 6
_LONGEST_NAME = 200  # of a tool


@command(
    "observe",
    section="History",
    examples="""
    steadyhand observe src/app.py
    steadyhand observe --hook < event.json
    """,
)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@flag("--hook", "Read the event of an agent's hook from standard input and take its files.")
@option("--client NAME", "The program whose tool changed them, for the records; else --actor.")
def observe_command(invocation: Invocation, files: tuple[str, ...], hook: bool, client: str | None) -> CommandResult:
    """Record changes made by other tools.

    Other tasks then see them at once; without it they are noticed when the file is next edited here. As a hook it is
    silent and never fails the agent's tool: files outside the workspace are skipped.
    """
    if client is not None and invocation.settings.actor is None:
        invocation.set("actor", client)
    if bool(files) == hook:
        raise misused("neither FILE nor --hook" if not files else "FILE and --hook", "give one")
    noted = _of_hook(invocation) if hook else _observed(invocation, files)
    rows = [(Piece(f"recorded a change to {path}"),) for path in noted] or [(Piece("nothing new", "dim"),)]
    return CommandResult({"noted": noted}, () if hook else rows)


def _of_hook(invocation: Invocation) -> list[str]:
    """What the event of a hook comes to. An exit code of ours would be taken for a failure of the agent's own tool."""
    try:
        files, tool = _read_event(invocation)
        return _observed(invocation, files, tool, passes_over=True)
    except EditError as error:
        invocation.output.warn(f"nothing was noted: {error.message}")
        return []


def _observed(
    invocation: Invocation, files: Iterable[str], tool: str | None = None, *, passes_over: bool = False
) -> list[str]:
    """The files that had changed; `passes_over`: whatever cannot be looked at is left out."""
    from steadyhand.session.host import host_of

    noted: list[str] = []
    with invocation.workspace(writing=True) as opened:
        workspace = opened if tool is None else host_of(opened).bound(tool=tool)
        for file in files:
            try:
                path = invocation.path(file)
                if workspace.observe(path):
                    noted.append(path)
            except EditError:
                if not passes_over:
                    raise
    return noted


def _read_event(invocation: Invocation) -> tuple[list[str], str | None]:
    """The files that a hook's event names, and the tool that changed them; none where that tool only reads."""
    invocation.take_stdin("--hook")
    text = sys.stdin.buffer.read(_MOST)
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        raise misused("standard input holds no event", "an event is a JSON object") from None
    tool = event.get("tool_name") if isinstance(event, Mapping) else None
    named = tool if isinstance(tool, str) and tool.isprintable() and len(tool) <= _LONGEST_NAME else None
    return [] if named is not None and _READS.match(named) else list(dict.fromkeys(_files(event))), named


def _files(value: object, depth: int = 0) -> Iterator[str]:
    """Every file that is named anywhere in an event, within reason."""
    if depth > _DEEP:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in _OBSERVE_NAMES and isinstance(inner, str):
                yield inner
            elif name in _LISTS and isinstance(inner, list):
                yield from (each for each in inner if isinstance(each, str))
                yield from _files(inner, depth + 1)
            else:
                yield from _files(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _files(inner, depth + 1)


_JOURNAL_NAMES = {"root_id": "tree", "repo_id": "repository"}


def check_lines(result: CheckReport) -> list[Line]:
    """Each finding on a line, then the sum."""
    lines: list[Line] = [(Piece(str(p.kind), "error"), Piece(f": {p.message}")) for p in result.problems]
    lines += [
        (Piece("pending", "error"), Piece(f": record {record} is neither done nor undone")) for record in result.pending
    ]
    for drift in result.drifted:
        since = f" since record {drift.record}"
        lines.append((Piece("changed outside", "warning"), Piece(f": {visible_name(drift.path)} {drift.state}{since}")))
    lines += [(Piece("note", "warning"), Piece(f": {note}")) for note in result.notes]
    seen = f"{counted(result.records_checked, 'record')}, {counted(result.files_checked, 'file')}"
    if result.ok:
        return [*lines, (Piece("sound", "good"), Piece(f": {seen}"))]
    wrong = counted(len(result.problems) + len(result.pending), "problem")
    return [*lines, (Piece(wrong, "error"), Piece(f" in {seen}"))]


def gc_lines(result: GcReport) -> list[Line]:
    """What was dropped and what was kept, in one line."""
    verb = "would drop" if result.dry_run else "dropped"
    dropped = f"{verb} {counted(result.dropped_images, 'old version')} ({shown_size(result.dropped_bytes)})"
    kept = f"kept {counted(result.kept_images, 'version')} ({shown_size(result.kept_bytes)})"
    return [(Piece(f"{dropped}, {kept}"),)]


def _flatten(prefix: str, facts: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from _flatten(f"{prefix}{name}.", value)
        else:
            yield f"{prefix}{name}", value


def _word(value: object) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def shown_size(size: int) -> str:
    """A number of bytes for people.

    >>> shown_size(512), shown_size(1_500_000)
    ('512 B', '1.5 MB')
    """
    amount, unit = float(size), "B"
    for larger in ("kB", "MB", "GB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.0f} B" if unit == "B" else f"{amount:.1f} {unit}"


def journal_lines(facts: Mapping[str, object]) -> list[Line]:
    """Where the journal is and what it holds."""
    shown: list[tuple[str, object]] = []
    for name, value in facts.items():
        if name == "bytes" and isinstance(value, int):
            shown.append(("size", shown_size(value)))
        elif name in ("oldest", "newest") and isinstance(value, str):
            shown.append(("since" if name == "oldest" else "until", shown_time(value)))
        elif name == "error" and isinstance(value, Mapping):
            shown.append((name, value.get("message")))
        elif value not in (None, [], ()):
            shown.append((_JOURNAL_NAMES.get(name, name), value))
    return fact_lines(shown)


def moved_lines(moved: MovedJournal, *, needs_password: bool) -> list[Line]:
    """What was copied, and what to do so that it is used."""
    copied = moved.copied
    size = f"{counted(copied.rows, 'row')} and {counted(copied.images, 'image')} ({shown_size(copied.image_bytes)})"
    lines: list[Line] = [(Piece("copied and verified", "good"), Piece(f": {size}, from {moved.source}"))]
    if copied.problems:
        lines.append((Piece("copied, damage included", "warning"), Piece(f": {len(copied.problems)} problems")))
    lines.append((Piece(f"use it from now on: --journal {moved.target}, or STEADYHAND_JOURNAL={moved.target}"),))
    if needs_password:
        lines.append((Piece("with the password as before: in the URL, as PGPASSWORD or in ~/.pgpass", "dim"),))
    lines.append((Piece("the old journal stays; changes recorded there from now on are not in the new one", "dim"),))
    return lines
