"""`review` and `feedback`: what was changed is decided about, hunk by hunk, and its task hears of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Say
from steadyhand.lazy import dataclass
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation, misused
from steadyhand.surfaces.cli.options import FILE, flag, option
from steadyhand.surfaces.cli.output import CommandResult, writing
from steadyhand.surfaces.cli.review_terminal import feedback_lines, review_table
from steadyhand.surfaces.terminal import Piece, counted, visible_name

if TYPE_CHECKING:
    from steadyhand.session.review.change import Decision
    from steadyhand.session.review.review import Review
    from steadyhand.surfaces.web.shared_review import Filter

_EVERY = "*"  # what follows --accept and --reject without an id


@dataclass(frozen=True, slots=True)
class _Asked:
    """The one decision that is asked for; `ids` is empty for every change that waits."""

    verb: str
    ids: tuple[str, ...]
    text: str | None
    remark: str | None


@command(
    "review",
    section="Tasks",
    examples="""
    steadyhand review
    steadyhand review --task T-12
    steadyhand review --json --task T-12
    steadyhand review --accept 1a2b3c4d5e6f 6f5e4d3c2b1a
    steadyhand review --reject 1a2b3c4d5e6f --remark "keep the old name"
    steadyhand review --amend 1a2b3c4d5e6f --text "timeout = 30"
    steadyhand review --web --task T-12
    steadyhand review --export review.html
    steadyhand review --patch --task T-12
    """,
)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@option("--accept ID…", "Accept these changes, or --all.", multiple=True, is_flag=False, flag_value=_EVERY)
@option("--reject ID…", "Revert these changes, or --all.", multiple=True, is_flag=False, flag_value=_EVERY)
@option("--amend ID", "Replace what a change wrote with --text.")
@option("--comment ID", "Comment on a change with --text, without deciding.")
@option("--text TEXT", "amend, comment: the text.")
@option("--remark TEXT", "Why; the task gets it as feedback.")
@flag("--undo", "Undo your last decision.")
@flag("--all every", "List decided changes too; with --accept or --reject: all pending changes.")
@option("--run run_id RUN", "Only changes of this impact run.")
@option("--since TIME", "Only changes since this time, such as 2026-11-01.")
@option("--path FILE", "Only changes in this file or directory.", type=FILE)
@flag("--web", "Review in a browser on this machine; Ctrl-C ends it.")
@option("--port PORT", "web: the port, or HOST:PORT (default: a free one).")
@flag("--no-open", "web: print the link and open no browser.")
@option("--export FILE", "Write the review to one HTML file, for reading only.", type=FILE)
@flag("--patch", "Print all changes that are not rejected, as a patch for git apply.")
@flag("--markdown", "Print the review as Markdown for a pull request.")
def review_command(
    invocation: Invocation,
    ids: tuple[str, ...],
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    amend: str | None,
    comment: str | None,
    text: str | None,
    remark: str | None,
    undo: bool,
    every: bool,
    run_id: str | None,
    since: str | None,
    path: str | None,
    web: bool,
    port: str | None,
    no_open: bool,
    export: str | None,
    patch: bool,
    markdown: bool,
) -> CommandResult | int:
    """Review changes, hunk by hunk: accept, reject, amend or comment on each.

    On a terminal, shows the pending changes one by one; `?` lists the keys. Rejecting a change reverts exactly that
    one; later changes stay. Decisions are recorded, and `steadyhand feedback` reports them to the task. `--task TASK`
    limits the review to one task. With `--json`, or without a terminal, lists the changes. `--web` shows them in a
    browser; the link is the first line of output and works once.
    """
    asked = _asked(ids, {"accept": accept, "reject": reject}, {"amend": amend, "comment": comment}, text, remark)
    is_deciding = asked is not None or undo
    place = invocation.path(path) if path is not None else None
    if (port is not None or no_open) and not web:
        raise misused("--port and --no-open are for --web", "add --web")
    is_elsewhere = sum((web, export is not None, patch, markdown))  # for those who have no terminal
    if is_elsewhere + (asked is not None) > 1:
        raise misused("--web, --export, --patch, --markdown and decisions exclude each other", "give one of them")
    if is_elsewhere:
        from steadyhand.surfaces.web.shared_review import Filter

        wanted = Filter(invocation.settings.task, since, run_id, place, invocation.accepted_by_rule)
        address = _address(port) if web else None
        return _show(invocation, wanted, address, export, opens=not no_open, is_patch=patch)
    is_asking = not is_deciding and not invocation.output.json and not every
    is_asking = is_asking and sys.stdin.isatty() and invocation.output.is_terminal
    with invocation.workspace(writing=is_deciding or is_asking) as workspace:
        found = workspace.review(
            task=invocation.settings.task, since=since, run=run_id, path=place, auto_accept=invocation.accepted_by_rule
        )
        if undo:
            return _report(found, found.take_back())
        if asked is not None:
            return _report(found, _decide(found, asked, every=every))
        if is_asking:
            from steadyhand.surfaces.cli.review_terminal import TerminalReview

            return TerminalReview(invocation.output, workspace, found).run()
        return _list(invocation, found, every=every)


def _show(
    invocation: Invocation,
    wanted: Filter,
    address: tuple[str, int] | None,
    export: str | None,
    *,
    opens: bool,
    is_patch: bool,
) -> int:
    """The review as a page, a file, a patch or Markdown."""
    from steadyhand.surfaces.web.shared_review import SharedReview

    with invocation.workspace(writing=address is not None) as workspace:
        review = SharedReview(workspace, wanted)
        if address is not None:
            from steadyhand.surfaces.web.server import serve

            serve(review, host=address[0], port=address[1], opens=opens)
        elif export is not None:
            from steadyhand.surfaces.web.export import static_page

            page = static_page(review)
            with writing(invocation, "--export", export) as write:
                write(page)
            invocation.output.document({"ok": True, "files": [export]})
            invocation.output.print([(Piece("wrote ", "good"), Piece(visible_name(export)))])
        elif is_patch:
            _raw(invocation, "patch", review.patch())
        else:
            from steadyhand.surfaces.web.export import markdown_of

            _raw(invocation, "markdown", markdown_of(review.listing().files()).encode())
    return 0


def _raw(invocation: Invocation, name: str, data: bytes) -> None:
    """Print exactly these bytes, or have them in the document."""
    if invocation.output.json:
        invocation.output.document({"ok": True, name: data.decode("utf-8", "replace")})
    else:
        click.echo(data, nl=False)


def _address(given: str | None) -> tuple[str, int]:
    """Where the page is served. Refuses with `not-installed` without the extra, before anything is opened."""
    from importlib.util import find_spec

    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        from steadyhand.surfaces.clients import installation

        raise EditError(
            Kind.NOT_INSTALLED,
            f"the page needs {' and '.join(missing)}, which the extra `web` installs",
            hint=(Say(installation().how_to_add("web")), Say("or write a file to read: --export FILE")),
        )
    host, _, port = (given or "0").rpartition(":")
    if not port.isascii() or not port.isdigit() or len(port) > 5 or int(port) > 65_535:
        raise misused(f"{str(given)[:80]!r} is not a port", "a number up to 65535, such as 8765")
    return host.strip("[]") or "127.0.0.1", int(port)


def _asked(
    ids: tuple[str, ...],
    many: dict[str, tuple[str, ...]],
    one: dict[str, str | None],
    text: str | None,
    remark: str | None,
) -> _Asked | None:
    given = [(verb, named) for verb, named in many.items() if named]
    given += [(verb, (named,)) for verb, named in one.items() if named is not None]
    if len(given) > 1:
        raise misused("several decisions are given", "one of --accept, --reject, --amend and --comment")
    if not given:
        if ids or text is not None or remark is not None:
            raise misused(
                "a change is named, but no decision",
                "say --accept ID, --reject ID, --amend ID --text TEXT or --comment ID --text TEXT",
            )
        return None
    verb, named = given[0]
    if (text is not None) != (verb in one):
        needs = "needs --text TEXT" if verb in one else "takes no --text; say why with --remark"
        raise misused(f"--{verb} {needs}", f"steadyhand review --{verb} ID …")
    if ids and verb in one:
        raise misused(f"--{verb} takes one change", "one after the other")
    return _Asked(verb, tuple(each for each in (*named, *ids) if each != _EVERY), text, remark)


def _decide(review: Review, asked: _Asked, *, every: bool) -> Decision:
    ids: Sequence[str] = asked.ids
    if not ids:
        if not every:
            raise misused(f"--{asked.verb} names no change", "give ids, or --all for all pending changes")
        ids = [change.id for change in review.waiting]
        if not ids:
            raise EditError(Kind.NO_CHANGE, "no change is waiting for a decision", hint="nothing needs to be done")
    match asked.verb:
        case "accept":
            return review.accept(ids, asked.remark)
        case "reject":
            return review.reject(ids, asked.remark)
        case "amend":
            return review.amend(ids[0], asked.text or "", asked.remark)
        case _:
            return review.comment(ids[0], asked.text or "")


def _report(review: Review, decision: Decision) -> CommandResult:
    named = set(decision.changes)
    records = [receipt.id for receipt in decision.receipts]
    touched = [change for change in review if change.id in named or set(change.records) & set(records)]
    document = {
        "decision": decision.id,
        "state": decision.state,
        "ids": list(decision.changes),
        "records": records,
        "changes": [change.to_json() for change in touched],
    }
    done = f"{decision.state}: {counted(len(decision.changes), 'change')}"
    left = f"; {counted(len(review.waiting), 'change')} left to decide"
    return CommandResult(document, [(Piece(done, "good"), Piece(left, "dim"))])


def _list(invocation: Invocation, review: Review, *, every: bool) -> int:
    output = invocation.output
    output.document({"ok": True, "changes": [change.to_json() for change in review]})
    shown = list(review) if every else review.waiting
    output.print(review_table(shown, width=output.width))
    decided = len(review) - len(review.waiting)
    if decided and not every:
        output.tell([(Piece(f"{counted(decided, 'change')} already decided; --all lists them", "dim"),)])
    return 0


@command(
    "feedback",
    section="Tasks",
    examples="""
    steadyhand feedback --task T-12
    steadyhand feedback --task T-12 --keep --json
    """,
)
@flag("--keep", "Show it again next time.")
def feedback_command(invocation: Invocation, keep: bool) -> CommandResult:
    """Show what reviewers decided since the task last asked.

    For an agent, or for a person who wants to know what an agent will read. Feedback is shown once, unless `--keep` is
    given. Line numbers are those of the current files.
    """
    task = invocation.settings.task
    if task is None:
        raise misused("no task is named", "say whose feedback: --task TASK")
    with invocation.workspace(writing=not keep) as workspace:
        found = workspace.review(task=task).feedback(task, keep=keep)
    return CommandResult({"task": task, "feedback": [item.to_json() for item in found]}, feedback_lines(found))
