"""What goes wrong with algorithms: formulas that lose digits, accumulators, products that are computed fast."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import torch

from ..calls import Call
from .arithmetic import rounded
from .hypothesis import ARITHMETIC, FORMULA, Hypothesis, Variation, among, changed


def _naive_softmax(call: Call) -> Iterator[Variation]:
    def sums(met: Call) -> tuple[torch.Tensor, torch.Tensor]:
        exponentials = torch.exp(met.first)
        return exponentials, exponentials.sum(met.value("dim", -1), keepdim=True)

    if call.name == "softmax":
        yield Variation("exp(x) / sum(exp(x)) without subtracting the maximum", lambda each: sums(each)[0] / sums(each)[1])
    elif call.name == "log_softmax":
        yield Variation("x - log(sum(exp(x))) without subtracting the maximum", lambda each: each.first - torch.log(sums(each)[1]))
    elif call.name == "logsumexp":
        yield Variation(
            "log(sum(exp(x))) without subtracting the maximum",
            lambda each: torch.log(torch.exp(each.first).sum(each.value("dim"), keepdim=bool(each.value("keepdim", False)))),
        )
    elif call.name == "cross_entropy":
        naive = lambda item: torch.nn.functional.nll_loss(
            item.first - torch.log(torch.exp(item.first).sum(1, keepdim=True)),
            item.value("target"),
            reduction=item.value("reduction", "mean"),
        )
        yield Variation("x - log(sum(exp(x))) without subtracting the maximum", naive)
        large = lambda item: torch.nn.functional.nll_loss(
            item.first - torch.logsumexp(item.first, 1, keepdim=True), item.value("target"), reduction=item.value("reduction", "mean")
        )
        yield Variation("x - logsumexp(x) with the maximum added back before the subtraction", large)
    elif call.name == "softplus":
        yield Variation("log(1 + exp(x)) evaluated as written", lambda each: torch.log(1 + torch.exp(each.first)))
    elif call.name in ("logsigmoid", "binary_cross_entropy_with_logits"):
        yield Variation("the logarithm of a sigmoid", _log_of_sigmoid)
    if call.name == "log_softmax":
        yield Variation(
            "x - logsumexp(x) with the maximum added back before the subtraction",
            lambda each: each.first - torch.logsumexp(each.first, each.value("dim", -1), keepdim=True),
        )


def _log_of_sigmoid(call: Call) -> torch.Tensor:
    if call.name == "logsigmoid":
        return torch.log(torch.sigmoid(call.first))
    return torch.nn.functional.binary_cross_entropy(torch.sigmoid(call.first), call.arguments[1], reduction=call.value("reduction", "mean"))


def _log_of_softmax(call: Call) -> Iterator[Variation]:
    if call.name == "log_softmax":
        yield Variation("the logarithm of a softmax", lambda call: torch.log(torch.softmax(call.first, call.value("dim", -1))))
    elif call.name == "cross_entropy":
        naive = lambda item: torch.nn.functional.nll_loss(
            torch.log(torch.softmax(item.first, 1)), item.value("target"), reduction=item.value("reduction", "mean")
        )
        yield Variation("the logarithm of a softmax", naive)


def _clipped_softmax(call: Call) -> Iterator[Variation]:
    if call.name == "cross_entropy":
        for least in (1e-7, 1e-8, 1e-12):
            clipped = lambda item, least=least: torch.nn.functional.nll_loss(
                torch.log(torch.softmax(item.first, 1).clamp(least, 1 - least)),
                item.value("target"),
                reduction=item.value("reduction", "mean"),
            )
            yield Variation(f"the logarithm of a softmax clipped to [{least:g}, 1 - {least:g}]", clipped)


def _expanded(call: Call) -> Iterator[Variation]:
    if call.name in ("cdist",):
        if call.value("p", 2.0) == 2.0:

            def squares(met: Call) -> torch.Tensor:
                x, y = met.value("x1"), met.value("x2")
                norms = x.square().sum(-1)[..., :, None] + y.square().sum(-1)[..., None, :]
                return (norms - 2 * x @ y.transpose(-1, -2)).clamp_min(0).sqrt()

            yield Variation("|x|^2 + |y|^2 - 2 x.y", squares)
            yield changed("the product formula (compute_mode)", compute_mode="use_mm_for_euclid_dist")
            yield changed("differences (compute_mode)", compute_mode="donot_use_mm_for_euclid_dist")
    elif call.name in ("expm1", "log1p"):
        naive = {"expm1": lambda x: torch.exp(x) - 1, "log1p": lambda x: torch.log(1 + x)}[call.name]
        yield Variation({"expm1": "exp(x) - 1", "log1p": "log(1 + x)"}[call.name], lambda each: naive(each.first))


LONGEST_CHAIN = 4096
"""Terms that are added one by one at most: a step is a call of PyTorch."""


def _accumulated(name: str) -> Any:
    def vary(call: Call) -> Iterator[Variation]:
        x = call.first
        if not isinstance(x, torch.Tensor) or not x.is_floating_point():
            return
        if call.name in ("sum", "mean", "cumsum"):
            axis = _single_axis(call)
            if axis is not None and 1 < x.shape[axis] <= LONGEST_CHAIN:
                yield Variation(f"terms added one by one in {name}", lambda call: _chain(call, axis, name))
        elif call.name in ("linear", "matmul", "mm", "bmm") and x.dim() and 1 < x.shape[-1] <= LONGEST_CHAIN:
            yield Variation(f"products added one by one in {name}", lambda call: _product_chain(call, name))

    return vary


def _single_axis(call: Call) -> int | None:
    dims = call.value("dim")
    if dims is None:
        return 0 if call.first.dim() == 1 else None
    found = [dims] if isinstance(dims, int) else list(dims)
    return found[0] % call.first.dim() if len(found) == 1 and not isinstance(found[0], bool) else None


def _chain(call: Call, axis: int, name: str) -> torch.Tensor:
    x = call.first
    total = rounded(x.select(axis, 0).float(), name)
    partial = [total]
    for k in range(1, x.shape[axis]):
        total = rounded(total + x.select(axis, k).float(), name)
        if call.name == "cumsum":
            partial.append(total)
    if call.name == "cumsum":
        return torch.stack(partial, axis).to(x.dtype)
    total = total.to(x.dtype)
    total = total / x.shape[axis] if call.name == "mean" else total
    return total.unsqueeze(axis) if call.value("keepdim", False) else total


def _product_chain(call: Call, name: str) -> torch.Tensor:
    x, other = call.arguments[0].float(), call.arguments[1].float()
    other = other.transpose(-1, -2) if call.name == "linear" else other
    total = torch.zeros(*x.shape[:-1], other.shape[-1])
    for k in range(x.shape[-1]):
        total = rounded(total + x[..., k, None] * other[..., k, None, :], name)
    bias = call.value("bias") if call.name == "linear" else None
    return (total if bias is None else total + bias.float()).to(call.arguments[0].dtype)


def _winograd(call: Call) -> Iterator[Variation]:
    weight = call.value("weight")
    plain = call.value("groups", 1) == 1 and all(int(one) == 1 for key in ("stride", "dilation") for one in _ones(call.value(key, 1)))
    if plain and set(weight.shape[2:]) == {3}:
        for tile in POINTS:
            size = "x".join([str(tile)] * (weight.dim() - 2)), "x".join(["3"] * (weight.dim() - 2))
            yield Variation(f"Winograd's algorithm F({size[0]}, {size[1]})", lambda call, tile=tile: winograd(call, tile))


def _ones(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


POINTS = {
    2: (0.0, 1.0, -1.0),
    4: (0.0, 1.0, -1.0, 2.0, -2.0),
    6: (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5),
    8: (0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0),
}
"""The points at which Winograd's algorithm evaluates polynomials, beside infinity (Lavin and Gray 2016; NNPACK uses those of tile 6)."""


