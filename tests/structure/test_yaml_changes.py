"""What a YAML edit must not take along: comments, the head of the file, what else is in a set collection."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.structure.config.editor import Keys
from steadyhand.structure.config.yaml import SYNTAX
from steadyhand.structure.config.yaml_reader import is_readable, parse
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from tests.sampling import examples
from tests.structure import keyed
from tests.structure.yaml_documents import documents, values
from tests.table import table

CORPUS = Path(__file__).parents[1] / "corpus" / "yaml"
MERGED = """\
base: &base
  restart: always
  log: &log {driver: json}
more: &more
  <<: *base
web:
  <<: [*more]
  image: nginx
db: *base
"""
LIST = """\
a:
  - - x   # one
    - y
  # about n
  - name: n
    text: |
      deep
  - plain
  - [1,  # c
     2]
k:  # about k
  z: 'a

    b'
"""


def proposed(text: str, path: tuple[str | int, ...], value: Any) -> Proposal:
    keys = Keys.of(SYNTAX, Source.of_text(text))
    assert isinstance(keys, Keys)
    proposal = keys.set_value(keys.reading.find(path)[0], value)
    assert isinstance(proposal, Proposal), proposal
    return proposal


def made(text: str, path: tuple[str | int, ...], value: Any) -> str:
    return ChangeSet(proposed(text, path, value).splices).apply(text)


@table("before", ["a: x  # c\n", "a: |  # c\n  x\n", "a: 'x'  # c\nb: 1\n", "a: >-  # c\n  x\n\nb: 1\n"])
@table("new", ["'one\n  two'", '"one\n  two"', "one\n  two", "'\n\n  '", "|\n  one\n  two", "!!str |-\n  one"])
def test_a_comment_on_the_line_never_gets_into_the_text(before: str, new: str) -> None:
    source, node = keyed.node_at(before, "a", "a.yaml")
    after = keyed.applied(source, node.replace(source, new))
    assert isinstance(after, str)
    assert yaml.safe_load(after)["a"].rstrip("\n") == yaml.safe_load(f"a: {new}")["a"].rstrip("\n")
    assert after.count("  # c\n") == 1


@table("new", ["a: 'x\n  y'\nb: |-\n  z", "- 'x\n  y'\n- 2"])
def test_a_comment_behind_an_item_never_gets_into_the_collection(new: str) -> None:
    source, node = keyed.node_at("- ~  # c\n- 2\n", "[0]", "a.yaml")
    after = keyed.applied(source, node.replace(source, new))
    assert isinstance(after, str)
    assert yaml.safe_load(after) == [yaml.safe_load(new), 2]
    assert "# c\n" in after


@table(
    ("before", "after"),
    [
        ("# licence\na: 1\n\nb: 2\n", "# licence\n\nb: 2\n"),
        ("# licence\n# of two lines\na: 1\n", "# licence\n# of two lines\n{}\n"),
        ("\ufeff# schema\r\na: 1\r\n", "\ufeff# schema\r\n{}\r\n"),
        ("---\n# of a\na: 1\n\nb: 2\n", "---\nb: 2\n"),
    ],
)
def test_what_the_file_starts_with_is_not_the_first_entry_s_own(before: str, after: str) -> None:
    assert keyed.after(before, "a", "delete-key", "a.yaml") == after


@table(
    ("before", "value", "after"),
    [
        ("x: 1 # a\ny: 2 # b\n", {"x": 1, "y": 3}, "x: 1 # a\ny: 3 # b\n"),
        ("x: 1 # a\ny: 2 # b\n", {"x": 1, "n": [], "y": 2}, "x: 1 # a\nn: []\ny: 2 # b\n"),
        ("x: 1 # a\ny: 2 # b\n", {"y": 2, "x": 1}, "y: 2 # b\nx: 1 # a\n"),
        ("x: 1 # a\n# of y\ny: 2 # b\nz: 0\n", {"x": 1, "z": 0}, "x: 1 # a\nz: 0\n"),
        ("- a # a\n- b # b\n- c # c\n", ["a", "c"], "- a # a\n- c # c\n"),
        ("- a # a\n- b # b\n", ["w", "a", "b", "z"], "- w\n- a # a\n- b # b\n- z\n"),
        ("- n: a # a\n  v: 1\n- n: b # b\n  v: 2\n", [{"n": "b", "v": 2}, {"n": "c"}], "- n: b # b\n  v: 2\n- n: c\n"),
        ("x:\n  deep: {a: 1, b: 'c'} # a\n", {"x": {"deep": {"a": 2, "b": "c"}}}, "x:\n  deep: {a: 2, b: 'c'} # a\n"),
        ("x: !Own v\ny: 0x10\nz: 1\n", {"x": "v", "y": 16, "z": 2}, "x: !Own v\ny: 0x10\nz: 2\n"),
        ("x: &a v\ny: 1\nz: 2\n", {"x": "v", "y": 1, "z": 3}, "x: &a v\ny: 1\nz: 3\n"),
    ],
)
def test_setting_a_collection_changes_only_what_differs(before: str, value: Any, after: str) -> None:
    assert made(before, (), value) == after
    assert proposed(before, (), value).notes == ()


def test_setting_an_anchored_collection_says_who_else_sees_it() -> None:
    found = proposed("a: &x\n  b: 1 # c\nc: *x\n", ("a",), {"b": 2})
    assert found.notes == ("&x is set: its 1 alias has the new value too",)


@table("value", [{"q": 1}, {}, [1], "text", None])
def test_comments_of_a_collection_that_is_written_again_are_counted(value: Any) -> None:
    text = "a: # stays\n  x: 1 # one\n  # two\n  y: '# none' # three\nb: 1\n"
    assert proposed(text, ("a",), value).notes == ("the value was rewritten: 3 comments inside it are gone",)
    after = made(text, ("a",), value)
    assert yaml.safe_load(after) == {"a": value, "b": 1}
    assert "# stays" in after


@table(("before", "value", "after"), [("no", False, "false"), ("on", True, "true"), ("0644", 420, "420")])
def test_a_value_that_only_some_readers_take_for_that_is_written_so_that_all_do(
    before: str, value: object, after: str
) -> None:
    assert made(f"a: {before} # c\n", ("a",), value) == f"a: {after} # c\n"


@table(
    ("path", "written"),
    [
        (("a", 0), "  - - x   # one\n    - y\n"),
        (("a", 0, 0), "- x   # one\n"),
        (("a", 1), "# about n\n- name: n\n  text: |\n    deep\n"),
        (("a", 1, "text"), "text: |\n  deep\n"),
        (("k",), "k:  # about k\n  z: 'a\n\n    b'\n"),
    ],
)
def test_what_is_carried_to_another_file_is_one_entry_or_item(path: tuple[str | int, ...], written: str) -> None:
    source = Source.of_text(LIST)
    keys = Keys.of(SYNTAX, source)
    assert isinstance(keys, Keys)
    item = keys.reading.find(path)[0]
    assert SYNTAX.carried(source, item) == written
    found = SYNTAX.entries(source, written, "sequence" if isinstance(path[-1], int) else "mapping")
    assert not isinstance(found, Refusal)
    assert len(found[1]) == 1


@table(("number", "written"), [(0, "- 1\n"), (1, "# about 2\n- 2 # two\n")])
def test_what_is_between_brackets_is_carried_with_its_own_comments(number: int, written: str) -> None:
    source = Source.of_text("a: [1,  # c\n\n  # about 2\n  2, # two\n]\n")
    item = Keys.of(SYNTAX, source).reading.find(("a", number))[0]  # type: ignore[union-attr]
    assert SYNTAX.carried(source, item) == written


@table(
    ("path", "line", "there"),
    [
        (("web", "restart"), 7, "base.restart"),
        (("web", "log", "driver"), 7, "base.log.driver"),
        (("more", "restart"), 5, "base.restart"),
        (("db", "restart"), 9, "base.restart"),
    ],
)
def test_a_key_that_a_merge_or_an_alias_brings_is_reported_with_its_place(
    path: tuple[str, ...], line: int, there: str
) -> None:
    refusal = SYNTAX.elsewhere(Source.of_text(MERGED), path, None)
    assert refusal is not None
    assert refusal.kind is Kind.NO_SUCH_TARGET
    assert (refusal.details["line"], refusal.details["nearest"]) == (line, [f"key:{there}"])


@table("path", [("web", "nothing"), ("web", "image"), ("base", "log"), ("web", "image", "x")])
def test_a_key_that_nothing_brings_is_not_reported(path: tuple[str, ...]) -> None:
    assert SYNTAX.elsewhere(Source.of_text(MERGED), path, None) is None


@table("file", sorted(CORPUS.iterdir()), ids=lambda file: file.name)
def test_only_what_is_read_passes_as_readable(file: Path) -> None:
    text = file.read_bytes().decode("utf-8", errors="replace")
    dice = Random(file.name)
    for _ in range(6):
        at = dice.randrange(len(text) + 1)
        mangled = (
            text[:at] + dice.choice(["{{ x }}", "*a", "&a ", "\n---\n", "\ud800", "\t", "[", "'", ": "]) + text[at:]
        )
        source = Source.of_text(mangled)
        assert not (is_readable(source) and isinstance(parse(source), Refusal))


BITS = [
    "\n",
    "\n  ",
    "\n    x: y",
    "- ",
    ": ",
    " #c\n",
    "'",
    "[",
    "}",
    "? ",
    "\n---\n",
    "x",
    "|\n    x\n",
    "&a ",
    "*a",
    "\r",
]


@examples(25, suppress_health_check=list(HealthCheck))
@given(
    documents(), st.integers(0, 99), st.integers(0, 999), st.integers(0, 3), st.lists(st.sampled_from(BITS), max_size=2)
)
def test_a_collection_that_is_read_alone_reads_as_in_its_file(
    document: tuple[str, Any], number: int, place: int, cut: int, bits: list[str]
) -> None:
    text, new = document[0], "".join(bits)
    before = SYNTAX.read(Source.of_text(text))
    assert not isinstance(before, Refusal)
    items = list(before.documents[0].walk())
    boxes = [item for item in items if item.children and item.path and item.value.length > 2]
    assume(boxes)
    box = boxes[number % len(boxes)]
    at = box.value.start + 1 + place % (box.value.length - 1)
    end = min(at + cut, box.value.end - 1)
    assume(at <= end)
    source = Source.of_text(text[:at] + new + text[end:])
    alone = SYNTAX.reread(Source.of_text(text), source, box, box.value.end + len(new) - (end - at))
    if alone is None:
        return
    after = SYNTAX.read(source)
    assert not isinstance(alone, Refusal)
    assert not isinstance(after, Refusal)
    depth = len(box.path)
    beside = [(item.path, item.kind, item.data) for item in items if item.path[:depth] != box.path]
    found = list(after.documents[0].walk())
    assert [(item.path, item.kind, item.data) for item in found if item.path[:depth] != box.path] == beside
    inside = [(item.path[depth:], item.kind, item.value, item.data) for item in found if item.path[:depth] == box.path]
    assert [(item.path, item.kind, item.value, item.data) for item in alone.walk()] == inside


@settings(suppress_health_check=list(HealthCheck))
@given(documents(), st.integers(0, 99), st.integers(0, 99), values)
def test_setting_a_container_is_setting_what_differs_in_it(
    document: tuple[str, Any], number: int, inner: int, value: Any
) -> None:
    text, data = document
    keys = Keys.of(SYNTAX, Source.of_text(text))
    assert isinstance(keys, Keys)
    boxes = [item for item in keys.reading.documents[0].walk() if item.is_container and item.children]
    assume(boxes)
    box = boxes[number % len(boxes)]
    scalars = [item for item in box.walk() if not item.is_container]
    assume(scalars)
    one = scalars[inner % len(scalars)]
    whole = _put(keyed.value_at(data, box.path), one.path[len(box.path) :], value)
    after = made(text, box.path, whole)
    assert yaml.safe_load(after) == _put(data, one.path, value)
    if len(box.children) > 1 or one in box.children:
        assert after == made(text, one.path, value) or after.count("# c") == text.count("# c")


def _put(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    if isinstance(data, dict):
        return {name: _put(part, path[1:], value) if name == path[0] else part for name, part in data.items()}
    return [_put(part, path[1:], value) if at == path[0] else part for at, part in enumerate(data)]
