"""Which toolset and which format a model is given: `steadyhand.toml` at the root, and the same table elsewhere.

    [models."openai-chat:qwen2.5-coder"]
    toolset = "claude-code"
    dialect = "search-replace"

The file is in the tree, where an agent may edit it. So nothing else is ever read from it, whatever it holds. A toolset
widens no permission: every one works in the same root under the same mode and protection, and a host who means a
certain toolset names it, which goes before this file. What is wrong with the file is a warning and no refusal: a text
in the tree must not stop a server.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass

FILE = "steadyhand.toml"
_LARGEST = 64 << 10  # bytes
_MOST = 200  # models
_FIELDS = ("toolset", "dialect")


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What a model is given; None: nothing is said."""

    toolset: str | None = None
    dialect: str | None = None


def choice_for(model: str | None, choices: Mapping[str, ModelChoice]) -> ModelChoice | None:
    """What is said of a model: under its whole name, else under the name without its provider.

    >>> choice_for("openai-chat:qwen", {"qwen": ModelChoice("core")})
    ModelChoice(toolset='core', dialect=None)
    """
    if model is None:
        return None
    bare = model.partition(":")[2]
    return choices.get(model) or (choices.get(bare) if bare else None)


def parse_choices(table: object) -> dict[str, ModelChoice]:
    """The choices of a table by the names of models. Refuses with `bad-request` what is none."""
    if not isinstance(table, dict) or len(table) > _MOST:
        raise _wrong("models must be tables", '[models."openai:gpt-5"] with toolset = "core"')
    found = {}
    for name, part in table.items():
        if not isinstance(part, dict) or not part or not set(part) <= set(_FIELDS):
            raise _wrong(f'models."{str(name)[:80]}" has keys other than toolset and dialect', 'toolset = "core"')
        if not all(isinstance(value, str) and value for value in part.values()):
            raise _wrong(f'models."{str(name)[:80]}" has a value that is not text', 'toolset = "core"')
        found[str(name)] = ModelChoice(part.get("toolset"), part.get("dialect"))
    return found


def read_choices(root: str | Path) -> tuple[dict[str, ModelChoice], tuple[str, ...]]:
    """What the file at a root says, and what is wrong with it; nothing where there is none."""
    import tomllib

    try:
        data = _read(Path(root, FILE))
        table = {} if data is None else tomllib.loads(data.decode("utf-8")).get("models", {})
        return parse_choices(table), ()
    except EditError as error:
        return {}, (f"{FILE} was ignored: {error.message}",)
    except (ValueError, RecursionError):
        return {}, (f"{FILE} was ignored: it is not TOML",)


def _read(place: Path) -> bytes | None:
    """The bytes of a small regular file of the tree itself: no link, no pipe; None where there is none."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _wrong(f"it cannot be read: {os.strerror(error.errno or 0)}", "check it") from None
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST:
            raise _wrong("it is not a small regular file", "check it")
        with open(handle, "rb", closefd=False) as file:
            return file.read(_LARGEST)
    except OSError as error:
        raise _wrong(f"it cannot be read: {os.strerror(error.errno or 0)}", "check it") from None
    finally:
        os.close(handle)


def _wrong(message: str, hint: str) -> EditError:
    return EditError(Kind.BAD_REQUEST, message, hint=hint)
