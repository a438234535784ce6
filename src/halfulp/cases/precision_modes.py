"""Run a function in another precision than it was written for, also where it names dtypes itself.

Inputs are cast before the call. Inside, `Retyping` changes what PyTorch functions are asked for: `x.float()`,
`torch.zeros(n, dtype=torch.float32)`, `.to(torch.float32)`, `.type_as(weights)`, and float32 tensors that were captured from outside.

What it cannot reach: NumPy code that names np.float32, kernels written for one dtype, code that looks at bits
(`view(torch.int32)`), and functions that torch.compile has already compiled. Such a run fails, or keeps the rounding of the
old precision; `Case` tells both apart from a run that was lifted.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, Protocol

import torch
from torch.overrides import TorchFunctionMode

from ..floats import FORMATS, Format
from ..ops import called
from ..ops.defaults import rms_norm_epsilon
from ..ops.table import LARGEST_ULPS
from ..process.dispatch import DispatchMode
from ..recording.names import source_line
from .inputs import TORCH_DTYPES
from .lifted_ops import LIFTED
from .trees import tensors_of, tree_map

_COMPLEX = {torch.float64: torch.complex128, torch.float32: torch.complex64}
_CASTS = {"float": torch.float32, "double": torch.float64, "half": torch.float16, "bfloat16": torch.bfloat16}
_READERS = frozenset(
    ("numpy", "tolist", "__array__", "data_ptr", "__dlpack__", "untyped_storage", "storage", "apply_", "map_", "map2_", "__reduce_ex__")
)
"""Methods of a tensor that read its numbers past all ops."""
MOST_LINES = 8
"""So many lines are named; a loop would give one again and again."""
_FROM_NUMBERS = ("tensor", "as_tensor", "asarray")
"""Functions that make a tensor of Python's numbers, in the default dtype."""


def lifted_dtypes(declared: Format) -> frozenset[torch.dtype]:
    """The dtypes that stand for "working precision" in a function declared to compute in this format.

    Everything at least as precise as declared counts: a bfloat16 function may well accumulate in float32. A cast to *less* than
    declared stays as it is, because it is what makes a result less precise than it should be.
    """
    return frozenset(
        TORCH_DTYPES[name]
        for name, float_format in FORMATS.items()
        if name in TORCH_DTYPES and float_format.precision_bits >= declared.precision_bits and name != "float64"
    )


def all_float_dtypes() -> frozenset[torch.dtype]:
    """Every floating-point dtype but float64: retyping them all takes out the casts that make a result less precise, too."""
    return frozenset(dtype for name, dtype in TORCH_DTYPES.items() if name != "float64")


class DefaultDtype(DispatchMode):
    """Another default dtype, for this thread alone: PyTorch has one switch for the whole process.

    Tensors that are made without a dtype have the default one, and so do results of integers (`torch.arange(3) / 2`). Below Python
    functions this mode sees both, whoever asks for them.

    Args:
        dtypes: what each dtype becomes; the default dtype is among them.

    Attributes:
        made: the lines of the user's code that made a tensor in the default dtype, in order.
    """

    def __init__(self, dtypes: Mapping[torch.dtype, torch.dtype]) -> None:
        super().__init__()
        self.made: dict[str, None] = {}
        self._dtypes = dtypes
        self._target = dtypes[torch.get_default_dtype()]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name, record = called(func)
        if name in LIFTED and args[0].dtype == self._target:
            return LIFTED[name](*args, **{key: value for key, value in kwargs.items() if key != "out_dtype"})
        if record.makes and (not record.by_number or any(isinstance(argument, (float, complex)) for argument in args)):
            asked: Any = kwargs.get("dtype")
            if asked is None and not (name == "full" and isinstance(args[1], complex)):
                self.note()
                return func(*args, **{**kwargs, "dtype": self._target})
            return func(*args, **({**kwargs, "dtype": self._dtypes.get(asked, asked)} if asked is not None else kwargs))
        result = func(*args, **kwargs)
        if not isinstance(result, torch.Tensor) or result.dtype not in self._dtypes:
            return result
        if any(isinstance(item, torch.dtype) for item in (*args, *kwargs.values())):
            return result  # as it was asked for: a conversion, or the same bits read as another dtype
        kinds = [tensor.dtype for tensor in tensors_of(args)]
        if not kinds or any(kind.is_floating_point or kind.is_complex for kind in kinds):
            return result
        # Integers gave a number in the default dtype: once more from the same integers in the other one.
        with contextlib.suppress(Exception):  # an op that takes integers only
            lifted = func(*tree_map(self._lifted, args), **kwargs)
            self.note()
            if torch.allclose(lifted, result.to(lifted.dtype), rtol=LARGEST_ULPS * torch.finfo(result.dtype).eps, atol=0.0, equal_nan=True):
                return lifted
        return result.to(self._target)  # on integers it does something else, as a device that divides them to integers

    def note(self) -> None:
        """Keep the line that is being run."""
        if len(self.made) < MOST_LINES:
            self.made[source_line()] = None

    def _lifted(self, value: Any) -> Any:
        return value.to(self._target) if isinstance(value, torch.Tensor) else value


class Seen(Protocol):
    """What is told of the numbers that code brings along."""

    def constant(self, value: float) -> float:
        """A Python number among the arguments of a call."""
        ...

    def tensor(self, stored: torch.Tensor, lifted: torch.Tensor) -> torch.Tensor:
        """A tensor that was made outside of the run, as it is stored and in the other precision."""
        ...


