"""Source code to a syntax tree in bounded time, and the errors of a tree.

The parser counts bytes of UTF-8; what it is given has as many bytes at every place as the text itself: a lone surrogate
becomes a replacement character of the same length, a lone CR an LF.
A point is a pair to be unpacked: its attributes `row` and `column` corrupt memory in one release of the binding.
Where a text has errors, it is parsed once more with the constructs covered that its grammar is known not to read
(`Language.unread`), and the tree with fewer errors counts; what is written is always taken from the text itself.

Recovering from errors costs more the longer one erroneous region is, without a bound. What is hopeless at first sight
is refused before it is parsed. Else the parser is handed the text piece by piece, and of every piece some bytes are
watched: its log says whether it is skipping tokens. In long sound stretches it is hardly watched at all; where it skips
and skips and puts nothing together, the text ends for it.
"""

from __future__ import annotations

import importlib
from bisect import bisect_left, bisect_right
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.hints import ByText, Hint, InstallExtra
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.code.language import Language
from steadyhand.structure.format import Fault
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import check_cancelled
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import count_lines, line_start

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import LogType, Node, Parser, Point, Tree


_SMALL = 6_000  # how many tokens are skipped in so many bytes does not matter
_FAR, _NEAR, _WATCHED = 5_000, 1_000, 64
_TROUBLE = ("skip_token", "detect_error", "skip_unrecognized", "recover")
_ENOUGH = 400
_AT_ONCE, _LOCAL = 4, 24
_BUSY = 3_000  # lines of the log for the few bytes that are watched
_TIMES = 20  # so often a text may be read on: a lexer that looks ahead to its end at every token never stops to
_LEAST = 1_000
_ELSEWHERE = 16  # what reading at another place counts, in bytes: a parser that recovers may go back for minutes


def parse_bounded(grammar: Grammar, data: bytes, edited: Tree | None = None) -> Tree | int:
    """The tree of some bytes, or about where the errors start that the parser did not get through.

    `edited` is the tree of a similar text, with its places moved to those of this one.
    """
    from tree_sitter import Parser

    parser = Parser(grammar)
    watch = _Watch(parser, data)
    tree = parser.parse(watch.read) if edited is None else parser.parse(watch.read, edited)
    parser.logger = None  # type: ignore[assignment]
    if watch.stopped is not None:
        raise watch.stopped
    return tree if watch.gave_up is None else watch.gave_up


class _Watch:
    """Reads for a parser and adds up what its recovering costs: the longer a region, the more each piece of it."""

    def __init__(self, parser: Parser, data: bytes) -> None:
        self.parser, self.data = parser, data
        # Where it is watched next, and where that ends while it is.
        self.next = _FAR if len(data) > _SMALL else len(data) + 1
        self.until: int | None = None
        self.reached = 0  # where the last piece ended
        self.left = _TIMES * max(len(data), _LEAST)  # bytes that may still be read on, piece after piece
        self.lines = self.troubles = self.reduced = self.run = self.cost = 0
        self.first = len(data)
        self.gave_up: int | None = None
        self.stopped: BaseException | None = None

    def read(self, offset: int, point: Point) -> bytes:  # noqa: ARG002
        if self.until is not None and offset >= self.until:
            self._judge(self.until)
        if self.gave_up is None and self.stopped is None:
            self._ask()
        if self.gave_up is not None or self.stopped is not None:
            return b""
        if self.until is None and offset >= self.next:
            self.until = offset + _WATCHED
            self.lines = self.troubles = self.reduced = 0
            self.parser.logger = self._note
        end = max(self.next if self.until is None else self.until, offset + 1)
        end = min(end, offset + _FAR)
        while end < len(self.data) and self.data[end] & 0b1100_0000 == 0b1000_0000:
            end += 1  # a piece ends with a whole character: the parser takes half of one for an error
        self.left -= end - offset if offset == self.reached else _ELSEWHERE
        self.reached = end
        if self.left < 0:
            self.gave_up = min(self.first, offset)
        return self.data[offset:end]

    def _ask(self) -> None:
        """Whether to go on. Nothing may be raised through the parser: it sees the end of the text."""
        try:
            check_cancelled()
        except BaseException as stop:  # noqa: BLE001 - it is raised once the parser is done
            self.stopped = stop

    def _note(self, kind: LogType, line: str) -> None:  # noqa: ARG002
        self.lines += 1
        self.troubles += line.startswith(_TROUBLE)
        self.reduced += line.startswith("reduce") - line.startswith("removed")

    def _judge(self, reached: int) -> None:
        """What the watched bytes tell of the piece they end."""
        self.parser.logger = None  # type: ignore[assignment]
        self.until = None
        is_local = self.troubles < _AT_ONCE or self.reduced * 2 >= self.troubles
        if is_local and self.lines < _BUSY:
            self.run, self.next = 0, reached + _FAR
            self.cost += _LOCAL * self.troubles // _WATCHED
        else:
            self.cost += (self.run + 4) * self.troubles // _WATCHED if self.run else 0
            self.run, self.next = self.run + 1, reached + _NEAR
        self.first = min(self.first, reached) if self.troubles >= _AT_ONCE else self.first
        if self.cost > _ENOUGH:
            self.gave_up = self.first


