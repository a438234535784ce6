"""Evolution: turns the dials of recipes by CMA-ES, which learns which of them belong together.

Hansen, *The CMA Evolution Strategy: A Tutorial*, 2016; as the package `cmaes` has it. A run that no longer moves is begun again elsewhere,
with twice as many candidates at a time (the IPOP rule of Auger and Hansen, 2005).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from ..words.stage import Stage
from .found import Found, Trial
from .recipe import dials_of, drawn, neutral, recipe_of

SIGMA = 0.25
"""The first steps: half of the way from the middle to an end."""


def evolve(trial: Trial, bases: Sequence[Found], seed: int) -> None:
    """Try recipes until the trial's budget is used up; the worst is kept by the trial.

    Args:
        trial: measures. bases: what recipes change, each in its turn. seed: of all that is drawn.

    Raises:
        OutOfBudget: at the end of it. It returns earlier where no tensor has dials, or something is infinitely bad.
    """
    import numpy as np
    from cmaes import CMA

    generator = np.random.default_rng(seed)
    bases = [base for base in bases if dials_of(base.inputs)]
    for begun, base in enumerate(itertools.cycle(bases)):
        tensors = dials_of(base.inputs)
        start, bounds = np.array(neutral(tensors)), np.array([[0.0, 1.0]] * len(neutral(tensors)))
        population = (4 + int(3 * math.log(len(start)))) * 2 ** (begun // len(bases))
        mean = start if begun < len(bases) else generator.random(len(start))
        run = CMA(mean=mean, sigma=SIGMA, bounds=bounds, population_size=population, seed=int(generator.integers(2**31)))
        while not run.should_stop():
            answers: list[tuple[Any, float]] = []
            for _ in range(population):
                row = run.ask()
                recipe = recipe_of(row.tolist(), seed)
                excess = trial.measure(drawn(base.inputs, recipe), ", ".join(filter(None, (base.label, str(recipe)))))
                answers.append((row, -_height(excess)))
                worst = trial.worst.excess if trial.worst else 0.0
                trial.progress(
                    Stage(f"input {trial.evaluations:,}: at worst {worst:.3g} times the limit, {max(0.0, trial.left):.0f} s left")
                )
                if math.isinf(worst):
                    return
            run.tell(answers)


def _height(excess: float) -> float:
    """The logarithm of an excess: what counts is how many times worse. Without an error, as far down as one of 2**-60 would be."""
    return 60.0 if math.isinf(excess) else max(-60.0, math.log2(excess)) if excess > 0 else -60.0
