"""The script and the style sheet of the page, as they are sent."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_TYPES = {"review.css": "text/css; charset=utf-8", "review.js": "text/javascript; charset=utf-8"}


@cache
def asset(name: str) -> tuple[str, str] | None:
    """The type and the text of a file by its name; None where there is none."""
    if name not in _TYPES:
        return None
    return _TYPES[name], files("steadyhand.surfaces.web").joinpath("assets", name).read_text("utf-8")
