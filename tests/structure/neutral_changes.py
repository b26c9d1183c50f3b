"""Random changes of real files, and whether what is proven about one from its surroundings is so.

`python -m tests.structure.neutral_changes .py --seconds 300` goes looking for one that is not.
"""

from __future__ import annotations

import argparse
import random
import re
import sysconfig
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from steadyhand.structure.code.language import language_of
from steadyhand.structure.format import Change, Fault, Format, format_of
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice

_CORPUS = Path(__file__).parent.parent / "corpus"
_TOKENS = re.compile(r"\w+|[ \t]+|\n|[^\w\s]")
_LONGEST = 5_000
_SIGNS = "( ) [ ] { } \" ' ` \"\"\" ''' # // /* */ \\ : ; , . = == => -> != <> < > & * @ $ ${ % | ? ! - + ~ ^ 0 1e5 0x1"
_KEYWORDS = """
    if else elif for in while def class return yield await async lambda global nonlocal import from as with try except
    finally None True match case type print pass del assert break continue function const let var export default x
    interface enum switch new extends null true false NaN undefined key name value yes no __future__ f" rb' \\N{
"""
_LAYOUT = ("\n", "\n\n", "    ", "  ", "\t", "\r\n", "\f", "\0", "é", "\u2028", "- ", ": ", " #", "'''\n", '"""\n')
_LINES = """---
...
x = 1
    x: int = 1
    \"""Doc.\"""
def f(a, b): return a
global x
else:
    else:
@d
return
yield x
await x := 1
  - a
a: b
  a: b
a: &a |
*a: !t >
// c
/* c */
if (x) {
}
`${a}`
foo();
<div>
</div>
a ? /re/g : c
"a": 1,
[1, 2],""".split("\n")
_PASTES = (*_SIGNS.split(), *_KEYWORDS.split(), *_LAYOUT, *(f"{line}\n" for line in _LINES))

# What may be around lines that make them something else than they look like, and whether they are indented in it.
_PYTHON = (
    *((opening, opening[-3:]) for opening in ('"""', "'''", 'f"""', "rb'''", "x = '''", 'def g(a="""')),
    *(("(", ")"), ("[", "]"), ("if x:\n", ""), ("class A:\n", ""), ("async def f():\n", "")),
)
_SCRIPT = (
    *((opening, "}") for opening in ("if (x) {", "class A {", "x = {", "switch (a) {", "type T = {", "interface A {")),
    *(("`", "`"), ("/*", "*/"), ("x = `", "`"), ("f(", ")"), ("`${", "}`"), ("<p>", "</p>"), ("<p>{", "}</p>")),
)
_AROUND: dict[str, tuple[tuple[str, str], ...]] = {
    ".py": _PYTHON,
    ".ts": _SCRIPT,
    ".tsx": _SCRIPT,
    ".js": _SCRIPT,
    ".json": (("/*", "*/"), ("[", "]"), ('{"a":', "}"), ("//", "")),
    ".md": (("---\na: b\n", "\n---"), ("+++\na = 1\n", "\n+++"), ("---\n", "\n...")),
    ".toml": (('a = """', '"""'), ("a = '''", "'''"), ("a = [", "]"), ("[a]\n", "")),
    ".yaml": (
        *(("a: |\n", ""), ("a: >-\n", ""), ('a: "', '"'), ("a: '", "'"), ("a: [", "]"), ("a: {", "}")),
        *(("a: b\n", ""), ("? ", "")),
    ),
}


def texts(suffix: str, chance: random.Random, files: Sequence[Path] = ()) -> Iterator[str]:
    """Real texts of a format, and such as hold one within a string, a comment or brackets."""
    known = files or corpus(suffix)
    while True:
        try:
            text = chance.choice(known).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        yield _wrapped(_piece(text, chance), suffix, chance)


@cache
def corpus(suffix: str) -> tuple[Path, ...]:
    """The files of a format that come with the tests."""
    return files_in((_CORPUS,), suffix)


def files_in(folders: Sequence[Path], suffix: str) -> tuple[Path, ...]:
    found = (path for folder in folders for path in folder.rglob(f"*{suffix}") if path.is_file())
    return tuple(sorted(path for path in found if 200 < path.stat().st_size < 400_000))


def _piece(text: str, chance: random.Random) -> str:
    """Lines of a text that start and end at the margin, so that they have a chance to be valid."""
    lines = text.splitlines(keepends=True)
    tops = [row for row, line in enumerate(lines) if line[:1].strip() and line[:1] not in ")]}"]
    if len(text) <= _LONGEST or not tops:
        return text[:_LONGEST] if chance.random() < 0.1 else text if len(text) <= 3 * _LONGEST else "".join(lines[:120])
    first = chance.choice(tops)
    last = max((row for row in tops if sum(map(len, lines[first:row])) <= _LONGEST), default=len(lines))
    return "".join(lines[first:last])


