"""The configuration file of the person at this machine: what the command line may do beyond its defaults.

It lies outside every workspace, because it opens protected paths: a file an agent can edit must never be read here.

Keys: `actor`, `allow`, `protect`, `color`, `[retention]` with `keep_days` and `keep_size`, `[[auto_accept]]` with
`path`, `tool`, `tier`, `actor` and `lines`, `[models."NAME"]` with `toolset` and `dialect`, and the same again for one
workspace under `[roots."/absolute/path"]`, where `allow` adds and everything else replaces, models one by one.

Which toolset a model is given may also be said in the workspace, in `steadyhand.toml`, of which nothing else is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, fields, lazy_pattern, replace
from steadyhand.schema import Anything, Field, FieldError, Many, Number, Object, Text, bad_request, join
from steadyhand.workspace.model_choices import FILE, ModelChoice, choice_for, parse_choices, read_choices

MAX_BYTES = 1 << 20
USUAL_TOOLSET = "core"
_TEXTS = ("path", "tool", "tier", "actor")
# One table of the file: the whole, or what it says of one root.
_PART = Object.of(
    Field("actor", Text(), "Who makes the changes."),
    Field("allow", Many(Text()), "Protected paths that may be changed."),
    Field("protect", Text(("standard", "none"))),
    Field("color", Text(("auto", "always", "never"))),
    Field(
        "retention",
        Object.of(Field("keep_days", Number(least=0, most=1_000_000), "How many."), Field("keep_size", Anything())),
    ),
    Field(
        "auto_accept",
        Many(
            Object.of(*(Field(name, Text()) for name in _TEXTS), Field("lines", Number(least=0), "At most this many."))
        ),
        "Changes that need no reviewer.",
    ),
    Field("models", Anything()),
)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "KI": 2**10, "MI": 2**20, "GI": 2**30}
_SIZE = lazy_pattern(r"(\d{1,15})\s*([KMG]I?)?B?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Config:
    """What one configuration file says about one workspace; None: says nothing."""

    actor: str | None = None
    allow: tuple[str, ...] = ()
    protect: str | None = None
    color: str | None = None
    keep_days: int | None = None
    keep_bytes: int | None = None
    auto_accept: tuple[Mapping[str, object], ...] = ()
    models: Mapping[str, ModelChoice] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def under(self, other: Config) -> Config:
        """This file's general part with `other`, its part about one workspace, on top."""
        given = {f.name: value for f in fields(other) if (value := getattr(other, f.name)) not in (None, ())}
        return replace(self, **{**given, "allow": self.allow + other.allow, "models": {**self.models, **other.models}})


def parse_size(text: str) -> int | None:
    """A number of bytes with an optional unit; None when it is no such thing.

    >>> parse_size("500 MB"), parse_size("2GiB"), parse_size("12")
    (500000000, 2147483648, 12)
    """
    found = _SIZE.fullmatch(text.strip())
    return int(found[1]) * _UNITS[(found[2] or "").upper()] if found else None


def default_location(environ: Mapping[str, str]) -> Path | None:
    """Where the file is looked for; None when this account has no home."""
    folder = environ.get("XDG_CONFIG_HOME") or ""
    if not os.path.isabs(folder):
        folder = os.path.join(os.path.expanduser("~"), ".config")
    return Path(folder, "steadyhand", "config.toml") if os.path.isabs(folder) else None


def load_config(named: str | None, root: str, environ: Mapping[str, str]) -> Config:
    """The configuration for `root`: from the file named by the caller, else from the default place if there is one.

    A named file that is missing or lies inside the workspace is refused; one in the default place is then passed
    over, with a warning where it lies inside.
    """
    location = Path(named) if named is not None else default_location(environ)
    if location is None:
        return Config()
    inside = _lies_inside(location, root)
    if inside and named is not None:
        raise EditError(
            Kind.NOT_ALLOWED,
            "the configuration file is inside the workspace, where an edit could rewrite it",
            hint="keep it outside the root and name it with --config",
        )
    data = _read(location, required=named is not None)
    if data is None:
        return Config()
    if inside:
        return Config(warnings=("the configuration file was ignored: it is inside the workspace",))
    return parse_config(data, root)


