"""What to do next after a refusal, as data: a closed set of hints, each with the library's words for it.

A refusal carries hints and no prose about fields, options or tools: a surface and a toolset render each hint in names
of their own (`Phrases`), once, where the answer is made. Nobody edits the sentence of a hint afterwards. What reads
the same everywhere is said in plain words with `Say`, and a fact that is no alternative with `Note`.

Nothing of the package but `lazy` may be imported here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Literal

from steadyhand.lazy import dataclass

__all__ = [
    "HINTS", "Act", "Advice", "AllowPath", "AllowShrink", "ByText", "ChooseAddress", "ChooseOccurrence",
    "ExpectCount", "ExpectVersion", "FitEncoding", "FreeName", "GiveReason", "Hint", "InstallExtra", "LeaveGuardOut",
    "LeaveOut", "NameEncoding",
    "NameFile", "NameFormat", "NameJournal", "Note", "OneByOne", "OpenForWriting", "Overwrite", "Phrases", "QuoteMore",
    "Redo", "ReplaceExisting", "Reread", "RunCommand", "Say", "SendAddress", "SendCorrected", "SendExample", "SendOld",
    "UseLines", "hints_of", "lines_named", "render_hints",
]  # fmt: skip


class Hint(ABC):
    """One thing to do next. Every hint is an alternative to those before it, unless it `adds` to them."""

    __slots__ = ()
    adds: ClassVar[bool] = False

    @abstractmethod
    def words(self) -> str | None:
        """The hint in the words of the library; None where only some surface has something to say."""


Advice = str | Hint | Iterable[Hint] | None
"""What a refusal is made with: plain words, a hint, or several."""

Side = Literal["old", "new"]

Phrases = Mapping[type[Hint], Callable[[Any], str | None]]
"""How a surface or a toolset says hints of some types; None leaves one out. Others keep the words of the library."""


def hints_of(advice: Advice) -> tuple[Hint, ...]:
    """The hints that a refusal is made with.

    >>> hints_of("read it again")
    (Say(text='read it again'),)
    """
    if isinstance(advice, str):
        return (Say(advice),) if advice else ()
    if advice is None:
        return ()
    return (advice,) if isinstance(advice, Hint) else tuple(advice)


def render_hints(hints: Iterable[Hint], phrases: Phrases | None = None) -> str | None:
    """Hints as one sentence, in some surface's phrases or in the words of the library; None where nothing is said.

    >>> render_hints([Reread("a.md", (3, 4)), ExpectCount(2), Note("nothing was changed")])
    'read lines 3–4 and copy them exactly; or expect 2 to change all of them; nothing was changed'
    """
    said = ""
    has_action = False
    for hint in hints:
        phrase = (phrases or {}).get(type(hint))
        words = hint.words() if phrase is None else phrase(hint)
        if not words:
            continue
        said += f"{'; or ' if has_action and not hint.adds else '; ' if said else ''}{words}"
        has_action = has_action or not hint.adds
    return said or None


def lines_named(first: int, last: int) -> str:
    """One line or a range of lines, both 1-based and included."""
    return f"line {first}" if first == last else f"lines {first}–{last}"


@dataclass(frozen=True, slots=True)
class Say(Hint):
    """What reads the same on every surface: it names no field, no option, no command and no tool."""

    text: str

    def words(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Note(Hint):
    """A fact that whoever acts on the other hints should know."""

    text: str
    adds: ClassVar[bool] = True

    def words(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class TheText(Hint):
    """The old or the new text of an edit, by the name that a surface has for it: the subject of messages about it."""

    side: Side

    def words(self) -> str:
        return f"{self.side} text"


@dataclass(frozen=True, slots=True)
class Reread(Hint):
    """Read a file again, or some lines of it, and send the edit for what is there now."""

    path: str | None = None
    lines: tuple[int, int] | None = None

    def words(self) -> str:
        if self.lines is None:
            return f"read {self.path or 'the file'} again"
        if self.lines[0] == self.lines[1]:
            return f"copy line {self.lines[0]} exactly"
        return f"read {lines_named(*self.lines)} and copy them exactly"


@dataclass(frozen=True, slots=True)
class QuoteMore(Hint):
    """Quote more around one of several places, in the old and the new text: so many lines before and after it.

    `text` is the one line to add, or the longer part of the `line` where no line is added; None where it is too long
    to be shown. `is_offered`: `corrected` of the candidate in the details has it all.
    """

    line: int | None = None
    before: int = 0
    after: int = 0
    text: str | None = None
    is_offered: bool = False

    def words(self) -> str:
        return self.named("old and new text")

    def named(self, texts: str) -> str:
        """The same with the fields of a surface, which are the `texts` to add to."""
        if self.line is None:
            return f"add surrounding text to {texts}"
        if self.before + self.after == 0:
            more = "" if self.text is None else f", {self.text!r},"
            return f"for line {self.line} add more of it{more} to {texts}"
        what = " and ".join(
            f"the {'line' if count == 1 else f'{count} lines'} {side}"
            for count, side in ((self.before, "above"), (self.after, "below"))
            if count
        )
        if self.text is not None:
            what += f", {self.text!r}," if self.text.strip() else ", which is blank,"
        offered = " (`corrected` of its candidate)" if self.is_offered else ""
        return f"for line {self.line} add {what} to {texts}{offered}"


@dataclass(frozen=True, slots=True)
class ChooseOccurrence(Hint):
    """Say which of several equal texts is meant, by its number; `total` is None where nobody counted them."""

    total: int | None = None

    def words(self) -> str:
        if self.total == 1:
            return "set occurrence to 1, the only one"
        numbers = "1, 2 …" if self.total is None else "1, 2" if self.total == 2 else f"1 to {self.total}"
        return f'set occurrence to {numbers} or "last"'


@dataclass(frozen=True, slots=True)
class ChooseAddress(Hint):
    """Say which of several addressed places is meant: by an address of its own, or by its number."""

    total: int

    def words(self) -> str:
        if self.total == 1:
            return "set `nth` to 1, the only one"
        return f"send a longer address, or set `nth` (1 to {self.total})"


@dataclass(frozen=True, slots=True)
class ExpectCount(Hint):
    """Expect as many places as there are, if all of them are meant."""

    count: int

    def words(self) -> str:
        return f"expect {self.count} to change all of them"


@dataclass(frozen=True, slots=True)
class LeaveOut(Hint):
    """Leave fields of an edit out, by the names that the library has for them."""

    fields: tuple[str, ...]

    def words(self) -> str:
        return f"leave out {' and '.join(self.fields)}"


@dataclass(frozen=True, slots=True)
class SendCorrected(Hint):
    """Send the edit that the details offer as `corrected`; `old` and `new` are its texts where they are short.

    `aim` says when or for what, in plain words.
    """

    aim: str
    old: str | None = None
    new: str | None = None

    def words(self) -> str:
        return self.named("old text", "new text")

    def named(self, old: str, new: str) -> str:
        """The same with the fields of a surface for the two texts."""
        if self.old is None or self.new is None:
            return f"{self.aim}, send `corrected` of the details"
        return f"{self.aim}, send {self.old!r} as {old} and {self.new!r} as {new}"


@dataclass(frozen=True, slots=True)
class SendOld(Hint):
    """Send the same edit with another old text: `old`, or the one that the details have under that name."""

    aim: str
    old: str | None = None

    def words(self) -> str:
        return self.named("old text")

    def named(self, field: str) -> str:
        """The same with the field of a surface for the old text."""
        what = "`old` of the details" if self.old is None else repr(self.old)
        return f"{self.aim}, send {what} as {field}"


@dataclass(frozen=True, slots=True)
class SendAddress(Hint):
    """Do something at an address: send it as the target, or replace, insert at or delete what it names.

    `is_example`: it is one of several that could be meant. `more` is what else there is to say of it.
    """

    address: str
    verb: str = "send"
    is_example: bool = False
    more: str = ""

    def words(self) -> str:
        return self.spelled(self.address)

    def spelled(self, address: str) -> str:
        """The same with the address as a surface spells it."""
        what = f"the one you mean, such as {address}" if self.is_example else address
        return f"{self.verb} {what}{self.more}"


@dataclass(frozen=True, slots=True)
class Act(Hint):
    """Run an action on a key; `name`: with that name and a value. `aim` says for what, in plain words."""

    action: str
    path: str
    name: str | None = None
    aim: str = ""
    kind: str = "key"

    @property
    def address(self) -> str:
        return f"{self.kind}:{self.path or '$'}"

    def words(self) -> str:
        named = "" if self.name is None else f" with name {self.name!r} and a value"
        return f"{self.aim}{', ' if self.aim else ''}act {self.action} on {self.address}{named}"


@dataclass(frozen=True, slots=True)
class UseLines(Hint):
    """Name lines that there are: the file has `count` of them."""

    count: int

    def words(self) -> str:
        return f"use lines 1 to {self.count}" if self.count else "insert before line 1 with the range [1, 0]"


@dataclass(frozen=True, slots=True)
class ByText(Hint):
    """Name the place by its lines or by its old text, not by its structure; `first` is what else could be done."""

    first: str = ""

    def words(self) -> str:
        return f"{self.first}{', or ' if self.first else ''}address the place by lines or old text"


@dataclass(frozen=True, slots=True)
class ExpectVersion(Hint):
    """Say that the present version is expected, by its digest."""

    digest: str

    def words(self) -> str:
        return f"expect {self.digest[:16]}"


@dataclass(frozen=True, slots=True)
class Overwrite(Hint):
    """Replace a file whatever it holds."""

    def words(self) -> str | None:
        return None


@dataclass(frozen=True, slots=True)
class ReplaceExisting(Hint):
    """Change a file that is there already, instead of creating it."""

    def words(self) -> str:
        return "edit it, or write it with the hash you read"


@dataclass(frozen=True, slots=True)
class AllowShrink(Hint):
    """Say that most of a file is to go."""

    def words(self) -> str:
        return "set allow_shrink to drop the rest"


@dataclass(frozen=True, slots=True)
class LeaveGuardOut(Hint):
    """Make the edit without the guard that refuses it."""

    guard: str

    def words(self) -> str | None:
        return None


@dataclass(frozen=True, slots=True)
class GiveReason(Hint):
    """Say why an edit is made."""

    def words(self) -> str:
        return "add a `reason`"


@dataclass(frozen=True, slots=True)
class NameFile(Hint):
    """Name the file that a reply does not name."""

    def words(self) -> str:
        return "name the file with path="


@dataclass(frozen=True, slots=True)
class NameEncoding(Hint):
    """Name the encoding of a file; `is_binary`: it cannot be read as text without."""

    is_binary: bool = False

    def words(self) -> str:
        return f"{'leave it alone, or ' if self.is_binary else ''}set encoding=…"


@dataclass(frozen=True, slots=True)
class InstallExtra(Hint):
    """Install an optional part of Steadyhand."""

    extra: str

    def words(self) -> str:
        return f"pip install 'steadyhand[{self.extra}]'"


@dataclass(frozen=True, slots=True)
class FreeName(Hint):
    """Choose a name that no file has, or delete the file that has it."""

    def words(self) -> str:
        return "choose another name, or delete that file in the same transaction first"


@dataclass(frozen=True, slots=True)
class FitEncoding(Hint):
    """Send only characters that a file's encoding has."""

    encoding: str

    def words(self) -> str:
        return f"use characters of {self.encoding}, or convert the file first"


