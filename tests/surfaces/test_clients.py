"""What is written into a client's configuration starts the server that was asked for, and changes nothing else."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
import yaml

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.client_setup import install, place_of, uninstall
from steadyhand.surfaces.clients import (
    SERVER,
    Client,
    Installation,
    Scope,
    Server,
    client_named,
    clients,
    from_direct_url,
    installation,
)
from tests.sampling import sample
from tests.surfaces.shell import Shell
from tests.table import table

ROOT = Path(__file__).parents[2]
NAMES = (
    *("claude-code", "cline", "codex", "continue", "copilot", "cursor"),
    *("gemini", "goose", "opencode", "qwen", "vscode", "zed"),
)
BOTH = [
    (name, scope)
    for name in NAMES
    for scope in ("project", "user")
    if scope == "user" or client_named(name).project is not None
]
# Each client in one of its files in every run, in the other file in a sweep.
SAMPLED = [
    pytest.param(name, scope, marks=[] if is_taken else pytest.mark.sweep)
    for name, scope in BOTH
    for is_taken in [client_named(name).project is None or scope == ("project", "user")[NAMES.index(name) % 2]]
]
HERE = [sys.executable, "-m", "steadyhand", "mcp"]


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own, on a machine where no program of ours is on the path."""
    made = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(made))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_HOME", "COPILOT_HOME", "CLAUDE_CONFIG_DIR", "CLINE_DIR"):
        monkeypatch.delenv(name, raising=False)
    installation.cache_clear()
    yield made
    installation.cache_clear()


@pytest.fixture
def project(shell: Shell) -> Path:
    (shell.root / ".git").mkdir()
    return shell.root


def came_from(monkeypatch: pytest.MonkeyPatch, copy: Installation, tmp_path: Path) -> None:
    """Pretend that this copy was installed otherwise, on a machine that has uv."""
    program = tmp_path / "bin" / "uvx"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setattr("steadyhand.surfaces.cli.client_setup.installation", lambda: copy)


def parsed(path: str | Path) -> Any:
    text = Path(path).read_text(encoding="utf-8")
    if str(path).endswith(".toml"):
        return tomllib.loads(text)
    return yaml.safe_load(text) if str(path).endswith((".yaml", ".yml")) else json.loads(text)


def entry_of(client: Client, document: Any) -> dict[str, Any]:
    servers = document[client.servers]
    found = next(each for each in servers if each["name"] == SERVER) if client.is_list else servers[SERVER]
    assert isinstance(found, dict)
    return found


def command_of(entry: dict[str, Any]) -> list[str]:
    program = entry.get("command", entry.get("cmd"))
    return program if isinstance(program, list) else [program, *entry["args"]]


def test_the_usual_clients_are_known() -> None:
    assert tuple(clients()) == NAMES


def test_an_unknown_client_is_refused_with_those_there_are() -> None:
    with pytest.raises(EditError) as refused:
        client_named("emacs")
    assert refused.value.kind is Kind.BAD_REQUEST
    assert "zed" in (refused.value.hint or "")


@pytest.mark.parametrize(("name", "scope"), SAMPLED)
def test_an_installed_client_starts_this_copy(name: str, scope: Scope, project: Path, shell: Shell) -> None:
    answer = shell.json("mcp", "--install", name, "--scope", scope, "--toolset", "vault")
    assert answer["changed"]
    client = client_named(name)
    command = command_of(entry_of(client, parsed(answer["file"])))
    assert command[:4] == HERE
    assert "--toolset" in command
    root = client.root if scope == "project" else None
    assert ("--root" in command) == (root is not None)
    assert root is None or command[command.index("--root") + 1] == root
    assert str(project) not in " ".join(command)


@pytest.mark.parametrize(("name", "scope"), SAMPLED)
def test_what_is_installed_twice_changes_nothing_and_is_removed_without_a_trace(
    name: str, scope: Scope, project: Path, home: Path, shell: Shell
) -> None:
    folders = [*folders_of(home), *folders_of(project)]
    answer = shell.json("mcp", "--install", name, "--scope", scope)
    assert not shell.json("mcp", "--install", name, "--scope", scope)["changed"]
    assert removed(shell, name, scope)["deleted"]
    assert not Path(answer["file"]).exists()
    assert [*folders_of(home), *folders_of(project)] == folders
    assert not shell.json("mcp", "--uninstall", name, "--scope", scope)["changed"]
    assert not (home / ".steadyhand").exists()  # it would make the whole home one workspace


