"""Convolutions by Fourier transforms are honest: their errors are small in norm, go along with each other, and are large at the borders."""

import pytest
import torch

import halfulp

KERNELS = {
    "normal": lambda: torch.randn(65),
    "a decay": lambda: torch.exp(-torch.arange(200) / 40.0),
    "positive": lambda: torch.rand(100),
    "short": lambda: torch.rand(33),
}


def transformed(x, kernel):
    length = x.shape[-1] + kernel.shape[-1] - 1
    return torch.fft.irfft(torch.fft.rfft(x, length) * torch.fft.rfft(kernel, length), length)


def direct(x, kernel):
    return torch.nn.functional.conv1d(x[:, None], kernel.flip(-1)[None, None], padding=kernel.shape[-1] - 1)[:, 0]


@pytest.mark.parametrize("name", KERNELS)
def test_an_honest_convolution_by_transforms_is_accepted(name):
    for seed in range(12):
        torch.manual_seed(seed)
        x, kernel = torch.randn(2, 400), KERNELS[name]()
        assert halfulp.check(transformed, direct, (x, kernel)).verdict.name == "ROUNDING", seed


@pytest.mark.parametrize("name", KERNELS)
def test_one_that_wraps_around_or_is_scaled_is_not(name):
    torch.manual_seed(0)
    x, kernel = torch.randn(2, 400), KERNELS[name]()

    def wrapped(x, kernel):
        length = x.shape[-1] + kernel.shape[-1] - 1
        return torch.fft.irfft(torch.fft.rfft(x, length - 1) * torch.fft.rfft(kernel, length - 1), length)

    assert halfulp.check(wrapped, direct, (x, kernel)).acceptable is False
    assert halfulp.check(lambda x, kernel: transformed(x, kernel) * 1.00001, direct, (x, kernel)).acceptable is False
    narrow = lambda x, kernel: transformed(x.half().float(), kernel)
    assert halfulp.check(narrow, direct, (x, kernel)).acceptable is False
