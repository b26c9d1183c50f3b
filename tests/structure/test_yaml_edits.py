"""Edits of YAML files through targets and actions: what is refused, and what each edit writes."""

from __future__ import annotations

import pytest
import yaml

from steadyhand.errors import Kind
from steadyhand.structure.config.editor import Keys
from steadyhand.structure.config.yaml import SYNTAX
from steadyhand.structure.config.yaml_reader import parse
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source
from tests.structure import keyed
from tests.table import table

STACK = """\
# The stack
services:
  # front door
  web:
    image: nginx:1.27   # pinned
    ports:
      - "8080:80"
      - "8443:443"

  db:
    image: postgres:16
    # no ports on purpose

volumes: {}   # later
"""


def after(text: str, key: str, action: str, **given: object) -> str:
    return keyed.after(text, key, action, "a.yaml", **given)


def refused(text: str, key: str, action: str, **given: object) -> Refusal:
    return keyed.refused(text, key, action, "a.yaml", **given)


def replaced(text: str, key: str, new: str) -> str | Refusal:
    source, node = keyed.node_at(text, key, "a.yaml")
    return keyed.applied(source, node.replace(source, new))


@table(
    ("text", "key", "action", "given", "said"),
    [
        ("a: &x 1\nb: *x\n", "a", "delete-key", {}, "the anchor &x in it is used by the alias on line 2"),
        ("a:\n  b: &x 1\nc: *x\n", "a", "set-key", {"value": 1}, "used by the alias on line 3"),
        ("a: &x 1\nb: *x\nc: {}\n", "a", "move-key", {"to": "c"}, "would be below the alias on line 2"),
        ("a: !Ref x\n", "a", "set-key", {"value": [1]}, "the tag !Ref"),
        ("a: [b: 1]\n", "a[0].b", "delete-key", {}, "exactly one entry"),
        ("b: &b {x: 1}\na:\n  <<: *b\n", 'a."<<"', "rename-key", {"name": "c"}, "not a simple name"),
        ("? [a]\n: 1\n", '"[a]"', "rename-key", {"name": "c"}, "not a simple name"),
        ("a: [1]\nb:\n  - 2\n", "b", "move-key", {"to": "a"}, "rewritten"),
        ("a: [1]\nb: 2 # c\n", "b", "move-key", {"to": "a"}, "comments cannot be kept there"),
        ("a: 1\n", "", "add-key", {"name": "x" * 2000, "value": 1}, "names are at most"),
        ("a: 1\n", "a", "set-key", {"value": "\ud800"}, "a lone surrogate is not a character"),
    ],
)
def test_what_cannot_be_done_says_why(text: str, key: str, action: str, given: dict[str, object], said: str) -> None:
    refusal = refused(text, key, action, **given)
    assert refusal.kind is Kind.BAD_REQUEST
    assert said in refusal.message


def test_a_key_that_only_a_merge_brings_is_not_there() -> None:
    text = "base: &b {x: 1}\nuse:\n  <<: *b\n"
    assert keyed.missed(text, "use.x", "a.yaml").kind is Kind.NO_SUCH_TARGET


@table("tag", ["!!null", "!!int", "!!bool", "!!float", "!!str", "!own", "!!timestamp"])
@table("new", ["0", "7", "1.5", "true", "null", "x", '"7"', "[1]", "2024-01-01", "!!str 7", "!!int 0x10"])
def test_a_tag_does_not_make_something_else_of_written_text(tag: str, new: str) -> None:
    """Unless it makes of it what the value was: `!!str` a text, `!!float` a number."""
    old = {"!!null": "~", "!!int": "3", "!!bool": "true", "!!float": "1.5", "!!timestamp": "2001-01-01"}.get(tag, "a")
    made = replaced(f"k: {tag} {old} # c\n", "k", new)
    if isinstance(made, str) and tag != "!own":
        found, wanted = yaml.safe_load(made)["k"], yaml.safe_load(new)
        assert found == wanted or type(found) is {"!!str": str, "!!float": float}.get(tag)


