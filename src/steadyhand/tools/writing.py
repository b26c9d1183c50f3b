"""A whole file in the place of what was read, or a new one.

What was not read is not replaced, and its hash is not shown: it would be sent instead of reading.
"""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.schema import bad_request
from steadyhand.session.receipt import Receipt
from steadyhand.text.lines import split_bodies
from steadyhand.tools.call import Call
from steadyhand.tools.fields import expected_version, reason_of
from steadyhand.tools.result import success
from steadyhand.tools.seen import how_known
from steadyhand.tools.tool import Fields, Result

__all__ = ["tell_written", "unread", "write_all", "write_under_settings"]

_WITH_HASH = ("modify",)  # the modes in which having read a file is not enough


def write_under_settings(
    call: Call,
    path: str,
    content: str,
    *,
    expect: str | None = None,
    reason: str | None = None,
    allow_shrink: bool = False,
) -> Receipt:
    """Write a file, as far as the host's settings let it: unread, and with most of its lines gone."""
    settings = call.settings
    return call.workspace.write(
        path,
        content,
        expect=expect,
        reason=reason,
        allow_shrink=allow_shrink or settings.allow_shrink,
        overwrite=settings.overwrite,
    )


def write_all(call: Call, fields: Fields, hash_field: str) -> tuple[Result, Receipt]:
    """Write `content` to `path`, where the host's settings and the hash in that field allow it; the answer of it."""
    path, content = str(fields["path"]), str(fields["content"])
    where, expect = call.path(path, creating=True), expected_version(fields, hash_field)
    _check_hash(call, where, expect, hash_field)
    try:
        reason, may_shrink = reason_of(fields), bool(fields.get("allow_shrink"))
        receipt = write_under_settings(call, where, content, expect=expect, reason=reason, allow_shrink=may_shrink)
    except EditError as error:
        raise (unread(call, where) if expect is None and error.kind is Kind.STALE_SOURCE else error) from None
    return tell_written(receipt, path, content), receipt


def tell_written(receipt: Receipt, path: str, content: str) -> Result:
    """The answer to a whole file that was written: all of its lines, with nothing around them."""
    lines = {"start": 1, "end": len(split_bodies(content))}
    return success(receipt, path) | {"lines": lines, "context": {"beforeLines": [], "afterLines": []}}


def unread(call: Call, path: str) -> EditError:
    """The refusal of a file that was not read; its hash is not shown, or it would be sent instead of reading."""
    return EditError(
        Kind.STALE_SOURCE,
        f"{path} exists and {how_known(*call.workspace.last_read(path))}",
        hint="read all of it first, or edit only the lines that change",
        details={"path": path},
    )


def _check_hash(call: Call, path: str, expect: str | None, field: str) -> None:
    """Refuse with `bad-request` to replace a file without its hash, in the modes that ask for one."""
    if expect is not None or call.mode not in _WITH_HASH:
        return
    try:
        call.workspace.last_read(path)
    except EditError:  # the write itself tells what is wrong with the path
        return
    raise bad_request(
        field,
        f"mode {call.mode} needs the hash to replace a whole file",
        "edit only the lines that change, or read the whole file and send its fileHash",
    )
