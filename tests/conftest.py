"""What every test shares: Hypothesis profiles, and which files under tests/ are data rather than tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Inputs and expectations of scenarios look like modules and are not.
collect_ignore_glob = ["scenarios/*/input/*", "scenarios/*/expected/*", "corpus/*"]

# A shared machine makes any deadline a coin toss; the suite's own time limit catches a hang.
EXAMPLES = int(os.environ.get("STEADYHAND_EXAMPLES", "100"))
settings.register_profile(
    "steadyhand", deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steadyhand")
