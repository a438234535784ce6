"""Take apart whatever a function returned into leaves: flat list of paths and NumPy arrays.

An array's framework is recognized through `sys.modules`, never imported. Formats that NumPy does not have (bfloat16, the
8-bit floats) are kept as their bits together with their `Format`; everything else is a view of the caller's memory.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..containers import attributes_of, entered, parts_of
from ..errors import InputError
from ..floats import FORMATS, Format, widen


@dataclass(frozen=True, eq=False)
class Leaf:
    """One tensor of a result.

    Attributes:
        path: where it was found, "" for a bare tensor, "[0]['logits']" inside containers.
        dtype: the name of its dtype in its own framework, without prefix ("bfloat16", "int64").
        stored: its memory as NumPy sees it: numbers, or the raw bits (uint16, uint8) of a format that NumPy does not have.
        format: its floating-point format; None for integers and booleans. Complex numbers are stored as pairs of reals.
        device: where it lay ("cpu", "cuda:0").
        memory_format: "contiguous", "channels_last" or "strided".
    """

    path: str
    dtype: str
    stored: npt.NDArray[Any]
    format: Format | None
    device: str = "cpu"
    memory_format: str = "contiguous"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape as the caller knows it (without the pair axis of complex numbers)."""
        return self.stored_shape[:-1] if self.dtype.startswith("complex") else self.stored_shape

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape of `stored`."""
        return self.stored.shape

    @property
    def holds_bits(self) -> bool:
        """Whether `stored` holds raw bits instead of numbers."""
        return self.format is not None and self.stored.dtype.kind == "u"

    def at(self, index: tuple[int, ...]) -> npt.NDArray[Any]:
        """One element of `stored`, as an array of one."""
        return np.asarray(self.stored[index]).reshape(1)

    def owned(self, path: str | None = None) -> Leaf:
        """The same in memory that nobody else can change, under another path if one is given."""
        kept = self.path if path is None else path
        return Leaf(kept, self.dtype, self.stored.copy(), self.format, device=self.device, memory_format=self.memory_format)

    def numbers(self) -> npt.NDArray[Any]:
        """The values as numbers that NumPy can compute with (a view where possible, float32 for formats stored as bits)."""
        return decode(self.stored, self.format) if self.holds_bits and self.format is not None else self.stored

    def float64(self) -> npt.NDArray[np.float64]:
        """The values as float64, a copy."""
        return widen(self.numbers(), copy=True)

    def has_bytes_of(self, other: Leaf) -> bool:
        """Whether path, type and every byte agree."""
        own, others = self.stored, other.stored
        if (self.path, self.dtype, own.shape, own.dtype) != (other.path, other.dtype, others.shape, others.dtype):
            return False
        if not (own.flags.c_contiguous and others.flags.c_contiguous):
            return False
        bits = np.uint64 if own.nbytes % 8 == 0 else np.uint8
        return not own.size or np.array_equal(own.reshape(-1).view(bits), others.reshape(-1).view(bits))

    def float64_at(self, places: Any) -> npt.NDArray[np.float64]:
        """Some of the flattened values as float64, a copy: a slice, or an array of places."""
        return Leaf(self.path, self.dtype, self.stored.reshape(-1)[places], self.format).float64()

    def rows(self, axis: int, places: npt.NDArray[np.int64]) -> Leaf:
        """Some rows along an axis, in memory of their own."""
        kept = np.take(self.stored, places, axis=axis)
        return Leaf(self.path, self.dtype, kept, self.format, device=self.device, memory_format=self.memory_format)


class DeviceLeaf(Leaf):
    """A tensor that lies on a device. Its numbers come to the processor when somebody asks for `stored`, and stay.

    Attributes:
        tensor: the numbers there, complex ones as pairs of reals.
    """

    def __init__(self, path: str, dtype: str, tensor: Any, stored_format: Format | None, memory_format: str) -> None:
        values = {"path": path, "dtype": dtype, "format": stored_format, "device": str(tensor.device), "memory_format": memory_format}
        for name, value in {**values, "tensor": tensor}.items():
            object.__setattr__(self, name, value)

    tensor: Any

    def is_comparable_with(self, other: DeviceLeaf) -> bool:
        """Whether both are on one device, which can do what comparing takes: PyTorch computes little with unsigned integers."""
        return self.device == other.device and self.dtype not in ("uint16", "uint32", "uint64")

    @functools.cached_property
    def stored(self) -> npt.NDArray[Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The numbers, or bits, on the processor."""
        return _stored(self.tensor.to("cpu", copy=True), self.dtype)

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape of `stored`, known without it."""
        return tuple(self.tensor.shape)

    @property
    def holds_bits(self) -> bool:
        """Whether `stored` holds raw bits instead of numbers, known without it."""
        return not _is_known_to_numpy(self.dtype)

    def at(self, index: tuple[int, ...]) -> npt.NDArray[Any]:
        """One element, without the others."""
        return _stored(self.tensor[index].reshape(1).cpu(), self.dtype)

    def owned(self, path: str | None = None) -> Leaf:
        """On the processor: the copy from the device is nobody else's."""
        return Leaf(
            self.path if path is None else path, self.dtype, self.stored, self.format, device=self.device, memory_format=self.memory_format
        )


