"""What every test shares: Hypothesis profiles, the options of the suite, and which files under tests/ are data."""

from __future__ import annotations

import atexit
import gc
import importlib.util
import os
import random
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from steadyhand.workspace.journal import sqlite_file
from tests import sampling, table
from tests.postgres.server import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

# Thousands of small trees are made, synced and removed: in memory that takes a quarter of the processor time less than
# on a disk. `make sweep` and `make crash` go to the disk, and so does a machine with little memory to lend.
MEMORY = "/dev/shm"
ROOM = 4 << 30


def is_like_a_disk(folder: str) -> bool:
    """Whether temporary files may go there: there is room, programs run, and files have extended attributes.

    Memory has these since Linux 6.6, and containers often lend little of it, without the right to run programs.
    """
    try:
        found = os.statvfs(folder)
        if found.f_bavail * found.f_frsize < ROOM or found.f_flag & os.ST_NOEXEC:
            return False
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            os.setxattr(file.fileno(), "user.steadyhand", b"1")
    except OSError:
        return False
    return True


# A run that a shell started in the background ignores Ctrl-C, and so would every process that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Inputs and expectations of scenarios look like modules and are not.
collect_ignore_glob = ["scenarios/*/input/*", "scenarios/*/expected/*", "corpus/*"]

# Only `make pages` installs what its tests import; looking for doctests imports every module.
if importlib.util.find_spec("playwright") is None:
    collect_ignore_glob.append("pages/in_a_browser.py")

# A shared machine makes any deadline a coin toss; the suite's own time limit catches a hang. A commit that passes once
# passes always: examples follow from the tests alone, and only `make fuzz` goes looking for others.
IS_SEARCH = bool(os.environ.get("STEADYHAND_SEARCH"))
settings.register_profile(
    "steadyhand",
    deadline=None,
    max_examples=sampling.EXAMPLES,
    derandomize=not IS_SEARCH,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steadyhand")
if not IS_SEARCH:
    # Hypothesis also draws constants that it finds in loaded modules, and which are loaded depends on what ran before.
    providers._get_local_constants = providers.Constants


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--row", action="append", default=[], help="run only the rows of a table with this in their id")
    parser.addoption("--whole", action="store_true", help="run every row of the tables that are otherwise sampled")
    parser.addoption("--for", type=float, metavar="SECONDS", help="start no test after this time; others every day")


def pytest_xdist_auto_num_workers() -> int:
    """Half as many workers again as there are processors: while some wait for a server or a process, others run."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + (cores + 1) // 2


@pytest.hookimpl(tryfirst=True)  # before pytest decides where its temporary files are
def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--whole") and not sampling.IS_EVERY_CALL and is_like_a_disk(MEMORY):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)
        if "TMPDIR" not in os.environ:  # workers find it set
            os.environ["TMPDIR"] = _folder(MEMORY)
            os.chmod(os.environ["TMPDIR"], 0o1777)  # some tests are other users
        # Half of what a new journal costs is the megabyte that it keeps for a full disk; thousands are made here.
        # How large it is, and what for, is tested in tests/workspace/journal/test_reserve.py.
        sqlite_file.SIZE = 1 << 14
    tempfile.tempdir = None  # it is looked up again
    # What is kept for the user is not kept for whoever runs the tests, nor by the processes that they start.
    os.environ["XDG_STATE_HOME"] = _folder()
    table.ONLY[:] = config.getoption("--row")
    sampling.WHOLE[:] = [True] if config.getoption("--whole") else []
    if config.getoption("--for") is not None:
        config.pluginmanager.register(Slice(config.getoption("--for")))


def _folder(within: str | None = None) -> str:
    """A folder that is there as long as this process."""
    made = tempfile.mkdtemp(prefix="sh-tests-", dir=within)
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


class Slice:
    """A run that is bounded in time: in an order of its own each day, no test starts after the time is up."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.day = os.environ.setdefault("STEADYHAND_DAY", str(int(time.time()) // 86_400))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        # Every worker of a run must come to the same order, also around midnight; workers inherit the environment.
        random.Random(self.day).shuffle(items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool | None:
        return True if time.monotonic() > self.end else None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        ran = sum(len(terminalreporter.stats.get(outcome, ())) for outcome in ("passed", "failed"))
        terminalreporter.write_line(f"a slice: {ran} tests ran before the time was up")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Modules without an example are not looked through for one, nor imported for that."""
    found = yield
    if file_path.suffix == ".py" and b">>>" not in file_path.read_bytes():
        return [collector for collector in found if type(collector) is pytest.Module]
    return found


def pytest_collection() -> None:
    """Thousands of collected tests stay until the end: nobody need look through them for garbage again and again."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # and what each test leaves may wait a little