_DEEPEST = 2_000
_PIECE = 8_000
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
        return is_whole and all(part.strip('[]"`').isidentifier() for part in self.written(node).split("."))


def parse_code(language: Language, text: str, *, fragment: bool = False) -> Parsed | Refusal:
    """The syntax tree. Refuses with `too-large`, `not-installed`, and `unparsable` where a text is hopeless."""
    refusal = unfit(language, text)
    if refusal is not None:
        return refusal
    parsed = _parse(language, text, fragment=fragment)
    if isinstance(parsed, Parsed):
        for node in parsed.errors:
            if node.is_error and node.child_count > _WIDEST:  # the query would need more than linear time for it
                return _hopeless(language, node.start_point[0] + 1)
    return parsed


def unfit(language: Language, text: str) -> Refusal | None:
    """The refusal of a text that nobody should try to parse."""
    if (refusal := too_long(language, text)) is not None:
        return refusal
    # Few texts have so many brackets in one piece, and none of the runs: counting and looking for a text is quick.
    if _may_be_deep(text) and _depth(_BRACKET.findall(text)) > _DEEPEST:
        return _too_large(f"the text is nested more than {_DEEPEST} levels deep")
    has_run = _LONG_RUN in text or ("${" in text and _NESTED_RUN.search(text) is not None)
    if has_run or (language.nests_comments and _depth(_COMMENT.findall(text)) > _MANY):
        return _hopeless(language, 1)
    return None


def too_long(language: Language, text: str) -> Refusal | None:
    """The refusal of a text that is too long to be parsed."""
    if len(text) <= language.largest:
        return None
    return _too_large(f"the text has {len(text)} characters, {language.name} is parsed up to {language.largest}")


def _parse(language: Language, text: str, *, fragment: bool) -> Parsed | Refusal:
    try:
        grammar = grammar_of(language.package, (language.fragment if fragment else None) or language.grammar)
    except ModuleNotFoundError:
        return _not_installed(language)
    data = parsed_bytes(text)
    tree = parse_bounded(grammar, data)
    errors = () if isinstance(tree, int) else _errors(tree.root_node)
    given = data
    if isinstance(tree, int) or tree.root_node.has_error:
        for cover in language.unread:
            text = cover(text)
        covered = parsed_bytes(text)
        again = parse_bounded(grammar, covered) if covered != data else 0
        if not isinstance(again, int):
            fewer = _errors(again.root_node)
            if isinstance(tree, int) or not again.root_node.has_error or len(fewer) < len(errors):
                tree, errors, given = again, fewer, covered
    if isinstance(tree, int):
        return _hopeless(language, data.count(b"\n", 0, tree) + 1)
    return Parsed(tree, data, errors, given)


def parse_again(language: Language, parsed: Parsed, before: str, changes: ChangeSet, after: str) -> Change | None:
    """The tree after a change of a text that has no errors before and after it; None for other texts."""
    if parsed.tree.root_node.has_error or parsed.given is not parsed.data or unfit(language, after) is not None:
        return None
    tree, data, moved = parsed.tree.copy(), parsed_bytes(after), 0
    statements, limit = parsed.tree.root_node.children if language.layout == "suite" else [], len(parsed.data)
    starts: list[int] = []
    for splice in reversed(changes.splices):  # the last first: those before it stay where they are
        start = splice.start if parsed.data.isascii() else len(parsed_bytes(before[: splice.start]))
        old, new = parsed_bytes(splice.old), parsed_bytes(splice.new)
        moved += len(new) - len(old)
        # Of indented code the parser may keep two readings behind a change, and read the rest of the file again with
        # both. Where the rest of the statement is read again, what is behind it is taken from the tree.
        at = bisect_right(statements, start + len(old), key=lambda node: node.start_byte)
        rest = parsed.data[start + len(old) : min(statements[at].start_byte, limit)] if at < len(statements) else b""
        old, new, point = old + rest, new + rest, _point(parsed.data, start)
        tree.edit(start, start + len(old), start + len(new), point, _beyond(point, old), _beyond(point, new))
        starts.append(start)
        limit = start
    again = parse_bounded(grammar_of(language.package, language.grammar), data, tree)
    if isinstance(again, int) or again.root_node.has_error:
        return None
    end = len(data) - min(len(parsed.data) - start - len(parsed_bytes(splice.old)) for start, splice in
                          zip(starts, reversed(changes.splices), strict=True))  # fmt: skip
    ranges = [(span.start_byte, span.end_byte) for span in tree.changed_ranges(again)]
    low, high = min([min(starts), *(start for start, _ in ranges)]), max([end, *(end for _, end in ranges)])
    return Change(Parsed(again, data, (), data), *_statements_at(again.root_node, low, high), moved)


