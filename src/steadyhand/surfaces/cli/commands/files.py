"""`write`, `delete`, `rename` and `chmod` for whole files; `read`, `outline` and `locate` for what is in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation, bytes_from, decode_whole, misused, piped
from steadyhand.surfaces.cli.options import (
    FILE,
    FILE_MODE,
    OPEN_LINES,
    Commit,
    PlaceOptions,
    WhichOptions,
    address_argument,
    address_target,
    change,
    commit_options,
    dry_run_option,
    encoding_option,
    file_argument,
    flag,
    option,
    place_options,
    policy_options,
    reason_option,
    which_options,
)
from steadyhand.surfaces.cli.output import CommandResult
from steadyhand.surfaces.cli.refusal import typed
from steadyhand.surfaces.cli.render import lines_of, report
from steadyhand.surfaces.terminal import (
    Line,
    Piece,
    cells,
    counted,
    head_of,
    pad,
    span_of_lines,
    visible_line,
    visible_name,
)

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.structure.outline import Location, Outline
    from steadyhand.structure.target import Target
    from steadyhand.text.match import Occurrence
    from steadyhand.text.source import Source

_NOT_UTF8 = (
    "send it as UTF-8, with --encoding NAME if the file should have another; or write the bytes unchanged: --bytes"
)
_STRETCH = 1 << 16
_CERTAIN = ("utf-8", "mark", "argument", "declaration", "journal", "text")
_ENDINGS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


@command(
    "write",
    section="Change files",
    examples="""
    echo "# Notes" | steadyhand write notes.md
    steadyhand write notes.md --from-file draft.md --expect 5891b5b522d5df08
    steadyhand write run.sh --text "#!/bin/sh" --mode 755
    """,
)
@file_argument
@option("--text TEXT", "The content.")
@option("--from-file FILE", "Read the content from this file; - for standard input.", type=FILE)
@flag("--bytes exact", "Write the bytes unchanged, without the old file's encoding and line endings.")
@flag("--overwrite", "Replace the file whatever its content.")
@flag("--allow-shrink", "Allow dropping most of the file.")
@option("--mode OCTAL", "Permission bits of a new file.", type=FILE_MODE)
@policy_options(tolerance=False)
@commit_options()
def write_command(
    invocation: Invocation,
    file: str,
    text: str | None,
    from_file: str | None,
    exact: bool,
    overwrite: bool,
    allow_shrink: bool,
    mode: int | None,
    commit: Commit,
    policy: Policy | None,
) -> int:
    """Create a file, or replace its whole content.

    To replace a file, pass --expect with its hash (read --json prints it), or --overwrite. The old file's encoding and
    line endings are kept. Without --text and --from-file, standard input is read.
    """
    if mode is not None and (exact or commit["expect"] or overwrite or allow_shrink or commit["encoding"]):
        raise misused(
            "--mode is for a new text file: no --bytes, --expect, --overwrite, --allow-shrink or --encoding",
            "write the file first, then use steadyhand chmod",
        )
    content = _content(invocation, text, from_file, exact=exact)
    path = invocation.path(file)
    with invocation.workspace(writing=not commit["preview"], policy=policy) as workspace:
        if mode is not None:
            said = {name: commit[name] for name in ("reason", "preview")}
            return report(invocation, workspace.create(path, str(content), mode=mode, **said))
        receipt = workspace.write(path, content, allow_shrink=allow_shrink, overwrite=overwrite, **commit)
        return report(invocation, receipt)


def _content(invocation: Invocation, text: str | None, from_file: str | None, *, exact: bool) -> str | bytes:
    if text is not None and from_file is not None:
        raise misused("--text and --from-file are both given", "give one of them")
    if text is not None:
        return text.encode("utf-8", "surrogateescape") if exact else text
    if from_file is not None:
        data = bytes_from(invocation, "--from-file", from_file)
    else:
        data = piped(invocation, "content", "give --text, --from-file or pipe it in")
    return data if exact else decode_whole(data, "the content", _NOT_UTF8)


@command(
    "delete",
    section="Change files",
    examples="""
    steadyhand delete app.py --old "import os" --reason "unused"
    steadyhand delete notes.md --lines 4:9
    steadyhand delete guide.md --at "heading:Guide > Old news"
    steadyhand delete old.md --file
    """,
)
@file_argument
@place_options
@flag("--file whole", "Delete the file itself.")
@policy_options()
@commit_options()
def delete_command(
    invocation: Invocation,
    file: str,
    whole: bool,
    commit: Commit,
    policy: Policy | None,
    **place: Any,
) -> int:
    """Delete text, lines, an addressed part, or a whole file.

    The text must occur exactly once, unless you say which occurrence you mean. A deleted file stays in the journal;
    undo restores it.
    """
    where = PlaceOptions(**place)
    if whole and where.is_given:
        raise misused("--file deletes the whole file and cannot be combined with a place", "leave out one of them")
    if whole:
        said = {name: commit[name] for name in ("expect", "reason", "preview")}
        with invocation.workspace(writing=not commit["preview"]) as workspace:
            return report(invocation, workspace.delete(invocation.path(file), **said))
    if not where.is_given:
        raise misused(
            "no place was given",
            "--old TEXT, --lines A:B, --anchor LINE#HASH or --at ADDRESS; --file deletes the file itself",
        )
    return change(invocation, file, where.edit(invocation, None, commit["reason"]), commit, policy)


@command(
    "rename",
    section="Change files",
    examples="""
    steadyhand rename notes.md docs/notes.md
    """,
)
@file_argument
@click.argument("to", type=FILE)
@commit_options(encoding=False)
def rename_command(invocation: Invocation, file: str, to: str, commit: Commit) -> int:
    """Rename or move a file.

    An existing file is never overwritten. Missing directories are created, and undo removes them again.
    """
    path, target = invocation.path(file), invocation.path(to)
    with invocation.workspace(writing=not commit["preview"]) as workspace:
        return report(invocation, workspace.rename(path, target, **commit))


@command(
    "chmod",
    section="Change files",
    examples="""
    steadyhand chmod run.sh 755
    """,
)
@file_argument
@click.argument("mode", type=FILE_MODE)
@reason_option
@dry_run_option
def chmod_command(invocation: Invocation, file: str, mode: int, reason: str | None, dry_run: bool) -> int:
    """Change the permission bits of a file.

    MODE is octal. The change is recorded like any other and can be undone.
    """
    path = invocation.path(file)
    with invocation.workspace(writing=not dry_run) as workspace:
        return report(invocation, workspace.chmod(path, mode, reason=reason, preview=dry_run))


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
@option("--lines A:B", "Only these lines; A: and :B work too.", type=OPEN_LINES)
@flag("--numbers -n", "Number the lines (default on a terminal).")
@flag("--anchors", "Show each line's anchor, for edit --anchor.")
@flag("--raw", "The unchanged bytes; only to a file or a pipe.")
@encoding_option
def read_command(
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
        raise misused(
            "--raw prints the whole file unchanged, and only to a file or a pipe",
            "redirect the output, or leave out --raw",
        )
    with invocation.workspace() as workspace:
        path = invocation.path(file)
        source = workspace.read(path, encoding=encoding, lines=_asked(lines))
    if raw:
        output.raw(source.to_bytes())
        return 0
    first, last = _read_range(source, path, lines)
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
        from steadyhand.structure.lines import anchors_of

        document["anchors"] = anchors_of(source, first, last)
    output.document(document)
    if not output.json:
        if (guess := _guess(source)) is not None:
            output.tell([(Piece("note: ", "warning"), Piece(guess))])
        output.print(_lines(source, first, last, anchors=anchors, numbers=numbers or output.is_terminal))
        if output.is_terminal:
            facts = (
                visible_name(path),
                counted(source.line_count, "line"),
                source.encoding.name,
                _newline(source),
                source.digest[:16],
            )
            output.tell([(Piece(" · ".join(facts), "dim"),)])
    return 0


def _asked(lines: tuple[int, int | None] | None) -> tuple[int, int | None] | None:
    """The lines that will be shown, as far as they make sense; whether they do is said with the file's length."""
    if lines is None or lines[0] < 1 or (lines[1] is not None and lines[1] < lines[0]):
        return None
    return lines


