"""What goes wrong with arithmetic: formats of operands and results, casts, flushed numbers, algorithms that lose digits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_map

from ..calls import Call, tensors_in
from .hypothesis import ARITHMETIC, Hypothesis, Site, Variation, among

PRODUCTS = (
    "linear matmul mm bmm rmatmul addmm baddbmm addbmm einsum conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d dot mv "
    "scaled_dot_product_attention lstm gru lstm_cell gru_cell inner outer tensordot bilinear"
)
FORMATS = {"TF32": 13, "bfloat16": 16, "float16": 0}
"""How many low bits of float32 a format drops; float16 is converted."""


def rounded(tensor: torch.Tensor, name: str) -> torch.Tensor:
    """A float32 or float64 tensor with its numbers rounded to a coarser format, gradients passed on."""
    if name == "float32":
        return tensor.to(torch.float32).to(tensor.dtype)
    if name in ("bfloat16", "float16"):
        return tensor.to(getattr(torch, name)).to(tensor.dtype)
    single = tensor.float()
    bits = single.detach().view(torch.int32)  # strides are kept: other strides choose other kernels
    dropped = FORMATS[name]
    bits = (bits + ((1 << (dropped - 1)) - 1) + ((bits >> dropped) & 1)) & -(1 << dropped)
    coarse = torch.where(single.detach().isnan(), single.detach(), bits.view(torch.float32))
    return (single + (coarse - single).detach()).to(tensor.dtype) if tensor.requires_grad else coarse.to(tensor.dtype)


def _each(value: Any, name: str) -> Any:
    def convert(part: Any) -> Any:
        return rounded(part, name) if isinstance(part, torch.Tensor) and part.is_floating_point() and part.element_size() > 2 else part

    return tree_map(convert, value)


def _wide(call: Call) -> bool:
    return any(tensor.dtype in (torch.float32, torch.float64) for tensor in tensors_in(list(call.arguments)))


ADDENDS = {
    "addmm": (0,),
    "baddbmm": (0,),
    "addbmm": (0,),
    "linear": (2,),
    **{f"conv{kind}{n}d": (2,) for kind in ("", "_transpose") for n in (1, 2, 3)},
}
"""Arguments of products that are added and not multiplied: units that take coarse operands add in float32."""


def _multiplied(call: Call, name: str, start: int = 0) -> Any:
    """The call with its factors rounded, those from `start` on."""
    added = ADDENDS.get(call.name, ())
    arguments = [argument if place in added or place < start else _each(argument, name) for place, argument in enumerate(call.arguments)]
    keywords = {key: keyword_ if key in ("bias", "attn_mask") else _each(keyword_, name) for key, keyword_ in call.keywords.items()}
    return call.function(*arguments, **keywords)


def _operands(name: str) -> Any:
    def vary(call: Call) -> Iterator[Variation]:
        if _wide(call):
            yield Variation(f"operands of products rounded to {name}", lambda call: _multiplied(call, name), "operands")
            if (
                name != "TF32"
                and (call.name in ("linear", "matmul", "mm", "bmm") or call.name.startswith("conv"))
                and len(call.arguments) > 1
            ):
                yield Variation(f"weights rounded to {name}", lambda call: _multiplied(call, name, start=1), "weights")

    return vary


def _results(name: str) -> Any:
    def vary(call: Call) -> Iterator[Variation]:
        operands = [tensor for tensor in tensors_in(list(call.arguments)) if tensor.is_floating_point()]
        finer = any(operand.dtype == torch.float64 for operand in operands) if name == "float32" else _wide(call)
        if finer and call.name not in _EXACT:
            yield Variation(f"results stored in {name}", lambda call: _each(call.again(), name), "every result")

    return vary


_EXACT = among(
    "view reshape transpose permute t flatten unflatten squeeze unsqueeze expand contiguous chunk split unbind getitem cat stack size dim clone detach "
    "to float double half bfloat16 type requires_grad_ numel is_contiguous stride narrow select index_select gather expand_as view_as backward grad"
)


def _inside_float32(call: Call) -> Iterator[Variation]:
    if call.name in _EXACT or not any(tensor.dtype == torch.float64 for tensor in tensors_in(list(call.arguments))):
        return

    def single(value: Any) -> Any:
        return value.float() if isinstance(value, torch.Tensor) and value.dtype == torch.float64 else value

    def double(value: Any) -> Any:
        return value.double() if isinstance(value, torch.Tensor) and value.dtype == torch.float32 else value

    yield Variation(
        "calls computed in float32",
        lambda call: tree_map(double, call.function(*tree_map(single, call.arguments), **tree_map(single, dict(call.keywords)))),
        "in float32",
    )


def _float64_results(call: Call) -> Iterator[Variation]:
    result = None if call.in_place or call.name in ("backward", "grad") else call.again()
    if isinstance(result, torch.Tensor) and result.dtype == torch.float64:
        yield Variation("float32 instead of float64", lambda call: call.again().float(), "everything in float64")


def _elided(call: Call) -> Iterator[Variation]:
    """A cast to 16 bits that is left out (its neighbors then compute in float32)."""
    x = call.first
    if (
        not isinstance(x, torch.Tensor)
        or x.dtype not in (torch.float32, torch.float64)
        or call.name not in ("to", "half", "bfloat16", "type", "type_as")
    ):
        return
    result = call.again()
    if result.dtype in (torch.bfloat16, torch.float16):
        name = str(result.dtype).removeprefix("torch.")
        yield Variation(f"no cast to {name}", lambda call: call.first, "casts")


def _kept_wide(call: Call) -> Iterator[Variation]:
    """Intermediate results in 16 bits kept in float32, as fused kernels keep them (between products, which round theirs)."""
    if call.name in _EXACT or call.name in ("to", "half", "bfloat16", "type", "type_as", "float"):
        return
    narrow = {tensor.dtype for tensor in tensors_in(list(call.arguments))} & {torch.bfloat16, torch.float16}
    if not narrow:
        return
    target = narrow.pop()

    def wide(value: Any) -> Any:
        return value.float() if isinstance(value, torch.Tensor) and value.dtype in (torch.bfloat16, torch.float16) else value

    def coarse(value: Any) -> Any:
        return value.to(target) if isinstance(value, torch.Tensor) and value.dtype == torch.float32 else value

    words = "intermediate results kept in float32"
    suffix = f" ({str(target).removeprefix('torch.')})"
    everything: Any = lambda item: item.function(*tree_map(wide, item.arguments), **tree_map(wide, dict(item.keywords)))
    rounded_again: Any = lambda item: item.function(*tree_map(coarse, item.arguments), **tree_map(coarse, dict(item.keywords)))
    yield Variation(words + suffix, everything, "kept")
    yield Variation(
        f"{words} between products{suffix}", rounded_again if call.name in PRODUCTS.split() else everything, "kept between products"
    )


def _flushed(call: Call) -> Iterator[Variation]:
    if call.name in _EXACT or not _wide(call):
        return

    def flush(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return torch.where(value.abs() < torch.finfo(value.dtype).tiny, torch.zeros_like(value), value)
        return value

    yield Variation(
        "subnormal numbers flushed to zero",
        lambda call: tree_map(flush, call.function(*tree_map(flush, call.arguments), **dict(call.keywords))),
        "flushed",
    )


def _format_in(detail: str) -> str:
    return "float16" if "float16" in detail and "bfloat16" not in detail else "bfloat16"


def _where_cast(site: Site, name: str) -> str:
    """What a cast of `actual` that `expected` lacks does: it rounds a partial sum, an operand of a product, or what is stored."""
    if site.flow.adds_up(max(site.numbers)):
        return f"{name} accumulator"
    return f"{name} products" if site.flow.leads_to(site.number, among(PRODUCTS), 3) else f"{name} storage"


def _moved(site: Site) -> bool:
    """Whether both sides cast to 16 bits equally often and one place differs: then a cast is somewhere else and none is missing."""
    here, there = len(site.flow.narrowing), len(site.other.narrowing)
    return here == there and here > 0 and len(site.numbers) == 1


def _whose_cast(site: Site) -> str:
    """A cast left out on one side is one too many on the other."""
    if site.detail.startswith("no cast"):
        if _moved(site):
            return "cast order"
        return "elided casts" if site.side == "expected" else _where_cast(site, _format_in(site.detail))
    if site.side == "expected":
        return "elided casts"
    return (
        "elided casts"
        if not site.flow.names
        else f"{_narrow_name(site)} {'accumulator' if any(site.flow.adds_up(name) for name in site.flow.names) else 'storage'}"
    )


def _narrow_name(site: Site) -> str:
    return "float16" if site.detail.endswith("(float16)") else "bfloat16"


def _whose_storage(site: Site) -> str:
    """A result that one side rounds and the other keeps: `actual` stores less, or leaves a rounding out."""
    if _moved(site):
        return "cast order"
    name = site.detail.rpartition(" ")[2]
    if site.side == "actual":
        return "elided casts"
    return "float32 inside" if name == "float32" else f"{name} storage"


def _coarse_operands(title: str, name: str, remedy: str, reports: tuple[str, ...]) -> Hypothesis:
    return Hypothesis(
        title, ARITHMETIC,
        f"errors of about {'1e-3' if name != 'bfloat16' else '4e-3'} times |A||B| in every product",
        f"operands of products rounded to {name}",
        remedy, reports, among(PRODUCTS), _operands(name), naming=lambda site: f"{name} storage" if site.detail.startswith("weights") else title,
    )  # fmt: skip


def _stored(name: str) -> Hypothesis:
    return Hypothesis(
        f"{name} storage", ARITHMETIC,
        f"results that are {name} numbers, or that are off by about one rounding to that format",
        f"results of calls rounded to {name}",
        "keep results in the declared precision",
        ("pytorch/pytorch#91597",), frozenset(), _results(name), naming=_whose_storage,
    )  # fmt: skip


ALL = (
    _coarse_operands(
        "TF32", "TF32", 'torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False (torch.set_float32_matmul_precision("highest"))',
        ("pytorch/pytorch#53635", "pytorch/pytorch#107514", "pytorch/pytorch#153698", "jax-ml/jax#12008"),
    ),
    _coarse_operands("bfloat16 products", "bfloat16", "compute products in float32: turn autocast, bfloat16 hints and fpmath modes off", ("openvinotoolkit/openvino#27795", "jax-ml/jax#9973")),
    _coarse_operands("float16 products", "float16", "compute products in float32: turn autocast and float16 modes off", ("microsoft/onnxruntime#17689",)),
    Hypothesis("subnormals flushed", ARITHMETIC, "zeros where the other side has numbers below 1.2e-38", "subnormal operands and results set to zero",
               "call torch.set_flush_denormal(False); some GPUs and runtimes always flush", ("pytorch/pytorch#126848",), frozenset(), _flushed, alone=False),
    _stored("bfloat16"), _stored("float16"), _stored("float32"),
    Hypothesis("float32 inside", ARITHMETIC, "float64 results good to seven digits", "float64 calls computed in float32", "keep float64 throughout", ("microsoft/DirectML#362",), frozenset(), _inside_float32),
    Hypothesis("float64 constants", ARITHMETIC, "float64 results, or results more accurate than float32 allows", "float64 results of calls converted back to float32",
               "make constants with dtype=x.dtype", ("labeled pairs",), frozenset(), _float64_results),
    Hypothesis("elided casts", ARITHMETIC, "16-bit results that skip an intermediate rounding", "casts to 16 bits left out; intermediate results kept in float32",
               'cast at the same places; with torch.compile, pass options={"emulate_precision_casts": True}',
               ("pytorch/pytorch#159239", "pytorch/pytorch#195214", "pytorch/pytorch#183761"), frozenset(), lambda call: (*_elided(call), *_kept_wide(call)), naming=_whose_cast),
)  # fmt: skip
