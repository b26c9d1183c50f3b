"""Bytes to text and back without losing one of them.

The choice, in this order: the caller's argument; a byte order mark; the NUL pattern of UTF-16; strict
UTF-8; a declaration inside the file; Windows-1252 for Western text with few accents; a detector; else UTF-8 with
escapes for the bytes that are not.
Whatever is chosen must give the same bytes back, or it is not chosen. Nothing here opens a file.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, lazy_pattern

MARK = "\ufeff"  # a byte order mark as a character

Errors = Literal["strict", "surrogateescape", "surrogatepass"]
_ERRORS: tuple[Errors, ...] = ("strict", "surrogateescape", "surrogatepass")

_MARKS: tuple[tuple[bytes, str, Errors], ...] = (
    (codecs.BOM_UTF8, "utf-8", "surrogateescape"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "strict"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "strict"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "surrogatepass"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "surrogatepass"),
)
_MARKED_FAMILY = {"utf-16": "utf-16-le", "utf-32": "utf-32-le", "utf-8-sig": "utf-8"}
_NOT_FOR_FILES = frozenset({"idna", "undefined"})  # text codecs that no file's text can be written in
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_SAMPLE = 65_536


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's bytes become text: codec, byte order mark, and what happens to bytes that are not text.

    `errors="surrogateescape"` means the codec is only a carrier: some bytes are no characters, they survive,
    and new text must be ASCII.
    """

    name: str = "utf-8"
    mark: bytes = b""
    errors: Errors = "strict"
    chosen_by: str = field(default="utf-8", compare=False)  # however it was found, it is the same encoding

    def decode(self, data: bytes) -> str:
        return data[len(self.mark) :].decode(self.name, self.errors)

    def encode(self, text: str) -> bytes:
        """The bytes of `text`, mark included. Refuses with `unencodable`."""
        try:
            return self.mark + text.encode(self.name, self.errors)
        except UnicodeEncodeError as error:
            raise _unencodable(text[error.start : error.start + 1], self.name) from None

    @property
    def is_certain(self) -> bool:
        """Whether every byte of the file was text."""
        return self.errors != "surrogateescape"

    def check_new_text(self, text: str) -> None:
        """Refuse text to be written that this encoding cannot represent."""
        if text.isascii():
            return
        if not self.is_certain:
            from steadyhand.hints import NameEncoding, Say

            first = next(char for char in text if not char.isascii())
            raise EditError(
                Kind.UNENCODABLE,
                f"the file contains bytes that are not {self.name} text, so only ASCII can be added, not {first!r}",
                hint=(NameEncoding(), Say("send only ASCII")),
            )
        if lone := _SURROGATE.search(text):
            raise EditError(
                Kind.UNENCODABLE,
                f"the new text contains the lone surrogate {lone.group()!r} at offset {lone.start()}",
                hint="send the character itself, or its escape as plain text",
            )
        if self.name != "utf-8":
            self.encode(text)

    def to_json(self) -> dict[str, str]:
        return {"name": self.name, "mark": self.mark.hex(), "errors": self.errors}

    @classmethod
    def from_json(cls, data: dict[str, str]) -> Encoding:
        for errors in _ERRORS:
            if errors == data["errors"]:
                return cls(data["name"], bytes.fromhex(data["mark"]), errors, "journal")
        raise ValueError("not an encoding")


def decode(data: bytes, encoding: str | None = None) -> tuple[str, Encoding]:
    """The text of a file and how it was found.

    >>> decode(b"caf\\xc3\\xa9")[0], decode(b"\\xff\\xfeh\\x00i\\x00")[1].name
    ('café', 'utf-16-le')
    """
    if encoding is not None:
        return _as_named(data, encoding)
    for candidate in _candidates(data):
        text = _round_trip(data, candidate)
        if text is not None:
            return text, candidate
    carrier = Encoding("utf-8", errors="surrogateescape", chosen_by="fallback")
    return carrier.decode(data), carrier


def first_guess(data: bytes) -> Encoding | None:
    """What is tried first for these bytes, and chosen where they are in it; None where nothing is."""
    return next(_candidates(data), None)


