"""A JAX function looked into: its jaxpr evaluated equation by equation, inner jaxprs too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import torch

from ...recording.transcript import Transcribed
from ..program import Tensors, Watched, of_arrays

CALLS = frozenset(
    "jit pjit closed_call core_call named_call custom_jvp_call custom_vjp_call custom_vjp_call_jaxpr custom_lin remat remat2 checkpoint".split()
)
"""Primitives that do nothing but call an inner jaxpr."""


def watch(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    tensors: Tensors,
    native: Callable[[torch.Tensor], Any],
    back: Callable[[Any], torch.Tensor],
    run: Callable[[Tensors], Tensors],
) -> Watched:
    """The function's values in order.

    Args:
        function: of JAX arrays. arguments, keywords: of one call, with tensors for arrays; tensors: these, in order, with the numbers.
        native, back: convert. run: the compiled function, for the results.
    """
    jax = import_module("jax")
    arrays = [native(tensor) for tensor in tensors]
    closed = jax.make_jaxpr(of_arrays(function, arguments, keywords))(*arrays)
    evaluation = _Evaluation(jax, back)
    results = evaluation.run(closed.jaxpr, closed.consts, [(array, None) for array in arrays], "")
    outputs = [back(result) for result, _ in results]  # those that follow from the values: what is compiled rounds otherwise
    notes: list[str] = []
    if not all(torch.equal(output, compiled) for output, compiled in zip(outputs, run(tensors))):
        notes.append(
            "the results evaluated equation by equation differ in their bits from those compiled as a whole, because XLA fuses ops"
        )
    return Watched(evaluation.values, outputs, notes=tuple(notes), in_other_layouts=True)


class _Evaluation:
    """Evaluates jaxprs and keeps what every equation gave."""

    def __init__(self, jax: Any, back: Callable[[Any], torch.Tensor]) -> None:
        self._jax, self._back = jax, back
        self.values: list[Transcribed] = []

    def run(self, jaxpr: Any, constants: Any, arguments: list[tuple[Any, int | None]], prefix: str) -> list[tuple[Any, int | None]]:
        """The results of a jaxpr, each with its position among the values (None for what no equation made)."""
        known: dict[Any, tuple[Any, int | None]] = {variable: (value, None) for variable, value in zip(jaxpr.constvars, constants)}
        known.update(zip(jaxpr.invars, arguments))

        def read(atom: Any) -> tuple[Any, int | None]:
            return (atom.val, None) if hasattr(atom, "val") else known[atom]

        for equation in jaxpr.eqns:
            given = [read(invar) for invar in equation.invars]
            scope = "/".join(filter(None, (prefix, str(equation.source_info.name_stack))))
            known.update(zip(equation.outvars, self._equation(equation, given, scope)))
        return [read(outvar) for outvar in jaxpr.outvars]

    def _equation(self, equation: Any, given: list[tuple[Any, int | None]], scope: str) -> list[tuple[Any, int | None]]:
        name = equation.primitive.name
        if name in CALLS:
            inner = next(each for key in ("jaxpr", "call_jaxpr", "fun_jaxpr") if (each := equation.params.get(key)) is not None)
            jaxpr, constants = (inner.jaxpr, inner.consts) if hasattr(inner, "consts") else (inner, ())
            return self.run(jaxpr, constants, given, scope)
        if name == "scan":
            return self._scan(equation.params, given, scope)
        if name == "while":
            return self._while(equation.params, given, scope)
        if name == "cond":
            branches = equation.params["branches"]
            chosen = branches[min(max(int(given[0][0]), 0), len(branches) - 1)]
            return self.run(chosen.jaxpr, chosen.consts, given[1:], scope)
        bound = equation.primitive.get_bind_params(equation.params)
        functions, parameters = bound if isinstance(bound, tuple) else ((), bound)  # older versions give functions beside
        found = equation.primitive.bind(*functions, *(item for item, _ in given), **parameters)
        results = list(found) if equation.primitive.multiple_results else [found]
        sources = tuple(dict.fromkeys(place for _, place in given if place is not None))
        made: list[tuple[Any, int | None]] = []
        for each in results:
            self.values.append(Transcribed(self._back(each), f"jax.{name}", scope.replace("/", "."), _line(equation), inputs=sources))
            made.append((each, len(self.values) - 1))
        return made

    def _scan(self, parameters: Mapping[str, Any], given: list[tuple[Any, int | None]], scope: str) -> list[tuple[Any, int | None]]:
        """A loop, step by step."""
        jnp = import_module("jax.numpy")
        body, constants, carried = parameters["jaxpr"], parameters["num_consts"], parameters["num_carry"]
        fixed, state, sequences = given[:constants], given[constants : constants + carried], given[constants + carried :]
        steps = range(parameters["length"])
        rows: list[list[Any]] = []
        for step in reversed(steps) if parameters["reverse"] else steps:
            sliced = [(item[step], place) for item, place in sequences]
            results = self.run(body.jaxpr, body.consts, [*fixed, *state, *sliced], scope)
            state, row = results[:carried], results[carried:]
            rows.append([item for item, _ in row])
        if parameters["reverse"]:
            rows.reverse()
        return [*state, *((jnp.stack(column), None) for column in zip(*rows))]

    def _while(self, parameters: Mapping[str, Any], given: list[tuple[Any, int | None]], scope: str) -> list[tuple[Any, int | None]]:
        test, body = parameters["cond_jaxpr"], parameters["body_jaxpr"]
        first, second = parameters["cond_nconsts"], parameters["body_nconsts"]
        of_test, of_body, state = given[:first], given[first : first + second], given[first + second :]
        while bool(self.run(test.jaxpr, test.consts, [*of_test, *state], scope)[0][0]):
            state = self.run(body.jaxpr, body.consts, [*of_body, *state], scope)
        return state


def _line(equation: Any) -> str:
    """The user's line: "model.py:12 forward"."""
    from ...recording.names import relative

    try:
        frame = import_module("jax._src.source_info_util").user_frame(equation.source_info.traceback)
    except Exception:  # a private place: without it there is no line
        return ""
    return "" if frame is None else f"{relative(frame.file_name)}:{frame.start_line} {frame.function_name}"
