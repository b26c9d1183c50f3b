"""What is made when it is first needed, so that a process starts with what it uses and nothing else.

`dataclass`, `field`, `fields` and `replace` are those of the standard library, for classes with string annotations.
There, every method is compiled when its class is defined: 0.3 ms a class, and 11 ms to import what does it. Here a
method is compiled when it is first called, and `__init__` once a class has some instances. For `dataclasses.fields`,
`asdict` and `inspect.signature` such a class is like any other.
`Registry` is the modules of a package that each declare one entry, imported when an entry is asked for.
`lazy_pattern` is `re.compile`, done at the first use of the pattern.
`LazyModule` is a module that is imported when something of it is first asked for.

Nothing else of the package may be imported here, and nothing of the standard library that is not loaded anyway.
"""

from __future__ import annotations

from types import MappingProxyType

TYPE_CHECKING = False  # as `typing` has it, which would take longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import MISSING, dataclass, field, fields, replace
    from re import Pattern
    from typing import Any, AnyStr

__all__ = ["MISSING", "LazyModule", "Registry", "dataclass", "field", "fields", "lazy_pattern", "replace"]

_FIELDS = "__lazy_fields__"  # of a class: its fields by name, those of its bases first
_PARAMS = "__lazy_params__"  # of a class: how it was declared
_MISSING = object()
_FILLED = 12  # instances of a class that are filled in before its `__init__` is compiled, which takes as long
_PATTERN = (
    "findall", "finditer", "flags", "fullmatch", "groupindex", "groups", "match", "pattern", "scanner", "search",
    "split", "sub", "subn",
)  # fmt: skip


class _Field:
    """What is said of a field."""

    __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "name", "repr", "type")

    def __init__(
        self,
        *,
        default: object = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
        kw_only: bool = False,
    ) -> None:
        self.name = self.type = ""
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.kw_only = kw_only


class _Late:
    """A method or attribute of a class that is made when it is first asked for. One serves every class that has it."""

    __slots__ = ("_make", "_name")

    def __init__(self, name: str, make: Callable[[type], object]) -> None:
        self._name = name
        self._make = make

    def __get__(self, instance: object, owner: type) -> Any:
        home = self._home(owner)
        if home is not None:
            setattr(home, self._name, self._make(home))
        return getattr(owner if instance is None else instance, self._name)

    def _home(self, owner: type) -> type | None:
        """Which class still waits for it; None where another thread was here first."""
        return next((cls for cls in owner.__mro__ if cls.__dict__.get(self._name) is self), None)


class _LateInit(_Late):
    """`__init__`, compiled once a class has some instances: to fill in the first few field by field costs less."""

    __slots__ = ("_filled",)

    def __init__(self) -> None:
        super().__init__("__init__", _init_of)
        self._filled: dict[type, int] = {}

    def __get__(self, instance: object, owner: type) -> Any:
        home = None if instance is None else self._home(owner)
        count = 0 if home is None else self._filled.get(home, 0)
        if home is None or count == _FILLED:
            return super().__get__(instance, owner)
        self._filled[home] = count + 1

        def fill(*given: object, **named: object) -> None:
            if not _fill(home, instance, given, named):  # only the real one can say what is wrong
                _init_of(home)(instance, *given, **named)

        return fill


def _fill(cls: type, self: object, given: tuple[object, ...], named: dict[str, object]) -> bool:
    """What `__init__` of a class does; False where these are not its arguments."""
    fields: dict[str, _Field] = getattr(cls, _FIELDS)
    how: _Params = getattr(cls, _PARAMS)
    positional = [name for name, each in fields.items() if each.init and not each.kw_only]
    values = dict(zip(positional, given, strict=False))
    if len(given) > len(positional) or not values.keys().isdisjoint(named):
        return False
    values |= named
    put = object.__setattr__ if how.frozen else setattr
    for name, each in fields.items():
        if each.init and name in values:
            put(self, name, values.pop(name))
        elif each.default_factory is not _MISSING:
            put(self, name, each.default_factory())
        elif each.default is not _MISSING:
            if each.init or how.slots:
                put(self, name, each.default)
        elif each.init:
            return False
    if values:
        return False
    if hasattr(cls, "__post_init__"):
        self.__post_init__()  # type: ignore[attr-defined]
    return True


