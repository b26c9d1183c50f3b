"""Random TOML files in random styles: after each operation other parsers read exactly the asked change."""

from __future__ import annotations

import copy
import tomllib
from datetime import date, time
from random import Random
from typing import Any

import tomlkit
from hypothesis import given
from hypothesis import strategies as st
from tomlkit.exceptions import TOMLKitError

from steadyhand.structure.config.editor import Keys
from steadyhand.structure.config.item import Item, Plain, plain_of
from steadyhand.structure.config.toml import SYNTAX
from steadyhand.structure.config.toml_reader import read_document
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from tests.sampling import examples
from tests.structure.keyed import is_alike, value_at
from tests.structure.laws import check_only_inside

NAMES = ["a", "b", "c", "x-y", '"q r"', "'l.m'", "name"]
SCALARS = [
    *("1", "-2", "3.5", "true", '"s"', "'lit'", '"""\nml\nx"""', "'''raw'''", '""'),
    *("1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "inf", "0xff", "1_000"),
]
VALUES: list[Plain] = [1, 2.5, True, "text", "it's", "a\nb", 'q"r', "", "back\\slash", "#", [], {}, [1, "x"], {"k": 1}]


def value(chance: Random, depth: int = 0) -> str:
    kind = chance.random()
    if depth < 2 and kind < 0.2:
        return array(chance, depth)
    if depth < 2 and kind < 0.35:
        names = chance.sample(NAMES, chance.randint(0, 3))
        pairs = [f"{name}{chance.choice(['', ' .n', '.n.o'])} = {value(chance, depth + 1)}" for name in names]
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    return chance.choice(SCALARS)


def array(chance: Random, depth: int) -> str:
    items = [value(chance, depth + 1) for _ in range(chance.randint(0, 3))]
    match chance.randint(0, 5) if items else 0:
        case 0:
            return f"[{', '.join(items)}]"
        case 1:
            return f"[{','.join(items)}]"
        case 2:
            return "[\n" + "".join(f"    {item},{chance.choice(['', ' # c'])}\n" for item in items) + "]"
        case 3:
            return "[\n    # first\n" + ",\n".join(f"  {item}" for item in items) + "\n]"
        case 4:
            return "[\n" + ", # k\n".join(items) + ",]"
        case _:
            return "[ " + ", # k\n  ".join(items) + " ]"


def gap(chance: Random) -> str:
    return chance.choice([""] * 5 + ["# note\n", "# a\n# b\n", "\n", "\n# group\n"])


def pairs(chance: Random) -> str:
    equals, indent = chance.choice([" = ", "=", " =  "]), chance.choice(["", "", "  "])
    made = ""
    for name in chance.sample(NAMES, chance.randint(0, 4)):
        made += gap(chance)
        dotted = [f".{one}" for one in chance.sample("mno", chance.randint(1, 3))] if chance.random() < 0.25 else [""]
        for more in dotted:
            made += f"{indent}{name}{more}{equals}{value(chance)}{chance.choice(['', ' # behind', '   '])}\n"
    return made


def toml(chance: Random) -> str:
    text = gap(chance) + pairs(chance)
    for _ in range(chance.randint(0, 4)):
        path = ".".join(chance.sample(["t", "u", "v", '"z z"'], chance.randint(1, 3)))
        header = f"[[{path}]]" if chance.random() < 0.3 else f"[{path}]"
        text += f"{gap(chance)}{chance.choice(['', chr(10)])}{gap(chance)}{header}\n{pairs(chance)}"
    text = text.rstrip("\n") if chance.random() < 0.2 else text
    return text.replace("\n", "\r\n") if chance.random() < 0.2 else text


def loaded(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def is_read_alike(text: str) -> bool:
    """Whether tomlkit reads what tomllib reads: tables that are written in parts it sometimes refuses."""
    try:
        return ordered(tomlkit.parse(to_lf(text)).unwrap()) == ordered(loaded(text))
    except TOMLKitError:
        return False


def ordered(data: object) -> str:
    """Loaded data as text, names sorted: NaN is like nothing, and UTC has several names."""
    if isinstance(data, dict):
        return "{" + ", ".join(f"{name!r}: {ordered(data[name])}" for name in sorted(data)) + "}"
    if isinstance(data, date | time):
        return data.isoformat()
    return f"[{', '.join(map(ordered, data))}]" if isinstance(data, list) else repr(data)


def some_item(chance: Random, keys: Keys, kinds: tuple[str, ...] = ()) -> Item | None:
    items = [item for item in keys.reading.documents[0].walk() if item.path or "mapping" in kinds]
    fit = [item for item in items if not kinds or item.kind in kinds]
    return chance.choice(fit) if fit else None


def keys_of(chance: Random) -> Keys | None:
    """A file that can be read; what tomllib does not load must be refused, and nothing else."""
    text = toml(chance)
    found = Keys.of(SYNTAX, Source.of_text(text, path="a.toml"))
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert isinstance(found, Refusal)
        return None
    assert isinstance(found, Keys), found
    return found


def check(keys: Keys, proposal: Proposal | Refusal, expected: dict[str, Any], *, keeps_comments: bool) -> bool:
    if isinstance(proposal, Refusal):
        assert proposal.hint
        return False
    before = keys.source.text
    changes = ChangeSet(proposal.splices)
    made = changes.apply(before)
    assert ordered(loaded(made)) == ordered(expected)
    assert is_read_alike(made) or not is_read_alike(before)
    assert changes.invert().apply(made) == before
    check_only_inside(before, made, changes)
    if keeps_comments:
        assert made.count("# ") >= before.count("# ")
    return True


CHANCE = st.randoms(use_true_random=False)


@given(CHANCE)
def test_what_is_read_is_what_tomllib_reads(chance: Random) -> None:
    keys = keys_of(chance)
    if keys is not None:
        document = read_document(keys.source)
        assert not isinstance(document, Refusal)
        assert is_alike(plain_of(document.reading.documents[0]), loaded(keys.source.text))


@given(CHANCE)
def test_setting_a_scalar_changes_that_value_only(chance: Random) -> None:
    keys = keys_of(chance)
    item = keys and some_item(chance, keys, ("text", "number", "flag", "date"))
    if keys and item:
        new = chance.choice(VALUES)
        expected = copy.deepcopy(loaded(keys.source.text))
        value_at(expected, item.path[:-1])[item.path[-1]] = new
        assert check(keys, keys.set_value(item, new), expected, keeps_comments=True)


@given(CHANCE)
def test_adding_a_key_adds_that_key_only(chance: Random) -> None:
    keys = keys_of(chance)
    item = keys and some_item(chance, keys, ("mapping",))
    if keys and item:
        new = chance.choice(VALUES)
        expected = copy.deepcopy(loaded(keys.source.text))
        value_at(expected, item.path)["new key"] = new
        assert check(keys, keys.add(item, "new key", new, None), expected, keeps_comments=True)


@given(CHANCE)
def test_appending_adds_one_item_at_the_end(chance: Random) -> None:
    keys = keys_of(chance)
    item = keys and some_item(chance, keys, ("sequence",))
    if keys and item:
        new: Plain = {"k": 1} if chance.random() < 0.5 else chance.choice(VALUES)
        expected = copy.deepcopy(loaded(keys.source.text))
        value_at(expected, item.path).append(new)
        check(keys, keys.add(item, None, new, None), expected, keeps_comments=True)


@given(CHANCE)
def test_renaming_changes_the_name_only(chance: Random) -> None:
    keys = keys_of(chance)
    item = keys and some_item(chance, keys)
    if keys and item and item.name is not None:
        expected = copy.deepcopy(loaded(keys.source.text))
        parent = value_at(expected, item.path[:-1])
        parent["new name"] = parent.pop(item.path[-1])
        assert check(keys, keys.rename(item, "new name"), expected, keeps_comments=True)


@given(CHANCE)
def test_deleting_takes_that_key_only(chance: Random) -> None:
    keys = keys_of(chance)
    item = keys and some_item(chance, keys)
    if keys and item:
        expected = copy.deepcopy(loaded(keys.source.text))
        del value_at(expected, item.path[:-1])[item.path[-1]]
        check(keys, keys.delete(item), expected, keeps_comments=False)


@given(CHANCE)
def test_moving_keeps_the_value(chance: Random) -> None:
    keys = keys_of(chance)
    item = keys and some_item(chance, keys)
    container = keys and some_item(chance, keys, ("mapping",))
    if keys and item and container and item.path != container.path[: len(item.path)]:
        expected = copy.deepcopy(loaded(keys.source.text))
        there = value_at(expected, container.path)
        parent = value_at(expected, item.path[:-1])
        there["moved"] = parent.pop(item.path[-1])
        check(keys, keys.move(item, container, "moved", None), expected, keeps_comments=False)


BITS = ["1", '"s"', '"""', "'", "# c", "#", ",", "[", "]", "[[", "{", "}", ".", "=", " = ", " ", "\n", "\r\n", "\\"]
LINES = ["\nmore = 1", "\n[more]\n", "\n[[more]]\n", "\na.b = 1\n", "\nt.more = 1\n", '"""\n[more]\n"""', "[\n1,\n]"]


@examples(20)
@given(CHANCE)
def test_a_section_that_is_read_alone_reads_as_in_its_file(chance: Random) -> None:
    keys = keys_of(chance)
    boxes = [] if keys is None else [item for item in keys.reading.documents[0].walk() if item.value.length > 2]
    boxes = [item for item in boxes if item.kind == "mapping" and item.path]
    if keys is None or not boxes:
        return
    box, text = chance.choice(boxes), keys.source.text
    start = chance.randrange(box.value.start + 1, box.value.end)
    end = chance.randrange(start, min(start + 3, box.value.end))
    new = "".join(chance.choices([*BITS, *LINES], k=chance.randint(0, 2)))
    source = Source.of_text(text[:start] + new + text[end:], path="a.toml")
    alone = SYNTAX.reread(keys.source, source, box, box.value.end + len(new) - (end - start))
    if alone is None:
        return
    after = SYNTAX.read(Source.of_text(source.text, path="a.toml"))
    assert not isinstance(alone, Refusal)
    assert not isinstance(after, Refusal), after
    assert known(alone) == known(next(item for item in after.documents[0].walk() if item.path == box.path))
    whole, expected = loaded(source.text), copy.deepcopy(loaded(text))
    parent = value_at(expected, box.path[:-1])
    parent[box.path[-1]] = value_at(whole, box.path)
    assert ordered(whole) == ordered(expected)


def known(item: Item) -> list[object]:
    """What is known of an item and of what is in it."""
    return [(one.path, one.kind, one.value, one.name, one.entry, ordered(one.data), one.note) for one in item.walk()]


def test_a_value_set_in_one_section_of_many_leaves_the_others_unread() -> None:
    source = Source.of_text("".join(f"[t{n}]\na = 1\nb = [\n  2,\n] # c\n\n" for n in range(50)), path="a.toml")
    keys = Keys.of(SYNTAX, source)
    assert isinstance(keys, Keys)
    made = keys.set_value(keys.reading.find(("t7", "a"))[0], 2)
    assert isinstance(made, Proposal)
    assert made.after is not None
    assert made.after.derived(read_document) is None
    assert loaded(made.after.text) == loaded(source.text) | {"t7": {"a": 2, "b": [2]}}
