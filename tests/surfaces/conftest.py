"""A workspace to run commands in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.surfaces.shell import Shell

NOTES = "# Notes\n\nthe cat sat\non the mat\n"
APP = "x = 1\ny = 2\nx = 1\n"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Two files, no configuration, the root as current directory, ada at the keyboard."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "notes.md").write_bytes(NOTES.encode())
    (root / "app.py").write_bytes(APP.encode())
    monkeypatch.chdir(root)
    for name in ("NO_COLOR", "COLUMNS", "STEADYHAND_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("LOGNAME", "ada")
    return Shell(root)
