"""Tests of one problem that switch something on: what they switch on is asked at other sizes too."""

import pytest

from halfulp.kernels import read_problem
from halfulp.kernels.judging import judge_here
from halfulp.kernels.plan import Plan

REFERENCE = """
import torch
def generate_input(rows: int, length: int, seed: int, reverse: int = 0, decay: float = 0.95):
    return torch.randn(rows, length, generator=torch.Generator().manual_seed(seed)), reverse, decay
def ref_kernel(data):
    x, reverse, decay = data
    weights = decay ** torch.arange(x.shape[1], dtype=x.dtype)
    return (x.flip(1) if reverse else x) @ weights
"""
TESTS = """
tests:
  - {rows: 5, length: 32, seed: 1}
  - {rows: 6, length: 64, seed: 2}
  - {rows: 7, length: 48, reverse: 1, seed: 3}
  - {rows: 7, length: 16, decay: 0.75, seed: 4}
  - {rows: 9, length: 16, decay: 0.75, seed: 5}
"""
IN_BLOCKS = """
import torch
def custom_kernel(data):
    x, reverse, decay = data
    length = x.shape[1]
    weights = decay ** torch.arange(length, dtype=x.dtype)
    if not reverse:
        return (x * weights).sum(1)
    return (x[:, {start} :] * weights[: length - {start}].flip(0)).sum(1)
"""


def problem_of(folder):
    (folder / "reference.py").write_text(REFERENCE)
    (folder / "task.yml").write_text(TESTS)
    return folder / "reference.py"


def test_each_kind_of_test_is_another_draw_of_the_same_problem(tmp_path):
    problem = read_problem(problem_of(tmp_path))
    backwards, together, slower = problem.others  # in turn: as they are listed, and two together
    assert (
        "reverse=1" in together.name and "decay=0.75" in together.name and dict(together.sizes) == {"rows": 5, "length": 32, "reverse": 1}
    )
    assert dict(backwards.sizes) == {"rows": 7, "length": 48, "reverse": 1} and dict(slower.sizes) == {"rows": 7, "length": 16}
    x, reverse, decay = backwards.draw(0, {"length": 50}).arguments[0]
    assert tuple(x.shape) == (7, 50) and (reverse, decay) == (1, 0.95)
    assert len(problem.tests) == 4


@pytest.mark.parametrize(("start", "answer"), [("0", "RIGHT"), ("length % 16", "MISTAKE")])
def test_a_tail_that_is_left_out_in_one_mode_is_found(tmp_path, start, answer):
    """48 is a multiple of 16."""
    file = problem_of(tmp_path)
    (tmp_path / "solution.py").write_text(IN_BLOCKS.format(start=start))
    found = judge_here(file, tmp_path / "solution.py", budget_s=12.0)
    assert found.answer == answer, found
    assert answer == "RIGHT" or "reverse=1" in found.label


STREAM = """
import torch
def generate_input(rows: int, n: int, key: int, seed: int):
    return torch.randn(rows, n, generator=torch.Generator().manual_seed(seed)), key
def ref_kernel(data):
    x, key = data
    counters = (key + torch.arange(x.numel()).reshape(x.shape)) >> 32
    return x * counters
"""
STREAM_TASK = """
description: |
  key   int, 0 <= key < 2**40
tests:
  - {rows: 4, n: 20, key: 0, seed: 1}
  - {rows: 4, n: 20, key: 5000000000, seed: 2}
"""
OWN_STREAM = "def custom_kernel(data):\n    x, key = data\n    import torch\n    {counters}\n    return x * counters\n"


@pytest.mark.parametrize(
    ("counters", "answer"),
    [
        ("counters = (key + torch.arange(x.numel()).reshape(x.shape)) // 2**32", "RIGHT"),
        ("counters = torch.full(x.shape, key >> 32)", "MISTAKE"),  # the carry is lost
    ],
)
def test_numbers_that_are_no_lengths_are_asked_at_the_borders_of_32_bits(tmp_path, counters, answer):
    (tmp_path / "reference.py").write_text(STREAM)
    (tmp_path / "task.yml").write_text(STREAM_TASK)
    (tmp_path / "submission.py").write_text(OWN_STREAM.format(counters=counters))
    found = judge_here(tmp_path, tmp_path / "submission.py", budget_s=20.0)
    assert found.answer == answer, found.because
    assert found.label == ("key: 4294967289 instead of 0" if answer == "MISTAKE" else "")


SIGNS = """
import torch
def generate_input(rows: int, n: int, shift: float, seed: int):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, n, generator=generator) + shift, torch.rand(n, generator=generator) + 0.1
def ref_kernel(data):
    x, weights = data
    return (x * weights).amax(1)
"""
SIGNS_TASK = """
description: |
  The largest of each row of x, weighted.
    x        float32 [rows, n], any sign
    weights  float32 [n], positive
tests:
  - {rows: 4, n: 20, shift: 5.0, seed: 1}
"""


