"""OpenAI's `apply_patch`: operations of the API and the free-form patch, all or nothing, nothing taken by surprise."""

from __future__ import annotations

from pathlib import Path

import steadyhand as sh
from steadyhand.tools.answer import Answer
from tests.table import table
from tests.tools.ground import apply_patch as run
from tests.tools.ground import make, tree

FILES = {"a.md": "one\ntwo\nthree\n", "b.md": "one\none\n", "d/c.md": "c\n"}


def run_envelope(workspace: sh.Workspace, text: object, **settings: str) -> Answer:
    return run(workspace, {"input": text}, **settings)


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


# What must not happen.


@table(
    ("sections", "kind"),
    [
        (("*** Update File: a.md", "@@", "-none", "+x"), "no-match"),
        (("*** Update File: b.md", "@@", "-one", "+x"), "ambiguous-match"),
        (("*** Update File: none.md", "@@", "-one", "+x"), "no-such-file"),
        (("*** Add File: b.md", "+x"), "exists-already"),
        (("*** Update File: a.md", "*** Move to: b.md", "@@", "-two", "+2"), "exists-already"),
        (("*** Delete File: none.md",), "no-such-file"),
        (("*** Add File: ../out.md", "+x"), "outside-root"),
        (("*** Update File: a.md", "*** Move to: /etc/out.md", "@@", "-two", "+2"), "outside-root"),
        (("*** Frobnicate File: a.md",), "malformed-patch"),
    ],
)
def test_when_the_last_file_of_a_patch_is_refused_none_changes(
    sections: tuple[str, ...], kind: str, tmp_path: Path
) -> None:
    workspace = make(tmp_path, FILES)
    before = tree(tmp_path)
    text = patch("*** Add File: new.md", "+new", "*** Update File: d/c.md", "@@", "-c", "+C", *sections)
    answer = run_envelope(workspace, text)
    assert (answer.is_error, answer.kind) == (True, kind)
    assert tree(tmp_path) == before
    assert workspace.history() == []


@table("text", ["", "no patch at all", "*** Begin Patch\n*** End Patch\n", None, 3, {"input": "x"}])
def test_what_is_no_patch_is_refused(text: object, tmp_path: Path) -> None:
    answer = run_envelope(make(tmp_path, FILES), text)
    assert answer.is_error
    assert answer.kind in ("malformed-patch", "bad-request")


def test_no_part_of_a_patch_goes_through_whatever_the_policy_of_the_host(tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES, policy=sh.Policy(partial=True))
    answer = run_envelope(workspace, patch("*** Update File: a.md", "@@", "-one", "+1", "@@", "-none", "+x"))
    assert (answer.is_error, answer.kind) == (True, "no-match")
    assert tree(tmp_path)["a.md"] == b"one\ntwo\nthree\n"


# What must.


def test_a_patch_tells_what_it_did_to_which_file(tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    text = patch(
        "*** Delete File: b.md",
        "*** Update File: /repo/a.md",
        "@@",
        " one",
        "-two",
        "+2",
        "*** Add File: n/new.md",
        "+new",
        "*** Update File: d/c.md",
        "*** Move to: d/e.md",
        "@@",
        "-c",
        "+C",
    )
    answer = run_envelope(workspace, text, prefix="/repo")
    assert answer == Answer("Success. Updated the following files:\nA n/new.md\nM /repo/a.md\nM d/e.md\nD b.md")
    assert tree(tmp_path) == {"a.md": b"one\n2\nthree\n", "d/e.md": b"C\n", "n/new.md": b"new\n"}
    assert len(workspace.history()) == 1
    workspace.undo(last=True)
    assert tree(tmp_path) == {name: content.encode() for name, content in FILES.items()}


def test_an_operation_is_carried_out_and_reported(tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    steps: list[tuple[dict[str, object], str]] = [
        ({"type": "create_file", "path": "n.md", "diff": "+one\n+two\n"}, "Created n.md"),
        ({"type": "update_file", "path": "n.md", "diff": "@@\n one\n-two\n+2\n"}, "Updated n.md"),
        (
            {"type": "update_file", "path": "n.md", "diff": "@@\n-one\n+1\n", "move_to": "m.md"},
            "Updated n.md\nMoved n.md to m.md",
        ),
        ({"type": "update_file", "path": "m.md", "diff": "", "move_to": "k.md"}, "Updated m.md\nMoved m.md to k.md"),
        ({"type": "delete_file", "path": "b.md", "diff": None}, "Deleted b.md"),
    ]
    for operation, said in steps:
        assert run(workspace, operation) == Answer(said)
    assert tree(tmp_path) == {"a.md": b"one\ntwo\nthree\n", "d/c.md": b"c\n", "k.md": b"1\n2\n"}
    reasons = [entry.record.reason for entry in workspace.history()]
    assert reasons == [f"apply_patch: {operation['type']}" for operation, _ in reversed(steps)]


def test_a_failed_operation_begins_with_the_words_that_models_know(tmp_path: Path) -> None:
    answer = run(make(tmp_path, FILES), {"type": "update_file", "path": "a.md", "diff": "@@\n-for\n+4\n"})
    assert (answer.is_error, answer.kind) == (True, "no-match")
    assert answer.content.startswith("Failed to find expected lines in a.md.")


def test_an_envelope_around_an_operation_is_tolerated(tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    diff = patch("*** Update File: a.md", "@@", "-two", "+2")
    assert run(workspace, {"type": "update_file", "path": "a.md", "diff": diff}) == Answer("Updated a.md")
    assert tree(tmp_path)["a.md"] == b"one\n2\nthree\n"


@table("path", ["/repo/a.md", "a.md", "./a.md"])
def test_paths_may_have_the_declared_prefix(path: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    answer = run(workspace, {"type": "update_file", "path": path, "diff": "@@\n-two\n+2\n"}, prefix="/repo")
    assert answer == Answer(f"Updated {path}")
    assert tree(tmp_path)["a.md"] == b"one\n2\nthree\n"


# What models send instead of the fields.


@table(
    "arguments",
    [
        patch("*** Update File: a.md", "@@", "-two", "+2"),
        {"patch": patch("*** Update File: a.md", "@@", "-two", "+2")},
        {"patchText": patch("*** Update File: a.md", "@@", "-two", "+2")},
        {"operation": {"type": "update_file", "path": "a.md", "diff": "@@\n-two\n+2\n"}},
    ],
    ids=["text alone", "patch", "patchText", "operation"],
)
def test_a_patch_in_another_wrapping_is_taken_out_of_it_and_that_is_reported(arguments: object, tmp_path: Path) -> None:
    answer = make(tmp_path, FILES).tools("openai").call("apply_patch", arguments)
    assert not answer["is_error"], answer
    assert answer["repaired"]
    assert tree(tmp_path)["a.md"] == b"one\n2\nthree\n"


@table(
    "arguments", [{"operation": "update_file"}, {"operation": {"type": "delete_file", "path": "a.md"}, "path": "b.md"}]
)
def test_a_wrapping_with_something_beside_it_is_not_guessed_at(arguments: object, tmp_path: Path) -> None:
    answer = make(tmp_path, FILES).tools("openai").call("apply_patch", arguments)
    assert answer["kind"] == "bad-request"
    assert tree(tmp_path) == {name: text.encode() for name, text in FILES.items()}