def test_the_type_of_a_value_is_kept_by_a_replace() -> None:
    found = replaced('a: "5"\n', "a", "6")
    assert isinstance(found, Refusal)
    assert '"6"' in found.hint
    assert replaced('a: "5"\n', "a", '"6"') == 'a: "6"\n'
    assert replaced("a: 5\n", "a", "6") == "a: 6\n"


@table(
    ("before", "key", "value", "made"),
    [
        ("a: 1 # c\n", "a", 2, "a: 2 # c\n"),
        ("a: 1\n", "a", "2", 'a: "2"\n'),
        ("a: 'x'\nb: 1\n", "b", "no", "a: 'x'\nb: 'no'\n"),
        ("a: 'it'\n", "a", "it's", "a: 'it''s'\n"),
        ('a: "x"\n', "a", "two\nlines", 'a: "two\\nlines"\n'),
        ("a: x # c\n", "a", "two\nlines\n", "a: | # c\n  two\n  lines\n"),
        ("a: x\n", "a", " lead\nline", "a: |2-\n   lead\n  line\n"),
        ("a: x\n", "a", "kept\n\n\n", 'a: "kept\\n\\n\\n"\n'),
        ("a: |\n    four\n    wide\nb: 1\n", "a", "x\ny\n", "a: |\n    x\n    y\nb: 1\n"),
        ("a: | # c\n  x\nb: 1\n", "a", 5, "a: 5 # c\nb: 1\n"),
        ("a: >-\n  x\n  y\n", "a", "para\ngraph", "a: >-\n  para\n\n  graph\n"),
        ("a: x", "a", "two\nlines\n", "a: |\n  two\n  lines\n"),
        ("a:\nb: 1\n", "a", "x", "a: x\nb: 1\n"),
        ("a: # c\nb: 1\n", "a", {"x": [1]}, "a: # c\n  x:\n    - 1\nb: 1\n"),
        ("a: 1 # c\n", "a", {"x": 1, "z": []}, "a: # c\n  x: 1\n  z: []\n"),
        ("a:\n  # in\n  b: 1 # c\nd: 2\n", "a", "x", "a: x\nd: 2\n"),
        ("a:\n- 1\nb:\n  x: 1\n", "b.x", [1, [2]], "a:\n- 1\nb:\n  x:\n  - 1\n  - - 2\n"),
        ("- 1 # c\n- 2\n", "[0]", {"a": 1, "b": 2}, "- a: 1 # c\n  b: 2\n- 2\n"),
        ("- &x 1\n- *x\n", "[0]", {"a": 1}, "- &x\n  a: 1\n- *x\n"),
        ("a: &x 1\nb: *x\n", "a", 2, "a: &x 2\nb: *x\n"),
        ("a: &x 1\nb: *x\n", "b", 2, "a: &x 1\nb: 2\n"),
        ("a: !!int 5\n", "a", "x", "a: x\n"),
        ("a: !!str 5\n", "a", "7", 'a: !!str "7"\n'),
        ("a: !Ref x\n", "a", "z", "a: !Ref z\n"),
        ("a: {b: 1, c: x}\n", "a.c", "y, z", 'a: {b: 1, c: "y, z"}\n'),
        ("a: {b: 1}\n", "a.b", {"c": ["x", 1]}, "a: {b: {c: [x, 1]}}\n"),
        ("{a, b}\n", "a", 1, "{a: 1, b}\n"),
        ("a: yes\n", "a", False, "a: false\n"),
        ("a: 1\r\nb: 2\r\n", "a", 3, "a: 3\r\nb: 2\r\n"),
        ("a: 1\n", "a", 1e16, "a: 1.0e+16\n"),
        ("a: 1\n", "a", None, "a: null\n"),
        ("--- 5\n", "", {"a": 1}, "---\na: 1\n"),
        ("a: 1\n", "", [1], "- 1\n"),
    ],
)
def test_a_value_is_set_as_it_was_written(before: str, key: str, value: object, made: str) -> None:
    assert after(before, key, "set-key", value=value) == made


