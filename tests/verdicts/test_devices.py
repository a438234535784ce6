"""Both sides on different devices. Without a CUDA device these are skipped, and the summary of the run says so."""

import pytest
import torch
from torch import nn

from halfulp import Verdict, check

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")]
A, W = torch.randn(64, 512, generator=torch.Generator().manual_seed(0)), torch.randn(512, 96, generator=torch.Generator().manual_seed(1))


def on_cuda(a, w):
    return a.cuda() @ w.cuda()


@pytest.fixture
def tf32():
    before = torch.backends.cuda.matmul.allow_tf32
    yield lambda allowed: setattr(torch.backends.cuda.matmul, "allow_tf32", allowed)
    torch.backends.cuda.matmul.allow_tf32 = before


def test_cuda_against_cpu_is_rounding(tf32):
    tf32(False)
    assert check(on_cuda, torch.matmul, (A, W)).verdict is Verdict.ROUNDING


def test_tf32_is_named(tf32):
    tf32(True)
    result = check(on_cuda, torch.matmul, (A, W))
    assert result.verdict is Verdict.REDUCED_PRECISION, result
    assert "tf32" in result.reason
    assert check(on_cuda, torch.matmul, (A, W), declared="tf32").acceptable


def test_expected_may_live_on_cuda(tf32):
    tf32(False)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(512, 64), nn.GELU(), nn.Linear(64, 8))
    copy = nn.Sequential(nn.Linear(512, 64), nn.GELU(), nn.Linear(64, 8))
    copy.load_state_dict(net.state_dict())
    assert check(net, copy.cuda(), (A,)).acceptable
    assert check(copy, net, (A,)).acceptable
