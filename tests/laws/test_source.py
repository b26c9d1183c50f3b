"""Bytes come back as they went in, in every encoding, and edits leave the bytes around them alone."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding, decode
from steadyhand.text.source import Source, digest_of
from steadyhand.text.splice import Splice
from tests.table import table

NEWLINES = ["\n", "\r\n", "\r"]
WORDS = {
    "utf-8": "naïve Ω 日本 😀 \u2028 \x85",
    "utf-16-le": "naïve Ω 日本 😀",
    "utf-16-be": "naïve Ω 日本 😀",
    "utf-32-le": "naïve 日本 😀",
    "utf-32-be": "naïve 日本 😀",
    "cp1252": "naïve “quoted” – €",
    "latin-1": "naïve ÀÉÎ\x80\x9f",
    "shift_jis": "日本語テスト ｱｲｳ ソ表",
    "euc_jp": "日本語テスト ソ表",
    "gb18030": "汉字编码 测试 😀 €",
    "big5": "繁體中文 功能",
    "koi8_r": "Привет мир",
    "cp1251": "Привет мир",
    "iso2022_jp": "日本語 テスト abc",
    "euc_kr": "한국어 문서",
}
STATEFUL = {"iso2022_jp"}
MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
NAMED = sorted(WORDS)


def texts(name: str) -> st.SearchStrategy[str]:
    pieces = [*NEWLINES, *WORDS[name].split(), *"ab \t", "x = 1"]
    return st.lists(st.sampled_from(pieces), max_size=20).map("".join)


@st.composite
def file_in(draw: st.DrawFn) -> tuple[str, bytes, bytes, str]:
    """An encoding, its mark or none, and a text as bytes."""
    name = draw(st.sampled_from(NAMED))
    mark = draw(st.sampled_from([b"", MARKS[name]])) if name in MARKS else b""
    text = draw(texts(name))
    return name, mark, mark + text.encode(name), text


GARBAGE = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from([b"\xff", b"\xfe", b"\0", b"a", b"\n", b"\r", b"\xef\xbb\xbf", b"\xe9", b"\x1b$B", b"\xd8"])
    )
    .map(b"".join)
    .filter(lambda data: len(data) < 200),
)


@given(file_in())
def test_bytes_come_back_when_the_encoding_is_found(case: tuple[str, bytes, bytes, str]) -> None:
    _, _, data, _ = case
    source = Source.of_bytes(data)
    assert source.to_bytes() == data
    assert source.digest == digest_of(data)
    assert source.size == len(data)
    assert source.settle().digest == source.digest


@given(file_in())
def test_bytes_come_back_when_the_encoding_is_given(case: tuple[str, bytes, bytes, str]) -> None:
    name, mark, data, text = case
    source = Source.of_bytes(data, encoding=name)
    assert source.to_bytes() == data
    assert source.text == text
    assert source.encoding.mark == mark


@given(GARBAGE)
@example(b"\xff\xfe\x00")
@example(b"\xff\xfe\x00\xd8")
@example(b"\xef\xbb\xbf\xff")
@example(b"\x00" * 8)
@example(b"a\x00b\x00c\x00d\x00\x00\xd8")
@example(b"# coding: utf-16\nx\xff\n")
@example(b"# coding: undefined\nx\xff\n")
@example(b"# coding: idna\nx\xff..\n")
@example(b'<meta charset="utf-7">+AAA\xff')
def test_garbage_comes_back(data: bytes) -> None:
    source = Source.of_bytes(data)
    assert source.to_bytes() == data
    assert source.encoding.decode(data) == source.text
    assert Encoding.from_json(source.encoding.to_json()).encode(source.text) == data


@given(GARBAGE, st.sampled_from([*NAMED, "utf-16", "utf-32", "utf-8-sig", "ascii", "utf-7", "cp037", "hz", "punycode"]))
def test_garbage_in_a_given_encoding_comes_back_or_is_refused(data: bytes, name: str) -> None:
    answer: bytes | Kind
    try:
        answer = Source.of_bytes(data, encoding=name).to_bytes()
    except EditError as error:
        answer = error.kind
    assert answer in (data, Kind.NOT_TEXT)


@table("name", ["nonsense", "base64", "hex", "rot13", "zlib", "", "a\0b", "\ud800"], ids=ascii)
def test_what_is_no_text_encoding_is_refused(name: str) -> None:
    with pytest.raises(EditError) as refusal:
        Source.of_bytes(b"x", encoding=name)
    assert refusal.value.kind is Kind.BAD_REQUEST


@given(file_in(), st.data())
def test_bytes_outside_an_edit_stay(case: tuple[str, bytes, bytes, str], data: st.DataObject) -> None:
    name, _, before, text = case
    source = Source.of_bytes(before, encoding=name)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    new = data.draw(st.one_of(st.text(alphabet="xyz\n\r", max_size=5), texts(name)))
    changed = source.apply(ChangeSet.of([Splice(start, text[start:end], new)], source.digest))
    after = changed.to_bytes()
    assert changed.text == text[:start] + new + text[end:]
    assert changed.encoding == source.encoding
    assert changed.reads_back == (source.encoding.decode(after) == changed.text)
    if name in STATEFUL:
        assert source.encoding.decode(after) == changed.text
        return
    head = len(source.encoding.encode(text[:start]))
    tail = len(text[end:].encode(name))
    assert after[:head] == before[:head]
    assert after[len(after) - tail :] == before[len(before) - tail :]
    assert after[head : len(after) - tail] == new.encode(name)


@given(GARBAGE, st.data())
def test_bytes_outside_an_edit_of_garbage_stay(before: bytes, data: st.DataObject) -> None:
    source = Source.of_bytes(before)
    assume(source.encoding.name in ("utf-8", "utf-16-le", "utf-16-be"))
    text = source.text
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    after = source.apply(ChangeSet.of([Splice(start, text[start:end], "x\n")])).to_bytes()
    head = len(source.encoding.encode(text[:start]))
    tail = len(source.encoding.encode(text[end:])) - len(source.encoding.mark)
    assert after[:head] == before[:head]
    assert after[len(after) - tail :] == before[len(before) - tail :]


@given(st.text(alphabet="a\n\r é\ud800\udcff😀", max_size=20))
def test_a_text_without_bytes_has_some(text: str) -> None:
    source = Source.of_text(text)
    assert source.encoding.decode(source.to_bytes()) == text
    assert source.size == len(source.to_bytes())


FOUND = [
    ("café\n".encode(), "utf-8", b""),
    (codecs.BOM_UTF8 + "café\n".encode(), "utf-8", codecs.BOM_UTF8),
    (codecs.BOM_UTF16_LE + "café\n".encode("utf-16-le"), "utf-16-le", codecs.BOM_UTF16_LE),
    (codecs.BOM_UTF16_BE + "café\n".encode("utf-16-be"), "utf-16-be", codecs.BOM_UTF16_BE),
    ("plain text\r\n".encode("utf-16-le"), "utf-16-le", b""),
    ("plain text\r\n".encode("utf-16-be"), "utf-16-be", b""),
    ("# -*- coding: latin-1 -*-\nname = 'é'\n".encode("latin-1"), "iso8859-1", b""),
    ("<?xml version='1.0' encoding='iso-8859-2'?><a>ł</a>".encode("iso8859-2"), "iso8859-2", b""),
    ('<meta charset="shift_jis"><p>日本語</p>'.encode("shift_jis"), "shift_jis", b""),
    (b"", "utf-8", b""),
]


@table(("data", "name", "mark"), FOUND, ids=[name for _, name, _ in FOUND])
def test_the_encoding_is_found(data: bytes, name: str, mark: bytes) -> None:
    text, encoding = decode(data)
    assert (encoding.name, encoding.mark) == (name, mark)
    assert encoding.encode(text) == data


UNSAYABLE = [
    (b"caf\xe9\xff\xfe\x00\x01\n", None, "é", "only ASCII beside bytes that are no text"),
    (b"plain\n", None, "\ud800", "a lone surrogate"),
    (b"plain\n", None, "ok \udce9", "an escaped byte that came as text"),
    ("naïve".encode("cp1252"), "cp1252", "日本", "characters the encoding lacks"),
    (b"plain\n", "ascii", "é", "characters ASCII lacks"),
]


@table(("data", "name", "new", "why"), UNSAYABLE, ids=[why for *_, why in UNSAYABLE])
def test_new_text_the_file_cannot_say_is_refused(data: bytes, name: str | None, new: str, why: str) -> None:
    with pytest.raises(EditError) as refusal:
        Source.of_bytes(data, encoding=name).encoding.check_new_text(new)
    assert refusal.value.kind is Kind.UNENCODABLE


def test_a_change_for_another_version_is_refused() -> None:
    with pytest.raises(EditError) as refusal:
        Source.of_bytes(b"abc").apply(ChangeSet.of([Splice(0, "a", "b")], digest_of(b"abd")))
    assert refusal.value.kind is Kind.STALE_SOURCE


def test_bytes_that_are_no_text_are_binary_only_with_a_nul() -> None:
    assert Source.of_bytes(b"\x7fELF\x00\xff\xfe\x01\x80").is_binary
    assert not Source.of_bytes(b"caf\xe9 \xff\n").is_binary
    assert not Source.of_bytes(b"a\0b\n").is_binary


AS_DETECTED = [
    ("shift_jis", "日本"),
    ("shift_jis", "ソ表"),
    ("shift_jis", "アイウ"),
    ("shift_jis", "ウェブ"),
    ("shift_jis", "ファイル名"),
    ("euc_jp", "日本"),
    ("euc_jp", "テスト"),
    ("gb18030", "测试"),
    ("big5", "繁體"),
    ("big5", "是"),
    ("euc_kr", "문서"),
    ("koi8_r", "Привет"),
    ("koi8_r", "да"),
    ("cp1251", "Привет"),
    ("cp1253", "Γεια"),
    ("cp1250", "łódź"),
    ("cp1250", "český jazyk"),
    ("cp1250", "życie"),
    ("cp1250", "není možné"),
    ("cp1254", "güneş"),
]


@table(("name", "word"), AS_DETECTED)
@table("frame", ["{}\n", "name = '{}'\nvalue = 12\n"])
def test_short_words_of_other_alphabets_are_not_taken_for_western(name: str, word: str, frame: str) -> None:
    text, encoding = decode(frame.format(word).encode(name))
    assert text == frame.format(word)
    assert encoding.chosen_by == "detector"


WESTERN = [
    "naïve",
    "café",
    "Größe Übung",
    "château",
    "œuvre",
    "£5",
    "l’été",
    "«oui»",
    "¿qué?",
    "créée",
    "5° ±1 µm",
    "ç",
]


@table("word", WESTERN)
@table("frame", ["{}\n", "name = '{}'\nvalue = 12\n", "cafe\nmid\n{}"])
def test_western_text_with_few_accents_is_windows_1252(word: str, frame: str) -> None:
    data = frame.format(word).encode("cp1252")
    assert decode(data) == (frame.format(word), Encoding("cp1252", chosen_by="western"))


def test_taking_an_accent_away_does_not_change_the_encoding() -> None:
    for data in (b"caf\xe9\nmid\nna\xefve", b"cafe\nmid\nna\xefve", b"caf\xe9\nmid\nnaive"):
        assert decode(data)[1].name == "cp1252"


BEFORE_WESTERN = [
    (b"# coding: iso8859-4\nna\xefve\n", "iso8859-4"),
    (b"\xef\xbb\xbfcaf\xe9\n", "utf-8"),
    ("naïve\n".encode(), "utf-8"),
    (b"caf\xe9 \xc3\xa9 \xc3\xa9 \xc3\xa9\n", "utf-8"),
    (b"na\xefve\0\n", "utf-8"),
]


@table(("data", "name"), BEFORE_WESTERN)
def test_mark_declaration_utf_8_and_nul_come_before_western(data: bytes, name: str) -> None:
    assert decode(data)[1].name == name
