"""What a process loads before it does anything: counted in modules, because time depends on the machine.

The ceilings leave room for a few modules more; who needs many more should load them when they are needed.
`make bench ARGS="--only startup"` says what the same starts cost in time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.table import table

SRC = Path(__file__).parent.parent / "src"
# Slow to load, and no part of any start.
NEVER = {"asyncio", "dataclasses", "email", "inspect", "importlib.metadata", "pkgutil", "rapidfuzz", "regex"}
PARSERS = {"tree_sitter", "markdown_it", "yaml", "turbohtml", "tomllib"}
DISK = {"sqlite3", "ctypes", "socket", "subprocess", "tempfile", "psycopg"}
SURFACES = {"click", "mcp", "mcp_types", "anyio", "pydantic", "uvicorn"}
PURE = NEVER | PARSERS | DISK | SURFACES | {"hashlib", "json", "pathlib", "urllib", "uuid"}
EDIT = "import steadyhand as sh; sh.edit('a b c', [sh.Replace('b', 'd')])"
SAID = "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"

STARTS = {
    "the package": ("import steadyhand", 5, PURE | {"typing", "re", "enum"}),
    "edit": ("import steadyhand; steadyhand.edit", 62, PURE),
    "an edit of plain text": (EDIT, 100, PURE - {"hashlib"}),
    "Workspace": ("import steadyhand; steadyhand.Workspace", 80, PURE - {"pathlib"}),
}


def loaded(code: str, *arguments: str, cwd: Path) -> set[str]:
    """The modules of a process after some code that has printed them, without those of a bare interpreter."""
    environment = {"PYTHONPATH": str(SRC), "PATH": os.environ["PATH"], "HOME": str(cwd)}
    command = [sys.executable, "-c", code + SAID, *arguments]
    done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def forbidden(modules: set[str], names: set[str]) -> list[str]:
    return sorted(name for name in modules if name in names or name.partition(".")[0] in names)


@table("name", STARTS)
def test_a_start_loads_few_modules_and_none_that_it_does_not_need(name: str, tmp_path: Path) -> None:
    code, most, denied = STARTS[name]
    modules = loaded(code, cwd=tmp_path) - loaded("", cwd=tmp_path)
    assert forbidden(modules, denied) == []
    assert len(modules) <= most, sorted(modules)


COMMAND_LINE = """
import sys
sys.argv[0] = "steadyhand"
from steadyhand.surfaces.cli.main import cli
try:
    cli.main()
except SystemExit as leaving:
    assert leaving.code == 0, leaving.code
"""


def test_an_edit_from_the_command_line_loads_no_parser_and_no_tier_that_it_does_not_need(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = 2\n", encoding="utf-8")
    for old, new in (("x = 1", "x = 3"), ("x = 3", "x = 4")):  # the first makes the journal
        modules = loaded(COMMAND_LINE, "edit", "a.py", "--old", old, "--new", new, cwd=tmp_path)
    denied = (NEVER - {"inspect"}) | PARSERS | {"socket", "subprocess", "tempfile", "mcp", "anyio", "shutil"}
    assert forbidden(modules, denied) == []
    assert {name for name in modules if name.startswith("steadyhand.match.tiers.")} == {"steadyhand.match.tiers.quoted"}
    known = {name for name in modules if name.startswith(("steadyhand.tools", "steadyhand.dialects"))}
    assert known == {"steadyhand.tools", "steadyhand.tools.workspace"}  # the workspace that every command opens
    assert len(modules) <= 430, len(modules)
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == "x = 4\ny = 2\n"


GREETED = """
import json, os, sys
from steadyhand.surfaces.mcp.front import greet
from steadyhand.surfaces.mcp.launch import ServerOptions, named_roots
(reading, asking), (answers, writing) = os.pipe(), os.pipe()
client = {"name": "test", "version": "1"}
hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
for frame in (
    {"id": 1, "method": "initialize", "params": hello},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
):
    os.write(asking, json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\\n")
heard = greet(ServerOptions(roots=named_roots(["."])), reading, writing)
assert heard is not None and len(heard.answered) == 2
"""


def test_an_mcp_client_has_its_list_before_the_sdk_and_the_tools_are_loaded(tmp_path: Path) -> None:
    modules = loaded(GREETED, cwd=tmp_path)
    assert forbidden(modules, NEVER | PARSERS | DISK | SURFACES) == []
    assert not any(name.startswith(("steadyhand.session", "steadyhand.plan")) for name in modules)
    assert len(modules) <= 150, len(modules)


def test_the_mcp_command_finds_the_sdk_without_loading_it(tmp_path: Path) -> None:
    code = "from steadyhand.surfaces.cli.commands.mcp import check_installed; check_installed(needs_http=True)"
    assert forbidden(loaded(code, cwd=tmp_path), {"mcp", "uvicorn", "anyio", "pydantic", "asyncio"}) == []
