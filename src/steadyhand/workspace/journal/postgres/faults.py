"""What PostgreSQL says, as refusals of a named kind. Knows no table; shows no password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand, Say

AGAIN = "send the same call again in a moment"

_BUSY = {"55P03", "40P01", "40001", "53300", "55006"}
_READ_ONLY = {"25006", "42501"}
_LATE = {"57014"}
_NOT_LET_IN = ("authentication failed", "no password supplied", "pg_hba.conf", 'role "')
_PASSING = ("starting up", "shutting down", "recovery mode", "too many clients", "remaining connection slots")
_REFUSED = {"53000", "53100", "53200", "58000", "58030"}
_DAMAGED = {"XX001", "XX002", "42P01", "42703", "3F000", "0A000"}
_TOO_LARGE = {"54000", "22001", "22003", "53400"}


class Overdue(psycopg.OperationalError):
    """The server did not answer in time; the connection cannot be used any more."""


class HoldLost(Exception):
    """The session that held the locks is gone; `landed`: what was to be written under them is there all the same."""

    def __init__(self, *, landed: bool = False) -> None:
        super().__init__("the session that held the locks has ended")
        self.landed = landed


class Undecided(Exception):
    """Whether a write was done could not be found out."""


def is_passing(error: psycopg.Error) -> bool:
    """Whether a server that let us in not now may do so in a moment; there is no code for that, only a text."""
    return any(text in str(error) for text in _PASSING)


@contextmanager
def refusing(where: str, password: str | None) -> Iterator[None]:
    """Turn what psycopg raises about the journal at `where` into an `EditError`."""
    try:
        yield
    except Undecided as error:
        raise undecided(where) from error
    except psycopg.Error as error:
        raise refusal(error, where, password) from error
    except UnicodeEncodeError as error:
        raise EditError(Kind.BAD_REQUEST, "only text can be kept here", hint="leave it out") from error


def refusal(error: psycopg.Error, where: str, password: str | None) -> EditError:
    """What the server said, by the kind that tells the caller what to do."""
    code = error.sqlstate or ""
    if isinstance(error, Overdue) or code in _LATE:
        return EditError(Kind.TIMED_OUT, f"the journal {where} did not answer in time", hint=AGAIN)
    if code in _BUSY:
        return EditError(Kind.BUSY, f"the journal {where} is in use by others", hint=AGAIN)
    if code in _READ_ONLY:
        return read_only(where)
    said = _said(error, password)
    if code in _DAMAGED:
        return damaged(where, said)
    if code in _TOO_LARGE or isinstance(error, psycopg.DataError):
        return EditError(Kind.TOO_LARGE, f"too large for the journal: {said}", hint="change less in one call")
    if code in _REFUSED or isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return _unreachable(where, said)
    return EditError(Kind.INTERNAL, f"the journal {where} failed: {said}", details={"sqlstate": code})


def _unreachable(where: str, said: str) -> EditError:
    """A server that lets nobody in gives no code for the reason, only a text."""
    if any(text in said for text in _NOT_LET_IN):
        return EditError(
            Kind.NOT_ALLOWED,
            f"the server of the journal {where} does not let us in: {said}",
            hint="check user and password in the URL, PGPASSWORD or the password file",
        )
    if 'database "' in said and "does not exist" in said:
        return EditError(Kind.NO_SUCH_FILE, f"there is no database for the journal {where}", hint="create it first")
    return EditError(
        Kind.DISK_REFUSED,
        f"the journal {where} could not be reached: {said}",
        hint="check that the server runs and can be reached, then send the same call again",
    )


def damaged(where: str, cause: str) -> EditError:
    """Something is there that is not a sound journal."""
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"the journal {where} cannot be used: {cause}",
        hint="give another name with journal=NAME in the URL; nothing was changed",
    )


def newer(where: str, version: int, known: int) -> EditError:
    """A journal this version must leave alone."""
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"the journal {where} was written by a newer Steadyhand (form {version}, this one knows {known})",
        hint="update Steadyhand; nothing was changed",
        details={"version": version, "known": known},
    )


def read_only(where: str) -> EditError:
    """The journal cannot be written, so nothing else may be."""
    return EditError(
        Kind.READ_ONLY,
        f"the journal {where} may only be read, and there is no edit without a journal",
        hint="open it for writing, as a role that may create and change its tables",
    )


def pooled() -> EditError:
    """Sessions that change between two statements keep neither locks nor settings: another journal could be written."""
    return EditError(
        Kind.NOT_ALLOWED,
        "the server is reached through a connection pooler, which keeps no locks",
        hint="give the address of the server itself",
    )


def hold_lost() -> EditError:
    """Somebody else may have the files by now."""
    return EditError(
        Kind.BUSY,
        "the locks on these files were lost with the connection to the journal",
        hint="nothing was changed; read the files again and send the call again",
    )


def undecided(where: str) -> EditError:
    """The connection was lost while the server was asked to commit, and it cannot be asked what became of that."""
    return EditError(
        Kind.TIMED_OUT,
        f"the journal {where} was lost in the middle of a write, and it is unknown whether that was done",
        hint=(
            Say("look at the history before the same call is sent again"),
            RunCommand("log", "shows it"),
        ),
        details={"state": "unknown"},
    )


def _said(error: psycopg.Error, password: str | None) -> str:
    text = " ".join(str(error.diag.message_primary or error).split()) or type(error).__name__
    return text.replace(password, "***") if password else text
