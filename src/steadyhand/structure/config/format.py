"""The table of configuration files: by which names they are known, what can be addressed in them, whether they parse.

An outline of a `.env` file has names in it and never values. What is called `.conf` is often written in a language of
its own: it is read as INI, and not held to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from steadyhand.lazy import replace
from steadyhand.structure.format import Change, Fault, Format, OutlineEntry, Unchecked
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source

if TYPE_CHECKING:
    from steadyhand.structure.config.item import Item

_TELLING = ("name", "id", "key", "kind", "title", "uses")
_LONGEST = 60


def _outline(syntax: str, source: Source) -> Sequence[OutlineEntry] | Refusal:
    from steadyhand.structure.config.key import outline_keys

    return outline_keys(source, syntax)


def _fault(syntax: str, source: Source, message: str | None = None) -> Fault | Unchecked | None:
    from steadyhand.structure.config.syntax import syntax_named

    return Fault.of(source.derive(syntax_named(syntax).read), message)


def _json_fault(source: Source) -> Fault | Unchecked | None:
    from steadyhand.structure.config.json_reader import fault_of

    return fault_of(source)


def _is_neutral(module: str, change: Change) -> bool:
    from importlib import import_module

    return bool(import_module(f"steadyhand.structure.config.{module}").is_neutral(change))


def _yaml_outline(source: Source) -> Sequence[OutlineEntry] | Refusal:
    """Every key of every document, and items by the name they carry inside."""
    from steadyhand.structure.config.key import key_entries
    from steadyhand.structure.config.syntax import syntax_named

    reading = source.derive(syntax_named("yaml").read)
    if isinstance(reading, Refusal):
        return reading
    is_stream = len(reading.documents) > 1
    entries = iter(key_entries(reading, depth=int(is_stream)))
    made: list[OutlineEntry] = []
    for number, top in enumerate(reading.documents, start=1):
        for item in top.walk():
            if item.path:
                entry = next(entries)
                said = None if item.name is not None else _called(item)
                made.append(entry if said is None else replace(entry, label=f"{entry.label} ({said})"))
            elif is_stream:
                made.append(_document(top, number))
    return made


def _document(top: Item, number: int) -> OutlineEntry:
    size = f" of {len(top.children)}" if top.is_container else ""
    said = _called(top)
    label = f"document {number}: {top.kind}{size}" + ("" if said is None else f" ({said})")
    return OutlineEntry(f"key[{number}]:", "document", label, top.value)


def _called(item: Item) -> str | None:
    if item.kind != "mapping":
        return None
    texts = {child.path[-1]: child.data for child in item.children if child.kind == "text"}
    name = next((name for name in _TELLING if name in texts), None)
    return None if name is None else f"{name} {' '.join(str(texts[name]).split())[:_LONGEST]}"


def _yaml_fault(source: Source) -> Fault | Unchecked | None:
    from steadyhand.structure.config.yaml_reader import is_readable, parse

    is_new = source.derived(parse) is None
    return None if is_new and source.derive(is_readable) else _fault("yaml", source)


def _toml_fault(source: Source) -> Fault | Unchecked | None:
    from steadyhand.structure.config.toml_reader import is_readable

    return None if source.derive(is_readable) else _fault("toml", source)


_STAGES = "example sample template dist defaults local development dev test testing staging production prod ci docker"
_KINDS = ("example", "sample", "template", "dist", "local")
_ENV = " ".join(
    (
        ".env",
        ".envrc",
        ".flaskenv",
        ".dev.vars",
        ".dev.vars.example",
        *(f".env.{stage}" for stage in _STAGES.split()),
        *(f".env.{stage}.{kind}" for stage in _STAGES.split() for kind in _KINDS if kind != stage),
        *(f".envrc.{kind}" for kind in _KINDS),
    )
)
_ENV_NAMES = " ".join(f"env.{kind}" for kind in _KINDS)
_INI = (
    ".ini .cfg .editorconfig .npmrc .gitconfig .gitmodules .pylintrc .flake8 .coveragerc "
    ".desktop .service .socket .timer .mount .target .path .slice .network .netdev"
)


def _keyed(
    name: str,
    suffixes: str,
    syntax: str,
    fault: Callable[[Source], Fault | Unchecked | None] | None = None,
    *,
    names: str = "",
    proof: str | None = None,
) -> Format:
    """A format by the syntax that its keys are written in; `proof` is the module that knows changes to be neutral."""
    outline = _yaml_outline if syntax == "yaml" else partial(_outline, syntax)
    is_neutral = None if proof is None else partial(_is_neutral, proof)
    found, known = tuple(suffixes.split()), tuple(names.split())
    return Format(name, found, outline, fault, known, is_neutral=is_neutral, syntax=syntax)


FORMATS = (
    _keyed("env", _ENV, "env", partial(_fault, "env", message="this is not a line of a .env file"), names=_ENV_NAMES),
    _keyed("ini", _INI, "ini", partial(_fault, "ini")),
    _keyed("conf", ".conf .cnf", "ini"),
    _keyed(
        "json",
        ".json .webmanifest .geojson .topojson .jsonld .avsc .har",
        "json",
        _json_fault,
        names=".babelrc .jshintrc .swcrc composer.lock pipfile.lock flake.lock deno.lock",
        proof="json_reader",
    ),
    _keyed(
        "jsonc", ".jsonc .code-workspace .code-snippets", "json", _json_fault, names="bun.lock", proof="json_reader"
    ),
    _keyed("json5", ".json5", "json", _json_fault),
    _keyed("jsonl", ".jsonl .ndjson", "json", _json_fault),
    _keyed(
        "toml",
        ".toml",
        "toml",
        _toml_fault,
        names="pipfile cargo.lock poetry.lock uv.lock pdm.lock gopkg.lock",
        proof="toml_reader",
    ),
    _keyed("yaml", ".yaml .yml .cff", "yaml", _yaml_fault, proof="yaml_neutral"),
)
