"""What goes wrong with what is written into the code: constants left out or of another value, parts in another order."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from ..calls import Call, is_scalar
from .hypothesis import FORMULA, Fit, Hypothesis, Site, Variation, among

USUAL = {
    "ImageNet": ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    "CIFAR-10": ((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)),
    "1/2": ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
    "CLIP": ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)),
    "0 and 1": ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)),
}
"""Means and standard deviations of images in use (torchvision, CLIP)."""
PRODUCTS = among("matmul mm bmm baddbmm einsum rmatmul")
COMPARISONS = among("gt ge lt le")
SOFTMAX = among("softmax log_softmax")


def _scalar(call: Call) -> float | None:
    other = call.value("other")
    usable = is_scalar(other) and isinstance(call.first, torch.Tensor) and call.first.is_floating_point()
    return float(other) if usable else None


def _left_out(call: Call) -> Iterator[Variation]:
    value = _scalar(call) if call.name not in COMPARISONS else None
    if value is not None and value != (1 if call.name in ("mul", "div") else 0):
        words = {"mul": "factor", "div": "divisor"}.get(call.name, "addend")
        yield Variation(f"no {words} {value:g}", lambda call: call.first * 1)
    elif call.name in ("sub", "div") and _per_color(call.value("other")):
        for words, (means, deviations) in USUAL.items():
            other = means if call.name == "sub" else deviations
            present = call.value("other").flatten().tolist()
            is_reversed = all(abs(own - usual) < 1e-6 for own, usual in zip(present, other[::-1])) and len(set(other)) > 1
            order = ", for colors in the other order" if is_reversed else ""
            yield Variation(
                f"means and deviations of {words}{order}", lambda call, other=other: _with_colors(call, other), f"colors of {words}{order}"
            )


def _per_color(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() == 3 and value.dim() > 0


def _with_colors(call: Call, values: tuple[float, ...]) -> torch.Tensor:
    present = call.value("other")
    return call.again(other=torch.tensor(values, dtype=present.dtype, device=present.device).reshape(present.shape))


def _exchanged(call: Call) -> Iterator[Variation]:
    """What is put together or taken in another order, along another axis, to another base."""
    if call.name in ("log", "log2", "log10"):
        for name in ("log", "log2", "log10"):
            if name != call.name:
                yield Variation(f"torch.{name} instead of torch.{call.name}", lambda call, name=name: getattr(torch, name)(call.first))
    elif call.name in ("cumsum", "cumprod"):
        for axis in range(call.first.dim()):
            if axis != int(call.value("dim")) % call.first.dim():
                yield Variation(
                    f"axis {axis} instead of {int(call.value('dim')) % call.first.dim()}",
                    lambda call, axis=axis: call.again(dim=axis),
                )
    elif call.name in ("cat", "stack", "hstack", "vstack") and isinstance(call.first, (tuple, list)) and len(call.first) == 2:
        yield Variation(
            "the two parts in the other order",
            lambda call: call.function(tuple(call.first)[::-1], *call.arguments[1:], **call.keywords),
        )
    elif call.name == "repeat_interleave" and isinstance(
        call.value("repeats", call.arguments[1] if len(call.arguments) > 1 else None), int
    ):
        yield Variation("the whole tensor repeated instead of each element", _tiled)
    elif call.name in ("gt", "ge", "lt", "le"):
        for name in ("gt", "ge", "lt", "le"):
            if name != call.name and name[0] == call.name[0]:
                yield Variation(
                    f"torch.{name} instead of torch.{call.name}",
                    lambda call, name=name: getattr(torch, name)(*call.arguments),
                    remedy="use the same comparison in both",
                )


def _tiled(call: Call) -> torch.Tensor:
    repeats = int(call.value("repeats", call.arguments[1] if len(call.arguments) > 1 else None))
    axis = call.keywords.get("dim", call.arguments[2] if len(call.arguments) > 2 else None)
    x = call.first.flatten() if axis is None else call.first
    times = [1] * x.dim()
    times[0 if axis is None else axis] = repeats
    return x.repeat(times)


def _bounds(call: Call) -> Iterator[Fit]:
    for key in ("min", "max"):
        value = call.value(key)
        if is_scalar(value) and math.isfinite(value) and value != 0:
            yield Fit(key, min(value / 30, value * 30), max(value / 30, value * 30), float(value), vary=lambda other, key=key, value=value: Variation(
                f"{key} = {other:.6g} instead of {value:.6g}", lambda call: call.again(**{key: other})), logarithmic=value > 0)  # fmt: skip


def _fitted(call: Call) -> Iterator[Fit]:
    if call.name == "clamp":
        yield from _bounds(call)
        return
    if call.name in COMPARISONS:
        threshold = _scalar(call)
        if threshold:
            low, high = sorted((threshold / 300, threshold * 300))
            yield Fit("threshold", low, high, threshold, vary=lambda other: Variation(
                f"the threshold {other:.6g} instead of {threshold:.6g}", lambda call: call.function(call.first, other)), logarithmic=threshold > 0)  # fmt: skip
        return
    if call.name in ("pow", "rpow") and len(call.arguments) > 1:
        place = next((place for place in (0, 1) if is_scalar(call.arguments[place])), None)
        if place is not None and float(call.arguments[place]) > 0:
            present = float(call.arguments[place])

            def power(other: float) -> Variation:
                words = f"the {'base' if (call.name == 'rpow') != (place == 0) else 'exponent'} {other:.6g} instead of {present:.6g}"
                return Variation(
                    words,
                    lambda call: call.function(*(other if k == place else part for k, part in enumerate(call.arguments)), **call.keywords),
                )

            yield Fit("power", present / 300, present * 300, present, vary=power, logarithmic=True)
        return
    if call.name in ("add", "sub"):
        addend = _scalar(call)
        if addend is not None and abs(addend) > 1e-2:
            yield Fit("addend", addend - 10 * abs(addend), addend + 10 * abs(addend), addend, vary=lambda other: Variation(
                f"the addend {other:.6g} instead of {addend:.6g}", lambda call: call.again(other=other)))  # fmt: skip
        yield from _shares(call)
        return
    value = _scalar(call)
    if value is not None and value > 0 and call.name in ("mul", "div"):

        def vary(other: float) -> Variation:
            return Variation(
                f"the {'factor' if call.name == 'mul' else 'divisor'} {other:.6g} instead of {value:.6g}",
                lambda call: call.again(other=other),
            )

        yield Fit("constant", value / 300, value * 300, value, vary=vary, logarithmic=True)


def _shares(call: Call) -> Iterator[Fit]:
    """How much of the second of two tensors is added or subtracted."""
    share, tensors = call.value("alpha", 1), call.tensors
    if len(tensors) == 2 and all(tensor.is_floating_point() for tensor in tensors) and is_scalar(share) and share > 0:
        yield Fit("share", share / 300, share * 300, float(share), logarithmic=True, vary=lambda other: Variation(
            f"the second operand times {other:.6g} instead of {share:g}", lambda call: call.again(alpha=other)))  # fmt: skip


def _orders(call: Call) -> Iterator[Variation]:
    """Norms of another order."""
    key = "ord" if call.name.startswith("linalg") else "p"
    present = call.value(key, 2) if key in call.keywords else next((each for each in call.arguments[1:2] if is_scalar(each)), 2)
    if not is_scalar(present):
        return
    for other in (1.0, 2.0, math.inf):
        if other != present:
            yield Variation(f"the norm of order {other:g} instead of {present:g}", lambda call, other=other: _of_order(call, key, other))
    yield Variation("the norm squared", lambda call: call.again() ** 2, remedy="square the norm in both or in neither")


def _of_order(call: Call, key: str, order: float) -> torch.Tensor:
    if any(is_scalar(each) for each in call.arguments[1:2]):
        return call.function(call.arguments[0], order, *call.arguments[2:], **call.keywords)
    return call.function(*call.arguments, **{**call.keywords, key: order})


def _whose(site: Site) -> str:
    """A factor on the way to a softmax of products is the scale of attention; one that meets an input is the input's."""
    flow, number = site.flow, site.number
    if site.detail.startswith("means and deviations"):
        return "channel order" if site.detail.endswith("in the other order") else "input scale"
    if flow.names[number] in ("mul", "div"):
        scores = flow.leads_to(number, SOFTMAX, 6) and (flow.follows(number, PRODUCTS, 3) or flow.leads_to(number, PRODUCTS, 3))
        if scores:
            return "attention scale"
        if not flow.parents[number]:
            return "input scale"
    return "constant"


CONSTANT = Hypothesis(
    "constant", FORMULA,
    "results off by a constant factor or addend, or by what later ops make of it",
    "scalar factors and addends left out, factors fitted",
    "use the same constant in both",
    (),
    among("mul div add sub clamp pow rpow") | COMPARISONS, _left_out, _fitted, naming=_whose, first_only=True,
)  # fmt: skip
ORDER = Hypothesis(
    "order of parts", FORMULA,
    "the right numbers in the wrong places, or along the wrong axis",
    "parts joined in the other order, the whole repeated instead of each element, other axes and bases",
    "use the same order, axis or base in both",
    (),
    among("log log2 log10 cumsum cumprod cat stack hstack vstack repeat_interleave gt ge lt le"), _exchanged, first_only=True,
)  # fmt: skip
NORM = Hypothesis(
    "norm order", FORMULA,
    "distances and clipped gradients off by a factor that depends on the data",
    "norms of order 1, 2 and infinity; the norm squared",
    "pass the same order (p, ord, norm_type) to both",
    (),
    among("norm linalg_norm linalg_vector_norm cdist pdist pairwise_distance normalize triplet_margin_loss"), _orders, first_only=True,
)  # fmt: skip
ALL = (ORDER, NORM, CONSTANT)
