"""What is said where a framework is asked for that is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from steadyhand.errors import EditError, Kind


@contextmanager
def needs(package: str) -> Iterator[None]:
    """Around the imports from a package: where one fails, refuse with `not-installed` and how to install it."""
    try:
        yield
    except ImportError as error:
        raise EditError(
            Kind.NOT_INSTALLED,
            f"the adapter needs the package {package}, which cannot be imported: {error}",
            hint=f"install it with: pip install {package}",
            details={"package": package},
        ) from error