class Retyping(TorchFunctionMode):
    """Replaces some floating-point dtypes by another in every PyTorch call.

    Args:
        sources: the dtypes to replace.
        target: what they become.
        written: the dtype of the code as it is written, on which defaults of ops depend.

    Attributes:
        overridden: the names of the functions whose dtype or tensor was replaced inside the user's code.
        replaced: the dtypes that were asked for and replaced.
        reads_numbers: whether the code read numbers past all ops, as `tolist` does.
        seen: told of each constant and of each tensor that the code brings along, and gives what is to be used in its place.
    """

    def __init__(self, sources: frozenset[torch.dtype], target: torch.dtype, written: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.target, self._written = target, written
        self.dtypes: dict[torch.dtype, torch.dtype] = dict.fromkeys(sources, target)
        for source in sources:
            if source in _COMPLEX and target in _COMPLEX:
                self.dtypes[_COMPLEX[source]] = _COMPLEX[target]
        self.overridden: set[str] = set()
        self.replaced: set[torch.dtype] = set()
        self.seen: Seen | None = None
        self.reads_numbers = False
        self._shadows: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def __enter__(self) -> Retyping:
        self._lifts_default = torch.get_default_dtype() in self.dtypes
        if self._lifts_default:
            self._default = DefaultDtype(self.dtypes)
            self._default.__enter__()
        super().__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        super().__exit__(*exc)
        if self._lifts_default:
            self._default.__exit__(*exc)

    @property
    def made(self) -> list[str]:
        """The lines that made tensors in the default dtype, where it was replaced."""
        return [line for line in self._default.made if line] if self._lifts_default else []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in _READERS:
            self.reads_numbers = True
        if self.seen is not None and name not in ("__get__", "__set__", "__delete__"):
            constant = self.seen.constant
            args, kwargs = (tree_map(lambda value: constant(value) if isinstance(value, float) else value, tree) for tree in (args, kwargs))
        if name in _FROM_NUMBERS and self._lifts_default and kwargs.get("dtype") is None:
            made = func(*args, **kwargs)
            given = args[0] if args else None
            if made.dtype in self.dtypes and not isinstance(given, torch.Tensor) and not hasattr(given, "__array__"):
                self._default.note()
                return func(*args, **{**kwargs, "dtype": self.dtypes[made.dtype]})
            return made
        if name == "rms_norm" and self.target == torch.float64:
            args, kwargs = _with_epsilon(args, kwargs, self._written)
        if name not in _CASTS and not self._concerned(args) and not (kwargs and self._concerned(kwargs.values())):
            return func(*args, **kwargs)
        if name in ("__get__", "__set__", "__delete__", "backward"):
            return func(*args, **kwargs)
        if name in _CASTS and len(args) >= 1 and isinstance(args[0], torch.Tensor):
            wanted = _CASTS[name]
            if wanted in self.dtypes:
                self.overridden.add(name)
                self.replaced.add(wanted)
                return self._retype(args[0], name).to(self.dtypes[wanted], **kwargs)

        def visit(value: Any) -> Any:
            if isinstance(value, torch.dtype):
                if value in self.dtypes:
                    self.overridden.add(name)
                    self.replaced.add(value)
                    return self.dtypes[value]
                return value
            return self._retype(value, name) if isinstance(value, torch.Tensor) else value

        if name != "set_default_dtype":
            args, kwargs = tree_map(visit, args), tree_map(visit, kwargs)
            if name == "type" and len(args) == 2 and isinstance(args[1], str):
                args = (args[0], args[1].replace("Float", "Double") if self.target == torch.float64 else args[1])
        return func(*args, **kwargs)

    def _concerned(self, values: Any) -> bool:
        """Whether a value may have to be replaced; most calls have none, and walking their arguments costs more than a small op."""
        for value in values:
            if isinstance(value, torch.Tensor):
                if value.dtype in self.dtypes:
                    return True
            elif isinstance(value, (list, tuple)):
                if self._concerned(value):
                    return True
            elif value is not None and not isinstance(value, (int, float, bool)):
                return True
        return False

    def _retype(self, value: torch.Tensor, name: str) -> torch.Tensor:
        """A tensor of a replaced dtype becomes its shadow: one per tensor, so that in-place changes to it last."""
        if value.dtype not in self.dtypes:
            return value
        known = self._shadows.get(id(value))
        if known is None:
            self.replaced.add(value.dtype)
            if name:
                self.overridden.add(name)
            with torch.no_grad(), torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]
                shadow = value.detach().to(self.dtypes[value.dtype])
                shadow = shadow if self.seen is None else self.seen.tensor(value, shadow)
            shadow.requires_grad_(value.requires_grad and value.is_leaf)
            known = (value, shadow)
            self._shadows[id(value)] = known
        return known[1]


def _with_epsilon(args: Any, kwargs: Any, written: torch.dtype) -> tuple[Any, Any]:
    """The arguments of `rms_norm` with the epsilon that it has as written, where none was given: float64's own makes another function."""
    given = args[3] if len(args) > 3 else kwargs.get("eps")
    if given is not None:
        return args, kwargs
    return args[:3], {**kwargs, "eps": rms_norm_epsilon(written)}
