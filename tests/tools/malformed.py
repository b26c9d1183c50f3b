"""Argument objects as no schema allows them, drawn from a seed: what tools say of calls that models get wrong.

A call is an example of the tool with something done to it, an object drawn from the tool's shape, or no object at all.
The same seed always makes the same call.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from steadyhand.schema import Either, Field, Flag, Many, Number, Object, Shape, Text

__all__ = ["ASTRAY", "Maker"]

# Paths that lead nowhere, out of the root, or to what must not be shown; `{root}` and `{out}` are put in.
ASTRAY = (
    *("", ".", "..", "/", "~", "~/out.md", "-", "../out.md", "sub/../../out.md", "{out}", "{root}/../out.md"),
    *("/etc/passwd", "/proc/self/environ", "/dev/stdin", "link-out.md", "dir-out/out.md", "sub/link-out.md"),
    *(
        ".git/config",
        ".git",
        ".env",
        "sub/.env",
        "sub/id_rsa",
        "./.env",
        ".ENV",
        "link-env",
        ".steadyhand/journal.sqlite",
    ),
    *(".steadyhand", "sub", "sub/", "pipe", "binary.png", "empty.md", "crlf.md", "latin.txt", "sub/b.md", "none.md"),
    *("{root}/sub/b.md", "{root}", "sub/../crlf.md", "link-in.md", "crlf.md/x.md", "new/deep/x.md", "%2e%2e/out.md"),
    *("..\\out.md", "C:\\out.md", "a\0.md", "a\nb.md", "\udc80.md", "a\u202emd.exe", "\u2024\u2024/out.md", "con"),
    *("x" * 300, "x/" * 200, "file:///etc/passwd", "./" * 50 + "crlf.md", " crlf.md ", "crlf.md\0", "*", "**/*", "[a"),
)
_WORDS = (
    *("", " ", "\n", "\t", "\r\n", "\0", "\x1b[31m", "\ud800", "\udfff\ud800", "\ufeff", "\u2028", "\x85", "é", "𝕏"),
    *("$&", "$1", "\\1", "\\g<0>", "\\n", "%s", "{0}", "{{", "null", "true", "0", "-1", "1e3", "NaN", "[]", "{}"),
    *('{"a": 1}', '["a"', "(", "(a+)+$", "[", "*", "a{,9999}", "<", "<p>", "<!--", "]]>", "h1 >", ":not(", "#", "a[b"),
    *(
        "```\nx\n```",
        "@@ -1 +1 @@",
        "@@\n-one\n+1\n",
        "*** Begin Patch",
        "--- a/x\n+++ b/x\n",
        "... rest unchanged ...",
    ),
    *("lines:1-2", "lines:2-1", "lines:9-1", "heading:", "key:a.b", "selector:p", "at", "ffffffffffff", "0" * 16),
    *("G" * 16, "first", "last", "all", "unique", "before", "view", "create", "delete", "edits", "SELECT 1;--"),
)
_NUMBERS = (0, 1, -1, 2, 3, 7, -7, 2**31, -(2**31), 2**63, -(2**63), 10**40, 0.5, 1.0, -0.0, 1e308, 1e-9)
_ODD = (float("nan"), float("inf"), -float("inf"), True, False, None)
_PATHS = ("path", "file", "file_path", "filePath", "rename_to", "move_to", "new_path", "old_path")
_LONG = 20_000
_DEEP = 80


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes calls of one tool: `shape` is what it takes, `example` a call it understands, `texts` what is there."""

    shape: Object
    example: dict[str, Any]
    texts: Sequence[str]
    paths: Sequence[str]

    def call(self, seed: str) -> Any:
        """The arguments for a seed."""
        draw = random.Random(seed)
        kind = draw.random()
        if kind < 0.62:
            made: Any = copy.deepcopy(self.example)
            for _ in range(draw.choice((1, 1, 1, 2, 2, 3))):
                made = self._mutated(draw, made)
            return made
        if kind < 0.92:
            made = self._object(draw, self.shape, 0)
            return self._mutated(draw, made) if draw.random() < 0.2 else made
        return draw.choice((self._nothing, self._deep, self._as_text, self._any))(draw)

    def _mutated(self, draw: random.Random, value: Any) -> Any:
        places = list(_places(value))
        if not places:
            return self._any(draw)
        if draw.random() < 0.55:  # what is otherwise a good call gets further than one that is no call
            leaves = [(holder, key) for holder, key in places if isinstance(holder[key], str)]
            holder, key = draw.choice(leaves or places)
            (_stray if key in _PATHS else _spell)(self, draw, holder, key)
        else:
            holder, key = draw.choice(places)
            draw.choice(_MUTATIONS)(self, draw, holder, key)
        return value

    def text(self, draw: random.Random) -> str:
        kind = draw.random()
        if kind < 0.4:
            text = draw.choice(self.texts)
            start = draw.randrange(len(text) + 1)
            return draw.choice((text, text[start:], text[:start], text[start : start + 7]))
        if kind < 0.6:
            return self.path(draw)
        if kind < 0.97:
            return "".join(draw.choice(_WORDS) for _ in range(draw.choice((1, 1, 2, 3))))
        return draw.choice(_WORDS) * _LONG

    def path(self, draw: random.Random) -> str:
        return draw.choice(self.paths)

    def _any(self, draw: random.Random, depth: int = 0) -> Any:
        kind = draw.random()
        if kind < 0.35 or depth > 3:
            return self.text(draw)
        if kind < 0.6:
            return draw.choice(_NUMBERS)
        if kind < 0.75:
            return draw.choice(_ODD)
        if kind < 0.88:
            return [self._any(draw, depth + 1) for _ in range(draw.randrange(3))]
        return {self.text(draw): self._any(draw, depth + 1) for _ in range(draw.randrange(3))}

    def _nothing(self, draw: random.Random) -> Any:
        return draw.choice((None, 3, "", "a.md", [], [[]], {}, {3: "view"}, {None: None}, {"": ""}, True, float("nan")))

    def _deep(self, draw: random.Random) -> Any:
        made: Any = copy.deepcopy(self.example)
        wrap: Callable[[Any], Any] = draw.choice((lambda each: [each], lambda each: {"a": each}))
        deep: Any = 0
        for _ in range(draw.choice((_DEEP, _DEEP * 30))):
            deep = wrap(deep)
        holder, key = draw.choice(list(_places(made)) or [({}, "a")])
        holder[key] = deep
        return made

    def _as_text(self, draw: random.Random) -> str:
        text = json.dumps(self.example)
        return draw.choice(
            (text, text[:-1], text + "}", text.replace('"', "'"), json.dumps(text), f"```json\n{text}```")
        )

    def _value(self, draw: random.Random, shape: Shape, depth: int) -> Any:
        """A value that the shape takes, more often than not."""
        if draw.random() < 0.04 or depth > 6:
            return self._any(draw)
        match shape:
            case Text():
                return draw.choice(shape.choices) if shape.choices else self.text(draw)
            case Number():
                least = shape.least or 0
                return draw.choice(
                    (least, least + 1, least + 2, least + 4, str(least), least - 1, draw.choice(_NUMBERS))
                )
            case Flag():
                return draw.choice((True, False, "true", "False"))
            case Many():
                made = [self._value(draw, shape.item, depth + 1) for _ in range(draw.choice((0, 1, 1, 2, 3)))]
                return made[0] if made and draw.random() < 0.1 else made
            case Object():
                return self._object(draw, shape, depth)
            case Either():
                return self._value(draw, draw.choice(shape.shapes), depth)
            case _:
                return self._any(draw)

    def _object(self, draw: random.Random, shape: Object, depth: int) -> dict[str, Any]:
        made = {}
        for field in shape.fields:
            if draw.random() < (0.93 if field.required else 0.3):
                name = field.name if draw.random() < 0.9 else draw.choice(field.names)
                made[name] = self._field(draw, field, depth)
        if shape.is_open and draw.random() < 0.2:
            made[draw.choice(("at", "path", "to", "nth", "part", "x"))] = self._any(draw)
        return made

    def _field(self, draw: random.Random, field: Field, depth: int) -> Any:
        if "path" in field.names and draw.random() < 0.9:
            return self.path(draw)
        return self._value(draw, field.shape, depth + 1)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a value that can be given another one."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _drop(maker: Maker, draw: random.Random, holder: Any, key: Any) -> None:
    del holder[key]


