"""Records for tests of the journal, and a way to change a journal behind its back."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import digest_of
from steadyhand.text.splice import Splice
from steadyhand.workspace.journal.record import (
    EditNote,
    FileChange,
    FileState,
    Lease,
    Party,
    Record,
    Staging,
    State,
    Verb,
    new_record_id,
    utc_now,
)
from steadyhand.workspace.journal.store import Journal

ROOT = Path(__file__).parents[3]
STAGING = Staging("machine-1", 4711, (("docs/a.md", "docs/.tmp-1"),), ("docs/a.md",))


def state(path: str, content: bytes, mode: int = 0o644) -> FileState:
    return FileState(path, digest_of(content), mode)


def edited(path: str, before: bytes = b"one\n", after: bytes = b"two\n") -> FileChange:
    changes = ChangeSet((Splice(0, before.decode(), after.decode()),), digest_of(before))
    note = EditNote("clearer", "exact", 1.0, (1, 1), (0,))
    return FileChange(state(path, before), state(path, after), changes, Encoding(chosen_by="journal"), (note,))


def record(
    *files: FileChange,
    actor: str = "agent-7",
    task: str | None = "T-1",
    verb: Verb = "edit",
    undoes: tuple[str, ...] = (),
    time: str | None = None,
    id: str | None = None,
) -> Record:
    when = time or utc_now()
    return Record(
        id or new_record_id(), when, actor, task, "edit", "why not", verb, undoes, files or (edited("docs/a.md"),)
    )


def commit(journal: Journal, made: Record, images: dict[str, bytes] | None = None) -> Record:
    journal.prepare(made, STAGING, images or {})
    journal.settle(made.id, State.COMMITTED)
    return made


def lease(
    id: str = "L-1", path: str = "docs/a.md", party: Party | None = None, seconds: float | None = None, **more: object
) -> Lease:
    holder = party or Party("agent-7", "T-1")
    return Lease(id, holder, path, utc_now(), "about to rewrite", seconds=seconds, **more)  # type: ignore[arg-type]


def image_of(*contents: bytes) -> dict[str, bytes]:
    return {digest_of(content): content for content in contents}


PREFACE = """
import os, sys, signal
from pathlib import Path
from steadyhand.workspace.journal.store import open_journal
from tests.workspace.journal.sample_records import STAGING, commit, image_of, lease, record
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Another process, with the journal and the makers of records at hand."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", PREFACE + script, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    process = start(script, *arguments)
    said, complained = process.communicate(timeout=300)
    return subprocess.CompletedProcess(process.args, process.returncode, said, complained)


def until(true: Callable[[], object], what: str) -> None:
    """Wait for something that takes a moment; it fails only where it never comes."""
    deadline = time.monotonic() + 300
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def behind_its_back(folder: Path, *statements: tuple[str, tuple[object, ...]]) -> None:
    """Change the database past its triggers, and leave its tables as they were defined."""
    connection = sqlite3.connect(folder / "journal.sqlite", isolation_level=None)
    try:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement, values in statements:
            connection.execute(statement, values)
        for _, sql in triggers:
            connection.execute(sql)
    finally:
        connection.close()
