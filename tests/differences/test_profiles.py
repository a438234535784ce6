import numpy as np
import pytest

from halfulp.differences import profile
from halfulp.errors import InputError


def test_one_channel_the_border_and_the_tail():
    reference = np.zeros((4, 35))
    actual = reference.copy()
    actual[2] = 1.0
    actual[:, 32:] += 3.0
    channels, columns = profile(actual, reference)
    assert channels.bias[2] - channels.bias[0] == pytest.approx(1.0)
    assert columns.tail_rms > 10 * columns.rms[:32].max() / 3
    assert columns.tail_rms == pytest.approx(np.sqrt(np.mean(actual[:, 32:] ** 2)))
    assert columns.border_rms == pytest.approx(np.sqrt(np.mean(actual[:, [0, 34]] ** 2)))
    assert channels.interior_rms == pytest.approx(np.sqrt(np.mean(actual[1:3] ** 2)))


def test_multiples_of_sixteen_have_no_tail_and_specials_count_as_equal():
    actual = np.zeros((16, 2))
    actual[3, 0] = np.nan
    found = profile(actual, np.zeros((16, 2)))
    assert found[0].tail_rms == 0.0
    assert found[0].rms.max() == 0.0
    assert profile(np.zeros((0, 2)), np.zeros((0, 2)))[1].bias.tolist() == [0.0, 0.0]


def test_needs_two_tensors_of_one_shape():
    with pytest.raises(InputError, match=r"Got shapes \[\(2,\)\] and \[\(3,\)\]. Needed: two tensors of the same shape"):
        profile(np.zeros(2), np.zeros(3))
