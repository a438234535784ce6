"""reveal_order: in which order a function adds, at the user's shapes, and the proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..floats import round_to_format
from ..orders import Contraction, Order, Tree
from ..orders.replaying import replay
from .arithmetic import Arithmetic, arithmetic_of
from .implementation import Implementation
from .masking import Masks, NotCounts, uniform_inputs
from .revealed import PositionClass, RevealedOrder
from .structure import Structure, find_structure
from .trees import reveal_tree

Indices = npt.NDArray[np.int64]
Step = Callable[[str, float], None]

CLASSES = 8
"""At most so many groups of output positions with orders of their own are revealed; NumPy's products have two."""

REPLAYED = 1 << 26
"""Products replayed for the proof in one draw, at most (about 0.2 s); of larger outputs so many positions are drawn at random."""

UNIFORM_WORK = 1 << 28
"""Products that may be spent on finding positions that add alike."""


def _silent(_name: str, _done: float) -> None:
    return


def reveal_order(
    function: Callable[..., Any],
    inputs: Any,
    *,
    keywords: dict[str, Any] | None = None,
    position: tuple[int, ...] | int | None = None,
    draws: int = 4,
    seed: int = 0,
    progress: Step = _silent,
) -> RevealedOrder:
    """In which order does a function add? Asked at the shapes, dtypes, layouts and thread count of the call, and proved by replaying it.

    Args:
        function: computes one sum, mean, dot, product, convolution, einsum of two factors or cumulative sum of its inputs, with or without a
            bias; NumPy, PyTorch, or anything that takes their arrays. Of an `nn.Module` the parameters count as inputs.
        inputs: its inputs; only shapes, dtypes and layouts matter.
        keywords: keyword arguments of the function.
        position: the output position whose order is asked for first; the middle one when left out.
        draws: on how many random inputs the proof is run.
        seed: where they start.
        progress: called with what is being done and how much of it is done (0 to 1).

    Returns:
        The order of each class of output positions that share one; where there is no fixed order, why.

    Raises:
        InputError: the function isn't linear in its inputs, adds nothing, or its terms can't be found.
        RunError: the function raised.

    Numerics:
        An order is *proved* on the drawn inputs when replaying it gives the function's result in every bit, and otherwise *consistent with the
        probes*. That an order does not depend on values is assumed by the probes and tested by the proof.

    Example:
        >>> import numpy as np
        >>> found = reveal_order(lambda x: x.sum(0), (np.ones((100, 8), np.float32),))
        >>> found.order.describe()
        'one chain over k (100 terms)'

    References:
        Xie, Gao, Wang, Xue, "FPRev: Revealing Floating-Point Summation Order", USENIX ATC 2025.
    """
    if draws < 1:
        raise InputError(f"Got draws={draws}. Needed: at least 1. An order is proved by replaying it on random inputs. Leave it out for 4.")
    implementation = Implementation(function, inputs, keywords)
    structure = find_structure(implementation)
    contraction = structure.contraction
    if contraction.terms < 1 or not contraction.positions:
        raise InputError(
            f"Got a function that adds no terms (result of shape {implementation.shape}). Needed: at least one term. An empty sum has no order. "
            "Pass inputs of the shape that you use."
        )
    start = _position(contraction, position)
    samples = [_random_inputs(implementation, seed + draw) for draw in range(draws)]
    results = [implementation.run(values).reshape(-1).copy() for values in samples]
    checked = _checked_positions(contraction, start, seed)
    if not _repeats(implementation, samples[0], results[0]):
        problem = (
            "two runs on the same inputs give different bits: partial results are added as they come in (atomic additions, a race between "
            "threads, or random numbers)"
        )
        return RevealedOrder(contraction, (PositionClass(None, checked, start, "nothing", 0, problem),), implementation.shape, draws, 0)
    classes, runs = _classes(implementation, structure, start, checked, samples, results, progress)
    return RevealedOrder(contraction, tuple(classes), implementation.shape, draws, runs)


