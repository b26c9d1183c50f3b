"""A secret that the host has opened is written, read and looked for through every way, and shows up nowhere else.

Only what reads the file on purpose (`read`, `locate`) gives its text. Everything else that a program prints, logs or
keeps is searched for it: reprs of all values that an answer leads to, JSON, diffs, tracebacks with their causes,
what the command line and the tools answer, and every file outside the secret itself.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

import steadyhand as sh
from steadyhand.errors import EditError
from steadyhand.surfaces.cli.main import cli
from steadyhand.tools.toolsets import tools_of, toolsets

SECRET = "hunter2-secret-value"
TEXT = f"A=1\nTOKEN={SECRET}\nB=2\nDUP=x\nDUP=x\n"
V4A = "*** Begin Patch\n*** Update File: .env\n@@\n-TOKEN={}\n+TOKEN={}\n*** End Patch\n"
NEAR = SECRET[:-1] + "X"  # looks like the secret, so that a suggestion of the nearest text would have it
MOST = 2_000  # characters of a repr
READING = frozenset({"read", "Read", "read_file", "readFile"})


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, folder in {"HOME": "home", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config"}.items():
        (tmp_path / folder).mkdir()
        monkeypatch.setenv(name, str(tmp_path / folder))
    root = tmp_path / "root"
    root.mkdir()
    (root / ".env").write_text(TEXT)
    return root


def values(of: object, seen: dict[int, object]) -> Iterator[object]:
    """Everything that a value leads to through its fields, items, details, causes and contexts."""
    if of is None or isinstance(of, (str, bytes, int, float)) or id(of) in seen:
        return
    seen[id(of)] = of
    yield of
    inner: list[object] = []
    if dataclasses.is_dataclass(of):
        inner = [getattr(of, field.name) for field in dataclasses.fields(of)]
    elif isinstance(of, Mapping):
        inner = list(of.values())
    elif isinstance(of, (list, tuple, set, frozenset)):
        inner = list(of)
    elif isinstance(of, BaseException):
        inner = [of.__cause__, of.__context__, getattr(of, "details", None)]
    for one in inner:
        yield from values(one, seen)


def said_of(answer: object) -> Iterator[str]:
    """What a program that prints, logs or serialises an answer would write."""
    for value in values(answer, {}):
        if not isinstance(value, (Mapping, list, tuple)):
            yield repr(value)
    for one in (answer, getattr(answer, "error", None)):
        if one is not None and hasattr(one, "to_json"):
            yield json.dumps(one.to_json())
        if isinstance(one, EditError):
            yield f"{one} {one.hint} {one.details}" + "".join(traceback.format_exception(one))
    if isinstance(answer, sh.Receipt):
        yield answer.diff()


Verb = Callable[[sh.Workspace], object]
VERBS: dict[str, Verb] = {
    "read": lambda ws: ws.read(".env"),
    "edit": lambda ws: ws.edit(".env", [sh.Replace("A=1", "A=2", reason="asked")]),
    "edit the secret": lambda ws: ws.edit(".env", [sh.Replace(f"TOKEN={SECRET}", f"TOKEN={SECRET}2")]),
    "preview": lambda ws: ws.preview(".env", [sh.Replace("B=2", f"B={SECRET}")]),
    "near miss": lambda ws: ws.edit(".env", [sh.Replace(f"TOKEN={NEAR}", "x")]),
    "miss": lambda ws: ws.edit(".env", [sh.Replace("nowhere", SECRET)]),
    "several places": lambda ws: ws.edit(".env", [sh.Replace("DUP=x", SECRET)]),
    "no change": lambda ws: ws.edit(".env", [sh.Replace(SECRET, SECRET)]),
    "made already": lambda ws: ws.edit(".env", [sh.Replace("TOKEN=before", f"TOKEN={SECRET}")]),
    "lines that differ": lambda ws: ws.edit(".env", [sh.Replace(sh.Lines(2, 2, text="TOKEN=other"), SECRET)]),
    "drifted": lambda ws: ws.edit(".env", [sh.Replace(f"A=9\nTOKEN={SECRET}\nB=2", f"A=9\nTOKEN={SECRET}3\nB=2")]),
    "key": lambda ws: ws.edit(".env", [sh.Act(sh.Key("TOKEN"), "set-key", value=SECRET)]),
    "no such key": lambda ws: ws.edit(".env", [sh.Act(sh.Key("TOKEM"), "set-key", value=SECRET)]),
    "write": lambda ws: ws.write(".env", f"TOKEN={SECRET}\n", overwrite=True),
    "write bytes": lambda ws: ws.write(".env", f"TOKEN={SECRET}\n".encode(), overwrite=True),
    "stale": lambda ws: ws.write(".env", SECRET, expect="0" * 64),
    "unencodable": lambda ws: ws.edit(".env", [sh.Replace(SECRET, SECRET + "\ud800")]),
    "create": lambda ws: ws.create(".env.new", f"TOKEN={SECRET}\n"),
    "exists": lambda ws: ws.create(".env", f"TOKEN={SECRET}\n"),
    "rename": lambda ws: ws.rename(".env", ".env.moved"),
    "mode": lambda ws: ws.chmod(".env", 0o600),
    "why": lambda ws: ws.why(".env", 2),
    "patch": lambda ws: ws.patch(V4A.format(SECRET, "two")),
    "patch that misses": lambda ws: ws.patch(V4A.format(NEAR, SECRET)),
    "patch that is malformed": lambda ws: ws.patch(f"--- a/.env\n+++ b/.env\n@@ -1,9 +1,2 @@\n-TOKEN={SECRET}\n?\n"),
    "outline": lambda ws: ws.outline(".env"),
    "locate": lambda ws: ws.locate(".env", "key:TOKEN"),
    "undo": lambda ws: ws.undo(path=".env"),
    "history": lambda ws: list(ws.history()),
    "delete": lambda ws: ws.delete(".env"),
}


def check_verbs(root: Path, verbs: Iterable[Verb]) -> None:
    """Nothing that two tasks are answered, and no file they leave, has the secret."""
    answers: list[object] = []
    for task, verb in product(("one", "two"), verbs):  # the second meets what the first has done
        with sh.Workspace(root, allow=(".env", ".env.*"), task=task) as workspace:
            try:
                answers.append(verb(workspace))
            except EditError as error:
                answers.append(error)
            answers += [
                *workspace.history(),
                *workspace.conflicts(),
                *workspace.events(),
                workspace.audits.statistics(),
            ]
    for answer in answers:
        for said in said_of(answer):
            assert SECRET not in said
        assert len(repr(answer)) < MOST or isinstance(answer, list)
    assert leaking_files(root) == []


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_no_value_of_python_shows_it(root: Path, verb: Verb, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    check_verbs(root, [verb])
    assert SECRET not in caplog.text


def leaking_files(root: Path) -> list[str]:
    """Files outside the secret's own that have it: the state folder, temporaries, findings, configuration."""
    files = [path for path in root.parent.rglob("*") if path.is_file() and not path.name.startswith(".env")]
    return [str(path) for path in files if SECRET.encode() in path.read_bytes()]


