"""How far rounding alone may move each output of a case."""

from ..differences.excess import Excess, Residual, RootMeanSquare, root_mean_square
from .analytic import BackwardError, backward_error
from .fourier import uses_transforms
from .gaussians import GaussianPool
from .noise import LeafNoise, Noise, gain_of, widened
from .noise_mode import NoiseMode
from .passes import DATA, OPS, STATE, run_under
from .residuals import residual_of, residual_of_leaf
from .sampling import noise_of, noise_of_inputs, noise_of_side
from .stored import StoredNoise, stored_noise

__all__ = [
    "DATA",
    "OPS",
    "STATE",
    "BackwardError",
    "Excess",
    "GaussianPool",
    "LeafNoise",
    "Noise",
    "NoiseMode",
    "Residual",
    "RootMeanSquare",
    "StoredNoise",
    "backward_error",
    "gain_of",
    "noise_of",
    "noise_of_inputs",
    "noise_of_side",
    "residual_of",
    "residual_of_leaf",
    "root_mean_square",
    "run_under",
    "stored_noise",
    "uses_transforms",
    "widened",
]
