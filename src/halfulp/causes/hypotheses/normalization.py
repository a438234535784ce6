"""What goes wrong with normalizations: epsilon, estimator of the variance, momentum, training mode, axes, casts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch

from ...ops.defaults import rms_norm_epsilon
from ..calls import Call, is_scalar
from .hypothesis import ARITHMETIC, FORMULA, Fit, Hypothesis, Site, Variation, among, changed, constants

EPSILONS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-12, 0.0)
"""Defaults in use: TensorFlow and Keras 1e-3, PyTorch 1e-5, Flax and LLaMA 1e-6, BERT 1e-12."""
DEFAULT_EPS = {
    "layer_norm": 1e-5,
    "group_norm": 1e-5,
    "batch_norm": 1e-5,
    "instance_norm": 1e-5,
    "normalize": 1e-12,
    "cosine_similarity": 1e-8,
}
NORMS = "layer_norm group_norm batch_norm instance_norm rms_norm"
LARGEST_EPS = 1e-2


def _eps(call: Call) -> float | None:
    if call.name in ("add", "sub", "clamp", "clamp_min"):
        key = {"clamp": "min", "clamp_min": "min"}.get(call.name, "other")
        value = call.value(key) if call.name != "clamp_min" else (call.arguments[1] if len(call.arguments) > 1 else call.value("min"))
        is_small = is_scalar(value) and 0 < abs(float(value)) <= LARGEST_EPS
        return float(value) if is_small and isinstance(call.first, torch.Tensor) and call.first.is_floating_point() else None
    if call.name == "rms_norm":
        given = call.value("eps")
        return float(given) if given is not None else rms_norm_epsilon(call.first.dtype)
    return float(call.value("eps", DEFAULT_EPS.get(call.name, 1e-5)))


def _with_eps(call: Call, value: float, present: float) -> Variation:
    words = f"eps = {value:g} instead of {present:g}"
    if call.name in ("add", "sub"):
        return Variation(words, lambda call: call.again(other=value))
    if call.name in ("clamp", "clamp_min"):
        return Variation(
            words,
            lambda call: call.function(call.first, value) if call.name == "clamp_min" else call.again(min=value),
        )
    return changed(words, eps=value)


def _epsilons(call: Call) -> Iterator[Variation]:
    present = _eps(call)
    if present is not None:
        yield from (_with_eps(call, constant, present) for constant in constants(EPSILONS, present))
        if call.name in NORMS.split():
            yield Variation(
                f"eps = {present:g} added to the standard deviation instead of eps added to the variance",
                _eps_outside,
                remedy="add eps at the same place in both: PyTorch adds it to the variance, under the root",
            )


def _fitted_eps(call: Call) -> Iterable[Fit]:
    present = _eps(call)
    if present is not None:
        yield Fit("eps", 1e-14, 0.3, present, vary=lambda value: _with_eps(call, value, present), logarithmic=True)


def _axes(call: Call) -> tuple[tuple[int, ...], torch.Tensor]:
    """The axes that are normalized over, and the data in the shape that has them."""
    x = call.first
    if call.name in ("layer_norm", "rms_norm"):
        shape = call.value("normalized_shape")
        return tuple(range(-len(shape), 0)), x
    if call.name == "group_norm":
        groups = int(call.value("num_groups"))
        return tuple(range(2, x.dim() + 1)), x.reshape(x.shape[0], groups, -1, *x.shape[2:])
    if call.name == "instance_norm":
        return tuple(range(2, x.dim())), x
    return (0, *range(2, x.dim())), x


def _affine(call: Call, normal: torch.Tensor) -> torch.Tensor:
    x = call.first
    normal = normal.reshape(x.shape)
    weight, bias = call.value("weight"), call.value("bias")
    shape = weight.shape if call.name in ("layer_norm", "rms_norm") and weight is not None else (1, -1, *([1] * (x.dim() - 2)))
    if weight is not None:
        normal = normal * (weight if call.name in ("layer_norm", "rms_norm") else weight.reshape(shape))
    if bias is not None:
        normal = normal + (bias if call.name in ("layer_norm", "rms_norm") else bias.reshape(shape))
    return normal


def _moments(call: Call) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, int]:
    axes, x = _axes(call)
    mean = x.mean(axes, keepdim=True)
    variance = (x - mean).square().mean(axes, keepdim=True)
    return x, mean, variance, x.numel() // max(1, mean.numel())


def _from_running(call: Call) -> bool:
    return call.name == "batch_norm" and not call.value("training", False)


def _statistics(call: Call) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, int]:
    if _from_running(call):
        x = call.first
        shape = (1, -1, *([1] * (x.dim() - 2)))
        return x, call.value("running_mean").reshape(shape), call.value("running_var").reshape(shape), 0
    return _moments(call)


def _eps_outside(call: Call) -> torch.Tensor:
    x, mean, variance, _ = _statistics(call)
    eps = _eps(call) or 0.0
    if call.name == "rms_norm":
        return _affine(call, x / (x.square().mean(_axes(call)[0], keepdim=True).sqrt() + eps))
    return _affine(call, (x - mean) / (variance.sqrt() + eps))


def _unbiased(call: Call) -> torch.Tensor:
    x, mean, variance, count = _moments(call)
    if call.name == "batch_norm":
        call.function(*call.arguments, **call.keywords)  # updates the running statistics
    return _affine(call, (x - mean) / (variance * (count / max(1, count - 1)) + (_eps(call) or 0.0)).sqrt())


def _biased_buffer(call: Call) -> torch.Tensor:
    """The running variance takes in the biased one; the weight that it takes it in with is read off what the call itself does."""
    running, count = call.value("running_var"), call.first.numel() // call.first.shape[1]
    before = running.clone()
    result = call.function(*call.arguments, **call.keywords)
    batch = call.first.detach().transpose(0, 1).flatten(1).var(1).to(running.dtype)
    with torch.no_grad():
        moved, way = (running - before).double(), (batch - before).double()
        momentum = float((moved * way).sum() / way.square().sum().clamp_min(1e-300))
        running.copy_(before + momentum * (batch * ((count - 1) / count) - before))
    return result


def _estimators(call: Call) -> Iterator[Variation]:
    if call.name in ("var", "std", "var_mean", "std_mean"):
        unbiased = bool(call.value("unbiased", True)) and call.keywords.get("correction", 1) != 0
        other, words = (0, "the biased variance (division by n)") if unbiased else (1, "the unbiased variance (division by n - 1)")

        def vary(met: Call) -> Any:
            kept = {key: value for key, value in met.keywords.items() if key not in ("unbiased", "correction", "dim")}
            dims = met.value("dim")
            function = getattr(torch, met.name)
            return function(met.first, dim=dims if not isinstance(dims, bool) else None, correction=other, **kept)

        yield Variation(words, vary)
        return
    if not _from_running(call) and call.name != "rms_norm":
        yield Variation("the unbiased variance (division by n - 1)", _unbiased)
    if call.name == "batch_norm" and call.value("training", False) and call.value("running_var") is not None:
        yield Variation("the biased variance in running_var", _biased_buffer)


def _momenta(call: Call) -> Iterator[Variation]:
    present = call.value("momentum", 0.1)
    if call.value("training", False) and is_scalar(present) and call.value("running_mean") is not None:
        for constant in constants([1 - present, 0.1, 0.01, 0.03, 0.9, 0.99, 0.0], present):
            yield changed(f"momentum = {constant:g} instead of {present:g}", momentum=constant)


def _modes(call: Call) -> Iterator[Variation]:
    training = bool(call.value("training", False))
    if call.value("running_mean") is not None:
        words = "running statistics (evaluation mode)" if training else "the statistics of the batch (training mode)"
        yield changed(words, training=not training)


def _other_axes(call: Call) -> Iterator[Variation]:
    x = call.first
    if call.name in ("layer_norm", "rms_norm") and x.dim() >= 2:
        eps = _eps(call) or 0.0
        own = set(_axes(call)[0])
        candidates = [(number,) for number in range(-x.dim(), 0)] + [tuple(range(-number, 0)) for number in range(2, x.dim())]
        for axes in dict.fromkeys(candidates):
            if set(axes) != own:
                yield Variation(f"normalization over the axes {axes} instead of {tuple(sorted(own))}", _over(axes, eps))
        if len(own) == 1:
            for axis in range(-x.dim(), -1):
                if x.shape[axis] == x.shape[-1]:
                    yield Variation(
                        f"normalization and weights along axis {axis} instead of -1",
                        lambda call, axis=axis: _moved(call, axis),
                    )
        other = _as_layer if call.name == "rms_norm" else _as_rms
        yield Variation(
            "the mean subtracted (LayerNorm)" if call.name == "rms_norm" else "the mean not subtracted (RMSNorm)",
            other,
            remedy="subtract the mean in both or in neither",
        )
    if call.name == "group_norm":
        groups, channels = int(call.value("num_groups")), call.first.shape[1]
        for other in (1, 2, 4, 8, 16, 32, channels):
            if other != groups and channels % other == 0:
                yield Variation(
                    f"num_groups = {other} instead of {groups}",
                    lambda call, other=other: call.again(num_groups=other),
                    remedy="pass the same num_groups to both",
                )
        if 1 < groups < channels:
            yield Variation("channel i in group i mod num_groups instead of neighboring channels grouped together", _interleaved)
    if call.name in ("normalize", "norm", "linalg_norm", "linalg_vector_norm", "cosine_similarity"):
        yield from _axis_of_norm(call)
    if call.name == "batch_norm" and not _from_running(call):
        yield Variation("normalization of each sample (InstanceNorm)", lambda call: _normal_over(call, tuple(range(2, call.first.dim()))))


def _interleaved(call: Call) -> torch.Tensor:
    """Channel i in group i mod groups."""
    groups, x = int(call.value("num_groups")), call.first
    order = torch.arange(x.shape[1], device=x.device).reshape(-1, groups).T.flatten()
    eps = call.value("eps", 1e-5)
    normal = torch.nn.functional.group_norm(x[:, order], groups, eps=eps)[:, order.argsort()]
    return _affine(call, normal)


def _moved(call: Call, axis: int) -> torch.Tensor:
    return call.again(input=call.first.movedim(axis, -1)).movedim(-1, axis)


def _axis_of_norm(call: Call) -> Iterator[Variation]:
    x = call.first
    if not isinstance(x, torch.Tensor):
        return
    key, default = ("dim", 1) if call.name in ("normalize", "cosine_similarity") else ("dim", None)
    present = call.value(key, default)
    if not isinstance(present, (int, tuple, list)):
        return
    axis = present if isinstance(present, int) else present[0] if len(present) == 1 else None
    for other in range(x.dim()):
        if axis is not None and other != axis % x.dim():
            yield changed(f"axis {other} instead of {axis % x.dim()}", **{key: other})


def _over(axes: tuple[int, ...], eps: float) -> Any:
    def compute(call: Call) -> torch.Tensor:
        x = call.first
        mean = x.mean(axes, keepdim=True) if call.name == "layer_norm" else torch.zeros((), dtype=x.dtype)
        return _affine(call, (x - mean) / ((x - mean).square().mean(axes, keepdim=True) + eps).sqrt())

    return compute


def _normal_over(call: Call, axes: tuple[int, ...]) -> torch.Tensor:
    x = call.first
    mean = x.mean(axes, keepdim=True)
    return _affine(call, (x - mean) / ((x - mean).square().mean(axes, keepdim=True) + (_eps(call) or 0.0)).sqrt())


def _as_rms(call: Call) -> torch.Tensor:
    axes, x = _axes(call)
    return _affine(call, x / (x.square().mean(axes, keepdim=True) + (_eps(call) or 0.0)).sqrt())


def _as_layer(call: Call) -> torch.Tensor:
    return _normal_over(call, _axes(call)[0])


def _one_pass(call: Call) -> Iterator[Variation]:
    if _from_running(call) or call.name == "rms_norm":
        return

    def variance(x: torch.Tensor, axes: Any) -> torch.Tensor:
        return x.square().mean(axes, keepdim=True) - x.mean(axes, keepdim=True).square()

    def compute(met: Call) -> Any:
        if met.name in ("var", "std", "var_mean", "std_mean"):
            dims = met.value("dim")
            axes = tuple(range(met.first.dim())) if dims is None or isinstance(dims, bool) else dims
            x = met.first
            count = x.numel() // max(1, x.mean(axes).numel())
            unbiased = bool(met.value("unbiased", True)) and met.keywords.get("correction", 1) != 0
            found = variance(x, axes).clamp_min(0) * (count / (count - 1) if unbiased else 1.0)
            found = found if met.value("keepdim", False) else found.squeeze(axes)
            found = found.sqrt() if met.name.startswith("std") else found
            return (found, x.mean(axes, keepdim=bool(met.value("keepdim", False)))) if met.name.endswith("mean") else found
        axes, x = _axes(met)
        return _affine(met, (x - x.mean(axes, keepdim=True)) / (variance(x, axes).clamp_min(0) + (_eps(met) or 0.0)).sqrt())

    yield Variation("the variance as the mean square minus the square of the mean", compute)


def _cast_orders(call: Call) -> Iterator[Variation]:
    x, weight = call.first, call.value("weight")
    if x.dtype not in (torch.float16, torch.bfloat16) or weight is None:
        return

    def normal(met: Call) -> torch.Tensor:
        wide = met.first.float()
        axes = _axes(met)[0]
        centered = wide - wide.mean(axes, keepdim=True) if met.name == "layer_norm" else wide
        return centered * torch.rsqrt(centered.square().mean(axes, keepdim=True) + (_eps(met) or 0.0))

    def bias(each: Call) -> Any:
        return each.value("bias") if each.value("bias") is not None else 0.0

    name = str(x.dtype).removeprefix("torch.")
    yield Variation(
        f"the cast to {name} before the multiplication by the weight",
        lambda each: normal(each).to(x.dtype) * each.value("weight") + bias(each),
    )
    yield Variation(
        f"the cast to {name} after the multiplication by the weight",
        lambda each: (normal(each) * each.value("weight").float() + (bias(each).float() if torch.is_tensor(bias(each)) else 0.0)).to(
            x.dtype
        ),
    )


STATISTICS = among("mean var std sum norm vector_norm square pow var_mean avg_pool2d")


def _whose_eps(site: Site) -> str:
    """An epsilon added to a root that comes from no mean of the data is an optimizer's."""
    if site.flow.names[site.number] not in ("add", "sub"):
        return "layer epsilon"
    under_root = site.flow.leads_to(site.number, among("sqrt rsqrt pow"), 1)
    after_root = site.flow.follows(site.number, among("sqrt pow"), 2)
    if not under_root and not after_root:
        return "layer epsilon" if site.flow.follows(site.number, STATISTICS, 3) else ""
    return "layer epsilon" if site.flow.follows(site.number, among("mean var std sum norm vector_norm"), 4) else "Adam epsilon"