def winograd(call: Call, tile: int) -> torch.Tensor:
    """A convolution with kernels of 3 or 3x3 and stride 1 by Winograd's algorithm, in the dtype of its operands (Toom-Cook, POINTS)."""
    x, weight, bias = call.first, call.value("weight"), call.value("bias")
    dims = weight.dim() - 2
    padding = [int(one) for one in _ones(call.value("padding", 0))]
    padding = padding * dims if len(padding) == 1 else padding
    sizes = [x.shape[2 + axis] + 2 * padding[axis] - 2 for axis in range(dims)]
    widths = [width for axis in reversed(range(dims)) for width in (padding[axis], padding[axis] + -sizes[axis] % tile)]
    data = torch.nn.functional.pad(x, widths)
    a, g, b = (transform.to(x.dtype) for transform in _transforms(tile))
    kernels, tensordot = weight, cast(Any, torch.tensordot)  # its stub knows one form of `dims`
    for axis in range(dims):
        kernels = tensordot(kernels, g, ([2], [1]))
        data = data.unfold(2 + axis, tile + 2, tile)
    for _ in range(dims):
        data = tensordot(data, b, ([2 + dims], [1]))
    tiles, points = "xy"[:dims], "pq"[:dims]
    found = torch.einsum(f"nc{tiles}{points},oc{points}->no{tiles}{points}", data, kernels)
    for _ in range(dims):
        found = tensordot(found, a, ([2 + dims], [0]))
    order = (0, 1, *(place for axis in range(dims) for place in (2 + axis, 2 + dims + axis)))
    result = found.permute(order).reshape(*found.shape[:2], *(found.shape[2 + axis] * tile for axis in range(dims)))
    for axis, size in enumerate(sizes):
        result = result.narrow(2 + axis, 0, size)
    return result if bias is None else result + bias.reshape(1, -1, *([1] * dims))


