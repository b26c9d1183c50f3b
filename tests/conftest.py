"""What every test shares: Hypothesis profiles, and which files under tests/ are data rather than tests."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import tempfile

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.postgres.server import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

# What is kept for the user is not kept for whoever runs the tests, nor by the processes that they start.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="steadyhand-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)

# Inputs and expectations of scenarios look like modules and are not.
collect_ignore_glob = ["scenarios/*/input/*", "scenarios/*/expected/*", "corpus/*"]

# A shared machine makes any deadline a coin toss; the suite's own time limit catches a hang. A commit that passes once
# passes always: examples follow from the tests alone, and only `make fuzz` goes looking for others.
EXAMPLES = int(os.environ.get("STEADYHAND_EXAMPLES", "100"))
IS_SEARCH = bool(os.environ.get("STEADYHAND_SEARCH"))
settings.register_profile(
    "steadyhand",
    deadline=None,
    max_examples=EXAMPLES,
    derandomize=not IS_SEARCH,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steadyhand")
if not IS_SEARCH:
    # Hypothesis also draws constants that it finds in loaded modules, and which are loaded depends on what ran before.
    providers._get_local_constants = providers.Constants


def pytest_collection_finish() -> None:
    """Twelve thousand collected tests stay until the end: nobody need look through them for garbage again and again."""
    gc.collect()
    gc.freeze()
