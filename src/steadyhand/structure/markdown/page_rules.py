"""What a page says about itself: an id (`jrn`) and rules of attention, in front matter or in an HTML comment.

Only where it says so, and what is written there; what a rule means is not known here. Only the beginning of a page is
looked at. An example in a code fence, or a script, says nothing about the page it is on.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from textwrap import dedent

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.markdown.document import find_front, front_source
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source

__all__ = ["Block", "PageRules", "lost_rules", "page_rules", "rule_blocks"]

_FRONT = 65_536  # characters that are looked at
_COMMENTED = (".md", ".mdx", ".markdown", ".html", ".htm")
_HTML = (".html", ".htm")
_TELLING = lazy_pattern(r"^[ \t]*[\"']?(?:jrn|attention)[\"']?[ \t]*[:=]", re.MULTILINE)
_FENCE = lazy_pattern(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(?:.*?^ {0,3}\1[`~]*[ \t]*$|.*\Z)", re.MULTILINE | re.DOTALL)
_RAW = lazy_pattern(r"<(script|style|textarea|title|template)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_LETTER = lazy_pattern(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Block:
    """A text in the syntax `yaml` or `toml` that names an id or rules; `line` is where it begins in the page.

    `is_closed` false: the page opens front matter and never closes it, and there is no text.
    """

    syntax: str
    text: str
    line: int
    is_closed: bool = True


@dataclass(frozen=True, slots=True)
class PageRules:
    """What a page says about itself, as plain values."""

    jrn: object = None
    attention: tuple[object, ...] = ()


def rule_blocks(path: str, text: str) -> Iterator[Block]:
    """Where a page may say something about itself, front matter first."""
    head = text[:_FRONT].removeprefix("\ufeff")
    if head.startswith(("---", "+++")):
        source = Source.of_text(head)
        front = find_front(source.lines)
        if front is not None:
            inner = front_source(source).text
            if _TELLING.search(inner):
                yield Block(front.syntax, inner, 2)
        elif _is_left_open(source.lines):
            yield Block("yaml", "", 1, is_closed=False)
    if "<!--" not in head or not path.lower().endswith(_COMMENTED):
        return
    hidden = _RAW if path.lower().endswith(_HTML) else _FENCE
    visible = hidden.sub(lambda found: _LETTER.sub(" ", found[0]), head)
    for start, end in _comments(visible):
        written = head[start:end]
        if _TELLING.search(written):
            yield Block("yaml", _at_margin(written), head.count("\n", 0, start) + 1)


def page_rules(path: str, text: str) -> PageRules | None:
    """What a page says about itself; None where it says nothing that can be read."""
    from steadyhand.structure.config.item import plain_of
    from steadyhand.structure.config.syntax import syntax_named

    for block in rule_blocks(path, text):
        read = syntax_named(block.syntax).read(Source.of_text(block.text)) if block.is_closed else None
        if read is None or isinstance(read, Refusal) or not read.documents or read.documents[0].kind != "mapping":
            return None
        found = plain_of(read.documents[0])
        if isinstance(found, Mapping) and ("jrn" in found or "attention" in found):
            rules = found.get("attention")
            return PageRules(found.get("jrn"), tuple(rules) if isinstance(rules, list) else ())
    return None


def lost_rules(path: str, before: str, after: str) -> list[str]:
    """What an edit would take away of what a page says about itself, in words.

    >>> lost_rules("a.md", "---\\njrn: A\\n---\\n", "---\\njrn: B\\n---\\n")
    ['jrn A']
    """
    old = page_rules(path, before)
    if old is None:
        return []
    new = page_rules(path, after) or PageRules()
    lost = [] if old.jrn is None or old.jrn == new.jrn else [f"jrn {old.jrn}"]
    kept = Counter(map(_identity, new.attention))
    for rule in old.attention:
        kept[_identity(rule)] -= 1
        if kept[_identity(rule)] < 0:
            lost.append(f"the attention rule {_words(rule)}")
    return lost


def _identity(rule: object) -> str:
    return json.dumps(rule, sort_keys=True, default=repr)


def _words(rule: object) -> str:
    if isinstance(rule, Mapping):
        return f"{rule.get('op')} {rule.get('path')}"[:200]
    return str(rule)[:200]


def _comments(text: str) -> Iterator[tuple[int, int]]:
    """The insides of HTML comments; a search for each mark, since a pattern would look to the end for every opening."""
    end = 0
    while (start := text.find("<!--", end)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        yield start + 4, end


def _is_left_open(lines: list[str]) -> bool:
    """Whether a page that opens front matter and never closes it says something about itself at its top."""
    for line in lines[1:]:
        if _TELLING.match(line):
            return True
        if not line.strip() or line.startswith("#"):
            return False
    return False


def _at_margin(written: str) -> str:
    """The lines of a comment, moved to the margin; a first line beside `<!--` is there already."""
    first, newline, rest = written.partition("\n")
    return first.strip() + newline + dedent(rest)
