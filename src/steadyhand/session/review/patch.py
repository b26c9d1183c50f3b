"""Reviewed changes as a patch that `git apply` takes: exactly their bytes, whatever the encoding of a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from steadyhand.text.gitname import quote_name
from steadyhand.text.source import Source
from steadyhand.text.unified import render_unified

if TYPE_CHECKING:
    from steadyhand.workspace.overlay import FileOp


_BYTES = "latin-1"  # a character for each byte: a diff of these is one of the bytes


def patch_of(ops: Iterable[FileOp]) -> bytes:
    """The patch from the files after some operations to the files before them, sorted by path.

    A file with secrets and one that is no text are named in a comment, for which a patch has no place.
    """
    return b"".join(_backwards(op) for op in sorted(ops, key=lambda op: op.before_path or op.after_path or ""))


def _backwards(op: FileOp) -> bytes:
    present = b"" if op.before is None else op.before.data
    without = b"" if op.after_path is None else present if op.data is None else op.data
    if op.secret or any(Source.of_bytes(side).is_binary for side in (present, without)):
        why = "the content is not shown" if op.secret else "it is no text"
        return f"# {quote_name(op.before_path or op.after_path or '')}: left out; {why}\n".encode()
    modes = (op.mode, None if op.before is None else op.before.mode)
    if op.after_path is not None and op.mode is None:  # the mode stays
        modes = (None, None)
    patch = render_unified(
        without.decode(_BYTES), present.decode(_BYTES), op.after_path, op.before_path, git=True,
        mode_before=modes[0], mode_after=modes[1],
    )  # fmt: skip
    head, mark, body = patch.partition("\n@@ ")  # the head names files, in UTF-8
    return head.encode("utf-8", "surrogateescape") + (mark + body).encode(_BYTES)
