#!/usr/bin/env python3
"""Everything at once: decorators, nesting, strings that look like code."""
from __future__ import annotations

import functools

LIMIT = 10  # how many
NAMES: dict[str, int] = {
    "def": 1,
    "class": 2,
}

# Comments that stand apart belong to nobody.

# This one belongs to outer.
@functools.lru_cache(
    maxsize=None,
)
@other
async def outer(first, /, *rest, key=(1, 2), **more) -> "dict[str, int]":
    # before the docstring
    """Outer.

    def not_a_function():
    """
    text = """
class NotAClass:
    pass
"""
    def inner():  # nested
        return lambda x: x
    class Local:
        def method(self): return inner
    return Local
    # at the end


class Shape(Base, metaclass=Meta):
    """A shape."""

    __slots__ = ("x", "y")
    x: int
    y: int = 0

    @property
    def size(self): return self._size

    @size.setter
    def size(self, value):
        self._size = value

    # the first
    @overload
    def area(self, a: int) -> int: ...
    @overload
    def area(self, a: str) -> str: ...
    def area(self, a):
        if a:
            def helper(): ...
        else:
            def helper(): ...
        return helper


if LIMIT:
    def chosen(): return 1
else:
    def chosen(): return 2
type Alias = list[int]
