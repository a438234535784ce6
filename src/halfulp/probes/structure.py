"""Which elements of the inputs meet in which element of the output: found by running the function on small integers.

Small integers are added exactly in every order, so a guess about the structure is right or wrong, never nearly right. Guesses come from
the shapes (every way to pair axes of equal size), from impulses (convolutions), or, for small functions of any other form, from one run
per element.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..errors import InputError
from ..orders import Contraction
from ..orders.contraction import ExtraLeaf, convolution, cumulative_sum, einsum, row_major_strides, table
from ..words.numbers import shaped
from .implementation import Implementation

Values = npt.NDArray[Any]

CHECKED = 64
"""At how many random output positions a guess has to be right in each draw. A wrong pairing of axes is off by about the size of the
results, so it comes within a 16th of it at 64 positions by chance with probability below 2**-200."""

TOLERANCES = {True: 2.0**-8, False: 2.0**-4}
"""How far rounding may move results, as a share of the largest: of float32 and wider (an error of a few thousand u), and of 16-bit
formats."""

NEARLY = 1e-4
"""How far results may be from integers, as a share of the largest: Winograd's convolutions of float32 lose two to three of seven digits."""

SAME_COEFFICIENT = 1e-6
"""Two coefficients are one where float32 rounds them that near: 16 roundings."""

MOST_AXES = 6
"""So many axes of the output, and as many that are summed over, have letters; functions with more are found as tables."""

TABLE_RUNS = 4096
"""Up to so many elements of the probed input the structure may be found by one run each."""


@dataclass(frozen=True)
class Structure:
    """A contraction and the numbers that its parts are multiplied by.

    Attributes:
        contraction: which elements meet. factor: the number that the sums are multiplied by: 1 unless the function is a mean or scales
            its result.
        extra_factors: for each extra leaf, the number that it is multiplied by before it is added to the scaled sums, as by `beta` of
            addmm. Empty if neither is multiplied.
    """

    contraction: Contraction
    factor: float
    extra_factors: tuple[float, ...] = ()


@dataclass(frozen=True)
class Sample:
    """One run: random inputs, and the flat result."""

    inputs: list[Values]
    result: Values


class _Trial:
    """Runs on random numbers, and whether a guess explains them."""

    def __init__(self, implementation: Implementation, samples: Sequence[Sample]) -> None:
        self.samples = samples
        wide = min(*(argument.format.storage_bits for argument in implementation.arguments), implementation.output.storage_bits) >= 32
        self.tolerance = TOLERANCES[wide]
        count = samples[0].result.size
        self.positions = np.unique(np.random.default_rng(2024).integers(0, count, CHECKED))

    def explains(self, contraction: Contraction) -> float | None:
        """The factor with which the contraction gives the results at the chosen positions, roughly; None where it doesn't."""
        found: list[float] = []
        for sample in self.samples:
            wanted = sample.result[self.positions].astype(np.float64)
            few = _predicted(contraction, sample.inputs, self.positions[:4])
            if self._factor(few, wanted[:4]) is None:
                return None
            predicted = np.concatenate((few, _predicted(contraction, sample.inputs, self.positions[4:])))
            factor = self._factor(predicted, wanted)
            if factor is None:
                return None
            found.append(factor)
        middle = float(np.median(found))
        return middle if max(abs(value - middle) for value in found) <= 4 * self.tolerance * abs(middle) else None

    def scales(self, contraction: Contraction) -> bool:
        """Whether the sums times one factor plus the extra leaves times others give the results; no factor may be zero."""
        found: list[Values] = []
        for sample in self.samples:
            wanted = sample.result[self.positions].astype(np.float64)
            alone = _predicted(replace(contraction, extras=()), sample.inputs, self.positions)
            extras = [sample.inputs[extra.argument].ravel()[extra.bases(contraction.view, self.positions)] for extra in contraction.extras]
            parts = np.stack([alone, *extras], 1).astype(np.float64)
            if len(parts) <= parts.shape[1] or not np.isfinite(wanted).all():
                return False  # any factors fit so few results
            factors = np.linalg.lstsq(parts, wanted, rcond=None)[0]
            sizes = np.abs(parts * factors).max(0)
            if (np.abs(wanted - parts @ factors) > self.tolerance * sizes.max()).any() or sizes.min() <= self.tolerance * sizes.max():
                return False
            found.append(factors)
        return bool(np.ptp(found, axis=0).max() <= 4 * self.tolerance * np.abs(found).max())

    def _factor(self, predicted: Values, wanted: Values) -> float | None:
        if not np.isfinite(wanted).all():
            return None  # it overflows: no sum of these numbers
        scale = float(np.abs(predicted).max(initial=0.0))
        if not scale:
            return None if np.any(wanted) else 1.0
        place = int(np.argmax(np.abs(predicted)))
        factor = float(wanted[place] / predicted[place])
        close = np.abs(wanted - factor * predicted) <= self.tolerance * abs(factor) * scale
        return factor if factor and bool(close.all()) else None


