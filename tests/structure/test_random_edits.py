"""Random edits by address of real files, each judged by a parser that is not the one that made it.

`make sweep` makes STEADYHAND_EDITS of them, 20,000 by default; an ordinary run makes a few. Files are those of the
corpus and of the packages installed for these tests. A refusal is no mistake, and is counted by its kind (`-n 0 -s`
shows how many); a text that says anything but what was asked is one.
"""

from __future__ import annotations

import ast
import configparser
import copy
import itertools
import json
import os
import random
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from html5lib import HTMLParser
from markdown_it import MarkdownIt

from steadyhand.plan.edit import Act, Delete, Edit, Insert, Replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.structure.config.item import KeyPath, parse_path
from steadyhand.structure.config.key import Key
from steadyhand.structure.format import OutlineEntry
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import Target, parse_address
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from tests.real_files import CORPUS, installed_files
from tests.sampling import sample
from tests.structure.keyed import is_alike, value_at
from tests.structure.laws import check_only_inside, outline_of
from tests.table import table

EDITS = int(os.environ.get("STEADYHAND_EDITS", "20000"))
LARGEST = 40_000
VALUES: tuple[Any, ...] = (
    0,
    -7,
    1.5,
    True,
    "",
    "plain",
    "two words",
    "a: b # c",
    "q\"'",
    "é\n日本",
    [1, "x"],
    {"k": "v"},
)
POLICY = Policy(guards=frozenset())


def read_ini(text: str, signs: tuple[str, ...] | None) -> dict[str, dict[str, str | None]]:
    """A file of INI, with comments behind values or without: readers differ."""
    ini = configparser.RawConfigParser(strict=True, inline_comment_prefixes=signs, allow_no_value=True)
    ini.optionxform = str  # type: ignore[assignment,method-assign]
    ini.read_string(to_lf(text))
    return {name: dict(section) for name, section in ini.items() if name != "DEFAULT" or len(section)}


