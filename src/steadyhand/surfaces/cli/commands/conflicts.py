"""`steadyhand conflicts`: edits that were refused for the work of others, and what becomes of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

import click

from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from steadyhand.surfaces.cli.by_hand import edit_by_hand
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName, reason_option
from steadyhand.surfaces.cli.render.conflict import dispute_lines, dispute_table
from steadyhand.surfaces.cli.render.error import error_lines
from steadyhand.surfaces.cli.render.receipt import receipt_lines
from steadyhand.surfaces.cli.report import cut_width
from steadyhand.surfaces.terminal import Piece, counted, paint

if TYPE_CHECKING:
    from steadyhand.session.kept_conflicts import KeptConflict, Standing
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.workspace import Workspace

Way = Literal["apply", "drop", "edit"]
_ASKED = "[a]pply the refused edit, [k]eep the current text, [e]dit by hand, [s]kip, [q]uit"
_ANSWERS: dict[str, Way] = {"a": "apply", "k": "drop", "e": "edit"}


@command(
    "conflicts",
    section="History",
    examples="""
    steadyhand conflicts
    steadyhand conflicts show 1a2b3c4d5e6f
    steadyhand conflicts resolve
    steadyhand conflicts resolve 1a2b3c4d5e6f --apply --reason "both agreed"
    steadyhand conflicts resolve 1a2b3c4d5e6f --keep
    """,
)
@click.argument("what", default="list", type=click.Choice(["list", "show", "resolve"]))
@click.argument("conflict", required=False)
@click.option("--apply", is_flag=True, help="resolve: make the refused edit after all, over the current text.")
@click.option("--keep", "--drop", "drop", is_flag=True, help="resolve: keep the current text; nothing is changed.")
@click.option("--edit", is_flag=True, help="resolve: write these lines by hand, in $VISUAL or $EDITOR.")
@click.option("--text", metavar="TEXT", help="resolve: what these lines are to be; no editor is opened.")
@click.option("--ask", is_flag=True, help="resolve: ask for each, also where no terminal is.")
@reason_option
@click.option("--all", "every", is_flag=True, help="list: also those that are resolved or answered.")
@click.option("--path", metavar="FILE", type=FileName(), help="list, resolve: only conflicts in this file.")
@click.option("--task", metavar="TASK", help="list, resolve: only edits of this task that were refused.")
def run(
    invocation: Invocation,
    what: str,
    conflict: str | None,
    apply: bool,
    drop: bool,
    edit: bool,
    text: str | None,
    ask: bool,
    reason: str | None,
    every: bool,
    path: str | None,
    task: str | None,
) -> int:
    """List, show and resolve edits that met the work of others.

    A conflict is an edit that was refused because another task had changed the same lines. `list` names the open ones,
    `show` gives both sides of one, `resolve` decides: one by its id and a choice, or, on a terminal, one after
    another, asking for each. What is applied is recorded and can be undone.
    """
    file = invocation.path(path) if path is not None else None
    way = _way({"apply": apply, "drop": drop, "edit": edit}, text)
    if what == "show":
        return _show(invocation, _named(conflict, "show"))
    if what == "list":
        _only(conflict is None and way is None and not ask, "list takes no conflict and no choice")
        return _list(invocation, file, task, every=every)
    if way is not None:
        return _resolve(invocation, _named(conflict, f"--{way}"), way, text, reason)
    _only(not invocation.output.json, "with --json nobody can be asked")
    _only(ask or (sys.stdin.isatty() and invocation.output.is_terminal), "there is no terminal to ask on")
    return _go_through(invocation, conflict, file, task, reason)


def _way(flags: dict[Way, bool], text: str | None) -> Way | None:
    given = [name for name, is_given in flags.items() if is_given]
    if len(given) > 1 or (text is not None and given not in ([], ["edit"])):
        raise EditError(Kind.BAD_REQUEST, "several choices are given", hint="one of --apply, --keep, --edit and --text")
    return "edit" if text is not None else given[0] if given else None


def _named(conflict: str | None, wanted_by: str) -> str:
    if conflict is None:
        raise EditError(
            Kind.BAD_REQUEST,
            f"{wanted_by} needs the id of a conflict",
            hint="steadyhand conflicts lists them; its first digits (4 or more) are enough",
        )
    return conflict


def _only(fits: object, otherwise: str) -> None:
    if not fits:
        hint = "steadyhand conflicts resolve ID with --apply, --keep, --edit or --text TEXT"
        raise EditError(Kind.BAD_REQUEST, otherwise, hint=hint)


def _list(invocation: Invocation, path: str | None, task: str | None, *, every: bool) -> int:
    output = invocation.output
    with invocation.workspace() as workspace:
        found = workspace.conflicts(open_only=not every, path=path, task=task)
    output.document({"ok": True, "conflicts": [dispute.to_json() for dispute in found]})
    output.print(dispute_table(found, width=output.width))
    return 0


def _show(invocation: Invocation, conflict: str) -> int:
    output = invocation.output
    with invocation.workspace() as workspace:
        dispute = workspace.conflict(conflict)
        now = _standing(workspace, dispute)
    document = None if now is None else {"lines": list(now.lines), "digest": now.digest, "text": now.text}
    output.document({"ok": True, "conflict": dispute.to_json(), "standing": document})
    output.print(dispute_lines(dispute, now, width=cut_width(invocation)))
    return 0


def _standing(workspace: Workspace, dispute: KeptConflict) -> Standing | None:
    """The current text, where the conflict is open and the text is known."""
    try:
        return host_of(workspace).standing(dispute.id) if dispute.state == "open" else None
    except EditError:
        return None


def _resolve(invocation: Invocation, conflict: str, way: Way, text: str | None, reason: str | None) -> int:
    output = invocation.output
    with invocation.workspace(writing=True) as workspace:
        receipt = _decide(workspace, workspace.conflict(conflict), way, text, reason)
        dispute = workspace.conflict(conflict)
    told = None if receipt is None else receipt.to_json()
    output.document({"ok": True, "conflict": dispute.to_json(), "receipt": told})
    _report(invocation, dispute, receipt)
    return 0


def _decide(
    workspace: Workspace, dispute: KeptConflict, way: Way, text: str | None, reason: str | None
) -> Receipt | None:
    expect: str | None = None
    if way == "edit" and text is None and dispute.state == "open":
        now = host_of(workspace).standing(dispute.id)
        lines = paint(dispute_lines(dispute, None, width=None), color=False)
        text = edit_by_hand(
            now.text, list(lines), path=dispute.path, token=f"steadyhand {dispute.id} {now.digest[:16]}"
        )
        expect = now.digest
    return workspace.resolve(dispute.id, way, text=text, expect=expect, reason=reason)


def _report(invocation: Invocation, dispute: KeptConflict, receipt: Receipt | None) -> None:
    output = invocation.output
    if receipt is not None and not output.json:
        back = ("undo", invocation.command_line(f"undo {receipt.id}"))
        output.print(receipt_lines(receipt, back=back, width=cut_width(invocation), quiet=output.quiet))
        for warning in receipt.warnings:
            output.warn(warning)
    output.print([(Piece("resolved ", "good"), Piece(dispute.id, "id"), Piece(f": {dispute.state}"))])


def _go_through(
    invocation: Invocation, conflict: str | None, path: str | None, task: str | None, reason: str | None
) -> int:
    """The open ones, one after another, until somebody has enough."""
    output = invocation.output
    with invocation.workspace(writing=True) as workspace:
        if conflict is None:
            names = [dispute.id for dispute in workspace.conflicts(path=path, task=task)]
        else:
            names = [workspace.conflict(conflict).id]
        output.print([(Piece(counted(len(names), "conflict") if names else "no open conflicts", "dim"),)])
        for name in names:
            if not _settle(invocation, workspace, name, reason):
                break
    return 0


def _settle(invocation: Invocation, workspace: Workspace, name: str, reason: str | None) -> bool:
    """Ask until one conflict is decided or passed over; False to go no further."""
    output = invocation.output
    while (dispute := workspace.conflict(name)).state == "open":
        output.print([(), *dispute_lines(dispute, _standing(workspace, dispute), width=cut_width(invocation))])
        answer = click.prompt(_ASKED, type=click.Choice([*_ANSWERS, "s", "q"]), show_choices=False)
        if answer in ("s", "q"):
            return bool(answer == "s")
        try:
            receipt = _decide(workspace, dispute, _ANSWERS[answer], None, reason)
            _report(invocation, workspace.conflict(name), receipt)
            return True
        except EditError as error:
            output.tell(error_lines(error, phrases=invocation.phrases))
    output.print([(Piece(f"{name} is {dispute.state}", "dim"),)])
    return True


COMMAND = run
