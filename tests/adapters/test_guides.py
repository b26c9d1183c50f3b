"""What the guides show of the examples is what runs in these tests, and the commands they tell are taken."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

from scripts import sessions
from steadyhand.surfaces import adapters as adapters_package
from steadyhand.surfaces.cli.commands.mcp import mcp_command
from steadyhand.surfaces.clients import clients
from tests.adapters import story
from tests.table import table

GUIDES = story.EXAMPLES.parent / "docs" / "guides"
SHOWN = re.compile(r"\]\(\.\./\.\./\.\./examples/(\w+)\.py\)\n\n```py\n(.*?)\n```", re.DOTALL)
TYPED = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
SERVER, CONFIG = "steadyhand mcp ", " --config "
NAMES = sorted(path.stem for path in story.EXAMPLES.glob("*.py"))


def shown(name: str) -> str:
    """The part of an example that a guide shows: all but what it is and how it is started."""
    text = (story.EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    return text.split("from __future__ import annotations\n\n")[1].split("\n\n\nif __name__")[0]


def servers() -> list[str]:
    """Every way to start the server that a guide of ours tells."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in sorted(GUIDES.rglob("*.md")))
    typed = [line for block in TYPED.findall(text) for line in block.splitlines()]
    answer = [line for line in typed + re.findall(r"`([^`\n]+)`", text) if line.startswith(SERVER)]
    return sorted(dict.fromkeys(answer))


def test_the_guides_show_every_example_as_it_is() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (GUIDES / "frameworks").glob("*.md"))
    assert dict(SHOWN.findall(pages)) == {name: shown(name) for name in NAMES}


def test_every_client_and_every_adapter_has_a_page_that_the_index_names() -> None:
    adapters = {path.stem for path in Path(adapters_package.__file__).parent.glob("*.py")} - {"__init__", "missing"}
    pages = {
        "clients": set(clients()),
        "frameworks": {{"claude_agent": "claude-agent-sdk"}.get(name, name.replace("_", "-")) for name in adapters},
    }
    for folder, names in pages.items():
        index = (GUIDES / folder / "README.md").read_text(encoding="utf-8")
        assert {path.stem for path in (GUIDES / folder).glob("*.md")} == {"README", *names}
        assert [name for name in names if f"]({name}.md)" not in index] == []


@table("name", NAMES)
def test_an_example_says_how_it_is_started_and_has_a_test_that_runs_it(name: str) -> None:
    text = (story.EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    assert f'python examples/{name}.py DIRECTORY "what to do"' in text
    tests = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py")]
    assert any(f'story.example("{name}")' in test for test in tests)


@table("command", [line for line in servers() if CONFIG not in line])
def test_a_server_that_a_guide_tells_to_start_has_these_options(command: str) -> None:
    words = shlex.split(command.removeprefix(SERVER).replace("CLIENT", "zed").replace("PORT", "8080"), comments=True)
    with mcp_command.make_context("mcp", words) as context:
        assert any(context.params[name] for name in ("roots", "install", "uninstall"))


@table("command", [line for line in servers() if CONFIG in line])
def test_a_configuration_that_a_guide_tells_to_print_is_printed(command: str, tmp_path: Path) -> None:
    home, workspace = sessions.furnish(tmp_path)
    done = subprocess.run(
        ["bash", "-c", command.replace("CLIENT", "claude-code")],
        cwd=workspace,
        env=sessions.environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "steadyhand" in done.stdout
