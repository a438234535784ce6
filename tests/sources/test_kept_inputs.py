"""Inputs that were kept: they are read as they were, and a stranger's file can't do harm."""

import json

import pytest
import torch

import halfulp
from halfulp.errors import TensorFileError
from halfulp.sources.drawn_inputs import drawing_of
from halfulp.sources.kept_inputs import FIELD, laid_out, read_inputs, strides_of, write_inputs

LAYOUTS = {
    "contiguous": torch.arange(12.0).reshape(3, 4),
    "transposed": torch.arange(12.0).reshape(4, 3).T,
    "every second": torch.arange(24.0)[::2],
    "expanded": torch.arange(3.0)[:, None].expand(3, 5),
    "empty": torch.empty(0, 4).T,
    "a number": torch.tensor(3.0),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_tensors_lie_as_they_did(tmp_path, name):
    tensor = LAYOUTS[name]
    write_inputs(tmp_path / "x.safetensors", [("x", tensor), ("k", float("-inf")), ("modes", ["a", (1, None)])])
    (x, again), k, modes = read_inputs(tmp_path / "x.safetensors")
    assert (x, k, modes) == ("x", ("k", float("-inf")), ("modes", ["a", (1, None)]))
    assert torch.equal(again, tensor)
    assert strides_of(again) == strides_of(tensor)


def test_plain_files_are_read_as_before(tmp_path):
    from safetensors.torch import save_file

    save_file({"x": torch.ones(3)}, tmp_path / "x.safetensors")
    assert read_inputs(tmp_path / "x.safetensors") is None


@pytest.mark.parametrize(
    "said",
    [
        [{"name": "x", "strides": [1 << 40, 1]}],
        [{"name": "x", "strides": [-1, 1]}],
        [{"name": "x", "strides": ["1", 1]}],
        [{"name": "y", "strides": []}],
        [{"name": "k", "literal": "__import__('os').getcwd()"}],
        [{"name": "k", "literal": "(" * 50_000}],
        {"name": "x"},
        7,
    ],
)
def test_what_a_stranger_says_of_the_arguments_is_refused(tmp_path, said):
    from safetensors.torch import save_file

    save_file({"x": torch.ones(3, 3)}, tmp_path / "x.safetensors", metadata={FIELD: json.dumps(said)})
    with pytest.raises(TensorFileError, match="halfulp worst --keep"):
        read_inputs(tmp_path / "x.safetensors")


def test_strides_that_fit_no_tensor():
    with pytest.raises(ValueError, match="axes"):
        laid_out(torch.ones(3), (1, 1))


def test_they_are_inputs_of_other_commands(tmp_path):
    file = tmp_path / "kept.safetensors"
    write_inputs(file, [("x", torch.arange(6.0).reshape(2, 3).T), ("k", 2.0)])
    inputs = drawing_of(str(file)).draw(0, 0)
    assert inputs.names == ("x", "k")
    assert inputs.values[1] == 2.0
    assert not inputs.values[0].is_contiguous()
    assert halfulp.check(lambda x, k: x * k, lambda x, k: k * x, inputs.values).acceptable
