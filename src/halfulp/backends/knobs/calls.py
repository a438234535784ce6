"""Knobs of the call itself: its batch, the memory of its inputs, the mode of its modules, whether it writes in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from ...cases.dependencies import dependencies_of
from .knob import NotApplicable

Function = Callable[..., Any]
_is_functional: Callable[[torch.Tensor], bool] = vars(torch)["_is_functional_tensor"]  # no public name tells


def _tensors(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    return tree_map(lambda item: change(item) if isinstance(item, torch.Tensor) else item, value)


def contiguous(function: Function) -> Function:
    """Every input in contiguous memory of its own."""

    def run(*arguments: Any, **keywords: Any) -> Any:
        copied = _tensors(
            (arguments, keywords),
            lambda tensor: tensor.clone(memory_format=torch.contiguous_format) if tensor.layout == torch.strided else tensor,
        )
        return function(*copied[0], **copied[1])

    return run


def channels_last(function: Function) -> Function:
    """Inputs of four axes in channels-last memory."""

    def run(*arguments: Any, **keywords: Any) -> Any:
        changed = _tensors(
            (arguments, keywords), lambda tensor: tensor.contiguous(memory_format=torch.channels_last) if tensor.dim() == 4 else tensor
        )
        return function(*changed[0], **changed[1])

    return run


def in_dtype(source: torch.dtype, target: torch.dtype) -> Callable[[Function], Function]:
    """Everything of one dtype computed in another, inputs and parameters alike; results are stored in the first again."""

    def convert(value: Any, old: torch.dtype, new: torch.dtype) -> Any:
        return _tensors(value, lambda tensor: tensor.to(new) if tensor.dtype == old else tensor)

    def wrap(function: Function) -> Function:
        owned = [tensor for module in dependencies_of(function).modules for tensor in (*module.parameters(), *module.buffers())]

        def run(*arguments: Any, **keywords: Any) -> Any:
            exchanged = [(tensor, tensor.data) for tensor in owned if tensor.dtype == source]
            given = [item for item in tree_flatten((arguments, keywords))[0] if isinstance(item, torch.Tensor) and item.dtype == source]
            if any(_is_functional(item) for item in tree_flatten((arguments, keywords))[0] if isinstance(item, torch.Tensor)):
                raise NotApplicable("the data of parameters can't be swapped inside functionalization")
            if not exchanged and not given:
                raise NotApplicable(f"the function has no {source} data")
            try:
                for tensor, data in exchanged:
                    tensor.data = data.to(target)
                positional, named = convert((arguments, keywords), source, target)
                return convert(function(*positional, **named), target, source)
            finally:
                for tensor, data in exchanged:
                    tensor.data = data

        return run

    return wrap


def in_parts(parts: int) -> Callable[[Function], Function]:
    """The batch in so many parts (0: one sample at a time), put together again."""

    def wrap(function: Function) -> Function:
        def run(*arguments: Any, **keywords: Any) -> Any:
            flat, shape = tree_flatten((arguments, keywords))
            sizes = [item.shape[0] for item in flat if isinstance(item, torch.Tensor) and item.dim()]
            size = sizes[0] if sizes else 0
            step = 1 if parts == 0 else -(-size // parts)
            if size < 2 or step >= size:
                raise NotApplicable("the first input has no batch that could be split")
            results: list[Any] = []
            for start in range(0, size, step):
                chosen = [
                    item[start : start + step] if isinstance(item, torch.Tensor) and item.dim() and item.shape[0] == size else item
                    for item in flat
                ]
                positional, named = tree_unflatten(chosen, shape)
                results.append(function(*positional, **named))
            return _joined(results, size, step)

        return run

    return wrap


def _joined(results: list[Any], size: int, step: int) -> Any:
    columns = [tree_flatten(result) for result in results]
    joined: list[Any] = []
    for pieces in zip(*(flat for flat, _ in columns)):
        if not (isinstance(pieces[0], torch.Tensor) and pieces[0].dim() and pieces[0].shape[0] == step):
            raise NotApplicable("a result has no axis for the batch")
        whole = torch.cat(pieces)
        if whole.shape[0] != size:
            raise NotApplicable("the sizes of the parts' results don't add up to the size of the whole batch")
        joined.append(whole)
    return tree_unflatten(joined, columns[0][1])


def other_position(function: Function) -> Function:
    """The batch in reverse order, and its results turned back."""

    def run(*arguments: Any, **keywords: Any) -> Any:
        flat, shape = tree_flatten((arguments, keywords))
        sizes = [item.shape[0] for item in flat if isinstance(item, torch.Tensor) and item.dim()]
        size = sizes[0] if sizes else 0
        if size < 2:
            raise NotApplicable("the first input has no batch")

        def turned(item: Any) -> Any:
            return item.flip(0) if isinstance(item, torch.Tensor) and item.dim() and item.shape[0] == size else item

        positional, named = tree_unflatten([turned(value) for value in flat], shape)
        return tree_map(turned, function(*positional, **named))

    return run


def evaluating(training: bool) -> Callable[[Function], Function]:
    """All modules in training or in evaluation mode."""

    def wrap(function: Function) -> Function:
        modules = [part for module in dependencies_of(function).modules for part in module.modules()]

        def run(*arguments: Any, **keywords: Any) -> Any:
            modes = [(part, part.training) for part in modules]
            if not modes:
                raise NotApplicable("the function has no modules")
            if all(mode == training for _, mode in modes):
                raise NotApplicable("every module is already in this mode")
            _set_modes([(part, training) for part in modules])
            try:
                return function(*arguments, **keywords)
            finally:
                _set_modes(modes)

        return run

    return wrap


def _set_modes(modes: list[tuple[nn.Module, bool]]) -> None:
    for part, training in modes:
        part.training = training


def functionalized(function: Function) -> Function:
    """Writes in place replaced by new tensors."""

    def run(*arguments: Any, **keywords: Any) -> Any:
        guard = _Writes()
        with guard:
            result = torch.func.functionalize(function)(*arguments, **keywords)
        if not guard.writes:
            raise NotApplicable("the function writes nothing in place")
        return result

    return run


class _Writes(TorchFunctionMode):
    """Notes writes in place, and stops where memory is handed to other libraries: they would read that of a wrapper."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(getattr(func, "__name__", ""))
        if name in ("numpy", "__array__", "data_ptr", "__dlpack__", "tolist", "item", "__set__"):
            raise NotApplicable(f"the function exposes or swaps memory ({name}), which breaks functionalization")
        in_place = name.startswith("__i") and name not in ("__invert__", "__int__", "__index__")
        self.writes = self.writes or in_place or name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))
        return func(*args, **(kwargs or {}))


def stepping(**settings: bool) -> Callable[[Function], Function]:
    """Optimizers take another implementation of the same step (for-loop, foreach, fused)."""

    def wrap(function: Function) -> Function:
        found = dependencies_of(function).optimizers

        def run(*arguments: Any, **keywords: Any) -> Any:
            groups = [group for optimizer in found for group in optimizer.param_groups]
            if not groups or not all(key in group for key in settings for group in groups):
                raise NotApplicable("the function steps no optimizer that has this option")
            before = [{key: group[key] for key in settings} for group in groups]
            for group in groups:
                group.update(settings)
            try:
                return function(*arguments, **keywords)
            finally:
                for group, saved in zip(groups, before):
                    group.update(saved)

        return run

    return wrap
