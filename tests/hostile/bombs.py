"""Texts that cost a parser far more than their length: what each format needs for them, measured in children.

`python -m tests.hostile.bombs SIZE` prints a JSON object: for every shape, the peak of memory, in bytes above that of a
text of one line, for a text of SIZE characters and for one four times as long; null for what did not end.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable

from steadyhand.structure.format import format_of
from steadyhand.text.source import Source

SPACE = 2 << 30  # bytes of address space for a child
SECONDS = 120  # of processor time, against a text that never ends
PER_CHARACTER = 1_500  # bytes: what the densest text of a language takes
NOISE = 20_000_000  # bytes


# All of them where a size is asked for, as the long run does.
LANGUAGES = "js go sh sql" if "STEADYHAND_BOMB" not in os.environ else (
    "js ts tsx go rs java rb php cs kt sh css sql swift lua scala c cpp"
)  # fmt: skip


def _times(unit: str, before: str = "", after: str = "", closing: str = "") -> Callable[[int], str]:
    def make(size: int) -> str:
        count = size // len(unit + closing)
        return before + unit * count + after + closing * count + "\n"

    return make


def _numbered(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """Every repetition has a number of its own."""
    return lambda size: (
        before + "".join(unit.replace("#", str(n)) for n in range(size // (len(unit) + 3))) + after + "\n"
    )


SHAPES: dict[str, tuple[str, Callable[[int], str]]] = {
    "toml dotted key": ("a.toml", _times(".a", "a", " = 1")),
    "toml dotted header": ("a.toml", _times(".a", "[a", "]\nx = 1")),
    "toml dotted keys inside": ("a.toml", _numbered("k#.a.b.c = 1, ", "a = {", "z = 1}")),
    "toml arrays": ("a.toml", _times("[", "a = ", "", "]")),
    "toml tables": ("a.toml", _times("{a=", "a = ", "1", "}")),
    "toml arrays of tables": ("a.toml", _times("[[a]]\n[[a.b]]\nx = 1\n")),
    "toml digits": ("a.toml", _times("0", "a = 1")),
    "json arrays": ("a.json", _times("[", "", "", "]")),
    "json objects": ("a.json", _times('{"a":', "", "1", "}")),
    "json keys": ("a.json", _numbered('"k#":1,', "{", '"z":1}')),
    "json digits": ("a.json", _times("1")),
    "json open": ("a.json", _times('["')),
    "jsonc commas": ("a.jsonc", _times("1,", "[", "]")),
    "json5 comments": ("a.json5", _times("/* */", "", "{}")),
    "json lines": ("a.jsonl", _times('{"a":1}\n')),
    "yaml flow": ("a.yaml", _times("[", "a: ", "", "]")),
    "yaml flow maps": ("a.yaml", _times("{a: ", "a: ", "1", "}")),
    "yaml dashes": ("a.yaml", _times("- ", "", "a")),
    "yaml questions": ("a.yaml", _times("? ", "", "a")),
    "yaml aliases": ("a.yaml", lambda size: "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, size // 60))),
    "yaml merges": ("a.yaml", lambda size: "a0: &a0 {k0: 1}\n" + "".join(
        f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 9)}]\n  k{n}: 1\n" for n in range(1, size // 60))),
    "yaml anchors": ("a.yaml", _numbered("- &a# x\n- *a#\n")),
    "yaml documents": ("a.yaml", _times("---\na: 1\n")),
    "markdown quotes": ("a.md", _times(">", "", "a")),
    "markdown lists": ("a.md", _times("- ", "", "a")),
    "markdown brackets": ("a.md", _times("[")),
    "markdown links": ("a.md", _times("[a](b")),
    "markdown stars": ("a.md", _times("*a **b ")),
    "markdown tables": ("a.md", lambda size: "|a" * (size // 4) + "|\n" + "|-" * (size // 4) + "|\n"),
    "markdown front matter": ("a.md", _times("[", "---\na: ", "\n---\n")),
    "markdown front matter, dotted": ("a.md", _times(".a", "+++\na", " = 1\n+++\nx")),
    "html elements": ("a.html", _times("<div>")),
    "html misnested": ("a.html", _times("<b><p>")),
    "html tables": ("a.html", _times("<table><tr><td>")),
    "html attributes": ("a.html", _numbered(" a#=1", "<p", ">")),
    "html brackets": ("a.html", _times("<")),
    "html scripts": ("a.html", _times("<script><!--<script>")),
    "ini sections": ("a.ini", _numbered("[s#]\nk = 1\n")),
    "ini dotted": ("a.ini", _times(".a", "[a", "]\nk = 1")),
    "env lines": ("a.env", _numbered("K#=1\n")),
    "python import": ("a.py", _times(".a", "import a")),
    "python sum": ("a.py", _times("1+", "x = ", "1")),
    "python signs": ("a.py", _times("-", "x = ", "1")),
    "python attributes": ("a.py", _times(".a", "x = a")),
    "python calls": ("a.py", _times("(1,2)", "x = a")),
    "python indexes": ("a.py", _times("[0]", "x = a")),
    "python brackets": ("a.py", _times("(", "x = ", "", ")")),
    "python open braces": ("a.py", _times("{", "x = ")),
    "python branches": ("a.py", _times("elif a:\n    pass\n", "if a:\n    pass\n")),
    "python choices": ("a.py", _times("1 if a else ", "x = ", "1")),
    "python functions": ("a.py", _times("lambda a, b=1: ", "x = ", "1")),
    "python comparisons": ("a.py", _times("a<", "x = ", "1")),
    "python patterns": ("a.py", _times("1|", "match x:\n  case ", "1:\n    pass")),
    "python f-string": ("a.py", _times("{a}", "x = f'", "'")),
    "python list": ("a.py", _times("1,", "x = [", "]")),
    "python nested chains": ("a.py", _times("a+1+1+1+1+1+1+1+1+1+1+(", "x = ", "1", ")")),
    "python escapes": ("a.py", _times("\\d", "x = '", "'")),
    **{
        f"{suffix} {name}": (f"a.{suffix}", make)
        for suffix in LANGUAGES.split()
        for name, make in {
            "brackets": _times("(", "", "", ")"),
            "braces": _times("{"),
            "sum": _times("1+", "x = ", "1;"),
            "dots": _times(".a", "a", ";"),
            "quotes": _times("'\"`"),
            "angles": _times("<a>"),
        }.items()
    },
}  # fmt: skip


def cost_of(name: str, size: int) -> int | None:
    """Bytes that reading a text of that shape takes at its peak, in a child; None where it does not come to an end."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            path, make = SHAPES[name]
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            _read_all(path, make(size))
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            os.write(write, str((after - before) * (1 if sys.platform == "darwin" else 1024)).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    _, status = os.waitpid(child, 0)
    with os.fdopen(read, "rb") as answer:
        said = answer.read()
    return int(said) if status == 0 else None


def check_linear(small: int | None, large: int | None, size: int) -> None:
    """Whether what a text of that size costs, and one four times as long, is in proportion to their lengths."""
    assert small is not None, "reading it did not come to an end"
    assert large is not None, "reading it did not come to an end"
    assert large <= 5 * max(small, 0) + NOISE
    assert large <= PER_CHARACTER * 4 * size + NOISE


def _read_all(path: str, text: str) -> None:
    known = format_of(path)
    if known is None:
        return
    if known.fault is not None:
        known.fault(Source.of_text(text, path=path))
    known.outline(Source.of_text(text, path=path))


def load() -> None:
    """Read a line in each format: what is loaded once does not count."""
    for path in dict.fromkeys(path for path, _ in SHAPES.values()):
        _read_all(path, "a\n")


if __name__ == "__main__":
    size = int(sys.argv[1])
    load()
    print(json.dumps({name: [cost_of(name, size), cost_of(name, 4 * size)] for name in SHAPES}))
