"""What less precision would show is measured on the reference: known where one rounding is all there is."""

import math

import pytest
import torch

from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.trials.yardstick import in_words, yardsticks


class Root(torch.nn.Module):
    def forward(self, x):
        return torch.sqrt(x)


class Product(torch.nn.Module):
    def forward(self, x, y):
        return x @ y


def setting(*arguments):
    return Setting(arguments)


def test_one_op_in_bfloat16_is_off_by_two_roundings_of_it():
    x = 1 + torch.rand(4000)
    found = yardsticks(Root(), setting(x), None)
    # The root halves what rounding its operand did: sqrt(1 + 1/4) roundings of 2^-8 in units of one rounding of 2^-24, and an ulp is as
    # large at 1 as at 2, where the size is another: within a third.
    wanted = 2**16 * math.sqrt(1.25)
    assert found["bfloat16"] == pytest.approx(wanted, rel=0.35) and found["float16"] == pytest.approx(wanted / 8, rel=0.35)
    assert "tf32 products" not in found


def test_products_in_tf32_and_sums_in_16_bits_are_told_where_there_are_any():
    x, y = torch.randn(20, 300), torch.randn(300, 20)
    found = yardsticks(Product(), setting(x, y), None)
    assert set(found) == {"bfloat16", "float16", "tf32 products"} and 100 < found["tf32 products"] < found["bfloat16"]
    half = yardsticks(Product(), setting(x.half(), y.half()), None)
    assert set(half) == {"float16 sums"} and 5 < half["float16 sums"] < 500
    assert yardsticks(Root(), setting(torch.rand(50).half()), None) == {}
    assert in_words({"bfloat16": 29815.0, "float16": 3805.0, "tf32 products": 3485.0}) == (
        "In bfloat16 the reference itself would be off by 29,800 of these units, in float16 by 3,800 and with products in TF32 by 3,480."
    )
    assert in_words({"float16 sums": 648.2}) == "With sums in float16 the reference itself would be off by 648 of these units."
    assert in_words({}) == ""


def test_a_reference_that_can_not_be_watched_has_none():
    class Refuses(torch.nn.Module):
        def forward(self, x):
            if x.dtype == torch.float64:
                raise TypeError("float32 only")
            return x

    assert yardsticks(Refuses(), setting(torch.randn(5)), None) == {}
