"""Which recorded ops PyTorch may run, and what is checked before it does. A trace is data: it chooses nothing outside this table.

Every op in the table is a pure function of its tensors: no files, no network, no processes, no random numbers, no handles. Its arguments
must be of the kinds that its schema names, its results must fit into what the traces account for (`bounded`), and numbers by which a
kernel finds memory (indices, pivots, saved statistics) must lie inside of it, because not every kernel checks them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ..ops import OPS, Inside, bounded, record_of
from ..ops.evaluation import NotReplayed, run_formula
from ..ops.formulas import formula_of
from ..traces import Step
from ..traces.shards import ITEM_BYTES
from ..words.numbers import counted

_OP = re.compile(r"(aten|prims)\.([A-Za-z_][A-Za-z0-9_]*?)(?:\.([A-Za-z_][A-Za-z0-9_]*))?")

_CONSTANTS = {
    "layout": {"strided": torch.strided},
    "memory_format": {
        name: getattr(torch, name) for name in ("contiguous_format", "channels_last", "channels_last_3d", "preserve_format")
    },
}  # fmt: skip


def dtype_named(name: Any) -> torch.dtype:
    """A dtype as it is recorded.

    Raises:
        NotReplayed: no dtype of that name is stored in traces.
    """
    if not isinstance(name, str) or name not in ITEM_BYTES:
        raise NotReplayed(f"there is no dtype {str(name)[:40]!r}")
    return getattr(torch, name)


def constant_of(tree: Mapping[str, Any]) -> Any:
    """A recorded layout or memory format.

    Raises:
        NotReplayed: it is neither, or has another name.
    """
    ((kind, name),) = tree.items() if len(tree) == 1 else (("", ""),)
    found = _CONSTANTS.get(kind, {}).get(str(name).removeprefix("torch."))
    if found is None:
        raise NotReplayed("an argument was not recorded")
    return found


def call_of(step: Step) -> Any:
    """The overload that a step names.

    Raises:
        NotReplayed: it is not in the table.
    """
    parts = _OP.fullmatch(step.op)
    refused = f"{step.op[:80]}: it is not in the table of pure ops"
    if parts is None:
        raise NotReplayed(refused)
    namespace, name, overload = parts.groups()
    base = name.rstrip("_") if name.endswith("_") and not name.endswith("__") else name
    record = OPS.get(base, record_of(""))
    known = (formula_of(base) is not None and not record.closed) or record.torch
    packet = getattr(getattr(torch.ops, namespace), name, None) if known else None
    overload = overload or "default"
    if packet is None or overload not in packet.overloads():
        raise NotReplayed(refused)
    return getattr(packet, overload)


def approved(step: Step, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """The overload that a step names, once its arguments are known to be safe.

    Args:
        step: what is to be run. arguments, keywords: tensors and constants in place of references.

    Raises:
        NotReplayed: the op is not in the table, an argument is of another kind than its schema says, an index lies outside, or the result
            would take more memory than the traces account for.
    """
    call = call_of(step)
    given = _by_name(call, arguments, keywords)
    tensors = [part for item in given.values() for part in (item if isinstance(item, (list, tuple)) else [item])]
    tensors = [tensor for tensor in tensors if isinstance(tensor, torch.Tensor)]
    try:
        bounded.checked(sum(tensor.numel() for tensor in tensors))
        if record_of(step.name).finite and not all(bool(torch.isfinite(tensor).all()) for tensor in tensors):
            raise NotReplayed(f"{step.op}: it would read NaN or infinity")
        _inside(step, given)
        record = record_of(step.name)
        has_formula = not record.torch and not record.unfit
        bounded.checked(sum(_by_formula(step, arguments, keywords) if has_formula else _sizes(step, call, arguments, keywords)))
        if not has_formula:
            bounded.checked(_inner(tensors))
    except bounded.TooLarge as error:
        raise NotReplayed(f"{step.op}: {error}") from error
    return call


def _by_name(call: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by their names in the schema.

    Raises:
        NotReplayed: too many, unknown, or of another kind.
    """
    schema = call._schema.arguments
    if len(arguments) > len(schema):
        raise NotReplayed(f"{call.name()}: it takes {counted(len(schema), 'argument')}, got {len(arguments)}")
    given = {item.name: value for item, value in zip(schema, arguments)}
    kinds = {item.name: str(item.type) for item in schema}
    for name, value in keywords.items():
        if name not in kinds or name in given:
            raise NotReplayed(f"{call.name()}: it has no argument {str(name)[:40]!r}")
        given[name] = value
    for name, value in given.items():
        words = re.findall(r"[A-Za-z]+", kinds[name])
        if any(word in ("Generator", "Storage", "Stream", "Device") for word in words) and value not in (None, torch.device("cpu")):
            raise NotReplayed(f"{call.name()}: it is not run with {name}={str(value)[:40]!r}")
        if isinstance(value, str) and "str" not in words:
            raise NotReplayed(f"{call.name()}: it does not accept a string for {name}")
        if isinstance(value, torch.Tensor) and "Tensor" not in words:
            raise NotReplayed(f"{call.name()}: it takes no tensor for {name}")
    return given


