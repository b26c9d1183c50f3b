"""What is pasted into a client's configuration is well formed and starts the server that was asked for."""

from __future__ import annotations

import json
import os
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.clients import OBSERVE, PROGRAM, SERVER, Section, Server, client_named, clients
from tests.surfaces.shell import Shell

ROOT = Path(__file__).parents[2]
COMMAND = (*PROGRAM, "mcp", "--root", "/srv/a tree")
PASTED = Server(COMMAND, ("/srv/a tree",))
NAMES = ("claude-code", "codex", "cursor", "opencode", "vscode", "zed")


def sections(name: str) -> dict[str, Section]:
    return {section.place: section for section in client_named(name).sections(PASTED)}


def test_the_usual_clients_are_known() -> None:
    assert tuple(clients()) == NAMES


def test_an_unknown_client_is_refused_with_those_there_are() -> None:
    with pytest.raises(EditError) as refused:
        client_named("emacs")
    assert refused.value.kind is Kind.BAD_REQUEST
    assert "zed" in (refused.value.hint or "")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_pasted_is_well_formed(name: str) -> None:
    for section in client_named(name).sections(PASTED):
        assert section.title
        if ".json" in section.place:
            json.loads(section.text)
        if ".toml" in section.place:
            tomllib.loads(section.text)


@pytest.mark.parametrize("name", NAMES)
def test_every_client_says_how_to_turn_its_own_tools_off_and_how_to_record_past_edits(name: str) -> None:
    told = client_named(name).sections(PASTED)
    assert any("own edit" in section.title for section in told)
    assert any("past Steadyhand" in section.title and "steadyhand observe" in section.text for section in told)


@pytest.mark.parametrize(
    ("name", "place", "path"),
    [
        ("claude-code", ".mcp.json", ("mcpServers", SERVER)),
        ("cursor", ".cursor/mcp.json", ("mcpServers", SERVER)),
        ("vscode", ".vscode/mcp.json", ("servers", SERVER)),
    ],
)
def test_the_command_is_split_into_program_and_arguments(name: str, place: str, path: tuple[str, ...]) -> None:
    found = json.loads(sections(name)[place].text)
    for step in path:
        found = found[step]
    assert (found["command"], *found["args"]) == COMMAND


def test_codex_has_a_table_and_opencode_one_array() -> None:
    table = tomllib.loads(sections("codex")["~/.codex/config.toml or .codex/config.toml"].text)["mcp_servers"][SERVER]
    assert (table["command"], *table["args"]) == COMMAND
    told = client_named("opencode").sections(PASTED)
    assert tuple(json.loads(told[0].text)["mcp"][SERVER]["command"]) == COMMAND


def test_a_terminal_line_is_quoted() -> None:
    line = sections("claude-code")["a terminal"].text
    assert shlex.split(line)[-len(COMMAND) :] == list(COMMAND)


def test_edits_past_the_server_are_recorded_where_it_works() -> None:
    server = Server(COMMAND, ("/srv/a tree", "/srv/b"), "/var/journal")
    told = [section.text for section in client_named("claude-code").sections(server) if "hooks" in section.text]
    (hook,) = json.loads(told[0])["hooks"]["PostToolUse"]
    assert [shlex.split(each["command"]) for each in hook["hooks"]] == [
        [*OBSERVE, "--root", root, "--journal", "/var/journal", "--hook"] for root in server.roots
    ]
    plugin = client_named("opencode").sections(server)[-1].text
    assert 'of ["/srv/a tree", "/srv/b"]) ' in plugin
    assert '`uvx steadyhand observe --root ${root} --journal ${"/var/journal"} ${file}`' in plugin


def test_the_registry_entry_fits_the_package() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert entry["version"] == project["version"] == entry["packages"][0]["version"]
    assert entry["packages"][0]["identifier"] == project["name"]
    assert len(entry["description"]) <= 100
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def uvx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has uv."""
    program = tmp_path / "bin" / "uvx"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)


@pytest.mark.parametrize("name", NAMES)
def test_without_uv_what_is_installed_here_is_started(
    name: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    told = shell.json("mcp", "--root", ".", "--config", name)
    assert told["command"][:4] == [sys.executable, "-m", "steadyhand", "mcp"]
    assert "uvx" not in json.dumps(told["sections"])
    assert "installed on this machine" in told["warnings"][0]


@pytest.mark.usefixtures("uvx")
@pytest.mark.parametrize("name", NAMES)
def test_the_command_line_prints_what_to_paste(name: str, shell: Shell) -> None:
    told = shell.json("mcp", "--root", "a tree", "--toolset", "vault", "--mode", "analyze", "--config", name)
    assert told["client"] == name
    root = os.path.abspath("a tree")
    assert told["command"] == [*PROGRAM, "mcp", "--root", root, "--toolset", "vault", "--mode", "analyze"]
    shown = shell.ok("mcp", "--root", "a tree", "--config", name)
    for section in client_named(name).sections(Server((*PROGRAM, "mcp", "--root", root), (root,))):
        assert section.text in shown


def test_a_configuration_file_in_the_place_of_a_client_is_told_where_it_goes(shell: Shell) -> None:
    assert "steadyhand --config FILE mcp" in shell.refused("mcp", "--config", "host.toml")["message"]


@pytest.mark.usefixtures("uvx")
@pytest.mark.parametrize("journal", ["postgresql://ada:hush@db/journal", "postgresql://db/journal?password=hush"])
def test_what_is_pasted_holds_no_secret(journal: str, shell: Shell) -> None:
    secret = ("--token", "hush", "--journal", journal, "--http", "8765")
    told = shell.json("mcp", "--root", ".", *secret, "--deadline", "5", "--config", "zed")
    assert "hush" not in json.dumps(told)
    assert told["command"][-2:] == ["--deadline", "5"]
    assert len(told["warnings"]) == 2


@pytest.mark.usefixtures("uvx")
def test_what_is_pasted_finds_its_files_from_anywhere(shell: Shell) -> None:
    (shell.root / "host.toml").write_text('actor = "ada"\n')
    told = shell.json("--config", str(shell.root / "host.toml"), "mcp", "--journal", "a@b", "--config", "zed")
    head = [*PROGRAM, "--config", str(shell.root / "host.toml"), "mcp"]
    assert told["command"][: len(head)] == head
    assert told["command"][-2:] == ["--journal", os.path.abspath("a@b")]
    assert "warnings" not in told
