"""`python -m steadyhand` is the command line."""

from __future__ import annotations

from steadyhand.surfaces.cli.start import main

if __name__ == "__main__":
    main()
