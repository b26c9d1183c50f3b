"""`steadyhand journal`: where the journal is kept, and moving it to another store."""

from __future__ import annotations

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.render.journal import journal_lines, moved_lines
from steadyhand.surfaces.cli.report import progress


@command(
    "journal",
    section="Care",
    examples="""
    steadyhand journal
    steadyhand journal move --to postgresql://me@db.example.org/work
    steadyhand journal move old/.steadyhand new/.steadyhand
    steadyhand journal move 'postgresql:///work?journal=site' backup/site
    """,
)
@click.argument("action", metavar="[show|move]", type=click.Choice(["show", "move"]), default="show")
@click.argument("source", metavar="[SRC]", required=False)
@click.argument("target", metavar="[DST]", required=False)
@click.option("--to", metavar="PLACE", help="Move this workspace's own journal there: a folder or a postgresql:// URL.")
@click.option("--keep-going", is_flag=True, help="Copy a damaged journal too, as damaged as it is.")
def run(
    invocation: Invocation, action: str, source: str | None, target: str | None, to: str | None, keep_going: bool
) -> int:
    """Tell where the journal is kept, or copy it to another store.

    show tells the store, the place, how much it holds and since when. move copies every row and every kept version
    from SRC to DST, each a folder or a URL, and compares them; the copy has the same ids, times and checksums. DST
    must be new or empty. SRC is never changed or removed: set --journal or STEADYHAND_JOURNAL to the new place, in
    every process, before the next change.
    """
    if action == "show":
        _refuse_words(source, to)
        return _show(invocation)
    return _move(invocation, source, target, to, keep_going=keep_going)


def _show(invocation: Invocation) -> int:
    output = invocation.output
    with invocation.workspace() as workspace:
        facts = workspace.journal()
    output.document({"ok": True, "journal": facts})
    output.print(journal_lines(facts))
    return 0


def _move(invocation: Invocation, source: str | None, target: str | None, to: str | None, *, keep_going: bool) -> int:
    from steadyhand.session.journals import move_journal, move_own

    output = invocation.output
    if invocation.settings.read_only:
        raise EditError(Kind.READ_ONLY, "a journal cannot be written with --read-only", hint="leave the option out")
    with progress(output, "copying") as shown:
        if to is not None and source is None:
            with invocation.workspace(writing=True):
                pass  # finishes what was left half done
            moved = move_own(invocation.root, invocation.journal, to, damaged=keep_going, progress=shown)
        elif source is not None and target is not None and to is None:
            moved = move_journal(source, target, damaged=keep_going, progress=shown)
        else:
            raise EditError(
                Kind.BAD_REQUEST,
                "from where to where is not said",
                hint="steadyhand journal move SRC DST, or steadyhand journal move --to PLACE for this workspace",
            )
    given = to or target or ""
    output.document({"ok": True, **moved.to_json()})
    output.print(moved_lines(moved, needs_password="://" in given and moved.target != given))
    return 0


def _refuse_words(source: str | None, to: str | None) -> None:
    if source is not None or to is not None:
        raise EditError(
            Kind.BAD_REQUEST, "to show the journal takes no place", hint="steadyhand journal move copies it"
        )


COMMAND = run
