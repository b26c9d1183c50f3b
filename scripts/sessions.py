"""The examples of the pages: read, run in the order of the page, compared, and recorded again when answers change.

A `console` block is a shell session: lines after `$ ` (and `> ` for their continuation) are typed, the rest is what
must come back. A `python` block runs as it is; a `print` ends in a comment that says what it prints. All blocks of a
page are one story in one workspace: one shell and one interpreter live from the first block to the last, as they do for
a reader. Ids, digests and times differ from run to run and are compared as such.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parent.parent
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PRINT = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)
INTERPRETER = """
import sys, traceback
scope = {"__name__": "__main__"}
for path in sys.stdin:
    path = path.rstrip("\\n")
    try:
        exec(compile(open(path, encoding="utf-8").read(), path, "exec"), scope)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
    print(sys.argv[1], flush=True)
"""
MARK = "=-=-= next =-=-="
BUG = "internal:"

PASSING = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "<digest>"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "<digest>"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?"), "<time>"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a session and what it answers; or a block of Python and what it prints."""

    command: str
    answer: str
    is_python: bool = False

    def render(self) -> str:
        """As it is in a page; trailing blanks would not survive there."""
        typed = re.sub(r"^> $", ">", "$ " + self.command.replace("\n", "\n> "), flags=re.MULTILINE)
        answer = "\n".join(line.rstrip() for line in self.answer.strip("\n").split("\n"))
        return f"{typed}\n{answer}\n" if answer else f"{typed}\n"

    def agrees(self, other: Step) -> bool:
        """Whether both are the same but for what differs from run to run."""
        return self.command == other.command and normal(self.answer) == normal(other.answer)


def normal(text: str) -> str:
    """Text without what differs from run to run."""
    for pattern, name in PASSING:
        text = pattern.sub(name, text)
    return text.strip("\n")


def steps_of(block: str) -> list[Step]:
    """The commands of a console block in order."""
    found: list[tuple[list[str], list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif (line == ">" or line.startswith("> ")) and not found[-1][1]:
            found[-1][0].append(line[2:])
        else:
            found[-1][1].append(line)
    return [Step("\n".join(command), "\n".join(answer)) for command, answer in found]


def steps_of_page(page: Path) -> list[Step]:
    """Every command and every block of Python of a page, in the order of the page."""
    return [
        step
        for kind, block in BLOCK.findall(page.read_text(encoding="utf-8"))
        for step in (steps_of(block) if kind == "console" else [Step(block, "\n".join(PRINT.findall(block)), True)])
    ]


def furnish(scratch: Path) -> tuple[Path, Path]:
    """An empty home and an empty workspace in it, marked as one whatever is further up."""
    home = scratch / "home"
    workspace = home / "project"
    (workspace / ".git").mkdir(parents=True)
    return home, workspace


def environment(home: Path) -> dict[str, str]:
    """A plain terminal without colour, with `steadyhand` on the path and nobody's configuration."""
    programs = home / "bin"
    programs.mkdir()
    (programs / "steadyhand").symlink_to(Path(sys.executable).with_name("steadyhand"))
    return {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(home),
        "USER": "ada",
        "LOGNAME": "ada",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "100",
    }


def run(steps: list[Step], workspace: Path, env: dict[str, str]) -> list[Step]:
    """The same steps with what they answer now; variables, `$?` and the names of Python carry over."""
    with tempfile.TemporaryDirectory(prefix="steadyhand-steps-") as scratch, ExitStack() as opened:
        file = Path(scratch) / "step"
        # Typed commands come from a file, so that one that reads its standard input finds it empty.
        shell = _start(opened, ["bash"], workspace, env)
        python = _start(opened, [sys.executable, "-c", INTERPRETER, MARK], workspace, env)
        answers = []
        for step in steps:
            file.write_text(step.command + "\n", encoding="utf-8")
            typed = f". '{file}' </dev/null; _status=$?; printf '\\n%s\\n' '{MARK}'; (exit $_status)"
            answers.append(_answer(python, str(file)) if step.is_python else _answer(shell, typed))
        return [replace(step, answer=_anywhere(answer, env)) for step, answer in zip(steps, answers, strict=True)]


def _anywhere(answer: str, env: dict[str, str]) -> str:
    """An answer without the folders of this machine: ada's home and the Python that she installed it in."""
    return answer.replace(sys.executable, "/home/ada/venv/bin/python").replace(env["HOME"], "/home/ada")


def _start(opened: ExitStack, command: list[str], workspace: Path, env: dict[str, str]) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        command,
        cwd=workspace,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    return opened.enter_context(child)


def _answer(child: subprocess.Popen[str], line: str) -> str:
    """What a child writes after a line until it says that it is done."""
    assert child.stdin
    assert child.stdout
    child.stdin.write(line + "\n")
    child.stdin.flush()
    lines = []
    for each in child.stdout:
        if each == f"{MARK}\n":
            break
        lines.append(each)
    return "".join(lines).rstrip("\n")


def rerun(page: Path) -> list[Step]:
    """A page's sessions, run in a workspace of their own."""
    with tempfile.TemporaryDirectory(prefix="steadyhand-session-") as scratch:
        home, workspace = furnish(Path(scratch))
        return run(steps_of_page(page), workspace, environment(home))


def record(page: Path) -> bool:
    """Write down what the commands of a page answer now; False if the page says so already."""
    said, now = steps_of_page(page), rerun(page)
    if any(step.answer.startswith(BUG) for step in now):
        raise SystemExit(f"{page.name}: a command failed with {BUG} nothing was recorded")
    if len(said) == len(now) and all(old.agrees(new) for old, new in zip(said, now, strict=True)):
        return False
    # An answer that only differs in ids and times stays, so that the diff of a page shows what changed.
    kept = [old if old.agrees(new) else new for old, new in zip(said, now, strict=True)]
    answers = iter([step for step in kept if not step.is_python])

    def fill(block: re.Match[str]) -> str:
        return "```console\n" + "".join(next(answers).render() for _ in steps_of(block[1])) + "```"

    page.write_text(CONSOLE.sub(fill, page.read_text(encoding="utf-8")), encoding="utf-8")
    return True


def pages() -> list[Path]:
    """The pages that tell a session."""
    every = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    return sorted(page for page in every if CONSOLE.search(page.read_text(encoding="utf-8")))


if __name__ == "__main__":
    for found in pages():
        if record(found):
            print(f"{found.relative_to(ROOT)} recorded: read what changed before you keep it")
