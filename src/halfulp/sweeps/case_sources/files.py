"""Case files: Python files with `actual`, `expected` and `inputs`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ...cases import load_case_file
from ...cases.casefile import OPTIONAL
from .patterns import files_of
from .sample import Group, Sample


@dataclass(frozen=True)
class Files:
    """Case files of a folder.

    Args:
        part: its place in the plan. folder: from which `files` counts; that of the plan by default. files: paths or patterns
            ("cases/**/*.py"). seeds: each file is checked with each.
    """

    is_seeded: ClassVar[bool] = True
    part: int = 0
    folder: str = "."
    files: Sequence[str] = ("*.py",)
    seeds: Sequence[int] = (0,)

    def paths(self) -> list[Path]:
        """The case files."""
        return [Path(self.folder) / name for name in self._names()]

    def groups(self) -> Iterator[Group]:
        """A file.

        Raises:
            InputError: a pattern that fits no file.
        """
        for name in self._names():
            yield Group("files", self.part, name, "actual", "expected")

    def _names(self) -> list[str]:
        return files_of(self.folder, self.files, "a case file")

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """The file's inputs with each seed; another seed of the sweep is added to them."""

        def maker(own: int) -> Callable[[], Sample]:
            def make() -> Sample:
                loaded = load_case_file(Path(self.folder) / group.subject, own + seed)
                options = {name: loaded[name] for name in OPTIONAL if name in loaded}
                return Sample(f"seed {own}", loaded["actual"], loaded["expected"], loaded["inputs"], options)

            return make

        return [maker(own) for own in dict.fromkeys(self.seeds)]
