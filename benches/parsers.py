"""The parser of each format alone: text in, the library's own result out. What nobody who parses can be quicker than.

Each is imported when it is asked for, so that a peer's environment needs only the one of its format.
"""

from __future__ import annotations

import importlib
from collections import deque
from collections.abc import Callable


def parser_of(format: str) -> Callable[[str], object]:
    """The parser alone; whatever it needs only once is done already."""
    return _MAKERS[format]()


def _html() -> Callable[[str], object]:
    import turbohtml

    return lambda text: turbohtml.parse(text, source_locations=True)


def _markdown() -> Callable[[str], object]:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    parser = MarkdownIt("commonmark").enable("table")

    def parse(text: str) -> object:
        tokens: list[Token] = []
        parser.block.parse(text, parser, {}, tokens)
        return tokens

    return parse


def _yaml() -> Callable[[str], object]:
    import yaml

    return lambda text: deque(yaml.parse(text, Loader=yaml.CSafeLoader), maxlen=0)


def _toml() -> Callable[[str], object]:
    import tomllib

    return tomllib.loads


def _json() -> Callable[[str], object]:
    import json

    return json.loads


def _python() -> Callable[[str], object]:
    from tree_sitter import Language, Parser

    grammar = Language(importlib.import_module("tree_sitter_python").language())
    return lambda text: Parser(grammar).parse(text.encode())


def _typescript() -> Callable[[str], object]:
    from tree_sitter import Language, Parser

    grammar = Language(importlib.import_module("tree_sitter_typescript").language_typescript())
    return lambda text: Parser(grammar).parse(text.encode())


_MAKERS = {
    "HTML": _html,
    "Markdown": _markdown,
    "YAML": _yaml,
    "TOML": _toml,
    "JSON": _json,
    "Python": _python,
    "TypeScript": _typescript,
}
FLOOR = (
    "the parser alone: turbohtml with places, markdown-it without what is inside lines, the events of PyYAML's C"
    " parser, tomllib, json.loads, tree-sitter"
)
