"""Parameters and answers that the vault's tools share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases
from steadyhand.lazy import dataclass, field
from steadyhand.schema import HASH, Anything, Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.session.receipt import Receipt
from steadyhand.structure.config.key import key_entries
from steadyhand.structure.config.syntax import syntax_named
from steadyhand.structure.format import OutlineEntry, format_of
from steadyhand.structure.markdown.code_block import language_of
from steadyhand.structure.markdown.document import Document, Mark, Section, front_source
from steadyhand.structure.markdown.names import Link, index_of, joined, links_of
from steadyhand.structure.markdown.reader import read_markdown
from steadyhand.structure.node import Refusal
from steadyhand.structure.outline import Outline, outline
from steadyhand.text.diff import shared_rows
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.visible import clip, first_difference
from steadyhand.tools.file_views import (
    LINES_AT_ONCE,
    LiteralText,
    check_forwards,
    read_numbered,
    read_query,
)
from steadyhand.tools.result import AROUND, LINES, failure, main_file, offering, success
from steadyhand.tools.tool import Call, Example, Fields, Result, Tool
from steadyhand.workspace.budget import Deadline

# What the vault's tools take and answer alike.

# The answers of the vault's tools: `status` where other toolsets say `success`, `filePath` where they say `path`.
#
# Of a file with secrets nothing is shown.

_LONGEST = 200

# What every change is answered with.
CHANGED = (
    Field("status", Text(("success", "error")), required=True),
    Field("filePath", Text(), required=True),
    Field("affectedLines", LINES, "What changed, from 1, in the current file; end = start - 1: only removed."),
    Field("context", AROUND, "The lines around it now."),
    Field("fileHash", Text(), "Of the current file; send it as expectedHash.", required=True),
    Field("id", Text(), "Undo it by this.", required=True),
    Field("preview", Object.of(Field("before", Text()), Field("after", Text())), "Each cut at 200 characters."),
)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a change took away and those it wrote."""

    before: Sequence[str]
    after: Sequence[str]

    @property
    def count(self) -> int:
        """How many lines changed: those removed or those added, whichever is more."""
        return max(len(self.before), len(self.after))


def refused(error: EditError, phrases: Phrases) -> dict[str, object]:
    """A refusal in the vault's form; that of an old version has the hash to send."""
    present = error.details.get("actual")
    if error.kind is Kind.STALE_SOURCE and isinstance(present, str):
        error = error.with_details(fileHash=present[:16])
    details = offering(error, lambda offer: {"oldText": offer.old, "newText": offer.new}, takes_number=True)
    details.pop("index", None)  # a call is one edit
    answer = failure(error.advised(error.hints, details), phrases)
    del answer["success"]
    return {"status": "error", **answer}


def tell_change(receipt: Receipt, path: str, rows: Rows | None) -> dict[str, object]:
    """What a change of one file came to; `rows` is None where nothing of it may be shown."""
    file = main_file(receipt)
    answer = success(receipt, file.path)
    facts: dict[str, object] = {"status": "success", "filePath": path}
    if rows is not None and "lines" in answer:
        facts |= {"affectedLines": answer["lines"], "context": answer["context"]}
    return facts | {name: answer[name] for name in ("fileHash", "id", "warnings", "durable", "held") if name in answer}


def changed_rows(receipt: Receipt) -> Rows | None:
    """The rows in which a changed file differs; None where its content is not to be shown."""
    file = main_file(receipt)
    if file.redacted:
        return None
    before, after = (split_bodies(text) for text in file.texts())
    head, tail = shared_rows(before, after)
    return Rows(before[head : len(before) - tail], after[head : len(after) - tail])


