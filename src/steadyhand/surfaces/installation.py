"""How this copy of Steadyhand was installed, and so which command starts it again on this machine or on another.

`uvx` fetches a package by its name: that works only for a copy that came from the package index, or from an address
that everybody can reach. Whatever came from a folder or a file of this machine is started with this interpreter.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from functools import cache

from steadyhand.lazy import dataclass

__all__ = ["Installation", "installation"]

_NAME = "steadyhand"


@dataclass(frozen=True, slots=True)
class Installation:
    """`source` is what pip installs again: the bare name for a copy from the index, else an address or a path."""

    source: str
    is_fetched: bool
    is_editable: bool = False

    def requirement(self, extra: str) -> str:
        """What pip or uv is given to install this copy with an extra.

        >>> Installation("steadyhand", is_fetched=True).requirement("mcp")
        'steadyhand[mcp]'
        >>> Installation("git+https://host/steadyhand@abc", is_fetched=True).requirement("mcp")
        'steadyhand[mcp] @ git+https://host/steadyhand@abc'
        """
        if self.source == _NAME or not self.is_fetched:
            return f"{self.source}[{extra}]"
        return f"{_NAME}[{extra}] @ {self.source}"

    def how_to_add(self, extra: str) -> str:
        """The command that adds an extra to this copy."""
        import shlex

        words = ["pip", "install", *(["-e"] if self.is_editable else []), self.requirement(extra)]
        return shlex.join(words)

    def command(self, extra: str) -> tuple[str, ...]:
        """The words that start it: through uvx where another machine could fetch it too, else from here."""
        if self.is_fetched and shutil.which("uvx") is not None:
            return ("uvx", "--from", self.requirement(extra), _NAME)
        return (sys.executable, "-m", _NAME)

    def portable_command(self, extra: str) -> tuple[str, ...]:
        """The same for a file that others share: without a path of this machine, where there is a way."""
        command = self.command(extra)
        return (_NAME,) if command[0] == sys.executable and _is_on_path() else command


@cache
def installation() -> Installation:
    """This copy, as `direct_url.json` of its metadata describes it; the index leaves no such file."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        written = distribution(_NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        return Installation(os.path.dirname(os.path.dirname(__file__)), is_fetched=False)
    return from_direct_url(json.loads(written)) if written else Installation(_NAME, is_fetched=True)


def from_direct_url(described: dict[str, object]) -> Installation:
    """An installation from the record that pip and uv keep of an address.

    >>> from_direct_url({"url": "file:///srv/steadyhand", "dir_info": {"editable": True}})
    Installation(source='/srv/steadyhand', is_fetched=False, is_editable=True)
    """
    url = str(described.get("url", ""))
    if url.startswith("file:"):
        from urllib.parse import unquote, urlsplit

        folder = described.get("dir_info")
        is_editable = isinstance(folder, dict) and folder.get("editable") is True
        return Installation(unquote(urlsplit(url).path), is_fetched=False, is_editable=is_editable)
    version = described.get("vcs_info")
    if isinstance(version, dict):
        return Installation(f"{version.get('vcs')}+{url}@{version.get('commit_id')}", is_fetched=True)
    return Installation(url, is_fetched=True)


def _is_on_path() -> bool:
    """Whether `steadyhand` in a terminal is this copy; pipx and uv link to it from a folder of theirs."""
    found = shutil.which(_NAME)
    here = os.path.dirname(sys.executable)
    return found is not None and here in (os.path.dirname(found), os.path.dirname(os.path.realpath(found)))
