"""JSON that somebody typed or piped in, read strictly: what could mean two things is refused."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind

__all__ = ["parse_json"]


def parse_json(text: str, what: str) -> object:
    """The value of a JSON text. Refuses with `bad-request`, calling the text `what`.

    >>> parse_json('{"a": [1]}', "the plan")
    {'a': [1]}
    """
    import json

    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise EditError(
            Kind.BAD_REQUEST,
            f"{what} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}",
            hint=f"fix {what} at that place",
            details={"line": error.lineno, "column": error.colno},
        ) from error
    except RecursionError as error:
        raise EditError(Kind.TOO_LARGE, f"{what} is nested too deeply", hint="a handful of levels is enough") from error
    except ValueError as error:
        raise EditError(Kind.BAD_REQUEST, f"{what} is not usable JSON: {error}", hint=f"fix {what}") from error


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object; which of two equal keys was meant is not ours to guess."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in one object")
    return found


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON value")
