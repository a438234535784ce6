"""What goes wrong with resampling: where pixels lie, the filter, what is beyond the border."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..calls import Call
from .hypothesis import FORMULA, Hypothesis, Variation, among, changed


def _aligned(call: Call) -> Iterator[Variation]:
    present = call.value("align_corners")
    if call.name == "interpolate" and call.value("mode", "nearest") not in ("linear", "bilinear", "bicubic", "trilinear"):
        return
    yield changed(f"align_corners = {not present} instead of {bool(present)}", align_corners=not present)


def _antialiased(call: Call) -> Iterator[Variation]:
    if call.value("mode", "nearest") in ("bilinear", "bicubic"):
        present = bool(call.value("antialias", False))
        yield changed(f"antialias = {not present} instead of {present}", antialias=not present)


def _modes(call: Call) -> Iterator[Variation]:
    if call.name == "grid_sample":
        present = call.value("mode", "bilinear")
        for mode in ("bilinear", "nearest", "bicubic"):
            if mode != present:
                yield changed(f"mode {mode} instead of {present}", mode=mode)
        border = call.value("padding_mode", "zeros")
        for mode in ("zeros", "border", "reflection"):
            if mode != border:
                yield changed(f"padding_mode {mode} instead of {border}", padding_mode=mode)
        return
    present = call.value("mode", "nearest")
    for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area", "linear", "trilinear"):
        if mode != present and call.first.dim() in {"linear": (3,), "trilinear": (5,), "bilinear": (4,), "bicubic": (4,)}.get(
            mode, (3, 4, 5)
        ):
            corners = call.value("align_corners") if mode in ("linear", "bilinear", "bicubic", "trilinear") else None
            antialias = bool(call.value("antialias", False)) and mode in ("bilinear", "bicubic")
            yield changed(f"mode {mode} instead of {present}", mode=mode, align_corners=corners, antialias=antialias)
    if present in ("linear", "bilinear", "trilinear"):
        yield Variation("asymmetric coordinates (source = target * scale)", _asymmetric)
    if call.value("scale_factor") is not None:
        kept = call.value("recompute_scale_factor")
        yield changed("the scale recomputed from the sizes" if not kept else "the scale as given", recompute_scale_factor=not kept)


def _asymmetric(call: Call) -> torch.Tensor:
    """Linear interpolation with pixel k of the target at k * scale of the source, axis by axis."""
    x, shape = call.first, call.again().shape
    for axis in range(2, x.dim()):
        size = x.shape[axis]
        at = torch.arange(shape[axis], device=x.device) * (size / shape[axis])
        low = at.floor().long().clamp(max=size - 1)
        part = (at - low).to(x.dtype).reshape(-1, *([1] * (x.dim() - 1 - axis)))
        x = x.index_select(axis, low) * (1 - part) + x.index_select(axis, (low + 1).clamp(max=size - 1)) * part
    return x


ALIGN = Hypothesis(
    "align_corners", FORMULA,
    "errors that grow from the middle to the border",
    "align_corners inverted",
    "pass the same align_corners= to both",
    ("NVIDIA/TensorRT#273", "pytorch/pytorch#10604", "pytorch/pytorch#183523"),
    among("interpolate grid_sample affine_grid"), _aligned,
)  # fmt: skip
ANTIALIAS = Hypothesis(
    "antialias", FORMULA,
    "errors at edges when sizes shrink, none when they grow",
    "antialias inverted",
    "pass the same antialias= to both",
    (),
    among("interpolate"), _antialiased,
)  # fmt: skip
MODE = Hypothesis(
    "interpolation mode", FORMULA,
    "errors everywhere but at pixels that both sides keep",
    "other filters, borders and ways to compute the scale",
    "use the same filter, border, coordinates and scale in both (mode=, padding_mode=, recompute_scale_factor=)",
    ("pytorch/pytorch#10604",),
    among("interpolate grid_sample"), _modes,
)  # fmt: skip
ALL = (ALIGN, ANTIALIAS, MODE)
