"""Cells of notebooks: what is refused, what is found, and that only the asked source changes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Act, Delete, Insert, Replace
from steadyhand.plan.preview import edit
from steadyhand.structure.node import Refusal, Where
from steadyhand.structure.notebook import Cell, CellNode
from steadyhand.text.source import Source
from tests.table import table

CORPUS = Path(__file__).parent.parent / "corpus" / "notebook"
OUTPUT = {"name": "stdout", "output_type": "stream", "text": ["1\n"]}


def cell(source: list[str] | str, kind: str = "code", name: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": kind}
    if kind == "code":
        made["execution_count"] = 3
    if name is not None:
        made["id"] = name
    made["metadata"] = {"tags": ["x"]}
    if kind == "code":
        made["outputs"] = [OUTPUT]
    made["source"] = source
    return made


def notebook(*cells: dict[str, Any], minor: int = 5, indent: int | None = 1) -> str:
    data = {"cells": list(cells), "metadata": {"a": 1}, "nbformat": 4, "nbformat_minor": minor}
    return json.dumps(data, indent=indent, ensure_ascii=False) + "\n"


TEXT = notebook(
    cell(["# Title\n", "text"], "markdown", "intro"),
    cell(["a = 1\n", "b = 2\n", "a + b"], name="sum"),
    cell([], name="c"),
)


def node_at(text: str, at: str | int, part: str = "source") -> tuple[Source, CellNode]:
    source = Source.of_text(text, path="a.ipynb")
    found = Cell(at, part=part).resolve(source)
    assert not isinstance(found, Refusal), found
    assert isinstance(found[0], CellNode)
    return source, found[0]


def after(text: str, change: Any) -> str:
    result = edit(text, change, path="a.ipynb")
    assert result.ok, result.error
    return result.text


@table("name", sorted(path.name for path in CORPUS.glob("broken-*")))
def test_what_is_no_notebook_is_refused(name: str) -> None:
    source = Source.of_bytes((CORPUS / name).read_bytes(), path=name)
    refusal = Cell(0).resolve(source)
    assert isinstance(refusal, Refusal)
    assert refusal.kind == Kind.UNPARSABLE
    assert refusal.hint


@table("at", [3, -4, "3", "summ", "", "1.0", 10**12])
def test_a_cell_that_is_not_there_is_refused_with_those_that_are(at: str | int) -> None:
    refusal = Cell(at).resolve(Source.of_text(TEXT, path="a.ipynb"))
    assert isinstance(refusal, Refusal)
    assert refusal.kind == Kind.NO_SUCH_TARGET
    assert "cell:sum" in refusal.details["available"]  # type: ignore[operator]
    assert refusal.details["nearest"] == (["cell:sum"] if at == "summ" else [])
    assert "cell:sum (code: a = 1)" in refusal.details["cells"]  # type: ignore[operator]


@table("where", ["before", "after"])
def test_text_beside_a_cell_is_refused_naming_add_cell(where: Where) -> None:
    result = edit(TEXT, Insert(Cell("sum"), "x = 1", where=where), path="a.ipynb")
    assert result.error is not None
    assert result.error.kind == Kind.BAD_REQUEST
    assert "add-cell" in str(result.error.hint)


def test_a_cell_as_a_whole_is_not_replaced() -> None:
    result = edit(TEXT, Replace(Cell("sum", part="cell"), "{}"), path="a.ipynb")
    assert result.error is not None
    assert result.error.kind == Kind.BAD_REQUEST


@table("given", [{"at": True}, {"at": 1.5}, {"at": ["a"]}, {}, {"at": 0, "part": "output"}])
def test_wrong_fields_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(EditError):
        Cell.from_json(given, "cell")


@table(
    ("at", "text"),
    [(0, "# Title\ntext"), ("intro", "# Title\ntext"), ("1", "a = 1\nb = 2\na + b"), (-1, ""), ("c", "")],
)
def test_cells_are_found_by_number_and_id(at: str | int, text: str) -> None:
    source, node = node_at(TEXT, at)
    assert node.own_text(source) == text


def test_an_id_counts_before_a_number() -> None:
    text = notebook(cell(["zero"], name="1"), cell(["one"], name="0"))
    assert node_at(text, "1")[1].cell.text == "zero"
    assert node_at(text, 1)[1].cell.text == "one"


def test_an_id_that_is_there_twice_is_ambiguous() -> None:
    text = notebook(cell(["a"], name="s"), cell(["b"], name="s"))
    refusal = Cell("s").resolve(Source.of_text(text, path="a.ipynb"))
    assert isinstance(refusal, Refusal)
    assert refusal.kind == Kind.AMBIGUOUS_MATCH
    assert after(text, Replace(Cell("s", nth=2), "c")) == text.replace('"b"', '"c"')


@table(
    ("at", "new", "old_json", "new_json"),
    [
        ("sum", "a = 1\nb = 3\na + b", '"b = 2\\n"', '"b = 3\\n"'),
        ("sum", "a = 1\na + b", '    "b = 2\\n",\n', ""),
        ("sum", "a = 1\nb = 2\na + b\nc", '"a + b"', '"a + b\\n",\n    "c"'),
        ("sum", "z\na = 1\nb = 2\na + b", '"a = 1\\n"', '"z\\n",\n    "a = 1\\n"'),
        ("sum", "a = 1\nb = 2\na + b\n", "", ""),
        ("sum", "", '[\n    "a = 1\\n",\n    "b = 2\\n",\n    "a + b"\n   ]', "[]"),
        ("c", "x\ny", '"source": []', '"source": [\n    "x\\n",\n    "y"\n   ]'),
        ("intro", '# "Title"\n\\text', '"# Title\\n",\n    "text"', '"# \\"Title\\"\\n",\n    "\\\\text"'),
    ],
)
def test_only_the_lines_that_differ_are_written(at: str, new: str, old_json: str, new_json: str) -> None:
    result = edit(TEXT, Replace(Cell(at), new), path="a.ipynb")
    assert result.text == (TEXT.replace(old_json, new_json) if old_json else TEXT)


def test_a_string_stays_a_string_and_keeps_its_escapes() -> None:
    text = '{"cells": [{"cell_type": "raw", "source": "\\u003ca\\u003e\\n\\u00e9 old \\/"}], "nbformat": 4}'
    assert after(text, Replace(Cell(0), "<a>\né new /")) == text.replace("old", "new")
    assert after(text, Replace(Cell(0), "<a>\né ü /")) == text.replace("old", "\\u00fc")


def test_lines_are_added_at_the_start_and_the_end() -> None:
    assert node_at(after(TEXT, Insert(Cell("sum"), "import x\n", where="start")), 1)[1].cell.text.startswith(
        "import x\na"
    )
    assert node_at(after(TEXT, Insert(Cell("sum"), "c\n", where="end")), 1)[1].cell.text.endswith("a + b\nc")
    assert node_at(after(TEXT, Insert(Cell("c"), "c", where="end")), 2)[1].cell.text == "c"


@table("indent", [None, 1, 2, 4])
@table(("where", "index"), [("before", 0), ("after", 1)])
def test_a_new_cell_has_the_layout_of_the_others(indent: int | None, where: str, index: int) -> None:
    cells = [cell(["a\n", "b"], name="one"), cell(["c"], name="two")]
    text = notebook(*cells, indent=indent)
    made = after(text, Act(Cell("one"), "add-cell", type="markdown", source="# New\nline", where=where))
    data = json.loads(made)
    assert made == json.dumps(data, indent=indent, ensure_ascii=False) + "\n"
    new = data["cells"].pop(index)
    assert data == json.loads(text)
    assert new.pop("id") not in ("one", "two")
    assert new == {"cell_type": "markdown", "metadata": {}, "source": ["# New\n", "line"]}


def test_a_new_code_cell_has_no_outputs_and_an_id_only_where_there_are_ids() -> None:
    made = after(notebook(cell("x"), minor=4), Act(Cell(0), "add-cell", type="code", source="y\n"))
    assert json.loads(made)["cells"][1] == {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": "y",
    }


def test_two_equal_cells_get_two_ids() -> None:
    once = after(TEXT, Act(Cell(0), "add-cell", type="raw", source="r"))
    assert once == after(TEXT, Act(Cell(0), "add-cell", type="raw", source="r"))
    twice = after(once, Act(Cell(0), "add-cell", type="raw", source="r"))
    ids = [item["id"] for item in json.loads(twice)["cells"]]
    assert len(set(ids)) == len(ids) == 5


def test_a_cell_goes_with_its_outputs_and_no_other() -> None:
    data = json.loads(TEXT)
    del data["cells"][1]
    assert json.loads(after(TEXT, Delete(Cell("sum")))) == data


@table(
    ("at", "to", "where", "order"),
    [
        (0, 2, "after", [1, 2, 0]),
        (2, "intro", "before", [2, 0, 1]),
        (0, 1, "before", [0, 1, 2]),
        (1, "c", "after", [0, 2, 1]),
    ],
)
def test_a_cell_is_moved_as_it_is(at: int, to: str | int, where: str, order: list[int]) -> None:
    result = edit(TEXT, Act(Cell(at), "move-cell", to=to, where=where), path="a.ipynb")
    data = json.loads(TEXT)
    assert json.loads(result.text)["cells"] == [data["cells"][number] for number in order]
    assert sorted(result.text.split("\n")) == sorted(TEXT.split("\n")) or order[-1] != 2


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 5) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["cells", "nbformat", "source", "cell_type", "id"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON_VALUES, JSON_VALUES)
def test_whatever_the_cells_are_they_are_read_or_refused(cells: Any, minor: Any) -> None:
    text = json.dumps({"nbformat": 4, "nbformat_minor": minor, "cells": cells})
    found = Cell(0).resolve(Source.of_text(text, path="a.ipynb"))
    if isinstance(found, Refusal):
        assert found.kind in (Kind.UNPARSABLE, Kind.NO_SUCH_TARGET)
    else:
        assert after(text, Delete(Cell(0))) != text


LINES = st.lists(st.sampled_from(["a", "b", "", "  c", 'say "x"', "\\n", "é", "😀", "\t", "\u2028"]), max_size=6)


@given(LINES, LINES, st.booleans(), st.sampled_from([None, 1, 4]), st.booleans(), st.booleans())
def test_random_sources_become_each_other(
    old: list[str], new: list[str], is_list: bool, indent: int | None, is_ascii: bool, ends: bool
) -> None:
    before, wanted = "\n".join(old), "\n".join(new) + ("\n" if ends else "")
    kept = [*(line + "\n" for line in old[:-1]), *([old[-1]] if old and old[-1] else [])] if is_list else before
    data = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell("x"), cell(kept), cell(["y"])]}
    text = json.dumps(data, indent=indent, ensure_ascii=is_ascii)
    source, node = node_at(text, 1)
    assert node.own_text(source) == before
    result = edit(text, Replace(Cell(1), wanted), path="a.ipynb")
    if result.error is not None:
        assert result.error.kind == Kind.NO_CHANGE
        assert before in (wanted, wanted.removesuffix("\n"))
        return
    expected = copy.deepcopy(data)
    made = json.loads(result.text)
    written = made["cells"][1]["source"]
    assert isinstance(written, list) == is_list
    assert "".join(written) == (wanted if before.endswith("\n") else wanted.removesuffix("\n"))
    made["cells"][1]["source"] = expected["cells"][1]["source"]  # type: ignore[index]
    assert made == expected
    assert result.text.isascii() or not is_ascii or not text.isascii() or "\\u" not in text
