import pytest
import torch
from torch.nn import functional as F

from halfulp.cases.precision_modes import Retyping, lifted_dtypes
from halfulp.floats import FORMATS

WEIGHT = torch.tensor([1.0, 2.0, 3.0])


def lift(function, *inputs, declared="float32"):
    mode = Retyping(lifted_dtypes(FORMATS[declared]), torch.float64)
    with mode:
        return function(*inputs), mode.overridden


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.float() + 1,
        lambda x: x.to(torch.float32) * 2,
        lambda x: x.type(torch.float32),
        lambda x: x.type("torch.FloatTensor"),
        lambda x: x + torch.zeros(3, dtype=torch.float32),
        lambda x: torch.ones(3) * x,
        lambda x: x.type_as(WEIGHT),
        lambda x: x * WEIGHT,
        lambda x: torch.tensor([0.1, 0.2, 0.3], dtype=torch.float32) + x * 0,
        lambda x: x.new_tensor([1.0, 2.0, 3.0], dtype=torch.float32),
        lambda x: torch.empty_like(x, dtype=torch.float32).copy_(x),
        lambda x: F.linear(x, torch.eye(3)),
        lambda x: x.sum(dtype=torch.float32).expand(3),
    ],
)
def test_float32_inside_becomes_float64(function):
    result, _ = lift(function, torch.rand(3, dtype=torch.float64))
    assert result.dtype == torch.float64


def test_constants_keep_float64_precision():
    result, _ = lift(lambda x: torch.tensor(0.1) * x, torch.ones((), dtype=torch.float64))
    assert result.item() == 0.1


def test_what_was_overridden_is_named():
    _, overridden = lift(lambda x: x.float() * WEIGHT, torch.ones(3, dtype=torch.float64))
    assert {"float", "mul"} <= overridden


def test_casts_below_the_declared_precision_stay():
    result, _ = lift(lambda x: x.to(torch.bfloat16).to(torch.float32), torch.tensor([1.001], dtype=torch.float64))
    assert result.item() == 1.0
    allowed, _ = lift(lambda x: x.to(torch.bfloat16), torch.tensor([1.001], dtype=torch.float64), declared="bfloat16")
    assert allowed.dtype == torch.float64


def test_in_place_changes_of_captured_tensors_last_and_do_not_leak():
    total = torch.zeros(2)

    def accumulate(x):
        total.add_(x)
        total.mul_(2)
        return total * 1

    result, _ = lift(accumulate, torch.ones(2, dtype=torch.float64))
    assert result.tolist() == [2.0, 2.0]
    assert total.tolist() == [0.0, 0.0]


def test_complex_and_default_dtype():
    result, _ = lift(lambda x: torch.fft.fft(x.float()), torch.ones(4, dtype=torch.float64))
    assert result.dtype == torch.complex128
    with pytest.raises(ZeroDivisionError):
        lift(lambda x: 1 / 0, torch.ones(1))
    assert torch.get_default_dtype() == torch.float32


def test_gradients_reach_lifted_tensors():
    def derivative(x):
        x = x.detach().clone().requires_grad_()
        return torch.autograd.grad((x.float() ** 3).sum(), x)[0]

    result, _ = lift(derivative, torch.tensor([2.0], dtype=torch.float64))
    assert result.item() == 12.0
