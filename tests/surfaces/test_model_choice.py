"""Which toolset a model gets: options, then the host's configuration, then `steadyhand.toml`, then core.

The file in the tree may be anybody's: nothing else is read from it, and whatever is wrong with it stops nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

import steadyhand as sh
from steadyhand.errors import EditError
from steadyhand.surfaces.cli.commands.mcp import _toolset_of
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.main import cli
from steadyhand.surfaces.config import Config, choose_for, parse_config
from steadyhand.workspace.model_choices import ModelChoice, read_choices
from tests.agents.scripted_server import scripted_server
from tests.table import table

HOST = parse_config(b'[models."openai-chat:q"]\ntoolset = "gemini"\n[models.other]\ndialect = "v4a"\n', "/w")


@table(
    ("model", "host", "text", "toolset", "dialect"),
    [
        (None, HOST, '[models.q]\ntoolset = "claude"\n', "core", None),
        ("q", Config(), "", "core", None),
        ("q", Config(), '[models.q]\ntoolset = "claude"\ndialect = "unified"\n', "claude", "unified"),
        ("openai-chat:q", Config(), '[models.q]\ntoolset = "claude"\n', "claude", None),
        ("openai-chat:q", HOST, '[models."openai-chat:q"]\ntoolset = "claude"\n', "gemini", None),
        ("openai-chat:other", HOST, '[models.other]\ntoolset = "claude"\ndialect = "json"\n', "claude", "v4a"),
        ("q", Config(), '[models.q]\ntoolset = "no-such"\n', "core", None),
    ],
)
def test_the_host_goes_before_the_tree(
    model: str | None, host: Config, text: str, toolset: str, dialect: str | None, tmp_path: Path
) -> None:
    (tmp_path / "steadyhand.toml").write_text(text)
    found, warnings = choose_for(model, host, str(tmp_path))
    assert found == ModelChoice(toolset, dialect)
    assert bool(warnings) is ("no-such" in text)


@table(
    "text",
    [
        b"\xff", b"models = 3", b"[models]\nq = 3", b'[models.q]\nallow = ["**"]', b"[models.q]\ntoolset = 3", b"a = ",
        b"[" * 9_000, b"#" * 70_000, b'[models.q]\ntoolset = ""',
    ],
)  # fmt: skip
def test_a_broken_file_in_the_tree_is_a_warning(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "steadyhand.toml").write_bytes(text)
    found, warnings = choose_for("q", Config(), str(tmp_path))
    assert found.toolset == "core"
    assert len(warnings) == 1
    assert "was ignored" in warnings[0]


def test_a_link_a_pipe_and_a_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('[models.q]\ntoolset = "claude"\n')
    place = tmp_path / "steadyhand.toml"
    for make in (lambda: place.symlink_to("secret"), lambda: os.mkfifo(place), place.mkdir):
        make()
        choices, warnings = read_choices(tmp_path)
        assert choices == {}
        assert len(warnings) == 1
        place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()
    assert read_choices(tmp_path) == ({}, ())


def test_nothing_but_the_toolset_comes_from_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What opens protected paths in the host's file does nothing in the tree's."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "steadyhand.toml").write_text('allow = [".env"]\nprotect = "none"\n[models.q]\ntoolset = "claude"\n')
    result = CliRunner().invoke(cli, ["write", ".env", "--create", "--root", "."], input="A=1\n")
    assert result.exit_code != 0
    assert not (tmp_path / ".env").exists()
    with sh.Workspace(tmp_path) as ws:
        assert ws.tools("auto", model="q").toolset.name == "claude"
        assert ws.tools("auto", model="another").toolset.name == ws.tools("auto").toolset.name == "core"
        assert ws.tools("vault", model="q").toolset.name == "vault"


def test_a_toolset_of_the_host_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EditError):
        choose_for("q", parse_config(b'[models.q]\ntoolset = "clod"\n', "/w"), str(tmp_path))
    with pytest.raises(EditError):
        parse_config(b'[models.q]\ntool = "core"\n', "/w")


def test_mcp_and_agent_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STEADYHAND_MODEL", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    (tmp_path / "steadyhand.toml").write_text('[models."openai-chat:scripted"]\ntoolset = "claude-code"\n')
    roots = [str(tmp_path)]
    assert _toolset_of(Invocation(), "openai-chat:scripted", roots) == "claude-code"
    assert _toolset_of(Invocation(), "another", roots) == _toolset_of(Invocation(), None, roots) == "core"
    monkeypatch.setenv("STEADYHAND_MODEL", "openai-chat:scripted")
    assert _toolset_of(Invocation(), None, roots) == "claude-code"
    with scripted_server("Nothing to do.") as server:
        result = CliRunner().invoke(cli, ["agent", "x", "--base-url", server.url, "--root", "."])
    assert result.exit_code == 0, result.output
    names = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert names == {"Read", "Edit", "MultiEdit", "Write"}
