"""What mkdocs needs to make a site of pages that are written for a forge; mkdocs.yml names it as a hook.

README, ARCHITECTURE and CONTRIBUTING stay at the root of the repository and are pages of the site. A link that leaves
the site, to a test or a module, becomes the bare name: the site does not carry the source. A page that the site would
lay out otherwise than a forge does (a list without a blank line above it, for one) is a warning, and fails the build.
"""

from __future__ import annotations

import logging
import posixpath
import re
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
FROM_THE_ROOT = {"README.md": "index.md", "ARCHITECTURE.md": "architecture.md", "CONTRIBUTING.md": "contributing.md"}
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
BLOCKS = ("blockquote", "h2", "h3", "li", "pre", "table")
log = logging.getLogger("mkdocs.plugins.site_pages")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages at the root of the repository, and the decisions to the navigation."""
    for name, page in FROM_THE_ROOT.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    contributing = next(part["Contributing"] for part in config.nav if "Contributing" in part)
    decisions = sorted(file.src_uri for file in files if re.match(r"decisions/\d", file.src_uri))
    contributing[-1] = {"Decisions": ["decisions/README.md", *decisions]}
    return files


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """Lead every link to the page of the site that it means."""
    origin = next((name for name, uri in FROM_THE_ROOT.items() if uri == page.file.src_uri), None)
    place = origin or f"docs/{page.file.src_uri}"

    def lead(found: re.Match[str]) -> str:
        shown, link = found.groups()
        if "://" in link or link.startswith("#"):
            return found[0]
        path, mark, heading = link.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
        uri = FROM_THE_ROOT.get(target, target.removeprefix("docs/") if target.startswith("docs/") else None)
        if uri is None or files.get_file_from_path(uri) is None:
            return shown
        return f"[{shown}]({posixpath.relpath(uri, posixpath.dirname(page.file.src_uri) or '.')}{mark}{heading})"

    parts, last = [], 0
    for block in FENCED.finditer(markdown):
        parts += [LINK.sub(lead, markdown[last : block.start()]), block[0]]
        last = block.end()
    return "".join([*parts, LINK.sub(lead, markdown[last:])])


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Warn where a forge would read other blocks in the page than the site does."""
    forge = MarkdownIt("commonmark").enable("table").render(page.markdown)
    for tag in BLOCKS:
        here, there = (len(re.findall(rf"<{tag}[ >]", text)) for text in (html, forge))
        if here != there:
            log.warning("%s: %d <%s> on the site, %d on a forge", page.file.src_uri, here, tag, there)
    return html
