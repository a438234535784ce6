"""Generated kernels: each solution of each problem in a folder, judged as `halfulp kernel` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError
from .sample import Group, Sample


@dataclass(frozen=True)
class Kernels:
    """Solutions beside their problems.

    Args:
        part: its place in the plan. folder: from which paths count; that of the plan by default. problems: paths or patterns of problem
            files ("*/problem.py"). solutions: patterns in the folder of each problem. declared: the precision that solutions may use.
        budget_s: seconds for each solution.
    """

    part: int = 0
    folder: str = "."
    problems: Sequence[str] = ("*/problem.py",)
    solutions: Sequence[str] = ("k*.py",)
    declared: str | None = None
    budget_s: float = 30.0

    def groups(self) -> Iterator[Group]:
        """A problem.

        Raises:
            InputError: a pattern that fits no problem.
        """
        for pattern in self.problems:
            found = sorted(Path(self.folder).glob(pattern))
            if not found:
                raise InputError(
                    f"Got {pattern!r} in {self.folder}. Needed: a path or a pattern that fits a problem. Nothing was run. Check the path."
                )
            for file in found:
                yield Group("kernels", self.part, file.relative_to(self.folder).as_posix(), "solution", "reference")

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """The solutions of a problem."""
        from ...kernels.judging import judge

        problem = Path(self.folder) / group.subject

        def maker(file: Path) -> Callable[[], Sample]:
            def judged() -> object:
                return judge(str(problem), str(file), declared=self.declared, budget_s=self.budget_s, seed=seed)

            return lambda: Sample(file.stem, None, None, (), judged=judged)

        files = sorted({file for pattern in self.solutions for file in problem.parent.glob(pattern)} - {problem})
        return [maker(file) for file in files]
