"""A small journal with something of everything, recorded by one version so that every later one must open it.

    python -m tests.workspace.recorded.recorder FOLDER

makes FOLDER, such as `tests/workspace/recorded/schema-2`, with

    journal.sql     the journal as SQL; its first lines set what a dump leaves out
    findings.jsonl  what a task has reported, with $root for the root
    files/          the tree as the last call left it
    expected.json   what the version that recorded it answers: history, why, diffs, conflicts, audits, undos

A recorded folder is never recorded again: it is what is on people's disks. A new schema gets a folder of its own.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.workspace import state
from steadyhand.workspace.journal.database import VERSION
from steadyhand.workspace.json_lines import FindingsFile

APP = "import os\n\n\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n\n\ndef third():\n    return 3\n"
FILES = {
    "app.txt": APP,
    "notes.md": "# Notes\n\none\ntwo\nthree\n",
    "old.md": "old\n",
    "page.md": "# Page\n\ntext\n",
    "crlf.txt": "a\r\nb\r\n",
    ".env": "TOKEN=1\n",
}
PRAGMAS = ("user_version", "application_id")


@contextmanager
def made(root: Path) -> Iterator[None]:
    """The calls whose journal is recorded; in the block a lease is held that nobody will end."""
    for name, content in FILES.items():
        (root / name).write_bytes(content.encode())
    ada = sh.Workspace(root, actor="ada", task="T-1")
    bob = sh.Workspace(root, actor="bob", task="T-2", allow=[".env"])
    with ada, bob:
        ada.read("app.txt")
        bob.read("app.txt")
        edits = [
            sh.Replace("return 1", "return 10"),
            sh.Replace("def second():\n  return 2", "def second():\n  return 20"),
        ]
        ada.edit("app.txt", edits, reason="tenfold")
        bob.edit("notes.md", [sh.Replace("two", "2", reason="digits")])
        with bob.transaction(reason="a new home") as batch:
            batch.create("docs/new.md", "# New\n")
            batch.delete("old.md")
            batch.rename("page.md", "docs/page.md")
            batch.edit("crlf.txt", [sh.Replace("b", "c")])
        bob.edit(".env", [sh.Replace("TOKEN=1", "TOKEN=2")])
        bob.chmod("docs/new.md", 0o755)
        with suppress(sh.EditError):  # a conflict that stays open
            bob.edit("app.txt", [sh.Replace("return 1", "return 11")], reason="not twice")
        ada.write("notes.md", "# Notes\n\none\n2\nthree\nfour\n", overwrite=True, reason="all of it")
        ada.edit("app.txt", [sh.Replace("    return 3\n", "    return 30\n")])
        with suppress(sh.EditError):  # and one that is dropped
            bob.edit("app.txt", [sh.Replace("    return 3\n", "    return 31\n")])
        ada.resolve(ada.conflicts()[-1].id, "drop", reason="as it is")
        undone = ada.edit("app.txt", [sh.Replace("return 30", "return 33")])
        ada.undo(undone.id, reason="a slip")
        ada.redo()
        with ada.lease("app.txt", target=(1, 1), reason="imports"):
            bob.edit("docs/page.md", [sh.Replace("text", "more text")])
        ada.record_evidence("app.txt", {"file": "spec.md", "lines": [3, 4]})
        with suppress(sh.EditError):
            ada.edit("app.txt", [sh.Replace("nowhere", "x")])
        tools = sh.Workspace(root, actor="eve", task="T-3", mode="analyze")
        with tools:
            kit = tools.tools("surgical")
            found = {"path": "app.txt", "lines": {"start": 4}, "severity": "low", "title": "no tests", "detail": "none"}
            assert kit.call("report_findings", {"findings": [found]})["success"]
        bob.end_task()
        with bob.lease("notes.md", target=(3, 4), reason="under way", seconds=3600):
            yield


def answers(root: Path) -> dict[str, Any]:
    """What the journal of a root answers; everything but the undos leaves it as it is."""
    with sh.Workspace(root, actor="ada", task="T-1") as workspace:
        answer: dict[str, Any] = {
            "history": [_entry(entry) for entry in workspace.history()],
            "diffs": {entry.record.id: workspace.diff_of(entry.record.id) for entry in workspace.history()},
            "of_a_file": [entry.record.id for entry in workspace.history("docs/page.md")],
            "of_a_task": [entry.record.id for entry in workspace.history(task="T-2")],
            "why": {name: _why(workspace, name) for name in ("app.txt", "notes.md", "docs/page.md", "crlf.txt")},
            "conflicts": [conflict.to_json() for conflict in workspace.conflicts(open_only=False)],
            "events": [[event.seq, event.type, event.id, event.paths, event.lines] for event in workspace.events()],
            "audit": workspace.audit("app.txt"),
            "articles": list(workspace.audits.articles()),
            "check": _check(workspace),
        }
        answer["undos"] = {entry.record.id: _undone(workspace, entry.record.id) for entry in workspace.history()}
        answer["undos_of_tasks"] = {task: _undone(workspace, None, task=task) for task in ("T-1", "T-2")}
        answer["leases"] = [announced.lease.id for announced in workspace.leases()]
    findings = sh.Workspace(root, read_only=True)
    with findings:
        answer["findings"] = [finding.to_json() for finding in findings.findings()]
    return json.loads(json.dumps(answer, default=_plain))


def _entry(entry: Any) -> dict[str, Any]:
    record = entry.record
    files = [[_path(file.before), _path(file.after)] for file in record.files]
    names = ("id", "time", "actor", "task", "tool", "reason", "verb", "undoes")
    return {name: getattr(record, name) for name in names} | {
        "seq": entry.seq, "state": str(entry.state), "undone_by": entry.undone_by, "files": files
    }  # fmt: skip


def _path(file: Any) -> list[Any] | None:
    return None if file is None else [file.path, file.digest, file.mode]


def _why(workspace: sh.Workspace, name: str) -> list[Any]:
    said = workspace.why_all(name)
    return [[one.line, one.text, one.origin and one.origin.record.id, one.reason, one.since] for one in said]


def _check(workspace: sh.Workspace) -> dict[str, Any]:
    report = workspace.check()
    return {
        "ok": report.ok,
        "drifted": [drift.path for drift in report.drifted],
        "files": report.files_checked,
        "records": report.records_checked,
    }


def _undone(workspace: sh.Workspace, record: str | None, **more: Any) -> Any:
    """What an undo would do, or why it is refused; nothing is written."""
    try:
        receipt = workspace.undo(record, preview=True, **more)
    except sh.EditError as error:
        return str(error.kind)
    return {"undoes": receipt.undoes, "diff": receipt.diff()}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    return dict(value) if hasattr(value, "items") else str(value)


def restore(folder: Path, root: Path) -> None:
    """A tree with its journal, as the version that recorded it left them."""
    shutil.copytree(folder / "files", root)
    for name, mode in json.loads((folder / "expected.json").read_text(encoding="utf-8"))["modes"].items():
        (root / name).chmod(mode)
    (root / ".steadyhand").mkdir(mode=0o700)
    with closing(sqlite3.connect(root / ".steadyhand" / "journal.sqlite", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript((folder / "journal.sql").read_text(encoding="utf-8"))
    for line in (folder / "findings.jsonl").read_text(encoding="utf-8").splitlines():
        report = json.loads(line)
        FindingsFile(root).add(report["task"], report["items"], most=100)


def record(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        machine = Path(scratch) / "machine-id"
        machine.write_text("0123456789abcdef0123456789abcdef\n", encoding="ascii")
        state.this_machine.__defaults__ = ((str(machine),),)  # the journal is not to name the one it was recorded on
        os.environ["XDG_STATE_HOME"] = str(Path(scratch) / "state")
        root = Path(scratch) / "root"
        root.mkdir()
        with made(root):
            _dump(root, folder)
        restore(folder, Path(scratch) / "restored")
        kept = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        expected = kept | answers(Path(scratch) / "restored")
        (folder / "expected.json").write_text(f"{json.dumps(expected, indent=1)}\n", encoding="utf-8")


def _dump(root: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root, folder / "files", ignore=shutil.ignore_patterns(".steadyhand"))
    files = [path for path in sorted((folder / "files").rglob("*")) if path.is_file()]
    modes = {path.relative_to(folder / "files").as_posix(): path.stat().st_mode & 0o777 for path in files}
    (folder / "expected.json").write_text(json.dumps({"modes": modes}), encoding="utf-8")
    with closing(sqlite3.connect(root / ".steadyhand" / "journal.sqlite")) as connection:
        settings = [f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};" for name in PRAGMAS]
        (folder / "journal.sql").write_text("\n".join([*settings, *connection.iterdump(), ""]), encoding="utf-8")
    reports = [{**report, "root": "$root"} for report in FindingsFile(root).read()]
    (folder / "findings.jsonl").write_text("".join(f"{json.dumps(report)}\n" for report in reports), encoding="utf-8")


if __name__ == "__main__":
    assert Path(sys.argv[1]).name == f"schema-{VERSION}"
    record(Path(sys.argv[1]))
