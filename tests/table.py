"""A table of cases that is one test: every row runs, and the failure names every row that failed.

`pytest.mark.parametrize` makes a test of each row. With thousands of small rows, collecting and reporting them takes
longer than running them, so a table that needs no fixtures, or only `tmp_path` and `monkeypatch`, is one test here.
Each row gets a `tmp_path` and a `monkeypatch` of its own. `pytest --row TEXT` runs only the rows with TEXT in their id.

A long table of like cases says `every=N`: `make test` runs each N-th row or combination, `make sweep` all of them.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from tests.sampling import WHOLE

ONLY: list[str] = []
"""What `--row` asks for; conftest.py fills it."""

AFTER_EACH_ROW: list[Callable[[], None]] = []
"""What a folder's conftest.py wants done after each row, as a fixture would do after each test."""

Row = tuple[str, Mapping[str, object]]


def table(
    names: str | tuple[str, ...],
    rows: Iterable[object],
    ids: Iterable[object] | Callable[[Any], object] | None = None,
    *,
    every: int = 1,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for each row, with the arguments of `pytest.mark.parametrize`. Two tables give every combination."""
    columns = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    mine = list(_rows(columns, isinstance(names, str) and len(columns) == 1, list(rows), ids))
    assert mine, f"a table of {names} without rows tests nothing"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        inner: Callable[..., None] = getattr(test, "row_test", test)
        tables: list[list[Row]] = [*getattr(test, "tables", ()), mine]
        step: int = 1 if WHOLE else max(every, getattr(test, "step", 1))
        taken = {name for each in tables for name in each[0][1]}
        parameters = [p for name, p in inspect.signature(inner).parameters.items() if name not in taken]
        fixtures = {parameter.name for parameter in parameters}

        @functools.wraps(test)
        def run(*args: object, **given: Any) -> None:
            failures: list[Exception] = []
            ran = 0
            for number, combination in enumerate(itertools.islice(itertools.product(*tables), 0, None, step)):
                name = "-".join(id_ for id_, _ in combination)
                if not all(part in name for part in ONLY):
                    continue
                ran += 1
                values = {key: value for _, columns_ in combination for key, value in columns_.items()}
                own = dict(given)
                if "tmp_path" in fixtures:
                    own["tmp_path"] = _folder(given["tmp_path"], number)
                with pytest.MonkeyPatch.context() as monkeypatch:
                    if "monkeypatch" in fixtures:
                        own["monkeypatch"] = monkeypatch
                    try:
                        inner(*args, **values, **own)
                    except pytest.fail.Exception as failed:
                        failures.append(_noted(AssertionError(str(failed)).with_traceback(failed.__traceback__), name))
                    except Exception as error:  # noqa: BLE001 - one failing row does not hide the next
                        failures.append(_noted(error, name))
                    finally:
                        for after in AFTER_EACH_ROW:
                            after()
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {ran} rows failed", failures)

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.row_test = inner  # type: ignore[attr-defined]
        run.tables = tables  # type: ignore[attr-defined]
        run.step = step  # type: ignore[attr-defined]
        return pytest.mark.sampled(run) if every > 1 else run

    return decorate


def _rows(columns: tuple[str, ...], is_bare: bool, rows: list[object], ids: object) -> Iterator[Row]:
    named = None if ids is None or callable(ids) else [None if each is None else str(each) for each in ids]  # type: ignore[attr-defined]
    assert named is None or len(named) == len(rows), "as many ids as rows"
    for number, row in enumerate(rows):
        own = row if isinstance(row, type(pytest.param())) else None
        values = own.values if own else (row,) if is_bare else tuple(row)  # type: ignore[arg-type]
        assert len(values) == len(columns), f"row {number} has {len(values)} values for {columns}"
        said = own.id if own and isinstance(own.id, str) else named[number] if named else None
        if said is None:
            write = ids if callable(ids) else _no_id
            said = "-".join(
                str(write(value)) if write(value) is not None else _id(column, value, number)
                for column, value in zip(columns, values, strict=True)
            )
        yield said, dict(zip(columns, values, strict=True))


def _no_id(_value: object) -> None:
    return None


def _id(column: str, value: object, number: int) -> str:
    match value:
        case str():
            return ascii(value)[1:-1][:60]
        case bool() | float() | None:
            return str(value)
        case type() | Enum():
            return str(value.__name__ if isinstance(value, type) else value)
        case _:
            return f"{column}{number}"


def _folder(tmp_path: Path, number: int) -> Path:
    folder = tmp_path / str(number)
    folder.mkdir()
    return folder


def _noted(error: Exception, name: str) -> Exception:
    error.add_note(f"row: {name}")
    return error
