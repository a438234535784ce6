"""given(words): what stands on the command line, as two sides and their inputs, whatever it is made of."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..cases import Stored
from ..errors import InputError
from ..words.numbers import counted
from .binding import bound, parameter_names, required_names, takes_any
from .case_text import case_text
from .drawn_inputs import SIZE, Inputs, drawing_of
from .engines import Twin, apart, engine
from .expressions import free_names, function_of, looked_through, parsed
from .kinds import Kind
from .parts import Expression, Part, as_inputs, part_of
from .results import with_inputs_of
from .sides import Placed, closer_second, sides_of


@dataclass(frozen=True)
class Given:
    """Two sides and their inputs.

    Attributes:
        actual, expected: functions, or a `Stored` result as one of them; the same function twice where only one was given and one is enough.
        inputs: the arguments of both. draw: makes them from a seed, and from a size where its signature has one.
        options: of a check: `declared`, `reference`, `gradients`, `keywords`, as far as they were defined.
        source: the text that stands for it in a result: a case file, or one that says the same.
        label: what it is called. notes: what was chosen, in words.
    """

    actual: Any
    expected: Any
    inputs: Any
    draw: Callable[..., Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    label: str = ""
    notes: tuple[str, ...] = ()

    def side(self, name: str) -> Any:
        """The side of that name."""
        return self.actual if name == "actual" else self.expected


def given(
    words: Sequence[str],
    *,
    inputs: str | None = None,
    backends: str | None = None,
    seed: int = 0,
    size: int | None = None,
    one_side: bool = False,
) -> Given:
    """What was given on the command line.

    Args:
        words: one or two: case files, FILE.py:name, package.module:name, expressions, ONNX models, files of tensors, traces.
        inputs: what -i says, None where it says nothing. backends: what --backends says, likewise.
        seed: the inputs are drawn from it, and random numbers start there while something is built. size: passed to inputs that take one.
        one_side: whether one function is enough.

    Raises:
        InputError: something is missing, or too much; CaseFileError, TensorFileError, TraceError where a file can't be used.
    """
    words = [word for word in words if word]
    drawing = drawing_of(inputs) if inputs is not None else None
    names = drawing.names if drawing is not None else ()
    parts = [part_of(word, names, seed, size) for word in words]
    engines = apart(backends) if backends is not None else []
    sides, more, notes = sides_of(parts, engines, one_side=one_side)
    make, signature = _making(parts, drawing.draw if drawing is not None else None, drawing is not None and drawing.has_size)
    results = [part.result for part in parts if part.result is not None]
    expressions = [side for side in sides.values() if isinstance(side, Expression)]

    def arguments(seed: int, size: int | None) -> Inputs:
        made = make(seed, size) if make is not None else None
        recorded = with_inputs_of(results, made.values if made is not None else None)
        if recorded is not None:
            return Inputs(recorded, made.names if made is not None else ())
        if made is None:
            raise InputError(_no_inputs(sides))
        return made

    first = arguments(seed, size) if _needs_inputs(sides) or make is not None or any(result.inputs for result in results) else Inputs(())
    if isinstance(sides["expected"], Twin):
        sides, more_notes = closer_second(sides, first.values)
        notes = (*notes, *more_notes)
    names = first.names or _names_for(expressions, sides, len(first.values))
    functions = {name: _function(side, Inputs(first.values, names), name) for name, side in sides.items()}
    keywords = _joined(parts, "options")
    return Given(
        functions["actual"], functions["expected"], first.values, _draw(arguments, signature), {**keywords, **more},
        source=_source(parts, sides, names, drawing.code if drawing is not None else (), words, inputs, backends), label=" ".join(words), notes=notes,
    )  # fmt: skip


def _making(
    parts: list[Part], drawn: Callable[[int, int], Inputs] | None, has_size: bool
) -> tuple[Callable[[int, int | None], Inputs] | None, inspect.Signature | None]:
    """How inputs are made from a seed and a size: as -i says, else as the first part that knows. And the signature, where they take a size."""
    if drawn is not None:
        return lambda seed, size: drawn(seed, size or SIZE), _SIZED if has_size else None
    known = sorted((part for part in reversed(parts) if part.inputs is not None), key=lambda part: part.guessed)
    part = known[0] if known else None
    if part is None or part.inputs is None:
        return None, None
    make = part.inputs
    sized = part.signature if part.signature is not None and "size" in part.signature.parameters else None
    return lambda seed, size: as_inputs(make(seed, size)), sized


def _sized(seed: int, size: int = SIZE) -> None:
    """What the signature of sized inputs is taken from."""


_SIZED = inspect.signature(_sized)


def _needs_inputs(sides: Mapping[str, Any]) -> bool:
    """Whether a side takes any."""
    for side in sides.values():
        if isinstance(side, Stored):
            continue
        if isinstance(side, (Placed, Expression)):
            text = side.expression.text if isinstance(side, Placed) else side.text
            tree = parsed(text)
            if free_names(tree):
                return True
            looked_through(tree, (), text)
            continue
        if takes_any(side):
            return True
    return False


def _no_inputs(sides: Mapping[str, Any]) -> str:
    wanted: list[str] = []
    side: Any
    for side in sides.values():
        if isinstance(side, (Expression, Placed)):
            wanted += free_names(parsed(side.text if isinstance(side, Expression) else side.expression.text))
        elif not isinstance(side, Stored):
            wanted += required_names(side)
    words = ", ".join(f"{name}=randn(4, 8)" for name in dict.fromkeys(wanted)) or "randn(4, 8)"
    return (
        "Got no inputs. Needed: the inputs to run both sides on. Nothing here says what they take: there is no "
        f'inputs(seed) in the file, no model signature and no trace. Give them with -i "{words}" (with the '
        "shapes that your functions take), or with -i inputs.npz, a file that holds the inputs that a stored result was computed from."
    )


def _names_for(expressions: list[Expression], sides: Mapping[str, Any], count: int) -> tuple[str, ...]:
    """Names of inputs without any, for expressions: those of the other side's parameters, else as the expression says them."""
    if not expressions:
        return ()
    for side in sides.values():
        if not isinstance(side, (Expression, Placed, Stored)) and (names := parameter_names(side, count)):
            return names
    for expression in expressions:
        names = free_names(parsed(expression.text))
        if len(names) == count:
            return tuple(names)
    wanted = list(dict.fromkeys(name for expression in expressions for name in free_names(parsed(expression.text))))
    subject = "the expression uses" if len({expression.text for expression in expressions}) == 1 else "the expressions use"
    if not wanted:
        raise InputError(
            f"Got {counted(count, 'input')} without {'a name' if count == 1 else 'names'}; {subject} no inputs. Needed: no inputs. Leave -i out."
        )
    example = ", ".join(f"{name}=randn(4, 8)" for name in wanted)
    raise InputError(
        f"Got {counted(count, 'input')} without {'a name' if count == 1 else 'names'}; {subject} {', '.join(wanted)}. Needed: a named "
        f'input for each of these. An expression knows its inputs by their names. Give them by name: -i "{example}".'
    )


