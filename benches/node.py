"""Programs from npm, by name and exact version, in a folder of their own with the Node they need.

Installed once; nothing is written anywhere else. Where npm is missing, whoever asks gets an error that says so.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

_HOME = Path(__file__).resolve().parent.parent / ".node"
NODE = "node@22.23.3"
_INSTALL_SECONDS = 600

CONFORMANCE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
FILESYSTEM = "@modelcontextprotocol/server-filesystem@2026.8.31"


class NodeMissing(Exception):
    """A program from npm cannot be had here; the message says why."""


def installed(package: str, *, with_node: bool = True) -> Path:
    """The folder with the programs of a package and, unless it goes without, a Node of 22 or later."""
    packages = [NODE, package] if with_node else [package]
    key = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    home = _HOME / key
    programs = home / "node_modules" / ".bin"
    if (home / "ready").exists():
        return programs
    npm = shutil.which("npm")
    if npm is None:
        raise NodeMissing("npm is not installed; it comes with Node.js")
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    (home / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error", *packages]
    try:
        done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise NodeMissing(f"npm did not install {package} within {_INSTALL_SECONDS} s") from None
    if done.returncode:
        raise NodeMissing(f"npm could not install {package}: {(done.stderr.strip().splitlines() or [''])[-1][:200]}")
    (home / "ready").touch()
    return programs


def environment(*programs: Path) -> dict[str, str]:
    """This environment with those programs before any other."""
    return {**os.environ, "PATH": os.pathsep.join((*map(str, programs), os.environ.get("PATH", "")))}
