"""What plain YAML text means, and which text may stand there without quotes.

Types are those of PyYAML (YAML 1.1). Text is only left plain where no reader of 1.1 or 1.2 takes it for anything else.
"""

from __future__ import annotations

import re
from math import isnan, nan

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.item import ItemKind

_CORE = "tag:yaml.org,2002:"
_KINDS: dict[str, ItemKind] = {
    "bool": "flag",
    "int": "number",
    "float": "number",
    "null": "null",
    "timestamp": "date",
    "merge": "other",
    "value": "other",
}
_FLAGS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}

_NUMBER_ELSEWHERE = lazy_pattern(
    r"[-+]?(?:[0-9][0-9_]*|0o[0-7_]+|0x[0-9a-fA-F_]+|0b[01_]+)"
    r"|[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?"
    r"|[-+]?\.(?:inf|nan)",
    re.IGNORECASE | re.ASCII,
)
_WORD_ELSEWHERE = lazy_pattern(r"y|n|yes|no|on|off|true|false|null|~|=|<<", re.IGNORECASE)
_START_NEVER = lazy_pattern(r"[,\[\]{}#&*!|>'\"%@`]|[-?:](?:[ \t]|\Z)|---|\.\.\.")
_INSIDE_NEVER = lazy_pattern(r":(?:[ \t]|\Z)|[ \t]#")
_IN_FLOW_NEVER = lazy_pattern(r"[,\[\]{}?]|\A[-:]")  # some readers end plain text at `?` there
_UNPRINTABLE = lazy_pattern("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def resolve(value: str, tag: str | None, *, is_plain: bool) -> tuple[ItemKind, object]:
    """What a scalar says: its kind and its plain data. A tag of the file's own is looked past."""
    if tag is not None and tag.startswith(_CORE):
        return _construct(tag, value)
    if not is_plain:
        return "text", value
    found = _implicit(value)
    return ("text", value) if found is None else _construct(found, value)


def is_core(tag: str | None) -> bool:
    """Whether a tag is one of YAML's own, such as `!!str`."""
    return tag is not None and tag.startswith(_CORE)


def may_be_plain(value: str, *, in_flow: bool) -> bool:
    """Whether a text can be written without quotes and is that text for every reader."""
    if not value or value != value.strip() or "\n" in value or "\t" in value or not is_printable(value):
        return False
    if _START_NEVER.match(value) or _INSIDE_NEVER.search(value) or (in_flow and _IN_FLOW_NEVER.search(value)):
        return False
    return not looks_typed(value)


def looks_typed(value: str) -> bool:
    """Whether some reader takes this plain text for a number, a flag, a date, nothing or a merge.

    >>> [word for word in ("on", "12:30", "1e3", "0o17", "1.2.3", "2024-01-01", "one") if looks_typed(word)]
    ['on', '12:30', '1e3', '0o17', '2024-01-01']
    """
    return bool(_WORD_ELSEWHERE.fullmatch(value) or _NUMBER_ELSEWHERE.fullmatch(value)) or is_typed_by_all(value)


def is_typed_by_all(value: str) -> bool:
    """Whether every reader of YAML 1.1 takes this plain text for no text: `on` and not `y`, which few do."""
    return _implicit(value) is not None


def is_printable(value: str) -> bool:
    """Whether every character may stand in a YAML file as it is, and none but LF is a line break to some reader."""
    return _UNPRINTABLE.search(value) is None


def _implicit(value: str) -> str | None:
    """The tag PyYAML gives to plain text; None for text."""
    from yaml.resolver import Resolver

    known = Resolver.yaml_implicit_resolvers
    for tag, pattern in known.get(value[:1], ()):
        if pattern.match(value):
            return str(tag)
    return None


def _construct(tag: str, value: str) -> tuple[ItemKind, object]:
    from yaml.constructor import ConstructorError, SafeConstructor
    from yaml.nodes import ScalarNode

    name = tag.removeprefix(_CORE)
    kind = _KINDS.get(name)
    if kind is None:
        return "text", value
    if kind == "null":
        return "null", None
    if kind == "flag":
        said = _FLAGS.get(value.lower())
        return ("other", value) if said is None else ("flag", said)
    if kind == "other":
        return kind, value
    try:
        made = getattr(SafeConstructor(), f"construct_yaml_{name}")(ScalarNode(tag, value))
    except (ValueError, OverflowError, IndexError, AttributeError, ConstructorError):
        return "other", value  # such as the 31st of February: what it is for others is not known
    is_nan = isinstance(made, float) and isnan(made)
    return kind, nan if is_nan else made  # one NaN, so that two readings are equal
