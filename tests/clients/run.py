"""`make clients`: every client from npm, set up with `mcp --install`, works through a script with a model of ours.

Each has a home and a project of its own. The script lists the tools, makes an edit that lands, one that is refused,
its corrected call, and an undo; then the tree, the journal, what the model was given and what a person saw are checked.
`python -m tests.clients.run NAME …` drives some of them; `--keep DIR` leaves what they wrote there, `--load N` keeps
the machine busy meanwhile: no client may give up on our start.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import steadyhand as sh
from benches.node import NODE, NodeMissing, environment, installed
from scripts import sessions
from tests.clients.drivers import DRIVERS, Driver
from tests.clients.model import DONE, TOOLS, Heard, Script, ScriptedModel, Step

SECONDS = 180
APP = "retries = 3\ntimeout = 10\n\n[slow]\ntimeout = 10\n"
AFTER = APP.replace("retries = 3", "retries = 5")
_SCREEN = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ID = re.compile(r"\b[0-9a-f]{12}\b")
# Nothing of this machine's own settings reaches a client, and no client reaches beyond it.
_FOREIGN = re.compile("ANTHROPIC|OPENAI|GEMINI|GOOGLE|CLAUDE|COPILOT|GITHUB|XDG|CODEX|STEADYHAND|PROXY", re.IGNORECASE)


def _edit(target: str, new: str, **more: object) -> dict[str, object]:
    return {"path": "app.toml", "edits": [{"target": target, "new": new, "reason": "the gateway is slow", **more}]}


def _last_id(answers: Sequence[str]) -> str:
    found = _ID.findall(answers[-1]) if answers else []
    return found[0] if found else "0" * 12


STEPS = (
    Step("edit", lambda answers: _edit("retries = 3", "retries = 5")),
    Step("edit", lambda answers: _edit("timeout = 10", "timeout = 30")),
    Step("edit", lambda answers: _edit("timeout = 10", "timeout = 30", occurrence=2)),
    Step("undo", lambda answers: {"id": _last_id(answers)}),
)


def drive(driver: Driver, folder: Path) -> tuple[Heard, str, Path]:
    """One client from its installation to its last word: what the model heard, what a person saw, the project."""
    programs = installed(driver.package, with_node=False)
    home, project = folder / "home", folder / "project"
    home.mkdir(parents=True)
    project.mkdir()
    (project / "app.toml").write_text(APP, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    script = Script(STEPS)
    with ScriptedModel(script) as model:
        driver.prepare(home, project, model.url)
        kept = {name: value for name, value in environment(programs, _node()).items() if not _FOREIGN.search(name)}
        own = {
            "HOME": str(home),
            "PWD": str(project),
            "TERM": "dumb",
            "NO_COLOR": "1",
            "CI": "1",
            "NO_PROXY": "*",
            **driver.environ(model.url),
        }
        install = [sys.executable, "-m", "steadyhand", "mcp", "--install", driver.name, "--scope", driver.scope]
        subprocess.run(install, cwd=project, env=kept | own, check=True, capture_output=True)
        words = [word.replace("{home}", str(home)) for word in driver.command]
        try:
            shown = _run([str(programs / driver.program), *words], project, kept | own)
        finally:
            _end_daemons(home)
    (folder / "shown.txt").write_text(shown, encoding="utf-8")
    (folder / "requests.json").write_text(json.dumps(script.heard.requests, indent=1), encoding="utf-8")
    return script.heard, shown, project


def _node() -> Path:
    return installed(NODE, with_node=False)


def _run(command: Sequence[str], project: Path, environ: dict[str, str]) -> str:
    """What the client prints. One that does not end is stopped with all that it started."""
    process = subprocess.Popen(
        command,
        cwd=project,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
        return said.decode(errors="replace") + f"\n[stopped after {SECONDS} s]"
    return said.decode(errors="replace")


def _end_daemons(home: Path) -> None:
    """End what a client has left running: whatever has the home that was made for it."""
    mark = f"HOME={home}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)


def problems(driver: Driver, heard: Heard, shown: str, project: Path) -> Iterator[str]:
    """What is not as it must be."""
    missing = [tool for tool in TOOLS if not any(name.lower().endswith(tool) for name in heard.tools)]
    if missing:
        yield f"the model was not offered: {', '.join(missing)} (of ours it saw {sorted(heard.tools)})"
    if (project / "app.toml").read_text(encoding="utf-8") != AFTER:
        yield "the file is not as the script leaves it"
    yield from _journal_problems(project)
    if len(heard.answers) != len(STEPS):
        yield f"the model was given {len(heard.answers)} answers to {len(STEPS)} calls"
        return
    landed, refused, corrected, undone = heard.answers
    for name, answer in (("the edit", landed), ("the corrected edit", corrected), ("the undo", undone)):
        if not _ID.search(answer):
            yield f"the model was not given the id of {name}: {answer[:200]!r}"
    if "2 places" not in refused or "occurrence" not in refused:
        yield f"the model cannot correct the refused edit from: {refused[:300]!r}"
    if DONE not in shown:
        yield f"the person did not see how it ended: {shown[-300:]!r}"
    for part in driver.shows:
        if part not in shown:
            yield f"the person did not see {part!r}: {shown[-300:]!r}"
    seen = _plain(shown)
    for line in page_lines(driver):
        if _plain(line) not in seen:
            yield f"the client's page shows a line that the person did not see: {line!r}"


def page_lines(driver: Driver) -> list[str]:
    """What the client's page shows of its screen."""
    page = (sessions.ROOT / "docs" / "guides" / "clients" / f"{driver.name}.md").read_text(encoding="utf-8")
    return [line for block in _SCREEN.findall(page) for line in block.splitlines() if line.strip()]


