"""The grammar of paths: what names a file beneath the root, and what is refused as outside or malformed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.resolve import check_portable, parse_path
from tests.table import table

OUTSIDE = [
    "..",
    "../x",
    "a/../../x",
    "a/b/../../../x",
    "./../x",
    "/",
    "/etc/passwd",
    "/ws_evil/x",
    "/w",
    "/ws/../etc/passwd",
    "/etc/../ws/x",
    "//etc/passwd",
    "C:\\Windows\\x",
    "C:/Windows/x",
    "\\\\server\\share",
    "a\x00b",
    "a\nb",
    "a\tb",
    "a\x1b[2Jb",
    "a\x7fb",
    "a\x85b",
    "a\u2028b",
    "a\ud800b",
    "a\udcffb",
    "a\u202eb",
    "a\u2066b",
    "a\u200fb",
]
OUTSIDE_PORTABLE = [
    "CON",
    "con",
    "nul.txt",
    "src/AUX.c",
    "com1",
    "COM9.log",
    "lpt1.tar.gz",
    "NUL .txt",
    "COM¹",
    "con:x",
]
MALFORMED = ["", "x" * 256, "a/" + "é" * 128, "a/" * 2050 + "b"]
MALFORMED_PORTABLE = [
    "PROGRA~1",
    "docs/progra~1/x",
    "README~2.MD",
    "a~1.txt",
    "x.txt::$DATA",
    "dir::$INDEX_ALLOCATION/x",
    "a.txt:hidden",
    "a. .",
    "a\u200bb",
    "\ufeffa",
    "a\u00adb.md",
    "a\u2060b",
    "a\u206ab",
    "a\u3164b",
    "a\U000e0041b",
    "a\\b",
    "a:b",
    "file:///etc/passwd",
    "a.",
    "a ",
    "dir./x",
    "...",
    "a?b",
    "a*",
    'a"b',
    "a|b",
    "~/x",
    "~",
]
ACCEPTED = {
    "a": ("a",),
    "a/b.md": ("a", "b.md"),
    "./a": ("a",),
    "a//b": ("a", "b"),
    "a/./b": ("a", "b"),
    "a/../b": ("a", "..", "b"),
    "/ws/a": ("a",),
    "/ws//./a": ("a",),
    "/ws": (),
    "/ws/a/../b": ("a", "..", "b"),
    ".": (),
    "..a/b..c": ("..a", "b..c"),
    "$HOME/x": ("$HOME", "x"),
    "a~/x": ("a~", "x"),
    "notes~1backup.txt": ("notes~1backup.txt",),
    "👩\u200d💻.md": ("👩\u200d💻.md",),
    "%2e%2e/x": ("%2e%2e", "x"),
    "[...slug].tsx": ("[...slug].tsx",),
    "console.py": ("console.py",),
    "com10": ("com10",),
    "auxiliary/null.txt": ("auxiliary", "null.txt"),
    "ünï/日本.md": ("ünï", "日本.md"),
    "x" * 255: ("x" * 255,),
}


def refusal(path: str, **options: bool) -> EditError:
    with pytest.raises(EditError) as caught:
        parse_path(path, "/ws", **options)
    return caught.value


@table("path", OUTSIDE)
def test_spellings_that_leave_the_root_are_refused_as_outside(path: str) -> None:
    for portable in (True, False):
        assert refusal(path, portable=portable).kind is Kind.OUTSIDE_ROOT


@table("path", OUTSIDE_PORTABLE)
def test_device_names_are_refused_as_outside(path: str) -> None:
    assert refusal(path).kind is Kind.OUTSIDE_ROOT
    assert parse_path(path, "/ws", portable=False)


@table("path", MALFORMED)
def test_malformed_spellings_are_bad_requests(path: str) -> None:
    for portable in (True, False):
        assert refusal(path, portable=portable).kind is Kind.BAD_REQUEST


@table("path", MALFORMED_PORTABLE)
def test_unportable_spellings_are_bad_requests_with_a_way_out(path: str) -> None:
    assert refusal(path).kind is Kind.BAD_REQUEST
    assert refusal(path).hint
    assert parse_path(path, "/ws", portable=False)


def test_what_is_no_string_is_a_bad_request() -> None:
    for path in (None, 7, b"a", ["a"]):
        with pytest.raises(EditError) as caught:
            parse_path(path, "/ws")  # type: ignore[arg-type]
        assert caught.value.kind is Kind.BAD_REQUEST


@table(("path", "parts"), ACCEPTED.items())
def test_ordinary_spellings_are_split(path: str, parts: tuple[str, ...]) -> None:
    assert parse_path(path, "/ws") == parts


def test_a_backslash_path_is_answered_with_the_slash_path() -> None:
    assert '"src/app.py"' in (refusal("src\\app.py").hint or "")


def test_a_refusal_shows_no_control_character() -> None:
    for path in ("a\x1b[2Jb", "a\nb", "a\u202eb", "a\ud800b"):
        error = refusal(path)
        shown = error.message + str(error.hint) + str(dict(error.details))
        assert shown.isprintable()


def test_any_of_several_root_spellings_will_do() -> None:
    assert parse_path("/real/ws/a", ("/ws", "/real/ws")) == ("a",)


def test_a_new_name_below_an_odd_directory_is_still_checked() -> None:
    with pytest.raises(EditError):
        check_portable(("ok", "nul"))


@given(st.text(alphabet=st.sampled_from("a./\\ :~\x00é\u202e"), max_size=24))
def test_a_path_is_refused_or_stays_beneath_the_root(path: str) -> None:
    try:
        parts = parse_path(path, "/ws")
    except EditError:
        return
    depth = 0
    for part in parts:
        assert part
        assert "/" not in part
        assert part != "."
        depth += -1 if part == ".." else 1
        assert depth >= 0
