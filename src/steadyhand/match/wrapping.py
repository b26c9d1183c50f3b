"""Where a line ending may come or go without changing what is said: the same tokens, wrapped elsewhere.

A line ending counts where it ends something: after a comment or a directive, between statements of a language that
needs no semicolon, between the lines of a list or a table, between paragraphs. Elsewhere it is layout. Whatever is not
known to be layout counts. How many blank lines part two rows is never looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.match.lexer import Lexer, Token

_TELLING = 6  # tokens; fewer may be one below the other for another reason than a full line
_OPENERS = {")": "(", "]": "[", "}": "{"}
_REMARKS = frozenset({"#", "//", "--", "%", ";"})  # what starts a comment somewhere
_MARKUP = frozenset("#|>=~-*+:.") | {"**", "--", "...", "..", "::", "==", "===", "```", "~~~"}


def is_wrapped_alike(lexer: Lexer, wanted: Sequence[Token], found: Sequence[Token]) -> bool:
    """Whether two runs of the same tokens have line endings at the same places, those that are layout left out."""
    differing = [at for at in range(1, len(wanted)) if bool(wanted[at].breaks) != bool(found[at].breaks)]
    if not differing:
        return True
    if len(wanted) < _TELLING or any(_is_bound(wanted[at - 1]) or _is_bound(wanted[at]) for at in differing):
        return False
    if lexer.wraps == "inside":
        return _are_inside(lexer, wanted, differing)
    if lexer.wraps == "blanks":
        return not _has_markup(wanted) and not _has_markup(found) and not _part_paragraphs(wanted, found, differing)
    return lexer.wraps == "anywhere"


def _is_bound(token: Token) -> bool:
    return token.kind in ("comment", "directive")


def _are_inside(lexer: Lexer, tokens: Sequence[Token], places: Sequence[int]) -> bool:
    """Whether the language lets a statement go on in the next row at each place."""
    if not lexer.comments and any(token.bare in _REMARKS for token in tokens):
        return False
    innermost = _innermost(tokens)
    return all(
        innermost[at] in lexer.inside
        or tokens[at - 1].text[-1] in lexer.goes_on_after
        or tokens[at].bare[0] in lexer.goes_on_before
        for at in places
    )


def _innermost(tokens: Sequence[Token]) -> list[str]:
    """The bracket that is open before each token, a line feed where none is.

    Brackets that are closed and were not opened must have been open from the start.
    """
    signs = [token.bare if token.kind == "plain" else "" for token in tokens]
    open_before = _unopened(signs)
    innermost: list[str] = []
    for sign in signs:
        innermost.append(open_before[-1] if open_before else "\n")
        if sign in ("(", "[", "{"):
            open_before.append(sign)
        elif sign in _OPENERS and open_before:
            open_before.pop()
    return innermost


def _unopened(signs: Sequence[str]) -> list[str]:
    """The openers that closers without one ask for, outermost first."""
    depth = 0
    missing: list[str] = []
    for sign in signs:
        if sign in ("(", "[", "{"):
            depth += 1
        elif sign in _OPENERS and depth:
            depth -= 1
        elif sign in _OPENERS:
            missing.append(_OPENERS[sign])
    return missing[::-1]


def _has_markup(tokens: Sequence[Token]) -> bool:
    """Whether a row starts with what makes it a heading, an item of a list, a row of a table and so on."""
    rows = (at for at, token in enumerate(tokens) if not at or token.breaks)
    return any(tokens[at].bare in _MARKUP or _is_number_of_item(tokens, at) for at in rows)


def _is_number_of_item(tokens: Sequence[Token], at: int) -> bool:
    return tokens[at].bare.isdigit() and at + 1 < len(tokens) and tokens[at + 1].bare in (".", ")")


def _part_paragraphs(wanted: Sequence[Token], found: Sequence[Token], places: Sequence[int]) -> bool:
    return any(wanted[at].breaks > 1 or found[at].breaks > 1 for at in places)
