"""Functions from complex to real numbers and back, one side of them in NumPy, whose ops nobody sees: an answer, and no warning."""

import numpy as np
import pytest
import torch

import halfulp
from halfulp import Verdict


def drawn(*shape, dtype=torch.complex64):
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(0))


FUNCTIONS = {
    "abs": (torch.abs, np.abs, (drawn(48),)),
    "square of abs": (lambda z: z.abs() ** 2, lambda z: np.abs(z) ** 2, (drawn(48),)),
    "angle": (torch.angle, np.angle, (drawn(48),)),
    "real": (lambda z: z.real * 3.1, lambda z: z.real * np.float32(3.1), (drawn(6, 8),)),
    "view_as_real": (lambda z: torch.view_as_real(z) * 3.1, lambda z: np.stack([z.real, z.imag], -1) * np.float32(3.1), (drawn(48),)),
    "pairs": (lambda x: x[..., 0] * 0.3 + 1j * x[..., 1], lambda x: x[..., 0] * np.float32(0.3) + 1j * x[..., 1], (drawn(48, 2, dtype=torch.float32),)),
    "polar": (torch.polar, lambda r, a: (r * np.exp(1j * a)).astype(np.complex64), (drawn(48, dtype=torch.float32).abs(), drawn(48, dtype=torch.float32))),
    "rfft": (torch.fft.rfft, np.fft.rfft, (drawn(4, 64, dtype=torch.float32),)),
    "irfft": (torch.fft.irfft, np.fft.irfft, (drawn(4, 33),)),
    "exp": (torch.exp, np.exp, (drawn(48),)),
    "norm": (lambda z: z.abs().square().sum(-1).sqrt(), lambda z: np.linalg.norm(z, axis=-1), (drawn(8, 16),)),
    "product": (lambda a, b: a @ b, lambda a, b: a @ b, (drawn(8, 16), drawn(16, 4))),
}  # fmt: skip


def in_numpy(function):
    return lambda *inputs: torch.as_tensor(np.array(function(*(value.numpy() for value in inputs))))


@pytest.mark.parametrize("wrong", [False, True], ids=("right", "wrong"))
@pytest.mark.parametrize("swapped", [False, True], ids=("NumPy is actual", "NumPy is expected"))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_complex_and_real_numbers_are_compared(name, swapped, wrong):
    in_torch, function, inputs = FUNCTIONS[name]
    sides = [in_numpy(function), in_torch]
    if swapped:
        sides.reverse()
    actual = (lambda *values, right=sides[0]: right(*values) * 1.001) if wrong else sides[0]
    found = halfulp.check(actual, sides[1], inputs)
    assert (found.verdict is Verdict.MISTAKE) if wrong else found.acceptable, halfulp.report(found)


class Rotated(torch.nn.Module):
    def __init__(self, turns):
        super().__init__()
        self.register_buffer("turns", turns)

    def forward(self, z):
        return z * self.turns


@pytest.mark.parametrize(("factor", "acceptable"), [(1.0, True), (1.0 + 1e-3, False), (1.0 + 1e-3j, False)], ids=str)
def test_complex_numbers_that_are_stored_twice_may_differ_by_their_rounding(factor, acceptable):
    """One side stores rotations computed in float32, the other the rounded ones: each rounds the parts of its own numbers."""
    angles = torch.arange(64, dtype=torch.float32) * 0.37
    coarse = torch.polar(torch.ones(64), angles)
    fine = (torch.polar(torch.ones(64, dtype=torch.float64), angles.double()) * factor).to(torch.complex64)
    found = halfulp.check(Rotated(coarse), Rotated(fine), (drawn(5, 64),))
    assert found.acceptable is acceptable, halfulp.report(found)


def test_the_imaginary_parts_of_stored_numbers_count():
    """The real parts are those of the other side, bit for bit: only the imaginary parts are stored with other roundings."""
    turns = torch.polar(torch.ones(64), torch.arange(64, dtype=torch.float32) * 0.37)
    other = torch.complex(turns.real, torch.nextafter(turns.imag, torch.tensor(2.0)))
    found = halfulp.check(Rotated(turns), Rotated(other), (drawn(5, 64),))
    assert found.acceptable, halfulp.report(found)
