"""What follows JSON in a reply, and whether it belongs to the JSON.

A quote without its backslash can end a value too early, and the part before it may still be valid JSON. The text after
it shows the mistake: it continues the value and ends as a value does. Such a reply is refused.
"""

from __future__ import annotations

from steadyhand.dialects.structured.places import find_start, has_known_key
from steadyhand.lazy import lazy_pattern

__all__ = ["Aftermath"]

_BEHIND = lazy_pattern(r"[ \t\r,;)}\]]{0,80}(?:</?[\w:.|-]{1,40}>[ \t\r]*){0,4}(?:`{3,}\s*)?($)?")
_TAG = lazy_pattern(r"\s*</?[\w:.|-]{1,40}>\s*$")
_LEFT_OVER = lazy_pattern(r"""["'}\]],?\s*$""")
_LAST_OF_VALUE = lazy_pattern(r"""(?:^|["'])\s{0,80}[}\]][\s,}\]]*$""")


class Aftermath:
    """The lines behind the edits that were read."""

    def __init__(self) -> None:
        self._is_wary = False
        self._is_apart = False
        self._is_fenced = False

    def begin(self, line: str, at: int, *, is_fenced: bool) -> bool:
        """Whether an edit that ends at an offset of a line ends there for sure; what follows will be looked at."""
        self._is_wary, self._is_apart, self._is_fenced = True, False, is_fenced
        found = _BEHIND.match(line, at)
        return found is not None and (found.group(1) is not None or has_known_key(line, found.end()))

    def pass_fence(self) -> None:
        """A fence opens or closes: what was in one is behind us."""
        self._is_apart, self._is_fenced = True, False

    def is_rest(self, line: str, *, is_fenced: bool) -> bool:
        """Whether a line outside of values may be the rest of one."""
        if not line.strip():
            self._is_apart = True
            return False
        if not self._is_wary or is_fenced != self._is_fenced or find_start(line) >= 0 or _TAG.match(line):
            return False
        return is_fenced or (_LAST_OF_VALUE if self._is_apart else _LEFT_OVER).search(line) is not None

    def is_broken(self, *, is_fenced: bool) -> bool:
        """Whether something begins behind an edit that does not end: a value, or at the end of the reply a fence."""
        return self._is_wary and is_fenced == self._is_fenced
