"""The files of an example among what must not be reached: secrets, links out, a pipe, files that are no text."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steadyhand.tools.tool import Example, Tool
from tests.tools.examples import filled, lay_out
from tests.tools.malformed import ASTRAY, Maker

__all__ = ["SECRETS", "Content", "Ground", "maker_for", "prepare_ground"]

SECRETS = ("s3cr3t-in-env", "s3cr3t-in-a-key", "s3cr3t-outside")
BYTES = {
    "crlf.md": b"# Title\r\n\r\none\r\ntwo\r\n",
    "latin.txt": b"caf\xe9 cr\xe8me\none\nna\xefve\n",
    "empty.md": b"",
    "binary.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff",
    "sub/b.md": b"# B\n\nthree",
    "sub/.env": f"B={SECRETS[0]}\n".encode(),
    ".env": f"A={SECRETS[0]}\nB={SECRETS[0]}\n".encode(),
    "sub/id_rsa": f"-----BEGIN KEY-----\n{SECRETS[1]}\none\n".encode(),
    ".git/config": b"[core]\n\tbare = false\n",
}
LINKS = {
    "link-in.md": "sub/b.md",
    "link-out.md": "../out.md",
    "sub/link-out.md": "../../out.md",
    "dir-out": "..",
    "link-env": ".env",
}

Stats = dict[str, tuple[int, ...]]
Content = dict[str, tuple[int, str | bytes | None]]


@dataclass(frozen=True, slots=True)
class Ground:
    """A tree with the files of one example and all that must not be reached."""

    root: Path

    def stats(self) -> Stats:
        """What the file system knows of everything beneath the root but the journal: enough to see any change."""
        found: Stats = {}
        folders = [""]
        while folders:
            folder = folders.pop()
            with os.scandir(self.root / folder) as entries:
                for entry in entries:
                    name = f"{folder}{entry.name}"
                    if name == ".steadyhand":
                        continue
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(status.st_mode):
                        found[name] = (status.st_mode, status.st_ino)
                        folders.append(f"{name}/")
                    else:
                        found[name] = (
                            status.st_mode,
                            status.st_ino,
                            status.st_size,
                            status.st_mtime_ns,
                            status.st_ctime_ns,
                        )
        return found

    def content(self) -> Content:
        """Names, modes, targets of links and bytes."""
        return {name: (fact[0], self._bytes(name, fact[0])) for name, fact in self.stats().items()}

    def _bytes(self, name: str, mode: int) -> str | bytes | None:
        path = self.root / name
        if stat.S_ISLNK(mode):
            return os.readlink(path)
        return path.read_bytes() if stat.S_ISREG(mode) else None


def prepare_ground(base: Path, files: Mapping[str, str]) -> Ground:
    root = base / "root"
    base.mkdir(parents=True, exist_ok=True)
    (base / "out.md").write_text(f"{SECRETS[2]}\none\n")
    lay_out(root, files)
    for name, content in BYTES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    for name, target in LINKS.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    for name in (*files, *BYTES):
        (root / name).chmod(0o644)
    return Ground(root)


def maker_for(ground: Ground, tool: Tool, example: Example, *, more: Sequence[str] = ()) -> Maker:
    names = [*example.files, *(name for name in example.after if name not in example.files)] or ["crlf.md"]
    astray = [path.format(root=ground.root, out=ground.root.parent / "out.md") for path in ASTRAY]
    texts = [*example.files.values(), *_texts(example.arguments), "one\ntwo\n", *more]
    paths = [*names * (len(astray) // len(names) + 1), *astray]
    return Maker(tool.parameters, filled(dict(example.arguments), ground.root), texts, paths)


def _texts(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list | tuple):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []
