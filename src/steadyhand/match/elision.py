"""Rows that stand for rows they do not spell out: `...`, `// ... existing code ...`, `# (unchanged)`.

`is_elision` judges one row by itself, so it says yes to a lone `...` that may as well be Python or prose. That is safe
only where stricter tiers have found nothing, and where what an elision stands for is always kept. A row that holds code
beside the elision is never one.

`elided` maps an old text with elisions onto the rows its tier found: see there for what such a place promises.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from steadyhand.lazy import lazy_pattern
from steadyhand.match.lexer import Lexer
from steadyhand.match.runs import Domains, Place, RowView, Run, WorkSpent, choose_nearest, consistent, place_at, run_of
from steadyhand.text.lines import split_bodies

Section = tuple[int, int]  # rows, half-open

_LONGEST = 160  # code points; a longer row has something to say of its own
_DOTS = r"(?:\.{3,}|…+)"
_ONLY_DOTS = lazy_pattern(rf"{_DOTS}|\[\s*{_DOTS}\s*\]|\(\s*{_DOTS}\s*\)")
_COMMENT = lazy_pattern(
    rf"(<!--|\{{\s*/\*+|/\*+|//+|#+|--+(?=[\s.…])|;+|%+|\*(?=\s)|\.\.(?=\s+{_DOTS}))(.*)", re.DOTALL
)
_CLOSING = lazy_pattern(r"\s*(?:--+>|\*+/\s*\}?)\Z")
_BRACKETED = lazy_pattern(r"\[.*\]|\(.*\)")
_SAYING = lazy_pattern(rf"({_DOTS})?([\w' ]*)({_DOTS})?[.!]?")
_NOISE = lazy_pattern(r"[\s()\[\]{}<>,;:*`—–-]+")
_WORD = lazy_pattern(r"[\w']+")
# Words that say "what was there stays"; each of the firm ones says so without dots as well.
_FIRM = frozenset("unchanged unmodified untouched omitted elided truncated snip snipped".split())
_KEEPING = _FIRM | frozenset("existing rest remaining remainder previous original other others same more".split())
_NOUNS = frozenset(
    "code file files content contents implementation implementations method methods function functions class classes "
    "line lines logic import imports document section sections text test tests body field fields style styles markup "
    "component components config configuration script module template page properties props entries items rows "
    "definition definitions handler handlers route routes options settings cases statements elements "
    "version parts part data".split()
)
_GLUE = frozenset(
    "the a of your this these our that and all everything else here is are as it in for to before above below brevity "
    "remain remains stay stays left kept keep goes go continues with no changes".split()
)


def is_elision(row: str) -> bool:
    """Whether a row only says that other rows stay as they are.

    >>> [is_elision(row) for row in ("  // ... existing code ...", "...", "f(...args)", "// Later...")]
    [True, True, False, False]
    """
    text = row.strip()
    if not text or len(text) > _LONGEST:
        return False
    if _ONLY_DOTS.fullmatch(text):
        return True
    comment = _COMMENT.fullmatch(text)
    if comment:
        return _is_eliding_comment(comment.group(1), _CLOSING.sub("", comment.group(2)))
    return _is_eliding_text(text)


def _is_eliding_comment(mark: str, said: str) -> bool:
    saying = _SAYING.fullmatch(_NOISE.sub(" ", said.lower()).strip())
    if saying is None:
        return False
    words = _WORD.findall(saying[2])
    has_lead, has_trail = bool(saying[1]), bool(saying[3])
    if not words:
        return has_lead or has_trail
    if has_lead and has_trail:
        return len(words) <= 6
    if has_lead or has_trail:
        return (has_lead or len(words) > 1) and _says_kept(words, strangers=1 if has_lead else 0)
    is_apart = mark.startswith(("/", "<", "{")) or said[:1].isspace()
    return is_apart and mark not in ("##", "###", "####") and _says_firmly(words)


def _is_eliding_text(text: str) -> bool:
    """A row without comment marks: dots well apart from the words, or brackets around all of it."""
    saying = _SAYING.fullmatch(_NOISE.sub(" ", text.lower()).strip())
    if saying is None:
        return False
    words = _WORD.findall(saying[2])
    if re.match(rf"[\[(]?\s*{_DOTS}[\s(\[]|[\[(]?…", text) and (saying[3] or len(words) > 1):
        return _says_kept(words, strangers=0)
    return bool(_BRACKETED.fullmatch(text)) and len(words) > 1 and _says_firmly(words)


def _says_kept(words: Sequence[str], *, strangers: int) -> bool:
    unknown = sum(word not in _KEEPING and word not in _NOUNS and word not in _GLUE for word in words)
    return unknown <= strangers and not _KEEPING.isdisjoint(words)


def _says_firmly(words: Sequence[str]) -> bool:
    said = " ".join(words)
    is_firm = not _FIRM.isdisjoint(words) or re.search(r"\brest of\b|\bexisting code\b|\bremains? the same\b", said)
    return bool(is_firm) and _says_kept(words, strangers=0)


def sections_of(rows: Sequence[str]) -> list[Section]:
    """The stretches before, between and after the elisions, empty ones too: always one more than there are elisions.

    >>> sections_of(["a", "...", "b", "c", "..."])
    [(0, 1), (2, 4), (5, 5)]
    """
    cuts = [row for row, text in enumerate(rows) if is_elision(text)]
    return list(zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(rows)], strict=True))


def check_elisions(old: str, new: str) -> str | None:
    """What is wrong with the elisions of a replacement; None where they are those of the old text, in that order.

    Then section after section of the new text takes the place of that of the old. Where the old text has no literal row
    between two elisions, or beyond the last, new rows would have no place: that is wrong too.

    >>> check_elisions("a\\n# ...\\nb", "A\\n  # ...\\nb") is None
    True
    >>> check_elisions("a\\n# ...\\nb", "A\\nb")
    "the old text leaves lines out with '# ...', and the new text does not repeat that line"
    """
    before, after = split_bodies(old), split_bodies(new)
    left, right = _elisions(before), _elisions(after)
    if missing := Counter(left) - Counter(right):
        return f"the old text leaves lines out with {next(iter(missing))!r}, and the new text does not repeat that line"
    if added := Counter(right) - Counter(left):
        return f"the new text leaves lines out with {next(iter(added))!r} where the old text does not"
    if left != right:
        return "the new text has the lines that stand for others in another order than the old text"
    for section, other in zip(sections_of(before), sections_of(after), strict=True):
        if _is_blank(before, section) and not _is_blank(after, other):
            line = next(row.strip() for row in after[slice(*other)] if row.strip())
            return (
                f"the old text does not say where the new line {line[:80]!r} belongs: it has only left-out lines there"
            )
    return None


def _elisions(rows: Sequence[str]) -> list[str]:
    return [" ".join(row.split()) for row in rows if is_elision(row)]


def _is_blank(rows: Sequence[str], section: Section) -> bool:
    return not any(row.strip() for row in rows[slice(*section)])


def runs_of(rows: Sequence[str], lexer: Lexer) -> list[Run]:
    """The literal rows of each section that has some; none at all where nothing is elided."""
    sections = sections_of(rows)
    if len(sections) == 1:
        return []
    return [run for start, end in sections if (run := run_of(rows, start, end, lexer)) is not None]


def elided(needle_rows: Sequence[str], file_rows: Sequence[str], lexer: Lexer) -> list[tuple[int, int]] | None:
    """For every row of the old text the rows of the file it answers to, as half-open ranges; None for another place.

    `file_rows` are the rows of one span of the elision tier. Its first row is the first literal row of the old text and
    its last row the last one. The ranges rise and never overlap: one row for a literal row, the rows in between (one of
    them at least not blank) for an elision, nothing for an elision at either end or right after another, and one row
    or nothing for a blank row. Rows that no range covers are blank and lie between literal rows.

    >>> from steadyhand.match.lexer import lexer_of
    >>> elided(["a", "...", "d"], ["a", "b", "c", "d"], lexer_of(None))
    [(0, 1), (1, 3), (3, 4)]
    """
    runs = runs_of(needle_rows, lexer)
    if not runs or not file_rows:
        return None
    view = RowView(file_rows.__getitem__, len(file_rows), lexer)
    try:
        domains = consistent(_domains_within(runs, view), view)
    except WorkSpent:
        return None
    if domains is None:
        return None
    return _ranges(needle_rows, runs, choose_nearest(domains, view), view)


def _domains_within(runs: Sequence[Run], view: RowView) -> Domains:
    """Where each run may be when the first starts the rows and the last ends them."""
    first, last = place_at(runs[0], view, 0, 0), place_at(runs[-1], view, len(runs[-1].rows) - 1, view.count - 1)
    domains: Domains = [[] if first is None else [first]]
    for run in runs[1:-1]:
        starts = (row for row in range(view.count) if view.key(row) == run.keys[0])
        domains.append([place for row in starts if (place := place_at(run, view, 0, row)) is not None])
    if len(runs) > 1:
        domains.append([] if last is None else [last])
    elif first != last:
        return [[]]
    return domains


def _ranges(rows: Sequence[str], runs: Sequence[Run], places: Sequence[Place], view: RowView) -> list[tuple[int, int]]:
    """The placed rows, and what is between each two of them."""
    pairs = [pair for run, place in zip(runs, places, strict=True) for pair in zip(run.rows, place.rows, strict=True)]
    ranges = [(0, 0)] * pairs[0][0]
    for (row, at), (next_row, next_at) in pairwise([*pairs, (len(rows), view.count)]):
        ranges.append((at, at + 1))
        ranges += _between(rows[row + 1 : next_row], at + 1, next_at, view)
    return ranges


def _between(rows: Sequence[str], start: int, end: int, view: RowView) -> list[tuple[int, int]]:
    """Blank rows answer to blank rows as far as there are some, from either side; the first elision to all the rest."""
    elisions = [index for index, row in enumerate(rows) if is_elision(row)]
    head = elisions[0] if elisions else len(rows)
    tail = len(rows) - elisions[-1] - 1 if elisions else 0
    above: list[tuple[int, int]] = []
    for _ in range(head):
        step = int(start < end and view.is_blank(start))
        above.append((start, start + step))
        start += step
    below: list[tuple[int, int]] = []
    for _ in range(tail):
        step = int(start < end and view.is_blank(end - 1))
        below.append((end - step, end))
        end -= step
    gap = [(start, end)] + [(end, end)] * (len(rows) - head - tail - 1) if elisions else []
    return above + gap + below[::-1]
