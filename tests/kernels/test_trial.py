"""How close a result has to be to be taken for right at once."""

import numpy as np
import pytest

from halfulp.cases import OutOfTime
from halfulp.floats import BFLOAT16, FLOAT16, FLOAT32, FLOAT64
from halfulp.kernels.judging import judge_here
from halfulp.kernels.trials import trial
from halfulp.kernels.trials.looks import unit
from halfulp.verdicts.checker import judged


@pytest.mark.parametrize("form", [FLOAT32, BFLOAT16, FLOAT64])
def test_subnormal_numbers_may_be_taken_for_zero_where_devices_do_so(form):
    smallest = 2.0**form.exponent_min
    assert unit(np.array([smallest / 8, 0.0]), form).tolist() == [smallest] * 2
    assert unit(np.array([1.0, -3.0]), form).tolist() == [form.unit_roundoff, 3 * form.unit_roundoff]


def test_small_numbers_of_float16_are_numbers():
    """Probabilities of a softmax over 100,000 classes are subnormal there: zeros are wrong."""
    assert unit(np.array([1e-5]), FLOAT16)[0] == pytest.approx(1e-5 * FLOAT16.unit_roundoff)


SUMS = """
import torch
import torch.nn as nn
class {name}(nn.Module):
    def forward(self, x):
        return {body}
def get_inputs():
    return [torch.randn(20, 50)]
def get_init_inputs():
    return []
"""


def test_a_run_that_would_end_too_late_is_no_answer(tmp_path, monkeypatch):
    """The given inputs are answered in any case; after them, no run of the reference begins whose time is over."""
    (tmp_path / "problem.py").write_text(SUMS.format(name="Model", body="x.sum(-1)"))
    (tmp_path / "solution.py").write_text(SUMS.format(name="ModelNew", body="x @ torch.ones(50) * (1 + 1e-4 * (x.shape[0] == 21))"))
    begun = []

    def judged_late(gatherer):
        begun.append(gatherer)
        if len(begun) > 1:
            raise OutOfTime
        return judged(gatherer)

    monkeypatch.setattr(trial, "judged", judged_late)
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py")
    assert found.acceptable and len(begun) > 1
    assert {entry.note for entry in found.asked if entry.answer == "no answer"} >= {"the time was up"}


@pytest.mark.parametrize(("share", "answer"), [(3e-7, "RIGHT"), (1e-4, "MISTAKE")])
def test_on_a_gpu_errors_may_lean_to_one_side_as_far_as_rounding_goes(tmp_path, monkeypatch, share, answer):
    """The exponentials of a GPU do. The rule is looked at on the processor, for a solution that can't be run in float64, as kernels can't."""
    body = f"torch.exp2({{4: x}}[x.element_size()] * 1.4426950408889634) * (1 + {share})"
    (tmp_path / "problem.py").write_text(SUMS.format(name="Model", body="torch.exp(x)"))
    (tmp_path / "solution.py").write_text(SUMS.format(name="ModelNew", body=body))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py")
    assert found.answer == "MISTAKE" and found.check is not None and found.check.because[0] in ("redraw", "gain")
    monkeypatch.setattr(trial, "CUDA", "")
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py")
    assert found.answer == answer and "too large" not in (found.because if answer == "RIGHT" else "")


DROPPED = "torch.nn.functional.dropout(x, training=True)"  # the same of float32 and float64, if the seed is


@pytest.mark.parametrize(
    ("body", "other", "answer"), [(DROPPED, "2 * x * (torch.rand_like(x) > 0.5)", "UNDECIDED"), ("x.sin()", "x.cos()", "MISTAKE")]
)
def test_one_run_of_a_random_reference_shows_nothing(tmp_path, monkeypatch, body, other, answer):
    """Without time for a judgement, a gross error is one: unless a second call of the reference is as far from the first."""
    monkeypatch.setattr(trial, "judged", out_of_time)
    (tmp_path / "problem.py").write_text(SUMS.format(name="Model", body=body))
    (tmp_path / "solution.py").write_text(SUMS.format(name="ModelNew", body=other))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py")
    assert found.answer == answer, found


def out_of_time(_gatherer):
    raise OutOfTime
