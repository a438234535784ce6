"""Probability distributions of PyTorch and JAX against SciPy's, in float64.

All three compute in float64, so that a formula which is wrong, coarse or cancels on one side shows. SciPy is no truth: of what differs, look at both.
Needed beside halfulp: `pip install scipy`; JAX's distributions are left out where JAX is not installed.
"""

import importlib

import numpy as np
import scipy.stats
import torch

name = "distributions"
packages = ["scipy", "jax"]
actual_name, expected_name = "the package", "SciPy"

NUMBERS = 64

POSITIVE, SHARE, LINE, COUNT = (0.05, 30.0), (0.001, 0.999), (-8.0, 8.0), (0, 40)
"""Ranges that arguments are drawn from: positive ones by their logarithm, counts as whole numbers."""

JAX = {
    "beta": (SHARE, POSITIVE, POSITIVE), "cauchy": (LINE,), "chi2": (POSITIVE, POSITIVE), "expon": (POSITIVE,), "gamma": (POSITIVE, POSITIVE),
    "gennorm": (LINE, POSITIVE), "gumbel_l": (LINE,), "gumbel_r": (LINE,), "laplace": (LINE,), "logistic": (LINE,), "norm": (LINE,),
    "pareto": ((1.01, 30.0), POSITIVE), "t": (LINE, POSITIVE), "uniform": (SHARE,), "vonmises": ((-3.0, 3.0), POSITIVE), "wrapcauchy": ((0.01, 6.2), SHARE),
    "truncnorm": ((-1.9, 2.9), (-4.0, -2.0), (3.0, 6.0)),
    "bernoulli": ((0, 1), SHARE), "betabinom": (COUNT, (40, 60), POSITIVE, POSITIVE), "binom": (COUNT, (40, 60), SHARE), "geom": ((1, 40), SHARE),
    "nbinom": (COUNT, (1, 40), SHARE), "poisson": (COUNT, POSITIVE),
}  # fmt: skip
"""Of `jax.scipy.stats`, by SciPy's names: where the point is drawn, and where each parameter."""
FUNCTIONS = ("logpdf", "pdf", "logpmf", "pmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "entropy")

PYTORCH = {
    "Beta": ("beta", SHARE, (POSITIVE, POSITIVE), lambda a, b: (a, b)),
    "Cauchy": ("cauchy", LINE, (LINE, POSITIVE), lambda m, s: (m, s)),
    "Chi2": ("chi2", POSITIVE, (POSITIVE,), lambda k: (k,)),
    "Exponential": ("expon", POSITIVE, (POSITIVE,), lambda r: (0.0, 1.0 / r)),
    "FisherSnedecor": ("f", POSITIVE, (POSITIVE, POSITIVE), lambda a, b: (a, b)),
    "Gamma": ("gamma", POSITIVE, (POSITIVE, POSITIVE), lambda a, r: (a, 0.0, 1.0 / r)),
    "Gumbel": ("gumbel_r", LINE, (LINE, POSITIVE), lambda m, s: (m, s)),
    "HalfCauchy": ("halfcauchy", POSITIVE, (POSITIVE,), lambda s: (0.0, s)),
    "HalfNormal": ("halfnorm", POSITIVE, (POSITIVE,), lambda s: (0.0, s)),
    "InverseGamma": ("invgamma", POSITIVE, (POSITIVE, POSITIVE), lambda a, b: (a, 0.0, b)),
    "Laplace": ("laplace", LINE, (LINE, POSITIVE), lambda m, s: (m, s)),
    "LogNormal": ("lognorm", POSITIVE, ((-3.0, 3.0), (0.05, 3.0)), lambda m, s: (s, 0.0, np.exp(m))),
    "Normal": ("norm", LINE, (LINE, POSITIVE), lambda m, s: (m, s)),
    "StudentT": ("t", LINE, (POSITIVE,), lambda k: (k,)),
    "Uniform": ("uniform", SHARE, ((-3.0, 0.0), (1.0, 4.0)), lambda a, b: (a, b - a)),
    "VonMises": ("vonmises", (-3.0, 3.0), ((-3.0, 3.0), POSITIVE), lambda m, k: (k, m)),
    "Weibull": ("weibull_min", POSITIVE, (POSITIVE, (0.3, 8.0)), lambda s, k: (k, 0.0, s)),
    "Bernoulli": ("bernoulli", (0, 1), (SHARE,), lambda p: (p,)),
    "Geometric": ("geom", COUNT, (SHARE,), lambda p: (p, -1)),
    "Poisson": ("poisson", COUNT, (POSITIVE,), lambda r: (r,)),
}  # fmt: skip
"""Of `torch.distributions`: SciPy's name, where the point is drawn, where each parameter, and SciPy's parameters from PyTorch's."""
METHODS = {
    "log_prob": ("logpdf", "logpmf"),
    "cdf": ("cdf",),
    "icdf": ("ppf",),
    "entropy": ("entropy",),
    "mean": ("mean",),
    "variance": ("var",),
}
"""PyTorch's methods, and SciPy's."""
OTHERWISE = {
    "VonMises.mean", "VonMises.variance",  # of angles: SciPy's are of numbers, by integration
    "StudentT.mean", "FisherSnedecor.mean", "FisherSnedecor.variance", "Cauchy.mean", "Cauchy.variance",  # NaN or infinite where there is none
    "Poisson.entropy", "InverseGamma.icdf",  # raise NotImplementedError
}  # fmt: skip
"""What is defined otherwise than SciPy's, or not at all."""
OF_A_SHARE = ("icdf", "ppf", "isf")
OF_NO_POINT = ("entropy", "mean", "variance")


def subjects():
    return [
        *(f"pytorch.{distribution}.{method}" for distribution in PYTORCH for method in METHODS if scipys(distribution, method)),
        *(f"jax.{distribution}.{function}" for distribution in JAX for function in FUNCTIONS if of_jax(distribution, function)),
    ]


def scipys(distribution, method):
    """SciPy's function for a method of PyTorch's; None where either has none."""
    place = getattr(scipy.stats, PYTORCH[distribution][0])
    own = getattr(torch.distributions, distribution)
    missing = torch.distributions.Distribution
    if getattr(own, method) is getattr(missing, method) or f"{distribution}.{method}" in OTHERWISE:
        return None
    return next((getattr(place, known) for known in METHODS[method] if hasattr(place, known)), None)


def of_jax(distribution, function):
    try:
        importlib.import_module("jax").config.update("jax_enable_x64", True)
        place = importlib.import_module(f"jax.scipy.stats.{distribution}")
    except ImportError:
        return None
    return getattr(place, function, None)


def cases(subject, seed):
    package, distribution, function = subject.split(".")
    generator = np.random.default_rng(seed)
    if package == "jax":
        point, *parameters = JAX[distribution]
        op, exact = of_jax(distribution, function), getattr(getattr(scipy.stats, distribution), function)
        actual, expected = in_numpy(op), in_numpy(exact)
        call = {
            "actual": f"jax.scipy.stats.{distribution}.{function}", "taken": "numpy",
            "expected": f"scipy.stats.{distribution}.{function}", "given": "numpy",
        }  # fmt: skip
    else:
        _, point, parameters, translated = PYTORCH[distribution]
        kind, exact = getattr(torch.distributions, distribution), scipys(distribution, function)

        def actual(*inputs):
            given = inputs if function in OF_NO_POINT else inputs[1:]
            made = kind(*given, validate_args=False)
            value = getattr(made, function)
            return value if isinstance(value, torch.Tensor) else value(*inputs[: len(inputs) - len(given)])

        def expected(*inputs):
            arrays = [value.numpy() for value in inputs]
            given = arrays if function in OF_NO_POINT else arrays[1:]
            return torch.as_tensor(np.array(exact(*arrays[: len(arrays) - len(given)], *translated(*given))))

        names = ", ".join("abc"[: len(parameters)])
        made = f"torch.distributions.{distribution}({names}, validate_args=False).{function}"
        is_property = function in ("mean", "variance")
        call = {
            "actual": f"(lambda {names}: {made}{'' if is_property else '()'})"
            if function in OF_NO_POINT
            else f"(lambda x, {names}: {made}(x))"
        }
    drawn = [SHARE if function in OF_A_SHARE else point, *parameters]
    if function in OF_NO_POINT:
        drawn = drawn[1:]
    yield {"actual": actual, "expected": expected, "inputs": tuple(numbers(generator, *ends) for ends in drawn), "call": call}


def numbers(generator, low, high):
    if isinstance(low, int):
        return torch.tensor(generator.integers(low, high + 1, NUMBERS), dtype=torch.float64)
    if low > 0 and high > 1:
        return torch.tensor(np.exp(generator.uniform(np.log(low), np.log(high), NUMBERS)))
    return torch.tensor(generator.uniform(low, high, NUMBERS))


def in_numpy(function):
    def call(*inputs):
        return torch.as_tensor(np.array(function(*(value.numpy() for value in inputs))))

    return call
