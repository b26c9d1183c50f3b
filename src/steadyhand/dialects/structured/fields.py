"""The fields of an edit in JSON, under all the names that toolsets give them, read with their places.

Names differ in case, underscores and hyphens only where they mean the same. A number or a truth value may come as a
string; nothing else is repaired. Null is the same as absent.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from steadyhand.dialects.structured.document import Document
from steadyhand.dialects.structured.node import Node, Unreadable
from steadyhand.dialects.structured.quotes import Names, plain_name
from steadyhand.errors import EditError
from steadyhand.hints import Advice
from steadyhand.lazy import lazy_pattern
from steadyhand.schema import NEW, OLD, PATH, describe, nearest_name

__all__ = ["NAMES", "Fields", "has_text", "is_marked"]

_ROLES: dict[str, tuple[str, ...]] = {
    "old": (*OLD, "old"),
    "new": (*NEW, "new"),
    "path": (*PATH, "filename", "target_file"),
    "all": ("replace_all", "allow_multiple"),
    "expected": ("expected_replacements", "expected"),
    "occurrence": ("occurrence",),
    "line": ("line", "start_line", "line_number"),
    "end_line": ("end_line",),
    "expect": ("expected_hash", "expect"),
    "reason": ("reason", "explanation", "description", "rationale"),
    "range": ("range",),
    "insert_line": ("insert_line",),
    "insert_text": ("insert_text",),
    "content": ("content", "contents", "file_text"),
    "code_edit": ("code_edit",),
    "shrink": ("allow_shrink",),
    "command": ("command",),
    "verb": ("type", "action", "operation", "kind"),
    "target": ("target",),
    "old_path": ("old_path",),
    "new_path": ("new_path",),
    "dry_run": ("dry_run",),
    "edits": ("edits", "operations", "replace_operations", "replacements", "changes", "files"),
    "dom": ("dom_operations", "selector"),
    "arguments": ("arguments", "args", "input", "parameters", "params", "tool_input", "action_input"),
    "tool": ("tool", "tool_name", "function", "function_call", "tool_calls", "recipient_name"),
    "idle": (
        *("id", "name", "comment", "instruction", "instructions", "title", "index", "language", "context"),
        *("summary", "message", "commit_message", "analysis", "thought", "thoughts", "notes", "note", "call_id"),
        "tool_call_id",
    ),
}
_ROLE_OF = {plain_name(name): role for role, names in _ROLES.items() for name in names}
_GENERIC = frozenset(("old", "new", "search", "find", "replace", "replacement"))
_TEXTS = frozenset(plain_name(name) for role in ("old", "new") for name in _ROLES[role])
_SURE = _TEXTS | frozenset(map(plain_name, ("replace_all", "allow_multiple", "expected_replacements", "insert_text")))

NAMES = Names(known=_ROLE_OF.__contains__, sure=_SURE.__contains__)

_DISTINCT = frozenset(name for name in _TEXTS if name not in _GENERIC)


_DISTINCT_WORD = lazy_pattern(r"\b(?:old|new)_?(?:string|str|text|content)\b", re.I | re.ASCII)
_NEARBY = 200  # how far behind an error, in its line, a name still shows what was meant


def is_marked(error: Unreadable, text: str, start: int) -> bool:
    """Whether what cannot be read from an offset on was going to be an edit, by the keys it has or their names."""
    if not error.keys.isdisjoint(_DISTINCT | {"edits"}) or not error.texts.isdisjoint(_TEXTS):
        return True
    end = text.find("\n", error.offset, error.offset + _NEARBY)
    return _DISTINCT_WORD.search(text, start, end if end >= 0 else error.offset + _NEARBY) is not None


def has_text(node: Node, document: Document) -> bool:
    """Whether an object has old or new text of an edit."""
    fields = Fields(node, document)
    texts = (fields.get("old"), fields.get("new"))
    return any(text is not None and isinstance(text.value, str) for text in texts)


class Fields:
    """The fields of one object by role; refusals name them as the reply does."""

    def __init__(self, node: Node, document: Document) -> None:
        self.node = node
        self.document = document
        self.names: dict[str, str] = {}
        self._members: dict[str, Node] = node.value if isinstance(node.value, dict) else {}
        self._twice: str | None = None
        for name, member in self._members.items():
            role = _ROLE_OF.get(plain_name(name), "")
            if role in self.names and role not in ("idle", "verb") and member.value is not None:
                self._twice = name
            elif role and (member.value is not None or role not in self.names):
                self.names[role] = name

    def __contains__(self, role: str) -> bool:
        return self.get(role) is not None

    @property
    def is_distinct(self) -> bool:
        """Whether a field's name is one that nothing but an edit has."""
        return any(plain_name(name) in _DISTINCT for name in self._members)

    def get(self, role: str) -> Node | None:
        """The value of a field; None where it is absent or null."""
        node = self._members[self.names[role]] if role in self.names else None
        return None if node is None or node.value is None else node

    def text(self, role: str) -> str | None:
        """A string, or None where the field is absent."""
        node = self.get(role)
        if node is None:
            return None
        if not isinstance(node.value, str):
            raise self._wrong(role, node, "a string")
        return node.value

    def need_text(self, role: str, *others: str) -> str:
        """A string that must be there, under one of several roles."""
        for name in (role, *others):
            text = self.text(name)
            if text is not None:
                return text
        usual = self._usual(role)
        raise self.refuse(self.node.start, f"an edit without {usual!r}", f"the field {usual!r}, a string")

    def integer(self, role: str) -> int | None:
        """A whole number, also in a string, or None where the field is absent."""
        node = self.get(role)
        if node is None:
            return None
        value = node.value
        if isinstance(value, str) and value.strip().lstrip("-").isdecimal() and len(value) < 20:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(role, node, "a whole number")
        return value

    def flag(self, role: str) -> bool:
        """True or false, also in a string; false where the field is absent."""
        node = self.get(role)
        value: object = False if node is None else node.value
        if isinstance(value, str) and value.lower() in ("true", "false"):
            value = value.lower() == "true"
        if node is not None and not isinstance(value, bool):
            raise self._wrong(role, node, "true or false")
        return value is True

    def reason(self) -> str | None:
        """Why the edit is made, where that is a text."""
        return self._word("reason")

    def verb(self) -> str:
        """What is done, in the word of the reply; empty where it does not say."""
        return self._word("command") or self._word("verb") or ""

    def raw(self, name: str) -> Node | None:
        """The value of a field by its very name."""
        return self._members.get(name)

    def has_only(self, roles: Collection[str]) -> bool:
        """Whether no field has another role than these."""
        return self._first_other(roles) is None and self._twice is None

    def check_only(self, roles: Collection[str]) -> None:
        """Refuse two fields of one role, and a field that has none of these roles."""
        if self._twice is not None:
            role = _ROLE_OF[plain_name(self._twice)]
            what = f"{self.names[role]!r} and {self._twice!r} in one edit"
            raise self.refuse(self._members[self._twice].key, what, "one of the two")
        name = self._first_other(roles)
        if name is not None:
            known = [self._usual(role) for role in roles if role != "idle"]
            near = nearest_name(name, known)
            hint = f"did you mean {near!r}?" if near else f"leave it out; known fields: {', '.join(known)}"
            raise self.refuse(self._members[name].key, f"{name[:60]!r} has no meaning here", "a known field", hint)

    def refuse(self, offset: int, what: str, expected: str, hint: Advice = None) -> EditError:
        return self.document.refuse(offset, what, expected, hint)

    def _word(self, role: str) -> str | None:
        node = self.get(role)
        return node.value if node is not None and isinstance(node.value, str) else None

    def _first_other(self, roles: Collection[str]) -> str | None:
        for name, member in self._members.items():
            if member.value is not None and _ROLE_OF.get(plain_name(name)) not in roles:
                return name
        return None

    def _wrong(self, role: str, node: Node, expected: str) -> EditError:
        value: object = {} if isinstance(node.value, dict) else node.value
        what = f"{self.names[role]!r} is {describe(value)}"
        return self.refuse(node.start, what, expected)

    def _usual(self, role: str) -> str:
        """The name of a role in this object, or the first it can have."""
        return self.names.get(role, _ROLES[role][0])
