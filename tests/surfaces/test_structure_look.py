"""`outline` and `locate`: what a person and a program learn of the places of a file."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.structure.outline import LIMIT, Location
from steadyhand.surfaces.cli.commands.files import location_lines, outline_command
from steadyhand.surfaces.terminal import paint
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.surfaces.shell import Shell
from tests.table import table

SERVICES = """\
{
  "services": {
    "web": {"image": "nginx", "ports": [80, 443]},
    "db": {"image": "postgres"}
  },
  "strange \\u001b[31m name": true
}
"""
TWICE = '{"a": 1,\n "a": 2}\n'


@pytest.fixture
def furnished(shell: Shell) -> Shell:
    (shell.root / "services.json").write_text(SERVICES)
    (shell.root / "twice.json").write_text(TWICE)
    (shell.root / "broken.json").write_text('{"a": [1,\n')
    (shell.root / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 101)))
    (shell.root / "marked.json").write_bytes('\ufeff{"é": "ü"}\r\n'.encode())
    return shell


REFUSED = [
    (("outline", "long.txt"), "bad-request"),
    (("outline", "broken.json"), "unparsable"),
    (("outline", "nothing.json"), "no-such-file"),
    (("outline", "services.json", "--within", "key:servces"), "no-such-target"),
    (("outline", "services.json", "--within", "services"), "bad-request"),
    (("outline", "services.json", "--depth", "-1"), "bad-request"),
    (("locate", "services.json", "key:services.web.prts"), "no-such-target"),
    (("locate", "services.json", "klingon:services"), "bad-request"),
    (("locate", "services.json", "services"), "bad-request"),
    (("locate", "broken.json", "key:a"), "unparsable"),
    (("locate", "twice.json", "key:a"), "ambiguous-match"),
    (("locate", "twice.json", "key:a", "--nth", "3"), "count-mismatch"),
    (("locate", "twice.json", "key:a", "--nth", "1", "--all"), "bad-request"),
    (("locate", "long.txt", "lines:99-101"), "out-of-bounds"),
    (("locate", "long.txt", "anchor:1#fff"), "stale-source"),
]


@table(("arguments", "kind"), REFUSED)
def test_what_leads_nowhere_is_refused_by_kind_and_writes_nothing(
    furnished: Shell, arguments: tuple[str, ...], kind: str
) -> None:
    assert furnished.kind(*arguments) == kind
    assert furnished.run(*arguments).stderr.count("Traceback") == 0
    assert not (furnished.root / ".steadyhand").exists()


def test_an_outline_gives_lines_kind_label_and_an_address_to_type(furnished: Shell) -> None:
    rows = furnished.ok("outline", "services.json").splitlines()
    assert [row.split() for row in rows[:2]] == [
        ["2–5", "key", "services:", "mapping", "of", "2", "key:services"],
        ["3", "key", "web:", "mapping", "of", "2", "key:services.web"],
    ]
    assert "'key:services.web.ports[0]'" in rows[4]
    starts = {row.index("key:") for row in rows[:4]}
    assert len(starts) == 1


def test_every_address_of_an_outline_can_be_typed_back(furnished: Shell) -> None:
    document = furnished.json("outline", "services.json")
    assert document["path"] == "services.json"
    assert document["format"] == "json"
    assert len(document["digest"]) == 64
    for entry in document["entries"]:
        (place,) = furnished.json("locate", "services.json", entry["address"])["places"]
        assert (place["address"], place["kind"], place["lines"]) == (entry["address"], entry["kind"], entry["lines"])


def test_names_that_a_terminal_would_obey_are_shown_as_escapes(furnished: Shell) -> None:
    shown = furnished.ok("--color", "never", "outline", "services.json")
    assert "\x1b" not in shown
    assert "strange" in shown


def test_what_is_left_out_of_an_outline_is_counted_and_the_deepest_goes_first(furnished: Shell) -> None:
    shown = furnished.ok("outline", "services.json", "--limit", "2")
    assert "7 of 9 entries left out" in shown
    assert "--limit 0" in shown
    assert "key:services.web" not in shown
    document = furnished.json("outline", "services.json", "--depth", "1")
    assert (document["total"], document["left_out"]) == (9, 5)
    assert furnished.json("outline", "services.json", "--limit", "0")["left_out"] == 0


def test_the_usual_limit_is_the_one_the_help_names() -> None:
    (limit,) = (option for option in outline_command.params if option.name == "limit")
    assert limit.default == LIMIT


def test_an_outline_within_a_place_shows_that_place_only(furnished: Shell) -> None:
    document = furnished.json("outline", "services.json", "--within", "key:services.web")
    assert [(entry["address"], entry["depth"]) for entry in document["entries"]] == [
        ("key:services.web", 0),
        ("key:services.web.image", 1),
        ("key:services.web.ports", 1),
        ("key:services.web.ports[0]", 2),
        ("key:services.web.ports[1]", 2),
    ]


def test_an_empty_outline_says_so(shell: Shell) -> None:
    (shell.root / "empty.json").write_text("{}")
    assert "only its lines have addresses" in shell.ok("outline", "empty.json")


def test_a_narrow_terminal_cuts_labels_and_never_addresses(furnished: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shown = furnished.ok("outline", "services.json")
    for entry in furnished.json("outline", "services.json")["entries"]:
        if "strange" not in entry["address"]:
            assert entry["address"] in shown


def test_a_place_inside_a_line_is_marked_in_it(furnished: Shell) -> None:
    shown = furnished.ok("locate", "services.json", "key:services.db.image")
    assert '    "db": {"image": ⟦"postgres"⟧}' in shown
    assert "line 4" in shown


def test_whole_lines_are_shown_without_marks_and_long_places_are_cut_in_the_middle(furnished: Shell) -> None:
    shown = furnished.ok("locate", "long.txt", "lines:1-100")
    assert "⟦" not in shown
    assert "80 more lines" in shown
    rows = shown.splitlines()
    assert rows[2:4] == ["  1  line 1", "  2  line 2"]
    assert rows[-1] == "100  line 100"
    assert len(rows) == 23


def test_characters_and_bytes_are_distinguished(furnished: Shell) -> None:
    (place,) = furnished.json("locate", "marked.json", "key:é")["places"]
    data = (furnished.root / "marked.json").read_bytes()
    assert data[slice(*place["bytes"])].decode() == place["text"] == '"ü"'
    assert place["span"] == [6, 9]


@given(st.text("ab\n", min_size=1, max_size=60), st.data())
def test_the_marks_are_where_the_place_begins_and_ends(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    span = Span(start, data.draw(st.integers(start, len(text))))
    source = Source.of_text(text)
    place = Location("a:b", "thing", "thing", span, span, source.lines_of(span))
    rows = list(paint(location_lines(source, [place]), color=False))[2:]
    first, last = place.lines
    bodies = text.split("\n")[first - 1 : last]
    digits = len(str(min(last, source.line_count)))
    shown = "\n".join(row[digits + 2 :] for row in rows if "more line" not in row)
    is_cut = len(bodies) > 20
    if "⟦" in shown and not is_cut:
        assert shown.partition("⟦")[2].rpartition("⟧")[0] == span.of(text).removesuffix("\n")
    if not is_cut and first <= source.line_count:
        assert shown.replace("⟦", "").replace("⟧", "") == "\n".join(bodies)
    if "⟦" not in shown and shown:
        assert text[: span.start].endswith("\n") or span.start == 0


def test_all_places_are_listed_each_with_an_address_of_its_own(furnished: Shell) -> None:
    places = furnished.json("locate", "twice.json", "key:a", "--all")["places"]
    assert [place["lines"] for place in places] == [[1, 1], [2, 2]]
    for place in places:
        assert furnished.json("locate", "twice.json", place["address"])["places"] == [place]
    (last,) = furnished.json("locate", "twice.json", "key:a", "--last")["places"]
    assert last == places[1]


def test_an_address_to_send_instead_is_quoted_for_the_shell_and_leads_there(furnished: Shell) -> None:
    (furnished.root / "page.html").write_text('<ul>\n<li class="item">one</li>\n<li class="item">two</li>\n</ul>\n')
    answer = furnished.run("locate", "page.html", "selector:li.itm").stderr
    words = shlex.split(answer.partition("hint: type ")[2])
    assert furnished.json("locate", "page.html", words[0])["places"][0]["kind"] == "element"
    assert "send " not in answer


def test_programs_get_the_address_as_it_is(furnished: Shell) -> None:
    (furnished.root / "page.html").write_text('<ul>\n<li class="item">one</li>\n<li class="item">two</li>\n</ul>\n')
    assert "'" not in furnished.refused("locate", "page.html", "selector:li.itm")["hint"]


@pytest.mark.parametrize(
    ("name", "text", "address", "kind"),
    [
        ("a.md", "# A\n\none\n\n## B\n\ntwo\n", "heading:A > B", "section"),
        ("a.html", "<p id=x>one", "selector:#x", "element"),
        ("a.py", "class A:\n    def b(self):\n        pass\n", "symbol:A.b", "method"),
        ("a.yaml", "a:\n  b: 1\n", "key:a.b", "key"),
        ("a.toml", "[a]\nb = 1\n", "key:a.b", "key"),
        ("a.ini", "[a]\nb = 1\n", "key:a.b", "key"),
    ],
)
def test_the_outline_of_every_kind_of_file_gives_addresses_that_lead_there(
    shell: Shell, name: str, text: str, address: str, kind: str
) -> None:
    (shell.root / name).write_text(text)
    assert address in [entry["address"] for entry in shell.json("outline", name)["entries"]]
    assert shlex.quote(address) in shell.ok("outline", name)
    assert shell.json("locate", name, address)["places"][0]["kind"] == kind


def test_a_refusal_lists_the_addresses_of_the_places_as_they_are_typed(furnished: Shell) -> None:
    answer = furnished.run("locate", "twice.json", "key:a").stderr
    assert "  1. 'key[1]:a' (line 1)" in answer
    assert "  2. 'key[2]:a' (line 2)" in answer
    assert "--nth N" in answer
