"""Cases that a plan in Python makes: its function `cases(seed)` yields what is checked."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import InputError
from .sample import Group, Sample


@dataclass(frozen=True)
class PythonCases:
    """The cases of a plan in Python.

    Args:
        part: its place in the plan. file: of the plan.

    The file defines `subjects`, a list of names or a function that gives one, and `cases(subject, seed)`, which yields for each case a dict with "actual", "expected" and
    "inputs", and if it likes "setting", "call" and the options of `check`.
    """

    part: int = 0
    file: str = ""

    def groups(self) -> Iterator[Group]:
        """A subject.

        Raises:
            InputError: the file has no `subjects` or `cases`.
        """
        names = _run(self.file)
        subjects: Any = names.get("subjects")
        found = subjects() if callable(subjects) else subjects
        if not isinstance(found, (list, tuple)) or not all(isinstance(name, str) for name in found) or not callable(names.get("cases")):
            raise InputError(
                f"Got {self.file} without `subjects` or `cases`. Needed: `subjects`, a list of names, and `cases(subject, seed)`, which yields a "
                "dict with actual, expected and inputs for each case. Both say what is checked. Define them."
            )
        for subject in found:
            yield Group("cases", self.part, subject, str(names.get("actual_name", "actual")), str(names.get("expected_name", "expected")))

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """What `cases` yields for a subject, all at once."""
        found = list(_run(self.file)["cases"](group.subject, seed))

        def maker(number: int, given: dict[str, Any]) -> Callable[[], Sample]:
            options = {name: given[name] for name in ("declared", "reference", "keywords", "gradients") if name in given}
            setting = str(given.get("setting", f"case {number}"))
            return lambda: Sample(setting, given["actual"], given["expected"], given["inputs"], options, str(given.get("call", "")))

        return [maker(number, given) for number, given in enumerate(found, 1)]


@cache
def _run(file: str) -> dict[str, Any]:
    folder = str(Path(file).parent)
    if folder not in sys.path:  # as Python does for a program
        sys.path.insert(0, folder)
    return runpy.run_path(file, run_name="halfulp_plan")