def _read_range(source: Source, path: str, lines: tuple[int, int | None] | None) -> tuple[int, int]:
    """The 1-based first and last line to show; last < first where there is none."""
    count = source.line_count
    first, last = lines if lines is not None else (1, None)
    last = count if last is None else last
    if lines is not None and not (1 <= first <= max(count, 1) and first <= last):
        raise EditError(
            Kind.OUT_OF_BOUNDS,
            f"{visible_name(path)} has {counted(count, 'line')}; {first}:{last} is outside it",
            hint=f"ask for lines from 1 to {count}, such as 1:{count}" if count else "there is nothing to read",
            details={"path": path, "line_count": count},
        )
    return first, min(last, count)


def _lines(source: Source, first: int, last: int, *, anchors: bool, numbers: bool) -> Iterator[Line]:
    """The lines one by one: whoever reads them may stop at any, and a large file is not held twice."""
    from steadyhand.structure.lines import anchor_of

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


def _guess(source: Source) -> str | None:
    """What to say where nothing in the file says how it is encoded."""
    encoding = source.encoding
    if not encoding.is_certain:
        return f"some bytes are not {encoding.name} text and are shown as escapes (--encoding names another)"
    if encoding.chosen_by in _CERTAIN:
        return None
    return f"read as {encoding.name} (guessed; --encoding names another)"


