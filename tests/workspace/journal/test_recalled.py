"""Questions about many files at once are answered as each by itself, and cost the same however many there are."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal.record import Party, SeenVersion, State
from steadyhand.workspace.journal.store import Journal, open_journal
from tests.workspace.journal.conftest import Opener
from tests.workspace.journal.sample_records import STAGING, behind_its_back, commit, edited, record
from tests.workspace.journal.test_wide_records import calls_in

PARTY = Party("agent-7", "T-1")
NAMES = ["a.md", "dir/b.md", "\udcff/\ud83d\ude00", "x" * 4000, "never.md"]


def fill(journal: Journal, chance: random.Random) -> None:
    for _ in range(12):
        made = record(*(edited(name) for name in chance.sample(NAMES[:-1], chance.randint(1, 3))))
        if chance.random() < 0.2:
            journal.prepare(made, STAGING, {})
            journal.settle(made.id, State.ABORTED)
        else:
            commit(journal, made)
    for number, name in enumerate(chance.sample(NAMES, 3)):
        journal.see(PARTY, name, [SeenVersion(f"{number:064x}", number)])


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.sweep) for seed in range(2, 6))])
def test_each_question_has_the_answer_it_has_alone(opener: Opener, seed: int) -> None:
    chance = random.Random(seed)
    fill(opener(), chance)
    journal = opener()
    for before in (None, 1, chance.randint(2, 20), 1_000):
        for limit in (None, 0, 1, 2):
            alone = [list(journal.entries(path=name, before_seq=before, limit=limit)) for name in NAMES]
            with journal.recalling(NAMES, party=PARTY, before_seq=before):
                assert [list(journal.entries(path=name, before_seq=before, limit=limit)) for name in NAMES] == alone
        latest = [journal.latest(name) for name in NAMES]
        seen_versions = [journal.seen_versions(PARTY, name) for name in NAMES]
        with journal.recalling(NAMES, party=PARTY, before_seq=before):
            assert [journal.latest(name) for name in NAMES] == latest
            assert [journal.seen_versions(PARTY, name) for name in NAMES] == seen_versions


def test_other_questions_are_asked_by_themselves(journal: Journal) -> None:
    commit(journal, record(edited("a.md"), edited("b.md"), task="T-2"))
    commit(journal, record(edited("a.md")))
    other = Party("agent-8", None)
    journal.see(other, "a.md", [SeenVersion("0" * 64, 1)])
    with journal.recalling(["a.md"], party=PARTY):
        assert len(list(journal.entries(path="b.md"))) == 1
        assert len(list(journal.entries(path="a.md", task="T-2"))) == 1
        assert len(list(journal.entries(path="a.md", newest_first=False))) == 2
        assert journal.seen_versions(other, "a.md") == (SeenVersion("0" * 64, 1),)
        with journal.recalling(["b.md"]):
            assert journal.latest("a.md") is not None
    assert len(list(journal.entries(path="a.md"))) == 2


def test_outside_the_block_answers_are_new(journal: Journal) -> None:
    with journal.recalling(["a.md"]):
        assert journal.latest("a.md") is None
        made = commit(journal, record(edited("a.md")))
        assert journal.latest("a.md") is None, "the answers are those of the first question"
    found = journal.latest("a.md")
    assert found is not None
    assert found.record.id == made.id


def test_many_files_are_one_question(opener: Opener) -> None:
    names = [f"src/{number}.py" for number in range(300)]
    filled = opener()
    for start in range(0, 300, 30):
        commit(filled, record(*map(edited, names[start : start + 30])))

    def asked(count: int) -> int:
        journal = opener()

        def ask() -> None:
            with journal.recalling(names[:count], party=PARTY):
                for name in names[:count]:
                    assert journal.latest(name) is not None
                    journal.seen_versions(PARTY, name)

        return calls_in(ask)["read"]

    assert asked(300) == asked(3) <= 4


def test_a_damaged_record_is_refused_or_left_out_as_alone(tmp_path: Path) -> None:
    with open_journal(tmp_path) as journal:
        commit(journal, record(edited("a.md")))
        commit(journal, record(edited("a.md"), edited("b.md")))
    behind_its_back(tmp_path, ("UPDATE log SET body = ? WHERE seq = 3", (b"0",)))
    with open_journal(tmp_path) as journal, journal.recalling(["a.md", "b.md"]):
        with pytest.raises(EditError) as caught:
            journal.latest("b.md")
        assert caught.value.kind is Kind.JOURNAL_DAMAGED
        problems: list[object] = []
        assert len(list(journal.entries(path="a.md", on_damage=problems.append))) == 1
        assert len(problems) == 1
