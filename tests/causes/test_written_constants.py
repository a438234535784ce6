"""Constants that people write, among all that can be fitted."""

import math

import pytest

from halfulp.causes.written_constants import constants_near, decimals_near


@pytest.mark.parametrize(
    ("value", "present", "lengths", "name"),
    [
        (0.12500003, 1.0, [64], "1/sqrt(64)"),
        (8.0000001, 64.0, [64], "sqrt(64)"),
        (64 / 63, 1.0, [64], "64/63"),
        (10 / math.log(10), 1.0, [], "10/log(10)"),
        (50 / math.sqrt(12), 50.0, [12], "50 times 1/sqrt(12)"),
        (math.pi, 3.0, [], "pi"),
        (1 / 1.2, 0.8, [], "1/1.2"),
    ],
)
def test_what_follows_from_sizes_and_mathematics_is_named(value, present, lengths, name):
    nearest, words = constants_near(value, present, lengths)[0]
    assert words == name and nearest == pytest.approx(value, rel=1e-6)


def test_few_are_tried_nearest_first():
    found = constants_near(1.01, 1.0, range(2, 200))
    assert 0 < len(found) <= 8
    assert [abs(constant - 1.01) for constant, _ in found] == sorted(abs(constant - 1.01) for constant, _ in found)


def test_nothing_is_near_an_odd_number():
    assert constants_near(2.02146, 1.0, [8]) == []


def test_decimals_are_tried_from_few_digits_to_four():
    assert decimals_near(0.0447149) == [0.04, 0.045, 0.0447, 0.04471]
    assert decimals_near(0.5) == [0.5]
