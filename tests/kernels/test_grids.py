"""Numbers on a grid, whose comparisons are exact: coarser ones end in ties, and a solution that decides those otherwise is wrong."""

import pytest
import torch

from halfulp.kernels.judging import judge_here
from halfulp.kernels.plan import Plan
from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.promises.grids import coarser, on_grid_of, step_of
from halfulp.kernels.promises.promises import ON_A_GRID, WHOLE, Promises


@pytest.mark.parametrize("bits", range(13))
def test_the_step_of_a_grid_is_found_and_whole_numbers_have_none(bits):
    numbers = torch.randint(-5000, 5000, (100,), generator=torch.Generator().manual_seed(bits)).float()
    numbers[0] = 1.0
    assert step_of(torch.ldexp(numbers, torch.tensor(-bits))) == bits
    assert step_of(torch.randn(100, generator=torch.Generator().manual_seed(bits))) is None


@pytest.mark.parametrize("bits", [1, 2, 5])
def test_coarser_numbers_are_multiples_and_no_larger(bits):
    numbers = torch.randn(7, 30, generator=torch.Generator().manual_seed(bits)) * 4
    found = coarser(numbers, bits)
    assert bool((torch.ldexp(found, torch.tensor(bits)) % 1 == 0).all())
    assert bool((found.abs() <= numbers.abs()).all()) and bool(((found - numbers).abs() < 2.0**-bits).all())


@pytest.mark.parametrize("length", [1, 2, 7, 50])
def test_rows_that_sum_to_one_still_do(length):
    counts = torch.rand(40, length, generator=torch.Generator().manual_seed(length)).mul(100).round() + 1
    whole = counts * (4096 // counts.sum(-1, keepdim=True))
    whole[:, 0] += 4096 - whole.sum(-1)
    rows = whole / 4096
    found = coarser(rows, 2)
    assert bool((found >= 0).all()) and bool((found.sum(-1) == 1).all()) and step_of(found) in (0, 1, 2)
    again = on_grid_of(torch.softmax(torch.randn(40, length), -1), rows)
    assert bool((again.sum(-1) == 1).all()) and bool((torch.ldexp(again, torch.tensor(12)) % 1 == 0).all())


def test_whole_numbers_are_no_grid():
    promised = Promises(
        [Setting((torch.randint(0, 9, (8, 8), generator=torch.Generator().manual_seed(seed)).float(),)) for seed in range(3)]
    )
    names = {promise.name for promise in promised.of[0]}
    assert WHOLE in names and ON_A_GRID not in names and not promised.on_a_grid


ACCEPT = """
import torch
def generate_input(rows: int, size: int, seed: int):
    generator = torch.Generator().manual_seed(seed)
    draw = lambda: torch.randint(1, 4096, (rows, size), generator=generator) / 4096
    return draw(), draw(), draw()
def {name}(data):
    u, q, p = data
    return (u * q {sign} p).long()
"""
SAYS = """
description: |
  An element is accepted iff u * q < p (strictly). All numbers are multiples of 2**-12 in [0, 1), so that each comparison is exact.
tests:
  - {rows: 6, size: 20, seed: 1}
"""


@pytest.mark.parametrize(("sign", "answer"), [("<", "RIGHT"), ("<=", "MISTAKE")])
def test_exact_comparisons_are_asked_where_they_end_in_ties(tmp_path, sign, answer, monkeypatch):
    monkeypatch.setattr(Plan, "leading", lambda _: iter(()))  # equal numbers, which show it too
    (tmp_path / "reference.py").write_text(ACCEPT.format(name="ref_kernel", sign="<"))
    (tmp_path / "task.yml").write_text(SAYS)
    (tmp_path / "solution.py").write_text(ACCEPT.format(name="custom_kernel", sign=sign))
    found = judge_here(tmp_path / "reference.py", tmp_path / "solution.py", budget_s=10.0)
    assert found.answer == answer, found
    assert answer == "RIGHT" or "multiples of 0.25" in found.label or "smaller" in found.label  # on the grid as well
