"""Which types a caller of the Python API meets: those in the annotations of public names, and in theirs, and so on.

Annotations are strings, and many of their names are imported only for type checkers; a name is looked up as a type
checker would, in the module that was written, whether or not that import is made at run time.
"""

from __future__ import annotations

import ast
import inspect
import typing
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

Members = Callable[[type], Iterator[tuple[str, object]]]


@dataclass(slots=True)
class Met:
    """The classes that are met, each with where it was met first, and the aliases with how they are written."""

    members: Members
    classes: dict[type, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def class_(self, cls: type, where: str, *, is_made: bool) -> None:
        """What is met in the members of a class, and in its constructor if callers make it."""
        own = {"Self": cls}
        make = inspect.getattr_static(cls, "__init__")
        if is_made and inspect.isfunction(make) and not hasattr(cls, "__lazy_fields__"):
            self.function(make, f"{where}()", own)
        for name, member in self.members(cls):
            if isinstance(member, str):
                home = next(base for base in cls.__mro__ if name in inspect.get_annotations(base))
                self.annotation(member, home.__module__, f"{where}.{name}", own)
            else:
                inner = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                self.function(inner, f"{where}.{name}", own)

    def function(self, function: Any, where: str, own: Mapping[str, object] = {}) -> None:
        """What is met in a signature."""
        inner = inspect.unwrap(function)
        for name, annotation in inner.__annotations__.items():
            self.annotation(annotation, inner.__module__, f"{where}({name})" if name != "return" else where, own)

    def annotation(self, annotation: object, module: str, where: str, own: Mapping[str, object] = {}) -> None:
        """What is met in one annotation, as its module has it."""
        if not isinstance(annotation, str):
            return  # as `None` has it
        names = {each.id for each in ast.walk(ast.parse(annotation)) if isinstance(each, ast.Name)}
        for name in sorted(names - self.aliases.keys()):
            if home := _home(module, name):
                self.aliases[name] = _assigned(home)[name]
                self.annotation(self.aliases[name], home, name)
        self.type_(eval(annotation, {}, ChainMap(dict(own), _Names(module))), where)

    def type_(self, found: object, where: str) -> None:
        """What is met in a type; a class of ours that is met first is gone into."""
        for inner in typing.get_args(found):
            for each in inner if isinstance(inner, list) else [inner]:
                self.type_(each, where)
        cls = typing.get_origin(found) or found
        if not inspect.isclass(cls) or not cls.__module__.startswith("steadyhand") or cls in self.classes:
            return
        self.classes[cls] = where
        self.class_(cls, cls.__name__, is_made=False)


def types_met(public: Mapping[str, object], members: Members, handed_out: set[str]) -> Met:
    """What a caller of these names meets."""
    met = Met(members)
    for name, value in public.items():
        if isinstance(value, ModuleType):
            inner = {f"{name}.{each}": getattr(value, each) for each in value.__all__}
            for each, function in inner.items():
                if inspect.isfunction(function):
                    met.function(function, each)
        elif inspect.isclass(value):
            met.classes.setdefault(value, name)
            met.class_(value, name, is_made=name not in handed_out)
        elif inspect.isfunction(value):
            met.function(value, name)
    return met


class _Names(dict[str, object]):
    """The names that annotations of a module may use; one that is not loaded there is looked up where it comes from."""

    def __init__(self, module: str) -> None:
        super().__init__({**vars(typing), **vars(import_module(module))})
        self._module = module

    def __missing__(self, name: str) -> object:
        home = _imports(self._module).get(name)
        if home is None:
            raise KeyError(name)
        origin, original = home
        if not original:
            return import_module(origin)
        return getattr(import_module(origin), original, None) or _Names(origin)[original]


def _home(module: str, name: str) -> str | None:
    """The module of the package that defines a name as an alias of a type."""
    if name in _assigned(module):
        return module
    origin, original = _imports(module).get(name, ("", ""))
    return _home(origin, original) if origin.startswith("steadyhand") and original else None


@cache
def _imports(module: str) -> Mapping[str, tuple[str, str]]:
    """Where the names that a module imports come from, those for type checkers among them."""
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            found |= {each.asname or each.name: (each.name, "") for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {each.asname or each.name: (node.module, each.name) for each in node.names}
    return found


@cache
def _assigned(module: str) -> Mapping[str, str]:
    """What a module assigns to names that look like types, as it is written."""
    made = {}
    for node in _tree(module).body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name[0].isupper() and not name.isupper() and not isinstance(node.value, ast.Call):
                made[name] = ast.unparse(node.value)
    return made


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(import_module(module)))
