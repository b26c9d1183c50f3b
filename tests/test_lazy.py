"""Lazy dataclasses and patterns are like those of the standard library to whoever uses them."""

from __future__ import annotations

import ast
import copy
import dataclasses
import importlib
import inspect
import pickle
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import pytest

import steadyhand
from steadyhand import lazy
from steadyhand.tools.toolsets import toolsets
from tests.table import table

Item = TypeVar("Item")
Kinds = tuple[type[Any], ...]
SRC = Path(steadyhand.__file__).parent


def kinds(module: Any) -> dict[str, type[Any]]:
    """The same classes, made by the standard library or by us."""
    dataclass, field = module.dataclass, module.field

    @dataclass(frozen=True, slots=True)
    class Point:
        """A point."""

        count: ClassVar[int] = 3
        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list, compare=False)
        note: str = field(default="n", repr=False, kw_only=True)

        def total(self) -> int:
            return self.x + self.y

    @dataclass(frozen=True, slots=True)
    class Point3(Point):
        z: int = 0

    @dataclass(slots=True)
    class Box:
        width: int
        items: list[int] = field(default_factory=list)
        made: int = field(default=7, init=False)
        seen: dict[str, int] = field(default_factory=dict, init=False, repr=False)

        def __post_init__(self) -> None:
            self.width *= 2

    @dataclass(frozen=True)
    class Open:
        a: int
        b: int = 4

    @dataclass(frozen=True, slots=True, eq=False)
    class Unequal:
        a: int

    @dataclass(frozen=True, slots=True)
    class Own:
        a: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __hash__(self) -> int:
            return 5

        def __repr__(self) -> str:
            return "own"

    @dataclass(frozen=True, slots=True)
    class OwnEquality:
        a: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, OwnEquality)

    @dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
    class Named:
        a: int
        b: int = 1

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    @dataclass(slots=True)
    class Held(Generic[Item]):
        item: Item

    class Shape(ABC):
        __slots__ = ()

        @abstractmethod
        def area(self) -> int: ...

    @dataclass(frozen=True, slots=True)
    class Square(Shape):
        side: int

        def area(self) -> int:
            return self.side**2

    @dataclass(frozen=True, slots=True, init=False)
    class Made:
        a: int

        def __init__(self, text: str) -> None:
            object.__setattr__(self, "a", int(text))

    made = (Point, Point3, Box, Open, Unequal, Own, OwnEquality, Named, Empty, Held, Square, Made)
    return {kind.__name__: kind for kind in made}


OURS, THEIRS = kinds(lazy), kinds(dataclasses)
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Point", (1,), {}),
    ("Point", (1, 2, ["t"]), {"note": "other"}),
    ("Point", (), {"x": 1, "y": 5}),
    ("Point", (), {}),
    ("Point", (1, 2, [], "note"), {}),
    ("Point3", (1, 2, [], 9), {}),
    ("Box", (3,), {}),
    ("Box", (3, [1]), {}),
    ("Box", (3,), {"made": 1}),
    ("Open", (1,), {}),
    ("Unequal", (1,), {}),
    ("Own", (1,), {}),
    ("OwnEquality", (1,), {}),
    ("Named", (), {"a": 1}),
    ("Named", (1,), {}),
    ("Empty", (), {}),
    ("Held", ("i",), {}),
    ("Square", (3,), {}),
    ("Made", ("12",), {}),
]


def tried(work: Callable[[], Any]) -> object:
    """What comes of it, in a form in which the two kinds can be compared."""
    try:
        value = work()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error), str(error)
    return repr(value)


def twin(answer: Callable[[type[Any]], Any], name: str) -> None:
    assert tried(lambda: answer(OURS[name])) == tried(lambda: answer(THEIRS[name]))


