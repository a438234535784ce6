from my_faulty_backend import Faulty

from halfulp.testing import check_backend


def test_faulty_keeps_the_laws():
    check_backend(Faulty(), ops=["linear", "relu", "tanh"])