def _classes(
    implementation: Implementation,
    structure: Structure,
    start: int,
    checked: Indices,
    samples: list[list[npt.NDArray[Any]]],
    results: list[npt.NDArray[Any]],
    progress: Step,
) -> tuple[list[PositionClass], int]:
    """Reveal at one position, replay everywhere, and go on at a position where the replay differs, until none is left."""
    contraction = structure.contraction
    alike = _alike(implementation, contraction)
    left = checked
    found: list[PositionClass] = []
    runs = 0
    while len(left) and len(found) < CLASSES:
        at = start if not found else int(left[len(left) // 2])
        candidates = _candidates(contraction, at, left if found else None, alike)
        order, asked, problem = None, 0, ""
        for positions in (candidates, np.array([at])):
            try:
                order, asked = _order_at(implementation, structure, positions, progress)
                problem = ""
                break
            except NotCounts as error:
                problem = str(error)
                if len(candidates) == 1:
                    break
        runs += asked
        if order is None:
            found.append(PositionClass(None, left, at, "nothing", 0, _no_tree(problem)))
            break
        order, same = _matching(order, contraction, left, at, samples, results)
        if not same.any():
            found.append(PositionClass(order, np.array([at]), at, "consistent with the probes", 0, _not_proved(contraction, problem)))
            left = left[left != at]
            if len(found) > 1 or len(left) == 0:
                break
            continue
        found.append(PositionClass(order, left[same], at, "proved", len(samples), ""))
        left = left[~same]
    if len(left) and found and found[-1].order is not None and len(found) >= CLASSES:
        found.append(PositionClass(None, left, int(left[0]), "nothing", 0, f"more than {CLASSES} orders in one result; the rest was not asked"))
    return found, runs


def _order_at(implementation: Implementation, structure: Structure, positions: Indices, progress: Step) -> tuple[Order, int]:
    contraction = structure.contraction
    present = _present(contraction, positions[:1])[0]
    terms = np.flatnonzero(present)
    masks = Masks(implementation, contraction, structure.factor, positions, terms)
    if masks.leaves == 1:
        tree = Tree.from_nodes(1, 0, [])
        arithmetic = Arithmetic(0, "nearest", None, 0, 0)
    else:
        tree = reveal_tree(masks, len(contraction.extras), progress)
        arithmetic = arithmetic_of(masks, tree)
    if len(terms) < contraction.terms:
        tree = _with_missing(tree, terms, contraction.terms)
    inputs = implementation.arguments[contraction.factors[0].argument].format
    order = Order(
        tree,
        contraction.axes,
        len(contraction.factors) > 1,
        tuple(extra.name for extra in contraction.extras),
        arithmetic.fma if arithmetic.asked else None,
        arithmetic.accumulator(inputs),
        implementation.output.name,
        arithmetic.rounding,
    )
    if structure.factor != 1.0:
        count = round(1.0 / structure.factor)
        order = order.with_arithmetic(scale=("divide", float(count)) if count == len(terms) else ("multiply", structure.factor))
    return order, masks.runs


def _with_missing(tree: Tree, terms: Indices, count: int) -> Tree:
    """The tree of the terms that are present, with those that padding leaves out added at the end as the zeros they are."""
    missing = np.setdiff1d(np.arange(count), terms)
    extras = tree.extras
    number = [*terms.tolist(), *range(count, count + extras)]
    shift = count - tree.terms

    def renumbered(each: int) -> int:
        return number[each] if each < tree.terms + extras else each + shift

    nodes = [tuple(renumbered(each) for each in members) for members in tree.nodes()]
    total = count + extras + len(nodes) - 1 if nodes else number[0]
    for term in missing.tolist():
        nodes.append((total, term))
        total = count + extras + len(nodes) - 1
    return Tree.from_nodes(count, extras, nodes)


def _matching(
    order: Order,
    contraction: Contraction,
    positions: Indices,
    at: int,
    samples: list[list[npt.NDArray[Any]]],
    results: list[npt.NDArray[Any]],
) -> tuple[Order, npt.NDArray[np.bool_]]:
    """Of the arithmetics that the probes leave open the one that reproduces the results, and where it does."""
    near = positions[np.argsort(np.abs(positions - at), kind="stable")[:64]]
    best, most = order, -1
    for candidate in _variants(order):
        agreed = int((replay(candidate, contraction, samples[0], near) == results[0][near]).sum())
        if agreed > most:
            best, most = candidate, agreed
        if agreed == len(near):
            break
    same = np.ones(len(positions), np.bool_)
    for values, result in zip(samples, results):
        same &= replay(best, contraction, values, positions) == result[positions]
    return best, same


def _variants(order: Order) -> Iterator[Order]:
    """The order as probed, then with what the probes could not tell."""
    scales = [order.scale]
    if order.scale is not None and order.scale[0] == "divide":
        scales.append(("multiply", 1.0 / order.scale[1]))
    fused = [order.fma] if order.fma is not None or not order.products else [True, False]
    late = [False, True] if order.extras and order.accumulator != order.output else [False]
    for accumulator in dict.fromkeys((order.accumulator, "float32", "float64")):
        for fma in fused:
            for scale in scales:
                for rounds in late:
                    yield order.with_arithmetic(accumulator=accumulator, fma=fma, scale=scale, rounds_before_extras=rounds)


def _random_inputs(implementation: Implementation, seed: int) -> list[npt.NDArray[Any]]:
    random = np.random.default_rng(seed)
    made: list[npt.NDArray[Any]] = []
    for argument in implementation.arguments:
        kind = np.float64 if argument.format.precision_bits > 24 else np.float32
        values = random.standard_normal(argument.shape, dtype=kind)
        made.append(values if argument.format.storage_bits >= 32 else round_to_format(values, argument.format).astype(np.float32))
    return made


def _repeats(implementation: Implementation, values: list[npt.NDArray[Any]], first: npt.NDArray[Any]) -> bool:
    return all(np.array_equal(implementation.run(values).reshape(-1), first, equal_nan=True) for _ in range(2))


def _position(contraction: Contraction, position: tuple[int, ...] | int | None) -> int:
    shape = contraction.output_shape
    if position is None:
        if contraction.kind == "cumulative sum":
            return contraction.positions - 1
        middle = tuple(size // 2 for size in shape)
        return int(np.ravel_multi_index(middle, shape)) if shape else 0
    given = (position,) if isinstance(position, int) else tuple(position)
    try:
        return int(np.ravel_multi_index(given, shape)) if shape else 0
    except (ValueError, TypeError) as error:
        raise InputError(
            f"Got position={position} for a result of shape {shape}. Needed: one index for each axis, within it. It names the output whose order "
            "you ask about. Leave it out for the middle one."
        ) from error


def _checked_positions(contraction: Contraction, start: int, seed: int) -> Indices:
    """All positions, or as many as may be replayed, drawn at random."""
    most = max(64, REPLAYED // contraction.terms)
    if contraction.positions <= most:
        return np.arange(contraction.positions)
    drawn = np.random.default_rng(seed).integers(0, contraction.positions, most)
    return np.unique(np.append(drawn, start))


def _present(contraction: Contraction, positions: Indices) -> npt.NDArray[np.bool_]:
    if contraction.kind == "einsum":
        return np.ones((len(positions), contraction.terms), np.bool_)
    return contraction.present(positions)


def _alike(implementation: Implementation, contraction: Contraction) -> npt.NDArray[np.int64] | None:
    """A number for each position: equal where, on inputs that are the same for all positions, all results were."""
    if contraction.positions == 1 or contraction.kind in ("table", "cumulative sum"):
        return None
    random = np.random.default_rng(11)
    draws = int(np.clip(UNIFORM_WORK // (contraction.positions * contraction.terms), 2, 12))
    numbers = np.zeros(contraction.positions, np.int64)
    for _ in range(draws):
        inputs = uniform_inputs(implementation, contraction, random)
        formats = [argument.format for argument in implementation.arguments]
        rounded = [each if kind.storage_bits >= 32 else round_to_format(each, kind).astype(np.float32) for each, kind in zip(inputs, formats)]
        bits = implementation.run(rounded).reshape(-1)
        if (bits == bits[0]).all():
            continue
        _, numbers = np.unique(np.stack((numbers.astype(np.float64), bits.astype(np.float64))), axis=1, return_inverse=True)
        numbers = numbers.reshape(-1)
    return numbers


def _candidates(contraction: Contraction, at: int, among: Indices | None, alike: npt.NDArray[np.int64] | None) -> Indices:
    """Positions that seem to add in the same order as one of them, that one first."""
    if alike is None:
        return np.array([at])
    positions = np.flatnonzero(alike == alike[at])
    if among is not None:
        positions = positions[np.isin(positions, among)]
    positions = np.concatenate(([at], positions[positions != at]))
    if contraction.kind != "einsum":
        positions = positions[:4096]
        present = _present(contraction, positions)
        positions = positions[(present == present[0]).all(1)]
    return positions


def _no_tree(problem: str) -> str:
    return (
        f"no fixed tree of additions: {problem}. Compensated or exact summation, Winograd and Fourier convolutions, products split into several, "
        "and orders that depend on values look like this"
    )


def _not_proved(contraction: Contraction, problem: str) -> str:
    reason = f" ({problem})" if problem else ""
    return f"replaying the order does not give the same bits{reason}: intermediate results are rounded in a way that the probes do not see"