@table(("name", "given", "named"), CALLS)
def test_an_instance_is_made_shown_compared_and_replaced_alike(
    name: str, given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    def make(kind: type[Any]) -> Any:
        return kind(*given, **named)

    twin(make, name)
    twin(lambda kind: make(kind) == make(kind), name)
    twin(lambda kind: make(kind) == 1, name)
    twin(lambda kind: make(kind) == kind(9), name)
    twin(lambda kind: hash(make(kind)) == hash(make(kind)), name)
    twin(lambda kind: dataclasses.replace(make(kind), a=2), name)
    twin(lambda kind: dataclasses.replace(make(kind), y=2), name)
    twin(lambda kind: dataclasses.asdict(make(kind)), name)
    twin(lambda kind: copy.copy(make(kind)), name)
    twin(lambda kind: copy.deepcopy(make(kind)), name)
    for each in OURS[name].__match_args__[:1]:
        twin(lambda kind, field=each: setattr(make(kind), field, 3), name)  # type: ignore[misc]
        twin(lambda kind, field=each: delattr(make(kind), field), name)  # type: ignore[misc]


@table("name", OURS)
def test_a_class_says_the_same_of_itself(name: str) -> None:
    twin(inspect.signature, name)
    twin(lambda kind: kind.__match_args__, name)
    twin(lambda kind: kind.__doc__ if name == "Point" else None, name)
    twin(lambda kind: getattr(kind, "__slots__", None), name)
    twin(lambda kind: kind.__hash__ is None, name)
    twin(lambda kind: [(f.name, f.type, f.init, f.repr, f.compare, f.kw_only) for f in dataclasses.fields(kind)], name)
    twin(lambda kind: [f.default is dataclasses.MISSING for f in dataclasses.fields(kind)], name)
    twin(lambda kind: kind.__dataclass_params__.frozen, name)
    twin(lambda kind: dataclasses.is_dataclass(kind), name)


def test_our_replace_is_that_of_the_standard_library() -> None:
    point = OURS["Point"](1, note="kept")
    changed = lazy.replace(point, y=8)
    assert (changed, changed.note) == (dataclasses.replace(point, y=8), "kept")
    with pytest.raises(ValueError, match="made is declared with init=False"):
        lazy.replace(OURS["Box"](1), made=2)


def test_a_plain_class_made_from_a_frozen_one_may_have_more() -> None:
    for kind in (OURS["Open"], THEIRS["Open"]):
        more = type("More", (kind,), {})(1)
        more.other = 2
        with pytest.raises(dataclasses.FrozenInstanceError):
            more.a = 2


def test_a_class_of_the_standard_library_may_be_made_from_ours() -> None:
    made = dataclasses.make_dataclass("Wider", [("w", int, 0)], bases=(OURS["Point"],), frozen=True)
    assert dataclasses.astuple(made(1, w=3)) == (1, 2, [], "n", 3)


def test_values_come_back_from_a_pickle() -> None:
    edit = steadyhand.Replace("a", "b", reason="r")
    assert pickle.loads(pickle.dumps(edit)) == edit


def test_a_pattern_is_compiled_when_it_is_used() -> None:
    word = lazy.lazy_pattern(r"(?P<first>\w)\w*", re.ASCII)
    assert "match" not in vars(word)
    found = word.match("word")
    assert found is not None
    assert found["first"] == "w"
    assert word.sub("-", "two words") == "- -"
    assert (word.pattern, word.flags, word.groups) == (r"(?P<first>\w)\w*", re.ASCII, 1)
    with pytest.raises(AttributeError):
        word.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_every_pattern_that_is_declared_can_be_compiled() -> None:
    """A lazy pattern with a fault would be found only by whoever first needs it."""
    found = 0
    for path in SRC.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "lazy_pattern(" not in text or path.name == "lazy.py":
            continue
        module = importlib.import_module(".".join(("steadyhand", *path.relative_to(SRC).with_suffix("").parts)))
        value: Any
        for value in vars(module).values():
            if type(value).__name__ == "_Pattern":
                assert value.flags >= 0
                found += 1
    assert found > 300


def test_nobody_in_the_package_makes_dataclasses_another_way() -> None:
    names = ("dataclass", "field", "replace")
    for path in SRC.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "from dataclasses" in text else ():
            if isinstance(node, ast.ImportFrom) and node.module == "dataclasses" and path.name != "lazy.py":
                assert not {alias.name for alias in node.names}.intersection(names), path


def registries() -> dict[tuple[str, str, tuple[str, ...]], lazy.Registry]:
    found: dict[tuple[str, str, tuple[str, ...]], lazy.Registry] = {}
    for path in SRC.rglob("*.py"):
        if "Registry(" not in path.read_text(encoding="utf-8") or path.name == "lazy.py":
            continue
        module = importlib.import_module(".".join(("steadyhand", *path.relative_to(SRC).with_suffix("").parts)))
        for value in vars(module).values():
            many = value.values() if isinstance(value, dict) else [value]
            found |= {
                (each.package, each.attribute, each.names): each for each in many if isinstance(each, lazy.Registry)
            }
    return found


@table(
    "registry",
    [each for each in registries().values() if "{}" not in each.attribute],
    ids=lambda registry: f"{registry.package}-{registry.attribute}",
)
def test_a_registry_names_every_module_of_its_package_that_declares_an_entry(registry: lazy.Registry) -> None:
    folder = SRC.joinpath(*registry.package.split(".")[1:])
    declares = re.compile(rf"^{registry.attribute}(?:S: .*)? = ", re.MULTILINE)
    there = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if declares.search(path.read_text(encoding="utf-8"))
    }
    assert set(registry.modules.values()) == there
    assert list(registry.names) == sorted(registry.names)
    assert len(registry.load()) == len(registry.names)


def test_every_command_is_named_by_a_registry() -> None:
    package = "steadyhand.surfaces.cli.commands"
    families = [each for each in registries().values() if each.package == package]
    named = [f"{each.modules[name]}.{name}" for each in families for name in each.names]
    assert [command.name for each in families for command in each.load()] == [n.partition(".")[2] for n in named]
    there = [
        f"{path.stem}.{name}"
        for path in SRC.joinpath(*package.split(".")[1:]).glob("*.py")
        for name in re.findall(r"^def (\w+)_command\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted(named) == sorted(there)


def test_every_module_with_tools_is_named_by_a_toolset_or_shared() -> None:
    folder = SRC / "tools"
    there = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if re.search(r"^TOOLS = ", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {module for toolset in toolsets().values() for module in toolset.modules} == there - {"file_tools"}
    assert len(registries()) == 9


def test_nobody_looks_into_a_folder_to_find_modules() -> None:
    assert [path.name for path in SRC.rglob("*.py") if "pkgutil" in path.read_text(encoding="utf-8")] == []
