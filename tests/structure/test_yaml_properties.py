"""Any operation on any document: two independent readers see exactly the asked change, and no comment is lost."""

from __future__ import annotations

import copy
import re
from typing import Any

import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from steadyhand.errors import Kind
from steadyhand.structure.config.editor import Beside, Keys
from steadyhand.structure.config.item import Item, plain_of
from steadyhand.structure.config.yaml import SYNTAX
from steadyhand.structure.config.yaml_reader import note_of
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from tests.structure.keyed import value_at
from tests.structure.yaml_documents import documents, names, values

_SETTINGS = settings(suppress_health_check=list(HealthCheck))


def exact(data: Any) -> Any:
    """Data in which 1, 1.0 and true differ, and the order of names counts."""
    if isinstance(data, dict):
        return [(exact(name), exact(value)) for name, value in data.items()]
    if isinstance(data, list):
        return [exact(value) for value in data]
    return (type(data).__name__, data)


def loaded(text: str) -> Any:
    """What two readers agree on."""
    old, new = yaml.safe_load(text), YAML(typ="safe", pure=True).load(text)
    assert exact(old) == exact(new)
    return old


def keys_of(text: str) -> Keys:
    keys = Keys.of(SYNTAX, Source.of_text(text))
    assert isinstance(keys, Keys), keys
    return keys


def items_of(keys: Keys) -> list[Item]:
    return [item for top in keys.reading.documents for item in top.walk()]


def after(keys: Keys, proposal: Proposal | Refusal) -> str:
    assert isinstance(proposal, Proposal), proposal
    changes = ChangeSet(proposal.splices)
    text = changes.apply(keys.source.text)
    assert changes.invert().apply(text) == keys.source.text
    return text


def comments(text: str) -> list[str]:
    return re.findall(r"# (?:c[0-9]+|head|end)\b", text)