def _transforms(tile: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """A (n x tile), G (n x 3), B (n x n) with y = A^T [(G g) * (B d)] for n = tile + 2; float64.

    References:
        Blahut, Fast Algorithms for Signal Processing, section 5.2 (Toom-Cook), transposed into a correlation.
    """
    points = POINTS[tile]
    count = tile + 2

    def evaluation(length: int) -> torch.Tensor:
        matrix = torch.tensor([[point**power for power in range(length)] for point in points], dtype=torch.float64)
        last = torch.zeros(1, length, dtype=torch.float64)
        last[0, -1] = 1.0
        return torch.cat((matrix, last))

    return evaluation(tile), evaluation(3), torch.linalg.inv(evaluation(count)).t().contiguous()


def _fourier(call: Call) -> Iterator[Variation]:
    plain = call.value("groups", 1) == 1 and all(int(one) == 1 for key in ("stride", "dilation") for one in _ones(call.value(key, 1)))
    if plain and call.name in ("conv1d", "conv2d"):
        yield Variation("Fourier transforms", _by_fourier)


def _by_fourier(call: Call) -> torch.Tensor:
    x, weight, bias = call.first, call.value("weight"), call.value("bias")
    dims = weight.dim() - 2
    padding = [int(one) for one in _ones(call.value("padding", 0))]
    padding = padding * dims if len(padding) == 1 else padding
    x = torch.nn.functional.pad(x, [width for number in reversed(padding) for width in (number, number)])
    axes = tuple(range(-dims, 0))
    sizes = [int(number) for number in x.shape[2:]]
    letters = "xy"[:dims]
    spectrum = torch.einsum(
        f"nc{letters},oc{letters}->no{letters}", torch.fft.rfftn(x, sizes, axes), torch.fft.rfftn(weight, sizes, axes).conj()
    )
    result = torch.fft.irfftn(spectrum, sizes, axes)
    for axis, size in zip(range(2, 2 + dims), weight.shape[2:]):
        result = result.narrow(axis, 0, result.shape[axis] - int(size) + 1)
    return result if bias is None else result + bias.reshape(1, -1, *([1] * dims))


ALL = (
    *(
        Hypothesis(f"{name} accumulator", ARITHMETIC, "errors that grow with the number of terms, sums that stop growing", f"terms and products added one by one in {name}",
                   "accumulate in float32: x.sum(dtype=torch.float32), x.float()", ("pytorch/pytorch#59489", "pytorch/pytorch#91597", "pytorch/pytorch#105726"),
                   among("sum mean cumsum linear matmul mm bmm"), _accumulated(name), errs=True)
        for name in ("float16", "bfloat16")
    ),
    Hypothesis("missing maximum subtraction", ARITHMETIC, "infinities and NaN for large arguments, lost digits for smaller ones", "exponentials taken without first subtracting the maximum",
               "subtract the maximum first, as torch.softmax, torch.logsumexp and F.log_softmax do", ("pytorch/pytorch#11752", "ml-explore/mlx#4169"),
               among("softmax log_softmax logsumexp cross_entropy softplus logsigmoid binary_cross_entropy_with_logits"), _naive_softmax, errs=True),
    Hypothesis("log of softmax", ARITHMETIC, "minus infinity for unlikely classes", "the logarithm taken after the softmax",
               "use F.log_softmax", ("pytorch/pytorch#94043",), among("log_softmax cross_entropy"), _log_of_softmax, errs=True),
    Hypothesis("log of softmax", FORMULA, "losses that stop growing where the probability of the true class nears zero", "the softmax clipped before the logarithm, as in Keras",
               "use F.cross_entropy on the logits", (), among("cross_entropy"), _clipped_softmax),
    Hypothesis("expanded squares", ARITHMETIC, "errors where two points nearly coincide", "differences expanded into squares and products",
               'subtract first: torch.cdist(..., compute_mode="donot_use_mm_for_euclid_dist"), torch.expm1, torch.log1p', ("pytorch/pytorch#37734", "pytorch/pytorch#42479", "scikit-learn#9354"),
               among("cdist expm1 log1p"), _expanded, errs=True),
    Hypothesis("Winograd", ARITHMETIC, "about one digit lost in 3x3 convolutions", "3x3 convolutions by Winograd's algorithm with four tile sizes",
               "for NNPACK, set torch.backends.mkldnn.enabled = True or use batches of fewer than 16; for cuDNN, set torch.backends.cudnn.enabled = False", ("pytorch/pytorch#170016",), among("conv1d conv2d"), _winograd, errs=True),
    Hypothesis("FFT", ARITHMETIC, "errors of the same size in large and small results", "convolutions by Fourier transforms",
               "ask for a direct algorithm (for cuDNN, set torch.backends.cudnn.enabled = False)", ("pytorch/pytorch#170016",), among("conv1d conv2d"), _fourier, errs=True),
)  # fmt: skip
