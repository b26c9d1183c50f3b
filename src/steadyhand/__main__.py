"""`python -m steadyhand` is the command line.

Python looks for modules first where the command is typed. What lies there is what is edited, by whoever: none of it may
become part of the program, unless the program itself lies there.
"""

from __future__ import annotations

import os
import sys


def _leave_here() -> None:
    here, home = sys.path[0], os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not sys.flags.safe_path and here != home and os.path.realpath(here or ".") == os.path.realpath("."):
        del sys.path[0]


if __name__ == "__main__":
    _leave_here()
    from steadyhand.surfaces.cli.start import main

    main()