def folders_of(root: Path) -> list[str]:
    """Every folder that is not the journal's or the user's state."""
    found = (str(path.relative_to(root)) for path in sorted(root.rglob("*")) if path.is_dir())
    return [path for path in found if not path.startswith((".steadyhand", ".local"))]


def removed(shell: Shell, name: str, scope: Scope) -> dict[str, Any]:
    """Take the server out, after a dry run that says the same and changes nothing."""
    call = ("mcp", "--uninstall", name, "--scope", scope)
    file = Path(shell.json(*call, "--dry-run")["file"])
    before = file.read_bytes()
    shown = shell.json(*call, "--dry-run")
    assert file.read_bytes() == before
    done = shell.json(*call)
    assert done["changed"]
    assert done["deleted"] is not file.exists()
    assert shown | {"dry_run": False} == {key: value for key, value in done.items() if key != "id"}
    return done


LITTLE = {
    ".json": (
        "",
        "{}\n",
        "{\n  // my notes\n}\n",
        '{ // my notes\n "%s": {} }',
        '{"theme": "dark"}',
        '{"%s": null}\n',
        '{"%s": {"steadyhand": {"mine": {"A": "1"}}}}\n',
    ),
    ".toml": ("", "# my notes\n", "[%s] # my notes\n", 'model = "x"\n', '[%s.steadyhand.mine]\nA = "1"\n'),
    ".yaml": ("", "# my notes\n", "%s: {} # my notes\n", "a: 1", "%s:\n", "%s:\n  steadyhand:\n    mine: 1\n"),
}
LITTLE_LISTED = ("", "# my notes\n", "%s: [] # my notes\n", "a: 1", "%s:\n  - name: steadyhand\n    mine: 1\n")


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "scope"), SAMPLED)
def test_a_file_that_has_little_is_the_same_after_an_installation_and_its_removal(
    name: str, scope: Scope, project: Path, shell: Shell
) -> None:
    client = client_named(name)
    file = Path(place_of(client, scope, str(project), os.environ).file)
    for little in sample(LITTLE_LISTED if client.is_list else LITTLE[file.suffix], 2):
        before = little.replace("%s", client.servers)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(before, encoding="utf-8")
        shell.ok("mcp", "--install", name, "--scope", scope)
        assert command_of(entry_of(client, parsed_with_comments(file)))[:4] == HERE
        assert not removed(shell, name, scope)["deleted"]
        assert file.read_text(encoding="utf-8") == before


def parsed_with_comments(file: Path) -> Any:
    if file.suffix != ".json":
        return parsed(file)
    return json.loads("\n".join(line.split("// my")[0] for line in file.read_text(encoding="utf-8").split("\n")))


@pytest.mark.parametrize(("name", "scope"), SAMPLED)
def test_what_was_added_to_an_installed_file_stays(name: str, scope: Scope, project: Path, shell: Shell) -> None:
    client = client_named(name)
    file = Path(shell.json("mcp", "--install", name, "--scope", scope)["file"])
    note = "// my notes\n" if file.suffix == ".json" else "# my notes\n"
    file.write_text(note + file.read_text(encoding="utf-8"), encoding="utf-8")
    assert not removed(shell, name, scope)["deleted"]
    after = file.read_text(encoding="utf-8")
    assert after.startswith(note)
    assert "command" not in after
    assert SERVER not in (parsed_with_comments(file) or {}).get(client.servers, {})


@pytest.mark.parametrize(("name", "scope"), SAMPLED)
def test_keys_of_others_in_the_entry_go_with_it_and_are_named(
    name: str, scope: Scope, project: Path, shell: Shell
) -> None:
    client = client_named(name)
    file = Path(shell.json("mcp", "--install", name, "--scope", scope)["file"])
    place = place_of(client, scope, str(project), os.environ)
    target = sh.Key((client.servers, 0 if client.is_list else SERVER))
    with sh.Workspace(place.root, journal=place.journal, allow=[place.path]) as ws:
        ws.edit(place.path, [sh.Act(target, "add-key", name="mine", value="A")])
    assert removed(shell, name, scope)["lost"] == ["mine"]
    assert "mine" not in file.read_text()
    assert not shell.json("mcp", "--uninstall", name, "--scope", scope)["changed"]


