"""Elementary functions that one side writes out as a polynomial: approximated as closely as libraries are, they are no other function."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional

import halfulp
from halfulp import Verdict
from halfulp.cases import Case
from halfulp.noise.approximation import written_out

WIDTH = 48


def _numbers(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def erf(x: torch.Tensor) -> torch.Tensor:
    """Abramowitz and Stegun 7.1.26: off by 1.5e-7."""
    t = 1.0 / (1.0 + 0.3275911 * x.abs())
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return torch.sign(x) * (1.0 - series * torch.exp(-x * x))


def gelu(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))


def tanh(x: torch.Tensor) -> torch.Tensor:
    """A continued fraction of seven levels, cut off where it leaves 1: off by 1e-7 of the result."""
    x = x.clamp(-4.97, 4.97)
    square = x * x
    above = x * (135135.0 + square * (17325.0 + square * (378.0 + square)))
    return above / (135135.0 + square * (62370.0 + square * (3150.0 + square * 28.0)))


PAIRS = {
    "gelu": (lambda x, w: gelu(x) @ w, lambda x, w: functional.gelu(x) @ w),
    "two layers": (lambda x, w: gelu(gelu(x) @ w) @ w, lambda x, w: functional.gelu(functional.gelu(x) @ w) @ w),
    "beside a softmax": (
        lambda x, w: torch.softmax(gelu(x) @ w, -1),
        lambda x, w: torch.softmax(functional.gelu(x) @ w, -1),
    ),
    "tanh": (lambda x, w: tanh(x / 2) @ w, lambda x, w: torch.tanh(x / 2) @ w),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("seed", range(3))
def test_an_approximation_for_float32_is_rounding(name, seed):
    actual, expected = PAIRS[name]
    result = halfulp.check(actual, expected, (_numbers(32, WIDTH, seed=seed), _numbers(WIDTH, WIDTH, seed=9) / 7.0))
    assert result.verdict is Verdict.ROUNDING


def test_the_reason_names_the_function():
    result = halfulp.check(*PAIRS["gelu"], (_numbers(32, WIDTH), _numbers(WIDTH, WIDTH, seed=9) / 7.0))
    assert "erf" in result.reason
    assert halfulp.CheckResult.from_json(result.to_json()).reason == result.reason


def test_numpy_code_has_to_write_out_erf():
    weight = _numbers(WIDTH, WIDTH, seed=9) / 7.0
    matrix = weight.numpy().copy()

    def actual(x):
        x = np.asarray(x)
        z = np.abs(x / math.sqrt(2.0))
        t = 1.0 / (1.0 + 0.3275911 * z)
        series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
        return (0.5 * x * (1.0 + np.sign(x) * (1.0 - series * np.exp(-z * z)))) @ matrix

    assert halfulp.check(actual, lambda x: functional.gelu(x) @ weight, (_numbers(32, WIDTH),)).verdict is Verdict.ROUNDING


def test_digits_that_an_approximation_loses_near_zero_are_lost():
    assert halfulp.check(erf, torch.erf, (_numbers(32, WIDTH),)).verdict is Verdict.UNSTABLE


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_another_activation_is_none(dtype):
    x, w = _numbers(64, WIDTH).to(dtype), (_numbers(WIDTH, WIDTH, seed=9) / 7.0).to(dtype)
    result = halfulp.check(lambda x, w: functional.gelu(x, approximate="tanh") @ w, lambda x, w: functional.gelu(x) @ w, (x, w))
    assert result.verdict is Verdict.MISTAKE


SMALL_MISTAKES = {
    "another epsilon in a logarithm": (lambda x: torch.log(x.abs() + 2e-7), lambda x: torch.log(x.abs() + 1e-7)),
    "a scale before a softmax": (lambda x: torch.softmax(x * 1.000002, -1), lambda x: torch.softmax(x, -1)),
    "an epsilon of a norm": (
        lambda x: functional.gelu(functional.layer_norm(x, (WIDTH,), eps=1e-12)),
        lambda x: functional.gelu(functional.layer_norm(x, (WIDTH,), eps=1e-6)),
    ),
    "a constant of a polynomial": (
        lambda x: gelu(x) * 1.000002,
        lambda x: functional.gelu(x),
    ),
}


@pytest.mark.parametrize("name", SMALL_MISTAKES)
def test_a_small_mistake_beside_library_functions_is_still_one(name):
    actual, expected = SMALL_MISTAKES[name]
    assert halfulp.check(actual, expected, (_numbers(32, WIDTH),)).verdict is Verdict.MISTAKE


def exponential(x: torch.Tensor) -> torch.Tensor:
    """A polynomial of degree 6 between powers of two: off by 1.2e-7."""
    whole = torch.floor(x / math.log(2.0) + 0.5)
    rest = (x - whole * 0.693359375) + whole * 2.12194440e-4
    series = torch.full_like(rest, 1.0 / 720.0)
    for k in range(5, -1, -1):
        series = series * rest + 1.0 / math.factorial(k)
    return series * torch.exp2(whole)


def softmax(x: torch.Tensor) -> torch.Tensor:
    powers = exponential(x - x.amax(-1, keepdim=True))
    return powers / powers.sum(-1, keepdim=True)


def test_a_small_mistake_in_a_small_row_is_not_hidden_by_a_large_one():
    rows = torch.tensor([1e-4, 1.0])[:, None]

    def model(activation, bias):
        return lambda x, w: torch.stack([(activation(x) @ w)[0] + bias, (activation(x) @ w)[1]]) * rows

    inputs = (_numbers(2, WIDTH), _numbers(WIDTH, WIDTH, seed=9) / 7.0)
    assert halfulp.check(model(gelu, 0.0), model(functional.gelu, 0.0), inputs).verdict is Verdict.ROUNDING
    assert halfulp.check(model(gelu, 2e-5), model(functional.gelu, 0.0), inputs).verdict is Verdict.MISTAKE


def test_a_power_of_two_is_no_exponential():
    x, w = _numbers(32, WIDTH), _numbers(WIDTH, WIDTH, seed=9) / 7.0
    assert written_out(Case(lambda x, w: softmax(x @ w) @ w, lambda x, w: torch.softmax(x @ w, -1) @ w, (x, w))) == {"exp"}
    assert halfulp.check(lambda x, w: softmax(x @ w) @ w, lambda x, w: torch.softmax(x @ w, -1) @ w, (x, w)).verdict is Verdict.ROUNDING
    scaled = halfulp.check(lambda x, w: softmax(x @ w * 1.00001) @ w, lambda x, w: torch.softmax(x @ w, -1) @ w, (x, w))
    assert scaled.verdict is Verdict.MISTAKE


def test_numpy_code_that_names_a_function_has_it():
    weight = _numbers(WIDTH, WIDTH, seed=9) / 7.0
    matrix = weight.numpy().copy()

    def own(x):
        whole = np.rint(x / math.log(2.0))
        rest = (x - whole * 0.693359375) + whole * 2.12194440e-4
        series = np.full_like(rest, 1.0 / 720.0)
        for k in range(5, -1, -1):
            series = series * rest + 1.0 / math.factorial(k)
        return np.ldexp(series, whole.astype(np.int32))

    def written(x):
        return own(-np.square(np.asarray(x))) @ matrix

    def called(x):
        return (np.exp(-np.square(np.asarray(x))) * 1.0000002) @ matrix

    def expected(x):
        return torch.exp(-x.square()) @ weight

    assert written_out(Case(written, expected, (_numbers(32, WIDTH),))) == {"exp"}
    assert halfulp.check(written, expected, (_numbers(32, WIDTH),)).verdict is Verdict.ROUNDING
    assert written_out(Case(called, expected, (_numbers(32, WIDTH),))) == set()
    assert halfulp.check(called, expected, (_numbers(32, WIDTH),)).verdict is Verdict.MISTAKE


def test_a_power_is_made_of_other_functions():
    def frequencies(base):
        return lambda x: x * torch.sin(torch.arange(WIDTH, dtype=x.dtype) * base ** (-torch.arange(WIDTH, dtype=x.dtype) / WIDTH))

    case = Case(lambda x: x * torch.exp(x), lambda x: x * x.abs() ** 1.5, (_numbers(4, WIDTH),))
    assert written_out(case) == set()
    assert halfulp.check(frequencies(9999.0), frequencies(10000.0), (_numbers(4, WIDTH),)).verdict is Verdict.MISTAKE


def test_which_functions_one_side_writes_out():
    case = Case(*PAIRS["gelu"], (_numbers(4, WIDTH), _numbers(WIDTH, WIDTH, seed=9)))
    assert written_out(case) == {"erf"}
    same = Case(lambda x: torch.exp(x), lambda x: torch.softmax(x, -1), (_numbers(4, WIDTH),))
    assert not written_out(same)
