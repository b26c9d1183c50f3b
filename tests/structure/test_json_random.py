"""Random JSON documents in random layouts: whatever is asked is done to the data, and to nothing else."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.structure.action import actions
from steadyhand.structure.config.item import KeyPath, render_path
from steadyhand.structure.config.json import SYNTAX
from steadyhand.structure.config.json_reader import fault_of, is_plain_json, is_strict
from steadyhand.structure.config.key import Key
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from tests.sampling import examples
from tests.structure.jsonc import comments, load
from tests.structure.keyed import applied, value_at

SCALARS = st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-9, 9) | st.text(max_size=5)
NAMES = st.text(alphabet="abc./é ", max_size=3)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=12
)
TOPS = st.lists(VALUES, max_size=4) | st.dictionaries(NAMES, VALUES, max_size=4)
LAYOUTS = st.sampled_from(["minified", "spaced", "indented", "tabs", "crlf", "mixed", "comments", "wild"])


def written(value: object, layout: str, chance: random.Random) -> str:
    match layout:
        case "minified":
            return json.dumps(value, separators=(",", ":"))
        case "spaced":
            return json.dumps(value, ensure_ascii=False)
        case "indented":
            return json.dumps(value, indent=chance.choice([1, 2, 4])) + "\n"
        case "tabs":
            return json.dumps(value, indent="\t", ensure_ascii=False)
        case "crlf":
            return json.dumps(value, indent=2).replace("\n", "\r\n") + "\r\n"
        case _:
            return "".join(_tokens(value, "\n", layout, chance)) + chance.choice(["", "\n", " // end\n"])


def _tokens(value: Any, newline: str, layout: str, chance: random.Random) -> list[str]:
    """A value with gaps of its layout around every token; one that is filled may end with a comma."""
    if not isinstance(value, dict | list):
        return [json.dumps(value, ensure_ascii=chance.random() < 0.5)]
    lined = chance.random() < 0.7
    inner = newline + "  " if lined else ""
    made = ["{" if isinstance(value, dict) else "["]
    for at, entry in enumerate(value.items() if isinstance(value, dict) else value):
        made += [_gap(inner or " " * (at > 0), layout, chance)]
        if isinstance(value, dict):
            made += [json.dumps(entry[0]), ": " if layout != "wild" else _gap("", layout, chance) + ":"]
            entry = entry[1]
        made += [*_tokens(entry, inner or newline, layout, chance)]
        if at < len(value) - 1 or (layout != "mixed" and chance.random() < 0.3):
            made += [_gap("", layout, chance) if layout == "wild" else "", ","]
        if layout in ("comments", "wild") and lined and chance.random() < 0.2:
            made += [f" // tail {chance.randrange(100)}" if layout == "comments" else " /* tail */"]
    made += [newline if lined and len(made) > 1 else ""]
    return [*made, "}" if isinstance(value, dict) else "]"]


def _gap(usual: str, layout: str, chance: random.Random) -> str:
    if layout == "mixed" or chance.random() < 0.7:
        return usual
    if layout == "comments":
        return f"{usual}// above {chance.randrange(100)}{usual}" if usual.startswith("\n") else usual
    return chance.choice([" ", "\n", "/* x */", "// y\n", "\n\n", " /* z\n */ ", "\r\n\t"]) + usual


def paths_of(value: Any) -> list[KeyPath]:
    found: list[KeyPath] = [()]
    for path in found:
        part = value_at(value, path)
        steps = list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        found += [(*path, step) for step in steps]
    return found


def put_in(container: Any, index: int, name: str, value: object) -> None:
    """Insert into a list, or a dict in its order."""
    if isinstance(container, list):
        container.insert(index, value)
        return
    entries = list(container.items())
    entries.insert(index, (name, value))
    container.clear()
    container.update(entries)


def run(text: str, path: KeyPath, action: str, **given: object) -> str | Refusal:
    source = Source.of_text(text, path="a.jsonc")
    found = Key(path).resolve(source)
    assert not isinstance(found, Refusal), found
    return applied(source, actions()[action].proposed(source, found[0], given))


def unindented(text: str) -> list[str]:
    return [" ".join(comment.split()) for comment in comments(text)]


def check(made: str | Refusal, expected: object) -> str:
    assert isinstance(made, str), made
    assert json.dumps(load(made)) == json.dumps(expected)
    return made


@given(TOPS, LAYOUTS, st.integers(0, 2**32), VALUES)
def test_set_key(value: Any, layout: str, seed: int, new: Any) -> None:
    chance = random.Random(seed)
    text = written(value, layout, chance)
    assert json.dumps(load(text)) == json.dumps(value)
    path = chance.choice(paths_of(value))
    expected = copy.deepcopy(value)
    if path:
        value_at(expected, path[:-1])[path[-1]] = new
    made = check(run(text, path, "set-key", value=new), expected if path else new)
    if not isinstance(value_at(value, path), dict | list):
        assert comments(made) == comments(text)


@given(TOPS, LAYOUTS, st.integers(0, 2**32), VALUES)
def test_add_key_and_append_item(value: Any, layout: str, seed: int, new: Any) -> None:
    chance = random.Random(seed)
    text = written(value, layout, chance)
    path = chance.choice([path for path in paths_of(value) if isinstance(value_at(value, path), dict | list)])
    expected = copy.deepcopy(value)
    container = value_at(expected, path)
    index = chance.randint(0, len(container))
    steps = list(container) if isinstance(container, dict) else list(range(len(container)))
    beside = {} if index == len(container) else {"before": steps[index]}
    if chance.random() < 0.5 and index:
        beside = {"after": steps[index - 1]}
    put_in(container, index, "new", new)
    given = {"name": "new"} if isinstance(container, dict) else {}
    made = check(
        run(text, path, "add-key" if given else "append-item", value=new, **given, **beside),
        expected,
    )
    assert comments(made) == comments(text)


@given(TOPS, LAYOUTS, st.integers(0, 2**32))
def test_delete_key(value: Any, layout: str, seed: int) -> None:
    chance = random.Random(seed)
    text = written(value, layout, chance)
    path = chance.choice(paths_of(value))
    made = run(text, path, "delete-key")
    if not path:
        assert isinstance(made, Refusal)
        return
    expected = copy.deepcopy(value)
    del value_at(expected, path[:-1])[path[-1]]
    assert not Counter(comments(check(made, expected))) - Counter(comments(text))


@given(TOPS, LAYOUTS, st.integers(0, 2**32))
def test_rename_key(value: Any, layout: str, seed: int) -> None:
    chance = random.Random(seed)
    text = written(value, layout, chance)
    path = chance.choice(paths_of(value))
    made = run(text, path, "rename-key", name="new")
    if not path or isinstance(path[-1], int):
        assert isinstance(made, Refusal)
        return
    expected = copy.deepcopy(value)
    parent = value_at(expected, path[:-1])
    entries = [("new" if name == path[-1] else name, part) for name, part in parent.items()]
    parent.clear()
    parent.update(entries)
    assert comments(check(made, expected)) == comments(text)


@given(TOPS, LAYOUTS, st.integers(0, 2**32))
def test_move_key(value: Any, layout: str, seed: int) -> None:
    chance = random.Random(seed)
    text = written(value, layout, chance)
    path = chance.choice(paths_of(value))
    to = chance.choice([path for path in paths_of(value) if isinstance(value_at(value, path), dict | list)])
    if not path or to[: len(path)] == path:
        return
    expected = copy.deepcopy(value)
    parent, container = value_at(expected, path[:-1]), value_at(expected, to)
    moved = parent[path[-1]]
    del parent[path[-1]]
    put_in(container, len(container), "new", moved)
    given = {"name": "new"} if isinstance(container, dict) else {}
    made = run(text, path, "move-key", to=render_path(to), **given)
    if isinstance(made, Refusal):
        assert made.kind == Kind.BAD_REQUEST
        assert comments(text)
        return
    assert Counter(unindented(check(made, expected))) == Counter(unindented(text))


@given(TOPS, LAYOUTS, st.integers(0, 2**32))
def test_a_value_is_replaced_by_itself_and_by_its_like(value: Any, layout: str, seed: int) -> None:
    chance = random.Random(seed)
    text = written(value, layout, chance)
    path = chance.choice(paths_of(value))
    source = Source.of_text(text, path="a.jsonc")
    found = Key(path).resolve(source)
    assert not isinstance(found, Refusal)
    node = found[0]
    assert applied(source, node.replace(source, node.own_text(source))) == text
    expected = copy.deepcopy(value)
    like = {"dict": {"q": [1]}, "list": [2, {}], "str": "r", "int": 5, "float": 5.5, "bool": True, "NoneType": None}
    new = like[type(value_at(value, path)).__name__]
    if path:
        value_at(expected, path[:-1])[path[-1]] = new
    check(applied(source, node.replace(source, json.dumps(new, indent=2))), expected if path else new)


BITS = ["1", '"s"', '"', "/* c */", "// c", "\n", ",", ":", "[", "]", "{", "}", "\\", "NaN", "01", "\x01", '"a": 1']


@examples(20)
@given(TOPS, LAYOUTS, st.integers(0, 999), st.lists(st.sampled_from(BITS), max_size=2))
def test_what_is_known_of_a_text_that_was_read_in_part_is_so(
    value: Any, layout: str, seed: int, bits: list[str]
) -> None:
    chance = random.Random(seed)
    before = Source.of_text(written(value, layout, chance), path="package.json")
    reading = SYNTAX.read(before)
    assert not isinstance(reading, Refusal)
    boxes = [item for item in reading.documents[0].walk() if item.is_container and item.value.length > 2]
    if not boxes:
        return
    box, text, new = chance.choice(boxes), before.text, "".join(bits)
    start = chance.randrange(box.value.start + 1, box.value.end)
    end = chance.randrange(start, min(start + 3, box.value.end))
    after = Source.of_text(text[:start] + new + text[end:], path="package.json")
    SYNTAX.reread(before, after, box, box.value.end + len(new) - (end - start))
    for source in (before, after):
        assert source.derived(is_plain_json) in (None, is_strict(source.text))
        assert fault_of(source) == fault_of(Source.of_text(source.text, path=source.path))
