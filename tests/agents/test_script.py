"""A script in the place of a model: without the extra, and without a network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.agents.script import ScriptedModel, read_script
from tests.agents.impact_ground import FIX_LOGIN, check_nothing_else, repository, statuses
from tests.table import table

SOURCE = Path(__file__).parent.parent.parent / "src"
SCRIPT = {
    "docs/login.md`. The change": [{"tool": "edit_article", "arguments": FIX_LOGIN.arguments}, "Three tries now."],
    "": [{"tool": "no_change_needed", "arguments": {"reasoning": "right as it is"}}],
}


def test_a_script_plays_a_model_for_python(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo")
    record = sh.impact.run(root, model=ScriptedModel(SCRIPT), base="HEAD~1", propagate=False)
    assert statuses(record) == {"limits.md": "unchanged", "login.md": "updated"}
    check_nothing_else(root, "docs/login.md")
    with pytest.raises(sh.EditError) as refused:
        sh.impact.run(root, model=ScriptedModel(SCRIPT), docs="docs")  # type: ignore[arg-type]
    assert refused.value.kind is sh.Kind.BAD_REQUEST


def test_a_script_needs_no_extra(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo")
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    words = ["impact", "run", "--base", "HEAD~1", "--yes", "--no-propagate", "--json", "--model", f"script:{script}"]
    code = "import sys; sys.modules['pydantic_ai'] = None; from steadyhand.surfaces.cli.main import cli; cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=root, env={"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    assert statuses(json.loads(done.stdout)) == {"limits.md": "unchanged", "login.md": "updated"}


def test_without_the_extra_a_named_model_is_refused_by_its_name(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pydantic_ai'] = None\n"
        "from steadyhand.agents.model import named_model\n"
        "from steadyhand.errors import EditError\n"
        "try:\n    named_model('anthropic:x')\n"
        "except EditError as error:\n    print(error.kind, error.hint)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "not-installed pip install 'steadyhand[agent]'"


@table("value", [3, {"a": 3}, [3], [{"arguments": {}}], {"a": [None]}])
def test_what_is_no_script(value: object) -> None:
    with pytest.raises(sh.EditError) as refused:
        read_script(value)
    assert refused.value.kind is sh.Kind.BAD_REQUEST
