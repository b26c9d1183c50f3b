"""Promise: what people, models and contributors read is plain English.

Messages, hints, help, prompts, tool descriptions, docstrings, comments, pages and names use none of the words of
`BANNED`, but for the few lines of `ALLOWED`.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.table import table

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "steadyhand"

BANNED = re.compile(
    r"""\b(?:
        stands?(?!\s+(?:for|alone|apart|out)\b)  # is; “stands for” is English
        | stood
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

# Words that no module, function, class or field is named after: the field has another one.
BANNED_NAMES = frozenset(
    "anew awareness deed dispute disputes doors doubts heaviest lexis lineage lookout manner meetings mended seams "
    "sights spares stood told weave whereabouts".split()
)
# A word of a name, as in `told_at`, `TOLD` or `IsTold`: only files that have one need be parsed.
_PLAIN = "|".join(sorted(BANNED_NAMES))
NAMED = re.compile(rf"(?:\b|_)(?:{_PLAIN}|{_PLAIN.upper()})(?:\b|_)|{_PLAIN.title()}")
GERUND = re.compile(r"(?!test_)\w*ing\.py")

# Path and a part of the line: words that we quote, and a table of journals that are on people's disks.
ALLOWED = (
    ("changes/plain-words.changed.md", 'no longer use "stands"'),
    ("src/steadyhand/workspace/journal/", "sights"),
    ("tests/workspace/", "sights"),
    ("tests/text/test_words.py", "house stands"),
)
# A module that is named after a thing that ends so, or after what it is about.
NOUNS = frozenset("encoding.py heading.py listing.py sampling.py string.py".split())
# Words of others: inputs of tests, and what an earlier version has recorded.
QUOTED = ("tests/corpus/", "tests/scenarios/", "tests/workspace/recorded/schema", "tests/test_words.py")


def test_no_string_of_the_package_uses_a_banned_word() -> None:
    assert not [
        found
        for path, text in _texts(".py", BANNED)
        if path.is_relative_to(PACKAGE)
        for found in _banned(path, _strings(text))
    ]


def test_no_docstring_or_comment_uses_a_banned_word() -> None:
    assert not [found for path, text in _texts(".py", BANNED) for found in _banned(path, _prose(text))]


def test_no_page_prompt_script_or_setting_uses_a_banned_word() -> None:
    pages = [found for suffix in (".md", ".js", ".css", ".toml", ".yml") for found in _texts(suffix, BANNED)]
    assert not [found for path, text in pages for found in _banned(path, enumerate(text.splitlines(), 1))]


def test_nothing_is_named_with_a_banned_word() -> None:
    assert not [found for path, text in _texts(".py", NAMED) for found in _banned_names(path, text)]
    assert not [path for path in _tracked(".py") if BANNED_NAMES & _words(path.stem)]


def test_no_module_is_named_after_an_activity() -> None:
    names = {path.name for path in _tracked(".py") if not path.is_relative_to(ROOT / "benches")}
    assert {name for name in names if GERUND.fullmatch(name)} <= NOUNS


@table(
    ("text", "is_banned"),
    [
        ("the old text stands in 2 places", True),
        ("which one it is, is told", True),
        ("mend that line first", True),
        ("`…` stands for lines that are left out", False),
        ("an entry that stands alone", False),
        ("amended, and toldest", False),
    ],
)
def test_what_is_banned(text: str, is_banned: bool) -> None:
    assert bool(BANNED.search(text)) is is_banned


def _texts(suffix: str, words: re.Pattern[str]) -> Iterator[tuple[Path, str]]:
    """Files that have one of the words anywhere: only they need be parsed."""
    for path in _tracked(suffix):
        text = path.read_text(encoding="utf-8")
        if words.search(text):
            yield path, text


@cache
def _tracked(suffix: str) -> list[Path]:
    """Files of the repository, but for inputs; in an unpacked archive, all there are."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", f"*{suffix}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    names = listed.stdout.split("\0")[:-1] or [
        str(path.relative_to(ROOT)) for top in ("src", "tests", "docs") for path in (ROOT / top).rglob(f"*{suffix}")
    ]
    return [ROOT / name for name in sorted(names) if not name.startswith(QUOTED) and (ROOT / name).is_file()]


def _banned(path: Path, lines: Iterator[tuple[int, str]] | enumerate[str]) -> list[str]:
    name = str(path.relative_to(ROOT))
    return [
        f"{name}:{number}: {' '.join(text.split())[:160]}"
        for number, text in lines
        if BANNED.search(text) and not any(name.startswith(start) and part in text for start, part in ALLOWED)
    ]


def _banned_names(path: Path, text: str) -> list[str]:
    """Every function, class, parameter, variable and field of a module, by the words of its name."""
    name, found = str(path.relative_to(ROOT)), []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                defined = node.name
            case ast.arg():
                defined = node.arg
            case ast.Name(ctx=ast.Store()):
                defined = node.id
            case ast.Attribute(ctx=ast.Store()):
                defined = node.attr
            case _:
                continue
        if BANNED_NAMES & _words(defined):
            found.append(f"{name}:{node.lineno}: {defined}")
    return found


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}


def _strings(text: str) -> Iterator[tuple[int, str]]:
    """Every string that reads as prose: a word alone is a name, of a field or a file."""
    tree = ast.parse(text)
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield from [(node.lineno, node.value)] if re.search(r"\s", node.value) else []


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """Docstrings and comments, line by line."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from enumerate(node.value.value.splitlines(), node.lineno)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
