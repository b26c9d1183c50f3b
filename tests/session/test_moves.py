"""Parts of files that move: inside a file, to another one, to one made for them; and outlines of a workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.plan.request import requests_from_json
from steadyhand.structure.lines import Lines
from tests.faults.trees import tree_of

NOTES = "one\ntwo\nthree\n"
CONFIG = '{\n  "a": {"x": 1},\n  "b": 2\n}\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "notes.txt").write_text(NOTES)
    (tmp_path / "other.txt").write_text("alpha\nbeta")
    (tmp_path / "config.json").write_text(CONFIG)
    (tmp_path / "second.json").write_text("{\n  'no json'\n}\n")
    return tmp_path


def refused(root: Path, kind: Kind, *args: object, **options: object) -> EditError:
    before = tree_of(root)
    with sh.Workspace(root, actor="a") as ws, pytest.raises(EditError) as caught:
        ws.move(*args, **options)  # type: ignore[arg-type]
    assert caught.value.kind is kind, caught.value
    assert tree_of(root) == before
    return caught.value


def test_a_move_that_cannot_be_finished_is_not_begun(root: Path) -> None:
    refused(root, Kind.OUT_OF_BOUNDS, "notes.txt", "lines:9-9", to_path="other.txt")
    refused(root, Kind.OUT_OF_BOUNDS, "notes.txt", "lines:2-2", to="lines:9-9", to_path="other.txt")
    refused(root, Kind.NO_SUCH_FILE, "nowhere.txt", "lines:2-2", to_path="other.txt")
    refused(root, Kind.NO_SUCH_FILE, "notes.txt", "lines:2-2", to="lines:1-1", to_path="nowhere.txt")
    refused(root, Kind.OUTSIDE_ROOT, "notes.txt", "lines:2-2", to_path="../out.txt")
    refused(root, Kind.BAD_REQUEST, "notes.txt", "lines:2-2")
    refused(root, Kind.UNPARSABLE, "config.json", "key:a", to="key:b", to_path="second.json")


def test_lines_go_to_another_file_and_undo_brings_them_back(root: Path) -> None:
    before = tree_of(root)
    with sh.Workspace(root, actor="a") as ws:
        receipt = ws.move("notes.txt", "lines:2-2", to="lines:1-1", to_path="other.txt", reason="belongs there")
        assert (root / "notes.txt").read_text() == "one\nthree\n"
        assert (root / "other.txt").read_text() == "alpha\ntwo\nbeta"
        assert {file.path for file in receipt.files} == {"notes.txt", "other.txt"}
        ws.undo(receipt.id)
    after = tree_of(root)
    assert {name: after[name] for name in before} == before


def test_without_a_place_it_goes_to_the_end_and_the_file_is_made_if_need_be(root: Path) -> None:
    with sh.Workspace(root, actor="a") as ws:
        ws.move("notes.txt", Lines(1), to_path="other.txt")
        assert (root / "other.txt").read_text() == "alpha\nbeta\none\n"
        ws.move("notes.txt", Lines(1), to_path="deep/new.txt")
        assert (root / "deep" / "new.txt").read_text() == "two\n"
        ws.move("notes.txt", Lines(1), to_path="other.txt", where="start")
        assert (root / "other.txt").read_text() == "three\nalpha\nbeta\none\n"
        assert (root / "notes.txt").read_text() == ""


def test_a_key_goes_to_another_file_as_it_is_written(root: Path) -> None:
    (root / "second.json").write_text('{\n    "z": [\n        0\n    ]\n}\n')
    with sh.Workspace(root, actor="a") as ws:
        ws.move("config.json", "key:a", to="key:z", to_path="second.json", where="before")
    assert (root / "config.json").read_text() == '{\n  "b": 2\n}\n'
    assert (root / "second.json").read_text() == '{\n    "a": {"x": 1},\n    "z": [\n        0\n    ]\n}\n'


def test_a_move_inside_a_file_is_one_change(root: Path) -> None:
    with sh.Workspace(root, actor="a") as ws:
        ws.move("notes.txt", "lines:1-1", to="lines:3-3")
        assert (root / "notes.txt").read_text() == "two\nthree\none\n"
        ws.undo(last=True)
    assert (root / "notes.txt").read_text() == NOTES


def test_a_move_has_a_json_form_and_goes_into_a_transaction(root: Path) -> None:
    request = {"path": "notes.txt", "move": {"lines": [2, 2]}, "to": {"path": "other.txt", "where": "end"}}
    requests = requests_from_json({"files": [request]})
    assert requests.to_json() == {"files": [request]}
    with sh.Workspace(root, actor="a") as ws:
        with ws.transaction(reason="both") as tx:
            tx.move("notes.txt", "lines:1-1", to_path="other.txt")
            tx.edit("other.txt", {"target": "one", "new": "ONE"})
        assert (root / "other.txt").read_text() == "alpha\nbeta\nONE\n"
        ws.undo(last=True)
        ws.apply(requests)
    assert (root / "other.txt").read_text() == "alpha\nbeta\ntwo\n"


def test_secrets_do_not_move_into_other_files(root: Path) -> None:
    (root / ".env").write_text("KEY=hunter2\n")
    with sh.Workspace(root, actor="a", allow=[".env"]) as ws, pytest.raises(EditError) as caught:
        ws.move(".env", "lines:1-1", to_path="notes.txt")
    assert caught.value.kind is Kind.PROTECTED_PATH
    assert "hunter2" not in str(caught.value.to_json())


def test_an_outline_says_what_can_be_addressed_and_how_much_is_left_out(root: Path) -> None:
    with sh.Workspace(root, actor="a") as ws:
        whole = ws.outline("config.json")
        assert [entry.address for entry in whole.entries] == ["key:a", "key:a.x", "key:b"]
        assert (whole.format, whole.total, whole.left_out) == ("json", 3, 0)
        short = ws.outline("config.json", limit=2)
        assert [entry.address for entry in short.entries] == ["key:a", "key:b"]
        assert (short.total, short.left_out) == (3, 1)
        assert [entry.address for entry in ws.outline("config.json", within="key:a").entries] == ["key:a", "key:a.x"]
        assert [entry.address for entry in ws.outline("config.json", depth=0).entries] == ["key:a", "key:b"]


def test_an_address_leads_to_lines_and_bytes(root: Path) -> None:
    (root / "config.json").write_bytes(b'\xef\xbb\xbf{\r\n "\xc3\xa9": "\xf0\x9f\x98\x80",\r\n "b": [1]}\r\n')
    with sh.Workspace(root, actor="a") as ws:
        (place,) = ws.locate("config.json", "key:b")
        data = (root / "config.json").read_bytes()
        assert data[place.byte_span.start : place.byte_span.end] == b"[1]"
        assert place.lines == (3, 3)
        with pytest.raises(EditError) as caught:
            ws.locate("config.json", "key:c")
        assert caught.value.kind is Kind.NO_SUCH_TARGET
        assert caught.value.message.startswith("config.json: ")
        with pytest.raises(EditError) as caught:
            ws.outline("notes.txt")
        assert caught.value.kind is Kind.BAD_REQUEST


def test_an_outline_changes_nothing_and_records_nothing(root: Path) -> None:
    before = tree_of(root)
    with sh.Workspace(root, actor="a", read_only=True) as ws:
        ws.outline("config.json")
        ws.locate("config.json", "key:a")
    assert tree_of(root) == before


def test_a_section_goes_to_the_end_of_another_document_with_a_blank_line_between(root: Path) -> None:
    (root / "a.md").write_text("# A\n\nText.\n\n## Setup\n\nSteps.\n\n## Use\n\nMore.\n")
    (root / "b.md").write_text("# B\n\nOther.\n")
    with sh.Workspace(root, actor="a") as ws:
        ws.move("a.md", "heading:Setup", to_path="b.md")
        assert (root / "a.md").read_text() == "# A\n\nText.\n\n## Use\n\nMore.\n"
        assert (root / "b.md").read_text() == "# B\n\nOther.\n\n## Setup\n\nSteps.\n"
        ws.move("b.md", "heading:Setup", to="heading:Use", to_path="a.md", where="before")
        assert (root / "a.md").read_text() == "# A\n\nText.\n\n## Setup\n\nSteps.\n\n## Use\n\nMore.\n"
        assert (root / "b.md").read_text() == "# B\n\nOther.\n"


def test_a_symbol_goes_behind_the_last_one_of_another_file(root: Path) -> None:
    (root / "a.py").write_text(
        "import x\n\n\nclass A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n"
    )
    (root / "b.py").write_text("def last():\n    pass\n")
    with sh.Workspace(root, actor="a") as ws:
        ws.move("a.py", "symbol:A.one", to_path="b.py")
        assert (root / "b.py").read_text() == "def last():\n    pass\n\n\ndef one(self):\n    return 1\n"
        assert (root / "a.py").read_text() == "import x\n\n\nclass A:\n    def two(self):\n        return 2\n"


def test_a_key_moves_beside_a_sibling_and_a_cell_beside_a_cell(root: Path) -> None:
    cell = '{"cell_type": "raw", "metadata": {}, "source": "%s"}'
    cells = f'{{"cells": [{cell}, {cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 4}}\n'
    (root / "n.ipynb").write_text(cells % ("one", "two"))
    with sh.Workspace(root, actor="a") as ws:
        ws.move("config.json", "key:b", to="key:a", where="before")
        assert (root / "config.json").read_text() == '{\n  "b": 2,\n  "a": {"x": 1}\n}\n'
        ws.move("config.json", "key:b", to="key:a", where="end")
        assert (root / "config.json").read_text() == '{\n  "a": {"x": 1, "b": 2}\n}\n'
        ws.move("n.ipynb", "cell:0", to="cell:1")
        assert (root / "n.ipynb").read_text() == cells % ("two", "one")


def test_an_item_that_is_a_list_goes_to_another_file_as_one_item(root: Path) -> None:
    (root / "a.yml").write_text("a:\n- - x\n  - y\n- z\n")
    (root / "b.yml").write_text("b:\n- 1\n")
    with sh.Workspace(root, actor="a") as ws:
        ws.move("a.yml", "key:a[0]", to="key:b", to_path="b.yml", where="end")
    assert (root / "a.yml").read_text() == "a:\n- z\n"
    assert (root / "b.yml").read_text() == "b:\n- 1\n- - x\n  - y\n"