ON_DEVICE = ("cuda",)
"""Kinds of devices that compute in float64, so that tensors are compared where they lie."""


def decode(bits: npt.NDArray[Any], stored_format: Format) -> npt.NDArray[np.float32]:
    """The numbers that the raw bits of bfloat16 or an 8-bit format stand for, as float32 (exact)."""
    if stored_format.storage_bits == 16:
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return _eight_bit_table(stored_format)[bits]


def _eight_bit_table(stored_format: Format) -> npt.NDArray[np.float32]:
    patterns = np.arange(256)
    fraction_bits = stored_format.precision_bits - 1
    exponent = (patterns & 0x7F) >> fraction_bits
    fraction = (patterns & ((1 << fraction_bits) - 1)) / (1 << fraction_bits)
    magnitude = np.where(
        exponent == 0,
        np.ldexp(fraction, stored_format.exponent_min),
        np.ldexp(1.0 + fraction, exponent - 1 + stored_format.exponent_min),
    )
    if stored_format.has_infinity:
        top = exponent == exponent.max()
        magnitude = np.where(top, np.where(fraction == 0, np.inf, np.nan), magnitude)
    else:
        magnitude[(patterns & 0x7F) == 0x7F] = np.nan
    return np.copysign(magnitude, np.where(patterns & 0x80, -1.0, 1.0)).astype(np.float32)


