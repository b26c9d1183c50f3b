"""Every address of every file of the corpus, and of real files that this machine has: the laws hold for all of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from steadyhand.structure.code.language import language_of
from steadyhand.structure.code.reader import code_of
from steadyhand.structure.format import OutlineEntry, format_of
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from tests.real_files import CORPUS, installed_files
from tests.structure.laws import NOT_PARSED, check_entry, outline_of, refusal_of
from tests.table import table

FILES = sorted(path for path in CORPUS.rglob("*") if path.is_file())
BROKEN = [path for path in FILES if path.name.startswith("broken-")]
WHOLE = [path for path in FILES if not path.name.startswith("broken-")]
AT_MOST = 40  # addresses of a file that are tried
REAL_AT_MOST = 12  # real files of one suffix
REAL_SIZE = 60_000


def name_of(path: Path) -> str:
    return path.relative_to(CORPUS).as_posix()


def source_of(path: Path) -> Source:
    return Source.of_bytes(path.read_bytes(), path=path.name)


def some(entries: Sequence[OutlineEntry], seed: str) -> list[OutlineEntry]:
    """All of them, or a choice that is the same in every run."""
    return list(entries) if len(entries) <= AT_MOST else random.Random(seed).sample(list(entries), AT_MOST)


@cache
def some_installed() -> tuple[Path, ...]:
    """Some files of every suffix that a format knows, from what is installed beside these tests."""
    by_suffix: dict[str, list[Path]] = {}
    for path in installed_files():
        if format_of(path.name) is not None and 0 < path.stat().st_size < REAL_SIZE:
            by_suffix.setdefault(path.suffix, []).append(path)
    chance = random.Random(5)
    return tuple(path for files in by_suffix.values() for path in chance.sample(files, min(len(files), REAL_AT_MOST)))


def parsed(paths: Sequence[Path]) -> Iterator[tuple[Source, Sequence[OutlineEntry]]]:
    for path in paths:
        source = source_of(path)
        entries = outline_of(source)
        if isinstance(entries, Refusal):
            assert entries.kind in NOT_PARSED, f"{path.name}: {entries}"
        else:
            yield source, entries


def test_the_corpus_is_as_large_as_it_should_be() -> None:
    assert len(FILES) >= 200
    assert {path.parent.name for path in FILES} >= {
        "markdown",
        "html",
        "json",
        "yaml",
        "toml",
        "ini",
        "env",
        "notebook",
    }


@table("path", BROKEN, ids=name_of, every=4)
def test_a_file_that_does_not_parse_is_refused_as_such(path: Path) -> None:
    refusal = refusal_of(source_of(path))
    assert refusal is not None
    assert refusal.kind in NOT_PARSED
    assert refusal.hint


@table("path", WHOLE, ids=name_of, every=24)
def test_the_laws_hold_for_every_address(path: Path) -> None:
    source = source_of(path)
    entries = outline_of(source)
    assert not isinstance(entries, Refusal), entries
    for entry in some(entries, path.name):
        check_entry(source, entry)


@table("path", WHOLE, ids=name_of)
def test_every_address_of_an_outline_is_there_once(path: Path) -> None:
    entries = outline_of(source_of(path))
    assert not isinstance(entries, Refusal)
    addresses = [entry.address for entry in entries]
    assert len(addresses) == len(set(addresses))


@pytest.mark.sweep
def test_the_laws_hold_for_real_files() -> None:
    tried = 0
    for source, entries in parsed(some_installed()):
        for entry in some(entries, source.path or ""):
            check_entry(source, entry)
            tried += 1
    assert tried > 500


@table("path", [path for path in WHOLE if language_of(source_of(path))], ids=name_of, every=4)
def test_a_renamed_symbol_keeps_its_scope(path: Path) -> None:
    source = source_of(path)
    code = code_of(source)
    assert not isinstance(code, Refusal)
    for at, item in enumerate(code.definitions):
        written = item.name.of(source.text)
        if not item.is_sound or not written.replace("_", "").isalnum() or item.kind == "constructor":
            continue
        new = "Renamed" if written[0].isupper() else "renamed"
        text = source.text[: item.name.start] + new + source.text[item.name.end :]
        after = code_of(Source.of_text(text, path=path.name))
        assert not isinstance(after, Refusal)
        assert after.definitions[at].path[:-1] == item.path[:-1], (item.dotted, after.definitions[at].dotted)
        assert after.definitions[at].name.of(text) == after.definitions[at].path[-1] == new
