"""Complex inputs are moved, filled and replaced as real ones are: both parts."""

import numpy as np
import pytest
import torch

import halfulp
from halfulp.cases.inputs import as_small_integers, can_move, filled_up, moved_slightly, scaled
from halfulp.verdicts import Verdict

Z = torch.randn(8, 8, dtype=torch.complex128, generator=torch.Generator().manual_seed(0))
W = torch.randn(8, 8, dtype=torch.complex128, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("kind", [torch.complex64, torch.complex128])
@pytest.mark.parametrize("given", ["tensor", "array"])
def test_both_parts_move(kind, given):
    z = Z.to(kind) if given == "tensor" else Z.to(kind).numpy()
    (moved,) = moved_slightly((z,), 3)
    apart = np.abs(np.asarray(moved) - np.asarray(z)) / np.abs(np.asarray(z))
    assert moved.dtype == z.dtype and can_move((z,))
    assert (np.asarray(moved).real != np.asarray(z).real).all() and (np.asarray(moved).imag != np.asarray(z).imag).all()
    assert 0 < apart.max() <= 2**0.5 * 3.5e-4


def test_small_integers_and_scales_of_both_parts():
    (whole,) = as_small_integers((Z,), 0)
    assert torch.equal(torch.view_as_real(whole), torch.view_as_real(whole).round()) and whole.imag.abs().max() == 3.0
    assert torch.equal(scaled((Z,), 4.0)[0], Z * 4)
    (filled,) = filled_up((Z.to(torch.complex64).to(torch.complex128),), 0)
    assert (filled.imag != Z.to(torch.complex64).imag.double()).all()


def test_gradients_are_asked_of_moved_complex_inputs_as_before():
    (moved,) = moved_slightly((Z.clone().requires_grad_(),), 0)
    assert moved.requires_grad and moved.is_leaf


@pytest.mark.parametrize("factor", [1 + 1e-7, 1 + 1e-10])
def test_a_factor_next_to_one_in_complex128_is_a_mistake(factor):
    """It was UNSTABLE: no result moved with the inputs, because complex ones did not move."""
    result = halfulp.check(lambda z: (z @ W) * factor, lambda z: z @ W, (Z,))
    assert result.verdict is Verdict.MISTAKE, result.reason


def test_a_complex_product_made_of_three_real_ones_is_rounding():
    def by_three(z):
        a, b, c, d = z.real, z.imag, W.real, W.imag
        first, second = a @ c, b @ d
        return torch.complex(first - second, (a + b) @ (c + d) - first - second)

    assert halfulp.check(by_three, lambda z: z @ W, (Z,)).verdict is Verdict.ROUNDING