def preview(before: str, after: str) -> dict[str, str]:
    """Both sides of a change, each cut; of long ones what is around the first difference is kept."""
    longer = max(len(before), len(after))
    shared = min(first_difference(before, after), longer - _LONGEST)
    start = max(shared - _LONGEST // 4, 0) if longer > _LONGEST else 0
    return {"before": _cut(before, start), "after": _cut(after, start)}


def _cut(text: str, start: int) -> str:
    ahead, rest = ("…", text[start:]) if start else ("", text)
    room = _LONGEST - len(ahead)
    return ahead + (rest if len(rest) <= room else f"{rest[: room - 1]}…")


# A file of the vault, as its tools name it: of an allowed kind by the name it is called and by the name it has.

FILE = Field("filePath", Text(), "The file, from the vault's root.", required=True)
EXPECTED = Field("expectedHash", Text(), "fileHash of the version you know; another version is refused.", also=HASH)


def file_source(call: Call, path: str) -> Source:
    """The file's text; nothing of it counts as read yet. Refuses as reading does, and with `not-allowed`."""
    source = call.host.source(call.path(path))
    if source.path is not None:  # a link may lead to a file of another kind
        call.check_ending(source.path)
    return source


# The lines of a file that are asked about, and lists of what begins in them: cut where long, and saying so.

MOST = 100

Thing = TypeVar("Thing")


@dataclass(slots=True)
class Window:
    """Lines `first` to `last`, both included, and what of the lists made of them did not fit."""

    first: int
    last: int
    left_out: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, start: object, end: object, count: int) -> Window:
        """The lines that `start` and `end` say, either of which may be absent. Refuses with `bad-request`."""
        check_forwards(start, end)
        return cls(start if isinstance(start, int) else 1, end if isinstance(end, int) else max(count, 1))

    def listed(
        self, name: str, things: Iterable[Thing], line: Callable[[Thing], int], tell: Callable[[Thing], object]
    ) -> list[object]:
        """What is shown of the things that begin in the window; `line` gives where each does."""
        inside = (thing for thing in things if self.first <= line(thing) <= self.last)
        kept = list(islice(inside, MOST + 1))
        if len(kept) > MOST:
            self.left_out.append(f"{name} from line {line(kept[-1])} on")
        return [tell(thing) for thing in kept[:MOST]]

    def answer(self) -> dict[str, object]:
        """What was left out, if anything, and how to get it."""
        return {"leftOut": f"{'; '.join(self.left_out)}: ask again with start and end"} if self.left_out else {}


# What a Markdown file is made of: front matter, headings, sections, code blocks, tables, links.
#
# What is shown of a heading, its path and its number, is what `TextPatch` takes for it.

_WIDEST = 200
_LARGEST = 1_000_000  # characters of a file whose headings are looked up for a few hits

Numbered = tuple[int, Mark]


def describe_markdown(source: Source, window: Window) -> dict[str, object]:
    """The parts that begin in the lines asked about. Refuses with `too-large` what is nested too deeply."""
    document = read_markdown(source)
    if isinstance(document, Refusal):
        raise document.to_error()
    telling = _Telling(source, document)
    codes, tables = enumerate(document.codes), enumerate(document.tables)
    links = links_of(source, window.first - 1, window.last)
    return {
        **telling.front(),
        "headings": window.listed("headings", document.sections, _section_line, telling.heading),
        "sections": window.listed("sections", document.sections, _section_line, telling.section),
        "codeBlocks": window.listed("codeBlocks", codes, _mark_line, telling.code),
        "tables": window.listed("tables", tables, _mark_line, telling.table),
        "links": window.listed("links", links, lambda link: link.row + 1, telling.link),
    }


def heading_of(source: Source, row: int) -> str | None:
    """The path of the heading that a row is under; None for none, and in a file too large to ask for it."""
    document = read_markdown(source) if len(source.text) <= _LARGEST else None
    if not isinstance(document, Document):
        return None
    around = [section for section in document.sections if section.mark.first <= row < section.end]
    return joined(around[-1].path) if around else None


@dataclass(frozen=True, slots=True)
class _Telling:
    """How each part of a document is described."""

    source: Source
    document: Document

    def front(self) -> dict[str, object]:
        front = self.document.front
        if front is None:
            return {}
        answer: dict[str, object] = {"format": front.syntax, "startLine": 1, "endLine": front.end}
        read = syntax_named(front.syntax).read(self.source.derive(front_source))
        if isinstance(read, Refusal):
            return {"frontMatter": answer | {"problem": read.message}}
        keys = [entry.address.partition(":")[2] for entry in key_entries(read) if entry.depth == 0]
        return {"frontMatter": answer | {"keys": keys[:MOST]}}

    def heading(self, section: Section) -> dict[str, object]:
        mark, path = section.mark, joined(section.path)
        same = index_of(self.source).exact.get(path, [])
        nth = same.index(section.number) + 1 if section.number in same else 1
        return {"level": mark.level, "text": mark.text, "line": mark.first + 1, "path": path, "nth": nth}

    def section(self, section: Section) -> dict[str, object]:
        return {"path": joined(section.path), "startLine": section.mark.first + 1, "endLine": section.end}

    def code(self, numbered: Numbered) -> dict[str, object]:
        index, mark = numbered
        return {"index": index, "language": language_of(mark), "startLine": mark.first + 1, "endLine": mark.end}

    def table(self, numbered: Numbered) -> dict[str, object]:
        index, mark = numbered
        return {"index": index, "columns": mark.level, "startLine": mark.first + 1, "endLine": mark.end}

    def link(self, link: Link) -> dict[str, object]:
        line = link.row + 1
        return {"line": line, "kind": link.kind, "text": link.text[:_WIDEST], "target": link.target[:_WIDEST]}


def _section_line(section: Section) -> int:
    return section.mark.first + 1


