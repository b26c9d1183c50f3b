"""What a process costs before it does anything: importing the package, the command line, the grammars."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from benches import child
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.documents import chapter_name, document, method_name
from benches.table import Table
from steadyhand.structure.language import languages

_CLI = ("-m", "steadyhand")
_LOAD = """
import importlib, tree_sitter
for package, grammar in {}:
    language = tree_sitter.Language(getattr(importlib.import_module(package), grammar)())
    tree_sitter.Parser(language).parse(b"x = 1;\\n")
"""
_ADDRESSES = {
    "HTML": "selector:h2",
    "Markdown": f"heading:{chapter_name(0)}",
    "YAML": "key:version",
    "TOML": "key:version",
    "JSON": "key:version",
    "Python": f"symbol:{method_name(0)[0]}",
}


def run(setting: Setting) -> Iterator[Table]:
    setting.tell("start-up")
    file = setting.folder / "app.py"
    file.write_text("# token 0\n" + document("Python", 4_000).text, encoding="utf-8")
    counter = itertools.count()

    def edit() -> None:
        number = next(counter)
        command = (*_CLI, "edit", "app.py", "--old", f"# token {number}\n", "--new", f"# token {number + 1}\n")
        child.run(child.python(*command), cwd=setting.folder)

    def start(label: str, *arguments: str) -> Call:
        return Call(label, lambda: child.run(child.python(*arguments), cwd=setting.folder))

    calls = [
        start("import steadyhand", "-c", "import steadyhand"),
        start("… and steadyhand.edit", "-c", "import steadyhand; steadyhand.edit"),
        start("… and steadyhand.Workspace", "-c", "import steadyhand; steadyhand.Workspace"),
        start("steadyhand --version", *_CLI, "--version"),
        start("steadyhand --help", *_CLI, "--help"),
        start("steadyhand edit --help", *_CLI, "edit", "--help"),
        Call("steadyhand edit, a file of 4 KB", edit, remark="committed and journalled"),
        start("steadyhand log", *_CLI, "log"),
        start("steadyhand read", *_CLI, "read", "app.py"),
    ]
    floor = Call("floor", lambda: child.run(child.python("-c", "pass")))
    edit()  # so that the journal is there for every row alike
    yield Table("Start-up: wall time of a process", 'python -c "pass"', compare(floor, calls, setting.scale.effort))
    setting.tell("start-up of the grammars")
    loading = [*_grammars(), *_formats(setting)]
    yield Table(
        "Start-up: the first parse of a process",
        'python -c "pass"',
        compare(floor, loading, setting.scale.effort),
        "a grammar: it is imported and parses one line, and nothing of Steadyhand runs",
    )


def _grammars() -> Iterator[Call]:
    """Each grammar in a process of its own, then all of them in one."""
    yield _python("the parser of grammars, no grammar", "import tree_sitter")
    known = [(language.package, language.grammar) for language in languages().values()]
    for name, grammar in zip(languages(), known, strict=True):
        yield _python(f"grammar of {name}", _LOAD.format([grammar]))
    yield _python(f"all {len(known)} grammars", _LOAD.format(known))


def _formats(setting: Setting) -> Iterator[Call]:
    """The first address of each format that is looked up."""
    for name, address in _ADDRESSES.items():
        given = document(name, 200)
        (setting.folder / given.path).write_text(given.text, encoding="utf-8")
        looked_up = f"import steadyhand as sh; sh.locate(open({given.path!r}).read(), {address!r}, path={given.path!r})"
        yield _python(f"sh.locate, {name}", looked_up, cwd=setting.folder)


def _python(label: str, code: str, cwd: Path | None = None) -> Call:
    return Call(label, lambda: child.run(child.python("-c", code), cwd=cwd))


BENCH = Bench("startup", 50, run)