def _newline(source: Source) -> str:
    uniform = source.newlines.uniform
    return _ENDINGS[uniform] if uniform else ("mixed" if source.line_count > 1 else "none")


_LIMIT = 200


@command(
    "outline",
    section="Look",
    examples="""
    steadyhand outline docs/guide.md
    steadyhand outline app.py --depth 0
    steadyhand outline compose.yaml --within key:services.web
    """,
)
@file_argument
@option("--within ADDRESS", "Only what is inside this place.")
@option("--depth N", "Omit entries below level N; 0: only the top level.", least=0)
@option(
    "--limit N",
    f"At most N entries (default: {_LIMIT}), dropping the deepest first; 0: all of them.",
    least=0,
    default=_LIMIT,
)
@encoding_option
def outline_command(
    invocation: Invocation, file: str, within: str | None, depth: int | None, limit: int, encoding: str | None
) -> CommandResult:
    """List the addresses in a file: headings, elements, symbols, keys.

    Each entry has its lines, its type, and its address, quoted for the shell: pass it to edit --at, insert --at, act,
    move or locate. For an unknown format, the known formats are listed.
    """
    place = None if within is None else address_target(within, "--within")
    with invocation.workspace() as workspace:
        path = invocation.path(file)
        found = workspace.outline(path, within=place, depth=depth, limit=limit or None, encoding=encoding)
    document = {"path": path, "digest": found.source.digest, **found.to_json()}
    return CommandResult(document, outline_lines(found, width=invocation.output.width))


@command(
    "locate",
    section="Look",
    examples="""
    steadyhand locate guide.md "heading:Guide > Setup"
    steadyhand locate compose.yaml "key:services.web.ports[0]"
    steadyhand locate index.html selector:li.item --all
    """,
)
@file_argument
@address_argument
@which_options
@encoding_option
def locate_command(
    invocation: Invocation, file: str, address: str, encoding: str | None, **which: Any
) -> CommandResult:
    """Show what an address points to: lines, characters, bytes and text.

    This is what edit --at would replace; what edit would refuse is refused here too. delete --at may remove more: the
    name of a key, the fences of a code block, the blank lines between a section and the next. In the text, ⟦ and ⟧ mark
    the start and end of a place that is not whole lines.
    """
    from steadyhand.session.host import host_of

    target = address_target(address)
    with invocation.workspace() as workspace:
        source = host_of(workspace).source(invocation.path(file), encoding=encoding)
    places = _places(source, target, WhichOptions(**which).which() or "unique")
    found = [{**place.to_json(), "text": place.span.of(source.text)} for place in places]
    return CommandResult(
        {"path": source.path, "digest": source.digest, "places": found}, location_lines(source, places)
    )


def _places(source: Source, target: Target, which: Occurrence) -> tuple[Location, ...]:
    """The places, in the very text that is then shown."""
    from steadyhand.structure.outline import locate

    try:
        return locate(source, target, which=which)
    except EditError as error:
        details = {"path": source.path, **error.details}
        raise EditError(error.kind, f"{source.path}: {error.message}", hint=error.hints, details=details) from None


_KIND = 16  # columns of a kind at most
_LABEL = 16  # columns of a label at least
_DEEPEST = 24  # levels that are indented
_SHOWN = 20  # lines of a place
_HEAD = 12  # of them before those that are left out


