import numpy as np
import pytest
import torch

from halfulp.inputs import EXOTIC, KINDS, variants


def by_label(inputs, seed=0):
    return {variant.label: variant for variant in variants(inputs, seed)}


def test_inputs_stay_what_they_are_and_the_seed_decides():
    x, i = torch.randn(3, 5), torch.arange(6)
    before = x.clone(), i.clone()
    first, second = list(variants((x, i))), list(variants((x, i)))
    assert torch.equal(x, before[0])
    assert torch.equal(i, before[1])
    assert len({each.label for each in first}) == len(first) > 30
    for one, other in zip(first, second, strict=True):
        assert one.kind in KINDS
        for left, right in zip(one.inputs, other.inputs, strict=True):
            assert torch.equal(torch.nan_to_num(left), torch.nan_to_num(right))
    assert all(each.kind in EXOTIC for each in first[-3:])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_each_variant_is_what_its_label_says(dtype):
    x = torch.randn(4, 6).to(dtype)
    found = {label: each.inputs[0] for label, each in by_label((x,)).items()}
    assert all(each.dtype == dtype for each in found.values())
    assert (found["all numbers negative"] <= 0).all()
    assert (found["all numbers positive"] >= 0).all()
    assert found["a large mean"].float().mean() > 50
    assert found["some NaNs"].isnan().any()
    assert found["some NaNs"].isnan().sum() < 24
    assert found["some infinities"].isposinf().any()
    assert not found["not contiguous"].is_contiguous()
    assert torch.equal(found["not contiguous"], x)
    assert found["at an offset in memory"].storage_offset() == 1
    assert torch.equal(found["at an offset in memory"], x)
    assert found["all numbers zero"].eq(0).all()
    assert found["sums that cancel"].double().sum().abs() < x.double().abs().sum()
    tiny = torch.finfo(dtype).tiny
    assert (found["subnormal numbers"].abs().double() < tiny).double().mean() > 0.9


def test_sizes_change_consistently():
    x, w, b = torch.randn(3, 17), torch.randn(17, 8), torch.randn(8)
    found = by_label((x, w, b))
    assert [tuple(tensor.shape) for tensor in found["axes of length 17 extended to 18"].inputs] == [(3, 18), (18, 8), (8,)]
    assert [tuple(tensor.shape) for tensor in found["axes of length 8 cut to 7"].inputs] == [(3, 17), (17, 7), (7,)]
    assert {
        "axes of length 17 cut to 16",
        "axes of length 17 extended to 32",
        "axes of length 17 extended to 33",
        "axes of length 17 cut to 1",
    } <= set(found)
    assert found["axes of length 3 cut to 0"].kind == "empty"
    assert not torch.isclose(found["axes of length 17 extended to 18"].inputs[0][:, 17:], x).any()  # no exact ties


def test_integers_arrays_containers_and_zero_states():
    state = (torch.zeros(2, 3), {"h": np.zeros(4, np.float32)})
    found = by_label((torch.tensor([0, 1, 2, 3]), state))
    assert found["duplicated indices"].inputs[0].unique().numel() < 4
    assert found["zeros replaced by nonzero numbers"].inputs[1][0].abs().sum() > 0
    assert np.abs(found["zeros replaced by nonzero numbers"].inputs[1][1]["h"]).sum() > 0
    assert found["stored channels-last"].inputs if "stored channels-last" in found else True
    image = by_label((torch.randn(2, 3, 4, 5, requires_grad=True),))["stored channels-last"].inputs[0]
    assert image.is_contiguous(memory_format=torch.channels_last)
    assert image.requires_grad
    assert list(variants((3, "text"))) == []


def test_integers_and_flags_reach_the_ends_of_what_they_may_be():
    ids, quantities, counts, flags = (
        torch.arange(6),
        torch.arange(-4, 4, dtype=torch.int8),
        torch.arange(8, dtype=torch.uint8),
        torch.rand(4, 6) > 0.3,
    )
    found = by_label((ids, quantities, counts, flags))
    assert torch.equal(found["integers a thousand times larger"].inputs[0], 1000 * ids)
    assert torch.equal(found["integers a thousand times larger"].inputs[1], quantities)
    assert found["all integers the same"].inputs[0].tolist() == [5] * 6
    whole = [value.inputs for label, value in found.items() if label == "integers over the whole range of their type"][0]
    assert whole[1].min() < 0 and whole[1].dtype is torch.int8 and whole[2].max() > 8 and torch.equal(whole[0], ids)
    assert found["the largest integers of their type"].inputs[1].tolist() == [127] * 8
    off = found["a row of flags that are all off"].inputs[3]
    assert not off[0].any() and torch.equal(off[1:], flags[1:])
    assert found["all flags on"].inputs[3].all()
    assert {variant.kind for label, variant in found.items() if "integers" in label or "flags" in label} == {"integers"}
    large = torch.tensor([2**62, 1])
    assert "integers a thousand times larger" not in by_label((large,))
    arrays = by_label((np.arange(4, dtype=np.int8), np.array([[True, False]])))
    assert arrays["the largest integers of their type"].inputs[0].tolist() == [127] * 4
    assert not arrays["a row of flags that are all off"].inputs[1].any()
