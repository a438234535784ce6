"""Case files: Python files with `actual`, `expected` and `inputs`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...cases import load_case_file
from ...cases.casefile import OPTIONAL
from ...errors import InputError
from .sample import Group, Sample


@dataclass(frozen=True)
class Files:
    """Case files of a folder.

    Args:
        part: its place in the plan. folder: from which `files` counts; that of the plan by default. files: paths or patterns
            ("cases/**/*.py"). seeds: each file is checked with each.
    """

    part: int = 0
    folder: str = "."
    files: Sequence[str] = ("*.py",)
    seeds: Sequence[int] = (0,)

    def groups(self) -> Iterator[Group]:
        """A file.

        Raises:
            InputError: a pattern that fits no file.
        """
        for pattern in self.files:
            found = sorted(file for file in Path(self.folder).glob(pattern) if file.suffix == ".py")
            if not found:
                raise InputError(
                    f"Got {pattern!r} in {self.folder}. Needed: a path or a pattern that fits a case file. Nothing was run. Check the path."
                )
            for file in found:
                yield Group("files", self.part, file.relative_to(self.folder).as_posix(), "actual", "expected")

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """The file's inputs with each seed; another seed of the sweep is added to them."""

        def maker(own: int) -> Callable[[], Sample]:
            def make() -> Sample:
                loaded = load_case_file(Path(self.folder) / group.subject, own + seed)
                options = {name: loaded[name] for name in OPTIONAL if name in loaded}
                return Sample(f"seed {own}", loaded["actual"], loaded["expected"], loaded["inputs"], options)

            return make

        return [maker(own) for own in self.seeds]
