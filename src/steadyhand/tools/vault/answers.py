"""What the vault's tools take and answer alike."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases
from steadyhand.lazy import dataclass
from steadyhand.schema import HASH, Field, Object, Text
from steadyhand.session.host import host_of
from steadyhand.session.receipt import Receipt
from steadyhand.text.diff import shared_rows
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.visible import first_difference
from steadyhand.tools.call import Call
from steadyhand.tools.result import AROUND, LINES, failure, main_file, offering, success

# The answers of the vault's tools: `status` where other toolsets say `success`, `filePath` where they say `path`.
#
# Of a file with secrets nothing is shown.

_LONGEST = 200

# What every change is answered with.
CHANGED = (
    Field("status", Text(("success", "error")), required=True),
    Field("filePath", Text(), required=True),
    Field("affectedLines", LINES, "What changed, from 1, in the file as it is now; end = start - 1: only removed."),
    Field("context", AROUND, "The lines around it now."),
    Field("fileHash", Text(), "Of the file as it is now; send it as expectedHash.", required=True),
    Field("id", Text(), "Undo it by this.", required=True),
    Field("preview", Object((Field("before", Text()), Field("after", Text()))), "Each cut at 200 characters."),
)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a change took away and those it wrote."""

    before: Sequence[str]
    after: Sequence[str]

    @property
    def count(self) -> int:
        """How many lines changed: as many as went or came, whichever is more."""
        return max(len(self.before), len(self.after))


def refused(error: EditError, phrases: Phrases) -> dict[str, object]:
    """A refusal in the vault's form; that of an old version has the hash to send."""
    present = error.details.get("actual")
    if error.kind is Kind.STALE_SOURCE and isinstance(present, str):
        error = error.with_details(fileHash=present[:16])
    details = offering(error, lambda offer: {"oldText": offer.old, "newText": offer.new}, takes_number=True)
    details.pop("index", None)  # a call is one edit
    answer = failure(error.advised(error.hints, details), phrases)
    del answer["success"]
    return {"status": "error", **answer}


def tell_change(receipt: Receipt, path: str, rows: Rows | None) -> dict[str, object]:
    """What a change of one file came to; `rows` is None where nothing of it may be shown."""
    file = main_file(receipt)
    answer = success(receipt, file.path)
    facts: dict[str, object] = {"status": "success", "filePath": path}
    if rows is not None and "lines" in answer:
        facts |= {"affectedLines": answer["lines"], "context": answer["context"]}
    return facts | {name: answer[name] for name in ("fileHash", "id", "warnings", "durable") if name in answer}


def changed_rows(receipt: Receipt) -> Rows | None:
    """The rows in which a changed file differs; None where its content is not to be shown."""
    file = main_file(receipt)
    if file.redacted:
        return None
    before, after = (split_bodies(text) for text in file.texts())
    head, tail = shared_rows(before, after)
    return Rows(before[head : len(before) - tail], after[head : len(after) - tail])


def preview(before: str, after: str) -> dict[str, str]:
    """Both sides of a change, each cut; of long ones what is around the first difference is kept."""
    longer = max(len(before), len(after))
    shared = min(first_difference(before, after), longer - _LONGEST)
    start = max(shared - _LONGEST // 4, 0) if longer > _LONGEST else 0
    return {"before": _cut(before, start), "after": _cut(after, start)}


def _cut(text: str, start: int) -> str:
    ahead, rest = ("…", text[start:]) if start else ("", text)
    room = _LONGEST - len(ahead)
    return ahead + (rest if len(rest) <= room else f"{rest[: room - 1]}…")


# A file of the vault, as its tools name it: of an allowed kind by the name it is called and by the name it has.

FILE = Field("filePath", Text(), "The file, from the vault's root.", required=True)
EXPECTED = Field("expectedHash", Text(), "fileHash of the version you know; another version is refused.", also=HASH)


def file_source(call: Call, path: str) -> Source:
    """The file's text; nothing of it counts as read yet. Refuses as reading does, and with `not-allowed`."""
    source = host_of(call.workspace).source(call.path(path))
    if source.path is not None:  # a link may lead to a file of another kind
        call.check_ending(source.path)
    return source
