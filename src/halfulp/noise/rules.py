"""How far one op's result may be moved by rounding: the rule of each op, first order, as a standard deviation.

A rule sees the op's arguments and its float64 result and returns the standard deviation of the rounding error that an honest
implementation in the declared precision makes *inside this op alone*: nothing (the op is exact), a multiple of the result
(elementwise ops), or a tensor (sums and products, where cancellation makes the error larger than the result). What later
ops make of it is found by running them, so no condition number is ever written down.

Ops that are themselves formulas (normalizations, softmax, GELU, losses, variances) have no rule: `decomposed` says how to take
them apart, so their internal conditioning comes out of their textbook formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch._decomp import decomposition_table  # pyright: ignore[reportPrivateUsage]

from ..floats import Format
from ..floats.libraries import LIBRARY_ULPS, ROUNDING_RMS

ROUNDED = frozenset(
    (
        "add sub rsub mul div true_divide reciprocal sqrt addcmul addcdiv lerp square complex polar logaddexp logaddexp2 "
        "logspace normal_ uniform_ arange fma xlogy special_xlog1py exponential_ div_ sgn"
    ).split()
)
"""Elementwise ops that IEEE 754 requires, or that every library makes, correct to about one rounding."""

EXACT = frozenset(
    (
        "clone copy _to_copy to lift_fresh lift_fresh_copy contiguous relu relu6 threshold threshold_backward clamp clamp_min "
        "clamp_max clip maximum minimum max min amax amin aminmax fmax fmin where abs neg sign signbit floor ceil round trunc "
        "fix frac remainder fmod cat concat stack gather index index_select take take_along_dim masked_select masked_fill "
        "masked_scatter scatter constant_pad_nd pad reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d "
        "replication_pad2d replication_pad3d max_pool2d_with_indices max_pool3d_with_indices adaptive_max_pool2d "
        "max_pool2d_with_indices_backward sort topk kthvalue median nanmedian mode flip roll rot90 tril triu zeros ones full "
        "empty zeros_like ones_like full_like empty_like new_empty new_zeros new_ones new_full empty_strided fill zero "
        "embedding unfold_copy repeat repeat_interleave eq ne lt le gt ge isnan isinf isfinite isclose logical_and logical_or "
        "logical_not logical_xor bitwise_and bitwise_or bitwise_xor bitwise_not nonzero any all argmax argmin argsort "
        "searchsorted bucketize one_hot pixel_shuffle pixel_unshuffle channel_shuffle im2col view_as_real view_as_complex real "
        "imag conj _conj _conj_physical resolve_conj resolve_neg copysign nan_to_num nextafter ldexp frexp diag diag_embed eye "
        "slice_scatter select_scatter diagonal_scatter as_strided_scatter slice_backward select_backward _reshape_alias "
        "_unsafe_view convert_element_type broadcast_in_dim device_put scalar_tensor iota randn rand randint bernoulli randperm "
        "native_dropout rand_like randn_like _local_scalar_dense item is_same_size set_ resize_ detach alias view_of unbind "
        "index_copy index_fill cummax cummin heaviside positive select_copy movedim meshgrid tensor_split _pin_memory equal "
        "_assert_async new_empty_strided fill_ collapse collapse_view split_dim squeeze copy_to _make_dual"
    ).split()
)
"""Ops that move, choose or compare numbers and round nothing."""

PRODUCTS = frozenset("mm bmm addmm baddbmm addbmm mv addmv dot vdot addr convolution convolution_backward linear matmul".split())
SUMS = frozenset("sum nansum mean nanmean avg_pool1d avg_pool2d avg_pool3d _adaptive_avg_pool2d _adaptive_avg_pool3d col2im".split())
SCATTERED_SUMS = frozenset("index_add scatter_add index_put _index_put_impl _unsafe_index_put embedding_dense_backward".split())
TRANSFORMS = frozenset("_fft_r2c _fft_c2r _fft_c2c".split())
SCANS = frozenset(("cumsum",))
BACKWARD_STABLE = (
    "linalg_solve",
    "linalg_lstsq",
    "linalg_inv",
    "linalg_q",
    "linalg_eig",
    "linalg_c",
    "linalg_lu",
    "_linalg_",
    "cholesky",
    "lu_",
    "triangular_solve",
    "ormqr",
    "geqrf",
    "svd",
    "inverse",
)
"""Prefixes of the factorizations and solvers: backward stable, so their error is that of inputs moved by u times their norm."""

Deviation = float | torch.Tensor | None
"""None: exact; a float: that multiple of the result's magnitude; a tensor: absolute."""


