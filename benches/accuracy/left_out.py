"""Steadyhand without one of its rules, in the process of an adapter: what the rule is good for, and what it costs.

A rule is a tier, a repair or a doubt, which are in registries, or a function that may answer nothing. Nothing in the
package knows of this: the registry of the process is another one. The exact tier and that of line endings stay.
"""

from __future__ import annotations

import importlib
from dataclasses import replace

from steadyhand.match import tier
from steadyhand.plan import match_checks

__all__ = ["leave_out", "rule_names"]

_FUNCTIONS = {
    "context only confirms": (("steadyhand.plan.locator", "confirmed_part"),),
    "bare first line": (
        ("steadyhand.plan.merge_window", "read_in_full"),
        ("steadyhand.plan.new_text", "quote_in_full"),
    ),
}


def rule_names() -> tuple[str, ...]:
    """Every rule that can be left out."""
    laxer = (step.name for step in tier.steps() if step.name not in tier.STRICT and not step.is_repaired)
    repairs = (f"repair of {one.name}" for one in tier.repairs())
    return *laxer, *repairs, *(f"doubt {one.__name__.strip('_')}" for one in match_checks.CHECKS), *_FUNCTIONS


def leave_out(name: str) -> None:
    """Take a rule out of this process."""
    steps = tuple(replace(step, tiers=()) if step.name == name else step for step in tier.steps())
    repairs = tuple(one for one in tier.repairs() if f"repair of {one.name}" != name)
    kept = tuple(one for one in match_checks.CHECKS if f"doubt {one.__name__.strip('_')}" != name)
    _put(tier, "steps", lambda: steps)
    _put(tier, "repairs", lambda: repairs)
    _put(match_checks, "CHECKS", kept)
    for module, function in _FUNCTIONS.get(name, ()):
        _put(importlib.import_module(module), function, lambda *_, **__: None)


def _put(module: object, name: str, value: object) -> None:
    setattr(module, name, value)
