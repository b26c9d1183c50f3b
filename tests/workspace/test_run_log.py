"""The log of a run: lines are whole or not there, one writer at a time, and nobody else's file is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.json_lines import RunLog


def test_a_line_cut_off_anywhere_is_not_there_and_the_next_writer_goes_on(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "deep" / "a.jsonl", "run")
    lines = [{"run": 1, "text": "é\n"}, {"b": [1, 2]}, {"c": None}]
    with log.writing() as held:
        for line in lines:
            held.add(line)
    data = log.path.read_bytes()
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    for size in range(len(data) + 1):
        log.path.write_bytes(data[:size])
        whole = sum(end <= size for end in ends)
        assert log.lines() == lines[:whole]
        with log.writing() as held:
            held.add({"run": 2} if not whole else {"d": 4})
        assert len(log.lines()) == whole + 1
    assert log.path.stat().st_mode & 0o777 == 0o600


def test_one_writer_at_a_time_and_nobody_elses_file(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "a.jsonl", "run")
    with log.writing() as held:
        held.add({"run": 1})
        with pytest.raises(EditError) as refused, RunLog(log.path, "run").writing():
            pass
        assert refused.value.kind is Kind.BUSY
    with log.writing(afresh=True):
        assert log.lines() == []
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, content in (("text", b"hello"), ("other", b'{"score": 1}\n'), ("broken", b'{"run": 1}\n[]\n')):
        (tmp_path / name).write_bytes(content)
    for name in ("pipe", "folder", "text", "other", "broken"):
        with pytest.raises(EditError), RunLog(tmp_path / name, "run").writing(afresh=name == "text"):
            pass
    assert (tmp_path / "text").read_bytes() == b"hello"


def test_a_full_disk_takes_a_half_written_line_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = RunLog(tmp_path / "a.jsonl", "run")
    write = os.write

    def full(handle: int, data: bytes) -> int:
        if len(data) > 40:
            return write(handle, bytes(data)[:10])
        if len(data) > 20:
            raise OSError(28, "full")
        return write(handle, data)

    with log.writing() as held:
        held.add({"run": 1})
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(EditError) as refused:
            held.add({"long": "x" * 31})
        monkeypatch.undo()
        assert refused.value.kind is Kind.DISK_REFUSED
        held.add({"c": 3})
    assert log.lines() == [{"run": 1}, {"c": 3}]
