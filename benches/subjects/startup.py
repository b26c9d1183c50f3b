"""What a process costs before it does anything: the package, the command line, the MCP server, the grammars."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benches import child, node
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.documents import chapter_name, document, method_name
from benches.stdio import StdioClient
from benches.table import Table
from steadyhand.structure.code.language import languages

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
        start("… and an edit of a text", "-c", "import steadyhand as sh; sh.edit('a b', [sh.Replace('b', 'c')])"),
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
    if setting.with_peers:
        yield from _lists(setting)
    setting.tell("start-up of the grammars")
    loading = [*_grammars(), *_formats(setting)]
    yield Table(
        "Start-up: the first parse of a process",
        'python -c "pass"',
        compare(floor, loading, setting.scale.effort),
        "a grammar: it is imported and parses one line, and nothing of Steadyhand runs",
    )


def _lists(setting: Setting) -> Iterator[Table]:
    """From the start of an MCP server to its list of tools, beside the filesystem server from npm."""
    setting.tell("start-up of MCP servers")
    try:
        programs = node.installed(node.FILESYSTEM)
    except node.NodeMissing:
        setting.tell("the filesystem server cannot be had here")
        return
    command = [str(programs / "node"), str(programs / "mcp-server-filesystem"), str(setting.folder)]
    peer = _Listing(command, node.environment(programs), setting.folder)
    ours = child.python("-m", "steadyhand", "mcp", "--root", str(setting.folder))
    both = [*ours, "--toolset", "core", "--toolset", "site", "--toolset", "vault"]
    listings = {
        "steadyhand mcp, core": _Listing(ours, child.environment(), setting.folder),
        "steadyhand mcp, three toolsets": _Listing(both, child.environment(), setting.folder),
    }
    calls = [Call(label, listing.run, prepare=listing.end) for label, listing in listings.items()]
    rows = compare(Call("npm", peer.run, prepare=peer.end), calls, setting.scale.effort)
    for listing in (peer, *listings.values()):
        listing.end()
    yield Table(
        "Start-up: from the start of an MCP server to its list of tools", "the filesystem server from npm", rows
    )


class _Listing:
    """A server that is started and asked for its tools; how long it takes to end is not counted."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self._command, self._env, self._cwd = command, env, cwd
        self._client: StdioClient | None = None

    def run(self) -> None:
        self._client = StdioClient(self._command, env=self._env, cwd=self._cwd)
        assert self._client.request("tools/list")["tools"]

    def end(self) -> None:
        if self._client is not None:
            self._client.__exit__(None, None, None)
        self._client = None


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
