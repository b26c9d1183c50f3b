"""Promise: what people and models read is plain English.

Messages, hints, help, prompts, tool descriptions and pages use none of the words of `BANNED`; docstrings neither, but
for what `LEFT` still counts. A count may only become smaller: lower it when you rewrite a sentence.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "steadyhand"

BANNED = re.compile(
    r"""\b(?:
        stands?(?!\s+(?:for|alone|out)\b)  # is; “stands for” is English
        | told  # reported
        | mend(?:s|ed|ing)?  # fix
        | anew  # again
        | laid
        | deeds?
        | (?:is|are|was|were)\ led\ in
        | made\ past
        | what\ (?:it|a\ task|the\ task)\ is\ there\ for
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)

# How often the words are still in strings, and in docstrings and comments, of each room; and on each page.
LEFT_IN_STRINGS: dict[str, int] = {}
LEFT_IN_DOCSTRINGS: dict[str, int] = {}
# Names only: of a decision and a module, and of a field of repairs.
LEFT_ON_PAGES: dict[str, int] = {
    "ARCHITECTURE.md": 2,
    "CONTRIBUTING.md": 1,
}

# Pages that are history: a decision keeps the words it was made in. Those of the API are docstrings, which are counted
# where they are written.
HISTORY = ("docs/api/", "docs/decisions/")


def test_no_message_uses_a_banned_word() -> None:
    assert _too_many(_found(_strings), LEFT_IN_STRINGS) == []


def test_no_docstring_uses_a_banned_word() -> None:
    assert _too_many(_found(_docstrings), LEFT_IN_DOCSTRINGS) == []


def test_no_page_or_prompt_uses_a_banned_word() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *PACKAGE.rglob("*.md")]
    found = [
        (str(page.relative_to(ROOT)), number, line)
        for page in sorted(pages)
        if not str(page.relative_to(ROOT)).startswith(HISTORY)
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if BANNED.search(line)
    ]
    assert _too_many([(page, page, number, line) for page, number, line in found], LEFT_ON_PAGES) == []


Finding = tuple[str, str, int, str]
"""Room or page, file, line, text."""


def _too_many(found: list[Finding], left: dict[str, int]) -> list[str]:
    counts = Counter(place for place, *_ in found)
    return [
        f"{file}:{line}: {' '.join(text.split())[:160]}"
        for place, file, line, text in found
        if counts[place] > left.get(place, 0)
    ]


def _found(texts: object) -> list[Finding]:
    return [
        (_room(path), str(path.relative_to(ROOT)), line, text)
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, text in texts(path)  # type: ignore[operator]
        if BANNED.search(text)
    ]


def _room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    """Every string that reads as prose: a word alone is a name, of a field or a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield from [(node.lineno, node.value)] if re.search(r"\s", node.value) else []


def _docstrings(path: Path) -> Iterator[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for offset, line in enumerate(node.value.value.splitlines()):
                yield node.lineno + offset, line
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*#", line):
            yield number, line
