import numpy as np
import pytest
import torch

from halfulp.errors import InputError
from halfulp.floats import FORMATS, format_named

TORCH = {name: getattr(torch, name) for name in FORMATS if hasattr(torch, name)}


@pytest.mark.parametrize("name", TORCH)
def test_agrees_with_torch_finfo(name):
    ours, theirs = FORMATS[name], torch.finfo(TORCH[name])
    assert ours.unit_roundoff * 2 == theirs.eps
    assert ours.max_finite == theirs.max
    assert ours.min_normal == theirs.tiny
    assert ours.min_subnormal == theirs.tiny * theirs.eps
    assert ours.storage_bits == theirs.bits


def test_tf32_is_float32_with_a_short_significand():
    tf32, float32 = FORMATS["tf32"], FORMATS["float32"]
    assert (tf32.exponent_min, tf32.exponent_max) == (float32.exponent_min, float32.exponent_max)
    assert tf32.unit_roundoff == 2.0**-11


@pytest.mark.parametrize("name", ["float32", torch.float32, np.float32, np.dtype("float32"), "float", FORMATS["float32"], "torch.float32"])
def test_format_named_takes_what_users_have(name):
    assert format_named(name) is FORMATS["float32"]


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(InputError, match="Got the precision 'int8'. Needed: one of float64, float32, tf32"):
        format_named("int8")


def test_prints_as_its_name():
    assert str(FORMATS["bfloat16"]) == "bfloat16"