class _Params:
    """How a class was declared."""

    __slots__ = ("eq", "frozen", "slots")

    def __init__(self, *, eq: bool, frozen: bool, slots: bool) -> None:
        self.eq = eq
        self.frozen = frozen
        self.slots = slots


def _dataclass(
    cls: type | None = None,
    /,
    *,
    init: bool = True,
    eq: bool = True,
    frozen: bool = False,
    kw_only: bool = False,
    slots: bool = False,
    weakref_slot: bool = False,
) -> Any:
    def define(cls: type) -> type:
        fields: dict[str, _Field] = {}
        for base in cls.__mro__[-2:0:-1]:
            if _FIELDS in base.__dict__:
                fields |= base.__dict__[_FIELDS]
        own = _own_fields(cls, kw_only=kw_only)
        fields |= own
        made: dict[str, object] = {
            "__repr__": _repr,
            "__match_args__": tuple([name for name, each in fields.items() if each.init and not each.kw_only]),
        }
        if init:
            made["__init__"] = _INIT
        if eq:
            made["__eq__"] = _EQ
            made["__hash__"] = _HASH if frozen else None
        if frozen:
            made["__setattr__"], made["__delattr__"] = _refuse_to_set, _refuse_to_delete
            if slots:
                made["__getstate__"], made["__setstate__"] = _get_state, _set_state
        written = dict(cls.__dict__)
        if written.get("__hash__", _MISSING) is None and "__eq__" in written:
            del written["__hash__"]  # by Python, because of the `__eq__`
        made |= written
        made[_FIELDS] = MappingProxyType(fields)
        made[_PARAMS] = _Params(eq=eq, frozen=frozen, slots=slots)
        made["__replace__"] = _replace
        made["__dataclass_fields__"], made["__dataclass_params__"] = _STANDARD_FIELDS, _STANDARD_PARAMS
        if slots:
            return _with_slots(cls, made, fields, ("__weakref__",) if weakref_slot else ())
        return _with(cls, made, own)

    return define if cls is None else define(cls)


def _own_fields(cls: type, *, kw_only: bool) -> dict[str, _Field]:
    fields = {}
    for name, annotation in cls.__dict__.get("__annotations__", {}).items():  # noqa: RUF063 — `inspect` is slow to import
        if annotation.startswith("ClassVar"):
            continue
        said = cls.__dict__.get(name, _MISSING)
        each = said if isinstance(said, _Field) else _Field(default=said)
        each.name, each.type = name, annotation
        each.kw_only = each.kw_only or kw_only
        fields[name] = each
    return fields


def _with_slots(cls: type, made: dict[str, object], fields: dict[str, _Field], more: tuple[str, ...]) -> type:
    """The class made again with slots, which a class must have from its beginning."""
    inherited: set[str] = set()
    for base in cls.__mro__[1:-1]:
        slots = base.__dict__.get("__slots__", ())
        inherited.update((slots,) if isinstance(slots, str) else slots)
    for name in (*fields, "__dict__", "__weakref__"):
        made.pop(name, None)
    made["__slots__"] = tuple(name for name in (*fields, *more) if name not in inherited)
    again: type = type(cls)(cls.__name__, cls.__bases__, made)
    again.__qualname__ = cls.__qualname__
    return again


def _with(cls: type, made: dict[str, object], own: dict[str, _Field]) -> type:
    for name, value in made.items():
        if cls.__dict__.get(name, _MISSING) is not value:
            setattr(cls, name, value)
    for name, each in own.items():
        if each.default is not _MISSING:
            setattr(cls, name, each.default)
        elif name in cls.__dict__:
            delattr(cls, name)
    return cls


