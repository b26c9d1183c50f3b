"""Calls of `edit` that show what it takes, each way once, and what it refuses."""

from __future__ import annotations

from steadyhand.tools.tool import Example

__all__ = ["EXAMPLES"]

_GUIDE = "# Guide\n\n## Setup\n\nRun it.\n\n## Notes\n\nNone.\n"
_APP = "def greet(name):\n    return name\n\n\ndef leave():\n    return None\n"
_PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"

EXAMPLES = (
    Example(
        about="Old text for new, in two files at once",
        files={"a.txt": "one\ntwo\n", "b.txt": "three\n"},
        arguments={
            "files": [
                {"path": "a.txt", "edits": [{"target": "two", "new": "2", "reason": "digits"}]},
                {"path": "b.txt", "edits": [{"target": "three", "new": "3"}]},
            ]
        },
        result={
            "success": True,
            "files": [
                {"path": "a.txt", "status": "edited", "lines": {"start": 2, "end": 2}},
                {"path": "b.txt", "status": "edited", "lines": {"start": 1, "end": 1}},
            ],
        },
        after={"a.txt": "one\n2\n", "b.txt": "3\n"},
    ),
    Example(
        about="By address: a section, a symbol's body, a key, an element",
        files={
            "guide.md": _GUIDE,
            "app.py": _APP,
            "package.json": '{\n  "name": "x",\n  "version": "1.0.0"\n}\n',
            "page.html": '<p id="cta" class="big">Go</p>\n',
        },
        arguments={
            "files": [
                {
                    "path": "guide.md",
                    "edits": [{"target": {"at": "heading:Setup"}, "insert": "Then stop it.", "where": "end"}],
                },
                {
                    "path": "app.py",
                    "edits": [{"target": {"at": "symbol.body:greet"}, "new": "    return name.title()"}],
                },
                {
                    "path": "package.json",
                    "edits": [{"target": {"at": "key:version"}, "act": "set-key", "args": {"value": "1.1.0"}}],
                },
                {
                    "path": "page.html",
                    "edits": [{"target": {"at": "selector:#cta"}, "act": "add-class", "args": {"value": "new"}}],
                },
            ]
        },
        result={"success": True},
        after={
            "guide.md": _GUIDE.replace("Run it.\n", "Run it.\n\nThen stop it.\n"),
            "app.py": _APP.replace("return name\n", "return name.title()\n"),
            "package.json": '{\n  "name": "x",\n  "version": "1.1.0"\n}\n',
            "page.html": '<p id="cta" class="big new">Go</p>\n',
        },
    ),
    Example(
        about="One file by its lines, for the version that was read",
        files={"a.txt": "one\ntwo\nthree\n"},
        arguments={
            "path": "a.txt",
            "edits": [{"target": {"at": "lines:2-3"}, "delete": True}],
            "expect": "$hash:a.txt",
            "reason": "not needed",
        },
        result={"success": True, "path": "a.txt"},
        after={"a.txt": "one\n"},
    ),
    Example(
        about="Files made, renamed and taken away",
        files={"old.txt": "x\n", "a.txt": "one\n"},
        arguments={
            "files": [
                {"path": "new.txt", "create": "new\n"},
                {"path": "a.txt", "rename_to": "b.txt"},
                {"path": "old.txt", "delete": True},
            ]
        },
        result={"success": True},
        after={"new.txt": "new\n", "a.txt": None, "b.txt": "one\n", "old.txt": None},
    ),
    Example(
        about="A patch, shown and not written",
        files={"a.txt": "one\ntwo\n"},
        arguments={"patch": _PATCH, "dry_run": True},
        result={"success": True, "dryRun": True, "format": "unified"},
    ),
    Example(
        about="The same replacement in every file of a glob",
        files={"a.md": "colour\n", "docs/b.md": "colour, colour\n", "c.md": "none\n", "d.txt": "colour\n"},
        arguments={
            "glob": "*.md",
            "edits": [{"target": "colour", "new": "color", "occurrence": "all"}],
            "expected_files": 2,
        },
        result={"success": True, "files": [{"path": "a.md"}, {"path": "docs/b.md"}]},
        after={"a.md": "color\n", "docs/b.md": "color, color\n"},
    ),
    Example(
        about="What can be applied, where some of it is refused",
        files={"a.txt": "one\ntwo\n"},
        arguments={
            "path": "a.txt",
            "edits": [{"target": "two", "new": "2"}, {"target": "thirty-three", "new": "33"}],
            "partial": True,
        },
        result={"success": "partial", "appliedCount": 1, "kind": "no-match"},
        after={"a.txt": "one\n2\n"},
    ),
    Example(
        about="An edit of two that cannot be applied leaves everything as it was",
        files={"a.txt": "one\ntwo\n", "b.txt": "x = 1\nx = 1\n"},
        arguments={
            "files": [
                {"path": "a.txt", "edits": [{"target": "two", "new": "2"}]},
                {"path": "b.txt", "edits": [{"target": "x = 1", "new": "x = 2"}]},
            ]
        },
        result={"success": False, "kind": "ambiguous-match"},
    ),
    Example(
        about="An address that names nothing",
        files={"guide.md": _GUIDE},
        arguments={"path": "guide.md", "edits": [{"target": {"at": "heading:Set up"}, "new": "x"}]},
        result={"success": False, "kind": "no-such-target"},
    ),
)
