"""tomlkit: a key set, the document written."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import tomlkit

from benches.documents import Document, service_name
from benches.inside.job import answer, read_job
from benches.inside.rewriting import rewritten


def change(document: Document) -> str:
    data: Any = tomlkit.parse(document.text)
    data["services"][service_name(document.middle.number)]["replicas"] = 0
    return tomlkit.dumps(data)


if __name__ == "__main__":
    answer(rewritten(read_job(), "TOML", f"tomlkit {version('tomlkit')}", change))
