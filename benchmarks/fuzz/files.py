"""Damaged tensor files: bytes changed, cut off, headers that promise too much, archives that inflate."""

import io
import pickle
import random
import zipfile

import numpy as np
import torch
from safetensors.torch import save

from halfulp.differences import compare
from halfulp.errors import HalfulpError
from halfulp.sources.tensor_files import read_tensors


class Code:
    def __reduce__(self):
        return open, ("canary", "w")


def valid():
    """Ending -> bytes of a small file."""
    arrays = {"a": np.arange(24.0).reshape(4, 6), "b": np.ones(3, np.int64)}
    npy, npz, pt = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(npy, arrays["a"])
    np.savez_compressed(npz, **arrays)
    torch.save({name: torch.from_numpy(array) for name, array in arrays.items()}, pt)
    return {".npy": npy.getvalue(), ".npz": npz.getvalue(), ".pt": pt.getvalue(), ".safetensors": save({"a": torch.ones(4, 6)})}


def bomb(size):
    """An archive of little that says, and does, inflate to much."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.npy", "w", force_zip64=True) as file:
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (size // 8,)})
        file.write(header.getvalue())
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))
    return made.getvalue()


def prepared(folder):
    """A function that tries the mutation of a number."""
    whole, large = valid(), bomb(1 << 30)

    def tried(number):
        draw = random.Random(number)
        ending = draw.choice(list(whole))
        raw = bytearray(whole[ending])
        how = draw.choice(["bytes", "cut", "grown", "header", "bomb", "pickle"])
        if how == "bytes":
            for _ in range(draw.choice([1, 1, 4, 30])):
                raw[draw.randrange(len(raw))] ^= 1 << draw.randrange(8)
        elif how == "cut":
            raw = raw[: draw.randrange(len(raw))]
        elif how == "grown":
            raw += draw.randbytes(draw.randrange(1, 200))
        elif how == "header":
            for old, new in ((b"(4, 6)", b"(1 << 40, 6)"), (b"[4,6]", b"[99999999999,6]"), (b"<f8", b"|O8"), (b"F32", b"F99")):
                raw = bytearray(bytes(raw).replace(old, new)) if draw.random() < 0.6 else raw
            if ending == ".safetensors":
                length = draw.choice([0, 1, 2**40, 2**63])
                raw = bytearray(length.to_bytes(8, "little") + raw[8:]) if draw.random() < 0.5 else raw
        elif how == "bomb":
            ending, raw = draw.choice([".npz", ".pt"]), large
        else:
            raw = bytearray(
                pickle.dumps(draw.choice([Code(), {"a": Code()}, [1, 2.0]])) if draw.random() < 0.5 else b"\x80\x02" + bytes(raw)
            )
        path = folder / f"x{ending}"
        path.write_bytes(raw)
        try:
            found = read_tensors(path)
            compare(found, found)
        except HalfulpError as error:
            return how, "refused" if "\n" not in str(error) else f"several lines: {error}"
        except Exception as error:
            return how, f"{type(error).__name__}: {error}"
        return how, "works"

    return tried
