"""Fields that many tools take alike, and what a call says in them."""

from __future__ import annotations

from typing import cast

from steadyhand.errors import EditError
from steadyhand.schema import Field, Text, bad_request, join
from steadyhand.session.checks import digest_of_version
from steadyhand.tools.tool import Fields

__all__ = ["FILE", "REASON", "expected_version", "reason_of"]

FILE = Field("path", Text(), "The file, from the workspace root.", required=True)
REASON = Field("reason", Text(), "Why; kept with the change.")


def reason_of(fields: Fields) -> str | None:
    """Why a call is made; None where it does not say."""
    return cast("str | None", fields.get("reason"))


def expected_version(fields: Fields, name: str = "expectedHash", place: str = "") -> str | None:
    """The hash in a field; None where there is none. Refuses with `bad-request`, naming the field of `place`."""
    try:
        return digest_of_version(fields.get(name))
    except EditError:
        hint = "send the fileHash from reading the file, or leave it out"
        raise bad_request(join(place, name), "not a fileHash", hint) from None
