"""The lines before a diff that only git knows: created, deleted, renamed, other permissions. Nothing is read here."""

from __future__ import annotations

from collections.abc import Iterator

from steadyhand.lazy import dataclass
from steadyhand.text.gitname import quote_name

__all__ = ["GitHeader"]

_REGULAR = 0o100000
_KIND_BITS = 0o170000


@dataclass(frozen=True, slots=True)
class GitHeader:
    """What became of a file besides its lines; a path is None where the file does not exist on that side.

    The modes are permission bits; `usual` stands for the mode of a file that comes or goes where it is not given.
    """

    path_before: str | None
    path_after: str | None
    mode_before: int | None = None
    mode_after: int | None = None
    usual: str = "100644"

    @property
    def says_something(self) -> bool:
        """Whether anything but lines has changed."""
        return self.path_before != self.path_after or self._has_other_mode

    @property
    def _has_other_mode(self) -> bool:
        modes = self.mode_before, self.mode_after
        is_there = self.path_before is not None and self.path_after is not None
        return is_there and None not in modes and self.mode_before != self.mode_after

    def lines(self) -> Iterator[str]:
        """The lines in the order git writes them.

        >>> print("".join(GitHeader("a", "a", 0o644, 0o755).lines()), end="")
        diff --git a/a b/a
        old mode 100644
        new mode 100755
        """
        before, after = self.path_before, self.path_after
        names = f"a/{before or after}", f"b/{after or before}"
        yield f"diff --git {quote_name(names[0], quote_blanks=True)} {quote_name(names[1], quote_blanks=True)}\n"
        if before is None:
            yield f"new file mode {self._mode(self.mode_after)}\n"
        elif after is None:
            yield f"deleted file mode {self._mode(self.mode_before)}\n"
        else:
            if self._has_other_mode:
                yield f"old mode {self._mode(self.mode_before)}\nnew mode {self._mode(self.mode_after)}\n"
            if before != after:
                yield f"rename from {quote_name(before)}\nrename to {quote_name(after)}\n"

    def _mode(self, mode: int | None) -> str:
        if mode is None:
            return self.usual
        return f"{mode if mode & _KIND_BITS else mode | _REGULAR:06o}"
