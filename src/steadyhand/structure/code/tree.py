"""Source code to a syntax tree, in bounded time.

The parser counts bytes of UTF-8; what it is given has as many bytes at every place as the text itself: a lone surrogate
becomes a replacement character of the same length, a lone CR the LF it stands for.
A point is a pair to be unpacked: its attributes `row` and `column` corrupt memory in one release of the binding.
Where a text has errors, it is parsed once more with the constructs covered that its grammar is known not to read
(`Language.unread`), and the tree with fewer errors counts; what is written is always taken from the text itself.
Grammars recover from errors in more than linear time on hostile text: what is hopeless at first sight is refused before
it is parsed, what turns out to be so while it is parsed is given up (`bounded.py`).
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.code.language import Language
from steadyhand.structure.node import Refusal

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node, Tree


_DEEPEST = 2_000
_WIDEST = 2_000
_MANY = 500

_BRACKET = lazy_pattern(r"[(\[{}\])]")
_COMMENT = lazy_pattern(r"/\*|\*/")
_LONG_RUN = "<" * 400
_NESTED_RUN = lazy_pattern(r"(?:\$\{[\"'`]?){200}")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_LETTER = lazy_pattern(rb"[\w$\x80-\xff]")
_LONE_CR = lazy_pattern(r"\r(?!\n)")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tree, the bytes of the text, and the nodes that are errors, in the order of the text.

    `given` is what the parser was given: `data`, or as many bytes with some constructs covered.
    """

    tree: Tree
    data: bytes
    errors: tuple[Node, ...]
    given: bytes

    def written(self, node: Node) -> str:
        """The text of a node; the binding's own way to it is slow where the text was read piece by piece."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def is_name(self, node: Node) -> bool:
        """Whether the text has a name where the parser read one, and not what covers a construct."""
        start, end = node.start_byte, node.end_byte
        if self.given[start:end] == self.data[start:end]:
            return True
        is_whole = not (_LETTER.match(self.data, max(start - 1, 0)) or _LETTER.match(self.data, end))
        return is_whole and self.written(node).isidentifier()


def parse_code(language: Language, text: str, *, fragment: bool = False) -> Parsed | Refusal:
    """The syntax tree. Refuses with `too-large`, `not-installed`, and `unparsable` where a text is hopeless."""
    refusal = unfit(language, text)
    if refusal is not None:
        return refusal
    parsed = _parse(language, text, fragment=fragment)
    wide = _wide(parsed) if isinstance(parsed, Parsed) else None
    # The query would need more than linear time for such an error.
    return parsed if wide is None else _hopeless(language, wide.start_point[0] + 1)


def unfit(language: Language, text: str) -> Refusal | None:
    """The refusal of a text that nobody should try to parse."""
    if (refusal := too_long(language, text)) is not None:
        return refusal
    # Most texts have fewer brackets than may be nested, and none of the runs: counting and looking for a text is quick.
    if sum(map(text.count, "([{")) > _DEEPEST and _depth(_BRACKET.findall(text)) > _DEEPEST:
        return _too_large(f"the text is nested more than {_DEEPEST} levels deep")
    if _has_run(text) or (language.nests_comments and _depth(_COMMENT.findall(text)) > _MANY):
        return _hopeless(language, 1)
    return None


def _has_run(text: str) -> bool:
    return _LONG_RUN in text or ("${" in text and _NESTED_RUN.search(text) is not None)


def too_long(language: Language, text: str) -> Refusal | None:
    """The refusal of a text that is too long to be parsed."""
    if len(text) <= language.largest:
        return None
    return _too_large(f"the text has {len(text)} characters, {language.name} is parsed up to {language.largest}")


def _parse(language: Language, text: str, *, fragment: bool) -> Parsed | Refusal:
    from steadyhand.structure.code.bounded import parse_bounded

    try:
        grammar = grammar_of(language.package, (language.fragment if fragment else None) or language.grammar)
    except ModuleNotFoundError:
        return _not_installed(language)
    data = parsed_bytes(text)
    tree = parse_bounded(grammar, data)
    errors = () if isinstance(tree, int) else _errors(tree.root_node)
    given = data
    if isinstance(tree, int) or tree.root_node.has_error:
        covered = parsed_bytes(_covered(language, text))
        again = parse_bounded(grammar, covered) if covered != data else 0
        if not isinstance(again, int):
            fewer = _errors(again.root_node)
            if isinstance(tree, int) or not again.root_node.has_error or len(fewer) < len(errors):
                tree, errors, given = again, fewer, covered
    if isinstance(tree, int):
        return _hopeless(language, data.count(b"\n", 0, tree) + 1)
    return Parsed(tree, data, errors, given)


def _covered(language: Language, text: str) -> str:
    """The text without what is valid and cannot be read, every character of the rest where it was."""
    for cover in language.unread:
        text = cover(text)
    return text


def _wide(parsed: Parsed) -> Node | None:
    """An error that holds more than can be a mistake."""
    return next((node for node in parsed.errors if node.is_error and node.child_count > _WIDEST), None)


def is_installed(language: Language) -> bool:
    """Whether the grammar of a language is there."""
    try:
        grammar_of(language.package, language.grammar)
    except ModuleNotFoundError:
        return False
    return True


@cache
def grammar_of(package: str, function: str) -> Grammar:
    """The grammar a package has; imported once, and only for a file that needs it."""
    from tree_sitter import Language as Loaded

    return Loaded(getattr(importlib.import_module(package), function)())


def parsed_bytes(text: str) -> bytes:
    """What the parser is given for a text: as many bytes for every character as `utf8_bytes` has."""
    if "\r" in text:
        text = _LONE_CR.sub("\n", text)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode("utf-8")


def points_of(data: bytes, offsets: set[int]) -> dict[int, int]:
    """The code points at which some bytes start, in one pass.

    >>> points_of("a€b".encode(), {1, 4})
    {1: 1, 4: 2}
    """
    if data.isascii():
        return {offset: offset for offset in offsets}
    points: dict[int, int] = {}
    point = reached = 0
    for offset in sorted(offsets):
        point += len(data[reached:offset].decode("utf-8", "replace"))
        points[offset], reached = point, offset
    return points


def _errors(root: Node) -> tuple[Node, ...]:
    """Error and missing nodes; only the paths that lead to one are walked, without recursion."""
    found: list[Node] = []
    waiting = [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            found.append(node)
        if not (node.is_error and node.child_count > _WIDEST):
            waiting += [child for child in reversed(node.children) if child.has_error or child.is_missing]
    return tuple(found)


def _depth(brackets: list[str]) -> int:
    """How deep brackets are nested at most, those in strings included."""
    depth = deepest = 0
    for bracket in brackets:
        if bracket in ("(", "[", "{", "/*"):
            depth += 1
            deepest = max(depth, deepest)
        elif depth:
            depth -= 1
    return deepest


def _not_installed(language: Language) -> Refusal:
    package = language.package.replace("_", "-")
    return Refusal(
        Kind.NOT_INSTALLED,
        f"the grammar of {language.name} is not installed",
        f"install the package {package}, or address the place by lines or by its old text",
        {"package": package},
    )


def _too_large(message: str) -> Refusal:
    return Refusal(Kind.TOO_LARGE, message, "address the place by lines or by its old text")


def _hopeless(language: Language, line: int) -> Refusal:
    return Refusal(
        Kind.UNPARSABLE,
        f"line {line}: the text is not {language.name} that can be parsed",
        "address the place by lines or by its old text",
        {"line": line},
    )