def test_setting_an_anchored_value_says_who_else_sees_it() -> None:
    source = Source.of_text("a: &x 1\nb: [*x, *x]\n", path="a.yaml")
    keys = Keys.of(SYNTAX, source)
    assert isinstance(keys, Keys)
    proposal = keys.set_value(keys.reading.find(("a",))[0], 2)
    assert isinstance(proposal, Proposal)
    assert proposal.notes == ("&x is set: its 2 aliases have the new value too",)


@table(
    ("before", "key", "given", "made"),
    [
        (
            STACK,
            "services",
            {"name": "mail", "value": {"ports": ["25:25"]}},
            '  mail:\n    ports:\n      - "25:25"\n\nvolumes',
        ),
        (STACK, "services.db", {"name": "x", "value": 1}, "16\n    x: 1\n    # no ports on purpose\n"),
        (STACK, "services.web", {"name": "x", "value": "1", "before": "image"}, 'web:\n    x: "1"\n    image'),
        (STACK, "volumes", {"name": "data", "value": None}, "volumes: # later\n  data: null\n"),
        ("a: {x: 1}\n", "a", {"name": "z", "value": 2}, "a: {x: 1, z: 2}\n"),
        ('{"x":1,"y":2}', "", {"name": "z", "value": "w"}, '{"x":1,"y":2,"z":"w"}'),
        ('{\n  "x": 1\n}\n', "", {"name": "z", "value": "w"}, '{\n  "x": 1,\n  "z": "w"\n}\n'),
        ("{\n  x: 1, # c\n}\n", "", {"name": "z", "value": 2}, "{\n  x: 1, # c\n  z: 2,\n}\n"),
        ("- a: 1\n  b: 2\n", "[0]", {"name": "c", "value": 3, "before": "a"}, "- c: 3\n  a: 1\n  b: 2\n"),
        ('"a": 1\n"b": 2\n', "", {"name": "c", "value": 3}, '"a": 1\n"b": 2\n"c": 3\n'),
        ("a: 1", "", {"name": "b", "value": 2}, "a: 1\nb: 2"),
        ("a: 1\n", "", {"name": "yes", "value": "no"}, 'a: 1\n"yes": "no"\n'),
        ("200: a\n", "", {"name": "404", "value": "b"}, "200: a\n404: b\n"),
        ("a: 1\n---\nb: 1\n...\n", "", {"name": "c", "value": 2}, "a: 1\nc: 2\n---\nb: 1\n...\n"),
    ],
)
def test_a_new_entry_is_written_as_its_siblings_are(before: str, key: str, given: dict[str, object], made: str) -> None:
    if "---" in before:
        from steadyhand.structure.config.key import Key

        assert keyed.after(before, Key(key, document=1), "add-key", "a.yaml", **given) == made
        return
    assert made in after(before, key, "add-key", **given)


@table(
    ("before", "key", "value", "made"),
    [
        ("a:\n- 1\nb: 2\n", "a", 2, "a:\n- 1\n- 2\nb: 2\n"),
        (
            "a:\n  - x: 1\n    y: 2\n",
            "a",
            {"x": 3, "y": ["z"]},
            "a:\n  - x: 1\n    y: 2\n  - x: 3\n    y:\n      - z\n",
        ),
        ("-   a\n", "", {"x": 1, "z": 2}, "-   a\n-   x: 1\n    z: 2\n"),
        ("a: [1, 2]\n", "a", 3, "a: [1, 2, 3]\n"),
        ("a: [x,y]\n", "a", "z", "a: [x,y,z]\n"),
        ("a: []\n", "a", "z", "a:\n  - z\n"),
        ("a: [\n  x, # c\n  y # d\n]\n", "a", "z", "a: [\n  x, # c\n  y, # d\n  z\n]\n"),
        ("a:\n  - 'x'\n", "a", "y", "a:\n  - 'x'\n  - 'y'\n"),
        ("a:\n  - x # c\n  # later\nb: 1\n", "a", "z", "a:\n  - x # c\n  - z\n  # later\nb: 1\n"),
        ("- a\n", "", "two\nlines\n", "- a\n- |\n  two\n  lines\n"),
        ("- a\n", "", [[1], {}], "- a\n- - - 1\n  - {}\n"),
    ],
)
def test_a_new_item_is_written_as_its_siblings_are(before: str, key: str, value: object, made: str) -> None:
    assert after(before, key, "append-item", value=value) == made


