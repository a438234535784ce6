"""Deadline: when work ends, kept at every run of a side.

Whatever a stage does, its time is that of the functions under test. A run is not begun that would end after the deadline, as far as the
last run of that side tells.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator


class OutOfTime(BaseException):
    """A run that was not begun.

    Not an `Exception`, as KeyboardInterrupt is none: nothing that expects a function to fail takes it for such a failure.
    """


def now() -> float:
    """Seconds by the clock that deadlines go by."""
    return time.monotonic()


class Deadline:
    """When runs end.

    Args:
        at: that time, by `now`.
    """

    def __init__(self, at: float) -> None:
        self.at = at
        self._last: dict[str, float] = {}

    def left(self) -> float:
        """The seconds left; 0 when it is over."""
        return max(0.0, self.at - now())

    @contextlib.contextmanager
    def run(self, name: str) -> Generator[None]:
        """One run of a side. The first is always made: there is no answer without it, and it may compile what later ones find compiled.

        Raises:
            OutOfTime: it would end too late.
        """
        is_first = name not in self._last
        if not is_first and self.left() <= self._last[name]:
            raise OutOfTime
        begin = now()
        try:
            yield
        finally:
            self._last[name] = 0.0 if is_first else now() - begin
