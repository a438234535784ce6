import dataclasses

import numpy as np
import pytest
import torch

from halfulp.cases import inputs as trees


def test_copies_own_their_memory_and_keep_strides():
    base = torch.arange(24.0).reshape(4, 6)
    given = (base.t(), {"part": base[1:, ::2]}, np.ones(3), 7, "text")
    copy = trees.copied(given)
    assert torch.equal(copy[0], base.t())
    assert copy[0].stride() == base.t().stride()
    assert copy[1]["part"].stride() == base[1:, ::2].stride()
    copy[0].zero_()
    copy[2][:] = 0
    assert base.sum() == 276
    assert given[2].sum() == 3
    assert copy[3:] == (7, "text")


def test_parts_of_one_storage_stay_parts_of_one():
    base = torch.arange(10.0)
    left, right = trees.copied((base[:6], base[4:]))
    left[5] = 100.0
    assert right[1] == 100.0
    assert base[5] == 5.0


def test_small_views_of_large_storages_sparse_and_conjugates():
    view = torch.zeros(100_000)[5:8]
    assert trees.copied(view).untyped_storage().nbytes() < 1000
    transposed = torch.zeros(1000, 1000)[:2, :3].t()
    assert trees.copied(transposed).shape == (3, 2)
    sparse = trees.copied(torch.eye(2).to_sparse())
    assert sparse.layout == torch.sparse_coo
    assert torch.equal(trees.copied(torch.tensor([1 + 1j]).conj()), torch.tensor([1 - 1j]))
    assert trees.copied(torch.ones(2, requires_grad=True)).requires_grad
    assert trees.copied(torch.empty(0, 3)).shape == (0, 3)
    expanded = trees.copied(torch.ones(1, 3).expand(4, 3))
    assert expanded.stride() == (0, 1)


def test_cast_changes_only_the_source_dtypes():
    given = (torch.ones(2), torch.ones(2, dtype=torch.int64), np.ones(2, dtype=np.float32), np.ones(2, dtype=np.int8))
    lifted = trees.cast(given, frozenset([torch.float32]), torch.float64)
    assert [str(each.dtype) for each in lifted] == ["torch.float64", "torch.int64", "float64", "int8"]


def test_small_integers_are_small_integers_and_repeatable():
    given = (torch.randn(3, 50).t(), np.random.default_rng(0).standard_normal(40), torch.arange(3))
    first, second = trees.as_small_integers(given, 3), trees.as_small_integers(given, 3)
    for values in (first[0].numpy(), first[1]):
        assert np.array_equal(values, np.rint(values))
        assert np.abs(values).max() <= 3
        assert len(np.unique(values)) == 7
    assert torch.equal(first[0], second[0])
    assert first[0].stride() == given[0].stride()
    assert torch.equal(first[2], given[2])


def test_moved_inputs_are_near_but_all_different():
    given = (torch.rand(1000) + 1, np.linspace(1, 2, 10), torch.arange(3), np.arange(3))
    moved = trees.moved_slightly(given, 0)
    relative = ((moved[0] - given[0]) / given[0]).abs()
    assert 2.0**-14 < relative.max() <= 2.0**-11.4
    assert (moved[0] != given[0]).float().mean() > 0.99
    assert torch.equal(moved[2], given[2])
    assert np.array_equal(moved[3], given[3])
    assert np.abs(moved[1] / given[1] - 1).max() <= 2.0**-11.4


@dataclasses.dataclass
class Batch:
    images: torch.Tensor
    labels: list


def test_dataclasses_and_generators_are_copied_too():
    batch, generator = Batch(torch.ones(2), [torch.zeros(1)]), torch.Generator().manual_seed(3)
    copy, other = trees.copied((batch, generator))
    copy.images.zero_()
    copy.labels[0] += 1
    assert torch.equal(torch.rand(2, generator=other), torch.rand(2, generator=generator))
    assert batch.images.sum() == 2
    assert batch.labels[0] == 0
    assert trees.filled_up((np.ones(2), torch.ones(1), torch.arange(2)), 0)[0].dtype == np.float64


def test_formats_that_occur():
    given = (torch.ones(1), torch.ones(1).half(), torch.arange(2), np.float64(1), torch.ones(1, dtype=torch.complex64))
    assert {float_format.name for float_format in trees.float_formats(given)} == {"float32", "float16", "float64"}


def test_device_moves_tensors_only():
    given = (torch.ones(1), np.ones(1))
    assert trees.on_device(given, None) is given
    assert trees.on_device(given, torch.device("cpu"))[0].device.type == "cpu"


@pytest.mark.parametrize("kind", [torch.tensor, np.array])
def test_labels_and_masks_stay_where_data_moves_or_is_scaled(kind):
    data, flags = kind([0.5, 1.0, -3.0]), kind([0.0, 1.0, 1.0])
    for change in (
        lambda given: trees.moved_slightly(given, 0, spare_flags=True),
        lambda given: trees.scaled(given, 8.0, spare_flags=True),
    ):
        moved, kept = change((data, flags))
        assert (kept == flags).all() and (moved != data).all()
    _, scaled = trees.scaled((data, flags), 8.0)
    assert (scaled == 8 * flags).all()
