"""What a client may read beside the tools: the diff of a record, the history of a tree and of a file.

A convenience for people who look: a tool answers all of it too. With several roots a file's path begins with
the name of its root.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.mcp.answers import render_text
from steadyhand.surfaces.mcp.options import Root, no_root
from steadyhand.surfaces.mcp.sessions import Session

if TYPE_CHECKING:
    from steadyhand.workspace.journal.record import Entry

__all__ = ["diff_uri", "latest_of_task", "list_resources", "read_resource", "templates"]

_SCHEME = "steadyhand://"
_HISTORY = f"{_SCHEME}history"
_FINDINGS = f"{_SCHEME}findings"
_DIFF = f"{_SCHEME}diff/"
_LISTED = 30
_TOLD = 100
Wire = dict[str, Any]


def templates() -> list[Wire]:
    """How resources are addressed."""
    return [
        {
            "uriTemplate": f"{_DIFF}{{id}}",
            "name": "diff",
            "title": "Diff of a record",
            "description": "What one recorded change did, as a unified diff.",
            "mimeType": "text/x-diff",
        },
        {
            "uriTemplate": f"{_HISTORY}/{{+path}}",
            "name": "file history",
            "title": "History of a file",
            "description": "The recorded changes of one file, newest first, through its renames.",
            "mimeType": "application/json",
        },
    ]


def list_resources(session: Session) -> list[Wire]:
    """The history, and the diffs of the latest records."""
    history = {
        "uri": _HISTORY,
        "name": "history",
        "title": "Recent changes",
        "description": "The latest recorded changes, newest first: who, when, what and why.",
        "mimeType": "application/json",
    }
    findings = {
        "uri": _FINDINGS,
        "name": "findings",
        "title": "Findings",
        "description": "What was reported with report_findings, in this conversation and before, oldest first.",
        "mimeType": "application/json",
    }
    reports = [findings] if session.options.mode == "analyze" or _findings(session) else []
    return [history, *reports, *(_listed(entry) for _, entry in _latest(session, _LISTED))]


def read_resource(session: Session, uri: str, most: int) -> list[Wire]:
    """The contents at a URI. Refuses with `no-such-file` what is not there."""
    if uri == _HISTORY:
        return [_json(uri, [_facts(session, root, entry) for root, entry in _latest(session, _TOLD)], most)]
    if uri == _FINDINGS:
        return [_json(uri, _findings(session), most)]
    if uri.startswith(_DIFF):
        return [_content(uri, "text/x-diff", _diff(session, unquote(uri.removeprefix(_DIFF))), most)]
    if uri.startswith(f"{_HISTORY}/"):
        root, path = _place(session, unquote(uri.removeprefix(f"{_HISTORY}/")))
        entries = session.workspace(root).history(path, limit=_TOLD)
        return [_json(uri, [_facts(session, root, entry) for entry in entries], most)]
    raise EditError(
        Kind.NO_SUCH_FILE,
        "there is no such resource",
        hint=f"{_HISTORY}, {_HISTORY}/PATH, {_FINDINGS} or {_DIFF}ID",
        details={"uri": uri[:200]},
    )


def diff_uri(record: str) -> str:
    """Where the diff of a record is read."""
    return f"{_DIFF}{record}"


def latest_of_task(session: Session, task: str | None, count: int) -> Iterator[tuple[Root, Entry]]:
    """The latest records of a task in all roots, newest first in each."""
    for root in session.roots:
        for entry in session.workspace(root).history(task=task, limit=count):
            yield root, entry


def _latest(session: Session, count: int) -> list[tuple[Root, Entry]]:
    if not session.roots:
        raise no_root()
    found = list(latest_of_task(session, None, count))
    return sorted(found, key=lambda each: each[1].record.time, reverse=True)[:count]


def _findings(session: Session) -> list[Wire]:
    return [
        _rooted(session, root, finding.to_json())
        for root in session.roots
        for finding in session.workspace(root).findings()
    ]


def _diff(session: Session, id: str) -> str:
    """The diff of a record, in whichever root it was made."""
    missing: EditError | None = None
    for root in session.roots:
        try:
            return session.workspace(root).diff_of(id)
        except EditError as error:
            missing = error
    raise missing or no_root()


def _place(session: Session, path: str) -> tuple[Root, str]:
    if len(session.roots) <= 1:
        return session.root(None), path
    name, _, rest = path.partition("/")
    return session.root(name), rest


def _listed(entry: Entry) -> Wire:
    record = entry.record
    paths = ", ".join(record.paths[:3]) + (" …" if len(record.paths) > 3 else "")
    return {
        "uri": diff_uri(record.id),
        "name": record.id,
        "title": render_text(f"{record.verb} {paths}", 200),
        "description": render_text(record.reason or f"by {record.actor}", 200),
        "mimeType": "text/x-diff",
    }


def _facts(session: Session, root: Root, entry: Entry) -> Wire:
    record = entry.record
    facts: Wire = {
        "id": record.id,
        "time": record.time,
        "actor": record.actor,
        "task": record.task,
        "tool": record.tool,
        "verb": record.verb,
        "reason": record.reason,
        "undoneBy": entry.undone_by,
        "files": [{"path": change.path, "status": change.status} for change in record.files[:_TOLD]],
        "diff": diff_uri(record.id),
    }
    return _rooted(session, root, {name: value for name, value in facts.items() if value is not None})


def _rooted(session: Session, root: Root, facts: Wire) -> Wire:
    """The facts, with the name of their root where there are several."""
    return {"root": root.name} | facts if len(session.roots) > 1 else facts


def _json(uri: str, entries: list[Wire], most: int) -> Wire:
    """As many entries as may be sent."""
    kept, room = [], most
    for entry in entries:
        room -= len(json.dumps(entry, ensure_ascii=False)) + 2
        if room < 0:
            break
        kept.append(entry)
    name = uri.removeprefix(_SCHEME).partition("/")[0]
    document: Wire = {name: kept} | ({"cut": f"{len(entries) - len(kept)} more are left out"} if room < 0 else {})
    return _content(uri, "application/json", json.dumps(document, ensure_ascii=False, indent=1), 2 * most)


def _content(uri: str, kind: str, text: str, most: int) -> Wire:
    return {"uri": uri, "mimeType": kind, "text": render_text(text, most)}
