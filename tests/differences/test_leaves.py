import dataclasses
from collections import namedtuple

import numpy as np
import pytest
import torch

from halfulp.differences import leaves_of
from halfulp.differences.leaves import decode
from halfulp.errors import InputError
from halfulp.floats import FORMATS

Point = namedtuple("Point", "x y")


@dataclasses.dataclass
class Output:
    logits: torch.Tensor
    hidden: list


def test_paths_of_nested_containers():
    nested = {"a": [torch.zeros(2), (np.ones(3), None)], "p": Point(1.0, 2), "o": Output(torch.ones(1), [True])}
    assert [leaf.path for leaf in leaves_of(nested)] == ["['a'][0]", "['a'][1][0]", "['p'].x", "['p'].y", "['o'].logits", "['o'].hidden[0]"]


def test_bare_tensor_shares_memory():
    tensor = torch.zeros(3)
    leaf = leaves_of(tensor)[0]
    tensor[1] = 5
    assert leaf.path == ""
    assert leaf.stored[1] == 5


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_every_bit_pattern_decodes_as_torch_decodes_it(name):
    form = FORMATS[name]
    bits = np.arange(2**form.storage_bits, dtype=np.uint16 if form.storage_bits == 16 else np.uint8)
    theirs = torch.from_numpy(bits).view(getattr(torch, name)).float().numpy()
    assert np.array_equal(decode(bits, form), theirs, equal_nan=True)
    leaf = leaves_of(torch.from_numpy(bits).view(getattr(torch, name)))[0]
    assert leaf.holds_bits
    assert np.array_equal(leaf.numbers(), theirs, equal_nan=True)


def test_complex_numbers_are_pairs_with_their_own_shape():
    leaf = leaves_of(torch.tensor([1 + 2j, 3 - 4j]))[0]
    assert leaf.shape == (2,)
    assert leaf.stored.tolist() == [[1, 2], [3, -4]]
    assert leaves_of(np.array([1 + 2j]))[0].dtype == "complex128"
    assert leaves_of(np.array([1 + 2j], dtype=np.clongdouble))[0].stored.dtype == np.float64


def test_sparse_quantized_conjugated_and_longdouble():
    assert leaves_of(torch.eye(2).to_sparse())[0].stored.tolist() == [[1, 0], [0, 1]]
    assert leaves_of(torch.tensor([1 + 1j]).conj())[0].stored.tolist() == [[1, -1]]
    assert leaves_of(np.longdouble(1.5))[0].format.name == "float64"
    assert leaves_of(torch.ones(2, requires_grad=True))[0].dtype == "float32"


@pytest.mark.filterwarnings("ignore")  # PyTorch warns that these tensors will go
def test_quantized_tensors_are_dequantized():
    quantized = torch.quantize_per_tensor(torch.tensor([0.5]), 0.25, 0, torch.qint8)
    assert leaves_of(quantized)[0].stored.tolist() == [0.5]


def test_ml_dtypes_arrays_are_known_by_their_name():
    class Stub:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

    assert leaves_of(Stub())[0].stored.tolist() == [1.0, 2.0]


def test_text_is_refused_with_its_place():
    with pytest.raises(InputError, match=r"Got str at \['b'\]\. Needed: tensors, arrays or numbers"):
        leaves_of({"a": 1, "b": "text"})


def test_unknown_float8_is_refused():
    with pytest.raises(InputError, match="float8_e5m2fnuz"):
        leaves_of(torch.zeros(2).to(torch.float8_e5m2fnuz))
