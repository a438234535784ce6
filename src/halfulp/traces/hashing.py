"""The hash of a tensor's values: by position and by bit, the same number on every device and in every framework.

A cryptographic hash would mean copying each tensor off its device. This one is a sum of integer products, which any device computes
where the tensor lies; it is no protection against forgery. Elements are taken in logical order (C order of the shape), as bits:

    word_i = the i-th 32 bits of the elements; 8- and 16-bit elements are widened one by one, the halves of 64-bit ones are words
    mixed_i = (word_i xor (word_i >> 15, arithmetic)) * weight_(i mod CHUNK)  mod 2**32
    hash = sum over chunks c of (2 c + 1) * (sum over i of mixed_i, paired as the low and high half of 64-bit numbers)  mod 2**64

Shifting before multiplying carries the sign into low bits, so that flipped signs don't cancel; the weights are odd and pairwise different
but for chance, so that exchanged elements change the sum.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

CHUNK = 1 << 18
"""Words with weights of their own: 1 MiB, so that a chunk and its weights stay in the cache of one core."""

_MASK = (1 << 64) - 1


@functools.cache
def weights() -> npt.NDArray[np.int32]:
    """CHUNK odd numbers: the finalizer of MurmurHash3 (Appleby, public domain) on 1, 2, 3 ..."""
    x = np.arange(1, CHUNK + 1, dtype=np.uint32)
    with np.errstate(over="ignore"):
        x ^= x >> np.uint32(16)
        x *= np.uint32(0x85EBCA6B)
        x ^= x >> np.uint32(13)
        x *= np.uint32(0xC2B2AE35)
        x ^= x >> np.uint32(16)
    return (x | np.uint32(1)).view(np.int32)


def hash_of(values: npt.NDArray[np.generic]) -> str:
    """The hash of an array's bits, 16 hexadecimal digits.

    Args:
        values: any shape; an element type of 1, 2, 4, 8 or 16 bytes.

    Example:
        >>> x = np.float32([1.0, 2.0])
        >>> hash_of(x) != hash_of(-x) and hash_of(x) != hash_of(x[::-1])
        True
    """
    flat = np.ascontiguousarray(values).reshape(-1)
    return hash_of_parts(flat[start : start + CHUNK] for start in range(0, flat.size, CHUNK))


def hash_of_parts(parts: Iterable[npt.NDArray[np.generic]]) -> str:
    """The hash of an array that comes in parts of CHUNK elements; the last may be shorter."""
    total, number = 0, 0
    for part in parts:
        if part.dtype.itemsize >= 4:
            words = part.view(np.int32)
        else:
            words = part.view(np.int16 if part.dtype.itemsize == 2 else np.int8).astype(np.int32)
        for start in range(0, words.size, CHUNK):
            chunk = words[start : start + CHUNK]
            with np.errstate(over="ignore"):
                mixed = (chunk ^ (chunk >> np.int32(15))) * weights()[: chunk.size]
                if mixed.size % 2:
                    mixed = np.append(mixed, np.int32(0))
                total += (2 * number + 1) * int(mixed.view(np.int64).sum())
            number += 1
    return f"{total & _MASK:016x}"
