"""Runs of the impact agent for people: a line for each article, its diff and reasons, and what it came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from steadyhand.surfaces.cli.render.diff import diff_lines
from steadyhand.surfaces.reports.record import articles_of, error_of, hunks_of, summary, text_of
from steadyhand.surfaces.terminal import Line, Piece, counted, shown_time, visible_line, visible_name

__all__ = ["article_lines", "list_lines", "run_lines", "show_lines"]

Facts = Mapping[str, object]

_STYLES = {"updated": "good", "unchanged": "plain", "skipped": "dim", "failed": "error", "partial": "warning"}


def article_lines(article: Facts, *, width: int | None = None, quiet: bool = False) -> Iterator[Line]:
    """One article: what became of it, why, and its diff hunk by hunk with the reasons."""
    status = str(article.get("status"))
    tokens = article.get("tokens")
    cost = counted(sum(tokens.values()), "token") if isinstance(tokens, dict) and any(tokens.values()) else ""
    yield (
        Piece(f"{status:<10}", _STYLES.get(status, "plain")),
        Piece(visible_name(str(article.get("path"))), "place"),
        Piece(f"  {cost}" if cost else "", "dim"),
    )
    error, said = error_of(article), text_of(article)
    if error is not None:
        yield (Piece("  "), Piece(visible_line(error), "error" if status == "failed" else "warning"))
    if said is not None:
        yield (Piece("  "), Piece(visible_line(said)[:500]))
    if quiet:
        return
    for hunk, reasons in hunks_of(article):
        yield from diff_lines(hunk, width=width)
        yield from ((Piece("  reason: ", "hint"), Piece(visible_line(reason))) for reason in reasons)
    findings = article.get("findings")
    for each in findings if isinstance(findings, list) else []:
        yield (Piece("  check: ", "warning"), Piece(visible_line(str(each.get("message")))))


def run_lines(record: Facts) -> Iterator[Line]:
    """What a run came to, and how to look at it and take it back."""
    for cycle in _lists(record.get("cycles")):
        told = " → ".join(visible_name(str(path)) for path in cycle)
        yield (Piece("cycle: ", "warning"), Piece(told))
    for path in _values(record.get("maxDepthReached")):
        yield (Piece("not looked at, too far from the change: ", "warning"), Piece(visible_name(str(path))))
    name = record.get("id")
    yield (Piece(f"{summary(record)}", "heading"),)
    if name is not None:
        yield (Piece("run "), Piece(str(name), "id"), Piece(f"  undo: steadyhand undo --task impact-{name}", "dim"))


def show_lines(record: Facts, *, width: int | None = None, quiet: bool = False) -> Iterator[Line]:
    """All of a run."""
    trigger = record.get("trigger")
    told: Facts = trigger if isinstance(trigger, dict) else {}
    ends = [str(told.get(name) or "working tree")[:12] for name in ("base", "head")]
    yield (
        Piece(str(record.get("id")), "id"),
        Piece(f"  {shown_time(str(record.get('time')))}  {record.get('model')}  {ends[0]}..{ends[1]}  "),
        Piece(str(record.get("end")), "good" if record.get("end") == "finished" else "warning"),
    )
    for article in articles_of(record):
        yield from article_lines(article, width=width, quiet=quiet)
    yield from run_lines(record)


def list_lines(runs: list[dict[str, object]]) -> Iterator[Line]:
    """A line for each run, the newest first."""
    if not runs:
        yield (Piece("no run is recorded", "dim"),)
    for each in runs:
        trigger = each.get("trigger")
        files = trigger.get("changedFiles") if isinstance(trigger, dict) else None
        changed = counted(len(files), "changed file") if isinstance(files, list) else ""
        yield (
            Piece(str(each.get("id")), "id"),
            Piece(f"  {shown_time(str(each.get('time')))}  {visible_line(str(each.get('model')))}  {changed}"),
        )


def _lists(value: object) -> list[list[object]]:
    return [each for each in value if isinstance(each, list)] if isinstance(value, list) else []


def _values(value: object) -> list[object]:
    return value if isinstance(value, list) else []
