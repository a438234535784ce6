"""Tensor files of strangers: what a small file may take."""

import zipfile

import numpy as np
import pytest
import torch

from halfulp.errors import HalfulpError
from halfulp.sources.tensor_files import read_tensors


class Bytes:
    def __reduce__(self):
        return bytearray, (4 * 10**9,)


def doubled(times):
    found = [torch.ones(1)]
    for _ in range(times):
        found = [found, found]
    return found


BOMBS = {
    "a bytearray of any length": lambda: {"a": Bytes()},
    "one number as a large matrix": lambda: {"a": torch.zeros(1).expand(10**6, 10**6)},
    "lists that hold lists twice": lambda: doubled(40),
}


@pytest.mark.parametrize("archive", [True, False])
@pytest.mark.parametrize("name", BOMBS)
def test_small_files_that_would_take_gigabytes_are_refused(name, archive, tmp_path):
    torch.save(BOMBS[name](), tmp_path / "a.pt", _use_new_zipfile_serialization=archive)
    assert zipfile.is_zipfile(tmp_path / "a.pt") == archive and (tmp_path / "a.pt").stat().st_size < 1 << 16
    with pytest.raises(HalfulpError) as error:
        read_tensors(tmp_path / "a.pt")
    assert "\n" not in str(error.value)


def test_honest_files_are_read(tmp_path):
    tensors = {"w": torch.randn(3, 4), "view": torch.randn(4).expand(8, 4), "nested": [torch.ones(2), {"b": torch.zeros(3)}]}
    torch.save(tensors, tmp_path / "a.pt")
    assert torch.equal(read_tensors(tmp_path / "a.pt")["view"], tensors["view"])
    np.savez_compressed(tmp_path / "a.npz", x=np.zeros(10**6))
    assert read_tensors(tmp_path / "a.npz")["x"].shape == (10**6,)
