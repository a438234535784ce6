"""What a reference makes on its way may be far larger than its inputs."""

import pytest
import torch

from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.questions.footprint import LARGEST_INSIDE, is_large_inside


class Pairs(torch.nn.Module):
    def forward(self, x):
        return (x @ x.mT).logsumexp(-1)


class Steps(torch.nn.Module):
    def forward(self, x):
        total = x[0]
        for row in x:
            total = total + row
        return total


class Reads(torch.nn.Module):
    def forward(self, x):
        return x * x.sum().item()


@pytest.mark.parametrize(
    ("target", "rows", "is_large"),
    [
        (Pairs(), 100, False),
        (Pairs(), 1 << 13, False),
        (Pairs(), (1 << 13) + 1, True),
        (Steps(), 1 << 16, False),
        (Reads(), 1 << 15, False),
    ],
)
def test_products_of_all_pairs_are_large_before_they_are_made(target, rows, is_large):
    with torch.device("meta"):
        setting = Setting((torch.empty(rows, 4),), ())
    assert is_large_inside(target, setting) is is_large
    assert LARGEST_INSIDE == (1 << 13) ** 2


def test_what_is_expanded_takes_no_memory():
    class Expanded(torch.nn.Module):
        def forward(self, x):
            return x.expand(1 << 30, -1).sum(0)

    with torch.device("meta"):
        assert not is_large_inside(Expanded(), Setting((torch.empty(1, 4),), ()))