@dataclass(frozen=True, slots=True)
class NameFormat(Hint):
    """Say in which of several formats a reply is written."""

    format: str

    def words(self) -> str:
        return f"send one format, or set format={self.format!r}"


@dataclass(frozen=True, slots=True)
class NameJournal(Hint):
    """Say where the journal is, or is to be."""

    place: str = "another place"

    def words(self) -> str:
        return f"give {self.place} with journal=…"


@dataclass(frozen=True, slots=True)
class OpenForWriting(Hint):
    """Open the workspace so that it may be changed."""

    more: str = ""

    def words(self) -> str:
        return f"open it without read_only{self.more}"


@dataclass(frozen=True, slots=True)
class AllowPath(Hint):
    """Have the host open a protected path."""

    path: str

    def words(self) -> str:
        return "leave it alone, or ask the host to --allow it"


@dataclass(frozen=True, slots=True)
class OneByOne(Hint):
    """Make edits one after the other that get in each other's way."""

    def words(self) -> str:
        return "send them one at a time: batch sequential, or one call each"


@dataclass(frozen=True, slots=True)
class Redo(Hint):
    """Make a change again that was undone, by the id of its undo."""

    undo: str

    def words(self) -> str:
        return f"redo it with `steadyhand redo {self.undo}`"


@dataclass(frozen=True, slots=True)
class RunCommand(Hint):
    """What a command at a shell shows; `does` says it."""

    command: str
    does: str
    adds: ClassVar[bool] = True

    def words(self) -> str:
        return f"`steadyhand {self.command}` {self.does}"


@dataclass(frozen=True, slots=True)
class SendExample(Hint):
    """Send something in the form of an example."""

    what: str
    example: str

    def words(self) -> str:
        return f"{self.what}, such as:\n{self.example}"


HINTS: tuple[type[Hint], ...] = (
    Act, AllowPath, AllowShrink, ByText, ChooseAddress, ChooseOccurrence, ExpectCount, ExpectVersion,
    FitEncoding, FreeName, GiveReason, InstallExtra, LeaveGuardOut, LeaveOut, NameEncoding, NameFile, NameFormat,
    NameJournal, Note, OneByOne,
    OpenForWriting, Overwrite, QuoteMore, Redo, ReplaceExisting, Reread, RunCommand, Say, SendAddress, SendCorrected,
    SendExample, SendOld, TheText, UseLines,
)  # fmt: skip
