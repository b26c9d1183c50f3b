"""Write constraints.txt: the exact version of everything installed here, and nothing about where it came from."""

from __future__ import annotations

from importlib.metadata import distributions
from pathlib import Path

NOT_OURS = {"steadyhand", "pip", "setuptools", "wheel"}
HEAD = "# What the tests ran with. `make constraints` writes this file; every install of the Makefile obeys it.\n"


def pins() -> list[str]:
    """One `name==version` per installed distribution, sorted by name."""
    found = {item.metadata["Name"].lower().replace("_", "-"): item.version for item in distributions()}
    return [f"{name}=={version}" for name, version in sorted(found.items()) if name not in NOT_OURS]


def main() -> None:
    """Pin, and say how many."""
    target = Path(__file__).parent.parent / "constraints.txt"
    target.write_text(HEAD + "\n".join(pins()) + "\n", encoding="utf-8")
    print(f"{target.name}: {len(pins())} versions pinned")


if __name__ == "__main__":
    main()
