"""order: in which order a function adds, at the user's shapes, and the proof."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..floats import FORMATS, Format, round_to_format
from ..orders import Contraction, Order, Tree
from ..orders.compensated import programs
from ..orders.families import candidates
from ..orders.replayed import replay, replay_samples
from ..words.numbers import shaped
from .arithmetic import Arithmetic, arithmetic_of
from .implementation import Implementation
from .masks import Masks, NotCounts, numbers_for, uniform_inputs
from .revealed import COMPENSATED, PositionClass, RevealedOrder
from .structure import Sample, Structure, find_structure
from .trees import agrees, reveal_tree

Indices = npt.NDArray[np.int64]
Step = Callable[[str, float], None]

CLASSES = 8
"""At most so many groups of output positions with orders of their own are revealed; NumPy's products have two."""

DRAWS, DRAWS_OF_LARGE, OUTPUTS = 4, 1, 128
"""Random inputs of the proof: so many that at least 128 outputs are replayed; of large inputs with 128 outputs or more one."""

DRAWS_OF_MIXED = 32
"""Where outputs are added in several orders each has to be told by its own bits: two orders agree in up to three of four draws (0.75**32 =
1e-4)."""

DRAWN = 1 << 24
"""Random numbers drawn for the proof, at most (0.1 s), unless `draws` asks for more."""

REPEATS = 6

PATIENCE_S = 120.0
"""Longer than this, questions are not asked unless the caller allows it."""

REPLAYED, REPLAYED_OF_LARGE = 1 << 31, 1 << 26
"""Products replayed for the proof in one draw, at most: about 0.2 s, and 10 ms for large inputs, of which random rows are then replayed."""

COMPENSATED_TERMS = 1 << 18
"""Terms that are added by compensated programs in one draw, at most: a second for all programs and draws."""

QUESTIONS, SPOTS_OF_FAMILY = 256, 64
"""With so many leaves for each question that a run answers, common orders are tried before asking; one that gives the bits is asked at so
many random pairs of leaves, which another order would have to answer alike."""

FEW = 64
"""So few outputs are replayed one by one, in all samples at once."""

NEAR = 32
"""At so many positions the arithmetics that probes leave open are tried."""

UNIFORM_DRAWS = 12
"""Runs to find positions that add alike: two orders of a few terms give the same bits in up to three of four draws (0.75**12 = 0.03)."""


def _silent(_name: str, _done: float) -> None:
    return


def order(
    function: Callable[..., Any],
    inputs: Any,
    *,
    keywords: dict[str, Any] | None = None,
    position: tuple[int, ...] | int | None = None,
    draws: int | None = None,
    seed: int = 0,
    everywhere: bool = False,
    patience_s: float = PATIENCE_S,
    progress: Step = _silent,
) -> RevealedOrder:
    """In which order does a function add? Asked at the shapes, dtypes, layouts and thread count of the call, and proved by replaying it.

    Args:
        function: computes one sum, mean, dot, product, convolution, einsum of two factors or cumulative sum of its inputs, with or without
            a bias; NumPy, PyTorch, or anything that takes their arrays. Of an `nn.Module` the parameters count as inputs.
        inputs: its inputs; only shapes, dtypes and layouts matter.
        keywords: keyword arguments of the function.
        position: the output position whose order is asked for first; the middle one when left out.
        draws: on how many random inputs the proof is run; when left out, on 4, or as many as it takes to replay 128 outputs; on 1 where
            inputs are large.
        seed: where they start.
        everywhere: replay at every output position, however large the output is.
        patience_s: how long asking may take; an estimate above it raises InputError.
        progress: called with what is being done and how much of it is done (0 to 1).

    Returns:
        The order of each class of output positions that share one; where there is no fixed order, why.

    Raises:
        InputError: the function isn't linear in its inputs, adds nothing, or its terms can't be found.
        RunError: the function raised.

    Numerics:
        An order is *proved* on the drawn inputs when replaying it gives the function's result in every bit, and otherwise *consistent with
        the probes*. Zeros of either sign count as equal. That an order does not depend on values is assumed by the probes and tested by
        the proof.

    Example:
        >>> import numpy as np
        >>> found = order(lambda x: x.sum(0), (np.ones((100, 8), np.float32),))
        >>> found.order.describe()
        'one chain over k (100 terms)'

    References:
        Xie, Gao, Wang, Xue, "Revealing Floating-Point Accumulation Orders in Software/Hardware Implementations", USENIX ATC
        2025 (FPRev).
    """
    if draws is not None and (not isinstance(draws, int) or draws < 1):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"Got draws={draws!r}. Needed: an integer, at least 1. An order is proved by replaying it on random inputs. "
            "Leave draws out for the default."
        )
    if not isinstance(seed, int) or seed < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"Got seed={seed!r}. Needed: an integer, 0 or more. Random inputs are generated from it. Leave it out for 0.")
    implementation = Implementation(function, inputs, keywords)
    samples = _samples(implementation, draws, seed)
    if not all(argument.values.size for argument in implementation.arguments):
        raise InputError(
            f"Got a function that adds no terms ({shaped('input', [argument.shape for argument in implementation.arguments])}). Needed: at "
            "least one term. An empty sum has no order. Pass inputs of the shape that you use."
        )
    structure = find_structure(implementation, samples[:DRAWS])
    contraction = structure.contraction
    slabs = _slabs(contraction, implementation.is_large, seed, everywhere)
    return _Asking(implementation, structure, samples, slabs, patience_s=patience_s, progress=progress).reveal(
        _position(contraction, position)
    )


