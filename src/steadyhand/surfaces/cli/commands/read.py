"""`steadyhand read`: show a file, or some of its lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import LineRange, encoding_option, file_argument
from steadyhand.surfaces.terminal import Line, Piece, counted, head_of, visible_name

if TYPE_CHECKING:
    from steadyhand.text.source import Source

_STRETCH = 1 << 16
_TOLD = ("utf-8", "mark", "argument", "declaration", "journal", "text")
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

    Control characters are shown as escapes, never sent to the terminal, and very long lines are cut; --raw and
    --json give everything. --json adds the hash that --expect takes.
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
        source = workspace.read(path, encoding=encoding, lines=_asked(lines))
    if raw:
        output.raw(source.to_bytes())
        return 0
    first, last = _range(source, path, lines)
    output.document(_document(source, path, first, last, anchors=anchors))
    if not output.json:
        if (guess := _guess(source)) is not None:
            output.tell([(Piece("note: ", "warning"), Piece(guess))])
        output.print(_lines(source, first, last, anchors=anchors, numbers=numbers or output.is_terminal))
        if output.is_terminal:
            output.tell([(Piece(_facts(source, path), "dim"),)])
    return 0


def _asked(lines: tuple[int, int | None] | None) -> tuple[int, int | None] | None:
    """The lines that will be shown, as far as they make sense; whether they do is said with the file's length."""
    if lines is None or lines[0] < 1 or (lines[1] is not None and lines[1] < lines[0]):
        return None
    return lines


def _range(source: Source, path: str, lines: tuple[int, int | None] | None) -> tuple[int, int]:
    """The 1-based first and last line to show; last < first where there is none."""
    count = source.line_count
    first, last = lines if lines is not None else (1, None)
    last = count if last is None else last
    if lines is not None and not (1 <= first <= max(count, 1) and first <= last):
        raise EditError(
            Kind.OUT_OF_BOUNDS,
            f"{visible_name(path)} has {counted(count, 'line')}; {first}:{last} is not among them",
            hint=f"ask for lines from 1 to {count}, such as 1:{count}" if count else "there is nothing to read",
            details={"path": path, "line_count": count},
        )
    return first, min(last, count)


def _lines(source: Source, first: int, last: int, *, anchors: bool, numbers: bool) -> Iterator[Line]:
    """The lines one by one: whoever reads them may stop at any, and a large file is not held twice."""
    from steadyhand.structure.anchor import anchor_of

    digits = len(str(last))
    for line, text in enumerate(islice(_bodies(source.text), first - 1, max(last, first - 1)), first):
        label = f"{anchor_of(line, text)}  " if anchors else f"{line:>{digits}}  " if numbers else ""
        yield (Piece(label, "dim"), *head_of(text))


def _bodies(text: str) -> Iterator[str]:
    """The lines of a text without their endings, split a stretch at a time."""
    from steadyhand.text.lines import split_bodies

    start = 0
    while start < len(text):
        end = text.find("\n", start + _STRETCH) + 1 or len(text)
        yield from split_bodies(text[start:end])
        start = end


def _document(source: Source, path: str, first: int, last: int, *, anchors: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "ok": True,
        "path": path,
        "digest": source.digest,
        "encoding": {"name": source.encoding.name, "chosen_by": source.encoding.chosen_by},
        "newline": _newline(source),
        "line_count": source.line_count,
        "lines": [first, last],
        "text": source.table.span_of(first - 1, last - 1).of(source.text) if last >= first else "",
    }
    if anchors:
        document["anchors"] = _anchors(source, first, last)
    return document


def _anchors(source: Source, first: int, last: int) -> list[str]:
    from steadyhand.structure.anchor import anchors_of

    return anchors_of(source, first, last)


def _guess(source: Source) -> str | None:
    """What to say where nothing in the file says how it is encoded."""
    encoding = source.encoding
    if not encoding.is_certain:
        return f"some bytes are not {encoding.name} text and are shown as escapes (--encoding names another)"
    if encoding.chosen_by in _TOLD:
        return None
    return f"read as {encoding.name} (guessed; --encoding names another)"


def _newline(source: Source) -> str:
    uniform = source.newlines.uniform
    return _ENDINGS[uniform] if uniform else ("mixed" if source.line_count > 1 else "none")


def _facts(source: Source, path: str) -> str:
    facts = (
        visible_name(path),
        counted(source.line_count, "line"),
        source.encoding.name,
        _newline(source),
        source.digest[:16],
    )
    return " · ".join(facts)


COMMAND = run