def _predicted(contraction: Contraction, inputs: Sequence[Values], positions: npt.NDArray[np.int64]) -> Values:
    products: Values | float = 1.0
    for factor in contraction.factors:
        places = factor.bases(contraction.view, positions)[:, None] + factor.offsets(contraction.sizes)[None, :]
        products = products * factor.prepared(inputs[factor.argument])[places].astype(np.float64)
    total = np.asarray(products).sum(1)
    for extra in contraction.extras:
        total = total + inputs[extra.argument].ravel()[extra.bases(contraction.view, positions)]
    return total


def find_structure(implementation: Implementation, samples: Sequence[Sample], *, thorough: bool = True) -> Structure:
    """The contraction that a function computes.

    Args:
        implementation: the function. samples: what it gave on random inputs.
        thorough: whether structures of other forms may be found by many runs.

    Raises:
        InputError: it isn't linear in its inputs, has internal weights, or is of a form that can't be found; the message says which.
    """
    trial = _Trial(implementation, samples)
    coarse = any(argument.format.storage_bits < 32 for argument in implementation.arguments)
    probed = implementation.in_format(torch.float32) if coarse else implementation
    for contraction in _guesses(probed, thorough=thorough):
        roughly = trial.explains(contraction)
        if roughly is None:
            continue
        if abs(roughly - 1.0) <= 4 * trial.tolerance:
            return Structure(contraction, 1.0)
        if not contraction.extras:
            return Structure(contraction, _exact_factor(probed, contraction))
    for contraction in _guesses(probed, thorough=False):
        if contraction.extras and trial.scales(contraction):
            alone = replace(contraction, extras=())
            return Structure(contraction, _exact_factor(probed, alone), _exact_extra_factors(probed, contraction))
    raise _refusal(probed) if thorough else InputError("no sum or product")


def _exact_factor(implementation: Implementation, contraction: Contraction) -> float:
    """The factor of the sums, from a run on ones, of which sums are exact."""
    of_sums = {factor.argument for factor in contraction.factors}
    ones = [np.full(argument.shape, float(place in of_sums), np.float32) for place, argument in enumerate(implementation.arguments)]
    wanted = implementation.run(ones).reshape(-1)[:1].astype(np.float64)
    return float(wanted[0] / _predicted(contraction, ones, np.zeros(1, np.int64))[0])


def _exact_extra_factors(implementation: Implementation, contraction: Contraction) -> tuple[float, ...]:
    """The number that each extra leaf is multiplied by: the result when the leaf is one and everything else is zero."""
    found: list[float] = []
    for extra in contraction.extras:
        given = [
            np.full(argument.shape, float(place == extra.argument), np.float32) for place, argument in enumerate(implementation.arguments)
        ]
        found.append(float(implementation.run(given).reshape(-1)[0]))
    return tuple(found)


def _guesses(implementation: Implementation, *, thorough: bool) -> Iterator[Contraction]:
    shapes = [argument.shape for argument in implementation.arguments]
    count = len(shapes)
    for factors in _roles(count):
        beside = [place for place in range(count) if place not in factors]
        for guess in _einsums([shapes[place] for place in factors], factors, implementation.shape):
            yield from _with_extras(guess, beside, shapes)
    if count == 1 and shapes[0] == implementation.shape:
        for axis in range(len(shapes[0])):
            yield cumulative_sum(shapes[0], axis, 0)
    for factors in _roles(count):
        if len(factors) == 2:
            beside = [place for place in range(count) if place not in factors]
            for guess in _convolutions(implementation, factors):
                yield from _with_extras(guess, beside, shapes)
    for factors in _roles(count):
        if len(factors) == count and thorough:
            found = _table(implementation, factors)
            if found is not None:
                yield found