@table(
    ("before", "key", "made"),
    [
        ("# head\n\n# own\na: 1 # c\nb: 2\n", "a", "# head\n\n# own\nb: 2\n"),
        ("x: 0\n# own\na: 1 # c\nb: 2\n", "a", "x: 0\nb: 2\n"),
        ("x: 0\n\n# group\na: 1\nb: 2\n", "a", "x: 0\n\n# group\nb: 2\n"),
        ("x: 0\n\n# own\na: 1\n\n# other\nb: 2\n", "a", "x: 0\n\n# other\nb: 2\n"),
        ("a:\n  b: 1 # c\n", "a.b", "a: {}\n"),
        ("a: # c\n- 1\n", "a[0]", "a: [] # c\n"),
        ("- a: 1\n  b: 2\n", "[0].a", "- b: 2\n"),
        ("- a: 1\n  # own\n  b: 2\n", "[0].a", "- # own\n  b: 2\n"),
        ("- a: 1 # c\n", "[0].a", "- {}\n"),
        ("a: 1", "a", "{}"),
        ("a: 1\nb: 2", "b", "a: 1"),
        ("a:\n  b: 1\n  # in a\n# of c\nc: 2\n", "a", "# of c\nc: 2\n"),
        ("a: [1, 2, 3]\n", "a[1]", "a: [1, 3]\n"),
        ("a: [1, 2, 3]\n", "a[2]", "a: [1, 2]\n"),
        ("a: { b: 1 }\n", "a.b", "a: {}\n"),
        ("a: [\n  1, # one\n  2 # two\n]\n", "a[1]", "a: [\n  1 # one\n]\n"),
        ("a: |\n  x\n\nb: 1\n", "a", "b: 1\n"),
        ("a: 1\r\n# own\r\nb: 2\r\nc: 3\r\n", "b", "a: 1\r\nc: 3\r\n"),
    ],
)
def test_an_entry_goes_with_what_is_its_own(before: str, key: str, made: str) -> None:
    assert after(before, key, "delete-key") == made


@table(
    ("before", "key", "given", "made"),
    [
        (
            "a:\n  # own\n  b: # c\n    - 1\nd:\n    e: 1\n",
            "a.b",
            {"to": "d"},
            "a: {}\nd:\n    e: 1\n    # own\n    b: # c\n      - 1\n",
        ),
        ("a: 1\nb: 2\n", "b", {"to": "", "before": "a"}, "b: 2\na: 1\n"),
        (
            "a: |\n  x\n   y\nb:\n  c:\n    d: 1\n",
            "a",
            {"to": "b.c"},
            "b:\n  c:\n    d: 1\n    a: |\n      x\n       y\n",
        ),
        ("a:\n  x: 1\n  y: 2\nb:\n- 1\n", "a", {"to": "b"}, "b:\n- 1\n- x: 1\n  y: 2\n"),
        (
            "a:\n- x: 1 # c\n  y: 2\n- 3\nb:\n  c: 1\n",
            "a[0]",
            {"to": "b", "name": "m"},
            "a:\n- 3\nb:\n  c: 1\n  m:\n    x: 1 # c\n    y: 2\n",
        ),
        ("a: 'x'\nb: {c: 1}\n", "a", {"to": "b"}, "b: {c: 1, a: 'x'}\n"),
        ("a: {b: &x 1, c: 2}\nd: *x\ne: 5\n", "a.b", {"to": "", "before": "d"}, "a: {c: 2}\nb: &x 1\nd: *x\ne: 5\n"),
        ("a: 1\nb: {}\n", "a", {"to": "b"}, "b:\n  a: 1\n"),
        ("a: 1\nb:\n  c: 2\nd: 3", "d", {"to": "b"}, "a: 1\nb:\n  c: 2\n  d: 3"),
    ],
)
def test_an_entry_moves_as_it_is_written(before: str, key: str, given: dict[str, object], made: str) -> None:
    assert after(before, key, "move-key", **given) == made


