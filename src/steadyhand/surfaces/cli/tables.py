"""Events and articles as lines of text: JSON Lines for programs, CSV for spreadsheets. One event is one line, always.

JSON is pure ASCII, so no character of a field can end a line or act on a terminal. In CSV such characters are written
as escapes (`\\n`, `\\x1b`, `\\u2028`; a backslash as two), and a cell that a spreadsheet would take for a formula
(one that starts with `=`, `+`, `-` or `@`) gets an apostrophe in front.

Each JSON line of the trail tells in `previous` the SHA-256 of the line before it: whoever has the lines can see that
none was changed, left out or put in. The seal of the journal's row (`seq`, `checksum`, `chain`) says where it is from.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from steadyhand.session.audit_article import FIELDS
from steadyhand.surfaces.terminal import visible_line

__all__ = ["Chained", "article_rows", "json_line", "trail_rows"]

Facts = Mapping[str, object]
_FORMULA = ("=", "+", "-", "@")
_PLAIN = ("type", "seq", "time", "id", "actor", "task", "model", "tool", "toolset", "conversation", "call", "arguments")
_MORE = ("durationMs", "verb", "state", "undoneBy", "kind", "message", "reason")
_LISTED = ("paths", "statuses", "outcomes", "tiers", "lines", "reasons", "before", "after")
_SEALS = ("checksum", "chain")
TRAIL_COLUMNS = (*_PLAIN, *_MORE, *_LISTED, *_SEALS, "patch")


def json_line(facts: Facts) -> bytes:
    """One object on one line, without its newline."""
    return _json(facts).encode("ascii")


def _json(value: object) -> str:
    # DEL is the one control character JSON leaves alone; it can only be inside a string.
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("\x7f", "\\u007f")


class Chained:
    """Objects as lines, each with the digest of the line before."""

    def __init__(self) -> None:
        self.last: str | None = None

    def line(self, facts: Facts) -> bytes:
        made = json_line({**facts, "previous": self.last})
        self.last = hashlib.sha256(made).hexdigest()
        return made


def trail_rows(events: Iterable[Facts]) -> Iterator[bytes]:
    """The trail as CSV, its head first; several values are written with `; ` between them."""
    yield _row(TRAIL_COLUMNS)
    for event in events:
        files = _objects(event.get("files"))
        edits = [edit for file in files for edit in _objects(file.get("edits"))]
        cells: dict[str, object] = {name: event.get(name) for name in (*_PLAIN, *_MORE, *_SEALS)}
        cells |= {
            "paths": _joined([file.get("path") for file in files] or [event.get("path")]),
            "statuses": _joined(file.get("status") for file in files),
            "outcomes": _joined(edit.get("outcome") for edit in edits),
            "tiers": _joined(edit.get("tier") for edit in edits),
            "lines": _joined(_range(edit.get("lines")) for edit in edits) or _range(event.get("lines")),
            "reasons": _joined(edit.get("reason") for edit in edits),
            "before": _joined(file.get("before") for file in files),
            "after": _joined(file.get("after") for file in files),
            "patch": "".join(str(file.get("patch", "")) for file in files),
        }
        if event.get("type") == "note":
            cells["kind"], cells["message"] = event.get("note"), event.get("body")
        yield _row([cells[name] for name in TRAIL_COLUMNS])


def article_rows(articles: Iterable[Facts]) -> Iterator[bytes]:
    """Articles as CSV, the head first; what is not plain text is written as JSON."""
    yield _row(FIELDS)
    for article in articles:
        yield _row(article.get(name) for name in FIELDS)


def _row(cells: Iterable[object]) -> bytes:
    written = io.StringIO()
    # Quoted throughout: where a semicolon parts cells, what follows one in a text must not become a cell of its own.
    csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow([_cell(cell) for cell in cells])
    return written.getvalue()[:-1].encode("utf-8", "backslashreplace")


def _cell(value: object) -> str:
    """A value that stays on its line and is not a formula; what is not a plain value is written as JSON.

    >>> _cell("=1+1"), _cell("a\\nb"), _cell([1]), _cell(None)
    ("'=1+1", 'a\\\\nb', '[1]', '')
    """
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return _json(value)
    text = visible_line(str(value).replace("\\", "\\\\"))
    return f"'{text}" if text.startswith(_FORMULA) else text


def _objects(value: object) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", value) if isinstance(value, list) else []


def _joined(values: Iterable[object]) -> str:
    return "; ".join(str(value) for value in values if value is not None)


def _range(lines: object) -> str | None:
    return f"{lines[0]}–{lines[-1]}" if isinstance(lines, list) and lines else None
