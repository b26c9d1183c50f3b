"""`steadyhand read`: show a file, or some of its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import LineRange, encoding_option, file_argument
from steadyhand.surfaces.terminal import Line, Piece, visible_name

if TYPE_CHECKING:
    from steadyhand.text.source import Source

_ENDINGS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


@command(
    "read",
    section="Look",
    examples="""
    steadyhand read docs/a.md
    steadyhand read app.py --lines 10:40 --anchors
    steadyhand read logo.svg --raw > copy.svg
    """,
)
@file_argument
@click.option("--lines", metavar="A:B", type=LineRange(open_ended=True), help="Only these lines; A: and :B work too.")
@click.option("--numbers", "-n", is_flag=True, help="Number the lines (default on a terminal).")
@click.option("--anchors", is_flag=True, help="Name each line so that an edit can point at it.")
@click.option("--raw", is_flag=True, help="The bytes as they are; only into a file or a pipe.")
@encoding_option
def run(
    invocation: Invocation,
    file: str,
    lines: tuple[int, int | None] | None,
    numbers: bool,
    anchors: bool,
    raw: bool,
    encoding: str | None,
) -> int:
    """Show a file.

    Control characters are shown as escapes, never sent to the terminal. --json adds the hash that --expect takes.
    """
    output = invocation.output
    if raw and (output.is_terminal or output.json or lines or anchors):
        raise EditError(
            Kind.BAD_REQUEST,
            "--raw gives the whole file as it is, and only to a file or a pipe",
            hint="redirect the output, or leave out --raw",
        )
    with invocation.workspace() as workspace:
        path = invocation.path(file)
        source = workspace.read(path, encoding=encoding)
    if raw:
        output.raw(source.to_bytes())
        return 0
    first, last = _range(source, path, lines)
    output.document(_document(source, path, first, last, anchors=anchors))
    if not output.json:
        output.print(_lines(source, first, last, anchors=anchors, numbers=numbers or output.is_terminal))
        if output.is_terminal:
            output.tell([(Piece(_facts(source, path), "dim"),)])
    return 0


def _range(source: Source, path: str, lines: tuple[int, int | None] | None) -> tuple[int, int]:
    """The 1-based first and last line to show; last < first where there is none."""
    count = source.line_count
    first, last = lines if lines is not None else (1, None)
    last = count if last is None else last
    if lines is not None and not (1 <= first <= max(count, 1) and first <= last):
        raise EditError(
            Kind.OUT_OF_BOUNDS,
            f"{visible_name(path)} has {count} lines; {first}:{last} is not among them",
            hint=f"ask for lines between 1 and {count}",
            details={"path": path, "line_count": count},
        )
    return first, min(last, count)


def _lines(source: Source, first: int, last: int, *, anchors: bool, numbers: bool) -> list[Line]:
    digits = len(str(last))
    names = _anchors(source, first, last) if anchors else [f"{line:>{digits}}" for line in range(first, last + 1)]
    label = "  " if anchors or numbers else None
    return [
        (Piece("" if label is None else name + label, "dim"), Piece(source.table.text(first - 1 + index)))
        for index, name in enumerate(names)
    ]


def _document(source: Source, path: str, first: int, last: int, *, anchors: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "ok": True,
        "path": path,
        "digest": source.digest,
        "encoding": source.encoding.name,
        "newline": _newline(source),
        "line_count": source.line_count,
        "lines": [first, last],
        "text": source.table.span_of(first - 1, last - 1).of(source.text) if last >= first else "",
    }
    if anchors:
        document["anchors"] = _anchors(source, first, last)
    return document


def _anchors(source: Source, first: int, last: int) -> list[str]:
    from steadyhand.structure.targets.anchor import anchors_of

    return anchors_of(source, first, last)


def _newline(source: Source) -> str:
    uniform = source.newlines.uniform
    return _ENDINGS[uniform] if uniform else ("mixed" if source.line_count > 1 else "none")


def _facts(source: Source, path: str) -> str:
    facts = (
        visible_name(path),
        f"{source.line_count} lines",
        source.encoding.name,
        _newline(source),
        source.digest[:16],
    )
    return " · ".join(facts)


COMMAND = run