def _mark_line(numbered: Numbered) -> int:
    return numbered[1].first + 1


# What a file is made of, as `TextInspect` tells it: Markdown by its parts, other formats by what has an address.
#
# A file that does not parse is described all the same.

_PLAIN = "text"


def format_name(source: Source) -> str:
    """The name of the format that a file's name tells."""
    known = format_of(source.path)
    return _PLAIN if known is None else known.name


def describe(source: Source, window: Window) -> dict[str, object]:
    """What begins in the lines asked about, in the fields that its format has."""
    name = format_name(source)
    if name == _PLAIN:
        return {"outline": []}
    try:
        if name != "markdown":
            return _addresses(outline(source, limit=None), window)

        return describe_markdown(source, window)
    except EditError as error:
        return {"outline": [], "problem": error.message}


def _addresses(found: Outline, window: Window) -> dict[str, object]:
    def line(entry: OutlineEntry) -> int:
        return found.lines_of(entry)[0]

    def tell(entry: OutlineEntry) -> dict[str, object]:
        first, last = found.lines_of(entry)
        return {"address": entry.address, "kind": entry.kind, "startLine": first, "endLine": last}

    answer: dict[str, object] = {"outline": window.listed("outline", found.entries, line, tell)}
    return answer if found.gap is None else answer | {"problem": f"line {found.gap.line}: {found.gap.message}"}


# Text in one file: every place, counted from the left without overlap, the first of them shown with their lines.
#
# Bounded in hits and in time. A line that is shown whole counts as read by the task; of one that is cut nothing does.

_SHOWN = 50
_SECONDS = 5.0


Hit = tuple[int, int]
"""Line and column, from 1."""


def search_file(call: Call, source: Source, query: str, window: Window, *, is_regex: bool) -> dict[str, object]:
    """`totalMatches` and the first `matches` in the lines asked about. Refuses with `bad-request`, `timed-out`."""
    wanted, deadline = read_query(query, is_regex=is_regex), Deadline.after(_SECONDS)
    rows = source.lines
    first, text = window.first, "\n".join(rows[window.first - 1 : window.last])
    shown, total = list[Hit](), 0
    for hit in wanted.find(text, deadline, first=first, every=True):
        total += 1
        if total <= _SHOWN:
            shown.append(hit)
    if deadline.is_over:
        hint = "send a simpler query, without repeats inside repeats, or fewer lines with start and end"
        raise EditError(Kind.TIMED_OUT, "the search takes too long", hint=hint, details={"field": "query"})
    _remember(call, source, rows, shown)
    answer: dict[str, object] = {"totalMatches": total, "matches": [_hit(source, rows, *hit) for hit in shown]}
    if total > len(shown):
        answer["leftOut"] = f"{total - _SHOWN} matches behind line {shown[-1][0]}: ask again with start and end"
    elif not total and isinstance(wanted, LiteralText):
        answer |= _other_case(LiteralText(wanted.text.lower()), text.lower(), first, deadline)
    return answer


def _hit(source: Source, rows: list[str], line: int, column: int) -> dict[str, object]:
    answer: dict[str, object] = {
        "line": line,
        "column": column,
        "text": clip(rows[line - 1], column - 1),
        "context": {
            "beforeLines": [clip(row) for row in rows[max(line - 2, 0) : line - 1]],
            "afterLines": [clip(row) for row in rows[line : line + 1]],
        },
    }
    heading = heading_of(source, line - 1) if format_name(source) == "markdown" else None
    return answer if heading is None else answer | {"heading": heading}


def _remember(call: Call, source: Source, rows: list[str], hits: list[Hit]) -> None:
    """The hits and the lines around them, those that are shown whole, count as read."""
    near = {each for line, _ in hits for each in range(max(line - 1, 1), min(line + 1, len(rows)) + 1)}
    whole = [line for line in sorted(near) if clip(rows[line - 1]) == rows[line - 1]]
    if whole:
        call.host.saw_each(source, whole)


def _other_case(wanted: LiteralText, text: str, first: int, deadline: Deadline) -> dict[str, object]:
    """Where a text that is nowhere occurs in another case."""
    lines = [str(line) for line, _ in wanted.find(text, deadline, first=first)]
    if not lines:
        return {}
    more = f" and {len(lines) - 10} more" if len(lines) > 10 else ""
    return {"note": f"with other capitals it is in line {', '.join(lines[:10])}{more}"}


# `TextInspect`: what a file is made of, where a text occurs in it, or its lines; and always its hash.

