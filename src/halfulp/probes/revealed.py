"""RevealedOrder: what `order` found, for each class of output positions."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..orders import Contraction, Order
from ..shown import shown
from ..words.numbers import shaped
from .stored import StoredClass, StoredOrder, StoredOrders

Indices = npt.NDArray[np.int64]

COMPENSATED = "compensated"
"""The status of outputs that a compensated program gives."""

TAKEN = frozenset(
    (
        "np left right total fma replay which result add add_product padded windows spread to_bfloat16 two_sum halves range bias_at_output "
        "first"
    ).split()
)
"""Names that emitted programs use themselves."""


@dataclass(frozen=True)
class PositionClass:
    """Output positions that add in one order.

    Attributes:
        order: None where there is no fixed order.
        positions: the flat indices of those that were checked and belong here. at: the one where it was asked.
        status: "proved" (replaying gave every bit), "consistent with the probes", "compensated" (a program that is not a tree gave every
            bit), or "nothing".
        draws: on how many random inputs it was proved. problem: why it isn't proved, "" if it is; the name of a compensated program.
        terms: those that are present at `at` (padding leaves some out), None where that was not asked.
    """

    order: Order | None
    positions: Indices
    at: int
    status: str
    draws: int
    problem: str
    terms: Indices | None


@shown
@dataclass(frozen=True)
class RevealedOrder:
    """In which order a function adds.

    Attributes:
        contraction: which elements meet in which output.
        classes: groups of output positions that share an order, the one asked for first.
        shape: the shape of the output. draws: how many random inputs the proof took. runs: how often the function was run by the probes.
    """

    contraction: Contraction
    classes: tuple[PositionClass, ...]
    shape: tuple[int, ...]
    draws: int
    runs: int

    @property
    def order(self) -> Order:
        """The order at the position asked for.

        Raises:
            InputError: there is no fixed order.
        """
        found = self.classes[0].order
        if found is None:
            why = self.describe_class(self.classes[0])
            raise InputError(
                f"Got a function without a fixed order: {why}. Needed: a function that adds its terms in one tree. "
                "There is no order to show. Use halfulp.check to judge its results."
            )
        return found

    @property
    def is_proved(self) -> bool:
        """Whether replaying gave the function's result in every bit, at every position that was checked."""
        return all(order_class.status == "proved" for order_class in self.classes)

    @property
    def checked(self) -> int:
        """How many output positions were replayed."""
        return sum(len(order_class.positions) for order_class in self.classes)

    def replay(self, inputs: Any) -> npt.NDArray[Any]:
        """The bits that the function gives on these inputs, computed in the revealed order.

        Args:
            inputs: as for the function: arrays or tensors of the same shapes and dtypes (a module's parameters behind them).

        Returns:
            Array of the output's shape, float64 for float64 results and float32 otherwise (which holds bfloat16 and float16 exactly).

        Raises:
            InputError: other shapes, or positions without a known order.
        """
        from ..orders.replayed import replay

        arrays = _arrays(inputs)
        for factor in (*self.contraction.factors, *self.contraction.extras):
            if factor.argument >= len(arrays) or arrays[factor.argument].shape != factor.shape:
                got = [array.shape for array in arrays]
                article = "an " if len(got) == 1 else ""
                raise InputError(
                    f"Got {article + shaped('array', got) if got else 'no arrays'}. Needed: input {factor.argument} of shape "
                    f"{factor.shape}. An order holds for the "
                    "shapes that it was revealed at. Reveal it again for other shapes."
                )
        main = self.order
        result = replay(main, self.contraction, arrays).reshape(-1)
        if len(self.classes) > 1:
            if self.checked < self.contraction.positions:
                raise InputError(
                    f"Got {len(self.classes)} orders, known for only {self.checked} of {self.contraction.positions} positions. Needed: "
                    "one order for each position. Of a large output, the order is revealed at random positions only. Pass "
                    "everywhere=True to halfulp.order, or reveal the order of a smaller output."
                )
            for order_class in self.classes[1:]:
                if order_class.order is None:
                    raise InputError(
                        f"Got positions without an order: {order_class.problem}. Needed: an order for each. Use halfulp.check."
                    )
                result[order_class.positions] = replay(order_class.order, self.contraction, arrays, order_class.positions)
        return result.reshape(self.shape).astype(np.float64 if main.output == "float64" else np.float32)

    def describe(self) -> str:
        """The order in words; where outputs differ, one line for each class of them."""
        from ..orders.description import describe_positions

        lines: list[str] = []
        for order_class in self.classes:
            where = "" if len(self.classes) == 1 else f"{describe_positions(order_class.positions, self.shape, self.checked)}: "
            lines.append(where + self.describe_class(order_class))
        return "\n".join(lines)

    def describe_class(self, position_class: PositionClass) -> str:
        """The order of one class in words."""
        if position_class.status == COMPENSATED:
            return f"not a tree of additions, but {position_class.problem}"
        if position_class.order is None:
            return position_class.problem
        if position_class.terms is None or len(position_class.terms) == self.contraction.terms:
            return position_class.order.describe()
        if not len(position_class.terms):
            terms = self.contraction.terms
            fall = "the only term falls" if terms == 1 else f"all {terms:,} terms fall"
            return f"nothing but {' and '.join(position_class.order.extras) or 'zeros'}: {fall} on padding"
        inside = position_class.order.with_arithmetic(tree=position_class.order.tree.restricted(position_class.terms))
        rest = "the rest is padding" if self.contraction.kind.endswith("convolution") else "this output doesn't add the others"
        return f"{inside.describe()} ({len(position_class.terms):,} of {self.contraction.terms:,} terms; {rest})"

    def diff(self, other: RevealedOrder) -> str:
        """What distinguishes its order from another function's, in words; where outputs have several orders, of those asked for first."""
        difference = self.order.diff(other.order)
        if self.contraction != other.contraction and difference == "the same order":
            return "the same order, but of different elements: the two functions are not the same"
        several = (
            " (for the outputs that were asked about first; there are several orders)" if len(self.classes) + len(other.classes) > 2 else ""
        )
        return difference + several

    def is_one_family_with(self, other: RevealedOrder) -> bool:
        """Whether both are proved to add the same elements in the same orders: then they give the same bits, and are no two witnesses."""
        return (
            (self.is_proved and other.is_proved and self.contraction == other.contraction and len(self.classes) == len(other.classes))
            and all(one.order == two.order for one, two in zip(self.classes, other.classes))
            and all(np.array_equal(one.positions, two.positions) for one, two in zip(self.classes, other.classes))
        )

    def emit(self, names: Sequence[str] | None = None, title: str = "The function") -> str:
        """A short stand-alone NumPy program that gives the function's bits.

        Args:
            names: a Python name for each input; x0, x1 ... when left out.
            title: what the program reproduces, for its first line.

        Raises:
            InputError: there is no fixed order, the order of some outputs is not known, or NumPy has no such arithmetic.
        """
        from ..orders.emitted_program import Placed, emit

        if self.checked < self.contraction.positions and len(self.classes) > 1:
            raise InputError(
                f"Got the orders of {self.checked:,} of {self.contraction.positions:,} outputs. Needed: those of all outputs, since they "
                "differ. Large outputs are checked only in part. Pass everywhere=True to halfulp.order."
            )
        unproved = next((item.problem for item in self.classes if item.status == "consistent with the probes"), "")
        if unproved:
            raise InputError(
                f"Got an order that is not proved: {unproved}. Needed: one that reproduces every bit. A program written from it would "
                "give different numbers than the function. Use halfulp.check to "
                "judge its results."
            )
        unknown = next((order_class for order_class in self.classes if order_class.order is None), None)
        if unknown is not None:
            raise InputError(f"Got outputs without an order: {unknown.problem}. Needed: an order for each. There is no program to write.")
        count = 1 + max(factor.argument for factor in (*self.contraction.factors, *self.contraction.extras))
        given = [*names] if names is not None else [f"x{place}" for place in range(count)]
        wrong = next((name for name in given if not name.isidentifier() or keyword.iskeyword(name) or name in TAKEN), None)
        if len(given) < count or wrong is not None or len(set(given)) != len(given):
            raise InputError(
                f"Got names={given}. Needed: {count} Python name{'' if count == 1 else 's, all different and'} other than "
                f"{', '.join(sorted(TAKEN))}. They name the "
                "program's arguments. Leave them out for x0, x1 ..."
            )
        placed = [Placed(order_class.order, order_class.positions) for order_class in self.classes if order_class.order is not None]
        return emit(placed, self.contraction, given, title, self.proof)

    @property
    def family(self) -> str | None:
        """The name of the common order that it is, where it is one for all outputs: implementations of one family give the same bits."""
        from ..orders.families import family_of

        return family_of(self.order) if len(self.classes) == 1 and self.classes[0].order is not None else None

    @property
    def proof(self) -> str:
        """What the order was proved on, in a sentence."""
        share = "all" if self.checked == self.contraction.positions else f"{self.checked:,} of"
        where = f"{'the one output' if self.contraction.positions == 1 else f'{share} {self.contraction.positions:,} outputs'}"
        inputs = f"{self.draws} random input{'s' if self.draws > 1 else ''}"
        if self.is_proved:
            return f"Proved on {inputs}: replaying reproduces {where} bit for bit."
        known = sum(len(order_class.positions) for order_class in self.classes if order_class.status == "proved")
        if self.classes[0].status == COMPENSATED:
            one, _, several = self.classes[0].problem.partition(": ")
            if several:
                return (
                    f"Recognized on {inputs}: each of these reproduces {where} bit for bit, and these inputs don't tell them apart: "
                    f"{several}."
                )
            return f"Recognized on {inputs}: {one} reproduces {where} bit for bit."
        problem = next(order_class.problem for order_class in self.classes if order_class.status != "proved")
        share = f"Proved on {inputs} for {known:,} of {self.checked:,} outputs, and not proved for the rest" if known else "Not proved"
        return f"{share}. {problem[:1].upper()}{problem[1:]}."

    def stored(self) -> StoredOrder:
        """What is kept of it: the structure, and the order of each class."""
        from ..orders.description import describe_positions

        classes = tuple(
            StoredClass(
                order_class.order.to_dict() if order_class.order is not None else None,
                self.describe_class(order_class),
                describe_positions(order_class.positions, self.shape, self.checked),
                len(order_class.positions),
                at=tuple(int(index) for index in np.unravel_index(order_class.at, self.shape)) if self.shape else (),
                status=order_class.status,
                problem=order_class.problem,
            )
            for order_class in self.classes
        )
        return StoredOrder(
            self.contraction.kind, self.contraction.axes, self.shape, classes, proved=self.is_proved, proof=self.proof,
            family=self.family, draws=self.draws, runs=self.runs, checked=self.checked,
        )  # fmt: skip

    def to_json(self) -> str:
        """JSON with a schema number."""
        return StoredOrders({"function": self.stored()}).to_json()


def _arrays(inputs: Any) -> list[npt.NDArray[Any]]:
    """The floating-point arrays of nested inputs, 16-bit formats held in float32."""
    if isinstance(inputs, dict):
        return [array for argument in inputs.values() for array in _arrays(argument)]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(inputs, (tuple, list)):
        return [array for argument in inputs for array in _arrays(argument)]  # pyright: ignore[reportUnknownVariableType]
    if hasattr(inputs, "detach"):
        held = inputs.detach().cpu()
        inputs = (held.float() if str(held.dtype) in ("torch.bfloat16", "torch.float16") else held).numpy()
    if not isinstance(inputs, np.ndarray) or inputs.dtype.kind != "f":
        return []
    return [inputs.astype(np.float32) if inputs.dtype == np.float16 else inputs]
