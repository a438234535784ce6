"""torch.compile(m, backend="halfulp"): compiles with inductor, judges each compiled graph on its first calls, and gets out of the way.

Options (`torch.compile(m, backend="halfulp", options={...})`), beside those of inductor:
    halfulp.checks: on how many of the first calls each graph is judged (default 1).
    halfulp.raises: raise instead of warn where a graph is not acceptable (default False).
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ...errors import HalfulpError, InputError, RunError
from ...verdicts.checker import check
from ...verdicts.result import CheckResult
from ...words.numbers import counted
from .internals import compiled_by_inductor, mode_options, undisturbed

CHECKS = 1


class CompiledGraphWarning(UserWarning):
    """A compiled graph whose results are not those of the eager ops up to rounding."""


@dataclass(frozen=True, eq=False)
class CheckedGraph:
    """What was found about one compiled graph.

    Attributes:
        number: in the order in which the graphs were compiled. ops: how many it has. result: of `check`; None where it could not be
            judged, with the reason in `note`.
    """

    number: int
    ops: int
    result: CheckResult | None
    note: str = ""


_found: list[CheckedGraph] = []


def checked_graphs() -> tuple[CheckedGraph, ...]:
    """What the checking backend found in this process, in order."""
    return tuple(_found)


def backend(
    module: fx.GraphModule, example_inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None, mode: str | None = None
) -> Callable[..., Any]:
    """The backend that torch.compile calls for each graph."""
    given = dict(options or {})
    checks, raises = given.pop("halfulp.checks", CHECKS), given.pop("halfulp.raises", False)
    if not isinstance(checks, int) or checks < 0:
        raise InputError(
            f"Got halfulp.checks={checks!r}. Needed: an integer, 0 or more. It is the number of calls to each graph "
            f"that are judged. Leave it out for {CHECKS}."
        )
    patches = {**(mode_options(mode) if mode not in (None, "default") else {}), **given}
    eager = copy.deepcopy(module)
    compiled = compiled_by_inductor(module, example_inputs, patches)
    return _Checked(eager, compiled, len(_found), checks, raises=bool(raises))


class _Checked:
    """A compiled graph that is judged on its first calls.

    The judgement works on copies, so what the call returns and changes is what the compiled graph does, once.
    """

    def __init__(self, eager: fx.GraphModule, compiled: Callable[..., Any], number: int, checks: int, *, raises: bool) -> None:
        self._eager = eager
        self._compiled = compiled
        self._number = number
        self._left = checks
        self._raises = raises

    def __call__(self, *inputs: Any) -> Any:
        if self._left > 0:
            self._left -= 1
            undisturbed(self._judge)(inputs)
        return self._compiled(*inputs)

    def _judge(self, inputs: tuple[Any, ...]) -> None:
        formats = [_format(argument) for argument in inputs]

        def compiled(*given: Any) -> Any:
            if [_format(item) for item in given] != formats:
                raise RuntimeError("the graph was compiled for other formats and shapes")
            return self._compiled(*given)

        compiled._torchdynamo_orig_callable = self._eager  # type: ignore[attr-defined]
        ops = sum(node.op == "call_function" for node in self._eager.graph.nodes)
        try:
            result = check(compiled, self._eager, inputs)
            graph = CheckedGraph(self._number, ops, result)
        except HalfulpError as error:
            graph = CheckedGraph(self._number, ops, None, str(error))
        _found.append(graph)
        if graph.result is not None and graph.result.acceptable is not True:
            message = (
                f"Graph {graph.number} ({counted(graph.ops, 'op')}) compiled by inductor differs from its ops run eagerly. {graph.result.verdict.name}: {graph.result.reason} "
                "Next: halfulp.explain(torch.compile(m), m, inputs) names the op and its kernel."
            )
            if self._raises and graph.result.acceptable is False:
                raise RunError(message)
            warnings.warn(message, CompiledGraphWarning, stacklevel=4)


def _format(value: Any) -> Any:
    return (value.dtype, tuple(value.shape), tuple(value.stride())) if isinstance(value, torch.Tensor) else type(value)
