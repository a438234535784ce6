"""Formats: how texts name the formats of numbers, and mark those of inputs, "must support fp16 and bf16"."""

from __future__ import annotations

import re

import torch

PLAIN_FLOAT = re.compile(r"\bfloat\b(?=,? (?:and|or|&)|,|/)|(?:,|/|\band|\bor) float\b", re.IGNORECASE)
"""The C name of float32, in a list of formats."""
KINDS = {
    "float64": torch.float64, "double": torch.float64, "fp64": torch.float64, "f64": torch.float64,
    "float32": torch.float32, "fp32": torch.float32, "f32": torch.float32, "single": torch.float32,
    "float16": torch.float16, "half": torch.float16, "fp16": torch.float16, "f16": torch.float16,
    "bfloat16": torch.bfloat16, "bf16": torch.bfloat16,
}  # fmt: skip
ONE_KIND = rf"\b(?:{'|'.join(KINDS)})\b"
ANY_KIND = re.compile(ONE_KIND, re.IGNORECASE)
SEVERAL_KINDS = re.compile(rf"{ONE_KIND}(?:\s*[,/]\s*{ONE_KIND})*\s*(?:,?\s*\bor\b|/|,)\s*(?:in )?{ONE_KIND}", re.IGNORECASE)
"""Several formats in a list."""
SUPPORTS = re.compile(
    r"\b(?:supports?|supported|works?|accepts?|accepted|handles?|handled|tested (?:with|on|in|for)|inputs?|tensors|d?types?|runs? (?:in"
    r"|on|with|for)|both|either|formats?|covers?)\b",
    re.IGNORECASE,
)
"""Marks what is said of the formats of inputs."""
COMPUTED = re.compile(
    r"\b(?:accumulat\w+|comput\w+|arithmetic|internally|cast\w*|converted|upcast\w*|stored|produced by|kept in|reference|tolerance\w*"
    r"|intermediate\w*|master)\b",
    re.IGNORECASE,
)
"""Marks what is said of the formats that a kernel computes in."""