@dataclass(frozen=True, slots=True)
class Change:
    """A text parsed again: all that is read differently is in the bytes from `start` to `end`; `moved` is by how much
    what is behind it has moved.
    """

    parsed: Parsed
    start: int
    end: int
    moved: int


def _point(data: bytes, offset: int) -> tuple[int, int]:
    return data.count(b"\n", 0, offset), offset - data.rfind(b"\n", 0, offset) - 1


def _beyond(point: tuple[int, int], text: bytes) -> tuple[int, int]:
    """Where a text ends that starts at a point."""
    rows = text.count(b"\n")
    return point[0] + rows, len(text) - text.rfind(b"\n") - 1 if rows else point[1] + len(text)


def _statements_at(root: Node, start: int, end: int) -> tuple[int, int]:
    """The bounds of the outermost statements that some bytes are in, with one more on each side.

    What may belong to a statement without being part of it, as comments and attributes in front do, does not count.
    """
    children = root.children
    first = bisect_right(children, start, key=lambda node: node.start_byte) - 1
    last = bisect_left(children, end, key=lambda node: node.start_byte)
    for _ in range(2):
        first -= 1
        while first > 0 and _may_belong(children[first]):
            first -= 1
        last += 1
        while last < len(children) and _may_belong(children[last]):
            last += 1
    low = 0 if first <= 0 else children[first].start_byte
    return low, root.end_byte + 1 if last >= len(children) else children[last].end_byte


def _may_belong(node: Node) -> bool:
    return "comment" in node.type or "attribute" in node.type


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


def _may_be_deep(text: str) -> bool:
    """Whether brackets may be nested too deep, by how many there are in each piece of the text."""
    depth = 0  # at most, where a piece begins
    for start in range(0, len(text), _PIECE):
        opened, closed = (sum(text.count(sign, start, start + _PIECE) for sign in signs) for signs in ("([{", ")]}"))
        if depth + opened > _DEEPEST:
            return True
        depth = max(depth + opened - closed, opened)
    return False


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
    wanted: Hint = InstallExtra("languages") if language.is_extra else ByText(f"install the package {package}")
    where = "; it comes with the extra `languages`" if language.is_extra else ""
    return Refusal(
        Kind.NOT_INSTALLED,
        f"the grammar of {language.name} is not installed{where}",
        wanted,
        {"package": package},
    )


def _too_large(message: str) -> Refusal:
    return Refusal(Kind.TOO_LARGE, message, ByText())


def _hopeless(language: Language, line: int) -> Refusal:
    return Refusal(
        Kind.UNPARSABLE,
        f"line {line}: the text cannot be parsed as {language.name}",
        ByText(),
        {"line": line},
    )


_SHOWN = 40
_MOST_REPORTED = 20


def faults_of(parsed: Parsed, text: str) -> tuple[Fault, ...]:
    """The first errors that hold no other, in the order of the text."""
    if parsed.tree.root_node.has_error and not parsed.errors:
        return (Fault(1, "something is missing or unexpected"),)
    pairs = zip(parsed.errors, (*parsed.errors[1:], None), strict=False)
    apart = (node for node, behind in pairs if behind is None or behind.start_byte >= node.end_byte or node.is_missing)
    inner = list(islice(apart, _MOST_REPORTED))
    points = points_of(parsed.data, {node.start_byte for node in inner})
    return tuple(_fault(node, points[node.start_byte], text) for node in inner)


def _fault(node: Node, point: int, text: str) -> Fault:
    line, column = count_lines(text, point) + 1, point - line_start(text, point) + 1
    if node.is_missing:
        return Fault(line, f"missing `{node.type}`", column)
    shown = text[point : point + 200].split("\n", 1)[0].split("\r", 1)[0].strip()
    return Fault(line, f"unexpected `{shown[:_SHOWN]}`" if shown else "unexpected end of line", column)
