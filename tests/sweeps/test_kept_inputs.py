"""Inputs that were kept: they are read as they were, and a stranger's file can't do harm."""

import json

import pytest
import torch

import halfulp
from halfulp.errors import InputError, TensorFileError
from halfulp.sources.drawn_inputs import drawing_of
from halfulp.sweeps.kept_inputs import FIELD, laid_out, read_inputs, strides_of, write_inputs

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
        [],
        [{"name": "x", "strides": []}, {"name": "x", "strides": []}],
        [{"name": "x", "strides": []}, {"name": 5, "literal": "1"}],
        {"name": "x"},
        7,
    ],
)
def test_what_a_stranger_says_of_the_arguments_is_refused(tmp_path, said):
    from safetensors.torch import save_file

    save_file({"x": torch.ones(3, 3)}, tmp_path / "x.safetensors", metadata={FIELD: json.dumps(said)})
    with pytest.raises(TensorFileError, match="halfulp worst --keep"):
        read_inputs(tmp_path / "x.safetensors")


@pytest.mark.parametrize("value", [(float("-inf"), [0.5, None]), {"a": float("inf")}, "inf", -3])
def test_numbers_in_containers_are_read_as_they_were(tmp_path, value):
    write_inputs(tmp_path / "x.safetensors", [("k", value)])
    assert read_inputs(tmp_path / "x.safetensors") == [("k", value)]


def test_a_column_of_a_wide_matrix_is_kept_and_what_the_format_has_not_is_said(tmp_path):
    wide = torch.randn(32, 4096)[:, 0]
    write_inputs(tmp_path / "x.safetensors", [("x", wide), ("same", wide)])
    (_, again), (_, same) = read_inputs(tmp_path / "x.safetensors")
    assert again.stride() == (4096,)
    assert torch.equal(same, wide)
    assert strides_of(torch.empty(2, 1 << 30, device="meta")[:, 0]) == ()
    with pytest.raises(InputError, match="complex128"):
        write_inputs(tmp_path / "z.safetensors", [("z", torch.ones(2, dtype=torch.complex128))])


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