def _roles(count: int) -> Iterator[tuple[int, ...]]:
    """Which arguments are factors; the others are added."""
    if count == 1:
        yield (0,)
        return
    for first in range(count):
        for second in range(count):
            if first != second and count <= 3:
                yield (first, second)
    if count == 2:
        yield (0,)
        yield (1,)


def _einsums(shapes: list[tuple[int, ...]], arguments: tuple[int, ...], output: tuple[int, ...]) -> Iterator[Contraction]:
    """Every way to read the shapes as einsum's letters: each output axis comes from one factor or both, the rest is summed over."""
    wide = [place for place, size in enumerate(output) if size > 1]
    letters = "ijlopq"[: len(wide)]
    if len(wide) > MOST_AXES or any(len(shape) > 2 * MOST_AXES or 0 in shape for shape in shapes):
        return
    sizes = [output[place] for place in wide]
    axes = [[axis for axis, size in enumerate(shape) if size > 1] for shape in shapes]
    if len(shapes) == 1:
        yield from _einsum_of_one(shapes[0], arguments, output, letters, sizes)
        return
    if arguments[0] > arguments[1]:  # the pairing below is symmetric
        return
    for labels in _labelings(sizes, letters, shapes, axes):
        rest = [[axis for axis in axes[side] if axis not in labels[side]] for side in (0, 1)]
        if len(rest[0]) != len(rest[1]) or len(rest[0]) > MOST_AXES:
            continue
        for pairing in permutations(rest[1]):
            if all(shapes[0][one] == shapes[1][two] for one, two in zip(rest[0], pairing)):
                named = [dict(labels[0]), dict(labels[1])]
                for number, (one, two) in enumerate(zip(rest[0], pairing)):
                    named[0][one] = named[1][two] = "kmnrst"[number]
                yield _einsum_named(shapes, named, letters, output, arguments)


def _labelings(
    sizes: list[int], letters: str, shapes: list[tuple[int, ...]], axes: list[list[int]]
) -> Iterator[tuple[dict[int, str], dict[int, str]]]:
    """For each output axis the axis of the first factor, of the second, or of both (a batch) that it comes from."""

    def extend(place: int, first: dict[int, str], second: dict[int, str]) -> Iterator[tuple[dict[int, str], dict[int, str]]]:
        if place == len(sizes):
            yield first, second
            return
        size, letter = sizes[place], letters[place]
        ones = [axis for axis in axes[0] if axis not in first and shapes[0][axis] == size]
        twos = [axis for axis in axes[1] if axis not in second and shapes[1][axis] == size]
        for one in ones:
            yield from extend(place + 1, {**first, one: letter}, second)
        for two in twos:
            yield from extend(place + 1, first, {**second, two: letter})
        for one in ones:
            for two in twos:
                yield from extend(place + 1, {**first, one: letter}, {**second, two: letter})

    return extend(0, {}, {})


def _einsum_of_one(
    shape: tuple[int, ...], arguments: tuple[int, ...], output: tuple[int, ...], letters: str, sizes: list[int]
) -> Iterator[Contraction]:
    axes = [axis for axis, size in enumerate(shape) if size > 1]
    for chosen in permutations(axes, len(letters)):
        if [shape[axis] for axis in chosen] == sizes and len(axes) - len(chosen) <= MOST_AXES:
            named = dict(zip(chosen, letters))
            for number, axis in enumerate(axis for axis in axes if axis not in chosen):
                named[axis] = "kmnrst"[number]
            yield _einsum_named([shape], [named], letters, output, arguments)


