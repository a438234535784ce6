"""Writer: adds records to a store, so that a kill at any moment loses little work and never half a record."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import TracebackType

from .files import write_records
from .records import Finding, Record, Row

EVERY_S = 5.0
"""How often records are written at the beginning of a run. What is not written yet is judged again after a kill."""
SHARE = 0.05
"""Later, how much of the time so far may be lost: hours of work are a hundred files so, and not thousands."""


class Writer:
    """Writes what is found in one run. Safe to add to from several threads.

    Args:
        folder: of the run. every_s: how often it writes at the beginning.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Writer(Path(folder)) as writer:
        ...     writer.add(Row("plan", "run", "exp 3", "opinfo", "exp", "float32", "float64", verdict="IDENTICAL"))
        ...     writer.flush()
        1
    """

    def __init__(self, folder: Path, *, every_s: float = EVERY_S) -> None:
        self._folder, self._every_s = folder, every_s
        self._waiting: dict[type[Record], list[Record]] = {Row: [], Finding: []}
        self._lock = threading.Lock()
        self._start = self._written = time.monotonic()

    def __repr__(self) -> str:
        return f"<Writer to {self._folder}, {sum(map(len, self._waiting.values()))} records waiting>"

    def add(self, record: Record) -> None:
        """Add a record. It is written with others, `EVERY_S` seconds or a `SHARE` of the time so far after the last writing."""
        with self._lock:
            self._waiting[type(record)].append(record)
            now = time.monotonic()
            if now - self._written >= max(self._every_s, SHARE * (now - self._start)):
                self._write()

    def flush(self) -> int:
        """Write what waits; returns how many records that was."""
        with self._lock:
            return self._write()

    def _write(self) -> int:
        count = 0
        for waiting in self._waiting.values():
            if records := list(waiting):
                write_records(self._folder, records)
                del waiting[: len(records)]  # only now: where the disk is full they wait for the next attempt
                count += len(records)
        self._written = time.monotonic()
        return count

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.flush()
