"""What is known of others' work is carried on from answer to answer; it must be what looking anew would tell."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.workspace.awareness import Lately, Lookout
from steadyhand.workspace.journal.party import Party, Sight

LINES = 12


def _edit(chance: random.Random, count: int) -> object:
    at = chance.randint(1, count)
    text = f"text {chance.getrandbits(40)}\n"
    match chance.choice(["replace", "insert", "delete", "several"]):
        case "replace":
            return sh.Replace(sh.Lines(at), text)
        case "insert":
            return sh.Insert(sh.Lines(at), text * chance.randint(1, 2))
        case "delete" if count > 4:
            return sh.Delete(sh.Lines(at))
    return sh.Replace(sh.Lines(at, min(at + 2, count)), text)


@pytest.mark.parametrize("seed", range(25))
def test_news_that_is_carried_on_is_what_looking_anew_tells(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(LINES)))
    party = Party("host", "watcher")
    with sh.Workspace(tmp_path, actor="host", policy=sh.Policy(on_conflict="force")) as ws:
        ws.edit("a.txt", [sh.Replace(sh.Lines(1), "first\n")])  # now there is a journal
        lookout = Lookout(ws._store.journal, party, 0, lambda _: None)
        lately: Lately | None = None
        sights: list[Sight] = []
        for _ in range(30):
            name = chance.choice(["one", "two", "watcher"])
            with_task = ws._bound(name)
            present = ws.source("a.txt")
            edits = [_edit(chance, present.table.count)]  # by numbers of the present text
            with_task.edit("a.txt", edits, expect=present.digest, reason=name)  # type: ignore[arg-type]
            source = ws.source("a.txt")
            if chance.random() < 0.2:
                whole = None if chance.random() < 0.5 else ((0, len(source.text) // 2),)
                sights.append(Sight(source.digest, ws._store.head(), whole))
            if chance.random() < 0.5:
                anew, _ = lookout.news("a.txt", source, source.to_bytes(), sights)
                carried, resume = lookout.news("a.txt", source, source.to_bytes(), sights, lately)
                lately = resume or lately
                assert {(news.span, news.before, news.is_part) for news in carried} == {
                    (news.span, news.before, news.is_part) for news in anew
                }


def test_what_was_answered_before_a_read_is_not_carried_on_after_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 31)))
    with sh.Workspace(tmp_path, actor="host") as ws, ws.task("one") as one, ws.task("two") as two:
        two.edit("a.txt", [sh.Replace("line 20", "two")])
        two.edit("a.txt", [sh.Replace("line 25", "two")])
        with pytest.raises(sh.EditError):
            two.edit("a.txt", [sh.Replace("not there", "two")])  # there is no news of this version
        receipt = one.edit("a.txt", [sh.Replace("line 6\n", "six\n")])
        two.read("a.txt")
        one.undo(receipt.id)
        with pytest.raises(sh.EditError) as caught:
            two.edit("a.txt", [sh.Replace(sh.Lines(6), "mine\n")])
        assert caught.value.kind is sh.Kind.CONFLICT