def _einsum_named(
    shapes: list[tuple[int, ...]], named: list[dict[int, str]], letters: str, output: tuple[int, ...], arguments: tuple[int, ...]
) -> Contraction:
    # Axes of size one carry nothing; each gets a letter of its own and is summed over or not without effect.
    narrow = iter("abcdefghuvwxyz")
    labels = ["".join(names.get(axis) or next(narrow) for axis in range(len(shape))) for shape, names in zip(shapes, named)]
    found = einsum(shapes, labels, letters, output, arguments)
    kept = tuple(axis for axis in found.axes if axis[1] > 1) or (("k", 1),)
    if len(kept) != len(found.axes):
        places = [place for place, axis in enumerate(found.axes) if axis[1] > 1]
        factors = tuple(
            replace(factor, term_strides=tuple(factor.term_strides[place] for place in places) or (0,)) for factor in found.factors
        )
        found = replace(found, axes=kept, factors=factors)
    return found


def _with_extras(guess: Contraction, beside: list[int], shapes: list[tuple[int, ...]]) -> Iterator[Contraction]:
    """The guess with every other argument added where its shape broadcasts or matches an axis of the output."""
    if not beside:
        yield guess
        return
    if len(beside) > 1:
        return
    shape = shapes[beside[0]]
    strides = row_major_strides(shape)
    names = [place for place, size in enumerate(shape) if size > 1]
    wide = [place for place, size in enumerate(guess.view) if size > 1]
    for chosen in permutations(wide, len(names)):
        if list(chosen) != sorted(chosen) or [guess.view[place] for place in chosen] != [shape[place] for place in names]:
            continue
        of_axis = dict(zip(chosen, (strides[place] for place in names)))
        yield replace(
            guess, extras=(ExtraLeaf("bias", beside[0], shape, tuple(of_axis.get(place, 0) for place in range(len(guess.view)))),)
        )
    if guess.kind.endswith("convolution") and guess.view[1] > 1 and len(names) == 1 and shape[names[0]] == guess.view[1] * guess.view[2]:
        yield replace(guess, extras=(ExtraLeaf("bias", beside[0], shape, (0, guess.view[2], 1, *(0,) * (len(guess.view) - 3))),))


def _convolutions(implementation: Implementation, factors: tuple[int, ...]) -> Iterator[Contraction]:
    x, weight = (implementation.arguments[place].shape for place in factors)
    output = implementation.shape
    dimensions = len(weight) - 2
    if dimensions < 1 or len(x) not in (len(weight), len(weight) - 1) or len(output) != len(x):
        return
    channels, out_channels = x[-dimensions - 1], output[-dimensions - 1]
    triples: list[tuple[Values, Values, Values]] | None = None
    for transposed in (False, True):
        inner, outer = (weight[0], weight[1]) if transposed else (weight[1], weight[0])
        groups = out_channels // outer if transposed else channels // max(inner, 1)
        fits = (
            (inner == channels and outer * groups == out_channels) if transposed else (inner * groups == channels and outer == out_channels)
        )
        if not fits or not groups or (not transposed and out_channels % groups) or (transposed and channels % groups):
            continue
        triples = triples or _meetings(implementation, factors, dimensions)
        if triples is None:
            return
        stride, dilation, padding = (tuple(entry) for entry in zip(*(_affine(*axis, transposed=transposed) for axis in triples)))
        yield convolution(
            x, weight, output, stride=stride, padding=padding, dilation=dilation, groups=groups, transposed=transposed,
            arguments=(factors[0], factors[1]),
        )  # fmt: skip


