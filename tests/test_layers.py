"""The rooms keep to themselves: who may import whom, who may touch the world, and how large a module may grow.

The import order itself is a set of import-linter contracts in pyproject.toml; they run here too.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.table import table

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src"
PACKAGE = SRC / "steadyhand"
MODULES = sorted(PACKAGE.rglob("*.py"))

# What reaches the world outside the process, and the rooms that may.
FILES = {"fileinput", "glob", "io", "os", "pathlib", "shutil", "tempfile"}
SYSTEM = {"ctypes", "fcntl", "mmap", "msvcrt", "select", "socket", "sqlite3", "subprocess"}
CLOCK = {"time"}  # dates and times are values; only asking for the present one reaches outside
CHANCE = {"random", "secrets", "uuid"}
ENVIRONMENT = {"environ", "getenv", "environb", "expanduser"}
NOW = {"now", "utcnow", "today"}
ALLOWED = {
    "files": {"workspace", "session", "surfaces"},
    "system": {"workspace"},
    "clock": {"workspace", "session", "surfaces"},
    "chance": {"workspace", "session"},
    "open": {"workspace", "surfaces"},
    "environ": {"workspace", "session", "surfaces"},
    "print": {"surfaces"},
}

LINES_AT_MOST = 700  # one idea of this size is better whole than in pieces
PUBLIC_CLASS = {"session/workspace.py": 900}  # one short method for each thing a caller can ask, with its docs
NO_SUCH_MODULE = {"utils", "util", "helpers", "helper", "manager", "common", "misc", "base", "shared", "tools_common"}
ONLY_IN = {
    "hunk": (
        "text/unified.py",
        "dialects/formats/unified.py",
        "dialects/unified/",
        "dialects/formats/v4a.py",
        "dialects/v4a/",
        "articles/report.py",  # `hunks` is a field of the change report's contract
        "tools/article.py",
        "agents/impact/",
        "surfaces/cli/impact.py",
        "surfaces/cli/commands/impact.py",
        "session/review/",  # what a reviewer decides about
        "surfaces/cli/commands/review.py",
        "surfaces/web/",
        "session/workspace.py",
        "tools/async_workspace.py",
        "session/runs.py",
        "session/audit_article.py",  # `hunkReasons` is a field of the article's contract
    )
}
DEAD_WORDS = ("TODO", "FIXME", "XXX", "/root/", "/home/")


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def room_of(path: Path) -> str:
    """The room a module belongs to; the package's own `__init__` and `__main__` are above all rooms."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "surfaces" if first in {"__init__", "__main__"} else first


@dataclass(frozen=True)
class Facts:
    """What the tests below ask about a module, from one walk; its tree is forgotten."""

    imports: tuple[tuple[str, str | None, int], ...]
    """Every import as (module, name or None, line), wherever in the module it is."""
    names: Mapping[str, tuple[int, ...]]
    """The lines where `open` and `print` are called or handed on; attributes of that name are somebody else's."""
    attributes: tuple[tuple[str, int], ...]
    globals: tuple[int, ...]
    statements: int
    again: tuple[tuple[str, int], ...]
    """The names of the module that are given a second meaning, each with the line where that happens."""


@cache
def facts_of(path: Path) -> Facts:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports: list[tuple[str, str | None, int]] = []
    names: dict[str, tuple[int, ...]] = {}
    attributes, globals_ = [], []
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                imports += [(alias.name, None, node.lineno) for alias in node.names]
            case ast.ImportFrom():
                module = "." * node.level + (node.module or "")
                imports += [(module, alias.name, node.lineno) for alias in node.names]
            case ast.Name(id="open" | "print" as name):
                names[name] = (*names.get(name, ()), node.lineno)
            case ast.Attribute(attr=name) if name in ENVIRONMENT | NOW:
                attributes.append((name, node.lineno))
            case ast.Global():
                globals_.append(node.lineno)
    again = tuple(_again(tree.body))
    return Facts(tuple(imports), names, tuple(attributes), tuple(globals_), len(tree.body), again)


def _again(body: Sequence[ast.stmt]) -> Iterator[tuple[str, int]]:
    known: set[str] = set()
    for node in body:
        given: list[str] = []
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                is_overload = any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)
                given = [] if is_overload else [name]
            case ast.Assign(targets=targets):
                given = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name)):
                given = [name]
        yield from ((name, node.lineno) for name in given if name in known)
        known.update(given)


def imports_of(path: Path) -> tuple[tuple[str, str | None, int], ...]:
    return facts_of(path).imports


def asks(what: str, attributes: set[str]) -> list[str]:
    return [
        f"{name_of(path)}:{line}"
        for path in MODULES
        if room_of(path) not in ALLOWED[what]
        for name, line in facts_of(path).attributes
        if name in attributes
    ]


def offenders(what: str, modules: set[str]) -> list[str]:
    return [
        f"{name_of(path)}:{line} imports {module}"
        for path in MODULES
        if room_of(path) not in ALLOWED[what]
        for module, _, line in imports_of(path)
        if module.split(".")[0] in modules
    ]


