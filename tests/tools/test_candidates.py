"""Each of several places comes with what to send for it; sent as it is offered, it changes that place and no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steadyhand as sh
from tests.sampling import EXAMPLES
from tests.table import table
from tests.tools.ground import make

NUMBERS = count()
USERS = "login(username, password)\nok\nshow(username)\n"
ROWS = ["login(username, password)", "show(username)", "    show(username)", "ok", "", "username = 1", "username"]

Sent = Callable[[str, str, str], dict[str, Any]]
Again = Callable[[dict[str, Any], Mapping[str, Any]], dict[str, Any]]


def by_field(*names: str) -> Again:
    """The call again with these fields taken from what is offered."""
    return lambda call, offer: call | {name: offer[name] for name in names}


# Toolset, tool, the call for an edit of a file, and the same call with a candidate's offer in it.
OWN: dict[str, tuple[str, str, Sent, Again]] = {
    "article": (
        "article",
        "edit_article",
        lambda path, old, new: {"path": path, "edits": [{"old_string": old, "new_string": new, "reason": "r"}]},
        lambda call, offer: call | {"edits": [{name: offer[name] for name in ("old_string", "new_string", "reason")}]},
    ),
    "surgical": (
        "surgical",
        "edit_file",
        lambda path, old, new: {"path": path, "old_content": old, "new_content": new},
        by_field("occurrence"),
    ),
    "core": (
        "core",
        "edit",
        lambda path, old, new: {"path": path, "edits": [{"target": old, "new": new}]},
        lambda call, offer: call | {"edits": [call["edits"][0] | {"occurrence": offer["occurrence"]}]},
    ),
    "site": (
        "site",
        "editFile",
        lambda path, old, new: {"file": path, "operations": [{"search": old, "replace": new}]},
        lambda call, offer: call | {"operations": [offer["corrected"]]},
    ),
}
NATIVE: dict[str, tuple[str, str, Sent]] = {
    "claude": (
        "claude",
        "str_replace_based_edit_tool",
        lambda path, old, new: {"command": "str_replace", "path": path, "old_str": old, "new_str": new},
    ),
    "claude-code": (
        "claude-code",
        "Edit",
        lambda path, old, new: {"file_path": path, "old_string": old, "new_string": new},
    ),
    "gemini": (
        "gemini",
        "replace",
        lambda path, old, new: {"file_path": path, "old_string": old, "new_string": new, "instruction": "i"},
    ),
}


LITERAL = ("article", "surgical")  # new text is written as it is sent


def meant(name: str, text: str, old: str, new: str, line: int) -> str:
    """What the edit makes of the text at the first place in a line, by its number among all places."""
    policy = sh.Policy(tier="newline" if name in LITERAL else None)
    starts = [found.start() for found in re.finditer(re.escape(old), text)]
    number = next(at for at, start in enumerate(starts, 1) if text.count("\n", 0, start) + 1 == line)
    result = sh.edit(text, sh.Replace(old, new, occurrence=number), policy=policy)
    assert result.ok
    return result.text


@table("name", OWN)
def test_an_offered_old_text_comes_with_its_new_text(name: str, tmp_path: Path) -> None:
    toolset, tool, sent, again = OWN[name]
    kit = make(tmp_path, {"a.txt": USERS}).tools(toolset)
    call = sent("a.txt", "username", "user")
    refused: Any = kit.call(tool, call)
    assert refused["kind"] == "ambiguous-match"
    assert "unique_old" not in str(refused)
    assert kit.call(tool, again(call, refused["details"]["candidates"][0]))["success"] is True
    assert (tmp_path / "a.txt").read_text() == USERS.replace("username", "user", 1)


@table("name", NATIVE)
def test_a_native_tool_names_both_texts_by_its_fields(name: str, tmp_path: Path) -> None:
    toolset, tool, sent = NATIVE[name]
    workspace = make(tmp_path, {"a.txt": USERS})
    workspace.read("a.txt")
    kit = workspace.tools(toolset)
    call = sent("a.txt", "username", "user")
    refused: Any = kit.call(tool, call)
    old, new = (each for each in call if each.startswith(("old_", "new_")))
    offers = re.findall(rf"For line (\d+):\n{old}:\n(.*)\n{new}:\n(.*)", refused["content"])
    assert [line for line, *_ in offers] == ["1", "3"]
    assert kit.call(tool, call | {old: offers[0][1], new: offers[0][2]})["is_error"] is False
    assert (tmp_path / "a.txt").read_text() == USERS.replace("username", "user", 1)


@table(("toolset", "tool"), [("coder", "write_patch"), ("surgical", "patch_file")])
def test_of_a_patch_a_hunk_with_more_context_is_offered(toolset: str, tool: str, tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": "a\nk\nb\nm\nk\n"}).tools(toolset)
    refused: Any = kit.call(tool, {"path": "a.txt", "patch": "@@\n-k\n+K\n"})
    offer = refused["details"]["candidates"][1]["corrected"]
    call = ("write_patch", {"patch": offer}) if toolset == "coder" else (offer.pop("tool"), offer)
    assert kit.call(call[0], {"path": "a.txt"} | call[1])["success"] is True
    assert (tmp_path / "a.txt").read_text() == "a\nk\nb\nm\nK\n"


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", OWN)
def test_each_candidate_sent_as_offered_changes_that_place_alone(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    toolset, tool, sent, again = OWN[name]
    root = tmp_path_factory.mktemp("candidates")
    kit = make(root, {}).tools(toolset)

    @settings(max_examples=EXAMPLES // 5)
    @given(
        st.lists(st.sampled_from(ROWS), min_size=2, max_size=8).map(lambda rows: "\n".join(rows) + "\n"),
        st.sampled_from(["username", "show(username)", "ok\n", "show(username)\nok"]),
        st.sampled_from(["user", "", "a\nb", "user_name("]),
    )
    def changes_that_place(text: str, old: str, new: str) -> None:
        path = root / f"{next(NUMBERS)}.txt"
        path.write_text(text)
        call = sent(path.name, old, new)
        refused: Any = kit.call(tool, call)
        if refused.get("kind") != "ambiguous-match" or refused["details"].get("tier", "exact") != "exact":
            return
        for place in refused["details"].get("candidates", ()):
            line = place["lines"][0]
            if ("corrected" in place or "occurrence" in place or name == "article") and text.split("\n")[
                line - 1
            ].count(old) < 2:
                copy = root / f"{next(NUMBERS)}.txt"
                copy.write_text(text)
                answer = kit.call(tool, again(sent(copy.name, old, new), place))
                assert answer["success"] is True
                assert copy.read_text() == meant(name, text, old, new, line)

    changes_that_place()


PARTS = "@@\n-k\n+K\n@@\n-b\n+B\n"


@table(
    ("toolset", "tool", "arguments"),
    [
        ("coder", "write_patch", {"path": "a.txt", "patch": PARTS}),
        ("surgical", "patch_file", {"path": "a.txt", "patch": PARTS}),
        ("core", "edit", {"path": "a.txt", "patch": f"--- a/a.txt\n+++ b/a.txt\n{PARTS}"}),
        ("openai", "apply_patch", {"type": "update_file", "path": "a.txt", "diff": PARTS}),
    ],
)
def test_of_a_patch_of_several_parts_none_is_offered_alone(
    toolset: str, tool: str, arguments: dict[str, Any], tmp_path: Path
) -> None:
    answer: Any = make(tmp_path, {"a.txt": "a\nk\nb\nm\nk\n"}).tools(toolset).call(tool, arguments)
    assert "line 5" in str(answer)
    assert "corrected" not in str(answer)
    assert "For line" not in str(answer)


@table(
    ("text", "old", "new", "after"),
    [
        ("Say it: Foo bar\n", "say it: foo BAR", "say it: foo BAZ", None),
        ("<b>Hi</b> all\n", "&lt;b&gt;Hi&lt;/b&gt; all", "&lt;b&gt;Ho&lt;/b&gt; all", "<b>Ho</b> all\n"),
        ("Setup Guide\n", "setup guide", "x", "x\n"),
    ],
)
def test_the_vault_offers_found_text_with_the_new_text_that_goes_with_it(
    text: str, old: str, new: str, after: str | None, tmp_path: Path
) -> None:
    kit = make(tmp_path, {"a.txt": text}).tools("vault")
    details: Any = kit.call("TextReplace", {"filePath": "a.txt", "oldText": old, "newText": new})["details"]
    assert ("found" in details) == ("corrected" in details) == (after is not None)
    if after is not None:
        kit.call("TextReplace", {"filePath": "a.txt", **details["corrected"]})
        assert (tmp_path / "a.txt").read_text() == after
