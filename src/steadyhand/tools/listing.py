"""What lies in a directory, as the list tools show it: bounded, without what is ignored, and saying when it is cut.

Where there is more than fits, the upper levels are shown whole rather than the first directories to the bottom.
Nothing of this counts as read: names are no content.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.schema import Field, Flag, Many, Number, Object, Text
from steadyhand.tools.call import Call
from steadyhand.tools.globbing import read_glob
from steadyhand.tools.paths import resolve_path
from steadyhand.workspace.listing import Listing

__all__ = ["ENTRIES", "ENTRIES_AT_ONCE", "list_entries", "listing_of"]

ENTRIES_AT_ONCE: Final = 1_000
_DEEPEST: Final = 32
_WALKED: Final = 50_000
_SECONDS: Final = 4.0

ENTRIES = Many(
    Object(
        (
            Field("path", Text(), "From the workspace root; a directory ends with a slash.", required=True),
            Field("size", Number(), "Bytes of a file."),
            Field("link", Flag(), "True: a symbolic link, which is not followed."),
        )
    )
)


def list_entries(call: Call, path: str | None, glob: str | None, depth: int | None) -> dict[str, object]:
    """`entries` in the order of a tree and, where not all are shown, `cut`.

    Refuses as a look at a directory does, and with `bad-request` a glob that cannot be meant.
    """
    listing = listing_of(call, path, glob, depth=depth, sizes=True)
    globs = read_glob(glob, listing.directory)
    kinds = ((listing.directories, "/"), (listing.files, ""), (listing.links, "@"))
    found = [(tuple(name.split("/")), mark) for names, mark in kinds for name in names if globs.match(name)]
    shown, told = _fitting(sorted(found), is_chosen=glob is not None)
    cut = [*([f"the walk was given up: {listing.stopped}"] if listing.stopped else []), *told]
    if depth is None and listing.deeper:
        cut.append(f"what lies {listing.deeper} is left out")
    entries = [_entry("/".join(names), mark, listing) for names, mark in shown]
    return {"entries": entries, **({"cut": "; ".join(cut)} if cut else {})}


def listing_of(
    call: Call, path: str | None, glob: str | None = None, *, depth: int | None = None, sizes: bool = False
) -> Listing:
    """Everything beneath a directory that is not ignored and that a glob can mean.

    Refuses with `no-such-file` where there is no such directory.
    """
    below = "" if path else read_glob(glob).folder
    where = resolve_path(call.workspace, path, call.settings.prefix) if path else "."
    deepest = _DEEPEST if depth is None else min(depth, _DEEPEST)
    try:
        return call.workspace.files(
            where, depth=deepest, limit=_WALKED, seconds=_SECONDS, skip_ignored=True, sizes=sizes, below=below
        )
    except EditError as error:
        if error.kind is not Kind.NO_SUCH_FILE:
            raise
        raise EditError(
            Kind.NO_SUCH_FILE,
            f"{where} is not a directory",
            hint="list the directory above it, or leave path out for the whole workspace",
            details={"path": where},
        ) from None


_Row = tuple[tuple[str, ...], str]


def _fitting(found: Sequence[_Row], *, is_chosen: bool) -> tuple[Sequence[_Row], list[str]]:
    """What is shown of the entries, and what is said of the rest; `is_chosen`: a glob picked them."""
    most = ENTRIES_AT_ONCE
    if len(found) <= most:
        return found, []
    levels = sorted({len(names) for names, _ in found})
    for level in reversed(levels[:-1] if not is_chosen else []):
        upper = [row for row in found if len(row[0]) <= level]
        if len(upper) <= most:
            deep = f"{level} level{'' if level == 1 else 's'} from the root"
            return upper, [
                f"{len(found) - len(upper)} of {len(found)} entries lie deeper than {deep}: name a directory"
            ]
    return found[:most], [f"{len(found) - most} of {len(found)} entries are left out: narrow it by path, glob or depth"]


def _entry(path: str, mark: str, listing: Listing) -> dict[str, object]:
    if mark == "/":
        return {"path": f"{path}/"}
    if mark == "@":
        return {"path": path, "link": True}
    size = listing.sizes.get(path)
    return {"path": path} if size is None else {"path": path, "size": size}
