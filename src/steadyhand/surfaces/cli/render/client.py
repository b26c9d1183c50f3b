"""What to paste into a client's configuration, as lines for people: what for, where, and the text itself."""

from __future__ import annotations

from collections.abc import Iterator

from steadyhand.surfaces.clients import Client, Section, Server
from steadyhand.surfaces.terminal import Line, Piece


def client_lines(client: Client, server: Server) -> Iterator[Line]:
    """The sections of a client, in order; texts stand at the margin, so that they can be copied."""
    yield (Piece(f"# {client.title}", "heading"),)
    for section in client.sections(server):
        yield ()
        yield (Piece(f"# {section.title} — {section.place}", "heading"),)
        yield from ((Piece(row),) for row in section.text.split("\n"))
        if section.note is not None:
            yield (Piece(f"# {section.note}", "dim"),)


def client_document(client: Client, server: Server) -> dict[str, object]:
    """The same for programs."""
    sections = [_document(section) for section in client.sections(server)]
    return {"ok": True, "client": client.name, "command": list(server.command), "sections": sections}


def _document(section: Section) -> dict[str, object]:
    told: dict[str, object] = {"title": section.title, "place": section.place, "text": section.text}
    return told if section.note is None else told | {"note": section.note}
