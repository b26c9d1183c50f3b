"""Values for shapes, as hypothesis makes them: right ones, ones that need repair, and now and then anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from steadyhand.schema import Either, Flag, Many, Number, Object, Shape, Text

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.sampled_from(["[", "{}", "3"])
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def meant_for(shape: Shape) -> st.SearchStrategy[Any]:
    """Values that a shape takes, some of them only after repair, and now and then anything."""
    match shape:
        case Text():
            made: st.SearchStrategy[Any] = st.sampled_from(shape.choices) if shape.choices else st.text(max_size=5)
        case Number():
            made = st.integers(-2, 200) | st.integers(-2, 200).map(str)
        case Flag():
            made = st.booleans() | st.sampled_from(["true", "False"])
        case Many():
            item = meant_for(shape.item)
            lists = st.lists(item, max_size=3)
            made = lists | item | lists.map(json.dumps)
        case Object():
            made = objects_for(shape)
            made = made | made.map(json.dumps)
        case Either():
            made = st.one_of(*map(meant_for, shape.shapes))
        case _:
            made = VALUES
    return made | VALUES


def objects_for(shape: Object) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some of the fields, under any of their names; the required ones mostly there."""
    if not shape.fields:
        return st.dictionaries(st.text(max_size=3), VALUES, max_size=2)
    some = st.one_of(*(st.tuples(st.sampled_from(field.names), meant_for(field.shape)) for field in shape.fields))
    needed = st.fixed_dictionaries({field.name: meant_for(field.shape) for field in shape.fields if field.required})
    return st.builds(lambda first, more: {**first, **dict(more)}, needed | st.just({}), st.lists(some, max_size=4))


def padded(shape: Shape, value: Any) -> Any:
    """A value as a model sends it that was given the strict schema: every field there, null where it says nothing."""
    match shape:
        case Object() if shape.is_open and not shape.fields:
            return value if isinstance(value, str) else json.dumps(value)
        case Object() if isinstance(value, Mapping):
            return {
                field.name: padded(field.shape, value[field.name]) if value.get(field.name) is not None else None
                for field in shape.fields
            } | {name: each for name, each in value.items() if name not in shape.names}
        case Many() if isinstance(value, list):
            return [padded(shape.item, each) for each in value]
        case Either():
            kinds = {Text: str, Number: int, Object: Mapping, Many: list, Flag: bool}
            fitting = next((each for each in shape.shapes if isinstance(value, kinds.get(type(each), object))), None)
            return value if fitting is None else padded(fitting, value)
        case _:
            return value