def _candidates(data: bytes) -> Iterator[Encoding]:
    for mark, name, errors in _MARKS:
        if data.startswith(mark):
            yield Encoding(name, mark, "strict", "mark")
            if errors != "strict":
                yield Encoding(name, mark, errors, "mark")
    if wide := _nul_pattern(data):
        yield Encoding(wide, chosen_by="nul-pattern")
    yield Encoding("utf-8")
    for name in _declared(data):
        yield Encoding(name, chosen_by="declaration")
    if b"\0" not in data and not _is_damaged_utf8(data):
        from steadyhand.text.western import looks_western

        if looks_western(data):
            yield Encoding("cp1252", chosen_by="western")
        for name in _detected(data):
            yield Encoding(name, chosen_by="detector")


def _round_trip(data: bytes, encoding: Encoding) -> str | None:
    try:
        text = encoding.decode(data)
        if encoding.name == "utf-8" or encoding.encode(text) == data:
            return text
    except (UnicodeError, ValueError, EditError):
        pass
    return None


def is_text_codec(name: str) -> bool:
    """Whether a file's text can be in an encoding of that name.

    >>> is_text_codec("cp1252"), is_text_codec("hex"), is_text_codec("no such")
    (True, False, False)
    """
    return _codec(name) is not None


def _as_named(data: bytes, named: str) -> tuple[str, Encoding]:
    name = _codec(named)
    if name is None:
        raise EditError(
            Kind.BAD_REQUEST, f"there is no text encoding called {named!r}", hint="utf-8, cp1252, shift_jis …"
        )
    marked = _MARKED_FAMILY.get(name, name)
    for mark, family, _ in _MARKS:
        if data.startswith(mark) and (family == marked or (name in _MARKED_FAMILY and family.startswith(name))):
            encoding = Encoding(family, mark, "strict", "argument")
            break
    else:
        encoding = Encoding(marked, b"", "strict", "argument")
    text = _round_trip(data, encoding)
    if text is None:
        raise EditError(
            Kind.NOT_TEXT,
            f"the file's bytes are not {named} text that can be written back unchanged",
            hint="leave the encoding out, or name the right one",
        )
    return text, encoding


def _codec(label: str) -> str | None:
    """The codec's own name, or None when Python has no text codec of that name."""
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError, UnicodeError):
        return None
    is_text = getattr(info, "_is_text_encoding", True) and info.name not in _NOT_FOR_FILES
    return info.name if is_text else None


def _nul_pattern(data: bytes) -> str | None:
    """UTF-16 without a mark: mostly Latin text has a NUL in every other byte."""
    if len(data) < 8 or len(data) % 2 or b"\0" not in data[:_SAMPLE]:
        return None
    sample = data[:_SAMPLE]
    half = len(sample) // 2
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd >= half * 0.6 and even <= half * 0.05:
        return "utf-16-le"
    if even >= half * 0.6 and odd <= half * 0.05:
        return "utf-16-be"
    return None


_PEP263 = lazy_pattern(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")
_XML = lazy_pattern(rb"\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([-\w.:]+)")
_META = lazy_pattern(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([-\w.:]+)", re.IGNORECASE)


def _declared(data: bytes) -> Iterator[str]:
    head = data[:2048]
    for pattern in (_PEP263, _XML, _META):
        found = pattern.search(head)
        name = _codec(found.group(1).decode("ascii", "replace")) if found else None
        if name == "iso8859-1" and pattern is _META:
            yield "cp1252"  # what every browser takes that label for
        if name is not None and name != "utf-8":
            yield name


def _is_damaged_utf8(data: bytes) -> bool:
    """More UTF-8 sequences than stray bytes: UTF-8 with a few wounds, which no legacy codec should reinterpret."""
    text = data[: 4 * _SAMPLE].decode("utf-8", "surrogateescape")
    strays = len(_SURROGATE.findall(text))
    return sum(not char.isascii() for char in text) > 2 * strays


def _detected(data: bytes) -> Iterator[str]:
    try:
        from turbohtml.detect import detect
    except ImportError:  # the extra is absent: bytes that are no UTF-8 are carried, not read
        return
    label = detect(data[: 4 * _SAMPLE]).encoding
    name = _codec(label) if label else None
    if name is not None and name not in ("utf-8", "ascii"):
        yield name


def _unencodable(char: str, name: str) -> EditError:
    from steadyhand.hints import FitEncoding

    return EditError(
        Kind.UNENCODABLE,
        f"the file's encoding, {name}, has no {char!r}",
        hint=FitEncoding(name),
    )
