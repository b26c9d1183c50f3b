"""The pages tell the truth: generated ones are current, links lead somewhere, and every example session runs.

A `python` block of a page runs too, where its sessions left the workspace; a `print` ends in a comment that says what
it prints. How sessions are told and compared is in scripts/sessions.py.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import generate_docs, sessions

ROOT = sessions.ROOT
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("changes/*.md")])
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
TOML = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
TELLING = sorted({*sessions.pages(), *(page for page in PAGES if PYTHON.search(page.read_text(encoding="utf-8")))})
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", TELLING, ids=lambda page: page.name)
def test_the_sessions_of_a_page_answer_and_its_python_prints_what_it_says(page: Path, tmp_path: Path) -> None:
    home, workspace = sessions.furnish(tmp_path)
    env = sessions.environment(home)
    told = sessions.steps_of_page(page)
    now = sessions.run(told, workspace, env)
    assert [(step.command, sessions.normal(step.answer)) for step in now] == [
        (step.command, sessions.normal(step.answer)) for step in told
    ]
    code = "\n".join(PYTHON.findall(page.read_text(encoding="utf-8")))
    if not code:
        return
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=workspace, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    prints = re.findall(r"^\s*print\(.*\)  # (.*)$", code, re.MULTILINE)
    assert sessions.normal(done.stdout).splitlines() == [sessions.normal(line) for line in prints]


@pytest.mark.parametrize("page", [p for p in PAGES if TOML.search(p.read_text(encoding="utf-8"))], ids=lambda p: p.name)
def test_the_configuration_of_a_page_is_one_that_is_read(page: Path, tmp_path: Path) -> None:
    home, workspace = sessions.furnish(tmp_path)
    env = sessions.environment(home)
    for block in TOML.findall(page.read_text(encoding="utf-8")):
        (home / "config.toml").write_text(block, encoding="utf-8")
        command = [sys.executable, "-m", "steadyhand", "--config", str(home / "config.toml"), "log"]
        done = subprocess.run(command, cwd=workspace, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_the_tour_ends_well() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "tour.py"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_generated_pages_are_what_the_code_says() -> None:
    """In a process of its own, as `make docs` makes them: what other tests have patched is no part of the code."""
    command = [sys.executable, ROOT / "scripts" / "generate_docs.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    inside = [link.split("#")[0] for link in LINK.findall(text) if "://" not in link and not link.startswith("#")]
    assert [link for link in inside if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
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


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name not in generate_docs.PAGES], ids=lambda p: str(p.relative_to(ROOT))
)
def test_prose_has_one_sentence_per_line(page: Path) -> None:
    prose = [line for line in FENCED.sub("", page.read_text(encoding="utf-8")).splitlines() if not line.startswith("|")]
    assert [line for line in prose if re.search(r"[a-z`)][.?!] [A-Z]", line)] == []
