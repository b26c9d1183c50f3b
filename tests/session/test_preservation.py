"""On disk, an edit changes the bytes it was asked to change and nothing else: not their neighbours, not the file."""

from __future__ import annotations

import codecs
import os
import stat
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from tests.sampling import examples
from tests.table import table

NEWLINES = ["\n", "\r\n", "\r", "\n\n", " \n", "\t\r\n"]
WORDS = {
    "utf-8": "naïve Ω 日本 😀 \u2028 \x85 \x0b \x0c e\u0301 \x00",
    "utf-16-le": "naïve Ω 日本 😀",
    "utf-16-be": "naïve Ω 日本 😀",
    "utf-32-le": "naïve 日本 😀",
    "cp1252": "naïve “quoted” – €",
    "latin-1": "naïve ÀÉÎ\x80\x9f",
    "shift_jis": "日本語テスト ｱｲｳ ソ表",
    "euc_jp": "日本語テスト ソ表",
    "gb18030": "汉字编码 测试 😀 €",
    "big5": "繁體中文 功能",
    "koi8_r": "Привет мир",
    "cp1251": "Привет мир",
    "euc_kr": "한국어 문서",
    "iso2022_jp": "日本語 テスト abc",
}
MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
}
STATEFUL = {"iso2022_jp"}
WOUNDS = [
    b"\xff",
    b"\xfe\xff",
    b"\xe9",
    b"\xc3",
    b"\x1b$B",
    b"\xed\xa0\x80",
    b"\x80\r",
    b"\r",
    b"\r\n",
    b"\n",
    b"caf\xc3\xa9 ",
    b"text ",
]
UNREADABLE = {Kind.NO_MATCH, Kind.NOT_TEXT}


@dataclass(frozen=True)
class Edited:
    """A file, the places `<<0>>`, `<<1>>` … in it that are to be changed, and what is to be there."""

    data: bytes
    places: tuple[tuple[bytes, bytes], ...]
    edits: tuple[sh.Replace | sh.Delete | sh.Insert, ...]
    encoding: str | None = None
    may_refuse: bool = False

    @property
    def after(self) -> bytes:
        """The dullest reference: replace bytes by bytes."""
        after = self.data
        for old, new in self.places:
            assert after.count(old) == 1
            after = after.replace(old, new)
        return after


def place(number: int) -> str:
    return f"<<{number}>>"


@st.composite
def edited_text(draw: st.DrawFn) -> Edited:
    name = draw(st.sampled_from(sorted(WORDS)))
    words = WORDS[name].split(" ")
    mark = draw(st.sampled_from([b"", MARKS[name]])) if name in MARKS else b""
    answer = draw(st.booleans())
    pieces = st.lists(st.sampled_from([*NEWLINES, *words, "ab", " ", "x = 1", "$& \\1 \\g<0>"]), max_size=12).map(
        "".join
    )
    writable = ["plain", "$& \\1 \\g<0>", *(words if answer and name not in STATEFUL and name != "utf-8" else [])]
    text, places, edits = draw(pieces), [], []
    for number in range(draw(st.integers(1, 3))):
        if text.endswith(" ") and text.splitlines()[-1].isspace():
            text += "ab"  # a text alone behind an indentation goes with it: a first line quoted without its blanks
        text += place(number) + draw(pieces)
        new = draw(st.sampled_from(writable))
        # Two runs of a stateful encoding that meet after a deletion are one run: the shift between them is not written.
        verb = draw(st.sampled_from(["replace", "before", "after", *(["delete"] if name not in STATEFUL else [])]))
        edit, written = _edit(verb, place(number), new)
        edits.append(edit)
        places.append((place(number).encode(name), written.encode(name)))
    may_refuse = not answer and not mark and name != "utf-8"
    may_refuse = may_refuse or "\0" in text
    return Edited(mark + text.encode(name), tuple(places), tuple(edits), name if answer else None, may_refuse)


@st.composite
def edited_wounds(draw: st.DrawFn) -> Edited:
    """Bytes that are no text in any encoding we could name, around a place that is."""
    around = st.lists(st.sampled_from(WOUNDS), max_size=10).map(b"".join)
    data = draw(around) + b" " + place(0).encode() + b" " + draw(around)
    new = draw(st.sampled_from(["plain", "", "two\tcells"]))
    edit, written = _edit("replace", place(0), new)
    return Edited(data, ((place(0).encode(), written.encode()),), (edit,), may_refuse=True)


