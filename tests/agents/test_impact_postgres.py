"""Runs in a journal on a server: the same record as in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.agents.script import ScriptedModel
from steadyhand.session.host import host_of
from tests.agents.impact_ground import FIX_LOGIN, check_nothing_else, repository, statuses

SCRIPT = {
    "docs/login.md`. The change": [
        {"tool": "edit_article", "arguments": FIX_LOGIN.arguments},
        "Three \x00 tries \ud800.",
    ],
    "docs/limits.md`. The change": [{"tool": "nothing", "arguments": {}}],
    "": [{"tool": "no_change_needed", "arguments": {"reasoning": "right as it is"}}],
}
OF_THE_DAY = ("id", "time", "seconds", "base", "head", "commits")


def answer(root: Path, journal: str | None) -> dict[str, Any]:
    repository(root)
    with sh.Workspace(root, actor="bot", journal=journal) as ws:
        record = sh.impact.run(ws, model=ScriptedModel(SCRIPT), base="HEAD~1")
        assert host_of(ws).runs.run(str(record["id"]))["articles"] == record["articles"]
        assert ws.audit("docs/login.md")["run"] == record["id"]
        assert len(host_of(ws).runs.runs()) == 1
    check_nothing_else(root, "docs/login.md")
    return dict(record)


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: timeless(each) for name, each in value.items() if name not in OF_THE_DAY}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def test_a_run_is_the_same_in_both_stores(tmp_path: Path, postgres_url: str) -> None:
    on_server = answer(tmp_path / "server", postgres_url)
    in_file = answer(tmp_path / "file", None)
    assert statuses(on_server) == {"limits.md": "failed", "login.md": "updated", "start.md": "unchanged"}
    assert timeless(on_server) == timeless(in_file)
