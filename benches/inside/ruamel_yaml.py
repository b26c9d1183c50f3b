"""ruamel.yaml, loading for a round trip and set to keep quotes and long lines: a key set, the document written."""

from __future__ import annotations

import io
from importlib.metadata import version

from ruamel.yaml import YAML

from benches.documents import Document, service_name
from benches.inside.job import answer, read_job
from benches.inside.rewriting import rewritten


def change(document: Document) -> str:
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1_000
    data = yaml.load(document.text)
    data["services"][service_name(document.middle.number)]["replicas"] = 0
    written = io.StringIO()
    yaml.dump(data, written)
    return written.getvalue()


if __name__ == "__main__":
    answer(rewritten(read_job(), "YAML", f"ruamel.yaml {version('ruamel.yaml')} round trip", change))