def _wrapped(text: str, suffix: str, chance: random.Random) -> str:
    """The text, or one with some of its lines inside of something."""
    if suffix not in _AROUND or chance.random() < 0.5:
        return text
    lines = text.splitlines(keepends=True)
    first = chance.randrange(len(lines) + 1)
    last = min(first + chance.randrange(1, 30), len(lines))
    opening, closing = chance.choice(_AROUND[suffix])
    inside = lines[first:last]
    if opening.endswith("\n") or (suffix == ".yaml" and chance.random() < 0.7):
        inside = [f"  {line}" if line.strip() else line for line in inside]
    parts = (
        lines[:first],
        [opening, chance.choice(("", "\n"))],
        inside,
        [closing, chance.choice(("", "\n"))],
        lines[last:],
    )
    return "".join(line for part in parts for line in part)


def splices(text: str, chance: random.Random) -> Iterator[Splice]:
    """Changes as agents make them, and such as nobody would."""
    tokens = [(found.start(), found[0]) for found in _TOKENS.finditer(text)]
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for _ in range(80):
        at, token = chance.choice(tokens)
        row = chance.randrange(len(lines))
        many = min(row + chance.choice((1, 1, 1, 2, 3, 5, 8)), len(lines))
        other = chance.randrange(len(lines))
        donor = "".join(lines[other : other + chance.choice((1, 1, 2, 3, 5))])
        old = "".join(lines[row:many])
        indent = re.match(r"[ \t]*", old)
        assert indent is not None
        match chance.randrange(14):
            case 0:
                yield Splice(at, token, chance.choice(tokens)[1])
            case 1:
                yield Splice(at, token, chance.choice(_PASTES))
            case 2:
                yield Splice(at, "", chance.choice(_PASTES))
            case 3:
                yield Splice(at, token, "")
            case 4:
                place = chance.randrange(len(text))
                yield Splice(place, text[place : place + chance.randrange(4)], chance.choice((*_PASTES, "", "", "q")))
            case 5:
                yield Splice(starts[row], old, donor)
            case 6:
                yield Splice(starts[row], "", donor)
            case 7:
                yield Splice(starts[row], old, "")
            case 8:
                yield Splice(starts[row], old, indent[0] + donor.lstrip(" \t"))
            case 9:
                yield Splice(starts[row], "", indent[0] + chance.choice(_PASTES) + "\n")
            case 10:
                yield Splice(starts[row], old, old.replace(chance.choice(tokens)[1], chance.choice(tokens)[1]))
            case 11:
                shift = chance.choice((1, 2, 4, 8))
                yield Splice(starts[row], old, "".join(" " * shift + line for line in lines[row:many]))
            case 12:
                yield Splice(starts[row], old, "".join(line[chance.choice((1, 2, 4)) :] for line in lines[row:many]))
            case _:
                yield Splice(starts[row], old, "".join(reversed(lines[row:many])))


def is_proven(known: Format, text: str, splice: Splice) -> bool:
    place = splice.trim()
    after = text[: place.start] + place.new + text[place.end :]
    assert known.is_neutral is not None
    return after != text and known.is_neutral(Change.of(text, after, place.start, place.old, place.new))


def is_broken(known: Format, suffix: str, text: str) -> bool:
    assert known.fault is not None
    return isinstance(known.fault(Source.of_text(text, path=f"x{suffix}")), Fault)


def is_judged_valid(known: Format, suffix: str, text: str) -> bool:
    """Whether a text is valid, by what says so best. A text that needs a newer Python than this is left to a grammar,
    which finds errors in valid code: what is proven may be more than it takes."""
    if not text.strip() or is_broken(known, suffix, text):
        return False
    language = language_of(Source.of_text(text, path=f"x{suffix}"))
    return language is None or language.verdict is None or language.verdict(text) is None


def wrong_proofs(
    suffix: str, chance: random.Random, files: Sequence[Path] = ()
) -> Iterator[tuple[int, int, tuple[str, Splice] | None]]:
    """For every text that is valid: how many changes were tried and proven, and one that is proven and wrong."""
    known = format_of(f"x{suffix}")
    assert known is not None
    for text in texts(suffix, chance, files):
        if not is_judged_valid(known, suffix, text):
            continue
        tried = proven = 0
        for splice in splices(text, chance):
            tried += 1
            if not is_proven(known, text, splice):
                continue
            proven += 1
            if is_broken(known, suffix, text[: splice.start] + splice.new + text[splice.end :]):
                yield tried, proven, (text, splice)
                break
        yield tried, proven, None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suffixes", nargs="+")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, action="append", default=[])
    given = parser.parse_args()
    folders = (*given.folder, _CORPUS, Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib")))
    for suffix in given.suffixes:
        tried = proven = wrong = 0
        until = time.monotonic() + given.seconds
        for some, sure, found in wrong_proofs(suffix, random.Random(given.seed), files_in(folders, suffix)):
            tried, proven = tried + some, proven + sure
            if found is not None:
                wrong += 1
                text, splice = found
                row = text.count("\n", 0, splice.start)
                shown = "".join(text.splitlines(keepends=True)[max(row - 12, 0) : row + 14])
                print(f"WRONG {suffix} at row {row}: {splice.old!r} -> {splice.new!r}\n{shown}\n{'-' * 40}", flush=True)
            if time.monotonic() > until or wrong >= 5:
                break
        print(
            f"{suffix}: {tried:,} changes, {proven:,} proven ({proven / max(tried, 1):.0%}), {wrong} wrong", flush=True
        )


if __name__ == "__main__":
    main()