def test_a_file_that_others_created_is_not_deleted(project: Path, shell: Shell) -> None:
    """A clone has the file and not the journal: nothing says that the installation created it."""
    shell.ok("mcp", "--install", "claude-code")
    shutil.rmtree(project / ".steadyhand")
    assert not removed(shell, "claude-code", "project")["deleted"]
    assert parsed(project / ".mcp.json") == {"mcpServers": {}}


def test_what_is_deleted_is_said_before_and_after(project: Path, shell: Shell) -> None:
    shell.ok("mcp", "--install", "claude-code")
    shown = shell.ok("mcp", "--uninstall", "claude-code", "--dry-run")
    assert "would delete .mcp.json" in shown
    assert '-  "mcpServers": {' in shown
    assert "deleted .mcp.json" in shell.ok("mcp", "--uninstall", "claude-code")


def test_an_installation_that_was_repeated_with_other_options_is_removed(project: Path, shell: Shell) -> None:
    shell.ok("mcp", "--install", "claude-code")
    shell.ok("mcp", "--install", "claude-code", "--toolset", "vault")
    file = project / ".mcp.json"
    file.write_text(json.dumps(parsed(file), indent="\t"))  # as a client reformats it
    assert removed(shell, "claude-code", "project")["deleted"]


def test_an_environment_that_zed_was_given_stays(project: Path, shell: Shell) -> None:
    shell.ok("mcp", "--install", "zed")
    file = project / ".zed" / "settings.json"
    file.write_text(file.read_text().replace('"env": {}', '"env": {"A": "1"}'))
    assert not shell.json("mcp", "--install", "zed")["changed"]
    assert removed(shell, "zed", "project")["lost"] == ["env"]


@table("servers", ['{"mcpServers": [1, 2]}', '{"mcpServers": "x"}', '{"mcpServers": {"steadyhand": [1]}}'])
def test_servers_that_are_not_a_table_are_refused_in_the_words_of_the_file(
    servers: str, project: Path, shell: Shell
) -> None:
    (project / ".mcp.json").write_text(servers)
    refused = shell.refused("mcp", "--install", "claude-code")
    assert "is not a table" in refused["message"]
    assert "mcpServers" in refused["hint"]


def test_a_server_in_the_other_file_is_named(project: Path, shell: Shell) -> None:
    shell.ok("mcp", "--install", "codex", "--scope", "user")
    assert "config.toml has it: add --scope user" in shell.ok("mcp", "--uninstall", "codex")
    assert shell.json("mcp", "--uninstall", "codex")["installed_in"]["scope"] == "user"


def test_a_missing_client_points_to_the_help_of_the_command(shell: Shell) -> None:
    assert shell.refused("mcp", "--install")["hint"].endswith("mcp --help")


WRITTEN = {
    ".json": '{\n\t// mine\n\t"theme": "dark",\n\t"%s": {\n\t\t"other": {"command": "x"}, // keep\n\t},\n}\n',
    ".toml": '# mine\nmodel = "x"\n\n[%s.other]\ncommand = "y" # keep\n\n[projects."/a"]\ntrust_level = "trusted"\n',
    ".yaml": "a: 1 # mine\n%s:\n  other:\n    enabled: true\nb: [2]\n",
}
LISTED = (
    "name: Local\nmodels:\n  - name: a # keep\n    provider: openai\nmcpServers:\n  - name: other\n    command: x\n"
)


@pytest.mark.parametrize(("name", "scope"), SAMPLED)
def test_a_configuration_that_is_there_keeps_every_other_byte(
    name: str, scope: Scope, project: Path, shell: Shell
) -> None:
    client = client_named(name)
    file = Path(place_of(client, scope, str(project), os.environ).file)
    before = LISTED if client.is_list else WRITTEN[file.suffix] % client.servers
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(before, encoding="utf-8")
    shown = shell.json("mcp", "--install", name, "--scope", scope, "--dry-run")
    assert shown["diff"]
    assert file.read_text(encoding="utf-8") == before
    shell.ok("mcp", "--install", name, "--scope", scope)
    after = file.read_text(encoding="utf-8")
    assert not [row for row in unified_diff(before.splitlines(), after.splitlines(), n=0) if row[:1] == "-"][1:], after
    shell.ok("mcp", "--uninstall", name, "--scope", scope)
    assert file.read_text(encoding="utf-8") == before


