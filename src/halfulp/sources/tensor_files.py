"""Read tensors from .npy, .npz, .safetensors and .pt files without ever unpickling anything."""

from __future__ import annotations

import mmap
import zipfile
from pathlib import Path
from typing import Any

from ..errors import TensorFileError

KINDS = (".npy", ".npz", ".safetensors", ".pt", ".pth")
PICKLES = (".pkl", ".pickle", ".joblib", ".dill")


INFLATED_BYTES = 256 << 20
"""What an archive may always inflate to."""

INFLATION = 20
"""What else it may: so many times its size. Weights and activations are all but incompressible; masks of zeros and ones shrink to an eighth, and
integers that repeat to a twentieth."""


MOST_PARTS = 1 << 20
"""Values in one file: a hundred times the tensors of the largest checkpoints."""


def read_tensors(path: Path, *, inflated_bytes: int | None = None) -> Any:
    """The tensors of a file: an array, or a mapping of names to arrays; as memory maps where the format allows.

    Args:
        path: the file. inflated_bytes: what an archive (.npz, .pt) may inflate to; by default 256 MiB, or twenty times its size.

    Raises:
        TensorFileError: the file is missing, corrupt, truncated, of an unknown kind, or needs unpickling.
    """
    kind = path.suffix.lower()
    if not path.is_file():
        raise TensorFileError(
            f"Got {path}, which is not a file. Needed: a file of tensors ({', '.join(KINDS)}). There is nothing to read. Check the path."
        )
    if kind in PICKLES:
        raise TensorFileError(
            f"Got the pickle {path}. Needed: one of {', '.join(KINDS)}. Unpickling runs code from the file. Save the "
            "data again in the program that made the file: numpy.savez('out.npz', **arrays) or "
            "safetensors.torch.save_file(tensors, 'out.safetensors')."
        )
    readers = {".npy": _npy, ".npz": _npz, ".safetensors": _safetensors, ".pt": _torch, ".pth": _torch}
    if kind not in readers:
        raise TensorFileError(
            f"Got {path}, a file {'of kind ' + repr(kind) if kind else 'without an extension'}. Needed: one of {', '.join(KINDS)}. Other formats are not read. Convert it."
        )
    try:
        limit = max(INFLATED_BYTES, INFLATION * path.stat().st_size) if inflated_bytes is None else inflated_bytes
        if kind in (".npz", ".pt", ".pth"):
            _bounded(path, _inflated(path), limit)
        found = readers[kind](path)
        if kind in (".pt", ".pth"):
            _bounded(path, _held(found, path), limit)
        return found
    except TensorFileError:
        raise
    except Exception as error:
        raise TensorFileError(
            f"Got {path}, which can't be read as {kind}: {type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else 'no details'}. "
            f"Needed: a whole, uncorrupted file. It may be truncated ({path.stat().st_size:,} bytes). Write or copy it again."
        ) from error


def _object_refusal(path: Path) -> TensorFileError:
    return TensorFileError(
        f"Got {path}, which holds Python objects. Needed: arrays of numbers. Reading objects means unpickling, "
        "which runs code from the file. Save numeric arrays in the program that made the file: numpy.save(path, "
        "array.astype('float32'))."
    )


def _inflated(path: Path) -> int:
    """What an archive's directory says that it inflates to, before any of it is inflated; 0 for what is no archive."""
    if not zipfile.is_zipfile(path):
        return 0
    with zipfile.ZipFile(path) as archive:
        return sum(zip_info.file_size for zip_info in archive.infolist())


def _held(tree: Any, path: Path) -> int:
    """The bytes of all tensors in containers, each as often as it is there: views repeat numbers that are stored once, and lists lists."""
    import torch

    held, parts, waiting = 0, 0, [tree]
    while waiting:
        value = waiting.pop()
        parts += 1
        if parts > MOST_PARTS:
            raise TensorFileError(
                f"Got {path}, which holds more than {MOST_PARTS:,} values. Needed: fewer. Comparing each would take too long. Save only the "
                "tensors to compare."
            )
        if isinstance(value, torch.Tensor):
            held += value.numel() * value.element_size()
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, (list, tuple)):
            waiting += value
    return held


def _bounded(path: Path, inflated: int, limit: int) -> None:
    """Refuse what takes many times its size in memory."""
    size = path.stat().st_size
    if inflated > limit:
        raise TensorFileError(
            f"Got {path}, {size / 2**20:,.1f} MiB that would inflate to {inflated / 2**20:,.0f} MiB. Needed: at most {limit / 2**20:,.0f} MiB. A "
            f"small file can fill all memory. If you trust it, save it again uncompressed (numpy.savez), or pass --max-inflated {-(-inflated >> 20)} to halfulp compare."
        )


def _npy(path: Path) -> Any:
    import numpy as np

    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        if "allow_pickle" in str(error) or "objects" in str(error).lower():
            raise _object_refusal(path) from error
        raise


def _npz(path: Path) -> Any:
    import numpy as np

    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except ValueError as error:
        if "allow_pickle" in str(error) or "objects" in str(error).lower():
            raise _object_refusal(path) from error
        raise


def _safetensors(path: Path) -> Any:
    from safetensors import safe_open

    # PyTorch knows every dtype that the format can hold (NumPy has no bfloat16); the file stays mapped.
    with safe_open(path, framework="pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)


def _names_bytearray(path: Path) -> bool:
    """Whether a pickle of PyTorch names the class: as text, for its reader knows no other way."""
    word = b"bytearray"
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return any(word in archive.read(name) for name in archive.namelist() if name.endswith(".pkl"))
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(word) >= 0


def _torch(path: Path) -> Any:
    import pickle

    import torch

    if _names_bytearray(path):  # PyTorch's reader makes one of any length
        raise TensorFileError(
            f"Got {path}, which holds a bytearray. Needed: tensors in lists and dicts (a state_dict). A bytearray can have any length and is not a tensor. "
            "Save only the tensors."
        )
    try:
        return torch.load(path, weights_only=True, map_location="cpu", mmap=zipfile.is_zipfile(path))
    except pickle.UnpicklingError as error:
        if "weights_only" not in str(error).lower():
            raise
        raise TensorFileError(
            f"Got {path}, which holds more than tensors. Needed: tensors in lists and dicts (a state_dict). Anything "
            "else means unpickling, which runs code from the file. Save it again in the program that made it, with "
            "torch.save(model.state_dict(), path) or safetensors.torch.save_file."
        ) from error
