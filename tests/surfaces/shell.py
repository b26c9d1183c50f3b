"""Running the command line in a test: in process, or as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from steadyhand.surfaces.cli.main import cli

SOURCE = Path(__file__).parent.parent.parent / "src"


@dataclass(frozen=True, slots=True)
class Shell:
    """A workspace and the ways to run a command in it."""

    root: Path

    def run(self, *arguments: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(cli, arguments, input=stdin)

    def ok(self, *arguments: str, stdin: str | bytes | None = None) -> str:
        """Run what must succeed; what it printed."""
        result = self.run(*arguments, stdin=stdin)
        assert result.exit_code == 0, result.output
        return result.stdout

    def json(self, *arguments: str, stdin: str | bytes | None = None) -> dict[str, Any]:
        """Run with --json; the one document, which agrees with the exit code."""
        result = self.run("--json", *arguments, stdin=stdin)
        document = json.loads(result.stdout)
        assert document["ok"] is (result.exit_code == 0)
        assert result.stderr == ""
        return document

    def refused(self, *arguments: str, stdin: str | bytes | None = None) -> dict[str, Any]:
        """Run what must be refused, changing nothing; the error."""
        before = self.tree()
        document = self.json(*arguments, stdin=stdin)
        assert document["ok"] is False
        assert self.tree() == before
        return document["error"]

    def kind(self, *arguments: str, stdin: str | bytes | None = None) -> str:
        return self.refused(*arguments, stdin=stdin)["kind"]

    def process(self, *arguments: str, environ: dict[str, str] | None = None, **more: Any) -> subprocess.Popen[bytes]:
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), **(environ or {})}
        command = [sys.executable, "-m", "steadyhand", *arguments]
        return subprocess.Popen(command, cwd=self.root, env=environment, **{**streams, **more})

    def text(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def tree(self) -> dict[str, bytes]:
        """Every file but the journal's."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".steadyhand" not in path.parts
        }