class _AsWritten(yaml.SafeLoader):
    """Merges are names and aliases are texts like any other: what they bring is not written there."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        pass

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if not self.check_event(yaml.AliasEvent):
            return super().compose_node(parent, index)
        return yaml.ScalarNode("tag:yaml.org,2002:str", f"*{self.get_event().anchor}")


_AsWritten.add_constructor("tag:yaml.org,2002:merge", lambda loader, node: loader.construct_scalar(node))


class Wrong(AssertionError):
    """An edit that did something else than it was asked for."""


def loaded(suffix: str, text: str) -> Any:
    """A configuration file as the usual reader of its format has it; None where it has none of it."""
    try:
        match suffix:
            case ".json":
                return json.loads(text)
            case ".toml":
                return tomllib.loads(text)
            case ".yaml" | ".yml":
                return list(yaml.load_all(text, Loader=_AsWritten))
            case _:
                return [read_ini(text, signs) for signs in (None, ("#", ";"))]
    except (ValueError, yaml.YAMLError, configparser.Error, RecursionError):
        return None


OPERATIONS = ("set", "delete", "rename", "add", "append")


def key_edit(
    chance: random.Random, data: Any, address: Key, path: KeyPath, operation: str
) -> tuple[Edit, Callable[[Any], None]] | None:
    """An edit of one key, and what it does to the data, where `path` leads to the same."""
    above, step = path[:-1], path[-1]
    there = value_at(data, path)
    match operation:
        case "set":
            value = chance.choice(VALUES)
            return Act(address, "set-key", value=value), lambda now: value_at(now, above).__setitem__(step, value)
        case "delete":
            return Delete(address), lambda now: value_at(now, above).__delitem__(step)
        case "rename" if isinstance(step, str) and "renamed" not in value_at(data, above):
            return Act(address, "rename-key", name="renamed"), lambda now: rename(value_at(now, above), step)
        case "add" if isinstance(there, dict) and "added" not in there:
            value = chance.choice(VALUES)
            return Act(address, "add-key", name="added", value=value), lambda now: value_at(now, path).__setitem__(
                "added", value
            )
        case "append" if isinstance(there, list):
            value = chance.choice(VALUES)
            return Act(address, "append-item", value=value), lambda now: value_at(now, path).append(value)
    return None


def rename(mapping: dict[str, Any], name: str) -> None:
    items = [("renamed" if each == name else each, value) for each, value in mapping.items()]
    mapping.clear()
    mapping.update(items)


def rendered(path: KeyPath) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f'["{step}"]' for step in path)


def check_keys(chance: random.Random, source: Source, entries: Sequence[OutlineEntry], suffix: str) -> str | None:
    if suffix not in (".ini", ".cfg") and chance.random() < 0.3:
        return check_together(chance, source, entries, suffix)
    return check_key(chance, source, chance.choice(entries), suffix, chance.choice(OPERATIONS))


def check_together(chance: random.Random, source: Source, entries: Sequence[OutlineEntry], suffix: str) -> str | None:
    """Operations on two to four keys, none of them inside another, in one call."""
    data = loaded(suffix, source.text)
    if data is None or (suffix in (".yaml", ".yml") and len(data) > 1):
        return None
    now = copy.deepcopy(data[0] if suffix in (".yaml", ".yml") and data else data)
    edits, paths = list[Edit](), list[KeyPath]()
    for entry in chance.sample(entries, min(len(entries), 4)):
        path = path_of(entry)
        near = any(path[: len(one)] == one or one[: len(path)] == path for one in paths)
        if not path or near or any(path[:-1] == one[:-1] and isinstance(path[-1], int) for one in paths):
            continue
        asked = key_edit(chance, now, Key(rendered(path)), path, chance.choice(OPERATIONS)) if has(now, path) else None
        if asked is not None:
            edits.append(asked[0])
            paths.append(path)
            asked[1](now)
    if len(edits) < 2:
        return None
    result = edit(source.text, edits, path=source.path, policy=POLICY)
    if result.error is not None:
        return str(result.error.kind)
    check_only_inside(source.text, result.text, result.changes)
    made = loaded(suffix, result.text)
    made = made[0] if suffix in (".yaml", ".yml") and made else made
    if not is_alike(in_order(made), in_order(now)) if suffix == ".toml" else not is_alike(made, now):
        raise Wrong(f"{source.path}: {edits}")
    return "done"


def path_of(entry: OutlineEntry) -> KeyPath:
    """The path of a key; empty for what has none, or one that cannot be written between quotes as it is."""
    address = parse_address(entry.address)
    path = parse_path(str(address.path)) if isinstance(address, Key) else ()
    return () if any(isinstance(step, str) and ('"' in step or "\\" in step) for step in path) else path


def check_key(chance: random.Random, source: Source, entry: OutlineEntry, suffix: str, operation: str) -> str | None:
    """One operation on one key, compared with what the usual reader makes of both texts."""
    before = readings = loaded(suffix, source.text)
    if before is not None and suffix in (".ini", ".cfg"):
        before = readings[0]
    address = parse_address(entry.address)
    if before is None or not isinstance(address, Key):
        return None
    path = path_of(entry)
    if not path:
        return None
    try:
        at, place = Key(rendered(path)), path
        if suffix in (".yaml", ".yml"):
            documents = [number for number, one in enumerate(before) if has(one, path)]
            number = documents[(address.nth or 1) - 1]
            at, place = Key(rendered(path), document=number + 1), (number, *path)
        asked = key_edit(chance, before, at, place, operation)
    except (KeyError, IndexError, TypeError):
        return None  # merges, dates as names, and other things that the reader puts elsewhere
    if asked is None:
        return None
    change, do = asked
    result = edit(source.text, change, path=source.path, policy=POLICY)
    if result.error is not None:
        return str(result.error.kind)
    check_only_inside(source.text, result.text, result.changes)
    now = loaded(suffix, result.text)
    if suffix in (".ini", ".cfg"):
        pairs = [(as_text(one), as_text(done(two, do))) for one, two in zip(now, readings, strict=True)]
        same = any(one == two for one, two in pairs)
    elif suffix == ".toml":
        same = is_alike(in_order(now), in_order(done(before, do)))
    else:
        same = is_alike(now, done(before, do))
    if not same:
        raise Wrong(f"{source.path}: {change}")
    return "done"


def has(data: Any, path: KeyPath) -> bool:
    """Whether something is at a path."""
    try:
        value_at(data, path)
    except (KeyError, IndexError, TypeError):
        return False
    return True


def done(data: Any, do: Callable[[Any], None]) -> Any:
    """Data after something was done to it."""
    made = copy.deepcopy(data)
    do(made)
    return made


def in_order(data: Any) -> Any:
    """Data with the names of tables in order: a file of TOML says the same in any order."""
    if isinstance(data, dict):
        return {name: in_order(data[name]) for name in sorted(data)}
    return [in_order(each) for each in data] if isinstance(data, list) else data


def as_text(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(name): as_text(value) for name, value in data.items()}
    return "" if data is None else str(data).lower()  # a flag is written as the file writes them


def definitions(text: str) -> Counter[tuple[str, str]]:
    """Every function and class of a text of Python, by its path, with what it says."""
    found: Counter[tuple[str, str]] = Counter()
    waiting: list[tuple[ast.AST, str]] = [(ast.parse(text), "")]
    while waiting:
        node, path = waiting.pop()
        for child in ast.iter_child_nodes(node):
            inner = path
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{path}.{child.name}"
                found[inner, type(child).__name__] += 1
            waiting.append((child, inner))
    return found


def check_python(chance: random.Random, source: Source, entries: Sequence[OutlineEntry], _: str) -> str | None:
    entry = chance.choice(entries)
    address = parse_address(entry.address)
    try:
        before = definitions(source.text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    if chance.random() < 0.5:
        return check_python_insert(chance, source, address)
    result = edit(source.text, Delete(address), path=source.path, policy=POLICY)
    if result.error is not None:
        return str(result.error.kind)
    check_only_inside(source.text, result.text, result.changes)
    now = definitions(result.text)
    path = "." + entry.address.partition(":")[2]
    gone = before - now
    is_own = all(name == path or name.startswith(f"{path}.") for name, _ in gone)
    if now - before or not is_own or len(ast.parse(result.text).body) > len(ast.parse(source.text).body):
        raise Wrong(f"{source.path}: delete {entry.address}: {gone}, {now - before}")
    return "done"


class _Without(ast.NodeTransformer):
    """A tree without the functions of a name, which are counted, and without the `pass` and `...` that they replace."""

    count = 0

    def visit_Pass(self, node: ast.Pass) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) and node.value.value is ... else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        self.generic_visit(node)
        self.count += node.name == "added_here"
        return None if node.name == "added_here" else node


def check_python_insert(chance: random.Random, source: Source, address: Target) -> str:
    """A function beside a definition, or inside a class: without it, the tree is what it was."""
    put = Insert(
        address, "def added_here(a, b=1):\n    return a\n", where=chance.choice(("before", "after", "start", "end"))
    )
    result = edit(source.text, put, path=source.path, policy=POLICY)
    if result.error is not None:
        return str(result.error.kind)
    check_only_inside(source.text, result.text, result.changes)
    without = _Without()
    before, left = (ast.dump(without.visit(ast.parse(text))) for text in (source.text, result.text))
    if without.count != 1 or left != before:
        raise Wrong(f"{source.path}: {put}")
    return "done"


def check_html(chance: random.Random, source: Source, entries: Sequence[OutlineEntry], _: str) -> str | None:
    entry = chance.choice(entries)
    text = "".join(chance.choice("ab &<x") for _ in range(5)).strip() or "x"
    result = edit(
        source.text, Act(parse_address(entry.address), "set-text", value=text), path=source.path, policy=POLICY
    )
    if result.error is not None:
        return str(result.error.kind)
    check_only_inside(source.text, result.text, result.changes)
    before, now = (tags_of(each) for each in (source.text, result.text))
    if any(now[tag] > before[tag] for tag in now):
        raise Wrong(f"{source.path}: set-text {entry.address}")
    return "done"


def tags_of(text: str) -> Counter[str]:
    tree = HTMLParser(namespaceHTMLElements=False).parse(text)
    return Counter(str(node.tag) for node in tree.iter())


def check_markdown(chance: random.Random, source: Source, entries: Sequence[OutlineEntry], _: str) -> str | None:
    entry = chance.choice([each for each in entries if each.address.startswith("heading")] or [entries[0]])
    if not entry.address.startswith("heading"):
        return None
    result = edit(source.text, Delete(parse_address(entry.address)), path=source.path, policy=POLICY)
    if result.error is not None:
        return str(result.error.kind)
    check_only_inside(source.text, result.text, result.changes)
    before, now = headings_of(source.text), headings_of(result.text)
    at = next((at for at in range(len(before)) if now[at : at + 1] != before[at : at + 1]), len(before))
    if len(now) >= len(before) or now[at:] != before[len(before) - len(now) + at :]:
        raise Wrong(f"{source.path}: delete {entry.address}")
    return "done"


def headings_of(text: str) -> list[tuple[str, str]]:
    tokens = MarkdownIt("commonmark", {"maxNesting": 1_000}).enable("table").parse(text)
    return [(one.tag, two.content) for one, two in itertools.pairwise(tokens) if one.type == "heading_open"]


def check_laws(chance: random.Random, source: Source, entries: Sequence[OutlineEntry], _: str) -> str | None:
    """For languages without another parser here: only the place changes, and its name is gone or another."""
    entry = chance.choice(entries)
    address = parse_address(entry.address)
    change: Edit = Delete(address) if chance.random() < 0.5 else Replace(address, entry.span.of(source.text))
    result = edit(source.text, change, path=source.path, policy=POLICY)
    if result.error is not None:
        return str(result.error.kind)
    check_only_inside(source.text, result.text, result.changes)
    left = outline_of(Source.of_text(result.text, path=source.path))
    if not isinstance(left, Refusal) and len(left) >= len(entries):
        raise Wrong(f"{source.path}: {change}")
    return "done"


ORACLES: dict[str, Callable[[random.Random, Source, Sequence[OutlineEntry], str], str | None]] = {
    **dict.fromkeys((".json", ".toml", ".yaml", ".yml", ".ini", ".cfg"), check_keys),
    ".py": check_python,
    ".html": check_html,
    ".md": check_markdown,
    **dict.fromkeys((".js", ".ts", ".c", ".h", ".sh"), check_laws),
}


@cache
def files() -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    corpus = (path for path in sorted(CORPUS.rglob("*")) if path.is_file() and not path.name.startswith("broken-"))
    for path in (*corpus, *installed_files()):
        if path.suffix in ORACLES and 0 < path.stat().st_size < LARGEST:
            found.setdefault(path.suffix, []).append(path)
    return found


@cache
def known(path: Path) -> tuple[Source, Sequence[OutlineEntry]] | None:
    source = Source.of_bytes(path.read_bytes(), path=path.name)
    entries = outline_of(source)
    return None if isinstance(entries, Refusal) or not entries else (source, entries)


def sweep(suffix: str, count: int, seed: int) -> Counter[str]:
    """So many edits of files of one suffix: how many of them were made, or refused with which kind."""
    chance, seen = random.Random(f"{suffix} {seed}"), Counter[str]()
    for _ in range(count * 4):
        if sum(seen.values()) >= count:
            break
        path = chance.choice(files()[suffix])
        found = known(path)
        said = None if found is None else ORACLES[suffix](chance, *found, suffix)
        if said is not None:
            seen[said] += 1
    return seen


@table("suffix", sorted(ORACLES))
def test_some_random_edits_do_what_they_are_asked_for(suffix: str) -> None:
    if suffix in files():
        seen = sweep(suffix, 5, 0)
        assert seen["done"] <= seen.total()


SHAPES = sorted(
    path
    for path in CORPUS.rglob("*")
    if ORACLES.get(path.suffix) is check_keys and not path.name.startswith("broken-") and path.stat().st_size < LARGEST
)


@table("path", SHAPES, ids=lambda path: path.name, every=60)
def test_every_operation_on_every_key_of_the_corpus_does_what_it_is_asked_for(path: Path) -> None:
    found, chance = known(path), random.Random(path.name)
    for entry in sample(found[1][:60], 8) if found is not None else ():
        for operation in OPERATIONS:
            assert found is not None
            check_key(chance, found[0], entry, path.suffix, operation)


@pytest.mark.sweep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("suffix", sorted(ORACLES))
def test_random_edits_do_what_they_are_asked_for(suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    if suffix in files():
        seen = sweep(suffix, EDITS // len(ORACLES), 1)
        with capsys.disabled():
            print(f"\n{suffix}: {dict(seen.most_common())}")
        assert seen["done"] > seen.total() // 4
