"""What this machine offers: facts for `doctor`. Reads, never decides."""

from __future__ import annotations

import ctypes
import importlib.util
import platform
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from steadyhand.errors import EditError
from steadyhand.workspace.location import repo_id

if TYPE_CHECKING:
    from steadyhand.workspace.store import Store

_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_VERSION = 1
_PARTS = ("click", "markdown_it", "psycopg", "rapidfuzz", "tree_sitter", "turbohtml", "yaml")


def describe(store: Store) -> dict[str, object]:
    """Facts by name; every value is plain data."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "root": store.sandbox.root,
        "resolver": store.sandbox.resolver,
        "openat2": store.sandbox.resolver == "openat2",
        "landlock": landlock_abi(),
        "sqlite": sqlite3.sqlite_version,
        "parts": {name: importlib.util.find_spec(name) is not None for name in _PARTS},
        "mount_points": list(store.sandbox.mount_points()),
        "read_only": store.read_only,
        "journal": describe_journal(store),
        "warnings": list(store.warnings),
    }


def landlock_abi() -> int | None:
    """The version of Landlock this kernel has; None where it has none."""
    if not sys.platform.startswith("linux"):
        return None
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    version = syscall(
        ctypes.c_long(_LANDLOCK_CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint32(_LANDLOCK_VERSION)
    )
    return int(version) if version > 0 else None


def describe_journal(store: Store) -> dict[str, object]:
    """Where the journal is kept, how much it holds, and the names of tree and repository. No password is shown."""
    kind = "SQLite" if store.location.url is None else "PostgreSQL"
    names = {"root_id": store.location.root_id(), "repo_id": repo_id(Path(store.sandbox.root))}
    if not store.state.exists:
        return {
            "state": "none yet; the first change makes it",
            "store": kind,
            "location": store.location.shown,
            **names,
        }
    try:
        stats = store.journal.stats()
    except EditError as error:
        return {"state": "unusable", "store": kind, "location": store.location.shown, **names, "error": error.to_json()}
    return {
        "state": "in use",
        "store": kind,
        "location": store.journal.location,
        **names,
        "records": stats.records,
        "images": stats.images,
        "bytes": stats.file_bytes,
        "oldest": stats.oldest,
        "newest": stats.newest,
        "pending": [intent.id for intent in store.state.intents(sweep=not store.read_only)],
    }
