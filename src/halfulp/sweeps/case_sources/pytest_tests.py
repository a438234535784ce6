"""Tests that use the fixture `halfulp`: each check that they make is a case."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...documents import read_result
from ...errors import InputError
from .sample import Group, Sample


@dataclass(frozen=True)
class PytestTests:
    """Tests of a project.

    Args:
        part: its place in the plan. folder: in which pytest is run; that of the plan by default. tests: files, folders or node ids.
    """

    part: int = 0
    folder: str = "."
    tests: Sequence[str] = (".",)

    def groups(self) -> Iterator[Group]:
        """A test, by its node id.

        Raises:
            InputError: pytest finds none.
        """
        listed = self._pytest("--collect-only", *self.tests)
        found = [line for line in listed.stdout.splitlines() if "::" in line and not line.startswith(("=", " ", "ERROR"))]
        if not found:
            said = " ".join((listed.stdout + listed.stderr).split())[-300:]
            raise InputError(
                f"Got {', '.join(self.tests)} in {self.folder}, where pytest finds no tests ({said}). Needed: files, folders or node ids of tests. Each is one group of cases. Check the paths."
            )
        yield from (Group("pytest", self.part, name, "actual", "expected") for name in found)

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """The checks of a test, which is run now.

        Raises:
            InputError: it checks nothing by the fixture.
        """
        with tempfile.TemporaryDirectory() as folder:
            run = self._pytest(group.subject, f"--halfulp-report={folder}")
            results = [read_result(file) for file in sorted(Path(folder).rglob("*.json"))]
        if not results:
            said = " ".join(run.stdout.split())[-200:]
            raise InputError(
                f"Got the test {group.subject}, which checks nothing by the fixture `halfulp` ({said}). Needed: a test that calls halfulp.check or halfulp.assert_equivalent of the fixture. Other tests have no verdict. Leave it out of the plan."
            )

        def maker(number: int, result: Any) -> Callable[[], Sample]:
            return lambda: Sample(f"check {number}", None, None, (), judged=lambda: result)

        return [maker(number, result) for number, result in enumerate(results, 1)]

    def _pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