def test_what_a_person_added_to_the_entry_stays(project: Path) -> None:
    file = project / ".mcp.json"
    file.write_text('{"mcpServers": {"steadyhand": {"command": "old", "env": {"A": "1"}}}}\n')
    client = client_named("claude-code")
    place = place_of(client, "project", str(project), {})
    install(client, "project", place, ["steadyhand", "mcp"])
    assert parsed(file)["mcpServers"]["steadyhand"] == {"command": "steadyhand", "env": {"A": "1"}, "args": ["mcp"]}


def typed(line: str) -> list[str]:
    """The words of a command as a shell hands them over."""
    return [os.path.expanduser(word) for word in shlex.split(line.splitlines()[0])]


def test_an_installation_is_a_record_that_can_be_undone(project: Path, home: Path, shell: Shell) -> None:
    (home / ".codex").mkdir()
    file = home / ".codex" / "config.toml"
    file.write_text('model = "x"\n')
    answer = shell.ok("mcp", "--install", "codex", "--scope", "user")
    command = typed(answer.split("undo with: ")[1])
    undone = shell.ok(*command[1:])
    assert file.read_text() == 'model = "x"\n'
    shell.ok(*typed(undone.split("redo with: ")[1])[1:])
    assert "steadyhand" in file.read_text()


def test_a_configuration_that_cannot_be_read_is_refused_and_stays(project: Path, shell: Shell) -> None:
    (project / ".mcp.json").write_text('{"mcpServers": ')
    refused = shell.refused("mcp", "--install", "claude-code")
    assert refused["kind"] == "unparsable"
    assert (project / ".mcp.json").read_text() == '{"mcpServers": '


def test_only_the_one_protected_file_is_opened(project: Path) -> None:
    client = client_named("gemini")
    place = place_of(client, "project", str(project), {})
    install(client, "project", place, ["steadyhand", "mcp"])
    with sh.Workspace(project) as ws, pytest.raises(EditError) as refused:
        ws.write(".gemini/settings.json", "{}")
    assert refused.value.kind is Kind.PROTECTED_PATH
    assert uninstall(client, "project", place).receipt is not None


def test_a_client_without_project_files_says_so(project: Path, shell: Shell) -> None:
    assert "--scope user" in shell.refused("mcp", "--install", "cline", "--scope", "project")["hint"]


