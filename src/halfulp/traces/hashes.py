"""The hash of a tensor's values: by position and by bit, the same number on every device and in every framework.

A cryptographic hash would mean copying each tensor off its device. This one is a sum of integer products, which any device computes
where the tensor lies; it is no protection against forgery. Elements are taken in logical order (C order of the shape), as bits:

    word_i = the i-th 32 bits of the elements, as a signed integer; 8- and 16-bit elements are words, 64-bit ones are two
    hash = sum over i of word_i * weight_(i mod CHUNK) * (2 floor(i / CHUNK) + 1)  mod 2**64

The weights are odd, so that no change of one word goes unseen, and of 64 random bits: two flipped signs cancel with a chance of 2**-33, two
exchanged elements with one of 2**-40 or less.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

CHUNK = 1 << 17
"""Words with weights of their own: 1 MiB of weights and as much of words, so that both stay in the cache of one core."""

_MASK = (1 << 64) - 1


@functools.cache
def weights() -> npt.NDArray[np.int64]:
    """CHUNK odd numbers of 64 bits: the output function of SplitMix64 (Steele, Lea, Flood 2014, figure 17) on its own sequence."""
    with np.errstate(over="ignore"):
        x = np.arange(1, CHUNK + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
    return (x | np.uint64(1)).view(np.int64)


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
        words = part.view(np.int32 if part.dtype.itemsize >= 4 else np.int16 if part.dtype.itemsize == 2 else np.int8)
        for start in range(0, words.size, CHUNK):
            chunk = words[start : start + CHUNK].astype(np.int64)
            with np.errstate(over="ignore"):
                total += (2 * number + 1) * int((chunk * weights()[: chunk.size]).sum())
            number += 1
    return f"{total & _MASK:016x}"
