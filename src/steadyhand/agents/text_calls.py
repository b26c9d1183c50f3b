"""Calls that a model wrote as text instead of making them: read out of its reply.

A weak model answers with a fenced JSON object, with a tag such as `<tool_call>`, `<function=NAME>` or the tool's own
name, or with a bare object. Pure. Only tools that are offered count, and only what is where a call would be: at the
start of a line, behind a fence or inside a tag. What is cut off or is no JSON is handed on as text under the tool's
name, so that the refusal of the tool says what is wrong with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from steadyhand.agents.model import Offered
from steadyhand.lazy import lazy_pattern

__all__ = ["text_calls"]

Found = tuple[str, object]

_MOST = 50  # calls of one reply, and places that are looked at for each
_NAMES = ("name", "tool", "tool_name", "function", "function_name", "recipient_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "params", "kwargs")
_LISTS = ("tool_calls", "calls", "tool_uses", "function_calls")
# A call begins at the start of a line or behind a tag; a fence is on a line of its own before it.
_START = lazy_pattern(r"(?:^|>|\[TOOL_CALLS\])[ \t]*(?=[\[{])", re.MULTILINE)
_ELEMENT = lazy_pattern(r"<(?P<form>function|tool|invoke|parameter)(?:=|\s+name=)\"?(?P<name>[\w.-]+)\"?\s*>")
_OWN_TAG = lazy_pattern(r"^[ \t]*<(?P<name>\w+)>\s*", re.MULTILINE)
_CHILD = lazy_pattern(r"<(?P<name>\w+)>")
_PARAMETER = lazy_pattern(r"<parameter(?:=|\s+name=)\"?(?P<name>\w+)\"?\s*>")
_BROKEN = lazy_pattern(r'["\'](?:name|tool|tool_name|function)["\']\s*:\s*["\'](?P<name>[\w.-]+)["\']')


def text_calls(text: str, tools: Sequence[Offered]) -> list[Found]:
    """The calls in a reply, each as the name of a tool and its arguments, in order; none where there is no call.

    >>> edit = Offered("edit", "", {"properties": {"path": {}}, "required": ["path"]})
    >>> text_calls('I call:\\n```json\\n{"name": "edit", "arguments": {"path": "a"}}\\n```', [edit])
    [('edit', {'path': 'a'})]
    >>> text_calls("<function=edit><parameter=path>a</parameter></function>", [edit])
    [('edit', {'path': 'a'})]
    """
    names = {tool.name for tool in tools}
    found = [*_in_elements(text, names)]
    if not found:
        # A name, also that of a tag, says more than fields that only one tool happens to have.
        is_named = any(True for _ in _in_json(text, names, ()))
        found = [] if is_named else [*_in_own_tags(text, names)]
    found = found or [*_in_json(text, names, tools)]
    return (found or [*_broken(text, names)])[:_MOST]


def _in_json(text: str, names: Collection[str], tools: Sequence[Offered]) -> Iterator[Found]:
    """Objects that name a tool, and those that are exactly the arguments of one of `tools`."""
    decoder = json.JSONDecoder(strict=False)
    end = looked = 0
    for start in _START.finditer(text):
        if start.end() < end:
            continue
        looked += 1
        if looked > _MOST:
            return
        try:
            value, end = decoder.raw_decode(text, start.end())
        except (ValueError, RecursionError):
            continue
        named = [*_named(value, names, depth=0)]
        yield from named or _bare(value, tools)


def _named(value: object, names: Collection[str], *, depth: int) -> Iterator[Found]:
    if depth > 3:
        return
    if isinstance(value, list):
        for each in value[:_MOST]:
            yield from _named(each, names, depth=depth + 1)
    if not isinstance(value, dict):
        return
    inner = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    if inner is not None:
        yield from _named(inner, names, depth=depth + 1)
        return
    if isinstance(value.get("function"), dict):
        yield from _named(value["function"], names, depth=depth + 1)
        return
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    plain = name.rpartition(".")[2] if isinstance(name, str) and name not in names else name
    if isinstance(plain, str) and plain in names:
        given = next((value[key] for key in _ARGUMENTS if key in value), None)
        rest = {key: each for key, each in value.items() if key not in _NAMES} if given is None else given
        yield plain, _arguments(rest)
    elif len(value) == 1 and (key := next(iter(value))) in names and isinstance(value[key], dict):
        yield key, value[key]


def _bare(value: object, tools: Sequence[Offered]) -> Iterator[Found]:
    """The arguments of a call without its name: all that one tool requires, and nothing that it has not."""
    if not isinstance(value, dict) or len(value) < 2:
        return
    fitting = [tool.name for tool in tools if _fits(value, tool)]
    if len(fitting) == 1:
        yield fitting[0], value


def _fits(value: Mapping[str, object], tool: Offered) -> bool:
    fields, required = tool.schema.get("properties"), tool.schema.get("required")
    known = set(fields) if isinstance(fields, Mapping) else set()
    needed = set(required) if isinstance(required, list | tuple) else set()
    return bool(needed) and needed <= set(value) <= known


def _in_elements(text: str, names: Collection[str]) -> Iterator[Found]:
    """`<function=NAME>…</function>`, with an object inside or a parameter in each element."""
    found = [each for each in _ELEMENT.finditer(text) if each["form"] != "parameter" and each["name"] in names]
    for number, each in enumerate(found[:_MOST]):
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        inside = text[each.end() : end]
        closed = inside.find(f"</{each['form']}>")
        yield each["name"], _inside(inside if closed < 0 else inside[:closed], _PARAMETER, "parameter")


def _in_own_tags(text: str, names: Collection[str]) -> Iterator[Found]:
    """`<NAME><path>…</path></NAME>`, for a tool of that name."""
    end = 0
    for each in [each for each in _OWN_TAG.finditer(text) if each["name"] in names][:_MOST]:
        if each.start() < end:
            continue
        close = text.find(f"</{each['name']}>", each.end())
        end = len(text) if close < 0 else close
        yield each["name"], _inside(text[each.end() : end], _CHILD)


def _inside(text: str, opening: re.Pattern[str], closing: str | None = None) -> object:
    """An object, or a field of it in each element; `closing` is how all of them are closed, None: by their names."""
    stripped = text.strip()
    if stripped.startswith("{"):
        return _arguments(stripped)
    fields: dict[str, object] = {}
    place = 0
    while len(fields) < _MOST and (each := opening.search(text, place)) is not None:
        close = text.find(f"</{closing or each['name']}>", each.end())
        if close < 0:
            break
        fields[each["name"]] = _value(text[each.end() : close])
        place = close
    return fields


def _value(text: str) -> object:
    """What an element holds: a list or an object where it is one, else the text without the line breaks around it."""
    stripped = text.strip()
    if stripped[:1] in ("[", "{"):
        try:
            parsed: object = json.loads(stripped, strict=False)
        except (ValueError, RecursionError):
            return text.strip("\n")
        return parsed
    return text.strip("\n")


def _arguments(value: object) -> object:
    """An object, also where it was written as a text that holds one."""
    if not isinstance(value, str):
        return value
    try:
        parsed, _ = json.JSONDecoder(strict=False).raw_decode(value.strip())
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, dict) else value


def _broken(text: str, names: Collection[str]) -> Iterator[Found]:
    """An object that names a tool and does not parse."""
    for start in [*_START.finditer(text)][:_MOST]:
        named = _BROKEN.search(text, start.end(), start.end() + 200)
        if named is not None and named["name"] in names:
            yield named["name"], text[start.end() :]
            return