def put(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    data = copy.deepcopy(data)
    value_at(data, path[:-1])[path[-1]] = value
    return data


def with_entry(mapping: dict[str, Any], index: int, name: str, value: Any) -> dict[str, Any]:
    pairs = list(mapping.items())
    pairs.insert(index, (name, value))
    return dict(pairs)


@_SETTINGS
@given(documents())
def test_the_writer_of_the_tests_and_three_readers_agree(document: tuple[str, Any]) -> None:
    text, data = document
    assert exact(loaded(text)) == exact(data)
    assert exact(plain_of(keys_of(text).reading.documents[0])) == exact(data)


@_SETTINGS
@given(documents())
def test_every_value_put_in_its_own_place_changes_nothing(document: tuple[str, Any]) -> None:
    keys = keys_of(document[0])
    for item in items_of(keys):
        assert keys.put_raw(item, item.value.of(document[0]), (item.kind,)) == Proposal(())
        assert keys.set_value(item, value_at(document[1], item.path)) == Proposal(())


@_SETTINGS
@given(documents(), st.integers(0, 99), values)
def test_setting_changes_that_value_only(document: tuple[str, Any], number: int, value: Any) -> None:
    text, data = document
    keys = keys_of(text)
    item = items_of(keys)[number % len(items_of(keys))]
    made = after(keys, keys.set_value(item, value))
    assert exact(loaded(made)) == exact(put(data, item.path, value))
    if not item.is_container:
        assert comments(made) == comments(text)


@_SETTINGS
@given(documents(), st.integers(0, 99), names, values, st.integers(0, 9))
def test_adding_an_entry_adds_it_where_it_was_asked(
    document: tuple[str, Any], number: int, name: str, value: Any, place: int
) -> None:
    text, data = document
    keys = keys_of(text)
    mappings = [item for item in items_of(keys) if item.kind == "mapping"]
    assume(mappings)
    item = mappings[number % len(mappings)]
    assume(name not in value_at(data, item.path))
    index = place % (len(item.children) + 1)
    beside = Beside(item.children[index].path[-1], is_after=False) if index < len(item.children) else None
    made = after(keys, keys.add(item, name, value, beside))
    wanted = put(data, item.path, with_entry(value_at(data, item.path), index, name, value))
    assert exact(loaded(made)) == exact(wanted)
    assert comments(made) == comments(text)


@_SETTINGS
@given(documents(), st.integers(0, 99), values, st.integers(0, 9))
def test_appending_an_item_adds_it_where_it_was_asked(
    document: tuple[str, Any], number: int, value: Any, place: int
) -> None:
    text, data = document
    keys = keys_of(text)
    lists = [item for item in items_of(keys) if item.kind == "sequence"]
    assume(lists)
    item = lists[number % len(lists)]
    index = place % (len(item.children) + 1)
    made = after(
        keys, keys.add(item, None, value, Beside(index, is_after=False) if index < len(item.children) else None)
    )
    wanted = list(value_at(data, item.path))
    wanted.insert(index, value)
    assert exact(loaded(made)) == exact(put(data, item.path, wanted))
    assert comments(made) == comments(text)


@_SETTINGS
@given(documents(), st.integers(0, 99), names)
def test_renaming_changes_the_name_only(document: tuple[str, Any], number: int, name: str) -> None:
    text, data = document
    keys = keys_of(text)
    named = [item for item in items_of(keys) if item.name is not None]
    assume(named)
    item = named[number % len(named)]
    parent = value_at(data, item.path[:-1])
    assume(name not in parent)
    made = after(keys, keys.rename(item, name))
    renamed = {name if key == item.path[-1] else key: value for key, value in parent.items()}
    assert exact(loaded(made)) == exact(put(data, item.path[:-1], renamed))
    assert comments(made) == comments(text)


@_SETTINGS
@given(documents(), st.integers(0, 99))
def test_deleting_takes_the_entry_and_leaves_the_comments_of_others(document: tuple[str, Any], number: int) -> None:
    text, data = document
    keys = keys_of(text)
    inner = [item for item in items_of(keys) if item.path]
    assume(inner)
    item = inner[number % len(inner)]
    made = after(keys, keys.delete(item))
    parent = copy.deepcopy(value_at(data, item.path[:-1]))
    del parent[item.path[-1]]
    assert exact(loaded(made)) == exact(put(data, item.path[:-1], parent))
    first = keys.source.line_of(note_of(item).mark)
    last = keys.source.lines_of(item.entry)[1]
    lines = re.split(r"\r\n|\n", text)
    own = "\n".join(lines[max(first - 2, 0) : last])
    assert not set(comments(text)) - set(comments(made)) - set(comments(own))


@_SETTINGS
@given(documents(), st.integers(0, 99), st.integers(0, 99), names, st.integers(0, 9))
def test_moving_takes_the_data_along_or_is_refused_with_what_to_do(
    document: tuple[str, Any], number: int, other: int, name: str, place: int
) -> None:
    text, data = document
    keys = keys_of(text)
    inner = [item for item in items_of(keys) if item.path]
    assume(inner)
    item = inner[number % len(inner)]
    targets = [one for one in items_of(keys) if one.is_container and one.path[: len(item.path)] != item.path]
    target = targets[other % len(targets)]
    is_named = target.kind == "mapping"
    assume(not is_named or name not in value_at(data, target.path))
    index = place % (len(target.children) + 1)
    beside = Beside(target.children[index].path[-1], is_after=False) if index < len(target.children) else None
    proposal = keys.move(item, target, name if is_named else None, beside)
    if isinstance(proposal, Refusal):
        assert proposal.kind is Kind.BAD_REQUEST
        return
    made = after(keys, proposal)
    assert exact(loaded(made)) == exact(_moved(data, item.path, target.path, name if is_named else index, index))
    assert sorted(comments(made)) == sorted(comments(text))


def _moved(data: Any, path: tuple[Any, ...], target: tuple[Any, ...], name: Any, index: int) -> Any:
    """The dullest way to move: mark the place, take the value out, fill the mark."""
    mark = object()
    value = value_at(data, path)
    there = value_at(data, target)
    if isinstance(there, dict):
        data = put(data, target, with_entry(there, index, mark, mark))  # type: ignore[arg-type]
    else:
        data = put(data, target, [*there[:index], mark, *there[index:]])
    return _filled(data, mark, path, target, name, value, index)


def _filled(
    data: Any, mark: object, path: tuple[Any, ...], target: tuple[Any, ...], name: Any, value: Any, index: int
) -> Any:
    steps = list(path)
    depth = len(target)
    if len(path) > depth and path[:depth] == target and isinstance(steps[depth], int) and steps[depth] >= index:
        steps[depth] += 1
    holder = value_at(data, tuple(steps[:-1]))
    del holder[steps[-1]]
    return _replaced(data, mark, name, value)


def _replaced(data: Any, mark: object, name: Any, value: Any) -> Any:
    if isinstance(data, dict):
        return {
            (name if isinstance(inner, type(mark)) and type(inner) is object else key): _replaced(
                inner, mark, name, value
            )
            for key, inner in data.items()
        }
    if isinstance(data, list):
        return [_replaced(inner, mark, name, value) for inner in data]
    return value if type(data) is object else data


WORDS = ("on", "off", "yes", "no", "y", "n", "On", "NO", "name")
PLACES: tuple[tuple[str, ...], ...] = ((), ("env",), ("jobs",), ("jobs", "build"), ("quoted",), ("point",))
FLOW = """\
on: [push]
env: {FAST: 1}
jobs:
  build:
    yes: 1
    steps: []
quoted:
  "on": 1
point:
  x: 1
  y: 2
"""


@given(st.sampled_from(PLACES), st.sampled_from(WORDS), st.sampled_from(WORDS))
@_SETTINGS
def test_a_word_that_some_reader_takes_for_a_flag_is_plain_only_where_its_mapping_has_such_names(
    place: tuple[str, ...], name: str, inner: str
) -> None:
    assume((*place, name) not in (("on",), ("quoted", "on"), ("jobs", "build", "yes"), ("point", "y")))
    keys = keys_of(FLOW)
    text = after(keys, keys.add(item_at(keys, place), name, {inner: 1}, None))
    container = yaml.safe_load(text)
    for step in place:
        container = container[step]
    has_plain_flags = place in ((), ("jobs", "build"))
    if has_plain_flags and isinstance(yaml.safe_load(name), bool):
        name = yaml.safe_load(name)  # as its neighbours are read
    assert container[name] == {inner: 1}


def test_a_word_for_a_flag_stays_plain_where_the_file_has_it_plain_at_that_key() -> None:
    keys = keys_of("rules:\n  - on: push\n    do: 1\n  - on: tag\n    do: 2\ndeep:\n  one: {on: 1}\n")
    rules, deep, one = (item_at(keys, path) for path in (("rules",), ("deep",), ("deep", "one")))
    assert after(keys, keys.add(rules, None, {"on": "main", "do": 3}, None)).count("- on: ") == 3
    assert "one: {on: 2, other: 3}" in after(keys, keys.set_value(one, {"on": 2, "other": 3}))
    assert '"on": 2' in after(keys, keys.add(deep, "two", {"on": 2}, None))


def item_at(keys: Keys, path: tuple[str, ...]) -> Item:
    return next(item for item in items_of(keys) if item.path == path)
