"""The oracle, put before histories that were doctored: whatever is wrong in one, it says so, by the rule's name."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from benches.fleet.evidence import Evidence
from benches.fleet.ledger import Said
from benches.fleet.oracle import judge
from benches.fleet.rebuild import digest_of_text, rebuild
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding
from steadyhand.text.splice import Splice
from steadyhand.workspace.journal.record import EditNote, Entry, FileChange, FileState, Record, State, Verb

PATH = "a.md"
START = "one\ntwo\nthree\nfour\n"
FIRST, SECOND = "a0_t0", "a1_t0"


class Story:
    """A history and its ledger, written line by line: what a product that does this would have left."""

    def __init__(self) -> None:
        self.text = START
        self.entries: list[Entry] = []
        self.said: list[Said] = []
        self.deaths = 0
        for task in (FIRST, SECOND):
            self.say(task, "begin", head_after=0)

    @property
    def head(self) -> int:
        return 2 * len(self.entries)

    def say(self, task: str, what: str, **facts: object) -> None:
        agent = int(task[1 : task.index("_")])
        line = {"what": what, "agent": agent, "task": 0, "step": len(self.said), "party": ["host", task]}
        self.said.append({**line, "head": self.head, **facts})

    def read(self, task: str, lines: list[int] | None = None) -> None:
        self.say(task, "saw", path=PATH, digest=digest_of_text(self.text), lines=lines, head_after=self.head)

    def ask(self, task: str, mine: str, *, quote: str | None = None, expect: str | None = None) -> None:
        quotes = {} if quote is None else {PATH: quote}
        move = {"call": "edit", "path": PATH, "edits": [], "expect": expect, "tokens": [mine], "quotes": quotes}
        self.say(task, "ask", move=move)

    def record(self, task: str, old: str, new: str, *, verb: Verb = "edit", undoes: tuple[str, ...] = ()) -> str:
        """The record of one splice; its id."""
        name = f"{len(self.entries):012x}"
        splice = Splice(self.text.index(old), old, new)
        after = self.text[: splice.start] + new + self.text[splice.end :]
        before, left = (FileState(PATH, digest_of_text(each), 0o644) for each in (self.text, after))
        change = FileChange(before, left, ChangeSet((splice,)), Encoding(), (EditNote(splices=(0,)),))
        made = Record(name, "2026-01-01T00:00:00.000Z", "host", task, "edit", None, verb, undoes, (change,))
        self.entries.append(Entry(self.head + 1, made, State.COMMITTED))
        self.text = after
        return name

    def edit(self, task: str, old: str, new: str, mine: str, *, quote: str | None = None) -> str:
        """An edit that was asked for, made and acknowledged."""
        self.ask(task, mine, quote=quote)
        name = self.record(task, old, new)
        self.say(task, "done", id=name)
        return name

    def refuse(self, task: str, mine: str, lines: list[int], *records: str, by: str = FIRST) -> None:
        self.ask(task, mine)
        others = [{"record": name, "actor": "host", "task": by} for name in records]
        self.say(task, "refused", kind="conflict", path=PATH, lines=lines, **{"with": others})

    def rules(self, *, final: str | None = None) -> set[str]:
        """The rules that were broken."""
        evidence = Evidence(
            self.entries, self.said, {PATH: START}, {PATH: self.text if final is None else final}, self.deaths
        )
        return {found.rule for found in judge(evidence)}


@pytest.fixture
def story() -> Story:
    """Two tasks have read the file, and the first has written a line."""
    story = Story()
    story.read(FIRST)
    story.read(SECOND)
    return story


def test_a_history_in_which_nothing_went_wrong_breaks_no_rule(story: Story) -> None:
    first = story.edit(FIRST, "two\n", "a0_t0_s0\n", "a0_t0_s0")
    story.refuse(SECOND, "a1_t0_s0", [2, 2], first)
    story.read(SECOND)
    story.edit(SECOND, "a0_t0_s0\n", "a1_t0_s1\n", "a1_t0_s1")
    story.edit(FIRST, "four", "four a0_t0_s1", "a0_t0_s1", quote="four")
    assert story.rules() == set()


def test_an_acknowledged_edit_that_is_not_recorded_is_reported(story: Story) -> None:
    story.edit(FIRST, "two", "a0_t0_s0", "a0_t0_s0")
    del story.entries[0]
    assert {"acknowledged", "chain"} <= story.rules()


def test_an_edit_that_is_gone_from_the_tree_is_reported(story: Story) -> None:
    story.edit(FIRST, "two", "a0_t0_s0", "a0_t0_s0")
    assert story.rules(final=START) == {"chain"}


def test_an_edit_that_was_applied_twice_is_reported(story: Story) -> None:
    story.edit(FIRST, "two", "a0_t0_s0", "a0_t0_s0")
    story.record(FIRST, "three", "a0_t0_s0")
    assert {"twice", "acknowledged"} <= story.rules()


def test_a_refused_edit_that_is_there_all_the_same_is_reported(story: Story) -> None:
    first = story.edit(FIRST, "two", "a0_t0_s0", "a0_t0_s0")
    story.refuse(SECOND, "a1_t0_s0", [2, 2], first)
    story.record(SECOND, "a0_t0_s0", "a1_t0_s0")
    assert "twice" in story.rules()


def test_a_record_that_nobody_heard_of_needs_a_death_to_explain_it(story: Story) -> None:
    story.ask(FIRST, "a0_t0_s0")
    story.record(FIRST, "two", "a0_t0_s0")
    assert story.rules() == {"acknowledged"}
    story.deaths = 1
    assert story.rules() == set()


def test_one_id_for_two_callers_is_reported(story: Story) -> None:
    name = story.edit(FIRST, "two", "a0_t0_s0", "a0_t0_s0")
    story.ask(SECOND, "a0_t0_s0")
    story.say(SECOND, "done", id=name)
    assert "acknowledged" in story.rules()


def test_unseen_text_that_an_accepted_edit_removed_is_a_lost_update(story: Story) -> None:
    story.edit(FIRST, "two\n", "a0_t0_s0\n", "a0_t0_s0")
    story.edit(SECOND, "a0_t0_s0\n", "a1_t0_s0\n", "a1_t0_s0")
    assert story.rules() == {"lost"}


def test_what_was_forced_says_so_and_is_no_lost_update(story: Story) -> None:
    first = story.edit(FIRST, "two\n", "a0_t0_s0\n", "a0_t0_s0")
    story.edit(SECOND, "a0_t0_s0\n", "a1_t0_s0\n", "a1_t0_s0")
    entry = story.entries[1]
    (file,) = entry.record.files
    forced = replace(file, edits=(EditNote(splices=(0,), forced=(first,)),))
    story.entries[1] = replace(entry, record=replace(entry.record, files=(forced,)))
    assert story.rules() == set()


def test_a_conflict_that_should_have_been_is_reported(story: Story) -> None:
    story.edit(FIRST, "two", "two a0_t0_s0", "a0_t0_s0")
    story.edit(SECOND, "\nthree", " a1_t0_s0\nthree", "a1_t0_s0")
    assert story.rules() == {"missed"}


def test_an_edit_that_quotes_the_others_text_knew_of_it(story: Story) -> None:
    story.edit(FIRST, "two\n", "a0_t0_s0\n", "a0_t0_s0")
    story.edit(SECOND, "a0_t0_s0\n", "a1_t0_s0\n", "a1_t0_s0", quote="a0_t0_s0\n")
    assert story.rules() == set()


def test_a_conflict_with_what_was_seen_is_false(story: Story) -> None:
    first = story.edit(FIRST, "two", "a0_t0_s0", "a0_t0_s0")
    story.read(SECOND)
    story.refuse(SECOND, "a1_t0_s0", [2, 2], first)
    assert story.rules() == {"false"}


def test_a_conflict_with_another_place_is_false(story: Story) -> None:
    first = story.edit(FIRST, "one\n", "a0_t0_s0\n", "a0_t0_s0")
    story.refuse(SECOND, "a1_t0_s0", [4, 4], first)
    assert story.rules() == {"false"}


def test_a_conflict_that_names_the_wrong_party_or_nobody_is_false(story: Story) -> None:
    first = story.edit(FIRST, "two\n", "a0_t0_s0\n", "a0_t0_s0")
    story.refuse(SECOND, "a1_t0_s0", [2, 2], first, by="a9_t9")
    assert story.rules() == {"false"}
    story.said = story.said[:-2]
    story.refuse(SECOND, "a1_t0_s0", [2, 2])
    assert story.rules() == {"false"}


def test_a_conflict_that_leaves_somebody_out_is_reported(story: Story) -> None:
    third = "a2_t0"
    story.say(third, "begin", head_after=0)
    story.read(third)
    story.edit(third, "three\n", "a2_t0_s0\n", "a2_t0_s0")
    first = story.edit(FIRST, "two\n", "a0_t0_s0\n", "a0_t0_s0")
    story.refuse(SECOND, "a1_t0_s0", [2, 3], first)
    assert story.rules() == {"named"}


def test_part_of_a_file_that_was_read_is_no_more_than_that_part(story: Story) -> None:
    story.edit(FIRST, "two\n", "a0_t0_s0\n", "a0_t0_s0")
    story.read(SECOND, [3, 4])
    story.edit(SECOND, "a0_t0_s0\n", "a1_t0_s0\n", "a1_t0_s0")
    assert story.rules() == {"lost"}


def test_a_version_that_never_was_is_a_torn_read(story: Story) -> None:
    story.say(FIRST, "saw", path=PATH, digest="0" * 64, lines=None, head_after=0)
    assert story.rules() == {"sight"}


def test_an_undo_that_takes_somebody_elses_text_away_is_reported(story: Story) -> None:
    first = story.edit(FIRST, "two\n", "a0_t0_s0\n", "a0_t0_s0")
    story.read(SECOND)
    story.edit(SECOND, "three\n", "a1_t0_s0\n", "a1_t0_s0")
    story.ask(FIRST, "a0_t0_s1")
    story.said[-1]["move"]["tokens"] = []
    name = story.record(FIRST, "a0_t0_s0\na1_t0_s0\n", "two\nthree\n", verb="undo", undoes=(first,))
    story.say(FIRST, "done", id=name)
    assert story.rules() == {"lost"}


def test_a_record_that_did_not_start_from_what_was_there_breaks_the_chain(story: Story) -> None:
    story.edit(FIRST, "two", "a0_t0_s0", "a0_t0_s0")
    story.text = START
    story.edit(SECOND, "three", "a1_t0_s0", "a1_t0_s0")
    assert "chain" in story.rules()


def test_every_character_knows_its_writer_and_what_went_away_leaves_a_scar(story: Story) -> None:
    story.record(FIRST, "two\n", "")
    story.record(SECOND, "three", "3")
    version = rebuild(story.entries, {PATH: START}, lambda _: None).tree[PATH]
    assert version.text == "one\n3\nfour\n"
    assert version.labels == array("I", [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0])
    assert version.scars == ((4, 1),)