def outline_lines(outline: Outline, *, width: int) -> list[Line]:
    """A row for each entry: lines, kind, label indented by depth, and the address. Only the label is ever cut."""
    if not outline.entries:
        return [(Piece("only its lines have addresses", "dim"),), *_gap(outline)]
    rows = [
        (
            span_of_lines(*outline.lines_of(entry)),
            entry.kind,
            "  " * min(entry.depth, _DEEPEST) + visible_line(entry.label),
            typed(entry.address, one_line=True),
        )
        for entry in outline.entries
    ]
    lines, kind, label = _widths(rows, width)
    shown: list[Line] = [
        (
            Piece(f"{row[0]:>{lines}}  {pad(row[1], kind)}  ", "dim"),
            Piece(pad(row[2], label) + "  "),
            Piece(row[3], "place"),
        )
        for row in rows
    ]
    return shown + _left_out(outline) + _gap(outline)


def _widths(rows: Sequence[Sequence[str]], width: int) -> tuple[int, int, int]:
    """Columns as wide as their content; labels give way to addresses, but not for the sake of a few long ones."""
    lines, kind, label, address = (max(cells(row[column]) for row in rows) for column in range(4))
    kind = min(kind, _KIND)
    room = width - lines - kind - min(address, width // 2) - 6
    return lines, kind, min(label, max(room, _LABEL))


def _gap(outline: Outline) -> list[Line]:
    """Where the file does not parse, if what is around it may be missing."""
    if outline.gap is None:
        return []
    what = visible_line(f"line {outline.gap.line} does not parse ({outline.gap.message}): ")
    return [(Piece(what, "dim"), Piece("definitions around it may be missing here", "hint"))]


def _left_out(outline: Outline) -> list[Line]:
    """How much is not shown, and how to see it; nothing where all is shown."""
    if not outline.left_out:
        return []
    what = f"… {outline.left_out:,} of {outline.total:,} entries left out, the deepest first: "
    return [(Piece(what, "dim"), Piece("--within ADDRESS, --depth N or --limit 0 shows more", "hint"))]


def location_lines(source: Source, places: Sequence[Location]) -> Iterator[Line]:
    """Each place: address, what it is, where; then its lines, numbered, its first and last character marked."""
    for number, place in enumerate(places):
        if number:
            yield ()
        kind = "" if place.kind == "lines" else f" {place.kind},"
        yield (Piece(typed(place.address, one_line=True), "place"), Piece(f" {kind}{lines_of(place.lines)}"))
        characters = f"characters {place.span.start:,}–{place.span.end:,} ({place.span.length:,})"
        size = place.byte_span.length
        yield (Piece(f"{characters}, bytes {place.byte_span.start:,}–{place.byte_span.end:,} ({size:,})", "dim"),)
        yield from _text_lines(source, place)


def _text_lines(source: Source, place: Location) -> Iterator[Line]:
    first, last = place.lines[0] - 1, min(place.lines[1], source.table.count) - 1
    digits, count = len(str(last + 1)), last + 1 - first
    is_marked = not _is_whole(source, place)
    cut = count - _SHOWN if count > _SHOWN else 0
    for row in range(first, first + _HEAD if cut else last + 1):
        yield _row(source, place, row, digits, is_marked=is_marked)
    if cut:
        yield (Piece(f"{'…':>{digits}}  {counted(cut, 'more line')}", "dim"),)
        for row in range(first + _HEAD + cut, last + 1):
            yield _row(source, place, row, digits, is_marked=is_marked)


def _row(source: Source, place: Location, row: int, digits: int, *, is_marked: bool) -> Line:
    """One line; with `is_marked`, ⟦ and ⟧ show where the place begins and ends."""
    start, text = source.table.start(row), source.table.text(row)
    number = Piece(f"{row + 1:>{digits}}  ", "dim")
    if not is_marked:
        return (number, *head_of(text))
    begins = row == place.lines[0] - 1
    ends = row == place.lines[1] - 1
    begin = min(place.span.start - start, len(text)) if begins else 0
    end = min(place.span.end - start, len(text)) if ends else len(text)
    return (
        number,
        *head_of(text[:begin]),
        Piece("⟦" if begins else "", "place"),
        *head_of(text[begin:end]),
        Piece("⟧" if ends else "", "place"),
        *head_of(text[end:]),
    )


def _is_whole(source: Source, place: Location) -> bool:
    """Whether the place is whole lines, with or without the ending of the last one."""
    table, last = source.table, min(place.lines[1], source.table.count) - 1
    if place.span.is_empty or table.start(place.lines[0] - 1) != place.span.start:
        return False
    return table.start(last) + len(table.text(last)) <= place.span.end