def _compared(cls: type, side: str) -> str:
    """The fields of an instance that its equality depends on, as a tuple in source."""
    fields: dict[str, _Field] = getattr(cls, _FIELDS)
    return f"({''.join(f'{side}.{name}, ' for name, each in fields.items() if each.compare)})"


def _eq_of(cls: type) -> object:
    same = f"{_compared(cls, 'self')} == {_compared(cls, 'other')}"
    body = [f"return {same} if other.__class__ is self.__class__ else NotImplemented"]
    return _compiled(cls, "__eq__", "self, other", body, {})


def _hash_of(cls: type) -> object:
    return _compiled(cls, "__hash__", "self", [f"return hash({_compared(cls, 'self')})"], {})


def _init_of(cls: type) -> Any:
    """The `__init__` of a class, compiled."""
    how: _Params = getattr(cls, _PARAMS)
    is_frozen, has_slots = how.frozen, how.slots
    known: dict[str, Any] = {"_made": _FACTORY}
    parameters: dict[bool, list[str]] = {False: ["self"], True: []}
    fields: dict[str, _Field] = getattr(cls, _FIELDS)
    body = ["_kept = self.__dict__"] if is_frozen and not has_slots else []
    for name, each in fields.items():
        value = name
        if each.default_factory is not _MISSING:
            known[f"_make_{name}"] = each.default_factory
            value = f"_make_{name}() if {name} is _made else {name}" if each.init else f"_make_{name}()"
        elif each.default is not _MISSING:
            known[f"_default_{name}"] = each.default
        if each.init:
            usual = "_made" if each.default_factory is not _MISSING else f"_default_{name}"
            has_usual = each.default_factory is not _MISSING or each.default is not _MISSING
            parameters[each.kw_only].append(f"{name}={usual}" if has_usual else name)
        elif each.default_factory is _MISSING:
            if each.default is _MISSING or not has_slots:
                continue
            value = f"_default_{name}"
        if not is_frozen:
            body.append(f"self.{name} = {value}")
        elif has_slots:  # past the `__setattr__` that refuses; `object.__setattr__` would look the slot up each time
            known[f"_set_{name}"] = getattr(cls, name).__set__
            body.append(f"_set_{name}(self, {value})")
        else:
            body.append(f"_kept[{name!r}] = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    taken = ", ".join([*parameters[False], *(["*", *parameters[True]] if parameters[True] else [])])
    made = _compiled(cls, "__init__", taken, body or ["pass"], known)
    made.__annotations__ = {name: each.type for name, each in fields.items() if each.init} | {"return": None}
    return made


def _compiled(cls: type, name: str, parameters: str, body: list[str], known: dict[str, Any]) -> Any:
    known["__name__"] = cls.__module__
    exec("\n ".join([f"def {name}({parameters}):", *body]), known)
    made = known[name]
    made.__qualname__ = f"{cls.__qualname__}.{name}"
    return made


class _Factory:
    """The default of a parameter whose field is made for each instance, as signatures show it."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _repr(self: object) -> str:
    fields: dict[str, _Field] = getattr(self, _FIELDS)
    said = (f"{name}={getattr(self, name)!r}" for name, each in fields.items() if each.repr)
    return f"{type(self).__qualname__}({', '.join(said)})"


def _refuse_to_set(self: object, name: str, value: object) -> None:
    _refuse(self, name, "assign to")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: object, name: str) -> None:
    _refuse(self, name, "delete")
    object.__delattr__(self, name)


def _refuse(self: object, name: str, what: str) -> None:
    """No attribute of a frozen class; a plain class that is made from one may have others."""
    if _FIELDS in type(self).__dict__ or name in getattr(self, _FIELDS):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {what} field {name!r}")


def _get_state(self: object) -> list[object]:
    return [getattr(self, name) for name in getattr(self, _FIELDS)]


def _set_state(self: object, state: list[object]) -> None:
    for name, value in zip(getattr(self, _FIELDS), state, strict=True):
        object.__setattr__(self, name, value)


def _replace(self: Any, /, **changes: Any) -> Any:
    fields: dict[str, _Field] = getattr(self, _FIELDS)
    for name, each in fields.items():
        if not each.init:
            if name in changes:
                raise ValueError(f"field {name} is declared with init=False, it cannot be specified with replace()")
        elif name not in changes:
            changes[name] = getattr(self, name)
    return self.__class__(**changes)


def _fields(of: Any) -> tuple[_Field, ...]:
    return tuple(getattr(of, _FIELDS).values())


def _shadow(cls: type) -> Any:
    """A class with the same fields, as the standard library makes it: what it says of them can be asked of that."""
    import dataclasses

    how: _Params = getattr(cls, _PARAMS)
    fields: dict[str, _Field] = getattr(cls, _FIELDS)
    space: dict[str, object] = {"__annotations__": {name: each.type for name, each in fields.items()}}
    for name, each in fields.items():
        usual: dict[str, Any] = {}
        if each.default_factory is not _MISSING:
            usual["default_factory"] = each.default_factory
        elif each.default is not _MISSING:
            usual["default"] = each.default
        space[name] = dataclasses.field(
            init=each.init, repr=each.repr, compare=each.compare, kw_only=each.kw_only, **usual
        )
    return dataclasses.dataclass(init=False, frozen=how.frozen, eq=how.eq)(type(cls.__name__, (), space))


_INIT = _LateInit()
_EQ = _Late("__eq__", _eq_of)
_HASH = _Late("__hash__", _hash_of)
_STANDARD_FIELDS = _Late("__dataclass_fields__", lambda cls: _shadow(cls).__dataclass_fields__)
_STANDARD_PARAMS = _Late("__dataclass_params__", lambda cls: _shadow(cls).__dataclass_params__)


class Registry:
    """Modules of one package, each of which declares `attribute`; `names` has a word for each, by the alphabet.

    A word is the name of a module, or `name=module` where the module is called otherwise or is in a package below. A
    module may declare several entries: by their names, under the attribute in the plural, or under one that has `{}`
    for the name.
    The names are a table so that nobody has to look into the folder; a test compares the two.
    """

    __slots__ = ("attribute", "modules", "names", "package")

    def __init__(self, package: str, attribute: str, names: str) -> None:
        self.package = package
        self.attribute = attribute
        words = [word.partition("=") for word in names.split()]
        self.names = tuple(name for name, _, _ in words)
        self.modules = {name: module or name for name, _, module in words}

    def load_one(self, name: str) -> Any:
        """What the module of that name declares."""
        from importlib import import_module

        module = import_module(f"{self.package}.{self.modules[name]}")
        one = getattr(module, self.attribute.replace("{}", name), None)
        return getattr(module, f"{self.attribute}S")[name] if one is None else one

    def load(self) -> list[Any]:
        """What each module declares."""
        return [self.load_one(name) for name in self.names]


class _Pattern:
    """A pattern that is compiled when it is first asked for anything."""

    def __init__(self, text: Any, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _PATTERN:
            raise AttributeError(name)
        if name == "pattern":
            return self._given[0]
        import re

        compiled = re.compile(*self._given)
        for each in _PATTERN:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


def lazy_pattern(text: AnyStr, flags: int = 0) -> Pattern[AnyStr]:
    """A compiled pattern, as far as its methods go; to a function of `re` it cannot be given."""
    return _Pattern(text, flags)  # type: ignore[return-value]


class LazyModule:
    """A module that is imported when something of it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        from importlib import import_module

        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found


if not TYPE_CHECKING:
    MISSING, dataclass, field, fields, replace = _MISSING, _dataclass, _Field, _fields, _replace
