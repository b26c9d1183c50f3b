"""Checks of what callers pass in, before anything else happens: a wrong type is `bad-request`, never a guess.

A mistake, such as a string where a list belongs, must never turn on a permission.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Advice

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.plan.request import MoveText, Requests
    from steadyhand.structure.node import Where
    from steadyhand.structure.target import Target


T = TypeVar("T")

MAX_REMARK = 10_000
AnyPath = str | os.PathLike[str]


def path_of(path: object, name: str = "path") -> str:
    """A path as text; a `Path` will do."""
    spelled = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(spelled, str):
        raise _bad(name, "a path is expected")
    return spelled


def digest_of_version(expect: object) -> str | None:
    """At least 16 hex digits of a file's SHA-256, in lower case."""
    if expect is None:
        return None
    text = expect.lower() if isinstance(expect, str) else ""
    if not 16 <= len(text) <= 64 or any(char not in "0123456789abcdef" for char in text):
        raise _bad(
            "expect", "it is not a digest", "send at least 16 hex digits of the SHA-256 that reading the file showed"
        )
    return text


def remark(value: object, name: str) -> str | None:
    """A reason, actor or task: text of bounded length without control characters, or nothing."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise _bad(name, "text is expected")
    if len(value) > MAX_REMARK:
        hint = f"at most {MAX_REMARK} characters are kept"
        raise EditError(Kind.TOO_LARGE, f"{name}: {len(value)} characters", hint=hint, details={"field": name})
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _bad(name, "it contains a lone surrogate") from None
    return value


def names(values: object, name: str) -> tuple[str, ...]:
    """Several strings; one alone is refused, since its characters would each count."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise _bad(name, "a list of strings is expected", f"such as [{values!r}]" if isinstance(values, str) else None)
    if not all(isinstance(value, str) for value in values):
        raise _bad(name, "a list of strings is expected")
    return tuple(values)


def one_of(value: object, name: str, choices: Sequence[str]) -> str:
    """One of a closed set of words."""
    if not isinstance(value, str) or value not in choices:
        raise _bad(name, f"{str(value)[:40]!r} is not among {', '.join(choices)}")
    return value


def permission_bits(mode: object) -> int | None:
    """0 to 0o777, or nothing."""
    if mode is None:
        return None
    if not isinstance(mode, int) or isinstance(mode, bool) or mode < 0:
        raise _bad("mode", "permission bits are expected", "such as 0o644")
    if mode > 0o777:
        raise EditError(
            Kind.NOT_ALLOWED,
            f"mode {mode:o}: Steadyhand does not set set-user, set-group and sticky bits",
            hint="use permission bits up to 0777",
        )
    return mode


def mode_of(mode: object) -> int:
    """The same, where nothing is not an answer."""
    bits = permission_bits(mode)
    if bits is None:
        raise _bad("mode", "permission bits are expected", "such as 0o644")
    return bits


def text_of(content: object) -> str:
    """Text that a new file is to hold."""
    return _of_type(content, str, "content", "text is expected")


def policy_of(policy: object) -> Policy:
    """A policy; nothing means the usual one."""
    from steadyhand.plan.policy import Policy

    if policy is None:
        return Policy()
    return _of_type(policy, Policy, "policy", "a Policy is expected", "such as Policy(partial=True)")


def requests_of(requests: object) -> Requests:
    """Requests, or their JSON form."""
    from steadyhand.plan.request import Requests, requests_from_json

    if isinstance(requests, Requests):
        return requests
    if isinstance(requests, Mapping):
        return requests_from_json(requests)
    raise _bad("requests", "Requests or their JSON form are expected", "such as requests_from_json({…})")


def record_id(value: object) -> str | None:
    """A record's id or the beginning of one, or nothing."""
    return None if value is None else _of_type(value, str, "id", "a record's id is expected")


def encoding_name(value: object) -> str | None:
    """A name of an encoding, or nothing."""
    return None if value is None else _of_type(value, str, "encoding", "the name of an encoding is expected")


def flag(value: object, name: str) -> bool:
    """True or false; nothing else counts as either."""
    return _of_type(value, bool, name, "True or False is expected")


def amount(value: object, name: str) -> float:
    """A number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise _bad(name, "a number of at least 0 is expected")
    return value


def line_number(line: object) -> int:
    """A whole number; whether the file has that line is for the file to say."""
    if not isinstance(line, int) or isinstance(line, bool):
        raise _bad("line", "a line number is expected")
    return line


def line_range(lines: object, count: int) -> tuple[int, int] | None:
    """First and last row of the lines asked for, which may go on to the end (None); None where the file has none."""
    match lines:
        case (int(first), int(last)) if 1 <= first <= last:
            return (first - 1, min(last, count) - 1) if first <= count else None
        case (int(first), None) if first >= 1:
            return (first - 1, count - 1) if first <= count else None
    raise _bad("lines", "the first and the last line are expected", "such as (3, 12), or (3, None) for the rest")


def content_of(content: object) -> str | bytes:
    """What a file is to hold."""
    return content if isinstance(content, bytes) else _of_type(content, str, "content", "text or bytes are expected")


def _of_type(value: object, kind: type[T], name: str, what: str, hint: Advice = None) -> T:
    if not isinstance(value, kind):
        raise _bad(name, what, hint)
    return value


def _bad(name: str, what: str, hint: Advice = None) -> EditError:
    return EditError(Kind.BAD_REQUEST, f"{name}: {what}", hint=hint, details={"field": name})


def move_of(
    path: AnyPath,
    target: Target | str,
    to: Target | str | None,
    to_path: AnyPath | None,
    where: Where | None,
    expect: str | None,
) -> MoveText:
    """The request of a move; targets may be given as addresses."""
    from steadyhand.plan.edit import check_where
    from steadyhand.plan.request import MoveText
    from steadyhand.structure.target import parse_address

    place = parse_address(to, "to") if isinstance(to, str) else to
    return MoveText(
        path_of(path),
        parse_address(target, "target") if isinstance(target, str) else target,
        path_of(path if to_path is None else to_path, "to_path"),
        place,
        check_where(where or ("end" if place is None else "after")),
        digest_of_version(expect),
    )
