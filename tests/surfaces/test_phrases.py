"""Refusals name the option a person at a shell would type; programs get them as they were made."""

from __future__ import annotations

import hashlib

import pytest

from tests.surfaces.conftest import NOTES
from tests.surfaces.shell import Shell
from tests.table import table

DIGEST = hashlib.sha256(NOTES.encode()).hexdigest()[:16]

NEVER_SAID = ("encoding=", "read_only", "allow_shrink", "[1, 0]", "occurrence=", "expected=", "journal=")

SAID = [
    ("write notes.md --text x", f"--expect {DIGEST}"),
    ("write notes.md --text x", "--overwrite"),
    ("write long.md --text x --overwrite", "--allow-shrink"),
    ("edit notes.md --old cat --new dog --expect 0123456789abcdef", f"--expect {DIGEST}"),
    ("--read-only edit notes.md --old cat --new dog", "leave out --read-only"),
    ("edit app.py --old x --new z", "--occurrence N"),
    ("delete app.py --old x", "--occurrence N"),
    ("insert app.py NEW --after x", "--occurrence N"),
    ("edit app.py --old x --new z --all --expected 3", "--expected 2"),
    ("insert notes.md NEW --line 99", "0 for the start and -1 for the end"),
    ("insert empty.md NEW --line 99", "0 for the start and -1 for the end"),
    ("edit notes.md --lines 9:12 --new x", "1:4"),
    ("edit empty.md --lines 1 --new x", "--line 0"),
    ("edit notes.md --lines 2:1 --new x", "1:2"),
    ("delete notes.md --lines 4:2", "2:4"),
    ("diff notes.md --lines 3:2 --new x", "2:3"),
    ("read picture.png", "--encoding NAME"),
    ("edit broken.txt --old one --new \u732b", "--encoding NAME"),
    ("write notes.md --text x --mode 644", "leave out --mode"),
    ("why notes.md:x", "FILE:12"),
    ("why notes.md:3-1", "notes.md:1-3"),
    ("why nothing.md:x", "FILE:12"),
    ("log nothing.md", "check the name"),
]


@pytest.fixture
def furnished(shell: Shell) -> Shell:
    (shell.root / "long.md").write_text("".join(f"line {n}\n" for n in range(200)))
    (shell.root / "empty.md").write_bytes(b"")
    (shell.root / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\xff")
    (shell.root / "broken.txt").write_bytes("one \u732b\u732b\u732b\u732b ".encode() + b"\xff\xfe two\n")
    return shell


@table(("command", "words"), SAID)
def test_the_hint_can_be_typed(furnished: Shell, command: str, words: str) -> None:
    result = furnished.run(*command.split())
    assert result.exit_code not in (0, 99)
    assert words in result.stderr
    for spelling in NEVER_SAID:
        assert spelling not in result.stderr


def test_programs_get_the_refusal_as_it_was_made(shell: Shell) -> None:
    error = shell.refused("write", "notes.md", "--text", "x")
    assert "--overwrite" not in error["hint"]
    assert error["details"]["actual"][:16] == DIGEST


def test_a_plan_is_not_advised_with_options_it_does_not_have(shell: Shell) -> None:
    plan = '{"files": [{"path": "app.py", "edits": [{"target": "x", "new": "z"}]}]}'
    assert "--occurrence" not in shell.run("apply", stdin=plan).stderr


@pytest.mark.parametrize("place", ["notes.md:x", "notes.md:1:2x", "notes.md:1-", "notes.md:-3", "notes.md:3-1"])
def test_a_place_that_is_none_is_a_bad_request(shell: Shell, place: str) -> None:
    assert shell.kind("why", place) == "bad-request"


@pytest.mark.parametrize("option", ["--journal", "--root", "--config"])
@pytest.mark.parametrize("where", ["before", "after"])
def test_an_empty_place_is_a_bad_request(shell: Shell, option: str, where: str) -> None:
    given = [option, "", "log"] if where == "before" else ["log", option, ""]
    assert shell.kind(*given) == "bad-request"
    assert not (shell.root / ".steadyhand").exists()
