"""Growth of errors: the laws of summation, and what is refused."""

import numpy as np
import pytest
import torch

import halfulp
from halfulp import Verdict, growth
from halfulp.errors import InputError

SIZES = (16, 64, 256, 1024, 4096)


def positive(seed, size=512):
    return (torch.rand(64, size, generator=torch.Generator().manual_seed(seed)),)


def sequential(x):
    return torch.from_numpy(np.add.accumulate(x.numpy(), axis=1)[:, -1].copy())


def total(x):
    return x.sum(1)


def test_a_sum_one_by_one_grows_as_the_law_says():
    """Higham, Accuracy and Stability, 4.2: positive numbers added one by one err by about u n^(1/2) of their sum, pairwise sums hardly at all."""
    found = growth(sequential, total, positive, SIZES, seeds=(0, 1))
    slope = found.slope("actual")
    assert slope.low < 0.5 < slope.high or abs(slope.exponent - 0.5) < 0.1
    assert found.slope("expected").exponent < 0.2
    assert found.worst.acceptable and len(found.points) == 2 * len(SIZES)
    assert all(point.actual_error <= point.noise * point.limit for point in found.points)


def test_a_mistake_does_not_grow_and_is_one():
    found = growth(lambda x: total(x) * (1 + 1e-3), total, positive, SIZES)
    assert found.worst is Verdict.MISTAKE and found.exit_code == 1
    assert abs(found.slope("actual").exponent) < 0.05


def test_default_sizes_lie_around_the_default_of_inputs():
    found = growth(total, total, positive)
    assert [point.size for point in found.points] == [8, 16, 32, 64, 128, 256, 512, 1024]
    assert found.worst is Verdict.IDENTICAL and found.slope("difference") is None


def test_bad_inputs_are_refused():
    with pytest.raises(InputError, match="without a parameter `size`"):
        growth(total, total, lambda seed: positive(seed))
    with pytest.raises(InputError, match="no default for `size`"):
        growth(total, total, lambda seed, size: positive(seed, size))
    with pytest.raises(InputError, match="without a parameter `size`"):
        growth(total, total, lambda seed: positive(seed), (8, 16))
    for sizes in ((), (0, 8), (-1,)):
        with pytest.raises(InputError, match="Got sizes"):
            growth(total, total, positive, sizes)
    with pytest.raises(InputError, match="Got no seeds"):
        growth(total, total, positive, (8,), seeds=())


def test_a_size_that_fails_loses_no_other(tmp_path):
    def only_even(seed, *, size=64):
        if size > 16:
            raise ValueError("too large")
        return positive(seed, size)

    found = growth(total, total, only_even, np.array([8, 16, 32]))
    assert [point.size for point in found.points] == [8, 16] and not found.complete
    assert "ValueError from inputs(0, size=32)" in found.stopped and "too large" in halfulp.report(found)
    assert halfulp.documents.restored("growth", __import__("json").loads(found.to_json())) == found
    with pytest.raises(InputError, match="ValueError from inputs"):
        growth(total, total, only_even, (32, 64))


def test_errors_where_rounding_makes_none_are_infinite():
    zero = growth(lambda x: x * 0 + 1e-3, lambda x: x * 0, positive, (8, 16))
    assert all(point.actual_error == np.inf for point in zero.points) and not zero.worst.acceptable
    assert "infinite" in halfulp.report(zero) and zero.share(zero.points[0]) == np.inf
    halfulp.report(zero, form="html")


def test_one_infinite_element_hides_no_error():
    def spoiled(x):
        y = total(x)
        y[0] = torch.inf
        return y

    found = growth(lambda x: spoiled(x) * 1.001, spoiled, positive, (8, 16))
    assert all(1e3 < point.actual_error < 1e5 for point in found.points) and found.worst is Verdict.MISTAKE


def test_other_shapes_are_a_mistake_and_no_crash():
    found = growth(lambda x: x.sum(1), lambda x: x.sum(), positive, (8, 16))
    assert found.worst is Verdict.MISTAKE and len(found.points) == 2


def test_nothing_is_no_verdict():
    def stops(seed, size=64):
        raise KeyboardInterrupt

    found = growth(total, total, stops, (8,))
    assert found.points == () and found.worst is Verdict.UNDECIDED and found.exit_code == 3


def test_the_interval_covers_what_it_says():
    """Student's t with one degree of freedom is 12.7 at 95 %: three points."""
    from halfulp.sweeps.growth_sweep import _fitted

    random = np.random.default_rng(0)
    for count in (3, 4, 6):
        sizes = np.log(2.0 ** np.arange(4, 4 + count))
        covered = 0
        for _ in range(2000):
            slope = _fitted("actual", np.stack([sizes, 0.5 * sizes + random.standard_normal(count)], 1))
            covered += slope.low <= 0.5 <= slope.high
        assert covered / 2000 > 0.935  # 0.95 less three standard deviations of 2,000 draws


def test_an_interruption_keeps_what_was_done():
    def stops(seed, size=64):
        if size > 32:
            raise KeyboardInterrupt
        return positive(seed, size)

    found = growth(total, total, stops, (16, 32, 64, 128))
    assert [point.size for point in found.points] == [16, 32] and not found.complete
    assert "missing: the run was interrupted" in halfulp.report(found, form="answer")


def test_the_report_has_every_size():
    found = growth(sequential, total, positive, (16, 64, 256))
    text = halfulp.report(found)
    assert all(f"\n{size} " in text for size in ("16", "64", "256")) and "error of actual grows as size^" in text
