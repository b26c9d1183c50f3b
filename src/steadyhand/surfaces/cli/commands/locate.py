"""`steadyhand locate`: where an address leads, and which bytes an edit there would be about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyhand.errors import EditError
from steadyhand.session.host import host_of
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import encoding_option, file_argument
from steadyhand.surfaces.cli.place import WhichOptions, address_argument, address_target, which_options
from steadyhand.surfaces.cli.render.outline import location_lines

if TYPE_CHECKING:
    from steadyhand.structure.outline import Location
    from steadyhand.structure.target import Target
    from steadyhand.text.match import Occurrence
    from steadyhand.text.source import Source


@command(
    "locate",
    section="Look",
    examples="""
    steadyhand locate guide.md "heading:Guide > Setup"
    steadyhand locate compose.yaml "key:services.web.ports[0]"
    steadyhand locate index.html selector:li.item --all
    """,
)
@file_argument
@address_argument
@which_options
@encoding_option
def run(invocation: Invocation, file: str, address: str, encoding: str | None, **which: Any) -> int:
    """Show where an address leads: lines, characters, bytes, and the text.

    This is what edit --at would replace, and it is refused as an edit would be. delete --at may take more along: the
    name of a key, the fences of a code block, the blank lines between a section and the next. In the text, ⟦ and
    ⟧ mark the beginning and the end of a place that is not whole lines.
    """
    output = invocation.output
    target = address_target(address)
    with invocation.workspace() as workspace:
        source = host_of(workspace).source(invocation.path(file), encoding=encoding)
    places = _places(source, target, WhichOptions(**which).which() or "unique")
    output.document(
        {
            "ok": True,
            "path": source.path,
            "digest": source.digest,
            "places": [{**place.to_json(), "text": place.span.of(source.text)} for place in places],
        }
    )
    output.print(location_lines(source, places))
    return 0


def _places(source: Source, target: Target, which: Occurrence) -> tuple[Location, ...]:
    """The places, in the very text that is then shown."""
    from steadyhand.structure.outline import locate

    try:
        return locate(source, target, which=which)
    except EditError as error:
        details = {"path": source.path, **error.details}
        raise EditError(error.kind, f"{source.path}: {error.message}", hint=error.hints, details=details) from None


COMMAND = run
