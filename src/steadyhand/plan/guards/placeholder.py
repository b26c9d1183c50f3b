"""New text that stands for code it does not spell out: `// ... existing code ...`, `# ... (unchanged)`.

Such a line, once written, has silently deleted what it stands for. Only whole lines and comments at the end of a line
count, only when they say what is left out, and never when the old text or the file had the same line: an Ellipsis in
Python, a spread in JavaScript and an ellipsis in prose are ordinary text.
"""

from __future__ import annotations

import re

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.plan.guards.guard import Finding, Guard, GuardInput
from steadyhand.text.cancel import check_each
from steadyhand.text.lines import Characters, split_lines

_DOTS = r"(?:\.{3,}|…)"
_NOUN = (
    r"(?:code|files?|contents?|implementations?|methods?|functions?|class(?:es)?|lines?|logic|imports?|documents?"
    r"|sections?|text|tests?|body|fields?|styles?|markup|components?|config(?:uration)?|script|module|template|page"
    r"|article|properties|props|entries|rows|definitions?|handlers?|routes?|options|settings|parameters|cases"
    r"|statements?|attributes|elements|html|css)"
)
_REST = rf"(?:the )?(?:rest|remainder) of (?:(?:the|your|this|these|our) )?(?:\w+ ){{0,2}}?{_NOUN}"
_KEPT = rf"(?:(?:the|all|your) )*(?:existing|remaining|previous|original|unchanged|other) (?:\w+ ){{0,2}}?{_NOUN}"
_STAYS = (
    r"(?:(?:is|are|remains?|stays?|left|kept|goes|go|continues?) )?"
    r"(?:unchanged|untouched|unmodified|the same|as is|as before|same as (?:before|above|original)"
    r"|omitted(?: for brevity)?|truncated|elided|snipped)"
)
_WITH_DOTS = lazy_pattern(
    rf"{_DOTS} ?(?:{_REST}|{_KEPT})(?: (?:{_STAYS}|here))? ?{_DOTS}?"
    rf"|(?:{_REST}|{_KEPT})(?: (?:{_STAYS}|here))? ?{_DOTS}"
    rf"|{_DOTS} ?(?:{_STAYS}|(?:everything|all) else(?: {_STAYS})?) ?{_DOTS}?"
)
_IN_WORDS = lazy_pattern(
    rf"(?:{_REST}|{_KEPT}) {_STAYS}"
    r"|(?:existing|remaining|previous|original) (?:code|contents?|implementation)(?: goes)? here"
    r"|(?:the )?rest of (?:the |your )?(?:code|file|implementation|contents?)(?: (?:goes )?here)?"
)
_BRACKETED = lazy_pattern(
    rf"(?:{_REST}|{_KEPT})(?: {_STAYS})?"
    r"|(?:code|contents?|text) (?:omitted|truncated|unchanged)(?: for brevity)?"
)
_ONLY_DOTS = lazy_pattern(rf"<!--\s*{_DOTS}\s*-->|/\*\s*{_DOTS}\s*\*/|\{{\s*/\*\s*{_DOTS}\s*\*/\s*\}}")
_COMMENT = lazy_pattern(r"(?:<!--|\{\s*/\*+|/\*+|//+|#+|--+|;+|%+|\*+(?!\*))\s*(.*)", re.DOTALL)
_TRAILING = lazy_pattern(r"[^\"'`]*?\s(//|#|--|/\*|<!--)\s*(.*)", re.DOTALL)
_CLOSING = lazy_pattern(r"\s*(?:-->|\*/\s*\}?)\s*\Z")
_BRACKETS = lazy_pattern(r"[\[(<{].*[\])>}]", re.DOTALL)
_NOISE = lazy_pattern(r"[\s()\[\]{}<>,;:*_—–-]+")
_SUSPECT = (
    "...", "…", "rest of", "remainder of", "unchanged", "omitted", "truncated", "existing", "remaining", "previous",
    "original",
)  # fmt: skip
_LONGEST_WORD = max(map(len, _SUSPECT))
_STRETCH = 1_000_000
_LONGEST = 200
_MARKDOWN = (".md", ".markdown", ".mdx", ".rst", ".txt")


def check(given: GuardInput) -> Finding | None:
    """Refuse the first new line that stands for text it does not spell out."""
    for edit in given.edits:
        if not _is_suspect(edit.new):
            continue
        for row, line in enumerate(check_each(split_lines(edit.new))):
            if len(line) <= _LONGEST and is_placeholder(line, given.path) and not _was_there(line, edit.old, given):
                return _finding(line, row, given.path)
    return None


def _is_suspect(text: str) -> bool:
    """Whether a text has any of the words that every such line has one of, in whatever case."""
    for start in check_each(range(0, len(text), _STRETCH), 1) if len(text) > _STRETCH else (0,):
        stretch = text[start : start + _STRETCH + _LONGEST_WORD].lower()
        for word in _SUSPECT:
            if word in stretch:
                return True
    return False


def is_placeholder(line: str, path: str | None = None) -> bool:
    """Whether a line says that other lines belong here instead of being them.

    >>> is_placeholder("    // ... existing code ..."), is_placeholder("    ...")
    (True, False)
    """
    stripped = line.strip()
    if _ONLY_DOTS.fullmatch(stripped):
        return True
    if _BRACKETS.fullmatch(stripped) and not _COMMENT.fullmatch(stripped):
        words = _words(stripped[1:-1])
        return bool(_BRACKETED.fullmatch(words) or _WITH_DOTS.fullmatch(words))
    if comment := _COMMENT.fullmatch(stripped):
        words = _words(_CLOSING.sub("", comment.group(1)))
        is_heading = stripped.startswith("#") and (path or "").lower().endswith(_MARKDOWN)
        return bool(_WITH_DOTS.fullmatch(words) or (not is_heading and _IN_WORDS.fullmatch(words)))
    if stripped.startswith(("...", "…")):
        return bool(_WITH_DOTS.fullmatch(_words(stripped)))
    trailing = _TRAILING.fullmatch(stripped)
    return bool(trailing and _WITH_DOTS.fullmatch(_words(_CLOSING.sub("", trailing.group(2)))))


def _words(text: str) -> str:
    """The words and dots of a comment, without brackets and dashes; a full stop at the end is no dot."""
    words = _NOISE.sub(" ", text).strip().lower()
    return words if words.endswith("...") else words.rstrip(".!")


def _was_there(line: str, old: Characters, given: GuardInput) -> bool:
    return line.strip() in old or (given.before is not None and line.strip() in given.before)


def _finding(line: str, row: int, path: str | None) -> Finding:
    return Finding(
        Kind.PLACEHOLDER_LEFT,
        f"{f'{path}: ' if path else ''}line {row + 1} of the new text stands for others: {line.strip()[:80]!r}",
        "write those lines out, or edit only what changes",
        {"line": row + 1, "text": line.strip()[:200]},
    )


GUARD = Guard(
    name="placeholder",
    rank=20,
    stage="edit",
    summary="New text may not elide code (`// ... existing code ...`) that the old text did not elide.",
    check=check,
    words=_SUSPECT,
)
