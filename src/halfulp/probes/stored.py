"""Orders as they are stored: what a page or a text needs, without the function."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..documents import document, text_of
from ..orders import Order
from ..process.versions import versions
from ..shown import shown


@dataclass(frozen=True)
class StoredClass:
    """Output positions that add in one order.

    Attributes:
        order: what `Order.to_dict` gives; None where there is no fixed order. words: the order in words. where: which outputs, in words.
        positions: how many were checked. at: the index of the one where it was asked.
        status: "proved", "consistent with the probes", "compensated" or "nothing". problem: why it isn't proved, "" if it is.
    """

    order: dict[str, Any] | None
    words: str
    where: str
    positions: int
    at: tuple[int, ...]
    status: str
    problem: str

    def restored(self) -> Order | None:
        """The order itself."""
        return Order.from_dict(self.order) if self.order is not None else None


@dataclass(frozen=True)
class StoredOrder:
    """In which order a function adds.

    Attributes:
        contraction: "einsum", "convolution" ... axes: (name, size) of what is summed over. shape: of the output.
        classes: see `StoredClass`, the one asked for first. proved: whether all were. proof: on what, in a sentence.
        family: the common order that it is, if it is one. draws: random inputs of the proof. runs: of the function by the probes.
        checked: how many outputs were replayed.
    """

    contraction: str
    axes: tuple[tuple[str, int], ...]
    shape: tuple[int, ...]
    classes: tuple[StoredClass, ...]
    proved: bool
    proof: str
    family: str | None
    draws: int
    runs: int
    checked: int


@shown
@dataclass(frozen=True)
class StoredOrders:
    """The orders of one function or of two.

    Attributes:
        orders: "actual", "expected" or "function" -> its order. problems: the same names -> why there is none.
        difference: what distinguishes the two, in words; "" where there are not two.
        one_family: whether both are proved to add alike: then their agreement is no independent evidence.
        versions: of Python and the packages that were used, the system and the processor.
    """

    orders: dict[str, StoredOrder]
    problems: dict[str, str] = field(default_factory=dict)
    difference: str = ""
    one_family: bool = False
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def trees(self) -> dict[str, Order]:
        """The order of most outputs of each function that has one."""
        return {name: main for name, stored_order in self.orders.items() if (main := stored_order.classes[0].restored()) is not None}

    def to_json(self) -> str:
        """JSON with a schema number."""
        return text_of(document("orders", self))

    @property
    def exit_code(self) -> int:
        """What the command line exits with: 0 where all orders are proved, 2 where none could be asked, 1 where one has none, else 3."""
        if self.problems and not self.orders:
            return 2
        if self.problems or any(order.classes[0].order is None for order in self.orders.values()):
            return 1
        return 0 if all(order.proved for order in self.orders.values()) else 3