def _edit(verb: str, old: str, new: str) -> tuple[sh.Replace | sh.Delete | sh.Insert, str]:
    match verb:
        case "replace":
            return sh.Replace(old, new), new
        case "delete":
            return sh.Delete(old), ""
        case "before":
            return sh.Insert(old, new, where="before"), new + old
        case _:
            return sh.Insert(old, new, where="after"), old + new


def _fast() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _check_on_disk(case: Edited) -> bool:
    """Edit, undo, redo on disk; whether the edit went through."""
    with tempfile.TemporaryDirectory(dir=_fast()) as root:
        path = Path(root) / "file.txt"
        path.write_bytes(case.data)
        with sh.Workspace(root, actor="test") as ws:
            try:
                receipt = ws.edit("file.txt", list(case.edits), encoding=case.encoding)
            except EditError as error:
                assert case.may_refuse, error
                assert error.kind in UNREADABLE
                assert path.read_bytes() == case.data
                return False
            assert path.read_bytes() == case.after
            assert receipt.files[0].after == sh.Source.of_bytes(case.after).digest
            ws.undo(receipt.id)
            assert path.read_bytes() == case.data
            ws.redo()
            assert path.read_bytes() == case.after
    return True


@examples(8)
@given(edited_text())
def test_bytes_outside_the_spans_stay_in_every_encoding(case: Edited) -> None:
    _check_on_disk(case)


@given(edited_wounds())
def test_bytes_that_are_no_text_stay(case: Edited) -> None:
    _check_on_disk(case)


@table("name", sorted(WORDS))
def test_no_encoding_is_refused_when_it_is_given(name: str) -> None:
    text = f"{WORDS[name]}\r\n".replace("\0", "") * 3 + f"{place(0)}\r{WORDS[name]}".replace("\0", "")
    new = "" if name in STATEFUL else WORDS[name].split(" ")[0]
    places = ((place(0).encode(name), new.encode(name)),)
    assert _check_on_disk(Edited(text.encode(name), places, (sh.Replace(place(0), new),), name))


def test_an_edit_that_makes_text_of_stray_bytes_is_undone_exactly() -> None:
    """Without the place between them, two strays read as one character; splices alone could not go back."""
    data = b"\xb2\xe2\xca\xd4<<0>>\x949\xfc6"
    assert _check_on_disk(Edited(data, ((b"<<0>>", b""),), (sh.Delete(place(0)),)))


def test_new_bytes_need_not_be_text_and_new_text_must_be(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"text\n")
    with sh.Workspace(tmp_path) as ws:
        ws.write("a.bin", b"\x00\xff\xd8", overwrite=True)
        assert path.read_bytes() == b"\x00\xff\xd8"
        with pytest.raises(EditError) as caught:
            ws.write("a.bin", "lone \ud800", overwrite=True)
        assert caught.value.kind is Kind.UNENCODABLE
        ws.undo(last=True)
    assert path.read_bytes() == b"text\n"


TEXT = "one\r\ntwo\nthree"


@dataclass(frozen=True)
class Facts:
    """Everything about a file that is not its bytes or its times."""

    mode: int
    owner: tuple[int, int]
    xattrs: dict[str, bytes]
    inode: int
    links: int

    @classmethod
    def of(cls, path: Path) -> Facts:
        found = path.lstat()
        attributes = {name: os.getxattr(path, name) for name in os.listxattr(path)} if hasattr(os, "listxattr") else {}
        return cls(stat.S_IMODE(found.st_mode), (found.st_uid, found.st_gid), attributes, found.st_ino, found.st_nlink)

    def but_inode(self) -> tuple[object, ...]:
        return self.mode, self.owner, self.xattrs, self.links


def _dressed(path: Path, mode: int) -> Path:
    """A file with everything a file can have here: who may not give files away keeps them."""
    path.write_bytes(TEXT.encode())
    if os.geteuid() == 0:
        os.chown(path, 12345, 54321)
    if hasattr(os, "setxattr"):
        try:
            os.setxattr(path, "user.steadyhand-test", b"kept \x00 as it is")
        except OSError:
            assert os.listxattr(path) == []
    path.chmod(mode)
    return path