EPSILON = Hypothesis(
    "layer epsilon", FORMULA,
    "errors that grow where the variance of a row or channel is small",
    "other common values of eps, then a fitted one",
    "pass the same eps= to both",
    ("huggingface/transformers#15332", "pytorch/pytorch#81090", "keras-team/keras#17391"),
    among(f"{NORMS} normalize cosine_similarity add clamp clamp_min"), _epsilons, _fitted_eps, naming=_whose_eps,
)  # fmt: skip
ESTIMATOR = Hypothesis(
    "variance estimator", FORMULA,
    "results scaled by sqrt(n / (n - 1)), or a running variance off by n / (n - 1)",
    "the variance with division by n and by n - 1",
    "use the same estimator: correction=0 divides by n, correction=1 by n - 1",
    ("pytorch/pytorch#7028", "callummcdougall/ARENA_3.0#415"),
    among("layer_norm group_norm batch_norm instance_norm var std var_mean std_mean"), _estimators,
)  # fmt: skip
MOMENTUM = Hypothesis(
    "BatchNorm momentum", FORMULA,
    "right results in training, wrong running statistics",
    "1 - momentum, common values, then a fitted one",
    "PyTorch's momentum is the weight of the new batch, Keras's that of the old average",
    ("huggingface/transformers#19454",),
    among("batch_norm instance_norm"), _momenta,
    lambda call: [
        Fit("momentum", 1e-4, 1.0, call.value("momentum", 0.1), vary=lambda value: changed(f"momentum = {value:g}", momentum=value))
    ] if call.value("training", False) and call.value("running_mean") is not None and is_scalar(call.value("momentum", 0.1)) else [],
)  # fmt: skip
TRAINING = Hypothesis(
    "training mode", FORMULA,
    "errors that are as large as the results and depend on the other samples in the batch",
    "normalization by running statistics and by those of the batch",
    "call model.eval() on both sides, or on neither",
    ("stackoverflow 57423150", "pytorch/pytorch#109532", "microsoft/DirectML#362"),
    among("batch_norm"), _modes,
)  # fmt: skip
AXIS = Hypothesis(
    "normalization axis", FORMULA,
    "errors as large as the results in every row",
    "normalization over other axes, with and without the mean",
    "normalize over the same axes",
    (),
    among("layer_norm rms_norm batch_norm group_norm normalize norm linalg_norm linalg_vector_norm cosine_similarity"), _other_axes,
)  # fmt: skip
ONE_PASS = Hypothesis(
    "one-pass variance", ARITHMETIC,
    "errors that grow with the square of mean / standard deviation; NaN where the variance comes out negative",
    "the variance as E[x^2] - E[x]^2 in the same precision",
    "compute the variance in two passes (subtract the mean first) or by Welford's updates",
    ("pytorch/pytorch#51102", "tracel-ai/burn#5607", "tenstorrent/tt-metal#45968", "pytorch/pytorch#190491"),
    among("layer_norm group_norm batch_norm instance_norm var std var_mean std_mean"), _one_pass, errs=True,
)  # fmt: skip
CAST_ORDER = Hypothesis(
    "cast order", ARITHMETIC,
    "one more or one fewer rounding to 16 bits in some elements",
    "the cast to 16 bits before and after the multiplication by the weight",
    "cast at the same place in both",
    ("huggingface/transformers#30236", "NVIDIA/TransformerEngine#1132"),
    among("rms_norm layer_norm"), _cast_orders,
)  # fmt: skip
ALL = (EPSILON, ESTIMATOR, MOMENTUM, TRAINING, AXIS, ONE_PASS, CAST_ORDER)