def _plain(text: str) -> str:
    """A screen without colours, ids and line breaks; JSON in JSON without its backslashes."""
    text = _COLOUR.sub("", text).replace("\\n", " ").replace('\\\\"', '"').replace('\\"', '"')
    return " ".join(sessions.normal(text).split())


def _journal_problems(project: Path) -> Iterator[str]:
    if not (project / ".steadyhand").exists():
        yield "nothing was recorded"
        return
    with sh.Workspace(project, read_only=True) as ws:
        records = [entry.record for entry in ws.history() if entry.record.tool != "mcp --install"]
    if len(records) != 3:
        yield f"{len(records)} records instead of an edit, an edit and its undo"
    if any(record.actor in ("mcp", "") for record in records):
        yield "the records do not name the client"


@contextlib.contextmanager
def _load(number: int) -> Iterator[None]:
    """Programs that do nothing but use the processor."""
    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [driver.name for driver in DRIVERS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all without one")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where what they wrote is left")
    parser.add_argument("--load", type=int, default=0, metavar="N", help="programs that keep the machine busy")
    given = parser.parse_args(arguments)
    unknown = set(given.names) - set(names)
    if unknown:
        parser.error(f"no client {', '.join(unknown)}; there are {', '.join(names)}")
    failed = 0
    with _load(given.load), tempfile.TemporaryDirectory(prefix="clients-", ignore_cleanup_errors=True) as scratch:
        base = given.keep or Path(scratch)
        for driver in DRIVERS:
            if given.names and driver.name not in given.names:
                continue
            failed += not _report(driver, base / driver.name)
    return 1 if failed else 0


def _report(driver: Driver, folder: Path) -> bool:
    start = time.monotonic()
    try:
        heard, shown, project = drive(driver, folder)
    except NodeMissing as missing:
        print(f"{driver.name:12} not driven: {missing}", flush=True)
        return False
    found = list(problems(driver, heard, shown, project))
    print(
        f"{driver.name:12} {'FAILED' if found else 'ok'}  {driver.package}  {time.monotonic() - start:.0f} s",
        flush=True,
    )
    for problem in found:
        print(f"{'':12} {problem}")
    return not found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
