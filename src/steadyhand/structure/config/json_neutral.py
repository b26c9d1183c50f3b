"""Whether a change leaves a valid JSON text valid, from the changed lines alone.

No string of JSON spans lines, so at the start of a line the text is outside of strings. What else could be there is a
comment: text that does not end one is as good in it. JSON5 has strings that span lines; this is not for it.
"""

from __future__ import annotations

import json

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.format import Change

_STRING = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_SCALAR = r"(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+|true|false|null)(?![\w.+-])"
_TOKENS = lazy_pattern(rf"(?:{_STRING}|{_SCALAR}|[\[\]{{}},: \t\r\n])*+\Z")
_STRINGS, _SCALARS, _BLANKS = lazy_pattern(_STRING), lazy_pattern(_SCALAR), lazy_pattern(r"\s+")
_MEMBER = lazy_pattern(r'[ \t\r\n]*"[^"\\\x00-\x1f]*+"[ \t\r\n]*+:')
_FIRST = lazy_pattern(r"[ \t\r\n]*([^ \t\r\n])")
_VALUES = "{[-0123456789tfn"  # how values start that are no text
_MOST_DIGITS = 300
_NUMBER = lazy_pattern(rf"[0-9]{{{_MOST_DIGITS}}}")


def is_neutral(change: Change) -> bool:
    """Whether the text after is valid if the text before is."""
    old, new = change.old, change.new
    if "*/" in old or "*/" in new or not _TOKENS.match(new) or _NUMBER.search(new):
        return False
    if not _TOKENS.match(old):
        return False
    return _shape(old) == _shape(new) or _are_entries(change, old.strip(), new.strip())


def _shape(lines: str) -> str:
    """The kinds of the tokens."""
    return _BLANKS.sub("", _SCALARS.sub("0", _STRINGS.sub("s", lines)))


def _are_entries(change: Change, old: str, new: str) -> bool:
    """Whether some entries of one container take the place of others."""
    if not old:
        container = "{%s}" if _MEMBER.match(change.before, change.end) else "[%s]" if _is_between(change) else None
        return container is not None and new.endswith(",") and _read(container, new) is not None
    ends = old.endswith(",")
    if not new:
        return ends and _read("{%s}", old) is not None
    if ends != new.endswith(","):
        return False
    if _read("{%s}", old) is not None:
        return _read("{%s}", new) is not None
    values, others = _read("[%s]", old), _read("[%s]", new)
    if not isinstance(values, list) or not isinstance(others, list):
        return False
    # A value alone may be that of a key, and a text alone may be a key.
    return _next(change) in (_VALUES if ends else "]") or (
        not isinstance(values[-1], str) and (len(values) > 1 or len(others) == 1)
    )


def _next(change: Change) -> str:
    """The character behind the change; one that is nowhere for the end of the text."""
    found = _FIRST.match(change.before, change.end)
    return found[1] if found is not None else "\0"


def _is_between(change: Change) -> bool:
    """Whether a change is in front of a value of a list: behind a comma a value without a name is in no mapping."""
    above = change.before[max(change.start - 300, 0) : change.start].rstrip(" \t\r\n")
    is_comment = "/" in above[above.rfind("\n") + 1 :]
    return not is_comment and above.endswith((",", "[")) and _next(change) in _VALUES


def _read(container: str, entries: str) -> object:
    """What is written in a container, of which the last comma counts for nothing; None if that cannot be read."""
    try:
        found: object = json.loads(container % entries.removesuffix(","))
    except (ValueError, RecursionError):
        return None
    return found or None