Act = Callable[[sh.Workspace], object]
ACTS: dict[str, Act] = {
    "edit": lambda ws: ws.edit("a.txt", [sh.Replace("two", "2")]),
    "write": lambda ws: ws.write("a.txt", "quite different", overwrite=True),
    "write bytes": lambda ws: ws.write("a.txt", b"\x00\xff", overwrite=True),
    "patch of two files": lambda ws: _both(ws),
}


def _both(ws: sh.Workspace) -> object:
    with ws.transaction() as tx:
        tx.edit("a.txt", [sh.Replace("two", "2")])
        tx.edit("b.txt", [sh.Replace("two", "2")])
    return tx.receipt


@table("mode", [0o644, 0o755, 0o600, 0o640, 0o666, 0o777], ids=oct)
@table("act", ACTS.values(), ids=list(ACTS))
def test_mode_owner_and_attributes_stay_through_edit_undo_and_redo(act: Act, mode: int, tmp_path: Path) -> None:
    path = _dressed(tmp_path / "a.txt", mode)
    _dressed(tmp_path / "b.txt", 0o600)
    before = Facts.of(path).but_inode()
    with sh.Workspace(tmp_path) as ws:
        act(ws)
        assert path.read_bytes() != TEXT.encode()
        assert Facts.of(path).but_inode() == before
        ws.undo(last=True)
        assert path.read_bytes() == TEXT.encode()
        assert Facts.of(path).but_inode() == before
        ws.redo()
        assert Facts.of(path).but_inode() == before


def test_a_renamed_file_is_the_same_file(tmp_path: Path) -> None:
    before = Facts.of(_dressed(tmp_path / "a.txt", 0o751))
    with sh.Workspace(tmp_path) as ws:
        ws.rename("a.txt", "sub/deep/b.txt")
        assert Facts.of(tmp_path / "sub/deep/b.txt") == before
        ws.undo(last=True)
        assert Facts.of(tmp_path / "a.txt") == before
    assert not (tmp_path / "sub").exists()


def test_a_file_that_is_renamed_and_edited_keeps_what_it_has(tmp_path: Path) -> None:
    before = Facts.of(_dressed(tmp_path / "a.txt", 0o751)).but_inode()
    with sh.Workspace(tmp_path) as ws:
        with ws.transaction() as tx:
            tx.rename("a.txt", "b.txt")
            tx.edit("b.txt", [sh.Replace("two", "2")])
        assert Facts.of(tmp_path / "b.txt").but_inode() == before
        ws.undo(last=True)
        assert Facts.of(tmp_path / "a.txt").but_inode() == before
        assert (tmp_path / "a.txt").read_bytes() == TEXT.encode()


def test_a_deleted_file_comes_back_with_its_mode(tmp_path: Path) -> None:
    path = _dressed(tmp_path / "a.txt", 0o751)
    with sh.Workspace(tmp_path) as ws:
        ws.delete("a.txt")
        assert not path.exists()
        ws.undo(last=True)
    assert path.read_bytes() == TEXT.encode()
    assert Facts.of(path).mode == 0o751


@table("umask", [0o022, 0o077, 0o002], ids=oct)
def test_a_new_file_gets_what_the_umask_leaves(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        with sh.Workspace(tmp_path) as ws:
            ws.create("new/a.txt", "text\n")
            ws.create("new/tool.sh", "#!/bin/sh\n", mode=0o755)
    finally:
        os.umask(before)
    assert Facts.of(tmp_path / "new/a.txt").mode == 0o666 & ~umask
    assert Facts.of(tmp_path / "new/tool.sh").mode == 0o755


LINKS = {
    "beside it": ("link.txt", "a.txt"),
    "in a directory": ("sub/link.txt", "../a.txt"),
    "through another link": ("sub/link.txt", "hop.txt"),
}


@table(("link", "target"), LINKS.values(), ids=list(LINKS))
def test_a_symbolic_link_stays_one_and_its_target_is_edited(link: str, target: str, tmp_path: Path) -> None:
    path = _dressed(tmp_path / "a.txt", 0o640)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/hop.txt").symlink_to("../a.txt")
    (tmp_path / link).symlink_to(target)
    before = Facts.of(path).but_inode()
    with sh.Workspace(tmp_path) as ws:
        receipt = ws.edit(link, [sh.Replace("two", "2")])
        assert [file.path for file in receipt.files] == ["a.txt"]
        assert path.read_bytes() == TEXT.replace("two", "2").encode()
        ws.write(link, "all new", overwrite=True)
        assert path.read_bytes() == b"all new"
        ws.undo(last=True)
        ws.undo(receipt.id)
    assert path.read_bytes() == TEXT.encode()
    assert Facts.of(path).but_inode() == before
    assert (tmp_path / link).readlink() == Path(target)


def test_a_link_to_a_directory_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "way").symlink_to("real")
    _dressed(tmp_path / "real/a.txt", 0o600)
    with sh.Workspace(tmp_path) as ws:
        assert ws.edit("way/a.txt", [sh.Replace("two", "2")]).files[0].path == "real/a.txt"
        ws.create("way/new/b.txt", "fresh\n")
        assert (tmp_path / "real/new/b.txt").read_text() == "fresh\n"
        ws.undo(last=True)
        ws.undo(last=True)
    assert (tmp_path / "way").readlink() == Path("real")
    assert os.listdir(tmp_path / "real") == ["a.txt"]


