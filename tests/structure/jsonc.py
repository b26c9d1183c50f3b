"""The dullest reader of JSON with comments there is: what the tests compare with. It knows nothing of places."""

from __future__ import annotations

import json
from collections.abc import Iterator


def without_comments(text: str) -> str:
    """The text with every comment and every trailing comma taken out."""
    made: list[str] = []
    for token in tokens(text):
        if token.startswith(("//", "/*")):
            continue
        if token in ("}", "]"):
            at = len(made) - 1
            while at >= 0 and not made[at].strip():
                at -= 1
            if at >= 0 and made[at] == ",":
                del made[at]
        made.append(token)
    return "".join(made)


def comments(text: str) -> list[str]:
    return [token for token in tokens(text) if token.startswith(("//", "/*"))]


def load(text: str) -> object:
    return json.loads(without_comments(text))


def tokens(text: str) -> Iterator[str]:
    """Strings, comments, and everything else character by character."""
    at = 0
    while at < len(text):
        end = at + 1
        if text[at] == '"':
            while text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            end += 1
        elif text.startswith("//", at):
            while end < len(text) and text[end] not in "\r\n":
                end += 1
        elif text.startswith("/*", at):
            end = text.index("*/", at + 2) + 2
        yield text[at:end]
        at = end
