"""Files in a reply: what is in code fences, in `<source>` and in `<file path=…>` tags, and under which name.

A fence ends at a line of nothing but its sign, at least as often as it began with. Fences inside it that say a language
are paired with their ends; so a Markdown file may have fences of the same length. Where it also has some without a
language, one and the same line may end the file or begin such a fence: of two such lines that follow each other, the
first begins one as long as a further line is left to end the file. And where one end is missing, the last line of the
reply ends the file, not a fence in it.

Nothing here knows a dialect: which of the fences are files and which only show something, is decided by its readers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from steadyhand.dialects.labels import label_in, label_in_info, mention_in, path_of
from steadyhand.dialects.piece import malformed
from steadyhand.dialects.reply import Line
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.match.tiers.elision import is_elision

__all__ = ["Fence", "fences_in"]

_MARK = lazy_pattern(r"( {0,8})(`{3,}|~{3,})[ \t]*([^\r\n]*?)[ \t]*")
_TAG = lazy_pattern(r"<(file|document|source_file|new_file|updated_file|full_file)\b[^<>]*>", re.I)
_CLOSING = lazy_pattern(r"\s{0,80}</(\w{1,20})>\s*")
_BARE = lazy_pattern(r"<(source|sourcecode|codeblock)>\w*", re.I)  # the tags that aider has for fences
_HEADING = lazy_pattern(r"\s*(?:#{1,6}\s|\*\*|__)")
_COMMENT = lazy_pattern(r"\s*(?:#|//|--|;+|%|/\*|<!--)\s*(\S+?)\s*(?:\*/|-->)?\s*")
_MARKDOWN = frozenset("md markdown mdx mdown mkd mdc qmd rmd".split())
_SHOWN = frozenset("diff patch udiff console output terminal shell-session shellsession".split())
_WIDEST = 400  # a longer line is content
_BLANKS = 2  # blank lines between a name and its fence
_AHEAD = 60  # marks looked at for one that could end a file


@dataclass(frozen=True, slots=True)
class Fence:
    """One fence, or one pair of tags.

    `lines` is where it is in the reply, with its first and last mark; `rows` is what is between them, without the
    indentation of the fence. `label` is the path it is given right above it or in its first line, `mention` one that
    the words above it have in passing. `is_closed` is false where the reply ends before it does.
    """

    lines: tuple[int, int]
    info: str
    rows: tuple[Line, ...]
    label: str | None
    mention: str | None
    is_closed: bool
    drops_cr: bool

    @property
    def text(self) -> str:
        """The rows as they are to be in the file."""
        if self.drops_cr:
            return "".join(f"{row.text}\n" for row in self.rows)
        return "".join(row.whole if row.ending else f"{row.text}\n" for row in self.rows)

    @property
    def only_shows(self) -> bool:
        """Whether it says of itself that it is no file."""
        return self.info.split(" ", 1)[0].lower() in _SHOWN

    @property
    def has_marks(self) -> bool:
        """Whether a row only says that others stay; three dots behind a colon are the whole body of something."""
        before = ""
        for row in self.rows:
            if is_elision(row.text) and (any(map(str.isalnum, row.text)) or not before.endswith(":")):
                return True
            before = row.text.rstrip() or before
        return False

    def named_inside(self) -> Fence:
        """The fence with the path that its first row, a comment, is nothing but; without that row."""
        found = _COMMENT.fullmatch(self.rows[0].text) if self.rows and len(self.rows[0].text) < _WIDEST else None
        path = path_of(found[1]) if found is not None else None
        return self if path is None or self.label is not None else replace(self, label=path, rows=self.rows[1:])

    def check_closed(self, format: str) -> None:
        """Refuse a fence that the end of the reply cuts off."""
        if not self.is_closed:
            line, last = self.lines
            raise malformed(
                last,
                f"the reply ends inside the fence that begins on line {line}",
                "the rest of the file, and the closing fence",
                format=format,
                hint="send the whole file again, with its closing fence",
            )


@dataclass(frozen=True, slots=True)
class _Mark:
    """A line that begins or ends a fence."""

    at: int
    indent: int
    ticks: str
    info: str

    def may_end(self, opening: _Mark) -> bool:
        """Whether it would end a fence, or begin one inside of it, rather than be a row like any other."""
        is_long = self.ticks[0] == opening.ticks[0] and len(self.ticks) >= len(opening.ticks)
        return is_long and self.indent <= opening.indent + 3


def fences_in(lines: Sequence[Line]) -> list[Fence]:
    """Every fence of a reply, top to bottom, without those inside others.

    >>> from steadyhand.dialects.reply import split_reply
    >>> [(fence.label, fence.text) for fence in fences_in(split_reply("a.py:\\n```\\nx = 1\\n```\\n"))]
    [('a.py', 'x = 1\\n')]
    """
    return list(_Scan(lines).fences())


class _Scan:
    """One reply."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._marks = [mark for at, line in enumerate(lines) if (mark := _mark_in(at, line.text)) is not None]
        self._closings: dict[str, list[int]] = {}  # where each kind of tag is closed
        for at, line in enumerate(lines):
            if (closing := _CLOSING.fullmatch(line.text)) is not None:
                self._closings.setdefault(closing[1].lower(), []).append(at)

    def fences(self) -> Iterator[Fence]:
        at = number = 0
        heading: str | None = None
        while at < len(self._lines):
            while number < len(self._marks) and self._marks[number].at < at:
                number += 1
            text = self._lines[at].text
            if number < len(self._marks) and self._marks[number].at == at:
                fence = self._fence(number, heading)
            elif (end := self._tagged(at)) is not None:
                fence = self._file(at, end)
            else:
                heading = label_in(text) or heading if _HEADING.match(text) else heading
                at += 1
                continue
            yield fence
            at, heading = fence.lines[1] - self._lines[0].number + 1, None

    def _fence(self, number: int, heading: str | None) -> Fence:
        opening = self._marks[number]
        above = self._above(opening.at)
        label = label_in_info(opening.info) or label_in(above)
        closing = self._closing(number, label)
        end = len(self._lines) if closing is None else closing.at
        rows = tuple(_outdented(line, opening.indent) for line in self._lines[opening.at + 1 : end])
        last = min(end, len(self._lines) - 1)
        return Fence(
            (self._lines[opening.at].number, self._lines[last].number),
            opening.info,
            rows,
            label,
            (mention_in(above) if above.rstrip().endswith(":") else None) or heading,
            closing is not None,
            self._lines[opening.at].ending == "\r\n",
        )

    def _above(self, at: int) -> str:
        """The line above a fence, one or two blank lines aside."""
        for step in range(1, _BLANKS + 2):
            if at < step or self._lines[at - step].text.strip():
                return self._lines[at - step].text if at >= step else ""
        return ""

    def _closing(self, number: int, label: str | None) -> _Mark | None:
        """The mark that ends a fence; None where the reply ends first."""
        opening = self._marks[number]
        is_markdown = _is_markdown(opening.info, label) and (label is not None or number == 0)
        depth = 0
        for at in range(number + 1, len(self._marks)):
            mark = self._marks[at]
            if not mark.may_end(opening):
                continue
            if mark.info:
                depth += 1
            elif depth:
                depth -= 1
            elif is_markdown and self._begins_another(at, opening):
                depth += 1
            else:
                return mark
        return self._last_line() if is_markdown else None

    def _last_line(self) -> _Mark | None:
        """The mark without a language that is the very last line: it ends the file rather than a fence in it."""
        last = max((at for at, line in enumerate(self._lines) if line.text.strip()), default=-1)
        mark = self._marks[-1]
        return mark if mark.at == last and not mark.info else None

    def _begins_another(self, number: int, opening: _Mark) -> bool:
        """Whether a mark without a language begins a fence inside a file: the next ends it, a further one the file."""
        following = [mark for mark in self._marks[number + 1 : number + _AHEAD] if mark.may_end(opening)]
        if not following or following[0].info or label_in(self._above(following[0].at)) is not None:
            return False
        depth = 0
        for mark in following[1:]:
            if not mark.info and not depth:
                return True
            depth += 1 if mark.info else -1
        return False

    def _tagged(self, at: int) -> int | None:
        """Where the file ends that a tag begins here; None where there is none, or where a fence follows the tag."""
        text = self._lines[at].text.strip()
        if not text.startswith("<") or len(text) >= _WIDEST:
            return None
        bare = _BARE.fullmatch(text)
        found = bare or _TAG.fullmatch(text)
        if found is None or (bare is None and label_in(text) is None) or text.endswith("/>"):
            return None
        first = next((line.text for line in self._lines[at + 1 : at + 2 + _BLANKS] if line.text.strip()), "")
        if _mark_in(0, first) is not None:
            return None
        closings = self._closings.get(found[1].lower(), [])
        number = bisect_right(closings, at)
        return closings[number] if number < len(closings) else len(self._lines) if bare is None else None

    def _file(self, at: int, end: int) -> Fence:
        last = min(end, len(self._lines) - 1)
        lines = (self._lines[at].number, self._lines[last].number)
        rows = tuple(self._lines[at + 1 : end])
        is_closed, drops_cr = end < len(self._lines), self._lines[at].ending == "\r\n"
        text = self._lines[at].text
        label = label_in(self._above(at)) if _BARE.fullmatch(text.strip()) else label_in(text)
        return Fence(lines, "", rows, label, None, is_closed, drops_cr)


def _mark_in(at: int, text: str) -> _Mark | None:
    if len(text) > _WIDEST:
        return None
    found = _MARK.fullmatch(text)
    if found is None or (found[2][0] == "`" and "`" in found[3]):
        return None
    return _Mark(at, len(found[1]), found[2], found[3])


def _outdented(line: Line, indent: int) -> Line:
    """A row without as much of the fence's indentation as it has."""
    blanks = len(line.text) - len(line.text.lstrip(" "))
    return replace(line, text=line.text[min(indent, blanks) :]) if indent and blanks else line


def _is_markdown(info: str, label: str | None) -> bool:
    extension = label.rpartition(".")[2].lower() if label is not None and "." in label else ""
    return extension in _MARKDOWN or (not extension and info.split(" ", 1)[0].lower() in _MARKDOWN)
