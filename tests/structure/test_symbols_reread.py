"""A change of source code is checked on what is read again around it: that is what a reading of the whole text says."""

from __future__ import annotations

import random
from pathlib import Path

from steadyhand.structure.code.language import language_of
from steadyhand.structure.code.reader import code_of, parse_source, read_text, reread
from steadyhand.structure.node import Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice
from tests.table import table

CORPUS = Path(__file__).parent.parent / "corpus"
FILES = [
    path
    for path in sorted(CORPUS.rglob("*"))
    if path.is_file() and language_of(Source.of_text("", path=path.name)) is not None and "broken" not in path.name
]
TEXTS = ("", "x", "\n", "/* note */", "# note\n", "é", "{", "}", '"', "a, b", "\n\n    ")


def changes_of(source: Source, count: int) -> list[ChangeSet]:
    """Changes at and between definitions, some of them with two places."""
    chance = random.Random(source.path)
    code = code_of(source)
    if isinstance(code, Refusal) or not code.definitions:
        return []
    made = []
    for _ in range(count):
        places = sorted({chance.choice(code.definitions).whole for _ in range(chance.choice((1, 1, 2)))})
        splices: list[Splice] = []
        for span in places:
            start = chance.choice((span.start, span.end, (span.start + span.end) // 2))
            end = chance.choice((start, start, min(start + chance.randrange(40), len(source.text)), span.end))
            if start <= end and (not splices or splices[-1].end < start):
                splices.append(Splice(start, source.text[start:end], chance.choice(TEXTS)))
        made.append(ChangeSet(tuple(splice for splice in splices if not splice.changes_nothing)))
    return [changes for changes in made if changes.splices]


@table("path", FILES, ids=lambda path: path.name, every=3)
def test_what_is_read_again_is_what_the_whole_text_says(path: Path) -> None:
    source = Source.of_bytes(path.read_bytes(), path=path.name)
    language = language_of(source)
    assert language is not None
    source.derive(parse_source)
    code = code_of(source)
    for changes in changes_of(source, 12):
        assert not isinstance(code, Refusal)
        new = source.apply(changes)
        near = reread(source, code, changes, new)
        whole = read_text(language, new.text)
        if near is None or language_of(new) is not language:
            continue
        before, after = near
        assert not isinstance(whole, Refusal)
        assert whole.errors == 0
        inside = {(item.path, item.kind, item.proper, item.name) for item in after.definitions}
        known = [(item.path, item.kind, item.proper, item.name) for item in whole.definitions]
        assert inside <= set(known), changes
        assert len(known) - len(inside) == len(code.definitions) - len(before.definitions), changes
        rest = [item.path for item in code.definitions if item not in before.definitions]
        assert [each[0] for each in known if each not in inside] == rest, changes
