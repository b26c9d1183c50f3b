"""Promise: the pages are true. Generated ones are current, links resolve, and every example runs.

The `console` and `python` blocks of a page run in the order of the page; scripts/sessions.py says how. `make test` runs
the README and a sample of the other pages, `make sweep` all of them, and `.ci/run` does both for every change.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import generate_docs, sessions
from tests.surfaces.shell import Shell
from tests.surfaces.warm_command import warm_command
from tests.table import table

ROOT = sessions.ROOT
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("changes/*.md")])
SH = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TOML = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
TELLING = [page for page in PAGES if sessions.BLOCK.search(page.read_text(encoding="utf-8"))]
CLIENTS = [page for page in TELLING if page.parent.name == "clients"]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@table("page", [page for page in TELLING if page not in CLIENTS], ids=lambda page: page.name, every=8)
def test_every_block_of_a_page_answers_as_it_says_in_the_order_of_the_page(
    page: Path, tmp_path: Path, command: str
) -> None:
    check_blocks(page, tmp_path, command)


@table("page", CLIENTS, ids=lambda page: page.name, every=12)
def test_every_block_of_a_client_s_page_answers_as_it_says(page: Path, tmp_path: Path) -> None:
    """With the command of this environment: what is installed for a client depends on where that is."""
    check_blocks(page, tmp_path, None)


@pytest.fixture(scope="module")
def command() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="sh-") as folder, warm_command(Path(folder)) as program:
        yield program


def check_blocks(page: Path, tmp_path: Path, command: str | None) -> None:
    home, workspace = sessions.furnish(tmp_path)
    said = sessions.steps_of_page(page)
    environment = sessions.environment(home)
    if command is not None:
        program = home / "bin" / "steadyhand"
        program.unlink()  # it leads to the one of this environment, which is nobody's to write
        program.write_text(command, encoding="utf-8")
        program.chmod(0o755)
    now = sessions.run(said, workspace, environment)
    assert [(step.command, sessions.normal(step.answer)) for step in now] == [
        (step.command, sessions.normal(step.answer)) for step in said
    ]


def test_every_command_that_a_page_names_takes_the_options_it_is_given(tmp_path: Path) -> None:
    """Blocks of `sh` need a client, a model or a server, so they are not run: `--help` makes each only parse."""
    wrong = []
    for page in PAGES:
        for block in SH.findall(page.read_text(encoding="utf-8")):
            for line in block.splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] == ["steadyhand"]:
                    result = Shell(tmp_path).run(*words[1:], "--help")
                    wrong += [f"{page.name}: {line}: {result.output}"] if result.exit_code else []
                elif words[:1] == ["make"] and not re.search(rf"^{words[1]}:", MAKEFILE, re.MULTILINE):
                    wrong.append(f"{page.name}: {line}: no such target")
    assert wrong == []


@pytest.mark.sweep
def test_no_test_is_left_out_of_the_stress() -> None:
    """Most of them are marked as sweeps, which pytest leaves out by default."""
    recipe = ["make", "-n", "stress", "ARGS=--collect-only", f"BIN={Path(sys.executable).parent}"]
    command = subprocess.run(recipe, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "deselected" not in done.stdout


@table("page", [p for p in PAGES if TOML.search(p.read_text(encoding="utf-8"))], ids=lambda p: p.name)
def test_the_configuration_of_a_page_is_one_that_is_read(page: Path, tmp_path: Path) -> None:
    home, workspace = sessions.furnish(tmp_path)
    env = sessions.environment(home)
    for block in TOML.findall(page.read_text(encoding="utf-8")):
        (home / "config.toml").write_text(block, encoding="utf-8")
        command = [sys.executable, "-m", "steadyhand", "--config", str(home / "config.toml"), "log"]
        done = subprocess.run(command, cwd=workspace, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.sweep
def test_the_tour_ends_well() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "tour.py"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.sweep  # `make check` says so for every change
def test_the_generated_pages_are_what_the_code_says() -> None:
    """In a process of its own, as `make docs` makes them: what other tests have patched is no part of the code."""
    command = [sys.executable, ROOT / "scripts" / "generate_docs.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr


@table("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    inside = [link.split("#")[0] for link in LINK.findall(text) if "://" not in link and not link.startswith("#")]
    assert [link for link in inside if not (page.parent / link).exists()] == []


@table("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_to_a_heading_names_one_that_is_there(page: Path) -> None:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    wrong = []
    for link in LINK.findall(text):
        target, _, heading = link.partition("#")
        if heading and "://" not in link:
            there = (page.parent / target if target else page).read_text(encoding="utf-8")
            titles = re.findall(r"^#+ (.*)$", FENCED.sub("", there), re.MULTILINE)
            if heading not in {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}:
                wrong.append(link)
    assert wrong == []


def test_the_readme_fits_on_four_screens() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_architecture_fits_in_one_sitting() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 300


def test_the_architecture_names_every_room_and_no_module_that_is_not_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "steadyhand"
    rooms = [path.parent.name for path in package.glob("*/__init__.py")]
    assert [room for room in rooms if f"### `{room}/`" not in text] == []
    modules = {name.split("/")[-1] for name in re.findall(r"`([\w/]+\.py)`", text)}
    known = {path.name for path in [*package.rglob("*.py"), *(ROOT / "tests").glob("*.py")]}
    assert modules - known == set()


@table("page", [p for p in PAGES if p.name not in generate_docs.PAGES], ids=lambda p: str(p.relative_to(ROOT)))
def test_prose_has_one_sentence_per_line(page: Path) -> None:
    prose = [line for line in FENCED.sub("", page.read_text(encoding="utf-8")).splitlines() if not line.startswith("|")]
    assert [line for line in prose if re.search(r"[a-z`)][.?!] [A-Z]", line)] == []
