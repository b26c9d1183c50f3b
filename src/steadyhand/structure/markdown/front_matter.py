"""Front matter of Markdown, as a whole or one key of it: the target and what the verbs mean there.

The marks stay where the content is replaced, and go with it where it is deleted.

Also what a page says about itself, in front matter or in an HTML comment: an id (`jrn`) and rules of attention. Only
where it says so, and what is written there; what a rule means is not known here. Only the beginning of a page is looked
at. An example in a code fence, or a script, says nothing about the page it is on.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import dedent
from typing import ClassVar, cast

from steadyhand.errors import Kind
from steadyhand.hints import SendAddress
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.schema import bad_request
from steadyhand.structure.config.item import KeyPath, Step, as_path, render_path
from steadyhand.structure.config.key import Part, key_nodes
from steadyhand.structure.config.syntax import syntax_named
from steadyhand.structure.markdown.check import checked
from steadyhand.structure.markdown.document import CLOSINGS, Front, find_front, front_source, front_span, in_front
from steadyhand.structure.markdown.layout import blanks_below, insert_content
from steadyhand.structure.markdown.reader import known_markdown, markdown_of, read_content, view_of
from steadyhand.structure.node import Node, Proposal, Refusal, Where, refuse
from steadyhand.structure.target import Addressed
from steadyhand.text.lines import split_bodies, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span


@dataclass(frozen=True, slots=True)
class FrontMatterNode(Node):
    """The lines between the marks."""

    span: Span
    front: Front
    address: str = "front_matter:"
    kind: str = "front matter"

    @property
    def label(self) -> str:
        return f"front matter ({self.front.syntax})"

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        if to_lf(new) == to_lf(self.span.of(source.text)):
            return Proposal(())
        return self._written(source, self.span, self._bare(split_bodies(new)))

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        match where:
            case "before":
                return refuse("front matter is at the very top", "insert after it")
            case "after":
                return self._insert_after(source, text)
            case "start" | "end":
                at = self.span.start if where == "start" else self.span.end
                return self._written(source, Span(at, at), split_bodies(text))

    def delete(self, source: Source) -> Proposal | Refusal:
        document = known_markdown(source)
        end = self.front.end + blanks_below(document, self.front.end)
        return checked(source, Proposal.of(source, (Span(document.lead, document.table.start(end)), "")))

    def _insert_after(self, source: Source, text: str) -> Proposal | Refusal:
        document, content = known_markdown(source), read_content(text)
        if isinstance(content, Refusal):
            return content
        row = self.front.end + blanks_below(document, self.front.end)
        return insert_content(source, document, row, content) if content.lines else Proposal(())

    def _bare(self, lines: list[str]) -> list[str]:
        """Content without the marks, where it brings them."""
        closings = CLOSINGS[self.front.mark]
        if len(lines) > 1 and lines[0].rstrip() == self.front.mark and lines[-1].rstrip() in closings:
            return lines[1:-1]
        return lines

    def _written(self, source: Source, span: Span, lines: Sequence[str]) -> Proposal | Refusal:
        made = Proposal.of(source, (span, "".join(f"{line}\n" for line in lines)))
        view = view_of(source, made)
        rows = self.front.end + len(lines) - len(split_bodies(span.of(source.text)))
        if isinstance(view, Refusal) or view.after.front != Front(self.front.mark, rows):
            return refuse(
                f"with this content the text between the {self.front.mark} lines would not be front matter",
                f"send {self.front.syntax} keys, without {self.front.mark} lines and without a blank first line",
            )
        own = Span(0, known_markdown(source).table.start(self.front.end))
        return checked(source, made, own=own, view=view)


@dataclass(frozen=True, slots=True)
class FrontMatter(Addressed):
    """YAML between `---` lines or TOML between `+++` lines at the top. Without `path`: everything between them.

    `path` names a key, such as `author.name` or `tags[0]`; `$` is the top level, where `add-key` adds a key. `part` is
    the key's value, its entry or its name.

    >>> source = Source.of_text("---\\ntitle: Notes\\n---\\n")
    >>> FrontMatter("title").locate(source).span.of(source.text)
    'Notes'
    """

    key: ClassVar[str] = "front_matter"
    examples: ClassVar[tuple[str, ...]] = ("front_matter:", "front_matter:title")
    main: ClassVar[str] = "path"
    parts: ClassVar[tuple[str, ...]] = ("value", "entry", "name")

    path: str | tuple[Step, ...] = ""
    nth: int | None = None
    part: str = "value"

    def __post_init__(self) -> None:
        self._check_shared()
        if not self._steps and self.part != "value":
            raise bad_request("front_matter.part", "only a key has parts", "give the key's path")

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        document = markdown_of(source, "front matter")
        if isinstance(document, Refusal):
            return document
        front = document.front
        if front is None:
            return Refusal(
                Kind.NO_SUCH_TARGET,
                "the file has no front matter",
                SendAddress("lines:1-0", "insert it at", more=": a line ---, the keys, a line ---"),
                {"nearest": []},
            )
        if self.path in ("", ()):
            return [FrontMatterNode(front_span(document.table, front), front)]
        syntax = syntax_named(front.syntax)
        start = front_span(document.table, front).start
        inner = source.derive(front_source)
        part = cast("Part", self.part)
        found = key_nodes(syntax, inner, self._steps, offset=start, part=part, prefix=self.key)
        return in_front(found) if isinstance(found, Refusal) else found

    @property
    def _steps(self) -> KeyPath:
        return as_path(self.path, "front_matter.path", "author.name")

    def to_value(self) -> str | None:
        return self.path if isinstance(self.path, str) else render_path(self.path)


TARGET = FrontMatter


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
            first, newline, rest = written.partition("\n")  # the line beside `<!--` is at the margin already
            yield Block("yaml", first.strip() + newline + dedent(rest), head.count("\n", 0, start) + 1)


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
            said = f"{rule.get('op')} {rule.get('path')}" if isinstance(rule, Mapping) else str(rule)
            lost.append(f"the attention rule {said[:200]}")
    return lost


def _identity(rule: object) -> str:
    return json.dumps(rule, sort_keys=True, default=repr)


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
