"""The deviation of one op of PyTorch: `ops.Deviation` with what it needs computed by calls of the op itself.

A rule sees the op's arguments and its float64 result and returns the standard deviation of the rounding error that an honest
implementation in the declared precision makes *inside this op alone*: nothing (the op is exact), a multiple of the result
(elementwise ops), or a tensor (sums and products, where cancellation makes the error larger than the result).

Ops that are themselves formulas (normalizations, softmax, losses, variances) have no rule: `decompositions` takes them apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..ops import OPS, record_of
from ..ops.deviation import Deviation

Spread = float | torch.Tensor | None
"""None: exact; a float: that multiple of the result's magnitude; a tensor: absolute."""


class OpError(Deviation):
    """The rounding of single ops of PyTorch for one declared precision; its arguments are those of `Deviation`."""

    def gelu(self, x: torch.Tensor) -> torch.Tensor:
        """The deviation of x / 2 (1 + erf(x / sqrt 2)): that of its five steps, each taken through to the result by its derivative.

        In one piece, because GELU follows the widest layer of a transformer and its steps apart would cost most of a sample; in float32,
        because a deviation needs three digits.
        """
        x = x.float()
        z = x * math.sqrt(0.5)
        erf = torch.erf(z)
        function_u = self.elementwise(OPS["erf"])
        assert function_u is not None
        argument = (2.0 / math.sqrt(math.pi) * self.storage_u) * z * torch.exp(-z * z)
        inner = (function_u * erf).square_() + (self.storage_u * (1.0 + erf)).square_() + argument.square_()
        products = (self.storage_u * (1.0 + erf)).square_()  # of the last product and of x / 2
        return ((0.5 * x).abs_() * (inner + 2.0 * products).sqrt_()).double()

    def product(self, call: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        """The deviation of each output of a product: the same op on squares gives the sum of squared products."""
        scales = {key: (value * value if key in ("alpha", "beta") else value) for key, value in kwargs.items()}
        squares = _of_large(call, args, scales, result)
        if squares is None:
            squares = call(*(squared_operand(argument) for argument in args), **scales)
        if name == "convolution_backward":
            return tuple(None if item is None else self.in_norm(item) for item in self._convolution_backward(args, result, squares))
        deviation = self.chain(result, squares, terms_of_product(name, args))
        # Winograd's transforms may be stored in 16 bits; Strassen's sums are not: what a matrix product adds up is float32 everywhere.
        return self.in_norm(deviation, None if record_of(name).convolution else result)

    def _convolution_backward(self, args: tuple[Any, ...], result: Any, squares: Any) -> tuple[Any, ...]:
        grad, x, weight = args[:3]
        transposed, groups = args[7], args[9]
        pixels = x if transposed else grad
        per_pixel = pixels.numel() // max(1, pixels.shape[1])
        channels = weight.shape[1] if transposed else weight.shape[0] // groups
        terms = (channels * math.prod(weight.shape[2:]), per_pixel, grad.numel() // max(1, grad.shape[1]))
        return tuple(None if value is None else self.chain(value, square, count) for value, square, count in zip(result, squares, terms))

    def reduced(
        self, call: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: torch.Tensor
    ) -> torch.Tensor:
        """The deviation of a sum or mean along axes."""
        summand = args[0]
        terms = max(1, summand.numel() // max(1, result.numel()))
        squares = call(squared_operand(summand), *args[1:], **kwargs)
        if "mean" in name or "avg" in name:
            if name.startswith("avg_pool"):
                kernel = args[1]
                terms = math.prod(kernel) if len(kernel) > 1 else kernel[0] ** int(name[-2])
            squares = squares / terms
        return self.chain(result, squares, terms)

    def scattered(self, call: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: torch.Tensor) -> Spread:
        """The deviation of a sum over equal indices; how many terms meet at each place is counted with the op itself."""
        if name == "embedding_dense_backward":
            squares = call(squared_operand(args[0]), *args[1:], **kwargs)
            terms = call(torch.ones_like(args[0]), *args[1:], **kwargs)
            return self.chain(result, squares, terms)
        if "index_put" in name and not (len(args) > 3 and args[3]):
            return None
        base, *middle, source = args[:3] if "index_put" in name else args[:4]
        flags = args[3:] if "index_put" in name else args[4:]
        squares = call(squared_operand(base), *middle, squared_operand(source), *flags, **kwargs)
        terms = call(torch.ones_like(base), *middle, torch.ones_like(source), *flags, **kwargs)
        return self.chain(result, squares, terms)

    def scanned(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: torch.Tensor) -> torch.Tensor:
        """The deviation of a running sum."""
        summand = args[0]
        if not summand.dim():
            return self.storage_u * result.abs()
        axis = kwargs.get("dim", args[1] if len(args) > 1 else 0)
        squares = call(squared_operand(summand), *args[1:], **kwargs)
        terms = torch.ones_like(summand).cumsum(axis)
        return self.chain(result, squares, terms)

    def multiplied(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: torch.Tensor) -> torch.Tensor:
        """The deviation of a product of many factors, one of all of them or a running one."""
        factors = args[0]
        if name != "cumprod":
            return self.factors(max(1, factors.numel() // max(1, result.numel()))) * result.abs()
        axis = kwargs.get("dim", args[1] if len(args) > 1 else 0)
        count = torch.ones_like(factors).cumsum(axis) if factors.dim() else torch.ones_like(factors)
        return self.factors(count) * result.abs()

    def transformed(self, args: tuple[Any, ...], result: torch.Tensor) -> torch.Tensor:
        """The deviation of a fast Fourier transform along axes."""
        axes = [axis % result.dim() for axis in args[1]]
        length = math.prod(max(args[0].shape[axis], result.shape[axis]) for axis in axes)
        typical = squared_operand(result).mean(dim=axes, keepdim=True).sqrt()
        return self.stages(length) * typical.expand(result.shape)


LARGE = 1 << 16
"""Numbers in an operand from which on its squares are multiplied in float32: a spread needs three digits. From there on that takes 0.57 to
0.85 of the time (64 rows and more against a square matrix); below, the conversions and the look at the range take longer than they save."""

SQUARES = 1e-30, 1e30
"""Sums of squares that float32 holds with digits to spare."""


def _of_large(call: Callable[..., Any], args: tuple[Any, ...], scales: dict[str, Any], result: Any) -> torch.Tensor | None:
    """The squares of a product with a large operand, by float32; None where there is none, or float32 does not hold them."""
    if not isinstance(result, torch.Tensor) or result.dtype != torch.float64:
        return None
    if not any(isinstance(value, torch.Tensor) and _compact(value).numel() >= LARGE for value in args):
        return None
    squares = call(*(squared_operand(value, torch.float32) for value in args), **scales)
    least, largest = (float(value) for value in torch.aminmax(squares))
    return squares.double() if SQUARES[0] < least and largest < SQUARES[1] else None


def squared_operand(value: Any, dtype: torch.dtype = torch.float64) -> Any:
    """|value|^2 of a floating-point tensor, that of float64 in another dtype where asked for; anything else as it is."""
    if not isinstance(value, torch.Tensor):
        return value
    if value.is_complex():
        return value.real.square() + value.imag.square()
    if not value.is_floating_point():
        return value
    compact = _compact(value)  # an expanded operand (a weight broadcast over a batch) is squared once, not once per copy
    if value.dtype == torch.float64 and dtype != torch.float64:
        squares = compact.to(dtype).square_()
    else:
        squares = compact * compact
    return squares if compact is value else squares.expand(value.shape)


def _compact(value: torch.Tensor) -> torch.Tensor:
    """The numbers that a tensor holds, each once along the axes that it is expanded over."""
    for axis, (size, stride) in enumerate(zip(value.shape, value.stride())):
        if stride == 0 and size > 1:
            value = value.narrow(axis, 0, 1)
    return value


def terms_of_product(name: str, args: Sequence[Any]) -> int:
    """How many products are summed for one result, an addend counted as one more."""
    record = record_of(name)
    if record.convolution:
        weight = args[1]
        transposed, groups = (args[6], args[8]) if len(args) > 8 else (False, 1)
        channels = weight.shape[0] // groups if transposed else weight.shape[1]
        return int(channels * math.prod(weight.shape[2:])) + (args[2] is not None)
    added = record.addend is not None and len(args) > record.addend and args[record.addend] is not None
    first: torch.Tensor = args[1] if record.addend == 0 else args[0]
    if name == "addr":  # the one product whose operands share no axis
        return 1 + added
    inner = int(first.shape[-1]) * (int(first.shape[0]) if name == "addbmm" else 1)
    return inner + added
