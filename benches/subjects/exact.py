"""One exact edit in memory, Steadyhand and its peers, against finding and slicing by hand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import steadyhand as sh
from benches.bench import Bench, Setting, size_name
from benches.clock import Call, compare
from benches.peers import peer_tables
from benches.table import Row, Table
from benches.texts import code_text, find_and_slice, lines_at

_NEW = "replaced = True\n"
_PLACES = (("middle", 0.5), ("near the end", 0.98))
_BARS = {"1 KB, str, middle": "bar ×40", "1 MB, str, middle": "bar ×2", "10 MB, str, middle": "bar ×1.5"}


def run(setting: Setting) -> Iterator[Table]:
    rows: list[Row] = []
    for size in setting.scale.text_sizes:
        setting.tell(f"exact edit, {size_name(size)}")
        rows += _rows(setting, code_text(size), size_name(size))
    middle = setting.scale.text_sizes[1]
    rows += _rows(setting, code_text(middle, wide=True), f"{size_name(middle)} not ASCII")
    yield Table(
        "Exact edit in memory",
        "str.find, a second find for uniqueness, two slices; for bytes also decode before and encode after",
        rows,
        "old text: five whole lines",
    )
    if setting.with_peers:
        yield from peer_tables(setting, "edit")


def _rows(setting: Setting, text: str, name: str) -> Iterator[Row]:
    data = text.encode()
    for place, share in _PLACES:
        old = lines_at(text, share)
        edits = [sh.Replace(old, _NEW)]
        assert sh.edit(text, edits).text == find_and_slice(text, old, _NEW)
        assert sh.edit(data, edits).text == find_and_slice(text, old, _NEW).encode()
        yield from compare(
            partial(find_and_slice, text, old, _NEW),
            [Call(label := f"{name}, str, {place}", partial(sh.edit, text, edits), remark=_BARS.get(label, ""))],
            setting.scale.effort,
        )
        yield from compare(
            partial(_decode_and_slice, data, old),
            [Call(f"{name}, bytes, {place}", partial(sh.edit, data, edits))],
            setting.scale.effort,
        )


def _decode_and_slice(data: bytes, old: str) -> bytes:
    return find_and_slice(data.decode(), old, _NEW).encode()


BENCH = Bench("exact", 10, run)