def _samples(implementation: Implementation, draws: int | None, seed: int) -> list[Sample]:
    first = random_sample(implementation, seed)
    if not first.result.size:
        raise InputError(
            f"Got a function whose result is empty (shape {implementation.shape}). Needed: at least one output. There is nothing to add. "
            "Pass inputs of the shape that you use."
        )
    few = implementation.is_large and first.result.size >= OUTPUTS
    wanted = max(DRAWS, -(-OUTPUTS // first.result.size))
    affordable = max(2, DRAWN // max(1, implementation.size))
    count = draws if draws is not None else DRAWS_OF_LARGE if few else min(wanted, affordable)
    return [first, *(random_sample(implementation, seed + draw, watched=False) for draw in range(1, count))]


def random_sample(implementation: Implementation, seed: int, *, watched: bool = True) -> Sample:
    """The function run on random numbers."""
    random = np.random.default_rng(seed)
    made: list[npt.NDArray[Any]] = []
    for argument in implementation.arguments:
        kind = np.float64 if argument.format.precision_bits > 24 else np.float32
        if implementation.is_large:  # a third of the time that normal numbers take
            values = random.random(argument.shape, dtype=kind)
            values *= 2
            values -= 1
        else:
            values = random.standard_normal(argument.shape, dtype=kind)
        made.append(values if argument.format.storage_bits >= 32 else round_to_format(values, argument.format).astype(np.float32))
    result = implementation.run(made).reshape(-1).copy()
    changed = implementation.changes_inputs(made) if watched and not implementation.is_large else None
    if changed is not None:
        raise InputError(
            f"Got a function that overwrites {changed}. Needed: one that leaves its inputs as they are. The same memory is used for many "
            "runs. Wrap it in a function that copies the input first."
        )
    return Sample(made, result)


@dataclass
class _Asking:
    """Reveals at one position, replays everywhere, and goes on at a position where the replay differs, until none is left."""

    implementation: Implementation
    structure: Structure
    samples: list[Sample]
    slabs: list[tuple[int, int]]
    patience_s: float
    progress: Step
    runs: int = 0

    @property
    def contraction(self) -> Contraction:
        return self.structure.contraction

    @cached_property
    def checked(self) -> Indices:
        """The positions that are replayed."""
        inner = self.contraction.positions // (self.contraction.view[self.contraction.outer] if self.contraction.view else 1)
        return np.concatenate([np.arange(low * inner, high * inner) for low, high in self.slabs])

    def reveal(self, start: int) -> RevealedOrder:
        if not self.implementation.is_large and not self._repeats():
            return self._result([PositionClass(None, self.checked, start, "nothing", draws=0, problem=CHANGES, terms=None)])
        left, found = self.checked, list[PositionClass]()
        while len(left) and len(found) < CLASSES:
            at = start if not found else self._fullest(left)
            order, terms, problem = self._attempts(at)
            same = self._same(order, left) if order is not None else np.zeros(len(left), np.bool_)
            if order is None or not self._is_right(order, np.array([at])) or not same[left == at].all():
                if self.implementation.is_large and not self._repeats():
                    order, problem = None, CHANGES
                program = self._compensated(left) if problem != CHANGES else ""
                if program:
                    found.append(PositionClass(None, left, at, COMPENSATED, draws=len(self.samples), problem=program, terms=terms))
                    return self._result(found)
                status, problem = ("nothing", problem) if order is None else ("consistent with the probes", problem or NOT_PROVED)
                where = left if order is None else left[left == at]
                found.append(PositionClass(order, where, at, status, draws=0, problem=problem, terms=terms))
                if order is None:
                    break
                left = left[left != at]
                if len(found) > 1:
                    break
                continue
            if not same.all() and self._draw_more():
                same &= self._same(order, left)
            same = self._by_group(same, left, at)
            found.append(PositionClass(order, left[same], at, "proved", draws=len(self.samples), problem="", terms=terms))
            left = left[~same]
        if len(left) and found[-1].order is not None:
            problem = "not examined, because " + (
                f"there are more than {CLASSES} orders in one result"
                if len(found) == CLASSES
                else "the order of another output is not proved"
            )
            found.append(PositionClass(None, left, int(left[0]), "nothing", draws=0, problem=problem, terms=None))
        return self._result(found)

    def _result(self, classes: list[PositionClass]) -> RevealedOrder:
        return RevealedOrder(self.contraction, tuple(classes), self.implementation.shape, len(self.samples), runs=self.runs)

    def _compensated(self, positions: Indices) -> str:
        """The compensated programs that give every bit at these positions, in words; "" where none does."""
        contraction = self.contraction
        if contraction.extras or len(positions) * contraction.terms > COMPENSATED_TERMS:
            return ""
        present = self._present(positions)
        accumulators = ("float64",) if self.inputs.precision_bits > 24 else ("float32", "float64")
        left = dict[str, bool]()
        for sample in self.samples:
            for members in _by_row(present):
                terms = _terms(contraction, sample.inputs, positions[members])[:, present[members[0]]]
                wanted = sample.result[positions[members]]
                for name, sums in programs(terms.T, accumulators):
                    if left.get(name, True):
                        left[name] = any(np.array_equal(value.astype(wanted.dtype), wanted) for value in self._scaled(sums))
            if not any(left.values()):
                return ""
        return _alternatives([name for name, fits in left.items() if fits])

    def _scaled(self, sums: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Sums with the factor of a mean, divided and multiplied."""
        factor = self.structure.factor
        return [sums] if factor == 1.0 else [sums / sums.dtype.type(round(1 / factor)), sums * sums.dtype.type(factor)]

    def _attempts(self, at: int) -> tuple[Order | None, Indices | None, str]:
        """The order at a position: asked with many positions at once, if need be with those that add alike, at last by itself."""
        last: Order | None = None
        terms: Indices | None = None
        problem = ""
        for positions in self._together(at):
            try:
                order, terms = self._order(at, positions)
            except NotCounts as error:
                problem = _no_tree(str(error))
                continue
            last = self._matching(order, np.array([at]) if positions is None else positions[:NEAR])
            if self._is_right(last, np.array([at])):
                return last, terms, ""
            problem = NOT_PROVED
        return last, terms, problem

    def _together(self, at: int) -> Iterator[Indices | None]:
        if self.contraction.kind in ("table", "cumulative sum") or self.contraction.positions == 1:
            yield np.array([at])
            return
        if self.implementation.is_large and self.contraction.kind == "einsum":
            yield None
        alike = np.flatnonzero(self._alike == self._alike[at])
        alike = alike[np.argsort(np.abs(alike - at), kind="stable")]
        if self.contraction.kind != "einsum":
            alike = alike[:4096]
            present = self._present(alike)
            alike = alike[(present == self._present(np.array([at]))).all(1)]
        yield alike
        if len(alike) > 1:
            yield np.array([at])

    @cached_property
    def _alike(self) -> npt.NDArray[np.int64]:
        """A number for each position: equal where, on inputs that are the same for all positions, all results were."""
        random = np.random.default_rng(11)
        numbers = np.zeros(self.contraction.positions, np.int64)
        for _ in range(2 if self.implementation.is_large else UNIFORM_DRAWS):
            inputs = uniform_inputs(self.implementation, self.contraction, random)
            formats = [argument.format for argument in self.implementation.arguments]
            rounded = [
                values if kind.storage_bits >= 32 else round_to_format(values, kind).astype(np.float32)
                for values, kind in zip(inputs, formats)
            ]
            bits = self.implementation.run(rounded).reshape(-1)
            if not (bits == bits[0]).all():
                both = np.stack((numbers.astype(np.float64), bits.astype(np.float64)))
                numbers = np.unique(both, axis=1, return_inverse=True)[1].reshape(-1)
        return numbers

    def _order(self, at: int, positions: Indices | None) -> tuple[Order, Indices]:
        contraction = self.contraction
        terms = np.flatnonzero(self._present(np.array([at]))[0])
        tree, arithmetic = self._ask(at, positions, terms)
        if len(terms) < contraction.terms:
            tree = _with_missing(tree, len(self.asked.extras), terms, contraction.terms)
            arithmetic = dataclasses.replace(arithmetic, unfused=tuple(terms[list(arithmetic.unfused)].tolist()))
        assert tree is not None
        return self._described(self._with_scaled(tree), arithmetic), terms

    @cached_property
    def asked(self) -> Contraction:
        """The contraction that the probes ask about. It lacks extra leaves with factors, whose products would not cancel a mask exactly."""
        return dataclasses.replace(self.contraction, extras=()) if self.structure.extra_factors else self.contraction

    def _with_scaled(self, tree: Tree) -> Tree:
        """The tree of the sum, with extra leaves that have factors added last."""
        if not self.structure.extra_factors:
            return tree
        terms, extras = tree.terms, len(self.contraction.extras)
        nodes = [tuple(member if member < terms else member + extras for member in members) for members in tree.nodes()]
        for extra in range(extras):
            nodes.append((terms + extras + len(nodes) - 1 if nodes else 0, terms + extra))
        return Tree.from_nodes(terms, extras, nodes)

    @property
    def inputs(self) -> Format:
        """The format of the terms' factors."""
        return self.implementation.arguments[self.contraction.factors[0].argument].format

    def _described(self, tree: Tree, arithmetic: Arithmetic) -> Order:
        contraction = self.contraction
        order = Order(
            tree,
            contraction.axes,
            len(contraction.factors) > 1,
            tuple(extra.name for extra in contraction.extras),
            arithmetic.fma,
            arithmetic.accumulator(self.inputs),
            self.implementation.output.name,
            arithmetic.rounding,
            unfused=arithmetic.unfused,
            extra_factors=self.structure.extra_factors,
        )
        factor = self.structure.factor
        if factor != 1.0:
            count = round(1.0 / factor)
            divides = count > 1 and abs(count * factor - 1.0) < 2.0**-20
            order = order.with_arithmetic(scale=("divide", float(count)) if divides else ("multiply", factor))
        return order

    def _ask(self, at: int, positions: Indices | None, terms: Indices) -> tuple[Tree | None, Arithmetic]:
        contraction, extras = self.asked, len(self.asked.extras)
        if len(terms) + extras <= 1:
            return (Tree.from_nodes(len(terms), extras, []) if len(terms) + extras else None), Arithmetic(0, "nearest", None)
        problem = NotCounts("nothing was asked")
        for numbers in numbers_for(self.inputs, len(contraction.factors) > 1):
            masks = Masks(self.implementation, contraction, self.structure.factor, at, positions=positions, terms=terms, numbers=numbers)
            try:
                tree = self._family(masks, at) or reveal_tree(masks, extras, self.progress, self.patience_s)
                return tree, arithmetic_of(masks, tree)
            except NotCounts as error:
                problem = error
            finally:
                self.runs += masks.runs
        raise problem

    def _family(self, masks: Masks, at: int) -> Tree | None:
        """A common order that gives the results' bits and fits some pairs of leaves: where a run answers one question of many."""
        if masks.leaves < QUESTIONS * masks.parallel or masks.leaves != self.contraction.terms:
            return None
        there = np.array([at])
        for _, made in candidates(masks.leaves, products=len(self.contraction.factors) > 1):
            tree = made()
            order = self._described(self._with_scaled(tree), Arithmetic(0, "nearest", None))
            if any(self._is_right(variant, there) for variant in _variants(order, self.inputs)) and agrees(masks, tree, SPOTS_OF_FAMILY):
                return tree
        return None

    def _matching(self, order: Order, positions: Indices) -> Order:
        """Of the arithmetics that the probes leave open the one that reproduces most results of the first samples."""
        best, most = order, -1
        for variant in _variants(order, self.inputs):
            agreed = self._agreements(variant, positions, OUTPUTS)
            if agreed > most:
                best, most = variant, agreed
            if agreed >= min(OUTPUTS, len(positions) * len(self.samples)):
                break
        return best

    def _agreements(self, order: Order, positions: Indices, outputs: int = 0) -> int:
        """At how many of the outputs of the first samples replaying gives the result."""
        first = self.samples[: max(DRAWS, outputs // len(positions))]
        replayed = replay_samples(order, self.contraction, [sample.inputs for sample in first], positions)
        return int((replayed == np.stack([sample.result[positions] for sample in first])).sum())

    def _is_right(self, order: Order, positions: Indices) -> bool:
        return self._agreements(order, positions) == len(positions) * len(self.samples[:DRAWS])

    def _same(self, order: Order, positions: Indices) -> npt.NDArray[np.bool_]:
        """At which of these positions replaying gives the result in every sample."""
        if 8 * len(positions) > len(self.checked) and len(self.checked) > FEW:
            places = np.searchsorted(self.checked, positions)
            same = np.ones(len(positions), np.bool_)
            for sample in self.samples:
                same &= (self._replayed(order, sample) == sample.result[self.checked])[places]
            return same
        replayed = replay_samples(order, self.contraction, [sample.inputs for sample in self.samples], positions)
        return (replayed == np.stack([sample.result[positions] for sample in self.samples])).all(0)

    def _draw_more(self) -> bool:
        """More samples, where outputs have to be told apart; whether there are any."""
        before = len(self.samples)
        wanted = min(DRAWS_OF_MIXED, DRAWN // self.implementation.size)
        self.samples += [random_sample(self.implementation, 1_000_000 + draw) for draw in range(before, wanted)]
        return len(self.samples) > before

    def _by_group(self, same: npt.NDArray[np.bool_], positions: Indices, at: int) -> npt.NDArray[np.bool_]:
        """Positions that add alike belong together: where some of a group differ, the others agreed by chance."""
        if same.all() or self.implementation.is_large or self.contraction.kind in ("table", "cumulative sum"):
            return same
        groups = self._alike[positions]
        mixed = np.setdiff1d(np.unique(groups[~same]), [self._alike[at]])
        return same & ~np.isin(groups, mixed)

    def _replayed(self, order: Order, sample: Sample) -> npt.NDArray[Any]:
        """The order at all checked positions."""
        if len(self.checked) == self.contraction.positions:
            return replay(order, self.contraction, sample.inputs).reshape(-1)
        return np.concatenate([replay(order, self.contraction.slab(*slab), sample.inputs).reshape(-1) for slab in self.slabs])

    def _repeats(self) -> bool:
        first = self.samples[0]
        repeats = 2 if self.implementation.is_large else REPEATS
        return all(np.array_equal(self.implementation.run(first.inputs).reshape(-1), first.result, equal_nan=True) for _ in range(repeats))

    def _present(self, positions: Indices) -> npt.NDArray[np.bool_]:
        if self.contraction.kind == "einsum":
            return np.ones((len(positions), self.contraction.terms), np.bool_)
        return self.contraction.present(positions)

    def _fullest(self, positions: Indices) -> int:
        """Of some of these positions, from the middle outwards, the first with the most terms."""
        some = positions[np.argsort(np.abs(np.arange(len(positions)) - len(positions) // 2), kind="stable")[:64]]
        return int(some[np.argmax(self._present(some).sum(1))])


def _by_row(present: npt.NDArray[np.bool_]) -> list[Indices]:
    """The places of rows that are equal, together."""
    which = np.unique(present, axis=0, return_inverse=True)[1].reshape(-1)
    return [np.flatnonzero(which == number) for number in range(int(which.max()) + 1)]


def _terms(contraction: Contraction, inputs: list[npt.NDArray[Any]], positions: Indices) -> npt.NDArray[Any]:
    """What is added at some outputs: (positions, terms)."""
    found: npt.NDArray[Any] | None = None
    for factor in contraction.factors:
        places = factor.bases(contraction.view, positions)[:, None] + factor.offsets(contraction.sizes)[None, :]
        own = factor.prepared(inputs[factor.argument])[places]
        found = own if found is None else found * own
    assert found is not None
    return found


def _with_missing(tree: Tree | None, extras: int, terms: Indices, count: int) -> Tree:
    """The tree of the terms that are present, with those that padding leaves out added at the end as the zeros they are."""
    missing = np.setdiff1d(np.arange(count), terms).tolist()
    number = [*terms.tolist(), *range(count, count + extras)]
    shift = len(missing)
    found = tree.nodes() if tree is not None else []
    nodes = [tuple(number[member] if member < len(number) else member + shift for member in members) for members in found]
    rest = [*([] if nodes else number), *missing]
    total = count + extras + len(nodes) - 1 if nodes else rest.pop(0)
    for term in rest:
        nodes.append((total, term))
        total = count + extras + len(nodes) - 1
    return Tree.from_nodes(count, extras, nodes)


def _variants(order: Order, inputs: Format) -> Iterator[Order]:
    """The order as probed, then with what the probes could not tell."""
    scales = [order.scale]
    if order.scale is not None and order.scale[0] == "divide":
        scales.append(("multiply", 1.0 / order.scale[1]))
    exact = 2 * inputs.precision_bits <= FORMATS[order.accumulator].precision_bits  # fused or not makes no difference
    fused = [order.fma] if order.fma is not None or not order.products or exact else [True, False]
    late = [False, True] if order.extras and not order.extra_factors and order.accumulator != order.output else [False]
    ends = [True, False] if any(factor != 1.0 for factor in order.extra_factors) else [False]
    accumulators = dict.fromkeys((order.accumulator, "float32", "float64"))
    for accumulator, fma, scale, rounds, end in product(accumulators, fused, scales, late, ends):
        yield order.with_arithmetic(accumulator=accumulator, fma=fma, scale=scale, rounds_before_extras=rounds, fused_extras=end)


def _position(contraction: Contraction, position: tuple[int, ...] | int | None) -> int:
    shape = contraction.output_shape
    if position is None:
        if contraction.kind == "cumulative sum":
            return contraction.positions - 1
        middle = int(np.ravel_multi_index(tuple(size // 2 for size in shape), shape)) if shape else 0
        near = np.arange(middle, min(middle + 64, contraction.positions))
        return middle if contraction.kind == "einsum" else int(near[np.argmax(contraction.present(near).sum(1))])
    try:
        given = (position,) if isinstance(position, int) else tuple(position)
        return int(np.ravel_multi_index(given, shape)) if shape else 0
    except (ValueError, TypeError) as error:
        raise InputError(
            f"Got position={position} for a result of shape {shape}. Needed: one index for each axis, within its size. It names the output "
            "whose order you ask about. Leave it out for the middle one (the last one of a cumulative sum)."
        ) from error


def _slabs(contraction: Contraction, is_large: bool, seed: int, everywhere: bool) -> list[tuple[int, int]]:
    """Which parts along the outer axis are replayed: everything, or four parts at random places."""
    whole = contraction.view[contraction.outer] if contraction.view else 1
    work = contraction.positions * contraction.terms
    most = REPLAYED_OF_LARGE if is_large else REPLAYED
    if everywhere or work <= most or any(factor.table is not None for factor in contraction.factors):
        return [(0, whole)]
    taken = max(1, whole * most // work // 4)
    parts = np.random.default_rng(seed).permutation(max(1, whole // taken))[:4]
    return [(int(part) * taken, min(whole, int(part + 1) * taken)) for part in np.sort(parts)]


CHANGES = (
    "two runs on the same inputs give different bits, because partial results are added as they come in (atomic additions, a race between "
    "threads), or random numbers are drawn"
)
NOT_PROVED = "replaying the order does not give the same bits, because intermediate results are rounded in a way that the probes do not see"


def _alternatives(names: Sequence[str]) -> str:
    """Programs that these inputs don't tell apart."""
    return names[0] if len(names) == 1 else f"one of these, which these inputs don't tell apart: {'; '.join(names)}"


def _no_tree(problem: str) -> str:
    return (
        f"no fixed tree of additions explains the results ({problem}); this is typical of compensated or exact summation, Winograd or "
        "Fourier "
        "convolutions, products split into lower-precision ones, or an order that depends on values"
    )
