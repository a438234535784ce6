"""What goes wrong with constants written into the code: left out, or of another value."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..calls import Call, is_scalar
from .hypothesis import FORMULA, Fit, Hypothesis, Site, Variation, among

USUAL = {
    "ImageNet": ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    "CIFAR-10": ((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)),
    "1/2": ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
    "CLIP": ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)),
    "none": ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)),
}
"""Means and standard deviations of images in use (torchvision, CLIP)."""
PRODUCTS = among("matmul mm bmm baddbmm einsum rmatmul")
SOFTMAX = among("softmax log_softmax")


def _scalar(call: Call) -> float | None:
    other = call.value("other")
    usable = is_scalar(other) and isinstance(call.first, torch.Tensor) and call.first.is_floating_point()
    return float(other) if usable else None


def _left_out(call: Call) -> Iterator[Variation]:
    value = _scalar(call)
    if value is not None and value != (1 if call.name in ("mul", "div") else 0):
        words = {"mul": "factor", "div": "divisor"}.get(call.name, "addend")
        yield Variation(f"no {words} {value:g}", lambda each: each.first * 1)
    elif call.name in ("sub", "div") and _per_color(call.value("other")):
        for words, (means, deviations) in USUAL.items():
            other = means if call.name == "sub" else deviations
            yield Variation(f"means and deviations of {words}", lambda each, other=other: _with_colors(each, other), f"colors of {words}")


def _per_color(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() == 3 and value.dim() > 0


def _with_colors(call: Call, values: tuple[float, ...]) -> torch.Tensor:
    present = call.value("other")
    return call.again(other=torch.tensor(values, dtype=present.dtype, device=present.device).reshape(present.shape))


def _fitted(call: Call) -> Iterator[Fit]:
    value = _scalar(call)
    if value is not None and value > 0 and call.name in ("mul", "div"):

        def vary(other: float) -> Variation:
            return Variation(
                f"the {'factor' if call.name == 'mul' else 'divisor'} {other:.6g} instead of {value:.6g}",
                lambda each: each.again(other=other),
            )

        yield Fit("constant", value / 300, value * 300, value, vary, logarithmic=True)


def _whose(site: Site) -> str:
    """A factor on the way to a softmax of products is the scale of attention; one that meets an input is the input's."""
    flow, number = site.flow, site.number
    if site.detail.startswith("means and deviations"):
        return "input scale"
    if flow.names[number] in ("mul", "div"):
        scores = flow.leads_to(number, SOFTMAX, 6) and (flow.follows(number, PRODUCTS, 3) or flow.leads_to(number, PRODUCTS, 3))
        if scores:
            return "attention scale"
        if not flow.parents[number]:
            return "input scale"
    return "constant"


CONSTANT = Hypothesis(
    "constant", FORMULA,
    "results off by one factor or one addend, or by what follows from it",
    "scalar factors and addends left out, factors fitted",
    "use the same constant: {detail} ({place})",
    (),
    among("mul div add sub"), _left_out, _fitted, together=False, naming=_whose, first_only=True,
)  # fmt: skip
ALL = (CONSTANT,)