def is_torch_tensor(value: object) -> bool:
    """Whether the value is a PyTorch tensor; PyTorch is not imported to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _from_torch(value: Any, path: str) -> Leaf:
    torch = sys.modules["torch"]
    tensor = value.detach()
    device = str(tensor.device)
    layout = _memory_format(tensor)
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    if tensor.layout != torch.strided:
        tensor = tensor.to_dense()
    dtype = str(value.dtype).removeprefix("torch.")
    stays = tensor.device.type in ON_DEVICE
    tensor = (tensor if stays else tensor.cpu()).resolve_conj().resolve_neg()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    form = FORMATS.get(str(tensor.dtype).removeprefix("torch."))
    if dtype.startswith("float8") and form is None:
        raise InputError(
            f"Got a tensor of dtype {dtype} at {path or 'the output'}. Needed: one of {', '.join(FORMATS)}. "
            "halfulp doesn't support this format yet. Convert it with .float() before comparing."
        )
    return (
        DeviceLeaf(path, dtype, tensor, form, memory_format=layout)
        if stays
        else Leaf(path, dtype, _stored(tensor, dtype), form, device=device, memory_format=layout)
    )


def _stored(tensor: Any, dtype: str) -> npt.NDArray[Any]:
    """The memory of a tensor on the processor as NumPy sees it."""
    if _is_known_to_numpy(dtype):
        return tensor.numpy()
    torch = sys.modules["torch"]
    return tensor.view(torch.int16).numpy().view(np.uint16) if dtype == "bfloat16" else tensor.view(torch.uint8).numpy()


def _is_known_to_numpy(dtype: str) -> bool:
    return dtype != "bfloat16" and not dtype.startswith("float8")


def _memory_format(tensor: Any) -> str:
    torch = sys.modules["torch"]
    if tensor.layout != torch.strided:
        return str(tensor.layout).removeprefix("torch.")
    if tensor.is_contiguous():
        return "contiguous"
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    return "channels_last" if tensor.dim() in formats and tensor.is_contiguous(memory_format=formats[tensor.dim()]) else "strided"


_NUMBERS_NEEDED = (
    "Needed: tensors, arrays or numbers, alone, in lists, tuples, dicts or dataclasses, or as attributes of an object. "
    "Anything else, such as text, has no numerical difference. Return only the numerical part."
)


def _described(value: object) -> str:
    """What somebody returned that has no numbers, and where that is a common mistake, which."""
    if isinstance(value, types.GeneratorType) and value.__name__ == "<genexpr>":
        return "a generator expression (which computes nothing by itself; return a list)"
    if isinstance(value, types.GeneratorType):
        return f"a generator ({value.__name__} has a `yield`, so calling it computes nothing; return a list)"
    if isinstance(value, types.CoroutineType):
        return f"a coroutine ({value.__name__} is `async`, so calling it computes nothing)"
    return f"an object of class {type(value).__name__}" if not isinstance(value, (str, bytes)) else type(value).__name__


def _from_array(value: Any, path: str) -> Leaf:
    array = np.asarray(value)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    name = array.dtype.name
    if name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):  # the dtypes that ml_dtypes (JAX) adds to NumPy
        form = FORMATS[name]
        return Leaf(path, name, array.view(np.uint16 if form.storage_bits == 16 else np.uint8), form)
    if array.dtype.kind == "c":
        if array.dtype.itemsize > 16:
            array = array.astype(np.complex128)
        part = np.float32 if array.dtype == np.complex64 else np.float64
        pairs = np.stack([np.real(array), np.imag(array)], axis=-1).astype(part, copy=False)
        return Leaf(path, array.dtype.name, pairs, FORMATS[np.dtype(part).name])
    if array.dtype.kind == "f" and name not in FORMATS:  # longdouble: compared after one rounding to float64
        return Leaf(path, name, widen(array), FORMATS["float64"])
    if array.dtype.kind not in "fiub":
        raise _NotNumerical(f"Got {_described(value)} at {path or 'the output'}. {_NUMBERS_NEEDED}")
    return Leaf(path, name, array, FORMATS.get(name))


class _NotNumerical(InputError):
    """Something that holds no numbers."""


class _Walk:
    """Collects the leaves of a result.

    Args:
        left_out: where parts without numbers are noted; None to refuse them.
    """

    def __init__(self, left_out: list[str] | None) -> None:
        self._left_out = left_out
        self._objects: set[int] = set()

    def leaves(self, value: object, path: str, inside: tuple[int, ...] = ()) -> Iterator[tuple[Leaf, object]]:
        """The leaves of a value that a function returned or a container holds, each with what it was made of."""
        if value is None:
            return
        is_array = _is_array(value)
        parts = None if is_array else parts_of(value)
        if parts is not None:
            inside = entered(value, inside, path or "the output")
            for name, part in parts:
                yield from self.leaves(part, path + name, inside)
            return
        if id(value) in self._objects:  # objects may point at each other, and what they hold is there already
            return
        found = [] if is_array else self._of_object(value, path, inside)
        try:
            yield from found or [(_leaf(value, path), value)]
        except _NotNumerical:
            if self._left_out is None:
                raise
            self._left_out.append(f"{path or 'the output'} ({type(value).__name__})")

    def _of_object(self, value: object, path: str, inside: tuple[int, ...]) -> list[tuple[Leaf, object]]:
        """What a plain object holds: its tensors and arrays, and its public numbers; what else it needs to work is no result."""
        attributes = [] if _is_module(value) else attributes_of(value)
        if not attributes:
            return []
        self._objects.add(id(value))
        inside = entered(value, inside, path or "the output")
        refuses, self._left_out = self._left_out, [] if self._left_out is None else self._left_out
        found = [leaf for name, part in attributes if _is_data(name, part) for leaf in self.leaves(part, path + name, inside)]
        self._left_out = refuses
        return found


def _is_array(value: object) -> bool:
    return is_torch_tensor(value) or (hasattr(value, "__array__") and not isinstance(value, type))


def _is_module(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def _is_data(name: str, attribute: object) -> bool:
    """Whether an attribute of an object may hold results: flags and private numbers tell how it works, and a model is no result."""
    if isinstance(attribute, (int, float, complex)):
        return not (isinstance(attribute, bool) or name.startswith("._"))
    if attribute is None or _is_module(attribute):
        return False
    return _is_array(attribute) or parts_of(attribute) is not None or bool(attributes_of(attribute))


def _leaf(value: object, path: str) -> Leaf:
    """One tensor, array or number; what its framework can't show is refused.

    Raises:
        InputError: it has no numbers that can be read: nested, on the meta device, a fake.
    """
    try:
        return _from_torch(value, path) if is_torch_tensor(value) else _from_array(value, path)
    except InputError:
        raise
    except Exception as error:  # whatever a framework says of a tensor without plain memory
        said = " ".join(str(error).split())[:160]
        raise InputError(
            f"Got {type(value).__name__} at {path[:80] or 'the output'} whose numbers can't be read ({type(error).__name__}: {said}). "
            "Needed: a tensor or array with memory of its own on the CPU or another device. Return its parts, or convert it "
            "(to_padded_tensor, to_dense)."
        ) from error


def leaves_of(value: object, left_out: list[str] | None = None) -> list[Leaf]:
    """All tensors of a nested result, in order, with their paths.

    Args:
        value: tensor, array, number, or containers of them: lists, tuples, named tuples, dataclasses, mappings, nodes of PyTorch's pytree,
            and plain objects (of which tensors, arrays and public numbers count). None is skipped.
        left_out: where the places and types of parts without numbers are noted; such parts are refused where it is not given.

    Raises:
        InputError: something in it is not numerical; the message says where.
    """
    return [leaf for leaf, _ in values_of(value, left_out)]


def values_of(value: object, left_out: list[str] | None = None) -> Iterator[tuple[Leaf, object]]:
    """The same, each with the tensor, array or number that it was made of."""
    return _Walk(left_out).leaves(value, "")
