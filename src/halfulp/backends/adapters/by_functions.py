"""ByFunctions: an adapter that has a function of its own arrays for each op of the table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from ...errors import Unsupported
from ..adapter import Adapter
from ..ops import OPS, OpModule
from ..program import Program, Tensors, of_arrays, of_function


class ByFunctions(Adapter):
    """Takes ops of the table, and functions of the framework's own arrays."""

    @abstractmethod
    def functions(self, options: Mapping[str, str]) -> Mapping[str, Callable[..., Any]]:
        """Op -> function of activations, weights and attributes, as in `OPS`."""

    @abstractmethod
    def native(self, tensor: torch.Tensor) -> Any:
        """The framework's array with the same numbers."""

    @abstractmethod
    def back(self, array: Any) -> torch.Tensor:
        """A tensor on the CPU with the same numbers."""

    def prepared(self, function: Callable[..., Any], options: Mapping[str, str]) -> Callable[..., Any]:
        """The function as it is run: compiled, where the framework does that."""
        return function

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`."""
        if isinstance(target, OpModule):
            function, weights = self.of_op(target, options), [self.native(weight.detach().contiguous()) for weight in target.weights]
            attributes = target.attributes
            call = self.prepared(
                lambda *given: function(*given[: len(target.op.activations)], *given[len(target.op.activations) :], **attributes), options
            )
            return Program(lambda tensors: self._returned(call(*map(self.native, tensors), *weights)))
        if isinstance(target, nn.Module) or not callable(target):
            raise Unsupported(
                f"Got {type(target).__name__} for {self.name}. Needed: one of halfulp's ops (halfulp.backends.ops.OPS has their names), or a function of {self.title or self.name}'s own arrays. "
                "halfulp can't convert PyTorch modules for this backend. Pass a function of the backend's own arrays that does the same."
            )
        return of_function(self.prepared(of_arrays(target, arguments, keywords), options), self.native, self.back)

    def of_op(self, target: OpModule, options: Mapping[str, str]) -> Callable[..., Any]:
        """The function for an op.

        Raises:
            Unsupported: there is none.
        """
        functions = self.functions(options)
        if target.op_name not in functions:
            lacking = ", ".join(name for name in OPS if name not in functions)
            raise Unsupported(
                f"Got the op {target.op_name} for {self.name}. Needed: an op that this backend implements. Not implemented: {lacking}. Don't run this op on {self.name}."
            )
        return functions[target.op_name]

    def _returned(self, result: Any) -> Tensors:
        return [self.back(item) for item in result] if isinstance(result, (tuple, list)) else [self.back(result)]