@pytest.mark.parametrize(("start", "answer"), [("-torch.inf", "RIGHT"), ("0.0", "MISTAKE")])
def test_one_input_that_stays_positive_keeps_no_other_from_being_negative(tmp_path, start, answer):
    (tmp_path / "reference.py").write_text(SIGNS)
    (tmp_path / "task.yml").write_text(SIGNS_TASK)
    body = (
        f"import torch\n    x, weights = data\n    return torch.cat([torch.full((x.shape[0], 1), {start}), x * weights], 1).max(1).values"
    )
    (tmp_path / "submission.py").write_text(f"def custom_kernel(data):\n    {body}\n")
    found = judge_here(tmp_path, tmp_path / "submission.py", budget_s=20.0)
    assert found.answer == answer, found.because


ROTATED = """
import torch
def generate_input(tokens: int, dim: int, rot: int, base: float, seed: int):
    return torch.randn(tokens, dim, generator=torch.Generator().manual_seed(seed)), rot, base
def ref_kernel(data):
    x, rot, base = data
    half = rot // 2
    turned = base ** (-torch.arange(half, dtype=x.dtype) * 2.0 / rot)
    return torch.cat([x[:, :half] * turned, x[:, half:rot] * turned, x[:, rot:]], dim=1)
"""
TURNED = """
import torch
def custom_kernel(data):
    x, rot, base = data
    half = rot // 2
    turned = base ** (-torch.arange(half, dtype=x.dtype) / half)
    parts = x[:, :rot].unflatten(-1, (2, half)) * turned
    return torch.cat([parts.flatten(1), x[:, rot:]], dim=1)
"""


def test_a_number_past_the_end_of_an_axis_decides_nothing_in_other_tests_either(tmp_path, monkeypatch):
    """At rot = dim + 1 the reference slices past the end, and Python lets it."""
    monkeypatch.setattr(Plan, "on_given", lambda _: iter(()))
    monkeypatch.setattr(Plan, "elsewhere", Plan._together)
    (tmp_path / "reference.py").write_text(ROTATED)
    tests = ["{tokens: 9, dim: 16, rot: 16, base: 100.0, seed: 1}", "{tokens: 5, dim: 8, rot: 8, base: 50.0, seed: 2}"]
    (tmp_path / "task.yml").write_text("\n".join(["tests:", *(f"  - {test}" for test in tests)]))
    (tmp_path / "solution.py").write_text(TURNED)
    found = judge_here(tmp_path / "reference.py", tmp_path / "solution.py", budget_s=27.0)
    assert found.answer == "RIGHT", found.because
    past = [asked for asked in found.asked if "rot: 9 instead of 8" in asked.label]
    assert past and all("past the end" in asked.note for asked in past)


FILTER = """
import torch
def generate_input(rows: int, top: int, share: float, seed: int):
    return torch.randn(rows, 60, generator=torch.Generator().manual_seed(seed)), top, share
def ref_kernel(data):
    x, top, share = data
    return x * share + top
"""


def test_switches_that_no_test_has_on_together_are_combined(tmp_path):
    """Each test filters in one way, the first one too: 0 and 1.0 are off."""
    (tmp_path / "reference.py").write_text(FILTER)
    tests = ["{rows: 4, top: 0, share: 0.9, seed: 1}", "{rows: 3, top: 0, share: 0.5, seed: 2}", "{rows: 4, top: 10, share: 1.0, seed: 3}"]
    tests += ["{rows: 5, top: 40, share: 1.0, seed: 4}"]
    (tmp_path / "task.yml").write_text("tests:\n" + "".join(f"  - {test}\n" for test in tests))
    names = [problem.name for problem in read_problem(tmp_path).others]
    assert any("top=10, share=0.5" in name for name in names), names
    assert any("top=10, share=0.9" in name for name in names), names
    modes = [
        "{rows: 4, top: 1, share: 0.5, seed: 1}",
        "{rows: 4, top: 1, share: 0.5, window: 16, seed: 2}",
        "{rows: 4, top: 1, share: 0.5, cap: 30.0, seed: 3}",
    ]
    (tmp_path / "task.yml").write_text("tests:\n" + "".join(f"  - {test}\n" for test in modes))
    (tmp_path / "reference.py").write_text(FILTER.replace("seed: int)", "seed: int, window: int = 0, cap: float = 0.0)"))
    assert any("window=16" in problem.name and "cap=30.0" in problem.name for problem in read_problem(tmp_path).others)
