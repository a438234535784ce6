"""The same backend with two faults that are easy to write: it works in place, and it keeps the weights that it saw first."""

import copy

import numpy as np
from my_backend import Blocked


class Faulty(Blocked):
    name = "faulty"
    functions = {**Blocked.functions, "tanh": lambda x: np.tanh(x, out=x).copy()}

    def implement(self, target, **options):
        return super().implement(copy.deepcopy(target), **options)
