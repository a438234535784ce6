"""Habits: what a backend does with numbers, whatever it says, as data. `measured_habits.py` finds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..floats import FORMATS


@dataclass(frozen=True)
class Reading:
    """With how many bits an op works, of the 24 of float32.

    Attributes:
        inputs_bits, weights_bits: of each factor that are read. sums_bits: that sums keep.
        is_fused: whether a product and its addition are rounded once (FMA). None where the probe doesn't tell.
    """

    inputs_bits: int
    weights_bits: int
    sums_bits: int
    is_fused: bool | None

    @property
    def format(self) -> str:
        """The coarsest format that inputs, weights and sums are compatible with: "float32", "tf32", "float16", "bfloat16"."""
        bits = min(self.inputs_bits, self.weights_bits)
        if bits == 11:  # a range of five exponent bits is float16's; the probes use numbers near one, which don't tell it from tf32
            return "float16 or tf32"
        return next((name for name in ("float32", "bfloat16") if FORMATS[name].precision_bits == bits), f"{bits} bits")


@dataclass(frozen=True)
class Switch:
    """What turning a setting did to a product of float32 numbers.

    Attributes:
        detail: which. changes_bits: whether any result has other bits. before, after: the formats that were measured.
    """

    detail: str
    changes_bits: bool
    before: str
    after: str

    @property
    def words(self) -> str:
        """In words."""
        if self.before != self.after:
            return f"{self.detail} changes the precision from {self.before} to {self.after}"
        return f"{self.detail} changes the bits but not the precision" if self.changes_bits else f"{self.detail} changes nothing"


@dataclass(frozen=True)
class Habits:
    """What was measured of a backend in float32.

    Attributes:
        products: op -> reading. subnormals: op -> "kept" or "flushed".
        switches: settings of precision that were turned. remarks: what the backend says of itself: ops left undelegated.
        failed: what could not be measured, and why.
    """

    products: Mapping[str, Reading]
    subnormals: Mapping[str, str]
    switches: tuple[Switch, ...] = ()
    remarks: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)

    @property
    def format(self) -> str:
        """The format that products run in: that of most of them."""
        found = [product.format for product in self.products.values()]
        return max(set(found), key=found.count) if found else "not measured"

    @property
    def flushes(self) -> tuple[str, ...]:
        """The ops that make subnormal numbers zero."""
        return tuple(op for op, what in self.subnormals.items() if what == "flushed")


def habits_from(content: Mapping[str, Any]) -> Habits:
    """The habits that `dataclasses.asdict` took apart."""
    products = {op: Reading(**item) for op, item in content["products"].items()}
    switches = tuple(Switch(**item) for item in content["switches"])
    return Habits(products, dict(content["subnormals"]), switches, tuple(content["remarks"]), failed=dict(content["failed"]))