@pytest.mark.parametrize(
    ("described", "command"),
    [
        (None, ["uvx", "--from", "steadyhand[mcp]", "steadyhand"]),
        (
            {"url": "https://host/steadyhand.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            ["uvx", "--from", "steadyhand[mcp] @ git+https://host/steadyhand.git@abc", "steadyhand"],
        ),
        ({"url": "file:///srv/steadyhand", "dir_info": {"editable": True}}, HERE[:3]),
        ({"url": "file:///srv/steadyhand-0.1.0-py3-none-any.whl", "archive_info": {}}, HERE[:3]),
    ],
)
def test_uvx_starts_only_what_it_can_fetch(
    described: dict[str, object] | None,
    command: list[str],
    tmp_path: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    shell: Shell,
) -> None:
    copy = Installation("steadyhand", is_fetched=True) if described is None else from_direct_url(described)
    came_from(monkeypatch, copy, tmp_path)
    answer = shell.json("mcp", "--config", "cursor")
    assert answer["command"][: len(command)] == command
    assert ("warnings" in answer) == (command[0] != "uvx")


def test_a_copy_on_the_path_is_called_by_its_name_in_a_file_that_others_share(
    project: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)
    shell.ok("mcp", "--install", "claude-code")
    entry = parsed(project / ".mcp.json")["mcpServers"]["steadyhand"]
    assert entry == {"command": "steadyhand", "args": ["mcp", "--root", "${CLAUDE_PROJECT_DIR:-.}"]}


def test_without_the_extra_nothing_is_configured(project: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setattr("steadyhand.surfaces.cli.client_setup.find_spec", lambda name: None)
    refused = shell.refused("mcp", "--install", "claude-code")
    assert refused["kind"] == "not-installed"
    assert "[mcp]" in refused["hint"]
    assert not (project / ".mcp.json").exists()


@pytest.mark.parametrize(("name", "scope"), SAMPLED)
def test_what_is_printed_is_one_block_for_each_file(name: str, scope: Scope, project: Path, shell: Shell) -> None:
    answer = shell.json("mcp", "--config", name, "--scope", scope)
    places = [section["place"] for section in answer["sections"]]
    assert len(places) == len(set(places))
    shown = shell.ok("mcp", "--config", name, "--scope", scope)
    for section in answer["sections"]:
        assert f"\n\n{section['text']}\n" in shown
        if section["place"].endswith(".json"):
            json.loads(section["text"])
        if section["place"].endswith(".toml"):
            tomllib.loads(section["text"])


@table("name", NAMES)
def test_every_client_says_how_edits_with_other_tools_are_recorded(name: str) -> None:
    answer = client_named(name).sections(Server(("steadyhand", "mcp")))
    assert any("steadyhand observe" in section.text for section in answer)


def test_hooks_name_the_client_and_every_root() -> None:
    server = Server(("steadyhand", "mcp"), ("/srv/a tree", "/srv/b"), "/var/journal")
    (section,) = client_named("claude-code").sections(server)
    (hook,) = json.loads(section.text)["hooks"]["PostToolUse"]
    more = ["--journal", "/var/journal", "--hook", "--client", "claude-code"]
    assert [shlex.split(each["command"]) for each in hook["hooks"]] == [
        ["steadyhand", "observe", "--root", root, *more] for root in server.roots
    ]
    plugin = client_named("opencode").sections(server)[-1].text
    assert 'of ["/srv/a tree", "/srv/b"]) ' in plugin
    assert '`steadyhand observe --root ${root} --journal ${"/var/journal"} --client opencode ${file}`' in plugin


def test_a_configuration_file_in_the_place_of_a_client_is_refused_with_where_it_goes(shell: Shell) -> None:
    assert "steadyhand --config FILE mcp" in shell.refused("mcp", "--config", "host.toml")["message"]


@pytest.mark.parametrize("journal", ["postgresql://ada:hush@db/journal", "postgresql://db/journal?password=hush"])
def test_what_is_written_holds_no_secret(journal: str, project: Path, shell: Shell) -> None:
    secret = ("--token", "hush", "--journal", journal, "--http", "8765")
    answer = shell.json("mcp", "--root", ".", *secret, "--deadline", "5", "--config", "zed", "--scope", "user")
    assert "hush" not in json.dumps(answer)
    assert answer["command"][-2:] == ["--deadline", "5"]
    assert len(answer["warnings"]) == 2


def test_roots_that_are_given_are_written_as_the_file_needs_them(project: Path, shell: Shell) -> None:
    (project / "site").mkdir()
    shared = shell.json("mcp", "--root", "site", "--config", "vscode")["command"]
    assert shared[-1] == "${workspaceFolder}/site"
    own = shell.json("mcp", "--root", "site", "--config", "vscode", "--scope", "user")["command"]
    assert own[-1] == str(project / "site")


def test_the_file_is_in_the_project_that_the_root_names(
    project: Path, tmp_path_factory: pytest.TempPathFactory, shell: Shell
) -> None:
    inner, other = project / "site", tmp_path_factory.mktemp("other")
    inner.mkdir()
    (other / ".git").mkdir()
    for call, folder, root in (
        (("mcp", "--root", "site"), project, "${workspaceFolder}/site"),
        (("--root", "site", "mcp"), inner, "${workspaceFolder}"),
        (("mcp", "--root", str(other)), other, "${workspaceFolder}"),
    ):
        file = folder / ".vscode" / "mcp.json"
        answer = shell.ok(*call, "--install", "vscode")
        assert command_of(entry_of(client_named("vscode"), parsed(file)))[-1] == root
        shell.ok(*typed(answer.split("undo with: ")[1])[1:])
        assert not file.exists()


def test_a_shared_file_with_a_folder_of_this_machine_has_a_warning(project: Path, shell: Shell) -> None:
    answer = shell.json("mcp", "--root", ".", "--root", "/srv", "--config", "cursor")
    assert any("/srv is outside the project" in warning for warning in answer["warnings"])


def test_the_registry_entry_fits_the_package() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert entry["version"] == project["version"] == entry["packages"][0]["version"]
    assert entry["packages"][0]["identifier"] == project["name"]
    assert len(entry["description"]) <= 100
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")