def _rename(maker: Maker, draw: random.Random, holder: Any, key: Any) -> None:
    if isinstance(holder, dict):
        names = [key.upper(), f"_{key}", key[:-1], f"{key}s", draw.choice(maker.shape.names), maker.text(draw)]
        holder[draw.choice(names)] = holder.pop(key)
    else:
        holder.reverse()


def _double(maker: Maker, draw: random.Random, holder: Any, key: Any) -> None:
    if isinstance(holder, dict):
        same = [name for field in maker.shape.fields if key in field.names for name in field.names]
        holder[draw.choice([*same, key.title()])] = draw.choice((holder[key], maker._any(draw)))
    else:
        holder[key:key] = [copy.deepcopy(holder[key]) for _ in range(draw.choice((1, 2, 40)))]


def _replace(maker: Maker, draw: random.Random, holder: Any, key: Any) -> None:
    holder[key] = maker._any(draw)


def _spell(maker: Maker, draw: random.Random, holder: Any, key: Any) -> None:
    """Another text where there was one, a part of it, or the same with something inside."""
    value = holder[key]
    if not isinstance(value, str):
        return _replace(maker, draw, holder, key)
    at = draw.randrange(len(value) + 1)
    holder[key] = draw.choice(
        (
            maker.text(draw),
            maker.path(draw),
            value[:at] + draw.choice(_WORDS) + value[at:],
            value[:at] + value[at + 1 :],
            value.upper(),
            value.replace("\n", "\r\n"),
            f" {value}\n",
            value * 2,
        )
    )
    return None


def _stray(maker: Maker, draw: random.Random, holder: Any, key: Any) -> None:
    holder[key] = maker.path(draw)


def _number(maker: Maker, draw: random.Random, holder: Any, key: Any) -> None:
    holder[key] = draw.choice((*_NUMBERS, *_ODD)) if draw.random() < 0.8 else str(draw.choice(_NUMBERS))


def _dump(maker: Maker, draw: random.Random, holder: Any, key: Any) -> None:
    value = holder[key]
    try:
        text = json.dumps(value)
    except ValueError:
        text = "{"
    holder[key] = draw.choice((text, text[:-1], [value], {"a": value}, [value, value], [], {}))


def _add(maker: Maker, draw: random.Random, holder: Any, key: Any) -> None:
    """Another field of the shape, or one that there is not."""
    if not isinstance(holder, dict):
        return _replace(maker, draw, holder, key)
    field = draw.choice(maker.shape.fields)
    if draw.random() < 0.7:
        holder[field.name] = maker._field(draw, field, 0)
    else:
        holder[maker.text(draw)[:60]] = maker._any(draw)
    return None


_MUTATIONS = (_drop, _rename, _double, _replace, _spell, _spell, _spell, _stray, _stray, _number, _dump, _add, _add)
