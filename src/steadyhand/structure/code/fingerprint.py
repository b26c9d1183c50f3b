"""What each definition of a source says, whatever its comments and its layout: so that two versions can be compared.

A definition's own text is everything in its span, the definitions inside it included. Compared are its tokens and how
deep each is nested in the syntax tree, so that a Python statement that leaves its `if` is another text, and one that is
only indented otherwise is not. Strings count as they are written.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING

from steadyhand.structure.code.language import language_of
from steadyhand.structure.code.reader import code_of
from steadyhand.structure.code.tree import parse_code, points_of
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import OFTEN, check_cancelled
from steadyhand.text.source import Source

if TYPE_CHECKING:
    from tree_sitter import Tree

__all__ = ["changed_definitions", "fingerprints"]

Prints = Mapping[str, tuple[str, ...]]


def fingerprints(source: Source) -> Prints | Refusal:
    """A digest of each definition by its dotted name; several where several have that name."""
    return source.derive(_read)


def changed_definitions(before: Prints, after: Prints) -> tuple[str, ...]:
    """The names whose text differs, those that came or went included, in the order of the file."""
    return tuple(name for name in dict.fromkeys((*after, *before)) if before.get(name) != after.get(name))


def _read(source: Source) -> Prints | Refusal:
    code = code_of(source)
    if isinstance(code, Refusal):
        return code
    language = language_of(source)
    parsed = None if language is None else parse_code(language, source.text)
    if language is None or parsed is None or isinstance(parsed, Refusal):
        return parsed if isinstance(parsed, Refusal) else {}
    tokens = _tokens(parsed.tree, parsed.data, frozenset(language.strings))
    points = points_of(parsed.data, {start for start, _, _ in tokens})
    starts = [points[start] for start, _, _ in tokens]
    found: dict[str, tuple[str, ...]] = {}
    for item in code.definitions:
        own = tokens[bisect_left(starts, item.proper.start) : bisect_left(starts, item.proper.end)]
        least = min((depth for _, depth, _ in own), default=0)
        digest = blake2b(digest_size=16)
        for _, depth, text in own:
            digest.update(b"%d %d " % (depth - least, len(text)))
            digest.update(text)
        found[item.dotted] = (*found.get(item.dotted, ()), digest.hexdigest())
    return found


def _tokens(tree: Tree, data: bytes, strings: frozenset[str]) -> list[tuple[int, int, bytes]]:
    """The leaves of the tree but for comments and blanks: where each starts, how deep it is, what it says."""
    tokens: list[tuple[int, int, bytes]] = []
    cursor = tree.walk()
    depth = count = 0
    while True:
        node = cursor.node
        count += 1
        if count % OFTEN == 0:
            check_cancelled()
        kind = "" if node is None else node.type
        is_comment = "comment" in kind
        # A string's parts leave out what is between its escapes.
        is_leaf = kind in strings or "string" in kind
        if not is_comment and not is_leaf and cursor.goto_first_child():
            depth += 1
            continue
        if node is not None and not is_comment:
            text = data[node.start_byte : node.end_byte]
            if text.strip():
                tokens.append((node.start_byte, depth, text))
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return tokens
            depth -= 1
