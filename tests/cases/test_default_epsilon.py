"""An epsilon that PyTorch takes from the dtype stays that of the dtype as written when the function runs in float64."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from halfulp import Verdict, check
from halfulp.ops.defaults import rms_norm_epsilon


def written(x, weight=None, *, eps):
    y = x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + eps).to(x.dtype)
    return y if weight is None else y * weight


@pytest.mark.parametrize("scale", [1.0, 0.01, 1e-4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_the_default_epsilon_is_that_of_the_dtype_as_written(dtype, scale):
    torch.manual_seed(0)
    x = (scale * torch.randn(64, 256)).to(dtype)
    eps = rms_norm_epsilon(dtype)
    assert check(lambda x: written(x, eps=eps), lambda x: F.rms_norm(x, (256,)), (x,)).acceptable
    norm = nn.RMSNorm(256).to(dtype)
    assert check(lambda x: written(x, norm.weight, eps=eps), norm, (x,)).acceptable


def test_another_epsilon_is_still_a_mistake():
    torch.manual_seed(0)
    x = 0.01 * torch.randn(64, 256)
    found = check(lambda x: written(x, eps=1e-6), nn.RMSNorm(256), (x,))
    assert found.verdict is Verdict.MISTAKE
    assert found.find("noise").measured["rms_in_noise"] > 1000  # beside noise that is not blown up by another epsilon


def test_float64_keeps_its_own():
    x = 1e-6 * torch.randn(8, 64, dtype=torch.float64)
    own = torch.finfo(torch.float64).eps

    def exact(x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + own)

    assert check(exact, lambda x: F.rms_norm(x, (64,)), (x,)).acceptable


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
def test_it_is_what_pytorch_adds(dtype):
    size = 2.0**-10 if dtype is not torch.float64 else 2.0**-24
    found = F.rms_norm(torch.full((1, 8), size, dtype=dtype), (8,))[0, 0].item()
    assert size**2 * (1 / found**2 - 1) == pytest.approx(rms_norm_epsilon(dtype), rel=0.05)
