"""Inputs that are views with a sign or a conjugation of their own: every run gets their numbers, in every precision."""

import pytest
import torch

from halfulp.cases import Case
from halfulp.cases.inputs import copied


@pytest.mark.parametrize("view", [lambda z: z.conj().imag, lambda z: z.conj().imag.T, lambda z: z.conj().imag[::2], lambda z: z.imag])
def test_a_negated_view_keeps_its_sign(view):
    z = torch.randn(4, 4, dtype=torch.complex64)
    given = view(z)
    (found,) = copied((given,))
    assert torch.equal(found, given) and not found.is_neg() and torch.equal(view(z), given)
    found.zero_()
    assert given.any()


def test_both_precisions_get_the_same_numbers():
    given = torch.randn(3, 3, dtype=torch.complex64).conj().imag
    case = Case(lambda x: x * 2, lambda x: x + x, (given,))
    assert torch.equal(torch.from_numpy(case.native("expected").outputs[0].float64()), given.double() * 2)
    run = case.run("expected")
    from halfulp.cases import Variant

    lifted = case.run("expected", Variant(case.finest))
    assert (
        torch.equal(torch.from_numpy(lifted.outputs[0].float64()), given.double() * 2) and run.outputs[0].shape == lifted.outputs[0].shape
    )