class OpError:
    """The rounding model of single ops for one declared precision.

    Args:
        declared: the precision that results are stored in. Sums of 16-bit and 8-bit formats are accumulated in float32, as every
            vendor's library documents; tf32 rounds only the inputs of products.
        accumulate: True lets a sum of n terms be added in any order, a plain chain included; False counts only the rounding of
            each product and of each result, which is what rounding *data* to the precision does.
        coarse_sums: True accumulates sums in the declared precision itself, whatever vendors document.
        product_loss: how many times the error of a chain, in norm, a product may make: what fast algorithms lose by design.
    """

    def __init__(self, declared: Format, *, accumulate: bool = True, coarse_sums: bool = False, product_loss: float = 1.0) -> None:
        self.declared = declared
        storage = 24 if declared.name == "tf32" else declared.precision_bits
        self.storage_u = math.ldexp(ROUNDING_RMS, -storage)
        self.sum_u = math.ldexp(ROUNDING_RMS, -(storage if coarse_sums else max(storage, 24)))
        # Tensor cores take float32 operands as they are and drop the low bits: twice the error of rounding to nearest, ...
        self.input_u = 2.0 * math.ldexp(ROUNDING_RMS, -11) if declared.name == "tf32" else 0.0
        # ... and all in one direction: a float's mean loss is half its spacing, (1 / (2 ln 2)) 2**-10 of it for Benford's mantissas.
        self.shrink_u = 2.0 * math.ldexp(0.5 / math.log(2.0), -10) if declared.name == "tf32" else 0.0
        self.accumulate = accumulate
        self.product_loss = product_loss

    def elementwise(self, name: str) -> float | None:
        """The relative deviation of an elementwise op, None for an op that is not elementwise."""
        if name in ROUNDED:
            return self.storage_u
        if name in LIBRARY_ULPS:
            # Uniform within the allowed ulps: each half ulp counts like one rounding.
            return 2.0 * LIBRARY_ULPS[name] * self.sum_u + (self.storage_u - self.sum_u)
        return None

    def gelu(self, x: torch.Tensor) -> torch.Tensor:
        """The deviation of x / 2 (1 + erf(x / sqrt 2)): that of its five steps, each taken through to the result by its derivative.

        In one piece, because GELU follows the widest layer of a transformer and its steps apart would cost most of a sample.
        """
        z = x * math.sqrt(0.5)
        erf = torch.erf(z)
        function_u = 2.0 * LIBRARY_ULPS["erf"] * self.sum_u + (self.storage_u - self.sum_u)
        argument = (2.0 / math.sqrt(math.pi) * self.storage_u) * z * torch.exp(-z * z)
        inner = (function_u * erf).square_() + (self.storage_u * (1.0 + erf)).square_() + argument.square_()
        products = (self.storage_u * (1.0 + erf)).square_()  # of the last product and of x / 2
        return (0.5 * x).abs_() * (inner + 2.0 * products).sqrt_()

    def chain(self, result: torch.Tensor, squares: torch.Tensor, terms: Any) -> torch.Tensor:
        """The deviation of a sum of `terms` terms whose squares sum to `squares`, with products rounded.

        A chain rounds every partial sum s_k. Seen from the data, s_k goes from 0 to y like a random bridge: its mean square
        over k is y^2 / 3 + squares / 6, so n roundings add n (y^2 / 3 + squares / 6). Any tree of depth h < n does better.
        """
        magnitude = _squared(result)
        on_squares, on_magnitude = self.sum_u**2, self.storage_u**2
        if self.input_u:
            on_squares += 2.0 * self.input_u**2
            on_magnitude += self.shrink_u**2
        if not self.accumulate:
            return squares.mul(on_squares).add_(magnitude, alpha=on_magnitude).sqrt_()
        if isinstance(terms, torch.Tensor):
            growth = self.sum_u**2 * terms
            return (squares * (growth / 6.0 + on_squares) + magnitude * (growth / 3.0 + on_magnitude)).sqrt_()
        growth = self.sum_u**2 * terms
        return squares.mul(growth / 6.0 + on_squares).add_(magnitude, alpha=growth / 3.0 + on_magnitude).sqrt_()

    def product(self, call: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        """The deviation of each output of a product: the same op on squares gives the sum of squared products."""
        squared = tuple(_squared(each) for each in args)
        scales = {key: (value * value if key in ("alpha", "beta") else value) for key, value in kwargs.items()}
        squares = call(*squared, **scales)
        if name == "convolution_backward":
            return tuple(None if each is None else self._in_norm(each) for each in self._convolution_backward(args, result, squares))
        return self._in_norm(self.chain(result, squares, terms_of_product(name, args)))

    def _in_norm(self, deviation: torch.Tensor) -> torch.Tensor:
        """The deviation of a fast product: a multiple of the root mean square over the whole result, whatever the element."""
        if self.product_loss == 1.0 or not deviation.numel():
            return deviation
        return deviation + self.product_loss * deviation.square().mean().sqrt()

    def _convolution_backward(self, args: tuple[Any, ...], result: Any, squares: Any) -> tuple[Any, ...]:
        grad, _, weight = args[:3]
        per_pixel = grad.numel() // max(1, grad.shape[1])
        taps = math.prod(weight.shape[2:])
        terms = (grad.shape[1] * taps, per_pixel, per_pixel)
        return tuple(None if value is None else self.chain(value, square, count) for value, square, count in zip(result, squares, terms))

    def reduced(
        self, call: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: torch.Tensor
    ) -> torch.Tensor:
        """The deviation of a sum or mean along axes."""
        summand = args[0]
        terms = max(1, summand.numel() // max(1, result.numel()))
        squares = call(_squared(summand), *args[1:], **kwargs)
        if "mean" in name or "avg" in name:
            if name.startswith("avg_pool"):
                kernel = args[1]
                terms = math.prod(kernel) if len(kernel) > 1 else kernel[0] ** int(name[-2])
            squares = squares / terms
        return self.chain(result, squares, terms)

    def scattered(
        self, call: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: torch.Tensor
    ) -> Deviation:
        """The deviation of a sum over equal indices; how many terms meet at each place is counted with the op itself."""
        if name == "embedding_dense_backward":
            squares = call(args[0] ** 2, *args[1:], **kwargs)
            terms = call(torch.ones_like(args[0]), *args[1:], **kwargs)
            return self.chain(result, squares, terms)
        if "index_put" in name and not (len(args) > 3 and args[3]):
            return None
        base, *middle, source = args[:3] if "index_put" in name else args[:4]
        flags = args[3:] if "index_put" in name else args[4:]
        squares = call(base**2, *middle, source**2, *flags, **kwargs)
        terms = call(torch.ones_like(base), *middle, torch.ones_like(source), *flags, **kwargs)
        return self.chain(result, squares, terms)

    def scanned(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: torch.Tensor) -> torch.Tensor:
        """The deviation of a running sum."""
        summand = args[0]
        if not summand.dim():
            return self.storage_u * result.abs()
        axis = kwargs.get("dim", args[1] if len(args) > 1 else 0)
        squares = call(summand**2, *args[1:], **kwargs)
        terms = torch.ones_like(summand).cumsum(axis)
        return self.chain(result, squares, terms)

    def transformed(self, args: tuple[Any, ...], result: torch.Tensor) -> torch.Tensor:
        """The deviation of a fast Fourier transform: log2 n stages, each rounding at the scale of the whole transform.

        References:
            Higham, Accuracy and Stability, 2nd ed., Theorem 24.2 (normwise; rms grows as the root of the stages).
        """
        axes = [axis % result.dim() for axis in args[1]]
        length = max(2, math.prod(max(args[0].shape[axis], result.shape[axis]) for axis in axes))
        typical = _squared(result).mean(dim=axes, keepdim=True).sqrt()
        return self.sum_u * math.sqrt(2.0 * math.log2(length)) * typical.expand(result.shape)


def _squared(value: Any) -> Any:
    """|value|^2 of a floating-point tensor; anything else as it is."""
    if not isinstance(value, torch.Tensor):
        return value
    if value.is_complex():
        return value.real.square() + value.imag.square()
    if not value.is_floating_point():
        return value
    repeated = [axis for axis, (size, stride) in enumerate(zip(value.shape, value.stride())) if stride == 0 and size > 1]
    if not repeated:
        return value * value
    compact = value  # an expanded operand (a weight broadcast over a batch) is squared once, not once per copy
    for axis in repeated:
        compact = compact.narrow(axis, 0, 1)
    return (compact * compact).expand(value.shape)


def terms_of_product(name: str, args: tuple[Any, ...]) -> int:
    """How many products are summed for one result, an addend counted as one more."""
    if name == "convolution":
        weight = args[1]
        taps = math.prod(weight.shape[2:])
        transposed, groups = args[6], args[8]
        channels = weight.shape[0] // groups if transposed else weight.shape[1]
        return int(channels * taps) + (args[2] is not None)
    if name in ("mm", "bmm", "mv", "dot", "vdot", "matmul"):
        return int(args[0].shape[-1])
    if name == "addr":
        return 2
    if name == "addbmm":
        return int(args[1].shape[0] * args[1].shape[-1]) + 1
    if name == "linear":
        return int(args[0].shape[-1]) + 1
    return int(args[1].shape[-1]) + 1  # addmm, baddbmm, addmv: one more for the addend


def _variance(summand: torch.Tensor, dim: Any = None, *, correction: float | None = None, keepdim: bool = False) -> torch.Tensor:
    dims = list(range(summand.dim())) if dim is None or dim == [] else ([dim] if isinstance(dim, int) else list(dim))
    count = math.prod(summand.shape[axis] for axis in dims)
    centered = summand - summand.mean(dims, keepdim=True)
    degrees = max(0.0, count - (1.0 if correction is None else float(correction)))
    return (centered * centered).sum(dims, keepdim=keepdim) / degrees


def _variance_and_mean(
    summand: torch.Tensor, dim: Any = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    dims = list(range(summand.dim())) if dim is None or dim == [] else dim
    return _variance(summand, dim, correction=correction, keepdim=keepdim), summand.mean(dims, keepdim=keepdim)


def _sigmoid(x: torch.Tensor) -> torch.Tensor:
    return 1.0 / (1.0 + torch.exp(-x))


def _layer_norm(x: torch.Tensor, shape: Any, weight: Any, bias: Any, layer_eps: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    axes = list(range(x.dim() - len(shape), x.dim()))
    mean = x.mean(axes, keepdim=True)
    centered = x - mean
    scale = torch.rsqrt((centered * centered).mean(axes, keepdim=True) + layer_eps)
    y = centered * scale
    y = y * weight if weight is not None else y
    return (y + bias if bias is not None else y), mean, scale


def _batch_norm(
    x: torch.Tensor, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, _momentum: float, layer_eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """In inference a multiplication and an addition, as every engine folds it; where x is near the mean that cancels."""
    if training or mean is None:
        return NotImplemented
    shape = (-1, *(1,) * (x.dim() - 2))
    scale = torch.rsqrt(variance + layer_eps)
    scale = scale * weight if weight is not None else scale
    shift = -(mean * scale)
    shift = shift + bias if bias is not None else shift
    return x * scale.reshape(shape) + shift.reshape(shape), x.new_empty(0), x.new_empty(0)


def _softmax(x: torch.Tensor, axis: int, _half_to_float: bool = False) -> torch.Tensor:
    if not x.numel():
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(axis, keepdim=True))
    return e / e.sum(axis, keepdim=True)


def _gelu_by_tanh(x: torch.Tensor, **_: Any) -> torch.Tensor:
    inner = (x + 0.044715 * (x * x * x)) * math.sqrt(2.0 / math.pi)
    return 0.5 * x * (1.0 + torch.tanh(inner))


_OWN_FORMULAS: dict[tuple[str, str], Callable[..., Any]] = {
    # The commonest three, written out with fewer steps than the table of torch.export takes.
    ("native_layer_norm", "default"): _layer_norm,
    ("native_batch_norm", "default"): _batch_norm,
    ("_native_batch_norm_legit_no_training", "default"): lambda x, w, b, mean, var, momentum, eps: _batch_norm(
        x, w, b, mean, var, False, momentum, eps
    ),
    ("_softmax", "default"): _softmax,
    ("gelu", "default"): _gelu_by_tanh,  # the exact form has a rule
    # Only the overloads with `correction`: the others are decomposed into them.
    ("var", "correction"): _variance,
    ("std", "correction"): lambda *args, **kwargs: _variance(*args, **kwargs).sqrt(),
    ("var_mean", "correction"): _variance_and_mean,
    ("var", "default"): lambda summand, dims=None, correction=1.0, **_: _variance(summand, dims, correction=correction),
    ("sigmoid", "default"): _sigmoid,
}


UNDIVIDED = frozenset(("grid_sampler_2d", "grid_sampler_3d"))
"""Ops whose textbook formula counts places in floating point: a rounding error put onto a whole number makes it the place before."""


def _either(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    """The first formula; the second where that says that it is not meant."""

    def formula(*args: Any, **kwargs: Any) -> Any:
        found = first(*args, **kwargs)
        return second(*args, **kwargs) if found is NotImplemented else found

    return formula


def decomposed(func: Any, name: str) -> Callable[..., Any] | None:
    """The textbook formula of an op in terms of simpler ops; None for an op that has none."""
    own = _OWN_FORMULAS.get((name, func._overloadname))
    if own is not None:
        table = decomposition_table.get(func)
        return own if name != "native_batch_norm" or table is None else _either(own, table)
    if name in UNDIVIDED:
        return lambda *_, **__: NotImplemented
    # The table that torch.export and torch.compile decompose with.
    return decomposition_table.get(func)
