"""Where a journal is on a PostgreSQL server: what libpq is given, the journal's name, what may be shown.

A password is in `parameters` and nowhere else: not in `shown`, not in a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, lazy_pattern

COMMON = "steadyhand"
"""The schema of what all journals of a database share; no journal's own."""

_NAME = lazy_pattern("[a-z0-9_-]{1,48}")
_SHOWN = ("host", "port")


@dataclass(frozen=True, slots=True)
class Address:
    """A server, a database and a journal in it."""

    parameters: Mapping[str, str] = field(repr=False)
    name: str

    @property
    def schema(self) -> str:
        return f"{COMMON}_{self.name}"

    @property
    def shown(self) -> str:
        """As a URL that opens the same journal for whoever needs no password, or has it elsewhere."""
        known = self.parameters
        user = f"{quote(known['user'], safe='')}@" if "user" in known else ""
        asked = [f"{key}={quote(known[key], safe='/,')}" for key in _SHOWN if key in known]
        query = "&".join([*asked, f"journal={self.name}"])
        return f"postgresql://{user}/{quote(known.get('dbname', ''), safe='')}?{query}"

    def sibling(self, name: str) -> Address:
        """Another journal of the same database."""
        return Address(self.parameters, checked_name(name))


def parse_address(url: str, name: str) -> Address:
    """The address a URL gives; `name` is the journal's where the URL names none."""
    plain, given = _without_journal(url)
    if _misplaced_at(plain):
        raise _no_url()
    try:
        parameters = conninfo_to_dict(plain)
    except psycopg.Error:  # what libpq says quotes the URL, and so the password
        raise _no_url() from None
    return Address({key: str(value) for key, value in parameters.items()}, checked_name(given or name))


def checked_name(name: str) -> str:
    """A name that a schema can carry; anything else is refused."""
    if not _NAME.fullmatch(name):
        raise EditError(
            Kind.BAD_REQUEST,
            f"{name!r} is not a name for a journal",
            hint="use 1 to 48 lower-case letters, digits, _ and -",
        )
    return name


def _misplaced_at(url: str) -> bool:
    """Whether a password with a bare `/`, `?` or `@` would be taken for a host, a port or a database, and shown."""
    place, _, rest = re.sub("[/?]", "\n", url.partition("://")[2], count=1).partition("\n")
    return place.count("@") > 1 or "@" in rest


def _no_url() -> EditError:
    return EditError(
        Kind.BAD_REQUEST,
        "the URL of the journal is not one that PostgreSQL understands",
        hint="write postgresql://user@host:port/database?journal=name, with %-codes for special characters",
    )


def _without_journal(url: str) -> tuple[str, str | None]:
    """The URL as libpq may see it, and the journal's name taken off it."""
    place, mark, query = url.partition("?")
    parts = [part for part in query.split("&") if part]
    names = [unquote(part.partition("=")[2]) for part in parts if part.partition("=")[0] == "journal"]
    if len(names) > 1:
        raise EditError(Kind.BAD_REQUEST, "the URL names the journal twice", hint="give journal=NAME once")
    rest = "&".join(part for part in parts if part.partition("=")[0] != "journal")
    return f"{place}{mark}{rest}" if rest else place, names[0] if names else None