def _meetings(implementation: Implementation, factors: tuple[int, ...], dimensions: int) -> list[tuple[Values, Values, Values]] | None:
    """For impulses near the middle of x: per axis of space where the impulse was, where it came out, and by which tap."""
    x, weight = (implementation.arguments[place].shape for place in factors)
    output = implementation.shape
    numbered = np.arange(1, int(np.prod(weight)) + 1, dtype=np.float32).reshape(weight)
    if numbered.size >= 1 << 24:
        return None
    space = x[-dimensions:]
    rows: list[list[list[int]]] = [[[], [], []] for _ in range(dimensions)]
    # Where stride and dilation share a divisor only every so many elements are used: two of these neighbors are, up to strides of 3.
    for steps in product(range({1: 8, 2: 6}.get(dimensions, 4)), repeat=dimensions):
        where = [min(size // 2 + step, size - 1) for size, step in zip(space, steps)]
        impulse = np.zeros(x, np.float32)
        impulse[(*(0,) * (len(x) - dimensions), *where)] = 1.0
        values = [np.zeros(argument.shape, np.float32) for argument in implementation.arguments]
        values[factors[0]], values[factors[1]] = impulse, numbered
        exact = implementation.run(values)
        result = np.rint(exact)
        # Fast convolutions (Winograd, Fourier) come near the integers.
        if np.any(np.abs(exact - result) > min(0.25, NEARLY * numbered.size)) or result.min() < 0 or result.max() > numbered.size:
            return None
        hit = np.argwhere(result > 0)
        taps = np.array(np.unravel_index(result[tuple(hit.T)].astype(np.int64) - 1, weight))[-dimensions:]
        for axis in range(dimensions):
            rows[axis][0] += [where[axis]] * len(hit)
            rows[axis][1] += hit[:, len(output) - dimensions + axis].tolist()
            rows[axis][2] += taps[axis].tolist()
    if not rows[0][0]:
        return None
    return [(np.array(a), np.array(b), np.array(c)) for a, b, c in rows]


def _affine(inside: Values, outside: Values, taps: Values, *, transposed: bool) -> tuple[int, int, int]:
    """(stride, dilation, padding) from inside = stride outside + dilation tap - padding; the transpose exchanges inside and outside."""
    source, target = (outside, inside) if not transposed else (inside, outside)
    varies = [np.ptp(source) > 0, np.ptp(taps) > 0]
    columns = [values for values, kept in zip((source, taps), varies) if kept]
    matrix = np.stack([*columns, np.ones(len(source))], 1).astype(np.float64)
    solution = np.rint(np.linalg.lstsq(matrix, target.astype(np.float64), rcond=None)[0]).astype(int).tolist()
    stride = solution[0] if varies[0] else 1
    dilation = solution[1 if varies[0] else 0] if varies[1] else 1
    padding = int(np.rint(np.mean(stride * source + dilation * taps - target)))
    return max(1, stride), max(1, dilation), padding


def _table(implementation: Implementation, factors: tuple[int, ...]) -> Contraction | None:
    """One run per element of the first factor, with the elements of the second numbered."""
    shapes = [implementation.arguments[place].shape for place in factors]
    count = int(np.prod(shapes[0], dtype=np.int64))
    positions = int(np.prod(implementation.shape, dtype=np.int64))
    if count > TABLE_RUNS or count * positions > 1 << 26:
        return None
    values = [np.zeros(argument.shape, np.float32) for argument in implementation.arguments]
    if len(factors) == 2:
        values[factors[1]] = np.arange(1, int(np.prod(shapes[1])) + 1, dtype=np.float32).reshape(shapes[1])
    met = np.zeros((positions, count))
    for element in range(count):
        impulse = np.zeros(count, np.float32)
        impulse[element] = 1.0
        values[factors[0]] = impulse.reshape(shapes[0])
        met[:, element] = implementation.run(values).ravel()
    if len(factors) == 1:
        coefficients = np.unique(met[met != 0])
        if len(coefficients) != 1:
            return None
    elif np.any(met < 0) or np.any(met != np.rint(met)) or met.max(initial=0) > int(np.prod(shapes[1])):
        return None
    widest = int((met != 0).sum(1).max(initial=0))
    if not widest:
        return None
    tables = [np.full((positions, widest), -1, np.int64) for _ in factors]
    for position in range(positions):
        elements = np.flatnonzero(met[position])
        tables[0][position, : len(elements)] = elements
        if len(factors) == 2:
            tables[1][position, : len(elements)] = met[position, elements].astype(np.int64) - 1
    return table(shapes, tables, implementation.shape, factors)


def _refusal(implementation: Implementation) -> InputError:
    """Why no structure was found, from what the function does to sums and multiples of its inputs."""
    random = np.random.default_rng(7)

    def drawn() -> list[Values]:
        return [random.choice((-3, -2, -1, 1, 2, 3), argument.shape).astype(np.float32) for argument in implementation.arguments]

    draw, other = drawn(), drawn()
    zero = implementation.run([np.zeros_like(array) for array in draw])
    once = implementation.run(draw)
    for place, argument in enumerate(implementation.arguments):

        def at(values: Values, place: int = place) -> Values:
            return implementation.run([values if number == place else array for number, array in enumerate(draw)])

        without, doubled, negative = at(np.zeros_like(draw[place])), at(draw[place] * 2), at(-draw[place])
        both, beside = at(draw[place] + other[place]), at(other[place])
        if _is_near(doubled - without, 2 * (once - without)) and _is_near(both - without, (once - without) + (beside - without)):
            continue
        return InputError(
            f"Got a function that isn't linear in {argument.name} (shape {argument.shape}): "
            f"{_nonlinearity(once - without, doubled - without, negative - without)} Needed: a sum, mean, product or convolution. Only "
            "those have an order of summation. Ask about the linear step alone, or use halfulp.check for the whole."
        )
    if np.any(zero != 0):
        return InputError(
            "Got a function whose result isn't zero when all its inputs are zero. Needed: a sum, product or convolution of its inputs. "
            "halfulp can't control a term that the function adds on its own. Pass a bias as an input of its own, or pass the nn.Module "
            "itself."
        )
    shapes = [argument.shape for argument in implementation.arguments]
    return InputError(
        f"Got a linear function of {'one ' if len(shapes) == 1 else ''}{shaped('input', shapes)} "
        f"with a result of shape {implementation.shape}"
        f"{_coefficients(implementation)} Needed: one sum, mean, product, einsum, convolution or cumulative sum of its inputs, "
        f"or a sum of any other form over at most {TABLE_RUNS} elements, in each case with "
        "the same coefficient for every term. halfulp can't change weights that are inside "
        "the function. Pass "
        "weights as inputs, or the nn.Module itself."
    )


def _is_near(left: Values, right: Values) -> bool:
    return bool(np.allclose(left, right, rtol=1e-3, atol=1e-3 * max(1.0, float(np.abs(right).max(initial=0.0)))))


def _nonlinearity(once: Values, doubled: Values, negative: Values) -> str:
    """How a function is not linear, from what it gives for an input, twice the input and the negated one."""
    if _is_near(doubled, 4 * once) and _is_near(negative, once):
        return "twice the input gives four times the result, as with sums of squares and variances."
    if _is_near(doubled, 2 * once) and _is_near(negative, once):
        return "it gives the same result for the negated input, as norms and standard deviations do."
    if _is_near(doubled, 2 * once):
        return (
            "the result for a sum of two inputs is not the sum of their results: which terms it adds depends on their values (it may sort "
            "them, or take the largest or the absolute values)."
        )
    return "twice the input does not give twice the result."


def _coefficients(implementation: Implementation) -> str:
    """What keeps a linear function from being one sum of its terms, in words."""
    shapes = [argument.shape for argument in implementation.arguments]
    zeros = [np.zeros(shape, np.float32) for shape in shapes]
    parts = 0
    for place, shape in enumerate(shapes):
        alone = implementation.run([*zeros[:place], np.ones(shape, np.float32), *zeros[place + 1 :]])
        parts += bool(np.any(alone != 0))
    if parts > 1:
        return f"; it adds {parts} parts that depend on one input each."
    if len(shapes) > 2:
        return "; it adds several products."
    if len(shapes) == 1 and int(np.prod(shapes[0], dtype=np.int64)) <= TABLE_RUNS:
        seen: list[float] = []
        for element in range(int(np.prod(shapes[0], dtype=np.int64))):
            impulse = np.zeros(shapes[0], np.float32)
            impulse.reshape(-1)[element] = 1.0
            result = implementation.run([impulse])
            for value in np.unique(result[result != 0]).tolist():
                seen += [] if any(abs(value - one) <= SAME_COEFFICIENT * abs(one) for one in seen) else [value]
            if len(seen) > 1:
                return f"; its terms have different coefficients ({seen[0]:.6g}, {seen[1]:.6g} ...)."
    return "; its terms could not be found."
