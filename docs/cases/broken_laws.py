from my_faulty_backend import Faulty

from halfulp.testing import check_backend

try:
    check_backend(Faulty(), ops=["linear", "relu", "tanh"])
except AssertionError as error:
    print(error)
