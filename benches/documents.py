"""Files to edit by structure, one for each format: the same on every run, records numbered, a place in every record.

A place is given three ways: by its number, from which everybody makes an address of their own kind; and by the old and
new text of the one right answer, which anybody can find and slice. Standard library only; peers are given the same.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benches.texts import find_and_slice

ADDED = "Everything here was looked at once more."
GROUP = 20  # records that belong together: a chapter, a class
_WORDS = (
    "amber basin cedar delta ember fjord grove harbor inlet juniper kelp lagoon meadow nectar orchard prairie".split()
)


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of one record, and its text before and after the edit."""

    number: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Document:
    """A text, and the places in it in the order of the text."""

    format: str
    path: str
    text: str
    spots: tuple[Spot, ...]

    @property
    def middle(self) -> Spot:
        return self.spots[len(self.spots) // 2]

    def spread(self, count: int) -> list[Spot]:
        """So many places all over the text, in no order: models do not edit from top to bottom."""
        count = min(count, len(self.spots))
        found = [self.spots[number * len(self.spots) // count] for number in range(count)]
        random.Random(count).shuffle(found)
        return found

    def after(self, spots: Sequence[Spot]) -> str:
        """The right answer, made without any idea of structure."""
        text = self.text
        for spot in spots:
            text = find_and_slice(text, spot.old, spot.new)
        return text


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a format is written: what is at the top, one record, what is at the end."""

    path: str
    record: Callable[[int, random.Random], tuple[str, Spot]]
    top: str = ""
    end: str = ""
    between: str = ""


def documents(size: int) -> Iterator[Document]:
    """One file of about `size` characters for each format."""
    for name in _KINDS:
        yield document(name, size)


def document(format: str, size: int) -> Document:
    """The file of one format: whole records only."""
    kind, chance = _KINDS[format], random.Random(size)
    parts, total = [kind.top], len(kind.top)
    spots: list[Spot] = []
    while total < size:
        written, spot = kind.record(len(spots), chance)
        spots.append(spot)
        parts += [written, kind.between]
        total += len(written) + len(kind.between)
    return Document(format, kind.path, "".join([*parts[:-1], kind.end]), tuple(spots))


def lines_changed(before: str, after: str) -> int:
    """How many lines of a text are not there any more; in which order the others are is not asked.

    >>> lines_changed("a\\nb\\nb\\n", "b\\na\\n")
    1
    """
    return (Counter(before.splitlines(keepends=True)) - Counter(after.splitlines(keepends=True))).total()


def verdict(document: Document, after: str) -> str:
    """What came of everything else when somebody wrote the whole text again, to change the place in its middle."""
    right = document.after([document.middle])
    if right == after:
        return "every other byte kept"
    changed = lines_changed(right, after)
    if not changed:
        return "every other line kept, in another order or with more between them"
    return f"{changed:,} of {right.count(chr(10)):,} other lines changed"


def service_name(number: int) -> str:
    """What a record is called in the files of keys."""
    return f"{_WORDS[number % len(_WORDS)]}-{number}"


def chapter_name(number: int) -> str:
    return f"Chapter {number // GROUP}"


def topic_name(number: int) -> str:
    return f"{_WORDS[number % len(_WORDS)].title()} and {_WORDS[number * 7 % len(_WORDS)]}, part {number}"


def method_name(number: int) -> tuple[str, str]:
    """Class and method."""
    return f"Store{number // GROUP}", f"load_{_WORDS[number % len(_WORDS)]}_{number}"


def _sentence(chance: random.Random, count: int = 12) -> str:
    return " ".join(chance.choices(_WORDS, k=count)).capitalize() + "."


def _html(number: int, chance: random.Random) -> tuple[str, Spot]:
    """Quotes of both kinds and none, references, void elements, end tags left out: what people write."""
    first, second, third = chance.choices(_WORDS, k=3)
    price = f"  <p class=price>{chance.randrange(999)} &euro; for no {number}</p>\n"
    spot = Spot(number, price, f"  <p class=price>sold out, no {number}</p>\n")
    text = (
        f"<article class='card {first}' id=\"card-{number}\" data-rank={chance.randrange(99)}>\n"
        f'  <h2><a href="/{second}?id={number}&amp;from={third}">{first.title()} &amp; {second}</a></h2>\n'
        f'  <img src="/img/{number}.webp" alt="" width=320 height=200>\n'
        f"{price}  <ul class='facts'>\n    <li>{_sentence(chance, 5)}\n    <li>{third} &lt; {first}\n  </ul>\n"
        f"  <p>{_sentence(chance)}<br>\n     {_sentence(chance)} <em>{third}</em>\n"
        f"  <!-- card {number} -->\n</article>\n"
    )
    return text, spot


def _markdown(number: int, chance: random.Random) -> tuple[str, Spot]:
    last = f"Number {number} ends with {chance.choice(_WORDS)}.\n"
    table = "".join(f"| {chance.choice(_WORDS)} | {chance.randrange(99)} |\n" for _ in range(3))
    text = (
        (f"# {chapter_name(number)}\n\n" if number % GROUP == 0 else "")
        + f"## {topic_name(number)}\n\n{_sentence(chance, 20)}\n{_sentence(chance, 15)}\n\n"
        + f"- {_sentence(chance, 5)}\n- {_sentence(chance, 6)}\n  - {chance.choice(_WORDS)}\n\n"
        + f"```python\n# not a heading\nprint({number})\n```\n\n"
        + f"| what | count |\n|---|---:|\n{table}\n{last}"
    )
    return text, Spot(number, last, f"{last}\n{ADDED}\n")


def _yaml(number: int, chance: random.Random) -> tuple[str, Spot]:
    """Comments, quotes of both kinds and none, an inline list, items at the indentation of their key."""
    image, word, other = chance.choices(_WORDS, k=3)
    name, count = service_name(number), chance.randrange(2, 9)
    head = f'  {name}:\n    image: "registry.example/{image}:{number}"\n    replicas: '
    text = (
        f"{head}{count}   # {word} first\n    command: ['run', --{word}, '{other}']\n    ports:\n"
        f"    - {8000 + number}\n    - '{9000 + number}:80'\n    environment:\n      MODE: {word}   \n"
        f"      NAME: '{other}'\n    # {_sentence(chance, 4)}\n    restart: on-failure\n"
    )
    return text, Spot(number, f"{head}{count} ", f"{head}0 ")


def _json(number: int, chance: random.Random) -> tuple[str, Spot]:
    """An array on one line, numbers that no program would write so."""
    image, word, other = chance.choices(_WORDS, k=3)
    count = chance.randrange(2, 9)
    head = (
        f'    "{service_name(number)}": {{\n      "image": "registry.example\\/{image}:{number}",\n      "replicas": '
    )
    text = (
        f'{head}{count},\n      "ports": [{8000 + number}, {9000 + number}],\n      "load": 1.50,\n'
        f'      "environment": {{\n        "MODE": "{word}",\n        "NAME": "{other} caf\\u00e9"\n      }}\n    }}'
    )
    return text, Spot(number, f"{head}{count},", f"{head}0,")


def _toml(number: int, chance: random.Random) -> tuple[str, Spot]:
    image, word, other = chance.choices(_WORDS, k=3)
    count = chance.randrange(2, 9)
    head = f'[services.{service_name(number)}]\nimage = "registry.example/{image}:{number}"\nreplicas = '
    text = (
        f"{head}{count}   # {word} first\nports = [ {8000 + number}, {9000 + number} ]\nload   = 1.50\n"
        f"environment = {{ MODE = \"{word}\", NAME = '{other}' }}\n\n"
    )
    return text, Spot(number, f"{head}{count} ", f"{head}0 ")


def _python(number: int, chance: random.Random) -> tuple[str, Spot]:
    group, name = method_name(number)
    first, second, third = chance.sample(_WORDS, k=3)
    head = f"    def {name}(self, {first}: int, {second}: str = '{third}') -> list[int]:\n"
    body = (
        f'        """{_sentence(chance, 6)}"""\n'
        f"        if {first} is None:\n            return []\n"
        f"        {third} = [each * {chance.randrange(99)} for each in self.{first}({number})]  # {second}\n"
        f"        for each in range({first}):\n            {third}.append(each)\n        return {third}\n"
    )
    opening = f"class {group}:\n" + f'    """{_sentence(chance, 5)}"""\n\n' if number % GROUP == 0 else ""
    closing = "\n\n" if number % GROUP == GROUP - 1 else "\n"
    return f"{opening}{head}{body}{closing}", Spot(number, head + body, f"{head}        return []\n")


def _typescript(number: int, chance: random.Random) -> tuple[str, Spot]:
    first, second, third = chance.sample(_WORDS, k=3)
    head = f"export function {method_name(number)[1]}({first}: number, {second} = '{third}'): number[] {{\n"
    body = (
        f"  const {third} = read({first}).map((each) => each * {chance.randrange(99)}); // {second}\n"
        f"  for (let each = 0; each < {first}; each++) {{\n    {third}.push(each);\n  }}\n  return {third};\n"
    )
    return f"{head}{body}}}\n\n", Spot(number, head + body, f"{head}  return [];\n")


_KINDS = {
    "HTML": _Kind("page.html", _html, "<!doctype html>\n<title>Shop</title>\n<main>\n", "</main>\n"),
    "Markdown": _Kind("guide.md", _markdown, between="\n"),
    "YAML": _Kind("services.yaml", _yaml, "# what runs where\nversion: 2\nservices:\n"),
    "TOML": _Kind("services.toml", _toml, "# what runs where\nversion = 2\n\n"),
    "JSON": _Kind("services.json", _json, '{\n  "version": 2,\n  "services": {\n', "\n  }\n}\n", ",\n"),
    "Python": _Kind("stores.py", _python, '"""Stores."""\n\nfrom __future__ import annotations\n\n\n'),
    "TypeScript": _Kind("stores.ts", _typescript, 'import { read } from "./read";\n\n'),
}
