"""Inputs in floats of 8 bits: PyTorch stores them and computes nothing with them."""

import pytest
import torch

import halfulp
from halfulp.inputs import variants
from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.calls import equal, is_real

REFERENCE = """
import torch
def generate_input(rows: int, n: int, seed: int):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, n, generator=generator).to(torch.float8_e4m3fn)
    return x, torch.rand(rows, generator=generator) + 0.5
def ref_kernel(data):
    x, scales = data
    return x.float() * scales[:, None]
"""
TASK = "description: |\n  Decodes rows of x by their scales.\ntests:\n  - {rows: 4, n: 20, seed: 1}\n  - {rows: 3, n: 33, seed: 2}\n"
SOLUTION = """
import torch
def custom_kernel(data):
    x, scales = data
    code = x.contiguous().view(torch.uint8).to(torch.int32)
    sign, exponent, digits = code >> 7, (code >> 3) & 15, (code & 7).float()
    normal = torch.ldexp(1 + digits / 8, exponent - 7)
    number = torch.where(exponent > 0, normal, {small})
    number = torch.where((code & 127) == 127, torch.nan, number)
    return torch.where(sign == 1, -number, number) * scales[:, None]
"""


@pytest.mark.parametrize(("small", "answer"), [("digits / 512", "RIGHT"), ("digits * 0", "MISTAKE")])
def test_codes_of_8_bits_are_decoded(tmp_path, small, answer):
    """The wrong one takes subnormal numbers, below 1/64, for zero."""
    (tmp_path / "reference.py").write_text(REFERENCE)
    (tmp_path / "task.yml").write_text(TASK)
    (tmp_path / "submission.py").write_text(SOLUTION.format(small=small))
    found = judge_here(tmp_path, tmp_path / "submission.py", budget_s=20.0)
    assert found.answer == answer, halfulp.report(found)
    assert sum(asked.answer == "right" for asked in found.asked) > 20 or answer == "MISTAKE"


@pytest.mark.parametrize("kind", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_variants_of_8_bits_stay_in_their_format(kind):
    x = torch.randn(4, 10).to(kind)
    found = list(variants((x,)))
    assert {"values", "layout"} <= {variant.kind for variant in found}
    for variant in found:
        assert variant.inputs[0].dtype is kind
        if variant.kind == "values":
            assert bool(torch.isfinite(variant.inputs[0].float()).all()), variant.label


def test_tensors_of_8_bits_are_compared_and_are_no_numbers():
    x = torch.tensor([1.0, float("nan")]).to(torch.float8_e4m3fn)
    assert not is_real(x) and is_real(x.float())
    assert equal(x, x.clone()) and not equal(x, torch.zeros_like(x)) and not equal(x, x[:1])
