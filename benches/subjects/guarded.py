"""One exact edit in memory of files that are checked for syntax, against finding and slicing by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.table import Row, Table
from benches.texts import find_and_slice

_UNGUARDED = sh.Policy(guards=frozenset({"limits", "placeholder", "shrink"}))

# What is repeated, which lines of it are edited, what one line becomes, and what all of them become.
_PARTS = {
    ".py": (
        ('def load_{n}(path, limit):\n    """Read what is kept under a number."""\n    found = []\n'
        "    for row in open(path):\n        found.append(row.strip())\n    if len(found) > limit:\n"
        "        raise ValueError({n})\n    return found\n\n\n"),
        "        raise ValueError({n})\n    return found\n",
        "        raise KeyError({n})\n    return found\n",
        "        return None\n    print(found, {{}})\n    return found[:limit]\n",
    ),
    ".ts": (
        ("export function load{n}(path: string, limit: number): string[] {{\n  const found: string[] = [];\n"
        "  for (const row of read(path)) {{\n    found.push(row.trim());\n  }}\n  if (found.length > limit) {{\n"
        "    throw new RangeError('{n}');\n  }}\n  return found;\n}}\n\n"),
        "    throw new RangeError('{n}');\n  }}\n  return found;\n",
        "    throw new TypeError('{n}');\n  }}\n  return found;\n",
        "    console.warn('{n}', limit);\n  }}\n  return found.slice(0, limit);\n",
    ),
    ".json": (
        '  {{\n    "id": {n},\n    "name": "thing {n}",\n    "tags": ["a", "b"],\n    "size": 12.5\n  }},\n',
        '    "id": {n},\n    "name": "thing {n}",\n',
        '    "id": {n},\n    "name": "another thing",\n',
        '    "id": {n},\n    "kind": {{"of": "thing"}},\n    "is_old": true,\n',
    ),
    ".yaml": (
        ('thing_{n}:\n  id: {n}\n  name: a thing\n  title: "Number {n}"\n'
        "  tags: [a, b]\n  notes:\n    - first\n    - last\n"),
        '  id: {n}\n  name: a thing\n  title: "Number {n}"\n',
        '  id: {n}\n  name: another thing\n  title: "Number {n}"\n',
        "  id: {n}\n  kind: things\n",
    ),
    ".html": (
        '<section id="s{n}">\n  <h2>Number {n}</h2>\n  <p class="note">Some words about it.</p>\n</section>\n',
        '<section id="s{n}">\n  <h2>Number {n}</h2>\n',
        '<section id="s{n}">\n  <h2>Other number</h2>\n',
        '<section id="s{n}">\n  <p>There is no title.</p>\n  <hr>\n',
    ),
}  # fmt: skip


def run(setting: Setting) -> Iterator[Table]:
    for suffix in _PARTS:
        setting.tell(f"guarded edit, {suffix}")
        rows = [row for name, size, lines in _sizes(setting) for row in _rows(setting, suffix, name, size, lines)]
        yield Table(
            f"Exact edit of a {suffix} file in memory, with its guards",
            "str.find, a second find for uniqueness, two slices",
            rows,
            "without the syntax guard: the same edit where a policy leaves that guard out",
        )


def _sizes(setting: Setting) -> Iterator[tuple[str, int, int]]:
    """Names of sizes, with the characters or the lines there are."""
    if setting.scale.name == "tiny":
        return iter([("6 KB", 6_000, 0)])
    return iter([("10 KB", 10_000, 0), ("100 KB", 100_000, 0), ("20,000 lines", 0, 20_000)])


def _rows(setting: Setting, suffix: str, name: str, size: int, lines: int) -> Iterator[Row]:
    part, old, one, several = _PARTS[suffix]
    count = lines // part.count("\n") if lines else size // len(part.format(n=1000))
    text = _text(suffix, part, 1000, max(count, 4))
    middle = 1000 + max(count, 4) // 2
    for what, new in (("a word", one), ("lines", several)):
        edits = [sh.Replace(old.format(n=middle), new.format(n=middle))]
        expected = find_and_slice(text, old.format(n=middle), new.format(n=middle))
        result = sh.edit(text, edits, path=f"x{suffix}")
        assert result.text == expected
        assert not result.warnings
        yield from compare(
            partial(find_and_slice, text, old.format(n=middle), new.format(n=middle)),
            [
                Call(f"{name}, {what}", partial(sh.edit, text, edits, path=f"x{suffix}")),
                Call(
                    f"{name}, {what}, without the syntax guard",
                    partial(sh.edit, text, edits, path=f"x{suffix}", policy=_UNGUARDED),
                ),
            ],
            setting.scale.effort,
        )


def _text(suffix: str, part: str, first: int, count: int) -> str:
    body = "".join(part.format(n=number) for number in range(first, first + count))
    if suffix != ".json":
        return body
    text = f"[\n{body.removesuffix(chr(10)).removesuffix(',')}\n]\n"
    json.loads(text)
    return text


BENCH = Bench("guarded", 12, run)
