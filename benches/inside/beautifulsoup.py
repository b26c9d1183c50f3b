"""Beautiful Soup with the parser of the standard library: an element by selector, its text set, the page written."""

from __future__ import annotations

from importlib.metadata import version

from bs4 import BeautifulSoup

from benches.documents import Document
from benches.inside.job import answer, read_job
from benches.inside.rewriting import rewritten


def change(document: Document) -> str:
    number = document.middle.number
    soup = BeautifulSoup(document.text, "html.parser")
    found = soup.select_one(f"#card-{number} .price")
    assert found is not None
    found.string = f"sold out, no {number}"
    return str(soup)


if __name__ == "__main__":
    answer(rewritten(read_job(), "HTML", f"beautifulsoup4 {version('beautifulsoup4')} html.parser", change))
