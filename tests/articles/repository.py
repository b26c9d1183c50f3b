"""Repositories for tests: made by commands of git, the same every time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-11-01T08:00:00+00:00",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "2026-11-01T08:00:00+00:00",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


class Repository:
    """A repository in a directory."""

    def __init__(self, root: Path, *, branch: str = "main") -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", branch)

    def git(self, *words: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *words], cwd=cwd or self.root, env=ENVIRONMENT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout.strip()

    def write(self, path: str, content: str | bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, message: str, **files: str | bytes) -> str:
        """Write files, given by path, and commit everything; the id."""
        for path, content in files.items():
            self.write(path, content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


def article(jrn: str | None, *rules: str, text: str = "# Page\n") -> str:
    """A page with these rules, each as YAML between braces."""
    name = "" if jrn is None else f"jrn: {jrn}\n"
    listed = "".join(f"  - {{{rule}}}\n" for rule in rules)
    return f"---\n{name}attention:\n{listed}---\n\n{text}"


SESSION = '''"""Sessions."""

LIMIT = 3


class Session:
    """A session."""

    def login(self, name, password):
        # the usual way
        if name:
            check(name)
            log(name)
        return self

    def close(self):
        return None


def helper(x):
    return x
'''
CLIENT = """export class Client {
  /** Sends. */
  send(url: string): Promise<void> {
    return fetch(url);
  }
}

export function retry(times: number): number {
  return times + 1;
}
"""
CONFIG = "login:\n  max_tries: 5\n  lock: true\nserver:\n  port: 8080\n"


def make_fixture(root: Path) -> Repository:
    """Python, TypeScript and configuration, with articles of every kind of rule; a branch with two commits."""
    repo = Repository(root)
    files: dict[str, str | bytes] = {
        "src/auth/session.py": SESSION,
        "src/auth/tokens.py": "def make():\n    return 1\n",
        "src/auth/generated/api.py": "A = 1\n",
        "web/client.ts": CLIENT,
        "web/old_name.ts": "export const value = 1;\n" + "// line\n" * 20,
        "config/app.yaml": CONFIG,
        "package.json": '{"name": "x", "scripts": {"build": "tsc"}}\n',
        "assets/logo.png": b"\x89PNG\r\n\x1a\n\0\0\0\1" * 20,
        "vendor/lib.js": "var a = 1;\n",
        ".gitattributes": "src/auth/generated/** linguist-generated\nvendor/** linguist-vendored=true\n*.lock -diff\n",
        "poetry.lock": "a\n",
        "docs/glob.md": article("GLOB", 'op: file, path: "src/auth/**"', 'op: file, path: "!src/auth/generated/**"'),
        "docs/exact.md": article("EXACT", "op: file, path: src/auth/tokens.py"),
        "docs/braces.md": article(None, 'op: file, path: "web/*.{ts,tsx}"'),
        "docs/renamed.md": article("RENAMED", "op: file, path: web/old_name.ts"),
        "docs/renamed_new.md": article("RENAMED_NEW", "op: file, path: web/new_name.ts"),
        "docs/login.md": article("LOGIN", "op: symbol, path: src/auth/session.py#Session.login"),
        "docs/close.md": article("CLOSE", "op: symbol, path: src/auth/session.py#Session.close"),
        "docs/session.md": article("SESSION", "op: symbol, path: src/auth/session.py#Session"),
        "docs/retry.md": article("RETRY", "op: symbol, path: web/client.ts#retry"),
        "docs/tries.md": article("TRIES", "op: key, path: config/app.yaml#login.max_tries"),
        "docs/port.md": article("PORT", "op: key, path: config/app.yaml#server.port"),
        "docs/overview.md": article("OVERVIEW", "op: article, path: EXACT", "op: article, path: docs/changed.md"),
        "docs/changed.md": article("CHANGED", "op: article, path: OVERVIEW"),
        "docs/elsewhere.md": article("ELSEWHERE", "op: file, path: src/auth/session.py, source: backend"),
        "docs/page.html": "<!doctype html>\n<!--\n jrn: HTML\n attention:\n - {op: file, path: web/client.ts}\n-->",
        "docs/broken.md": "---\njrn: [\n---\n",
        "docs/unknown.md": article("UNKNOWN", "op: endpoint, path: /login", "op: file, path: src/auth/tokens.py"),
        "docs/mention.md": "# Mention\n\nSet `LOGIN_LIMIT`, pass `--dry-run`, call `Session.login()`.\n",
    }
    for path, content in files.items():
        repo.write(path, content)
    repo.commit("the beginning")
    repo.git("switch", "-q", "-c", "feature")
    changed = SESSION.replace("# the usual way", "# another comment").replace(
        "            log(name)", "        log(name)"
    )
    repo.write(
        "src/auth/session.py",
        changed.replace("def close(self):\n        return", "def close(\n        self\n    ):\n        return"),
    )
    repo.write("src/auth/tokens.py", "def make():\n    return 2  # LOGIN_LIMIT --dry-run\n")
    repo.git("mv", "web/old_name.ts", "web/new_name.ts")
    repo.commit("tokens and names")
    repo.write("src/auth/generated/api.py", "A = 2\n")
    repo.write("vendor/lib.js", "var a = 2;\n")
    repo.write("poetry.lock", "b\n")
    repo.write("assets/logo.png", b"\x89PNG\r\n\x1a\n\0\0\0\2" * 20)
    repo.write(
        "config/app.yaml", CONFIG.replace("max_tries: 5", "max_tries: 3").replace("port: 8080", "port:   8080 # same")
    )
    repo.write("docs/changed.md", article("CHANGED", "op: article, path: OVERVIEW", text="# Other\n"))
    (repo.root / "package.json").chmod(0o755)
    repo.commit("configuration")
    return repo
