"""Formats that are named: what reproduces the error, and could hardly do so by chance."""

import torch

from halfulp import Verdict, check


def test_a_single_number_names_no_format():
    """One of some sixty guesses comes close to one number by chance: a median against a quantile was called float8 storage."""
    torch.manual_seed(0)
    logits, target = torch.randn(8, 5), torch.randint(0, 5, (8,))
    for smoothing in (0.05, 0.1, 0.2, 0.3):
        result = check(
            lambda logits, smoothing=smoothing: torch.nn.functional.cross_entropy(logits, target, label_smoothing=smoothing),
            lambda logits: torch.nn.functional.cross_entropy(logits, target),
            (logits,),
        )
        assert result.verdict is Verdict.MISTAKE