def _function(side: Any, inputs: Inputs, name: str) -> Any:
    if isinstance(side, Stored):
        return side
    if isinstance(side, Placed):
        names = inputs.names or tuple(free_names(parsed(side.expression.text)))
        return engine(side.engines[side.place], function_of(side.expression.text, names, name))
    if isinstance(side, Expression):
        side = function_of(side.text, inputs.names, name)
    return bound(side, inputs, name)


def _draw(arguments: Callable[[int, int | None], Inputs], signature: inspect.Signature | None) -> Callable[..., Any]:
    """`inputs(seed)` or `inputs(seed, size=...)`, as growth and tolerances ask for them."""

    def inputs(seed: int, size: int | None = None) -> Any:
        return arguments(seed, size).values

    if signature is None:
        return lambda seed: inputs(seed)
    inputs.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
    return inputs


def _joined(parts: list[Part], name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in parts:
        found |= getattr(part, name)
    return found


def _source(
    parts: list[Part],
    sides: Mapping[str, Any],
    names: Sequence[str],
    code: Sequence[str],
    words: Sequence[str],
    inputs: str | None,
    backends: str | None,
) -> str:
    """The text that a result keeps: a case file, or one that says the same, or the command."""
    if len(parts) == 1 and parts[0].kind is Kind.CASE_FILE and inputs is None and backends is None:
        return parts[0].source
    typed = " ".join(shlex.quote(word) for word in words)
    typed += f" -i {shlex.quote(inputs)}" if inputs is not None else ""
    typed += f" --backends {shlex.quote(backends)}" if backends is not None else ""
    texts = {name: side.text for name, side in sides.items() if isinstance(side, Expression)}
    if len(texts) == 2 and code:
        return case_text(typed, texts, names, code)
    sources = [f"# {part.word}\n{part.source}" for part in parts if part.source]
    return "\n".join([f"# halfulp check {typed}", *dict.fromkeys(sources)]) + "\n"
