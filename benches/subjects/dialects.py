"""The same long change written in every format: how long reading and applying take, and how that grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.patches import (
    PATH,
    Rewrite,
    json_edits,
    long_rewrite,
    search_replace,
    split_rows,
    unified,
    v4a,
    whole_file,
)
from benches.table import Row, Table

_PIECE = 16  # characters: a few tokens of a model
Write = Callable[[Sequence[Rewrite]], str]
_WRITERS: dict[str, Write] = {
    "unified": unified,
    "v4a": v4a,
    "search-replace": search_replace,
    "json": json_edits,
    "whole": whole_file,
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A change of some size in one format."""

    format: str
    rewrite: Rewrite
    reply: str

    @property
    def label(self) -> str:
        return f"{self.format}, {len(self.rewrite.changes):,} edits"


def run(setting: Setting) -> Iterator[Table]:
    sizes = setting.scale.patch_hunks
    largest = f"{sizes[-1]:,}"
    rewrites = [long_rewrite(size) for size in sizes]
    asked = [[_Asked(name, rewrite, write([rewrite])) for rewrite in rewrites] for name, write in _WRITERS.items()]
    floor = "the reply cut at its line ends, the rows sorted by their first character"
    yield Table(
        f"A reply of {largest} edits read, whichever its format",
        floor,
        [row for sized in asked for row in _growing(setting, sized, _reading)],
        f"grown: the ratio as a multiple of that with {sizes[0]:,} edits; 1 is what is linear",
    )
    yield Table(
        f"A reply of {largest} edits read while it arrives, {_PIECE} characters at a time",
        floor,
        [row for sized in asked for row in _growing(setting, sized, _streaming)],
    )
    yield Table(
        f"A reply of {largest} edits applied",
        floor,
        [row for sized in asked for row in _growing(setting, sized, _applying)],
        f"each to a file of {len(rewrites[-1].before):,} lines; {len(rewrites[0].before):,} where it has fewer edits",
    )


def _growing(setting: Setting, sized: Sequence[_Asked], make: Callable[[_Asked], Call]) -> Iterator[Row]:
    """A row for each size; the largest says how its ratio compares with that of the smallest."""
    first: float | None = None
    for asked in sized:
        setting.tell(asked.label)
        (row,) = compare(partial(split_rows, asked.reply), [make(asked)], setting.scale.patch_effort)
        if first and row.ratio:
            notes = (row.remark, f"grown ×{row.ratio / first:.2f}")
            row = replace(row, remark="; ".join(filter(None, notes)))
        first = first or row.ratio
        yield row


def _reading(asked: _Asked) -> Call:
    def read() -> sh.Patch | sh.EditError:
        return _answer(partial(sh.read_patch, asked.reply))

    return Call(asked.label, read, remark=_told(asked, read()) or f"{len(asked.reply) / 1e6:.1f} MB")


def _streaming(asked: _Asked) -> Call:
    reply = asked.reply
    pieces = [reply[start : start + _PIECE] for start in range(0, len(reply), _PIECE)]
    early = [0]

    def stream() -> sh.Patch | sh.EditError:
        reader = sh.PatchStream()
        early[0] = sum(len(reader.feed(piece)) for piece in pieces)
        return _answer(reader.close)

    return Call(asked.label, stream, remark=_told(asked, stream()) or f"{early[0]:,} edits before the end")


def _answer(read: Callable[[], sh.Patch]) -> sh.Patch | sh.EditError:
    try:
        return read()
    except sh.EditError as error:
        return error


def _told(asked: _Asked, found: sh.Patch | sh.EditError) -> str:
    """What is not as it should be."""
    if isinstance(found, sh.EditError):
        return f"refused: {found.kind.value}"
    return "" if found.format == asked.format else f"WRONG: read as {found.format}"


def _applying(asked: _Asked) -> Call:
    text = asked.rewrite.text
    return Call(asked.label, partial(sh.patch, text, asked.reply, path=PATH), remark=_result(asked, text))


def _result(asked: _Asked, text: str) -> str:
    result = sh.patch(text, asked.reply, path=PATH)
    if result.error is not None:
        return f"refused: {result.error.kind.value}"
    return "applied" if result.text == asked.rewrite.after() else "WRONG TEXT"


BENCH = Bench("dialects", 72, run)
