"""Units are converted in one module; here against encoding the piece before the offset."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.text import offsets
from steadyhand.text.offsets import Position, UnitMap
from steadyhand.text.source import Source
from tests.table import table

TEXT = st.text(alphabet="ab\r\n é€😀\U0010ffff\ud800\udce9", max_size=20)
# Longer than one step of the map, so that the marks between steps are crossed.
LONG = st.builds(lambda text, times: text * times, TEXT, st.integers(0, 80))


def refused(call: object, *args: object) -> None:
    with pytest.raises(EditError) as refusal:
        call(*args)  # type: ignore[operator]
    assert refusal.value.kind is Kind.OUT_OF_BOUNDS


@table("offset", [-1, 4])
def test_offsets_outside_the_text_are_refused(offset: int) -> None:
    source = Source.of_text("aé\n")
    refused(offsets.offset_to_byte, "aé\n", offset)
    refused(offsets.offset_to_utf16, "aé\n", offset)
    refused(offsets.offset_to_position, source, offset)
    refused(offsets.byte_to_offset, "aé\n", offset * 2)
    refused(offsets.utf16_to_offset, "aé\n", offset)


@table("position", [(0, 1), (1, 0), (3, 1), (1, 4), (2, 3), (-1, 1)])
def test_positions_outside_the_text_are_refused(position: tuple[int, int]) -> None:
    refused(offsets.position_to_offset, Source.of_text("ab\nc"), Position(*position))


@given(LONG, st.data())
def test_bytes_and_units_are_those_of_the_piece_before(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    byte = len(text[:offset].encode("utf-8", "surrogatepass"))
    unit = sum(2 if ord(char) > 0xFFFF else 1 for char in text[:offset])
    assert offsets.offset_to_byte(text, offset) == UnitMap.utf8(text).to_units(offset) == byte
    assert offsets.offset_to_utf16(text, offset) == UnitMap.utf16(text).to_units(offset) == unit
    assert offsets.byte_to_offset(text, byte) == UnitMap.utf8(text).to_offset(byte) == offset
    assert offsets.utf16_to_offset(text, unit) == UnitMap.utf16(text).to_offset(unit) == offset
    assert UnitMap.utf8(text).total == len(offsets.utf8_bytes(text))


@given(TEXT)
def test_the_middle_of_a_character_is_refused(text: str) -> None:
    starts = {len(offsets.utf8_bytes(text[:at])) for at in range(len(text) + 1)}
    for byte in range(len(offsets.utf8_bytes(text)) + 1):
        if byte in starts:
            assert offsets.offset_to_byte(text, offsets.byte_to_offset(text, byte)) == byte
        else:
            refused(offsets.byte_to_offset, text, byte)


@given(TEXT)
def test_positions_round_trip_and_count_from_one(text: str) -> None:
    source = Source.of_text(text)
    lines = [source.table.span(row).of(text) for row in range(source.table.count)]
    for offset in range(len(text) + 1):
        position = offsets.offset_to_position(source, offset)
        assert offsets.position_to_offset(source, position) == offset
        assert position.line == source.line_of(offset)
        assert sum(map(len, lines[: position.line - 1])) + position.column - 1 == offset
