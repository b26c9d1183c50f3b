"""The same long change written in every format: how long reading and applying take, and how that grows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.patches import (
    PATH,
    Rewrite,
    functions_rewrite,
    json_edits,
    json_ranges,
    lazy,
    long_rewrite,
    search_replace,
    split_rows,
    unified,
    v4a,
    v4a_under_headers,
    whole_file,
)
from benches.table import Row, Table

_PIECE = 16  # characters: a few tokens of a model
_SMALLER = 4


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to write a long change, and the change that is written so."""

    name: str
    format: str
    write: Callable[[Sequence[Rewrite]], str]
    make: Callable[[int], Rewrite] = long_rewrite


_FORMS = (
    _Form("unified", "unified", unified),
    _Form("v4a", "v4a", v4a),
    _Form("v4a under headers", "v4a", v4a_under_headers, functions_rewrite),
    _Form("search-replace", "search-replace", search_replace),
    _Form("json, old texts", "json", json_edits),
    _Form("json, line ranges", "json", json_ranges),
    _Form("lazy", "lazy", lazy),
    _Form("whole", "whole", whole_file),
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A change of some size in one form."""

    form: _Form
    rewrite: Rewrite
    reply: str

    @property
    def label(self) -> str:
        return f"{self.form.name}, {len(self.rewrite.changes):,} edits"


def run(setting: Setting) -> Iterator[Table]:
    sizes = setting.scale.patch_hunks
    smaller = [size // _SMALLER for size in sizes]
    floor = "the reply cut at its line ends, the rows sorted by their first character"
    grown = "grown: the ratio as a multiple of the one with {:,} edits; 1 is what is linear"
    yield Table(
        f"A reply of {sizes[-1]:,} edits, read",
        floor,
        list(_rows(setting, sizes, _Read)),
        grown.format(sizes[0]),
    )
    yield Table(
        f"A reply of {smaller[-1]:,} edits, read while it arrives, {_PIECE} characters at a time",
        floor,
        list(_rows(setting, smaller, _Stream)),
        grown.format(smaller[0]),
    )
    yield Table(
        f"A reply of {sizes[-1]:,} edits, read and applied",
        floor,
        list(_rows(setting, sizes, _Apply)),
        grown.format(sizes[0]),
    )


def _rows(setting: Setting, sizes: Sequence[int], kind: Callable[[_Asked], _Work]) -> Iterator[Row]:
    """A row for each format and size; the largest says how its ratio compares with that of the smallest."""
    for form in _FORMS:
        first: float | None = None
        for size in sizes:
            rewrite = form.make(size)
            asked = _Asked(form, rewrite, form.write([rewrite]))
            setting.tell(asked.label)
            work = kind(asked)
            (row,) = compare(
                partial(split_rows, asked.reply), [Call(asked.label, work.run)], setting.scale.patch_effort
            )
            grown = f"grown ×{row.ratio / first:.2f}" if first and row.ratio else ""
            first = first or row.ratio
            remark = work.verdict() if row.value is not None else row.remark
            yield replace(row, remark="; ".join(filter(None, (remark, grown))))


class _Work(ABC):
    """One way to use a reply; it keeps what came of it, so that nobody has to ask twice."""

    def __init__(self, asked: _Asked) -> None:
        self.asked = asked

    @abstractmethod
    def run(self) -> None: ...

    @abstractmethod
    def verdict(self) -> str: ...


class _Read(_Work):
    found: sh.Patch | sh.EditError

    def run(self) -> None:
        self.found = self._read(partial(sh.read_patch, self.asked.reply))

    def verdict(self) -> str:
        return self._complaint() or f"{len(self.asked.reply) / 1e6:.1f} MB"

    def _read(self, read: Callable[[], sh.Patch]) -> sh.Patch | sh.EditError:
        try:
            return read()
        except sh.EditError as error:
            return error

    def _complaint(self) -> str:
        if isinstance(self.found, sh.EditError):
            return f"refused: {self.found.kind.value}"
        return "" if self.found.format == self.asked.form.format else f"WRONG: read as {self.found.format}"


class _Stream(_Read):
    early = 0

    def run(self) -> None:
        reply, reader = self.asked.reply, sh.PatchStream()
        pieces = (reply[start : start + _PIECE] for start in range(0, len(reply), _PIECE))
        self.early = sum(len(reader.feed(piece)) for piece in pieces)
        self.found = self._read(reader.close)

    def verdict(self) -> str:
        return self._complaint() or f"{self.early:,} edits before the end"


class _Apply(_Work):
    result: sh.Result[str]

    def run(self) -> None:
        self.result = sh.patch(self.asked.rewrite.text, self.asked.reply, path=PATH)

    def verdict(self) -> str:
        if self.result.error is not None:
            return f"refused: {self.result.error.kind.value}"
        return "applied" if self.result.text == self.asked.rewrite.after() else "WRONG TEXT"


BENCH = Bench("dialects", 72, run)