COMMANDS = """
outline .env
why .env:2
why .env
act .env key:TOKEN set-key value=9
act .env key:TOKEM set-key value=9
edit .env --old A=1 --new A=2
edit .env --old TOKEN={near} --new A=2
edit .env --old DUP=x --new {secret}
edit .env --old zzz --new TOKEN={secret}
edit .env --old TOKEN={secret} --new TOKEN={secret}
edit .env --old TOKEN={secret} --new TOKEN=2 --dry-run
edit .env --old TOKEN={secret} --new TOKEN=2
write .env --text TOKEN={secret} --overwrite
delete .env --old B=2
log
log .env
log --diff
stats
export
conflicts
check
findings
doctor
redo
""".strip().splitlines()


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_command_line_does_not_show_it(root: Path, form: str) -> None:
    options = ["--root", str(root), "--allow", ".env", *(["--json"] if form == "json" else [])]
    runs = [(command.format(secret=SECRET, near=NEAR).split(), "") for command in COMMANDS]
    runs += [(["apply", "-"], V4A.format(*sides)) for sides in ((SECRET, "two"), (NEAR, SECRET))]
    for arguments, stdin in runs:
        (root / ".env").write_text(TEXT)
        result = CliRunner().invoke(cli, [*options, *arguments], input=stdin)
        assert SECRET not in result.stdout + result.stderr, arguments
        assert result.exit_code != 99
    assert leaking_files(root) == []


def rewritten(value: object, path_names: frozenset[str], text: str | None) -> object:
    """An example's arguments with the secret file as the file and, if given, another text as every text."""
    if isinstance(value, str):
        if value in path_names:
            return ".env"
        return value if text is None or len(value) < 4 else text
    if isinstance(value, Mapping):
        return {name: rewritten(one, path_names, text) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [rewritten(one, path_names, text) for one in value]
    return value


@pytest.mark.parametrize("toolset", toolsets())
def test_no_answer_of_a_tool_shows_it(root: Path, toolset: str) -> None:
    """What a model, an MCP client and their logs get: every example of every tool, pointed at the secret file."""
    asked = 0
    with sh.Workspace(root, allow=(".env",)) as workspace:
        kit = workspace.tools(toolset)
        for tool in tools_of(toolset):
            for example, text in product(tool.examples, (None, f"TOKEN={NEAR}", "DUP=x", "TOKEN")):
                if tool.name in READING or example.arguments.get("command") == "view":
                    continue
                (root / ".env").write_text(TEXT)
                arguments = rewritten(example.arguments, frozenset(example.files), text)
                answer = kit.call(tool.name, arguments)
                asked += 1
                assert SECRET not in json.dumps(answer, default=str), (tool.name, arguments)
                assert SECRET not in repr(answer)
    assert asked
    assert leaking_files(root) == []


def test_the_repr_of_a_large_edit_is_short() -> None:
    text = "line\n" * 20_000
    result = sh.edit(text, [sh.Replace("line", "row", occurrence="all")])
    assert len(repr(result)) < MOST
    assert len(repr(sh.Replace(text, text))) < MOST
    assert len(repr(result.before)) < MOST
    assert len(repr(result.changes)) < MOST
