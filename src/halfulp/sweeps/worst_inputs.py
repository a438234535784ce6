"""Worst: the inputs on which an implementation is farthest off, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..documents import document, text_of
from ..errors import InputError
from ..process.versions import versions
from ..shown import shown
from ..verdicts.result import CheckResult


@dataclass(frozen=True)
class Argument:
    """One argument of the worst inputs.

    Attributes:
        name: of the parameter, or its place. dtype, shape: of a tensor or array; "" and () of anything else.
        first: its first numbers. data: all its numbers, as `packed_tensors` has them; "" of anything else, which stands in `text`.
        strides: of a tensor that does not lie contiguously in memory, in elements. is_keyword: whether it is passed by its name.
        text: what it is where it is no tensor: the Python literal of a number, a string, None, or tuples, lists and dictionaries of them.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    first: tuple[float, ...] = ()
    data: str = ""
    text: str = ""
    strides: tuple[int, ...] = ()
    is_keyword: bool = False

    @property
    def value(self) -> Any:
        """The tensor, laid out as it was, or what else was passed.

        Raises:
            InputError: it is neither a tensor nor a literal, and was not kept.
        """
        from .kept_inputs import laid_out, literal
        from .packed_tensors import unpacked

        try:
            return laid_out(unpacked(self.data, self.dtype, self.shape), self.strides) if self.dtype else literal(self.text)
        except ValueError as error:
            raise InputError(
                f"Got the argument {self.name}, of which only a description was kept: {self.text}. Needed: tensors, numbers, strings, and tuples, lists "
                "and dictionaries of them. Others can't be stored without running code when they are read. Pass it again yourself."
            ) from error


@shown
@dataclass(frozen=True)
class Worst:
    """The inputs on which `actual` is farthest off, in units of its own noise.

    Attributes:
        label: how they were made, in words. excess: times the limit of a correct implementation there; infinite where something moved that
            rounding can't move. given_excess: on the given inputs.
        result: what `check` says of these inputs. arguments: the inputs. reduced: whether they were made smaller and plainer afterwards.
        evaluations: how many inputs were measured. refused: on how many of them a side failed. refused_alone: on how many of these `actual`
            failed and `expected` did not. refusal: how it failed on the first. seconds: how long it took. seed: of what was drawn.
        complete: False when it was interrupted.
        case_file, operands: see `CheckResult`. versions: of Python and the packages that were used, the system and the processor.
    """

    label: str
    excess: float
    given_excess: float
    result: CheckResult
    arguments: tuple[Argument, ...]
    reduced: bool = False
    evaluations: int = 0
    refused: int = 0
    refused_alone: int = 0
    refusal: str = ""
    seconds: float = 0.0
    seed: int = 0
    complete: bool = True
    case_file: str = ""
    operands: str = ""
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def acceptable(self) -> bool | None:
        """Whether `actual` is acceptable even there; None where it is undecided."""
        return self.result.acceptable

    @property
    def exit_code(self) -> int:
        """What the command line exits with: that of the verdict there."""
        return self.result.exit_code

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The positional arguments, to be passed on: tensors laid out in memory as they were, and what else there was.

        Raises:
            InputError: an argument was not kept, see `Argument.value`.
        """
        return tuple(argument.value for argument in self.arguments if not argument.is_keyword)

    @property
    def keywords(self) -> dict[str, Any]:
        """The arguments that are passed by name, likewise.

        Raises:
            InputError: an argument was not kept, see `Argument.value`.
        """
        return {argument.name: argument.value for argument in self.arguments if argument.is_keyword}

    def to_json(self) -> str:
        """All of it, as JSON text with a schema number."""
        return text_of(document("worst", self, acceptable=self.acceptable))
