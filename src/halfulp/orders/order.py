"""Order: a summation tree with its arithmetic, so that it says every bit of a result."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import InputError
from ..floats import FORMATS
from .description import describe, difference
from .picture import draw
from .summation import Summation
from .tree import ADD_TERM, PUSH_TERM, Tree

SCHEMA = 1


@dataclass(frozen=True)
class Order(Summation):
    """In which order an implementation adds, and how it rounds; its attributes are those of `Summation`."""

    @property
    def depth(self) -> int:
        """The largest number of roundings that one term goes through: its product (with FMA none), additions, the last conversion."""
        product = 1 if self.products and (self.fma is False or self.unfused) else 0
        scaled = (1 if self.scale else 0) + (1 if self.extra_factors and not self.fused_extras else 0)
        return self.tree.depth + product + (1 if self.accumulator != self.output else 0) + scaled

    def fused_onto_rounded(self) -> dict[int, int]:
        """A product that is rounded -> the one that it meets first, which is fused onto it."""
        program = self.tree.program()
        operations, arguments = program.operations, program.arguments
        meet = np.flatnonzero((operations[:-1] == PUSH_TERM) & (operations[1:] == ADD_TERM))
        rounded = np.isin(arguments[meet + 1], self.unfused) & ~np.isin(arguments[meet], self.unfused)
        return dict(zip(arguments[meet[rounded] + 1].tolist(), arguments[meet[rounded]].tolist()))

    @property
    def hash(self) -> str:
        """Twelve hexadecimal digits of the tree; see `Tree.hash`."""
        return self.tree.hash

    def describe(self) -> str:
        """The order in one line of words."""
        return describe(self)

    def diff(self, other: Order) -> str:
        """What distinguishes it from another order, in words."""
        return difference(self, other)

    def draw(self, form: str = "text") -> str:
        """The order as a picture: "text" or "svg"."""
        return draw(self, form)

    def __str__(self) -> str:
        return self.describe()

    def with_arithmetic(self, **changes: Any) -> Order:
        """The same tree with another arithmetic."""
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "tree": self.tree.to_dict(),
            "hash": self.hash,
            "axes": [list(axis) for axis in self.axes],
            "products": self.products,
            "extras": list(self.extras),
            "fma": self.fma,
            "accumulator": self.accumulator,
            "output": self.output,
            "rounding": self.rounding,
            "rounds_before_extras": self.rounds_before_extras,
            "scale": list(self.scale) if self.scale else None,
            "unfused": list(self.unfused),
            "extra_factors": list(self.extra_factors),
            "fused_extras": self.fused_extras,
        }

    def to_json(self) -> str:
        """JSON with a schema number, which `from_json` reads."""
        return json.dumps({"schema": SCHEMA, **self.to_dict()})

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Order:
        """The order that `to_dict` wrote.

        Raises:
            InputError: it isn't one.
        """
        try:
            order = cls(
                Tree.from_dict(content["tree"]),
                tuple((str(name), int(size)) for name, size in content["axes"]),
                bool(content["products"]),
                tuple(str(name) for name in content["extras"]),
                content["fma"],
                str(content["accumulator"]),
                str(content["output"]),
                str(content["rounding"]),
                bool(content["rounds_before_extras"]),
                (str(content["scale"][0]), float(content["scale"][1])) if content["scale"] else None,
                tuple(int(term) for term in content["unfused"]),
                tuple(float(factor) for factor in content.get("extra_factors", ())),
                bool(content.get("fused_extras", False)),
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                f"Got something other than an order ({type(error).__name__}: {error}). Needed: what Order.to_json wrote. Its fields "
                "can't be "
                "guessed. Store the order again."
            ) from error
        if order.accumulator not in FORMATS or order.output not in FORMATS:
            raise InputError(
                f"Got the formats {order.accumulator} and {order.output}. Needed: formats from this list: {', '.join(FORMATS)}. Sums are "
                "rounded to them. "
                "Store the order again."
            )
        return order

    @classmethod
    def from_json(cls, text: str) -> Order:
        """The order that `to_json` wrote.

        Raises:
            InputError: it is no JSON, of an unknown schema, or no order.
        """
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(f"Got text that is not JSON ({error}). Needed: what Order.to_json wrote. Check the file.") from error
        if not isinstance(content, dict) or content.get("schema") != SCHEMA:
            raise InputError(
                f"Got schema {content.get('schema') if isinstance(content, dict) else None}. Needed: {SCHEMA}. This version of halfulp "
                "can't read any other. Store the order again, or use the version that wrote it."
            )
        return cls.from_dict(content)
