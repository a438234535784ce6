from my_backend import Blocked

from halfulp.testing import check_backend


def test_blocked_keeps_the_laws():
    found = check_backend(Blocked())
    assert "softmax" in found.left_out  # what it says it lacks
