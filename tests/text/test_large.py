"""A large source answers as one that is held as text does, from its bytes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding
from steadyhand.text.large import LargeSource
from steadyhand.text.source import LARGE, Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from tests.table import table

ALPHABET = ("a", "b ", "é", "東京", "🙂", "\n", "\r\n", "\r", "x" * 70)
STRETCH = 1 << 16


def pair(draw: random.Random, size: int, mark: bytes = b"") -> tuple[LargeSource, Source]:
    """Both ways to hold a text of about that many bytes, drawn by chance."""
    text = "".join(draw.choices(ALPHABET, draw.choices(range(1, 9), k=len(ALPHABET)), k=size // 10))
    encoding = Encoding(mark=mark, chosen_by="mark" if mark else "utf-8")
    large = LargeSource.of(mark + text.encode(), encoding, "a.txt")
    assert large is not None
    return large, Source(text, encoding, "a.txt")


def offsets_of(draw: random.Random, source: LargeSource) -> list[int]:
    """Offsets by chance, and those where one stretch of bytes ends and the next begins."""
    found = [0, 1, source.length - 1, source.length, *(draw.randrange(source.length + 1) for _ in range(30))]
    for byte in range(STRETCH, len(source.data), STRETCH):
        near = len(source.data[len(source.encoding.mark) : byte].decode(errors="ignore"))
        found += [max(near + step, 0) for step in (-2, -1, 0, 1, 2)]
    return [min(max(offset, 0), source.length) for offset in found]


@given(
    seed=st.integers(0, 10**9), size=st.sampled_from([30, 3_000, 400_000]), mark=st.sampled_from([b"", b"\xef\xbb\xbf"])
)
def test_every_question_has_the_answer_that_the_text_gives(seed: int, size: int, mark: bytes) -> None:
    draw = random.Random(seed)
    large, plain = pair(draw, size, mark)
    assert (large.length, large.size, large.digest) == (plain.length, plain.size, plain.digest)
    assert (large.newlines, large.line_count, large.to_bytes()) == (plain.newlines, plain.line_count, plain.to_bytes())
    for offset in offsets_of(draw, large):
        byte = large.byte_of(offset)
        assert byte == len(mark) + len(plain.text[:offset].encode())
        assert large.offset_of(byte) == offset
        assert large.feeds_before(offset) == plain.feeds_before(offset)
        assert large.line_of(offset) == plain.line_of(offset)
        end = min(offset + draw.randrange(100), large.length)
        assert large.read(offset, end) == plain.read(offset, end) == plain.text[offset:end]
        assert large.lines_of(Span(offset, end)) == plain.lines_of(Span(offset, end))
        near, start = large.near(Span(offset, end), 2)
        assert plain.text[start : start + near.length] == near.text
        assert start == 0 or plain.text[start - 1] == "\n"
        assert start + near.length in (large.length, start + near.text.rfind("\n") + 1)
    assert "text" not in vars(large)
    assert large.text == plain.text


@given(seed=st.integers(0, 10**9), size=st.sampled_from([30, 200_000]))
def test_its_table_is_that_of_the_text(seed: int, size: int) -> None:
    draw = random.Random(seed)
    large, plain = pair(draw, size)
    assert large.table.count == plain.table.count
    for offset in offsets_of(draw, large):
        row = plain.table.row_at(offset)
        assert large.table.row_at(offset) == row
        assert (large.table.span(row), large.table.text(row)) == (plain.table.span(row), plain.table.text(row))
        assert large.table.texts(row, row + 3) == plain.table.texts(row, row + 3)
        assert large.line_of(offset) == plain.line_of(offset)
    assert "text" not in vars(large)


@given(seed=st.integers(0, 10**9), size=st.sampled_from([30, 200_000]), mark=st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_changes_are_applied_to_its_bytes(seed: int, size: int, mark: bytes) -> None:
    draw = random.Random(seed)
    large, plain = pair(draw, size, mark)
    cuts = sorted(draw.choices(offsets_of(draw, large), k=2 * draw.randrange(4)))
    spans = [Span(start, end) for start, end in zip(cuts[::2], cuts[1::2], strict=True)]
    changes = ChangeSet.of(Splice(span.start, span.of(plain.text), draw.choice(ALPHABET)) for span in spans)
    after = large.apply(changes)
    assert after.to_bytes() == plain.apply(changes).to_bytes()
    assert "text" not in vars(large) | vars(after)
    assert after.text == plain.apply(changes).text


def test_a_change_for_another_text_is_refused() -> None:
    large = LargeSource.of("a🙂b".encode())
    assert large is not None
    for changes in (ChangeSet((Splice(1, "x", "y"),)), ChangeSet((Splice(2, "b", "y"),), "another version")):
        with pytest.raises(EditError) as refused:
            large.apply(changes)
        assert refused.value.kind is Kind.STALE_SOURCE


def test_what_is_not_utf8_is_no_large_source() -> None:
    assert LargeSource.of(b"a\xffb") is None
    assert LargeSource.of("a🙂".encode()[:-1]) is None
    assert LargeSource.of(b"a" * (STRETCH - 1) + "é".encode() + b"b") is not None
    assert LargeSource.of(b"caf\xe9", Encoding("cp1252")) is None


@table(
    ("data", "name", "is_large"),
    [
        (b"line\n" * (LARGE // 5), "utf-8", True),
        (b"line\n" * (LARGE // 5 - 1), "utf-8", False),
        (b"\xef\xbb\xbf" + "東京\n".encode() * (LARGE // 7), "utf-8", True),
        ("line\n".encode("utf-16-le") * (LARGE // 10), "utf-16-le", False),
        (b"caf\xe9 au lait, d\xe9j\xe0 vu\n" * (LARGE // 23), "cp1252", False),
    ],
)
def test_files_are_read_as_before_whatever_their_size(data: bytes, name: str, is_large: bool) -> None:
    source = Source.of_bytes(data)
    assert (source.encoding.name, source.is_large) == (name, is_large)
    assert source.to_bytes() == data
