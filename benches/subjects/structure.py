"""One place of a large file found and changed by structure, against the parser alone; many edits; peers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import steadyhand as sh
from benches.bench import Bench, Setting, size_name
from benches.clock import Call, compare
from benches.documents import (
    ADDED,
    Document,
    Spot,
    chapter_name,
    documents,
    method_name,
    service_name,
    topic_name,
    verdict,
)
from benches.parsers import FLOOR, parser_of
from benches.peers import peer_tables
from benches.table import Row, Table
from steadyhand.plan.edit import Edit
from steadyhand.structure.config.json_reader import read_text
from steadyhand.structure.format import Format, format_of

_UNGUARDED = sh.Policy(guards=frozenset())
_SNAPSHOT = sh.Policy(batch="snapshot")


def run(setting: Setting) -> Iterator[Table]:
    scale = setting.scale
    size, small = scale.structure_size, scale.structure_batch_size
    yield Table(
        f"One place found and changed by structure, {size_name(size)}",
        FLOOR,
        [row for document in documents(size) for row in _one_edit(setting, document)],
        "every edit leaves every other byte as it is",
    )
    yield Table(
        f"{scale.structure_edits} places changed by structure in one call, {size_name(small)}",
        "the same call with one edit",
        [row for document in documents(small) for row in _many_edits(setting, document)],
        "edits in random order; sequential unless the row says otherwise",
    )
    if setting.with_peers:
        yield from peer_tables(setting, "structure")


def _one_edit(setting: Setting, document: Document) -> Iterator[Row]:
    setting.tell(f"{document.format}, {len(document.text):,} characters")
    spot, written = document.middle, _format(document)
    asked = edit_of(document, spot)
    name, text, path = document.format, document.text, document.path
    calls: list[Call | _Work] = [
        Call(f"{name}, sh.outline", partial(sh.outline, text, path=path)),
        Call(f"{name}, sh.locate", partial(sh.locate, text, asked.target, path=path)),  # type: ignore[arg-type]
        _Work(f"{name}, sh.edit, {_verb(asked)}", document, [spot]),
        _Work(f"{name}, … without guards", document, [spot], _UNGUARDED),
    ]
    if written.fault is not None:
        fault = written.fault
        calls.append(Call(f"{name}, the syntax guard alone", lambda: fault(sh.Source.of_text(text, path=path))))
    if name == "JSON":
        calls += [
            Call("JSON, the scanner alone", lambda: read_text(sh.Source.of_text(text, path=path))),
            _json_peer(document),
        ]
    yield from _compare(setting, partial(parser_of(name), text), calls)


def _many_edits(setting: Setting, document: Document) -> Iterator[Row]:
    spots = document.spread(setting.scale.structure_edits)
    many = f"{document.format}, {len(spots)} edits"
    setting.tell(many)
    works = [_Work(many, document, spots), _Work(f"{many}, snapshot", document, spots, _SNAPSHOT)]
    yield from _compare(setting, _Work("floor", document, spots[:1]).run, works)


class _Work:
    """Some places changed in one call; it keeps what came of it, so that nobody has to ask twice."""

    result: sh.Result[str]

    def __init__(self, label: str, document: Document, spots: Sequence[Spot], policy: sh.Policy | None = None) -> None:
        self.label = label
        self._document, self._spots, self._policy = document, spots, policy
        self._edits = [edit_of(document, spot) for spot in spots]

    def run(self) -> None:
        self.result = sh.edit(self._document.text, self._edits, path=self._document.path, policy=self._policy)

    def verdict(self) -> str:
        if self.result.error is not None:
            return f"refused: {self.result.error.kind.value}"
        return "applied" if self.result.text == self._document.after(self._spots) else "WRONG TEXT"


def _compare(setting: Setting, floor: Callable[[], object], calls: Sequence[Call | _Work]) -> Iterator[Row]:
    """The rows, those of edits with what became of the edit."""
    timed = [call if isinstance(call, Call) else Call(call.label, call.run) for call in calls]
    for call, row in zip(calls, compare(floor, timed, setting.scale.structure_effort), strict=True):
        yield replace(row, remark=call.verdict()) if isinstance(call, _Work) and row.value is not None else row


def edit_of(document: Document, spot: Spot) -> Edit:
    """The edit of one place, addressed as its format is."""
    number = spot.number
    match document.format:
        case "HTML":
            return sh.Act(sh.Selector(f"#card-{number} .price"), "set-text", value=f"sold out, no {number}")
        case "Markdown":
            path = f"{chapter_name(number)} > {topic_name(number)}"
            return sh.Insert(sh.Heading(path), f"{ADDED}\n", where="end")
        case "Python":
            return sh.Replace(sh.Symbol(".".join(method_name(number)), part="body"), "return []\n")
        case "TypeScript":
            return sh.Replace(sh.Symbol(method_name(number)[1], part="body"), "return [];\n")
        case _:
            return sh.Act(sh.Key(f"services.{service_name(number)}.replicas"), "set-key", value=0)


def _verb(edit: Edit) -> str:
    match edit:
        case sh.Act():
            return edit.name
        case sh.Insert():
            return "end of a section"
        case _:
            return "body of a method"


def _format(document: Document) -> Format:
    found = format_of(document.path)
    assert found is not None
    return found


def _json_peer(document: Document) -> Call:
    """What a program does that has no peer to ask: it needs no environment of its own, so it is measured here."""
    work: Callable[[], str] = partial(_load_and_dump, document)
    return Call("JSON, json.loads and json.dumps", work, remark=verdict(document, work()))


def _load_and_dump(document: Document) -> str:
    data = json.loads(document.text)
    data["services"][service_name(document.middle.number)]["replicas"] = 0
    return json.dumps(data, indent=2) + "\n"


BENCH = Bench("structure", 74, run)
