"""The public names: what `import steadyhand as sh` offers, and nothing more."""

from __future__ import annotations

import ast
import importlib.metadata
import pydoc
from pathlib import Path
from types import ModuleType

import steadyhand as sh
from scripts import api_reference
from tests.table import table

PROMISED = {
    "Act", "Anchor", "Block", "Cell", "CodeBlock", "Delete", "EditError", "FrontMatter", "Heading", "Insert", "Key",
    "Kind", "Lines", "Old", "Policy", "Replace", "Selector", "Symbol", "Table", "Workspace", "edit", "patch",
}  # fmt: skip


def test_the_promised_names_are_there() -> None:
    assert set(sh.__all__) >= PROMISED


def test_the_list_is_sorted_and_has_no_name_twice() -> None:
    assert list(sh.__all__) == sorted(set(sh.__all__))


@table("name", sorted(sh.__all__))
def test_every_name_can_be_had(name: str) -> None:
    assert getattr(sh, name) is not None


@table("name", sorted(set(sh.__all__) - {"__version__"}))
def test_every_name_explains_itself_in_its_own_words(name: str) -> None:
    doc = getattr(sh, name).__doc__ or ""
    assert doc.strip()
    assert not doc.startswith(f"{name}("), "this is the docstring a dataclass writes by itself"


def test_nothing_else_is_public() -> None:
    seen = {name for name, value in vars(sh).items() if not name.startswith("_") and not isinstance(value, ModuleType)}
    assert seen - set(sh.__all__) <= {"annotations", "TYPE_CHECKING"}


def test_names_are_imported_from_the_module_that_defines_them() -> None:
    tree = ast.parse(Path(sh.__file__).read_text(encoding="utf-8"))
    rooms = [
        n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("steadyhand")
    ]
    assert all(
        (Path(sh.__file__).parent.parent / Path(*room.split("."))).with_suffix(".py").is_file()
        for room in rooms
        if room
    )


def test_the_version_is_the_distributions() -> None:
    assert sh.__version__ == importlib.metadata.version("steadyhand")


def test_every_type_that_a_caller_meets_is_public() -> None:
    public = {id(getattr(home, name)) for home in (sh, sh.hints, sh.impact) for name in home.__all__}
    public |= {id(base) for base in sh.Workspace.__mro__}
    inner = {cls.__name__: where for cls, where in api_reference.met().classes.items() if id(cls) not in public}
    assert {name: where for name, where in inner.items() if not name.startswith("_")} == {}


@table("name", sorted(set(sh.__all__) - {"__version__", "hints", "impact"}))
def test_every_member_of_a_public_class_explains_itself(name: str) -> None:
    value = getattr(sh, name)
    named = api_reference.members(value) if isinstance(value, type) else ()
    methods = [each for each, member in named if not isinstance(member, str | property)]
    assert [each for each in methods if not api_reference.doc_of(value, each)] == []


def test_help_on_a_workspace_shows_what_callers_use_and_nothing_that_serves_other_rooms() -> None:
    shown = {name for name in dir(sh.Workspace) if pydoc.visiblename(name) and not name.startswith("_")}
    assert "\n |  edit(" in pydoc.render_doc(sh.Workspace, renderer=pydoc.plaintext)
    assert "Workspace" not in api_reference.HIDDEN
    assert shown <= set(dir(sh.AsyncWorkspace))  # where every public member has its asynchronous form
