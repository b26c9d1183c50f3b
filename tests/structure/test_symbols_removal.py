"""Taking symbols away beside each other and at the end of a file, and code that is fitted over and over."""

from __future__ import annotations

from steadyhand.structure.code.indentation import fit
from steadyhand.structure.code.language import languages
from steadyhand.structure.code.symbol import Symbol
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from tests.structure.symbols import deleted, source_of
from tests.table import table


def accepted(proposal: Proposal | Refusal) -> Proposal:
    assert isinstance(proposal, Proposal), proposal
    return proposal


OVERLOADS = "class A:\n    x = 1\n\n    def f(self):\n        return 1\n\n    def f(self, a):\n        return a\n"


def test_neighbours_that_both_go_agree_about_the_blank_line_between_them() -> None:
    source = source_of(OVERLOADS)
    found = Symbol("f").find(source)
    assert not isinstance(found, Refusal)
    gone = {splice for node in found for splice in accepted(node.delete(source)).splices}
    assert (
        ChangeSet(tuple(sorted(gone, key=lambda splice: splice.span))).apply(source.text) == "class A:\n    x = 1\n\n"
    )


def test_long_strings_far_down_a_text_are_data_every_time() -> None:
    given = "x = 1\n" * 300 + "def f():\n    return '''\n  a\n'''\n"
    language = languages()["python"]
    assert len({fit(language, given, "    ", "    ") for _ in range(50)}) == 1


@table("tail", ["", "\n", "\n\n", "\n\n\n", "\n    \n"])
def test_the_last_member_goes_whatever_blank_lines_the_file_ends_with(tail: str) -> None:
    head = "class A:\n    def f(self):\n        return 1\n"
    text = f"{head}\n    def g(self):\n        return 2{tail}"
    assert deleted("py", text, "g") == head.rstrip("\n") + tail
