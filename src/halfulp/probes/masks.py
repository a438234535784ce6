"""Mask probes: how many leaves the smallest subtree has that holds two given ones.

A huge number M at leaf i and -M at leaf j swallow every unit that is added to a partial sum containing one of them but not both. The units
that survive are those outside the smallest subtree with i and j, so the result counts them. Rows, columns and channels of one run carry
masks of their own: a run at the user's shape answers many questions at once.

References:
    Xie, Gao, Wang, Xue, "Revealing Floating-Point Accumulation Orders in Software/Hardware Implementations", USENIX ATC 2025 (FPRev: the
    mask and the count; parallel rows, extra leaves, subsets and the formats below are ours).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from ..floats import Format
from ..orders import Contraction
from .implementation import Implementation

Indices = npt.NDArray[np.int64]
Values = npt.NDArray[Any]

PLACES = 1 << 22
"""Questions of one run times leaves: at most so many places in memory are looked up (32 MB)."""


class NotCounts(Exception):
    """The results are not counts: the text says what they are. Then there is no fixed tree of ordinary additions."""


@dataclass(frozen=True)
class Numbers:
    """The mask M, the unit, the constant value of the other factor, and how many units M swallows in any accumulator that may be used."""

    mask: float
    unit: float
    other: float
    swallowed: int


def numbers_for(inputs: Format, products: bool) -> list[Numbers]:
    """What to try for an input format, best first.

    M swallows n units in an accumulator of p bits where M > 2**p n units. float16 reaches from 2**-24 to 2**15, enough beside a float32
    accumulator (p = 24) for 2**15 units; where subnormal inputs count as zero, for 2**5 (2**30 over 2 with a factor 2**15 on the other
    side).
    """
    if inputs.exponent_max > 100:
        return [Numbers(2.0 ** (100 if inputs.exponent_max < 1000 else 900), 1.0, 1.0, 1 << 40)]
    other = 2.0**15 if products else 1.0
    return [Numbers(2.0**15, 2.0**-24, 1.0, 1 << 14), Numbers(2.0**15, 2.0**-14, other, 1 << 4)]


class Masks:
    """Asks one class of output positions of a function.

    Args:
        implementation: the function. contraction: what it sums. factor: what the sums are multiplied with.
        at: the output position (flat) that is asked about. positions: others that are known or supposed to add in the same order; all, if
            None.
        terms: the terms that are present there. numbers: mask and unit.

    Attributes:
        leaves: how many leaves there are: the terms, then the extra leaves.
        runs: how often the function was run.
    """

    def __init__(
        self,
        implementation: Implementation,
        contraction: Contraction,
        factor: float,
        at: int,
        positions: Indices | None,
        terms: Indices,
        numbers: Numbers,
    ) -> None:
        self.implementation, self.contraction, self.factor = implementation, contraction, factor
        self.terms = terms
        self.leaves = len(terms) + len(contraction.extras)
        self.runs = 0
        self._offsets = [factor.offsets(contraction.sizes)[terms] for factor in contraction.factors]
        self._probed, self.positions = self._choose(at, positions)
        probed = contraction.factors[self._probed]
        self._argument = probed.argument
        base = probed.bases(contraction.view, self.positions)
        identity = probed.table is None and all(step == 1 for step in probed.spread) and all(pair == (0, 0) for pair in probed.padding)
        self._base = base
        self._element = None if identity else probed.elements()
        # The factor of a mean and the scaled count are rounded, each by a part in 2**p: counts up to 2**(p - 3) stay within a quarter.
        counted = min(implementation.output.precision_bits, 24) - (0 if factor == 1.0 else 3)
        self._limit = min(2**counted, numbers.swallowed)
        self._numbers = numbers
        self._fill: Values = np.zeros(0)
        self._unit_everywhere()
        self._matrix: tuple[Indices, Indices, Values] | None = None
        if positions is None and len(contraction.factors) == 2:
            self._ask_all(at)

    def seconds_for(self, questions: int) -> float:
        """About how long it takes to ask so many questions."""
        counted = max(1, self._limit // 2) if self.leaves - 2 > self._limit else self.leaves
        return questions / self.parallel * -(-self.leaves // counted) * self.implementation.run_s

    def _at(self, rows: Indices, leaves: Indices) -> Indices:
        """Where in the probed input the leaves of positions lie."""
        places = self._base[rows] + self._offsets[self._probed][leaves]
        return places if self._element is None else self._element[places]

    @property
    def parallel(self) -> int:
        """How many questions one run answers."""
        return len(self.positions)

    def _choose(self, at: int, positions: Indices | None) -> tuple[int, Indices]:
        """The factor to put masks in, and positions that read separate elements of it, the one asked about first."""
        best = (0, np.array([at]))
        view = self.contraction.view
        for place, factor in enumerate(self.contraction.factors):
            beside = positions
            if beside is None:
                beside = _along(at, view, factor.output_strides)
            bases = factor.bases(view, beside)
            _, first = np.unique(bases, return_index=True)
            chosen = beside[np.sort(first)]
            chosen = np.concatenate(([at], chosen[factor.bases(view, chosen) != factor.bases(view, np.array([at]))]))
            chosen = chosen[: max(1, PLACES // self.leaves)]
            is_shared = factor.table is not None or (self.contraction.kind != "einsum" and place == 0)
            if is_shared:
                chosen = _disjoint(factor.bases(view, chosen), self._offsets[place], chosen)
            if len(chosen) > len(best[1]):
                best = (place, chosen)
        return best

    def _unit_everywhere(self) -> None:
        numbers = self._numbers
        for place, argument in enumerate(self.implementation.arguments):
            is_extra = any(extra.argument == place for extra in self.contraction.extras)
            is_factor = any(factor.argument == place for factor in self.contraction.factors)
            other = numbers.unit * numbers.other if is_extra else numbers.other if is_factor else 0.0
            value = numbers.unit if place == self._argument else other
            filled = np.full(argument.shape, value, np.float64 if argument.format.precision_bits > 24 else np.float32)
            if place == self._argument:
                self._fill = filled
            self.implementation.put(place, filled)

    def _set_extras(self, value: float) -> None:
        for extra in self.contraction.extras:
            kind = np.float64 if self.implementation.arguments[extra.argument].format.precision_bits > 24 else np.float32
            self.implementation.put(extra.argument, np.full(extra.shape, value, kind))

    def _run(self) -> Values:
        self.runs += 1
        return self.implementation.run().reshape(-1)[self.positions]

    def _count(self, results: Values) -> Values:
        unit = self._numbers.unit * self._numbers.other * self.factor
        counts = results.astype(np.float64) / unit
        nearest = np.rint(counts)
        wrong = ~np.isfinite(counts) | (np.abs(counts - nearest) > (0.3 if self.factor != 1.0 else 0.0))
        if wrong.any():
            value = counts[wrong][0]
            raise NotCounts(f"a count of terms came out as {value:.6g}, which is not a whole number")
        return nearest

    def sizes(self, pairs: Indices, *, single: bool = False) -> Values:
        """For each pair of leaves the number of leaves of the smallest subtree that holds both.

        Args:
            pairs: (m, 2) leaf numbers; extra leaves come after the terms.
            single: ask at the first position only, one question a run.

        Raises:
            NotCounts: a result is no whole number, or out of range.
        """
        found = np.zeros(len(pairs))
        with_extra = (pairs >= len(self.terms)).any(1)
        if self._matrix is not None and not with_extra.any() and not single:
            rows, columns, results = self._matrix
            return self._checked(self.leaves - self._count(results[rows[pairs[:, 0]] + columns[pairs[:, 1]]]))
        for flag in (False, True):
            chosen = np.flatnonzero(with_extra == flag)
            if len(chosen):
                found[chosen] = self._sizes(pairs[chosen], flag, 1 if single else self.parallel)
        return self._checked(found)

    def _checked(self, found: Values) -> Values:
        if not np.isfinite(found).all() or np.any(found < 2) or np.any(found > self.leaves):
            worst = found[(found < 2) | (found > self.leaves)][0]
            raise NotCounts(f"the results would put {worst:.0f} of {self.leaves} leaves in one subtree")
        return found

    def _ask_all(self, at: int) -> None:
        """All pairs in one run: M at leaf i in row i of one factor, -M at leaf j in column j of the other."""
        view, factors, numbers = self.contraction.view, self.contraction.factors, self._numbers
        probed, other = factors[self._probed], factors[1 - self._probed]
        columns = _along(at, view, tuple(a if not b else 0 for a, b in zip(probed.output_strides, other.output_strides)))[: self.leaves]
        rows = _along(at, view, tuple(b if not a else 0 for a, b in zip(probed.output_strides, other.output_strides)))[: self.leaves]
        count = len(self.terms)
        if min(len(rows), len(columns)) < count or self.leaves > self._limit or numbers.mask < 2.0**100:
            return
        leaves = np.arange(count)
        filled = np.full(other.shape, numbers.other, self._fill.dtype)
        filled.reshape(-1)[other.bases(view, rows[:count]) + self._offsets[1 - self._probed][leaves]] = numbers.mask
        self.implementation.put(other.argument, filled)
        changed = self._fill.copy()
        changed.reshape(-1)[probed.bases(view, columns[:count]) + self._offsets[self._probed][leaves]] = -numbers.mask
        self.implementation.put(self._argument, changed)
        self.runs += 1
        with np.errstate(over="ignore", invalid="ignore"):
            self._matrix = rows[:count], columns[:count] - at, self.implementation.run().reshape(-1)
        self._unit_everywhere()

    def _sizes(self, pairs: Indices, with_extra: bool, parallel: int) -> Values:
        numbers = self._numbers
        others = self.leaves - 2
        subset = max(1, min(others, self._limit)) if others else 1
        if others > subset:
            subset = self._limit // 2
        chunks = [(start, start + subset) for start in range(0, self.leaves, subset)] if others > subset else [(0, self.leaves)]
        if with_extra:
            self._set_extras(numbers.mask * numbers.other)
        else:
            self._set_extras(numbers.unit * numbers.other)
        outside = np.zeros(len(pairs))
        memory = self.implementation.memory(self._argument)
        flat = memory if memory is not None else self._fill.reshape(-1)
        try:
            for low, high in chunks:
                counted = slice(low, min(high, len(self.terms)))
                if len(chunks) > 1:
                    rows = np.arange(self.parallel)[:, None]
                    flat[self._at(rows, np.arange(len(self.terms))[None, :])] = 0.0
                    flat[self._at(rows, np.arange(len(self.terms))[None, counted])] = numbers.unit
                    if self.contraction.extras and not with_extra:
                        self._set_extras(numbers.unit * numbers.other if high >= self.leaves else 0.0)
                if parallel == 1 and memory is not None and not with_extra:
                    outside += self._ask_in_turn(pairs, flat)
                    continue
                for start in range(0, len(pairs), parallel):
                    outside[start : start + parallel] += self._ask(pairs[start : start + parallel], flat, memory is None)
        finally:
            flat[:] = numbers.unit
            if memory is None:
                self.implementation.put(self._argument, self._fill)
        return self.leaves - outside

    def _ask(self, pairs: Indices, flat: Values, copied: bool) -> Values:
        numbers, rows = self._numbers, np.arange(len(pairs))
        places, signs = [], []
        for column, sign in ((0, 1.0), (1, -1.0)):
            of_terms = pairs[:, column] < len(self.terms)
            places.append(self._at(rows[of_terms], pairs[of_terms, column]))
            # An extra leaf holds M for every position: its partner then takes -M.
            partner_extra = pairs[of_terms, 1 - column] >= len(self.terms)
            signs.append(np.where(partner_extra, -numbers.mask, sign * numbers.mask))
        touched, values = np.concatenate(places), np.concatenate(signs)
        before = flat[touched].copy()
        flat[touched] = values
        if copied:
            self.implementation.put(self._argument, self._fill)
        results = self._run()[: len(pairs)]
        flat[touched] = before
        return self._count(results)

    def _ask_in_turn(self, pairs: Indices, flat: Values) -> Values:
        """One question a run, in the same memory; only for units of one value, or pairs outside the counted leaves keep theirs."""
        mask = self._numbers.mask
        first_row = np.zeros(1, np.int64)
        firsts, seconds = self._at(first_row, pairs[:, 0]), self._at(first_row, pairs[:, 1])
        rests = flat[firsts], flat[seconds]
        self.runs += len(pairs)
        unit = self._numbers.unit
        if (rests[0] == unit).all() and (rests[1] == unit).all():
            changes = zip(firsts.tolist(), repeat(mask), seconds.tolist(), repeat(-mask))
            results = self.implementation.results_on(changes, flat, unit, int(self.positions[0]))
        else:
            results = []
            for first, second, one, two in zip(firsts.tolist(), seconds.tolist(), rests[0].tolist(), rests[1].tolist()):
                flat[first], flat[second] = mask, -mask
                results.append(float(self.implementation.run().reshape(-1)[self.positions[0]]))
                flat[first], flat[second] = one, two
        return self._count(np.array(results))

    def evaluate(self, leaves: Indices, values: Values, other: float) -> Values:
        """The results when some leaves have values and all others are zero.

        Args:
            leaves: (m, w) leaf numbers, terms only. values: (m, w), numbers of the probed input's format. other: the other factor; where
                there is none, values are multiplied with it here.
        """
        if len(self.contraction.factors) == 1:
            values = values * other
        found = np.zeros(len(leaves))
        for place, argument in enumerate(self.implementation.arguments):
            is_factor = any(factor.argument == place for factor in self.contraction.factors)
            kind = np.float64 if argument.format.precision_bits > 24 else np.float32
            self.implementation.put(place, np.full(argument.shape, other if is_factor and place != self._argument else 0.0, kind))
        flat_values = np.zeros_like(self._fill)
        for start in range(0, len(leaves), self.parallel):
            part = leaves[start : start + self.parallel]
            flat = flat_values.reshape(-1)
            touched = self._at(np.arange(len(part))[:, None], part)
            flat[touched] = values[start : start + len(part)]
            self.implementation.put(self._argument, flat_values)
            found[start : start + len(part)] = self._run()[: len(part)]
            flat[touched] = 0.0
        self._unit_everywhere()
        return found


def _along(at: int, view: tuple[int, ...], strides: tuple[int, ...]) -> Indices:
    """The position and all that differ from it along axes with a stride: each reads elements of its own."""
    found = np.array([at], np.int64)
    steps = np.cumprod([1, *view[:0:-1]])[::-1] if view else np.zeros(0, np.int64)
    coordinates = np.unravel_index(at, view) if view else ()
    for size, stride, step, coordinate in zip(view, strides, steps, coordinates):
        if stride and size > 1:
            moves = (np.arange(size) - coordinate) * step
            found = (found[:, None] + moves[None, np.argsort(np.abs(moves), kind="stable")]).ravel()
    return found


def _disjoint(bases: Indices, offsets: Indices, positions: Indices, most: int = 64) -> Indices:
    """Of these positions the first ones that share no element."""
    taken: set[int] = set()
    chosen: list[int] = []
    for base, position in zip(bases[: 4 * most].tolist(), positions.tolist()):
        elements = set((offsets + base).tolist())
        if taken.isdisjoint(elements):
            taken |= elements
            chosen.append(position)
        if len(chosen) == most:
            break
    return np.array(chosen, np.int64)


def uniform_inputs(implementation: Implementation, contraction: Contraction, random: np.random.Generator) -> Sequence[Values]:
    """Random inputs on which every output position adds the same numbers, so that results differ only where orders do.

    Numbers depend on the summed axes alone; in a convolution's image on the channel alone, since its elements meet several taps.
    """
    kinds = [np.float64 if argument.format.precision_bits > 24 else np.float32 for argument in implementation.arguments]
    made: list[Values] = [
        np.full(argument.shape, random.standard_normal(), kind) for argument, kind in zip(implementation.arguments, kinds)
    ]
    for place, factor in enumerate(contraction.factors):
        if factor.table is not None or contraction.kind == "cumulative sum":
            continue
        image = contraction.kind.endswith("convolution") and place == 0
        steps = np.cumprod([1, *factor.shape[:0:-1]])[::-1] if factor.shape else np.zeros(0, np.int64)
        sizes = [1] * len(factor.shape)
        for (_, size), stride in list(zip(contraction.axes, factor.term_strides))[: 1 if image else None]:
            for axis, (extent, step) in enumerate(zip(factor.shape, steps)):
                if image and axis != len(factor.shape) - len(contraction.axes):
                    continue
                if extent == size and (step == stride or image):
                    sizes[axis] = size
        made[factor.argument] = np.broadcast_to(random.standard_normal(sizes).astype(kinds[factor.argument]), factor.shape).copy()
    return made
