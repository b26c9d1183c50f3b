"""Writes that several tools share: a whole file, a new file from an edit with an empty old text, a patch.

A file that was not read is not replaced, and its hash is not shown: a model would send the hash instead of reading.
"""

from __future__ import annotations

from typing import Any

from steadyhand.dialects.front import read_patch
from steadyhand.dialects.patch import Patch
from steadyhand.errors import EditError, Kind
from steadyhand.hints import Hint, QuoteMore, Say, SendCorrected, SendOld
from steadyhand.lazy import replace
from steadyhand.match.tier import STRICT
from steadyhand.plan.edit import Replace
from steadyhand.schema import Field, Object, Text, bad_request
from steadyhand.session.host import host_of
from steadyhand.session.receipt import Receipt
from steadyhand.session.transaction_builder import Batch
from steadyhand.text.diff import shared_rows
from steadyhand.text.lines import split_bodies
from steadyhand.tools.file_views import how_known
from steadyhand.tools.result import Offer, success, without_offers
from steadyhand.tools.tool import Call, Example, Fields, Result, expected_version, reason_of, same_file

# A whole file in the place of what was read, or a new one.
#
# What was not read is not replaced, and its hash is not shown: it would be sent instead of reading.

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
        f"{path} exists and {how_known(*host_of(call.workspace).last_read(path))}",
        hint="read it first, or edit only what changes",
        details={"path": path},
    )


def _check_hash(call: Call, path: str, expect: str | None, field: str) -> None:
    """Refuse with `bad-request` to replace a file without its hash, in the modes that ask for one."""
    if expect is not None or call.mode not in _WITH_HASH:
        return
    try:
        host_of(call.workspace).last_read(path)
    except EditError:  # the write itself tells what is wrong with the path
        return
    raise bad_request(
        field,
        f"mode {call.mode} needs the hash to replace a whole file",
        "edit only what changes, or read the whole file and send its fileHash",
    )


# The whole text of a file as `file_path` and `content`, which is how two makers' tools spell it.

WHOLE = Object.of(
    Field("file_path", Text(), "The file.", required=True), Field("content", Text(), "Its whole text.", required=True)
)
UNREAD = Example(
    about="A file that was never read",
    files={"a.md": "# A\n"},
    arguments={"file_path": "a.md", "content": "# B\n"},
    result={"is_error": True, "kind": "stale-source"},
)


def write_whole(call: Call, fields: Fields) -> Receipt:
    """Write the file a call names, as far as the host's settings let it."""
    return write_under_settings(
        call, call.path(str(fields["file_path"])), str(fields["content"]), reason=call.workspace.tool
    )


# A new file from an edit with an empty old text, which is how several tools spell creation.


def create_or_fill(batch: Batch, path: str, text: str) -> None:
    """Make the file, or put the text into one that is empty. Refuses with `exists-already` where there is more."""
    try:
        batch.create(path, text)
    except EditError as error:
        if error.kind is not Kind.EXISTS_ALREADY:
            raise
        try:
            batch.edit(path, Replace("", text))
        except EditError as cause:
            raise (error if cause.kind is Kind.BAD_REQUEST else cause) from None


def created(call: Call, path: str, text: str, reason: str) -> Receipt:
    """The same in a transaction of its own."""
    with call.workspace.transaction(reason=reason) as batch:
        create_or_fill(batch, path, text)
    return batch.receipt


# Patches as calls have them: read by their dialect, and for one file only if that is the one the call names.

_READ_AGAIN = "read the file again, and send the patch with this part for the current text"
DIFF = ("diff", "diffContent", "patchContent")  # other names that models have for a patch


def patch_from(call: Call, reply: str, *, format: str = "auto", strict: bool = False) -> Patch:
    """What a model wrote, read in its dialect; the reading ends when the call is to."""
    with host_of(call.workspace).cancellable():
        return read_patch(reply, format=format, strict=strict)


def apply_diff(call: Call, path: str, diff: str, *, reason: str | None, strict: bool = False) -> Receipt:
    """Apply a unified diff of one file, all of it or nothing; `strict`: nothing else may be around it."""
    found = patch_from(call, diff, format="unified", strict=strict)
    try:
        return apply_patch(call, _patch_for(call, found, path), reason=reason)
    except EditError as error:
        raise _by_line(error) from None


def apply_patch(call: Call, found: Patch, **options: Any) -> Receipt:
    """Apply a patch, all of it or nothing."""
    try:
        return call.workspace.patch(found, **options)
    except EditError as error:
        raise refused_part(error, sum(map(len, found.places))) from None


def refused_part(error: EditError, parts: int) -> EditError:
    """The refusal of one of so many parts: what is offered for it would, sent as a call, leave out the others."""
    if parts < 2:
        return error
    return error.advised((_without_offer(hint) for hint in error.hints), without_offers(error.details))


def _without_offer(hint: Hint) -> Hint:
    match hint:
        case SendCorrected() | SendOld():
            return Say(_READ_AGAIN)
        case QuoteMore(is_offered=True):
            return replace(hint, is_offered=False)
        case _:
            return hint


def diff_of(offer: Offer) -> str:
    """An edit that is offered, as a unified diff: rows that stay around those that go and come."""
    old, new = split_bodies(offer.old), split_bodies(offer.new)
    head, tail = shared_rows(old, new)
    parts = ((" ", old[:head]), ("-", old[head : len(old) - tail]), ("+", new[head : len(new) - tail]))
    rows = [f"{sign}{row}" for sign, rows in (*parts, (" ", old[len(old) - tail :])) for row in rows]
    return "\n".join(["@@", *rows, ""])


def _by_line(error: EditError) -> EditError:
    """The refusal of lines that match several places, with the header that would decide among them."""
    match error.details:  # behind other parts, lines are counted in what those would leave
        case {"index": 0, "tier": tier, "candidates": [{"lines": [int(line), *_]}, *_]} if tier in STRICT:
            header = Say(f"give its line, such as @@ -{line} +{line} @@ for line {line}")
            return error.advised((*error.hints, header))
        case _:
            return error


def _patch_for(call: Call, found: Patch, path: str) -> Patch:
    """The patch for the file of the call, whether or not it names one. Refuses with `malformed-patch` any other."""
    wanted = call.path(path)

    def resolve(name: str) -> str:
        if name and not same_file(call.path(name), wanted):
            raise EditError(
                Kind.MALFORMED_PATCH,
                f"the patch names {name}, but the call is for {path}",
                hint="send one call per file, with the same name in path and in the patch",
                details={"path": path, "named": name},
            )
        return wanted

    return found.mapped(resolve)
