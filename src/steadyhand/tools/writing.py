"""A whole file in the place of what was read, or a new one, as the write tools of our own do it.

What was not read is not replaced, and its hash is not told: it would be sent instead of reading.
"""

from __future__ import annotations

from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.session.receipt import Receipt
from steadyhand.structure.fields import bad_request
from steadyhand.text.lines import split_bodies
from steadyhand.tools.call import Call
from steadyhand.tools.result import success
from steadyhand.tools.tool import Fields, Result

__all__ = ["unread", "write_all"]

_WITH_HASH = ("modify",)  # the modes in which having read a file is not enough


def write_all(call: Call, fields: Fields, hash_field: str) -> tuple[Result, Receipt]:
    """Write `content` to `path`, where the host's settings and the hash in that field allow it; the answer of it."""
    path, content = str(fields["path"]), str(fields["content"])
    where, expect = call.path(path), cast("str | None", fields.get(hash_field))
    _check_hash(call, where, expect, hash_field)
    try:
        receipt = call.workspace.write(
            where,
            content,
            expect=expect,
            reason=cast("str | None", fields.get("reason")),
            allow_shrink=bool(fields.get("allow_shrink")) or call.settings.allow_shrink,
            overwrite=call.settings.overwrite,
        )
    except EditError as error:
        raise (unread(call, where) if expect is None and error.kind is Kind.STALE_SOURCE else error) from None
    lines = {"start": 1, "end": len(split_bodies(content))}
    told = success(receipt, path) | {"lines": lines, "context": {"beforeLines": [], "afterLines": []}}
    return told, receipt


def unread(call: Call, path: str) -> EditError:
    """The refusal of a file that was not read; its hash is not told, or it would be sent instead of reading."""
    seen, present = call.workspace.last_read(path)
    how = {None: "was never read by this task", present: "was read by this task only in part"}
    return EditError(
        Kind.STALE_SOURCE,
        f"{path} is there already and {how.get(seen, 'changed since this task read it')}",
        hint="read all of it, then write it if that is still meant; to change some lines, edit them instead",
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
        f"mode {call.mode} replaces a whole file only with its hash",
        "edit the lines that change instead; or read all of the file and send the fileHash of that answer",
    )
