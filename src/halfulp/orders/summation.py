"""Summation: a tree with its arithmetic; what words and pictures are made of."""

from __future__ import annotations

from dataclasses import dataclass

from .tree import Tree


@dataclass(frozen=True)
class Summation:
    """In which order an implementation adds, and how it rounds.

    Attributes:
        tree: which partial sums are added to which.
        axes: (name, size) of the axes over which is summed; the terms of the tree are numbered along them, the last fastest.
        products: whether the terms are products. extras: the names of the extra leaves of the tree ("bias").
        fma: whether products are added without being rounded first; None where that makes no difference (sums, exact products).
        unfused: with FMA, the terms that are rounded first all the same, as tails often are. Of two products that meet first, one that is
            listed alone is rounded, and the other one is fused onto it.
        accumulator: the format in which partial sums are kept. output: the format of the result.
        rounding: "nearest" or "toward zero", of each addition.
        rounds_before_extras: whether the sum is rounded to the output's format before the extra leaves are added.
        scale: ("divide", n) or ("multiply", c), what is done to the sum at the end, as in a mean.
        extra_factors: for each extra leaf, the number that it is multiplied by before it is added, as by `beta` of addmm. Such leaves are
            added in the accumulator's format after the sum is scaled. Empty if extra leaves are added as they are.
        fused_extras: whether those products are added without being rounded first (FMA).
    """

    tree: Tree
    axes: tuple[tuple[str, int], ...] = ()
    products: bool = False
    extras: tuple[str, ...] = ()
    fma: bool | None = None
    accumulator: str = "float32"
    output: str = "float32"
    rounding: str = "nearest"
    rounds_before_extras: bool = False
    scale: tuple[str, float] | None = None
    unfused: tuple[int, ...] = ()
    extra_factors: tuple[float, ...] = ()
    fused_extras: bool = False

    @property
    def adds_extras_last(self) -> bool:
        """Whether the extra leaves are added to the finished sum, after it was scaled or rounded."""
        return self.rounds_before_extras or bool(self.extra_factors)
