"""A backend by hand: NumPy, with products added in blocks of 16 terms."""

import numpy as np
import torch

from halfulp import Availability
from halfulp.errors import Unsupported


def linear(x, weight, bias):
    return sum((x[..., k : k + 16] @ weight[:, k : k + 16].T for k in range(0, x.shape[-1], 16)), start=bias)


class Blocked:
    name = "blocked"
    functions = {"linear": linear, "relu": lambda x: np.maximum(x, 0), "tanh": np.tanh}

    def availability(self):
        return Availability("here", np.__version__)

    def fingerprint(self):
        return {"numpy": np.__version__, "block": "16"}

    def knobs(self):
        return ()

    def implement(self, target, **options):
        op = getattr(target, "op_name", "")
        if op not in self.functions or options:
            raise Unsupported(f"Got {op or target}{options or ''}. Needed: one of {', '.join(self.functions)}, without options.")

        def run(*activations):
            tensors = [torch.as_tensor(each).detach().cpu() for each in (*activations, *target.weights)]
            if tensors[0].dtype not in (torch.float32, torch.float64):
                raise Unsupported(f"Got {tensors[0].dtype}. Needed: float32 or float64.")
            result = self.functions[op](*map(np.asarray, tensors), **target.attributes)
            return torch.as_tensor(result, device=activations[0].device) if torch.is_tensor(activations[0]) else result

        return run
