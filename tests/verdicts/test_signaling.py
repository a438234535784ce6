"""Memory that nobody wrote may hold signaling NaN: no part of halfulp stumbles over them (warnings are errors in this suite)."""

import numpy as np
import pytest
import torch
from torch import nn

import halfulp
from halfulp.floats import FORMATS, ulp_distance, ulp_error, widen

DTYPES = {
    torch.float32: (torch.int32, 0x7FA00001),
    torch.float16: (torch.int16, 0x7D01),
    torch.bfloat16: (torch.int16, 0x7FA1),
    torch.float64: (torch.int64, 0x7FF4000000000001),
}


def signaling(dtype, *shape):
    """Numbers, every third a signaling NaN."""
    integer, bits = DTYPES[dtype]
    values = torch.linspace(0.5, 2.0, int(np.prod(shape)), dtype=torch.float32).to(dtype)
    values.view(integer)[::3] = bits
    return values.reshape(shape)


@pytest.mark.parametrize("dtype", DTYPES)
def test_outputs(dtype):
    x = torch.linspace(0.5, 2.0, 12, dtype=torch.float32).to(dtype).reshape(3, 4)
    one_side = halfulp.check(lambda x: signaling(dtype, 3, 4), lambda x: x * 1, (x,))
    assert one_side.verdict.name in ("MISTAKE", "NONDETERMINISTIC", "UNSTABLE")
    assert halfulp.check(lambda x: signaling(dtype, 3, 4), lambda x: signaling(dtype, 3, 4), (x,)).verdict.name == "IDENTICAL"


@pytest.mark.parametrize("dtype", DTYPES)
def test_inputs_and_weights(dtype):
    model = nn.Linear(4, 5).to(dtype)
    with torch.no_grad():
        model.weight.copy_(signaling(dtype, 5, 4))
    for x in (signaling(dtype, 3, 4), torch.ones(3, 4, dtype=dtype)):
        assert halfulp.check(lambda x: model(x), model, (x,)).verdict.name in ("IDENTICAL", "UNDECIDED")  # where all is NaN nothing is told


@pytest.mark.parametrize("dtype", DTYPES)
def test_comparing(dtype):
    found = halfulp.compare(signaling(dtype, 3, 4), torch.ones(3, 4, dtype=dtype))
    (difference,) = found.differences
    assert difference.special_mismatches == 4  # every third of twelve
    (difference,) = halfulp.compare(signaling(dtype, 3, 4).double(), signaling(dtype, 3, 4)).differences
    assert (difference.unequal, difference.special_mismatches) == (0, 0)


def test_numbers():
    values = np.array([0x7FA00001, 0x3F800000], np.uint32).view(np.float32)
    assert np.isnan(widen(values)).tolist() == [True, False]
    assert ulp_distance(values, values, FORMATS["float32"])[1] == 0
    assert np.isnan(ulp_error(values, values, FORMATS["float32"]))[0]


def test_locating_and_explaining():
    model = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))

    class Unwritten(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, x):
            hidden = self.model[1](self.model[0](x))
            with torch.no_grad():
                hidden[1:] = signaling(torch.float32, *hidden[1:].shape)
            return self.model[2](hidden)

    x = torch.linspace(-1, 1, 12).reshape(3, 4)
    assert halfulp.locate(Unwritten(), model, (x,)).acceptable is False
    halfulp.explain(Unwritten(), model, (x,))