@table(
    ("before", "key", "name", "made"),
    [
        ("a: 1 # c\n", "a", "b", "b: 1 # c\n"),
        ('"a": 1\n', "a", "b", '"b": 1\n'),
        ("a: 1\n", "a", "b: c", '"b: c": 1\n'),
        ("8080: x\n", '"8080"', "9090", "9090: x\n"),
        ("&x a: 1\n", "a", "b", "&x b: 1\n"),
        ("? a\n: 1\n", "a", "b", "? b\n: 1\n"),
        ("{a: 1}\n", "a", "b, c", '{"b, c": 1}\n'),
    ],
)
def test_a_name_keeps_its_quotes(before: str, key: str, name: str, made: str) -> None:
    assert after(before, key, "rename-key", name=name) == made


@table(
    ("before", "key", "new", "made"),
    [
        ("a:\n  b: 1\n", "a", "c: 2\nd:\n  - 3\n", "a:\n  c: 2\n  d:\n    - 3\n"),
        ("a:\n  b: 1\n  c: 2\n", "a", "b: 3\n  c: 2", "a:\n  b: 3\n  c: 2\n"),
        ("a:\n  b: 1\n", "a", "    c: 2\n    d: 3\n", "a:\n  c: 2\n  d: 3\n"),
        ("a:\n  b: |\n    x\n", "a.b", "|-\n  y\n  z\n", "a:\n  b: |-\n    y\n    z\n"),
        ("a: &x 1\n", "a", "2", "a: &x 2\n"),
        ("a: &x 1\n", "a", "&y 2", "a: &y 2\n"),
        ("- a: 1\n  b: 2\n", "[0]", "a: 3\nc: 4", "- a: 3\n  c: 4\n"),
        ("a: [1, 2]\n", "a", "[3]", "a: [3]\n"),
        ("a: [1, 2]\n", "a", "- 3\n- 4", "a:\n  - 3\n  - 4\n"),
    ],
)
def test_written_text_is_indented_for_its_place(before: str, key: str, new: str, made: str) -> None:
    assert replaced(before, key, new) == made


def test_written_text_that_can_be_meant_in_two_ways_is_refused() -> None:
    found = replaced("a:\n  b: 1\n  c: 2\n", "a", "b:\n  c: 2\n  d:\nx:")
    assert isinstance(found, str)
    assert replaced("a:\n  b: 1\n", "a", "b: # c\n  c: 2\n") == "a:\n  b: # c\n    c: 2\n"
    found = replaced("a:\n- 1\n", "a", "- - x\n  - y\n")
    assert isinstance(found, Refusal)
    assert "first line" in found.hint


def test_entries_are_inserted_as_they_are_written() -> None:
    source, node = keyed.node_at("a:\n    b: 1\n", "a.b", "a.yaml")
    made = keyed.applied(source, node.insert(source, "c: [x] # y\nd:\n  - *x\n", "after"))
    assert isinstance(made, Refusal)
    assert "alias" in made.message
    made = keyed.applied(source, node.insert(source, "c: [x] # y\nd: 'q'\n", "after"))
    assert made == "a:\n    b: 1\n    c: [x] # y\n    d: 'q'\n"


def test_the_pure_parser_reads_the_same_places(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: &x 1\nb:\n- |\n  t\n- !t {c: *x, d}\n? e\n: - - f\ng:\n  h: 'i'\n"
    fast = _places(text)
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert _places(text) == fast


def _places(text: str) -> list[object]:
    parsed = parse(Source.of_text(text))
    assert not isinstance(parsed, Refusal)
    items = [item for top in parsed.reading.documents for item in top.walk()]
    seen = [(item.path, item.kind, item.value, item.name, item.entry, item.data, item.note) for item in items]
    return [*seen, *parsed.anchors]
