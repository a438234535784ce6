"""Products of groups: what PyTorch has no float64 kernel for agrees with its own in float32."""

import pytest
import torch

import halfulp
from halfulp.cases import LIFTED, Case, Run
from halfulp.cases.lifted_ops import grouped_product
from halfulp.verdicts import Verdict

needs_op = pytest.mark.skipif(not hasattr(torch, "_grouped_mm"), reason="this PyTorch has no grouped product")
ENDS = torch.tensor([3, 3, 7, 8], dtype=torch.int32)


@needs_op
@pytest.mark.parametrize(
    ("first", "second"),
    [((8, 16), (4, 16, 24)), ((4, 16, 8), (8, 24)), ((16, 8), (8, 24)), ((4, 8, 16), (4, 16, 24))],
    ids=["rows", "columns", "summed", "stacks"],
)
def test_it_is_the_op_of_pytorch(first, second):
    generator = torch.Generator().manual_seed(0)
    left, right = torch.randn(first, generator=generator), torch.randn(second, generator=generator)
    offs = None if len(first) == len(second) == 3 else ENDS
    if first[0] == 4 and len(second) == 2:
        left, right = torch.randn(4, 16, 8, generator=generator), torch.randn(8, 8, generator=generator)
    try:
        known = torch._grouped_mm(left.bfloat16(), right.bfloat16(), offs=offs).double()
    except RuntimeError as error:
        pytest.skip(f"PyTorch's own refuses these shapes here: {str(error)[:80]}")
    own = grouped_product(left.bfloat16().double(), right.bfloat16().double(), offs)
    assert own.shape == known.shape
    assert (own - known).abs().max() <= 2.0**-8 * own.abs().max() + 1e-6


@needs_op
def test_a_mixture_of_experts_runs_in_float64_and_its_order_is_rounding():
    generator = torch.Generator().manual_seed(0)
    x, w = torch.randn(8, 16, generator=generator), torch.randn(4, 16, 24, generator=generator)

    def grouped(x):
        return torch._grouped_mm(x, w, offs=ENDS)

    def in_halves(x):
        return torch._grouped_mm(x[:, :8].contiguous(), w[:, :8].contiguous(), offs=ENDS) + torch._grouped_mm(
            x[:, 8:].contiguous(), w[:, 8:].contiguous(), offs=ENDS
        )

    try:
        grouped(x)
    except RuntimeError as error:
        pytest.skip(f"no float32 here: {str(error)[:80]}")
    assert isinstance(Case(in_halves, grouped, (x,)).run("actual", LIFTED), Run)
    assert halfulp.check(in_halves, grouped, (x,)).verdict in (Verdict.ROUNDING, Verdict.IDENTICAL)
    assert halfulp.check(lambda x: grouped(x) * 1.00001, grouped, (x,)).verdict is Verdict.MISTAKE
