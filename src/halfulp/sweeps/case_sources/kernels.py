"""Generated kernels: each solution of each problem in a folder, judged as `halfulp kernel` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from .patterns import files_of
from .sample import Group, Sample


@dataclass(frozen=True)
class Kernels:
    """Solutions beside their problems.

    Args:
        part: its place in the plan. folder: from which paths count; that of the plan by default. problems: paths or patterns of problem
            files ("*/problem.py"). solutions: patterns in the folder of each problem. declared: the precision that solutions may use.
        budget_s: seconds for each solution.
    """

    is_seeded: ClassVar[bool] = False
    part: int = 0
    folder: str = "."
    problems: Sequence[str] = ("*/problem.py",)
    solutions: Sequence[str] = ("k*.py",)
    declared: str | None = None
    budget_s: float = 30.0

    def paths(self) -> list[Path]:
        """The problems and their solutions."""
        return [file for problem in self._problems() for file in (problem, *self._solutions(problem))]

    def groups(self) -> Iterator[Group]:
        """A problem.

        Raises:
            InputError: a pattern that fits no problem.
        """
        for name in files_of(self.folder, self.problems, "a problem"):
            yield Group("kernels", self.part, name, "solution", "reference")

    def _problems(self) -> list[Path]:
        return [Path(self.folder) / name for name in files_of(self.folder, self.problems, "a problem")]

    def _solutions(self, problem: Path) -> list[Path]:
        return sorted({file for pattern in self.solutions for file in problem.parent.glob(pattern)} - {problem})

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """The solutions of a problem."""
        from ...kernels.judging import judge

        problem = Path(self.folder) / group.subject

        def maker(file: Path) -> Callable[[], Sample]:
            def judged() -> object:
                return judge(str(problem), str(file), declared=self.declared, budget_s=self.budget_s, seed=seed)

            return lambda: Sample(file.stem, None, None, (), judged=judged)

        return [maker(file) for file in self._solutions(problem)]