def choose_for(model: str | None, config: Config, root: str) -> tuple[ModelChoice, tuple[str, ...]]:
    """What a model is given: as the configuration says, else `steadyhand.toml` at the root; and what is wrong there.

    Where neither says anything it is the toolset `core`. Refuses with `bad-request` a toolset of the configuration that
    there is not; one of the file in the root is passed over.
    """
    from steadyhand.tools.toolsets import toolset_named, toolsets

    chosen = choice_for(model, config.models)
    if chosen is not None and chosen.toolset is not None:
        toolset_named(chosen.toolset)
        return chosen, ()
    choices, warnings = read_choices(root) if model is not None else ({}, ())
    said = choice_for(model, choices) or ModelChoice()
    if said.toolset is not None and said.toolset not in toolsets():
        warnings = (*warnings, f"{FILE} was ignored: there is no toolset {said.toolset[:40]!r}")
        said = ModelChoice(None, said.dialect)
    dialect = said.dialect if chosen is None else chosen.dialect
    return ModelChoice(said.toolset or USUAL_TOOLSET, dialect), warnings


def parse_config(data: bytes, root: str) -> Config:
    """The configuration a TOML text gives for `root`; `bad-request` names the key that is wrong."""
    import tomllib

    try:
        table = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _wrong("the configuration file is not UTF-8", "save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise _wrong(f"the configuration file is not TOML: {error}", "fix the line it names") from error
    roots = table.pop("roots", {})
    try:
        general = _parse_part(table, _PART)
        for name, part in roots.items() if isinstance(roots, dict) else [(None, roots)]:
            if name is None:
                raise bad_request("roots", "a table is expected", '[roots."/absolute/path"]')
            own = _parse_part(part, _PART, f'roots."{name}"')  # a slip is reported wherever it is
            general = general.under(own) if _same_folder(name, root) else general
    except FieldError as slip:
        raise _wrong(f"the configuration file: {slip.message}", slip.hint) from None
    return general


def _parse_part(table: object, shape: Object, place: str = "") -> Config:
    from steadyhand.tools.repair import read_exactly

    part = read_exactly(shape, table, place)
    for name in ("actor", "allow", "auto_accept"):
        value = part.get(name)
        if value == "" or (isinstance(value, list) and not all(value)):  # a rule without a condition accepts everything
            raise bad_request(join(place, name), "it is empty", "leave it out, or give a value")
    retention = cast("Mapping[str, object]", part.get("retention", {}))
    actor, protect, color = (cast("str | None", part.get(name)) for name in ("actor", "protect", "color"))
    return Config(
        actor=actor,
        protect=protect,
        color=color,
        allow=tuple(cast("list[str]", part.get("allow", ()))),
        keep_days=cast("int | None", retention.get("keep_days")),
        keep_bytes=_bytes(retention.get("keep_size"), join(place, "retention.keep_size")),
        auto_accept=tuple(cast("list[Mapping[str, object]]", part.get("auto_accept", ()))),
        models=parse_choices(part.get("models", {})),
    )


def _bytes(value: object, place: str) -> int | None:
    size = parse_size(value) if isinstance(value, str) else value
    if size is None and value is None:
        return None
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise bad_request(place, "it is not a size", 'keep_size = "500 MB"')
    return size


def _read(location: Path, *, required: bool) -> bytes | None:
    try:
        with open(location, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        if not required:
            return None
        raise _wrong("there is no configuration file where --config points", "check the name") from error
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "not a file name"
        raise EditError(
            Kind.DISK_REFUSED, f"the configuration file cannot be read: {cause}", hint="check its permissions"
        ) from error
    if len(data) > MAX_BYTES:
        raise EditError(Kind.TOO_LARGE, "the configuration file is larger than 1 MiB", hint="name the right file")
    return data


def _lies_inside(location: Path, root: str) -> bool:
    try:
        return Path(os.path.realpath(location)).is_relative_to(os.path.realpath(root))
    except (OSError, ValueError):
        return False  # a name that cannot be one; reading it gives the refusal


def _same_folder(name: str, root: str) -> bool:
    folder = os.path.expanduser(name)
    if not os.path.isabs(folder):
        raise _wrong(f'roots."{name}" is not an absolute path', '[roots."/absolute/path"]')
    try:
        return os.path.realpath(folder) == os.path.realpath(root)
    except (OSError, ValueError):
        return False


def _wrong(message: str, hint: str | None) -> EditError:
    return EditError(Kind.BAD_REQUEST, message, hint=hint)