@table("verb", ["delete", "rename"])
def test_the_name_of_a_link_is_not_ours_to_take_away(verb: str, tmp_path: Path) -> None:
    path = _dressed(tmp_path / "a.txt", 0o600)
    (tmp_path / "link.txt").symlink_to("a.txt")
    with sh.Workspace(tmp_path) as ws, pytest.raises(EditError) as caught:
        ws.delete("link.txt") if verb == "delete" else ws.rename("link.txt", "b.txt")
    assert caught.value.kind is Kind.NOT_ALLOWED
    assert path.read_bytes() == TEXT.encode()
    assert (tmp_path / "link.txt").is_symlink()


@table("act", ACTS.values(), ids=list(ACTS))
def test_every_name_of_a_file_sees_the_edit(act: Act, tmp_path: Path) -> None:
    path = _dressed(tmp_path / "a.txt", 0o755)
    _dressed(tmp_path / "b.txt", 0o600)
    other = tmp_path / "other.txt"
    os.link(path, other)
    before = Facts.of(path)
    with sh.Workspace(tmp_path, policy=sh.Policy(hardlinks="in-place")) as ws:
        act(ws)
        assert other.read_bytes() == path.read_bytes() != TEXT.encode()
        assert Facts.of(path) == Facts.of(other) == before
        ws.undo(last=True)
        assert other.read_bytes() == path.read_bytes() == TEXT.encode()
        assert Facts.of(path) == Facts.of(other) == before


def test_both_names_of_a_file_in_one_transaction_are_refused_or_agree(tmp_path: Path) -> None:
    path = _dressed(tmp_path / "a.txt", 0o755)
    os.link(path, tmp_path / "b.txt")
    with sh.Workspace(tmp_path, policy=sh.Policy(hardlinks="in-place")) as ws:
        try:
            with ws.transaction() as tx:
                tx.edit("a.txt", [sh.Replace("one", "1")])
                tx.edit("b.txt", [sh.Replace("two", "2")])
        except EditError:
            assert path.read_bytes() == TEXT.encode()
        else:
            assert b"1" in path.read_bytes()
            assert b"2" in path.read_bytes()
        assert ws.check().ok
        assert ws.check().drifted == ()


def test_a_policy_may_break_or_refuse_hard_links(tmp_path: Path) -> None:
    path = _dressed(tmp_path / "a.txt", 0o755)
    other = tmp_path / "other.txt"
    os.link(path, other)
    with sh.Workspace(tmp_path) as ws:
        with pytest.raises(EditError) as caught:
            ws.edit("a.txt", [sh.Replace("two", "2")])
        assert caught.value.kind is Kind.NOT_ALLOWED
        assert {"hardlinks=break", "hardlinks=in-place"} <= set((caught.value.hint or "").split())
        assert Facts.of(path).links == 2
        ws.edit("a.txt", [sh.Replace("two", "2")], policy=sh.Policy(hardlinks="break"))
    assert other.read_bytes() == TEXT.encode()
    assert path.read_bytes() == TEXT.replace("two", "2").encode()
    assert Facts.of(path).links == Facts.of(other).links == 1