MODES = ("structure", "search", "lines")
PARAMETERS = Object.of(
    FILE,
    Field("mode", Text(MODES), "structure: headings and blocks. search: query. lines: the text.", required=True),
    Field("query", Text(), "What to search for."),
    Field("isRegex", Flag(), "query is a regular expression, matched within each line."),
    Field("start", Number(least=1), "First line to show or search, from 1."),
    Field("end", Number(least=1), "Last line, included."),
)
_PLACE = Object.of(Field("startLine", Number()), Field("endLine", Number()), is_open=True)
_HIT = Object.of(
    Field("line", Number(), required=True),
    Field("column", Number(), required=True),
    Field("text", Text(), required=True),
    Field("context", AROUND),
    Field("heading", Text()),
    is_open=True,
)
_HEADING = Object.of(
    Field("level", Number()),
    Field("text", Text()),
    Field("line", Number()),
    Field("path", Text(), "Send it as heading, with nth if several have it."),
    Field("nth", Number()),
    is_open=True,
)
RESULT = Object.of(
    Field("status", Text(("success", "error")), required=True),
    Field("filePath", Text(), required=True),
    Field("format", Text(), required=True),
    Field("totalLines", Number(), required=True),
    Field("fileSize", Number(), "In bytes.", required=True),
    Field("fileHash", Text(), "Send it as expectedHash.", required=True),
    Field("frontMatter", Anything()),
    Field("headings", Many(_HEADING)),
    Field("sections", Many(_PLACE)),
    Field("codeBlocks", Many(_PLACE)),
    Field("tables", Many(_PLACE)),
    Field("links", Many(Object(is_open=True))),
    Field("outline", Many(_PLACE), "For formats other than Markdown."),
    Field("totalMatches", Number()),
    Field("matches", Many(_HIT)),
    Field("lines", Many(Text()), "Each with its number."),
    Field("leftOut", Text(), "What is not shown, and how to get it."),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Inspect; lines and hits that are shown then count as read by the task."""
    path, mode, query = str(fields["filePath"]), str(fields["mode"]), str(fields.get("query", ""))
    if mode == "search" and not query:
        raise bad_request("query", "mode search needs it", "add 'query', the text to look for")
    if mode != "search" and query:
        raise bad_request("query", f"mode {mode} takes none", 'send mode "search", or leave it out')
    source = file_source(call, path)
    window = Window.of(fields.get("start"), fields.get("end"), source.line_count)
    answer: Result = {"status": "success", "filePath": path, "format": format_name(source)}
    answer |= {"totalLines": source.line_count, "fileSize": source.size, "fileHash": source.digest[:16]}
    match mode:
        case "structure":
            return answer | describe(source, window) | window.answer()
        case "search":
            return answer | search_file(call, source, query, window, is_regex=bool(fields.get("isRegex")))
        case _:
            read = read_numbered(call, path, fields.get("start"), fields.get("end"))
            content = str(read.pop("content"))
            return answer | ({"lines": content.split("\n") if source.line_count else []} | read)


_INSPECT_TOOL = Tool(
    name="TextInspect",
    title="Inspect a file",
    summary=(
        "Look at a file before editing it: its structure with headings and code blocks, matches of a text, "
        f"or its lines, up to {LINES_AT_ONCE} at once. Always returns its hash."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="The structure of a Markdown file",
            files={"guide.md": "# Guide\n\n## Setup\n\n~~~sh\n# no heading\n~~~\n"},
            arguments={"filePath": "guide.md", "mode": "structure"},
            result={
                "status": "success",
                "format": "markdown",
                "totalLines": 7,
                "headings": [
                    {"level": 1, "text": "Guide", "line": 1, "path": "Guide", "nth": 1},
                    {"level": 2, "text": "Setup", "line": 3, "path": "Guide > Setup", "nth": 1},
                ],
                "codeBlocks": [{"index": 0, "language": "sh", "startLine": 5, "endLine": 7}],
            },
        ),
        Example(
            about="Find a text",
            files={"guide.md": "# Guide\n\n## Setup\n\nport 80\n"},
            arguments={"filePath": "guide.md", "mode": "search", "query": "port [0-9]+", "isRegex": True},
            result={
                "status": "success",
                "totalMatches": 1,
                "matches": [{"line": 5, "column": 1, "text": "port 80", "heading": "Guide > Setup"}],
            },
        ),
        Example(
            about="Some lines",
            files={"notes.txt": "one\ntwo\nthree\n"},
            arguments={"filePath": "notes.txt", "mode": "lines", "start": 2, "end": 3},
            result={"status": "success", "format": "text", "lines": ["2: two", "3: three"]},
        ),
        Example(
            about="A file type that the vault does not allow",
            files={"run.sh": "echo\n"},
            arguments={"filePath": "run.sh", "mode": "structure"},
            result={"status": "error", "kind": "not-allowed"},
        ),
    ),
    run=run,
    rank=10,
    refused=refused,
)

TOOLS = (_INSPECT_TOOL,)
