"""Unary functions of PyTorch: the vectorized body against the scalar tail. One element of a long tensor against the same element alone.

The body of a loop computes eight or sixteen elements at a time, the rest one by one, often by another formula. Both should have about the same error.
"""

import torch

from halfulp.cases.opinfo import op_infos

name = "vector-tails"
OTHER = ("nn.functional.rrelu", "nn.functional.prelu", "nn.functional.threshold", "fill", "frexp", "jiterator_unary")
"""They draw random numbers, take or return more than one, or run on CUDA alone."""
actual_name, expected_name = "in a long tensor", "element by element"


def subjects():
    from torch.testing._internal.opinfo.core import UnaryUfuncInfo

    return [info.name for info in op_infos() if isinstance(info, UnaryUfuncInfo) and not info.variant_test_name and info.name not in OTHER]


def cases(subject, seed):
    info = next(info for info in op_infos() if info.name == subject and not info.variant_test_name)
    draw = torch.Generator().manual_seed(seed)
    low, high = (info.domain[0], info.domain[1]) if info.domain else (None, None)
    for dtype in (torch.float32, torch.float64):
        if not info.supports_dtype(dtype, "cpu"):
            continue
        for scale in (1.0, 30.0, 1e-3):
            x = torch.randn(256, generator=draw, dtype=torch.float64) * scale
            x = (
                x.clamp(low if low is None else low + 1e-3, high if high is None else high - 1e-3)
                if low is not None or high is not None
                else x
            )
            x = x.to(dtype)

            def alone(values, op=info.op):
                return torch.stack([op(value.clone()) for value in values.unbind()])

            yield {"actual": info.op, "expected": alone, "inputs": (x,), "setting": f"{str(dtype).removeprefix('torch.')}, scale {scale:g}"}
