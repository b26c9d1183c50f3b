"""The result of an attempt: the tree it left, compared with the expected tree.

right       every file has the bytes that were asked for
equivalent  other bytes, and every file that differs parses to the same: only its layout is another
different   the right files were changed, and they say something else
wrong-file  a file was changed, made or removed that the task is not about
refused     nothing was changed: what was sent did not fit the files
unparsable  nothing was changed: the reply held no edit of the kind that was asked for
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from steadyhand.agents.score.task import Task
from steadyhand.session.statistics import type_of

if TYPE_CHECKING:
    from tree_sitter import Node

Outcome = Literal["right", "equivalent", "different", "wrong-file", "refused", "unparsable"]
OUTCOMES: tuple[Outcome, ...] = ("right", "equivalent", "different", "wrong-file", "refused", "unparsable")
GOOD: frozenset[str] = frozenset({"right", "equivalent"})


def grade(task: Task, tree: Mapping[str, bytes | None], *, unparsable: bool = False) -> Outcome:
    """How a tree compares with the task. `unparsable`: no edit was found in what the model sent."""
    before, after = task.before, task.after
    changed = {path for path in (*before, *tree) if tree.get(path) != before.get(path) or path not in tree}
    if not changed:
        return "unparsable" if unparsable else "refused"
    if not changed <= set(after):
        return "wrong-file"
    others = [path for path, data in after.items() if tree.get(path) != data]
    if not others:
        return "right"
    return "equivalent" if all(_same(path, tree.get(path), after[path]) for path in others) else "different"


def _same(path: str, one: bytes | None, other: bytes) -> bool:
    if one is None:
        return False
    try:
        return same_parsed(path, one.decode("utf-8"), other.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def same_parsed(path: str, one: str, other: str) -> bool:
    """Whether two texts of a file mean the same, as far as a parser of its format can say.

    >>> same_parsed("a.json", '{"a":1}', '{ "a": 1 }'), same_parsed("a.py", "x = 1", "x=1  # one")
    (True, True)
    >>> same_parsed("a.txt", "a b", "a  b")
    False
    """

    def read(text: str) -> object:
        reader = _READERS.get(type_of(path))
        return _code(path, text) if reader is None else reader(text)

    try:
        found = read(one)
        return found is not None and found == read(other)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False


def _json(text: str) -> object:
    return json.dumps(json.loads(text), sort_keys=True)  # as texts: 1, 1.0 and true are equal values


def _toml(text: str) -> object:
    import tomllib

    return json.dumps(tomllib.loads(text), sort_keys=True, default=repr)


def _yaml(text: str) -> object:
    """The events of a document, which unlike its value are never more than its text: an alias stays an alias."""
    import yaml

    try:
        return [
            (type(event).__name__, *(getattr(event, name, None) for name in ("anchor", "tag", "value", "implicit")))
            for event in yaml.parse(text)
        ]
    except yaml.YAMLError as error:
        raise ValueError("not YAML") from error


def _markdown(text: str) -> object:
    from markdown_it import MarkdownIt

    return [
        (token.type, token.tag, token.info, token.content, token.attrs)
        for token in MarkdownIt("commonmark").enable("table").parse(text)
    ]


def _html(text: str) -> object:
    from html.parser import HTMLParser

    found: list[tuple[str, object]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, attrs))

        def handle_endtag(self, tag: str) -> None:
            found.append(("/", tag))

        def handle_data(self, data: str) -> None:
            if data.strip():
                found.append(("text", data.split()))

        def handle_comment(self, data: str) -> None:
            found.append(("comment", data))

    reader = Reader()
    reader.feed(text)
    reader.close()
    return found


def _code(path: str, text: str) -> object:
    """The shape and the leaves of a syntax tree, in a language of ours without errors in the text; else None."""
    from steadyhand.structure.code.language import language_of
    from steadyhand.structure.code.tree import Parsed, parse_code
    from steadyhand.text.source import Source

    source = Source(text, path=path)
    language = language_of(source)
    if language is None:
        return None
    parsed = parse_code(language, text)
    if not isinstance(parsed, Parsed) or parsed.errors:
        return None
    return [
        (depth, node.type, "" if node.child_count else parsed.written(node))
        for depth, node in _nodes(parsed.tree.root_node)
        if not node.type.endswith("comment") and (node.child_count or parsed.written(node).strip())
    ]


def _nodes(root: Node) -> Iterator[tuple[int, Node]]:
    """All nodes in the order of the text, with their depth: leaves alone do not say what indentation means."""
    waiting = [(0, root)]
    while waiting:
        depth, node = waiting.pop()
        yield depth, node
        waiting += [(depth + 1, child) for child in reversed(node.children)]


_READERS: Mapping[str, Callable[[str], object]] = {
    ".json": _json,
    ".toml": _toml,
    ".yaml": _yaml,
    ".yml": _yaml,
    ".md": _markdown,
    ".markdown": _markdown,
    ".html": _html,
    ".htm": _html,
}
