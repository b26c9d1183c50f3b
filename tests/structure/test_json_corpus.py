"""Every key of every JSON file of the corpus: set and deleted, compared with what the standard library loads."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from steadyhand.plan.edit import Act, Delete
from steadyhand.plan.preview import edit
from steadyhand.structure.config.item import KeyPath, parse_path
from steadyhand.structure.config.key import Key
from steadyhand.structure.format import OutlineEntry, format_of
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import split_lines
from steadyhand.text.source import Source
from tests.structure.jsonc import load
from tests.table import table

CORPUS = Path(__file__).parent.parent / "corpus" / "json"
ODD = {"deep.json", "deep-objects.json", "nan.json", "duplicates.json", "numbers.json"}
FILES = sorted(
    path
    for path in CORPUS.iterdir()
    if path.suffix in (".json", ".jsonc", ".geojson", ".code-workspace")
    and not path.name.startswith("broken-")
    and path.name not in ODD
)
NAMES = [path.name for path in FILES]


def source_of(path: Path) -> Source:
    return Source.of_bytes(path.read_bytes(), path=path.name)


def keys_of(source: Source) -> list[tuple[OutlineEntry, KeyPath]]:
    known = format_of(source.path)
    assert known is not None
    entries = known.outline(source)
    assert not isinstance(entries, Refusal)
    return [(entry, parse_path(entry.address.removeprefix("key:"))) for entry in entries][:60]


def parent(data: Any, path: KeyPath) -> tuple[Any, Any]:
    for step in path[:-1]:
        data = data[step]
    return data, path[-1]


@table("path", FILES, ids=NAMES, every=3)
def test_a_deleted_key_is_gone_and_nothing_else(path: Path) -> None:
    source = source_of(path)
    for _, keys in keys_of(source):
        expected = copy.deepcopy(load(source.text.removeprefix("\ufeff")))
        container, step = parent(expected, keys)
        del container[step]
        result = edit(source.text, Delete(Key(keys)), path=path.name)
        assert result.ok, (keys, result.error)
        assert json.dumps(load(result.text)) == json.dumps(expected), keys


@table("path", FILES, ids=NAMES, every=3)
def test_a_set_key_changes_one_line_only(path: Path) -> None:
    source = source_of(path)
    for entry, keys in keys_of(source):
        expected = copy.deepcopy(load(source.text))
        container, step = parent(expected, keys)
        old, container[step] = container[step], "new é"
        result = edit(source.text, Act(Key(keys), "set-key", value="new é"), path=path.name)
        assert result.ok, (keys, result.error)
        assert json.dumps(load(result.text)) == json.dumps(expected), keys
        if not isinstance(old, dict | list):
            row = source.line_of(entry.span.start) - 1
            before, after = split_lines(source.text), split_lines(result.text)
            assert before[:row] + before[row + 1 :] == after[:row] + after[row + 1 :]


@table("path", FILES, ids=NAMES)
def test_what_is_added_to_every_container_is_there_and_nothing_else(path: Path) -> None:
    source = source_of(path)
    data: Any = load(source.text)
    for _, keys in [(None, ()), *keys_of(source)]:
        expected = copy.deepcopy(data)
        container = expected
        for step in keys:
            container = container[step]
        if isinstance(container, dict):
            container["new"] = {"a": [1]}
            act = Act(Key(keys), "add-key", name="new", value={"a": [1]})
        elif isinstance(container, list):
            container.append({"a": [1]})
            act = Act(Key(keys), "append-item", value={"a": [1]})
        else:
            continue
        result = edit(source.text, act, path=path.name)
        assert result.ok, (keys, result.error)
        assert json.dumps(load(result.text)) == json.dumps(expected), keys


def test_a_version_in_a_manifest_leaves_every_dependency() -> None:
    text = (CORPUS / "package.json").read_text(encoding="utf-8")
    result = edit(text, Act(Key("version"), "set-key", value="3.2.0"), path="package.json")
    assert result.text == text.replace('"3.1.0"', '"3.2.0"')
    added = edit(text, Act(Key("dependencies"), "add-key", name="oars", value="^1.0.0"), path="package.json")
    assert added.text == text.replace('"~4.0.1"\n', '"~4.0.1",\n    "oars": "^1.0.0"\n')


def test_comments_and_trailing_commas_stay_when_a_setting_changes() -> None:
    text = (CORPUS / "settings.jsonc").read_text(encoding="utf-8")
    changed = edit(text, Act(Key(("editor.fontSize",)), "set-key", value=15), path="settings.jsonc")
    assert changed.text == text.replace("13,", "15,")
    added = edit(text, Act(Key(("files.exclude",)), "add-key", name="**/x", value=False), path="settings.jsonc")
    assert added.text == text.replace("/* compiled */\n", '/* compiled */\n        "**/x": false,\n')
