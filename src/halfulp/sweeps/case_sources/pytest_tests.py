"""Tests that use the fixture `halfulp`: each check that they make is a case."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ...documents import read_result
from ...errors import InputError
from .sample import Group, Sample


@dataclass(frozen=True)
class PytestTests:
    """Tests of a project.

    Args:
        part: its place in the plan. folder: in which pytest is run; that of the plan by default. tests: files, folders or node ids.
    """

    is_seeded: ClassVar[bool] = False
    part: int = 0
    folder: str = "."
    tests: Sequence[str] = (".",)

    def paths(self) -> list[Path]:
        """The files of the tests."""
        return sorted(file for name in self.tests for file in _python_files(Path(self.folder) / name.partition("::")[0]))

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
            results = [read_result(file) for file in sorted(Path(folder).rglob("*.json"), key=_in_order)]
        if not results:
            said = " ".join(run.stdout.split())[-200:]
            raise InputError(
                f"Got the test {group.subject}, which checks nothing by the fixture `halfulp` ({said}). Needed: a test that calls halfulp.check or halfulp.assert_equivalent of the fixture. Other tests have no verdict. Leave it out of the plan."
            )

        def maker(number: int, result: Any) -> Callable[[], Sample]:
            return lambda: Sample(f"check {number}", None, None, (), judged=lambda: result)

        return [maker(number, result) for number, result in enumerate(results, 1)]

    def _pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        # The project's own options may hold -q or -v, which change what is printed.
        command = [sys.executable, "-m", "pytest", "--verbosity=-1", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)


def _in_order(file: Path) -> list[tuple[int, str]]:
    """By which files are sorted so that the tenth check comes after the second."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", str(file))]


def _python_files(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]