def python(code: str) -> str:
    """Run `code` in a fresh interpreter and give what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(SRC)},
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_import_contracts_hold() -> None:
    report = python("from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))")
    assert "Contracts: " in report


@table(("what", "modules"), [("files", FILES), ("system", SYSTEM), ("clock", CLOCK), ("chance", CHANCE)])
def test_only_some_rooms_reach_the_world(what: str, modules: set[str]) -> None:
    assert offenders(what, modules) == []


@table("name", ["open", "print"])
def test_files_are_opened_and_lines_printed_in_their_rooms_only(name: str) -> None:
    outside = [path for path in MODULES if room_of(path) not in ALLOWED[name]]
    assert [f"{name_of(path)}:{line}" for path in outside for line in facts_of(path).names.get(name, ())] == []


def test_the_environment_is_read_in_few_rooms() -> None:
    assert asks("environ", ENVIRONMENT) == []


def test_the_present_time_is_asked_for_in_few_rooms() -> None:
    assert asks("clock", NOW) == []


@cache
def takes_from_a_package(module: str, name: str | None) -> bool:
    """Whether an import reads a package's `__init__`; asking a package for one of its modules does not."""
    place = SRC / Path(*module.split("."))
    is_package = (place / "__init__.py").is_file()  # a folder alone may be what a removed package has left
    asks_for_module = name is not None and ((place / f"{name}.py").is_file() or (place / name).is_dir())
    return module.split(".", maxsplit=1)[0] == "steadyhand" and is_package and not asks_for_module


def test_inside_the_package_everybody_imports_the_exact_module() -> None:
    found = [
        f"{name_of(path)}:{line} imports {module}"
        for path in MODULES
        for module, name, line in imports_of(path)
        if takes_from_a_package(module, name)
    ]
    assert found == []


def test_a_module_gives_each_of_its_names_one_meaning() -> None:
    """Two modules that are joined may each have a limit of one name: the first would silently have the other's."""
    assert [f"{name_of(path)}:{line} {name}" for path in MODULES for name, line in facts_of(path).again] == []


def test_imports_are_absolute() -> None:
    found = [f"{name_of(path)}:{line}" for path in MODULES for module, _, line in imports_of(path) if module[:1] == "."]
    assert found == []


def test_the_inits_of_rooms_hold_nothing_but_their_docstring() -> None:
    inits = [path for path in MODULES if path.name == "__init__.py" and path.parent != PACKAGE]
    assert [name_of(p) for p in inits if facts_of(p).statements > 1] == []


def test_no_module_grows_beyond_what_one_reads_in_a_sitting() -> None:
    sizes = {name_of(path): len(path.read_text(encoding="utf-8").split("\n")) - 1 for path in MODULES}
    assert {name: lines for name, lines in sizes.items() if lines > PUBLIC_CLASS.get(name, LINES_AT_MOST)} == {}


def test_a_function_lives_with_the_noun_it_serves() -> None:
    names = {part.removesuffix(".py") for path in MODULES for part in path.relative_to(PACKAGE).parts}
    assert names & NO_SUCH_MODULE == set()


@table(("word", "homes"), ONLY_IN.items())
def test_a_foreign_formats_words_stay_in_the_files_that_read_it(word: str, homes: tuple[str, ...]) -> None:
    using = [name_of(path) for path in MODULES if word in path.read_text(encoding="utf-8").lower()]
    assert [name for name in using if not name.startswith(homes)] == []


@table("word", DEAD_WORDS)
def test_the_source_holds_no_leftovers(word: str) -> None:
    assert [name_of(path) for path in MODULES if word in path.read_text(encoding="utf-8")] == []


def test_no_module_level_state_changes_after_import() -> None:
    """A `global` statement is how a module changes its own names later."""
    assert [f"{name_of(path)}:{line}" for path in MODULES for line in facts_of(path).globals] == []


def test_every_module_imports_where_posix_is_missing() -> None:
    code = """
import importlib, pkgutil, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {"fcntl", "grp", "pwd", "resource", "termios"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import steadyhand
count = 0
for found in pkgutil.walk_packages(steadyhand.__path__, "steadyhand."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
        count += 1
print(count)
"""
    assert int(python(code)) == len([p for p in MODULES if p.name != "__main__.py"]) - 1


HEAVY = {"click", "markdown_it", "rapidfuzz", "rich", "tree_sitter", "turbohtml", "yaml"}


@table(
    ("module", "absent"),
    [
        ("steadyhand", HEAVY),
        ("steadyhand.surfaces.cli.main", HEAVY - {"click"} | {"sqlite3"}),
    ],
)
def test_what_is_heavy_is_imported_by_whoever_needs_it(module: str, absent: set[str]) -> None:
    loaded = set(python(f"import {module}, sys; print(*sys.modules)").split())
    assert loaded & absent == set()