def _by_formula(step: Step, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> list[int]:
    """Evaluate the formula first, which checks every size and index."""

    def array(tree: Any) -> Any:
        if isinstance(tree, torch.Tensor):
            known = tree.detach().resolve_conj().resolve_neg()
            return (known.double() if known.is_floating_point() else known).numpy()
        if isinstance(tree, torch.dtype):
            return {"dtype": str(tree).removeprefix("torch.")}
        return [array(part) for part in tree] if isinstance(tree, (list, tuple)) else tree

    found = run_formula(
        step.name, [array(argument) for argument in arguments], {key: array(keyword_) for key, keyword_ in keywords.items()}
    )
    return [array.size for array in found if array is not None]


def _sizes(step: Step, call: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> list[int]:
    """How many elements an op without a formula makes."""
    sized = _SIZES.get(record_of(step.name).size)
    if sized is None:
        return sizes_on_meta(call, arguments, keywords)
    try:
        return [sized(_by_name(call, arguments, keywords))]
    except (LookupError, AttributeError, TypeError, ValueError) as error:
        raise NotReplayed(f"{call.name()}: an argument that determines the size of its result is missing or has the wrong type") from error


def _inner(tensors: Sequence[torch.Tensor]) -> int:
    """What a kernel may make inside of itself, out of sight: its operands, broadcast in full or along their batch axes."""
    shapes = [tensor.shape for tensor in tensors if tensor.is_floating_point() or tensor.is_complex()]
    found = 0
    for kept in (0, 1, 2):  # axes at the end that belong to one matrix, one vector, one number
        try:
            batch = torch.broadcast_shapes(*(shape[: max(0, len(shape) - kept)] for shape in shapes))
        except RuntimeError:  # these are no batch axes
            continue
        found = max(found, math.prod(batch) * max((math.prod(shape[len(shape) - kept :]) if kept else 1 for shape in shapes), default=0))
    return found


def sizes_on_meta(call: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> list[int]:
    """How many elements each result of an op has, from tensors without memory.

    Raises:
        NotReplayed: PyTorch can't tell.
    """

    def meta(tree: Any) -> Any:
        if isinstance(tree, torch.Tensor):
            return torch.empty(tree.shape, dtype=tree.dtype, device="meta")
        if isinstance(tree, torch.device):
            return torch.device("meta")
        return [meta(part) for part in tree] if isinstance(tree, (list, tuple)) else tree

    given = {key: meta(keyword_) for key, keyword_ in keywords.items()}
    if any(argument.name == "device" for argument in call._schema.arguments):
        given["device"] = torch.device("meta")  # of what is made from numbers alone, also where none is named
    try:
        result = call(*[meta(argument) for argument in arguments], **given)
    except Exception as error:  # whatever the shapes violate
        raise NotReplayed(f"{call.name()}: the size of its result can't be determined ({type(error).__name__})") from error
    return [item.numel() for item in (result if isinstance(result, (list, tuple)) else [result]) if isinstance(item, torch.Tensor)]


def _attention(given: Mapping[str, Any]) -> int:
    """Of a fused encoder layer or attention: its projections, its scores, and the layer in between."""
    x = given["src"] if "src" in given else given["query"]
    heads = given["num_heads"] if "num_heads" in given else given["num_head"]
    if x.dim() != 3 or heads < 1 or x.shape[-1] % heads:
        raise NotReplayed("the number of heads of an encoder layer doesn't divide its width")
    inner = max([3 * x.shape[-1], *(item.shape[0] for name, item in given.items() if name.startswith("ffn_weight"))])
    return x.shape[0] * x.shape[1] * (inner + heads * x.shape[1])


_SIZES: dict[str | None, Callable[[Mapping[str, Any]], int]] = {"attention": _attention}
"""Elements that an op needs, where PyTorch can't tell without memory."""

# Numbers by which kernels find memory


def _inside(step: Step, given: Mapping[str, Any]) -> None:
    """Check what the op's kernel does not.

    Raises:
        NotReplayed: a number lies outside.
    """
    inside = record_of(step.name).inside
    rule = None if inside is None else _RULES[inside]
    try:
        fits = rule is None or rule(given)
    except (
        LookupError,
        AttributeError,
        TypeError,
        ValueError,
        RuntimeError,
        ArithmeticError,
    ):  # an argument that the rule needs is missing, or another kind
        fits = False
    if not fits:
        raise NotReplayed(f"{step.op}: its arguments point outside of its tensors")


def _within(places: torch.Tensor, end: int, start: int = 0) -> bool:
    return not places.numel() or (not places.is_floating_point() and int(places.min()) >= start and int(places.max()) < end)


def _pooled(axes: int) -> Callable[[Mapping[str, Any]], bool]:
    def rule(given: Mapping[str, Any]) -> bool:
        x, grad, places = given["self"], given["grad_output"], given["indices"]
        planes = x.shape[:-axes]
        return (
            x.dim() > axes and grad.shape == places.shape and grad.shape[:-axes] == planes and _within(places, math.prod(x.shape[-axes:]))
        )

    return rule


def _saved_per_row(given: Mapping[str, Any]) -> bool:
    """Mean and scale of a layer normalization: one number a row."""
    rows = given["input"].numel() // max(1, math.prod(given["normalized_shape"]))
    return all(given[name].numel() == rows for name in ("mean", "rstd") if name in given)


def _saved_per_channel(given: Mapping[str, Any]) -> bool:
    x = given["input"]
    names = ("weight", "bias", "running_mean", "running_var", "save_mean", "save_invstd")
    saved = [given[name] for name in names if isinstance(given.get(name), torch.Tensor)]
    return x.dim() > 1 and all(item.numel() in ((0, x.shape[1]) if item.dim() == 1 else (x.shape[1],)) for item in saved)


def _classes(given: Mapping[str, Any]) -> bool:
    x, target = given["self"], given["target"]
    used = target[target != given.get("ignore_index", -100)]
    return x.dim() > 0 and _within(used, x.shape[1 if x.dim() > 1 else 0])


def _attended(given: Mapping[str, Any]) -> bool:
    q, out = given["query"], given["out"]
    return out.shape == q.shape == given["grad_out"].shape and given["logsumexp"].numel() == q.numel() // max(1, q.shape[-1])


def _alike(given: Mapping[str, Any]) -> bool:
    """Lists of tensors that belong together, as optimizers take them."""
    lists = [item for name, item in given.items() if isinstance(item, (list, tuple)) and name != "state_steps" and item]
    lists = [tensors for tensors in lists if all(isinstance(part, torch.Tensor) for part in tensors)]
    return all(len(tensors) == len(lists[0]) and all(a.shape == b.shape for a, b in zip(tensors, lists[0])) for tensors in lists)


def _pivoted(given: Mapping[str, Any]) -> bool:
    return _within(given["pivots"], int(given["LU"].shape[-2]) + 1, 1)


def _distances(given: Mapping[str, Any]) -> bool:
    """The gradient of distances between two sets of points: one number for each pair."""
    first, second = given["x1"], given["x2"]
    batch = torch.broadcast_shapes(first.shape[:-2], second.shape[:-2])
    pairs = torch.Size((*batch, first.shape[-2], second.shape[-2]))
    return first.shape[-1] == second.shape[-1] and given["grad"].shape == pairs == given["cdist"].shape


def _own_distances(given: Mapping[str, Any]) -> bool:
    points = given["self"].shape[0]
    return given["self"].dim() == 2 and given["grad"].shape == given["pdist"].shape == (points * (points - 1) // 2,)


def _on_grid(given: Mapping[str, Any]) -> bool:
    x, grid = given["input"], given["grid"]
    expected = (x.shape[0], x.shape[1], *grid.shape[1:-1])
    return (
        x.dim() == grid.dim() and grid.shape[0] == x.shape[0] and grid.shape[-1] == x.dim() - 2 and given["grad_output"].shape == expected
    )


def _resized(given: Mapping[str, Any]) -> bool:
    """An antialiased resizing, whose kernel is as wide as the inverse of the scale: that has to be the one of the sizes."""
    size = given["input_size"] if "input_size" in given else given["self"].shape
    scales = [given.get("scales_h"), given.get("scales_w")]
    fits = [scale is None or 0.5 <= scale * before / after <= 2.0 for scale, before, after in zip(scales, size[-2:], given["output_size"])]
    return len(size) == 4 and all(fits)


_RULES: dict[Inside, Callable[[Mapping[str, Any]], bool]] = {
    Inside.POOLED_2D: _pooled(2),
    Inside.POOLED_3D: _pooled(3),
    Inside.PER_ROW: _saved_per_row,
    Inside.PER_CHANNEL: _saved_per_channel,
    Inside.CLASSES: _classes,
    Inside.ROWS_OF_WEIGHT: lambda given: _within(given["indices"], given["num_weights"]),
    Inside.ATTENDED: _attended,
    Inside.ALIKE: _alike,
    Inside.PIVOTED: _pivoted,
    Inside.DISTANCES: _distances,
    Inside.OWN_DISTANCES: _own_distances,
    Inside.ON_GRID: _on_grid,
    Inside.RESIZED: _resized,
}
