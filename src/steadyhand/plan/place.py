"""Where an edit goes, as data: old text, or a target of the file's structure; and the JSON form of both.

Nothing here looks at a file; wrong types are refused as `bad-request` at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from steadyhand.lazy import dataclass
from steadyhand.schema import (
    bad_request,
    check_integer,
    check_list,
    check_text,
    join,
    read_flag,
    read_object,
    read_optional_integer,
    read_text,
)
from steadyhand.structure.address import target_from_json
from steadyhand.structure.target import Target
from steadyhand.text.visible import sized

Fit = Literal["free", "lines-first", "lines"]

FITS = ("free", "lines-first", "lines")


@sized("text", "under")
@dataclass(frozen=True, slots=True)
class Old:
    """Old text, to be found in the file.

    What else is known of its place decides between places that are equal, or rules places out; it never makes up for
    text that does not match:

    `line`    the line (from 1) of the file before the call at which it is said to stand: a hint, which decides only
              where several places are equal and one of them stands there
    `fit`     `lines`: it is whole lines; `lines-first`: whole lines are meant where there are such, else any place
    `under`   lines that stand above it, each inside what the one before it leads in by indentation
    `at_end`  it is the end of the file; with an empty text, the place behind the last line
    """

    text: str
    line: int | None = None
    fit: Fit = "free"
    under: tuple[str, ...] = ()
    at_end: bool = False

    def __post_init__(self) -> None:
        check_text(self.text, "old")
        if self.line is not None:
            check_integer(self.line, "old.line")
        if self.fit not in FITS:
            raise bad_request("old.fit", f"one of {', '.join(FITS)} is expected")
        for row in self.under:
            check_text(row, "old.under")

    @property
    def is_plain(self) -> bool:
        """Whether nothing but the text is known."""
        return self == Old(self.text)


Place = Old | Target


def place_from_json(value: object, path: str) -> Place:
    """A target from its JSON form: a string is old text, an object has one key; `at` holds any address as a string."""
    if isinstance(value, str):
        return Old(value)
    if isinstance(value, Mapping) and list(value) == ["old"]:
        return _old_from_json(value["old"], join(path, "old"))
    return target_from_json(value, path)


def place_to_json(place: Place) -> object:
    """The JSON form of a target; old text of which nothing else is known is a plain string."""
    if not isinstance(place, Old):
        return {place.key: place.to_json()}
    if place.is_plain:
        return place.text
    facts: dict[str, object] = {
        "line": place.line,
        "fit": place.fit,
        "under": list(place.under),
        "at_end": place.at_end,
    }
    usual: dict[str, object] = {"line": None, "fit": "free", "under": [], "at_end": False}
    return {"old": {"text": place.text} | {name: fact for name, fact in facts.items() if fact != usual[name]}}


def _old_from_json(value: object, path: str) -> Old:
    if isinstance(value, str):
        return Old(value)
    fields = read_object(value, path, ("text", "line", "fit", "under", "at_end"))
    under = check_list(fields.get("under", []), join(path, "under"))
    return Old(
        read_text(fields, "text", path),
        line=read_optional_integer(fields, "line", path),
        fit=cast("Fit", fields.get("fit", "free")),
        under=tuple(check_text(row, join(path, "under")) for row in under),
        at_end=read_flag(fields, "at_end", path),
    )
