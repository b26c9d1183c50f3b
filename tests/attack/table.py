"""Every attack: one row each, in the order of the table that `make attack` ends with."""

from __future__ import annotations

from tests.attack import callers, crashes, neighbours, suites
from tests.attack.attack import Attack

__all__ = ["ATTACKS"]

ATTACKS: tuple[Attack, ...] = (
    Attack("deaths", "storage calls the process died at", crashes.deaths_at_storage_calls, 4),
    Attack("disk errors", "storage calls refused with ENOSPC or EIO", crashes.errors_at_storage_calls, 4),
    Attack("system calls", "killed, halved or refused, SQLite's too", crashes.stops_at_system_calls, 6),
    Attack("power images", "disks as a power cut leaves them", crashes.power_images, 4),
    Attack("kills", "acknowledged edits of workers that are killed", crashes.kills, 6),
    Attack("other roots", "acknowledged edits by two roots or journals", neighbours.other_roots, 4),
    Attack("foreign saves", "saves of a program that knows nothing of us", neighbours.foreign_saves, 4),
    Attack("saves between calls", "saves between two calls of a change", neighbours.saves_between_calls, 4),
    Attack("link races", "calls while links are exchanged", neighbours.link_races, 3),
    Attack("malformed calls", "calls of tools", callers.malformed_calls, 3),
    Attack("frames", "broken MCP frames on standard input", callers.frames, 2),
    Attack("requests", "broken MCP requests over HTTP", callers.requests, 2),
    Attack("bombs", "texts, by peak memory", callers.bombs, 3),
    Attack("protected names", "writes to names that run code or hold secrets", callers.protected_names, 1),
    Attack("embedded repositories", "ways to complete a git repository", callers.embedded_repositories, 1),
    Attack("secrets", "calls on a secret, each answer searched for it", callers.secrets_shown, 1),
    Attack("suites", "tests of the hostile, fault and race suites", suites.suites, 8),
)
