"""Build a release and try it as a user would; publish nothing.

    make release                 a dry run: everything below, and the changelog is only printed
    make release ARGS=--write    also writes CHANGELOG.md and removes the fragments in changes/

1. `build` makes the sdist, and the wheel from the sdist, in dist/.
2. `twine check --strict` reads what the index would show.
3. The wheel is installed in an empty environment; an edit, its undo and a refusal are made there.
4. `uvx --from` the wheel makes an edit, without any environment.

The tools come into an environment of their own, in a temporary directory.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

from scripts import changelog

ROOT = changelog.ROOT
TOOLS = ("build>=1.2,<2", "twine>=7,<8", "uv>=0.9,<1")
NO_MATCH = 10  # the exit code of the refusal; docs/errors.md


def main(arguments: Sequence[str]) -> int:
    """Build, try, and print or write the changelog."""
    with tempfile.TemporaryDirectory(prefix="steadyhand-release-") as scratch:
        place = Path(scratch)
        tools = environment(place / "tools", *TOOLS)
        sdist, wheel = build(tools)
        step("twine check", [tools / "twine", "check", "--strict", sdist, wheel])
        try_in_environment(place, wheel)
        try_with_uvx(tools, place, wheel)
    say(f"dist/{sdist.name} and dist/{wheel.name} are ready")
    written = changelog.main([each for each in arguments if each == "--write"])
    if "--write" not in arguments:
        say("dry run: CHANGELOG.md and changes/ are as they were; make release ARGS=--write writes them")
    return written


def build(tools: Path) -> tuple[Path, Path]:
    """The sdist and the wheel, both made now."""
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    step("build", [tools / "python", "-m", "build", "--outdir", dist, ROOT])
    (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
    return sdist, wheel


def try_in_environment(place: Path, wheel: Path) -> None:
    """Install the wheel where nothing else is, and use it."""
    clean = environment(place / "clean", str(wheel))
    step("pip check", [clean / "python", "-m", "pip", "check"])
    use([str(clean / "steadyhand")], place / "tree")


def try_with_uvx(tools: Path, place: Path, wheel: Path) -> None:
    """Use the wheel without installing it."""
    use([str(tools / "uvx"), "--quiet", "--from", str(wheel), "steadyhand"], place / "uvx-tree")


def use(command: Sequence[str], tree: Path) -> None:
    """An edit that is made, one that is refused, and the first one undone; the file is looked at after each."""
    tree.mkdir()
    file = tree / "app.toml"
    file.write_text("retries = 3\n", encoding="utf-8")
    steps = (
        (("edit", "app.toml", "--old", "retries = 3", "--new", "retries = 5"), 0, "retries = 5\n"),
        (("edit", "app.toml", "--old", "no such text", "--new", "x"), NO_MATCH, "retries = 5\n"),
        (("undo", "--last"), 0, "retries = 3\n"),
    )
    for words, code, text in steps:
        step(f"steadyhand {words[0]}", [*command, "--root", tree, *words], code=code, cwd=tree)
        if file.read_text(encoding="utf-8") != text:
            raise SystemExit(f"steadyhand {words[0]}: the file is not as it should be")


def environment(folder: Path, *requirements: str) -> Path:
    """A new environment with some packages; where its programs are."""
    say(f"new environment: {' '.join(Path(each).name for each in requirements)}")
    venv.create(folder, with_pip=True)
    programs = folder / "bin"
    step("pip install", [programs / "python", "-m", "pip", "install", "--quiet", *requirements])
    return programs


def step(name: str, command: Sequence[str | Path], *, code: int = 0, cwd: Path = ROOT) -> None:
    """Run one command; what it prints is shown only if it ends otherwise than it should."""
    say(name)
    bare = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=bare, capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise SystemExit(f"{name} ended with {done.returncode} instead of {code}\n{done.stdout}{done.stderr}")


def say(what: str) -> None:
    """Tell the person who waits what is being done."""
    print(f"release: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
