import json

import numpy as np
import pytest
import torch

import halfulp
from halfulp.errors import InputError
from halfulp.remedies.suggestion import _rounded_up


def reordered(a, b, generator):
    """The product with its sums added in a random order, in blocks of a random size."""
    order = torch.randperm(a.shape[1], generator=generator)
    size = int(torch.randint(1, a.shape[1] + 1, (), generator=generator))
    total = torch.zeros(a.shape[0], b.shape[1])
    for block in order.split(size):
        total = total + a[:, block] @ b[block]
    return total


def test_a_derived_tolerance_holds_for_reorderings_and_is_no_carte_blanche():
    """All of 10,000 trials: `python -m benchmarks.tolerances`."""
    a, b = torch.randn(6, 120), torch.randn(120, 5)
    found = halfulp.tolerance(torch.matmul, (a, b))
    exact = a.double() @ b.double()
    generator = torch.Generator().manual_seed(3)
    largest = 0.0
    for _ in range(300):
        result = reordered(a, b, generator)
        torch.testing.assert_close(result, a @ b, rtol=found.rtol, atol=found.atol)
        largest = max(largest, float((result.double() - exact).abs().max()))
    assert float(found.tensors[0].scale.max()) <= 10.0 * largest * np.sqrt(2.0) * 1.5
    wrong = a @ b
    wrong[0, 0] += 1e-4
    with pytest.raises(AssertionError):
        torch.testing.assert_close(wrong, a @ b, rtol=found.rtol, atol=found.atol)


def test_the_line_covers_the_elementwise_scale():
    found = halfulp.tolerance(lambda x: (torch.softmax(x, -1), x.sum(-1)), (torch.randn(8, 50),))
    for tensor, output in zip(found.tensors, (torch.softmax(torch.zeros(8, 50), -1), torch.zeros(8)), strict=True):
        assert tensor.scale.shape == tuple(output.shape)
        assert tensor.rtol <= found.rtol
        assert tensor.atol <= found.atol
    assert f"rtol={found.rtol:g}" in found.line
    assert [each.path for each in found.tensors] == ["[0]", "[1]"]


def test_tolerance_grows_with_precision_length_and_certainty():
    x = torch.rand(4, 400)
    base = halfulp.tolerance(lambda x: x.sum(-1), (x,))
    coarse = halfulp.tolerance(lambda x: x.sum(-1), (x.bfloat16(),))
    assert (
        2.0**11 < coarse.rtol / base.rtol < 2.0**16
    )  # sums of bfloat16 are accumulated in float32: only the result is rounded 2**16 times coarser
    longer = halfulp.tolerance(lambda x: x.sum(-1), (torch.rand(4, 40_000),))
    assert 5 < longer.rtol / base.rtol < 20  # a chain: the root of 100
    surer = halfulp.tolerance(lambda x: x.sum(-1), (x,), failure_probability=1e-9)
    assert surer.rtol > base.rtol


def test_several_draws_and_json():
    found = halfulp.tolerance(torch.exp, lambda seed: (torch.full((3,), float(seed)),), draws=3)
    content = json.loads(found.to_json())
    assert content["line"] == found.line
    assert content["declared"] == "float32"
    assert found.line in str(found)


def test_numbers_are_rounded_up_to_two_digits():
    for value, rounded in ((1.01e-6, 1.1e-6), (1.1e-6, 1.1e-6), (9.91e-7, 1e-6), (0.0, 0.0), (123.0, 130.0)):
        assert _rounded_up(value) == pytest.approx(rounded, rel=1e-12)


def test_what_has_no_tolerance():
    with pytest.raises(InputError, match="Got failure_probability=2"):
        halfulp.tolerance(torch.exp, (torch.ones(1),), failure_probability=2)
    with pytest.raises(InputError, match="without floating-point outputs"):
        halfulp.tolerance(lambda x: x.argmax(), (torch.ones(3),))


def test_two_functions_are_one_too_many():
    with pytest.raises(halfulp.InputError, match=r"tolerance\(function, inputs\)"):
        halfulp.tolerance(torch.exp, torch.exp, lambda seed: (torch.ones(2),))


def test_a_function_of_a_seed_that_fails_is_said():
    with pytest.raises(halfulp.RunError, match=r"Got ZeroDivisionError from inputs\(0\)"):
        halfulp.tolerance(torch.exp, lambda seed: 1 / 0)


def test_what_elements_of_each_size_need_lies_below_the_line():
    """The points of the picture: one for each eighth of a decade, none above what the tolerance allows, the largest among them."""

    def inputs(seed):
        generator = torch.Generator().manual_seed(seed)
        return torch.randn(16, 128, generator=generator), torch.randn(128, 32, generator=generator)

    (tensor,) = halfulp.tolerance(torch.matmul, inputs).tensors
    sizes = [need.size for need in tensor.needs]
    assert sizes == sorted(sizes)
    bins = [np.floor(8 * np.log10(size)) for size in sizes]
    assert len(set(bins)) == len(bins)
    assert all(need.reach <= tensor.atol + tensor.rtol * need.size for need in tensor.needs)
    assert max(need.reach for need in tensor.needs) == tensor.scale.max()


@pytest.mark.parametrize("function", [torch.zeros_like, lambda x: x.masked_fill(x < 10, 0.0), lambda x: x.sum()])
def test_zeros_and_single_elements_have_few_points(function):
    (tensor,) = halfulp.tolerance(function, (torch.rand(8),)).tensors
    assert len(tensor.needs) <= 1
