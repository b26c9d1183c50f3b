"""What a server's threads have freed is given back, not kept for each of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

CHILD = """
import re, threading
from steadyhand.workspace.budget import give_back_memory
give_back_memory()
def resident():
    try:
        with open("/proc/self/status") as status:
            return int(re.search("VmRSS:[^0-9]*([0-9]+)", status.read())[1])
    except FileNotFoundError:  # only Linux tells, and only its C library keeps so much
        return 0
def work():
    for size in (30 << 20, 5 << 20):
        bytearray(size)[:] = b"x" * size
    blocks = [b"x" * (2 << 20) for _ in range(20)]
    kept.append([bytes(100_000) for _ in range(20)])  # behind them, so that they are in the middle
kept, before = [], resident()
for _ in range(8):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
print(resident() - before)
"""


@pytest.mark.sweep
def test_large_blocks_are_given_back_when_they_are_freed() -> None:
    ran = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 20_000  # KB; 44,000 without
