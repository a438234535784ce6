"""Special functions of PyTorch, SciPy and JAX, and elementary functions of complex numbers in PyTorch, NumPy and JAX, against mpmath.

In float32 and float64. A formula that is wrong, or a series that ends too early, is as wrong in float64: only another implementation shows it.
mpmath computes with 30 digits.
Needed beside halfulp: `pip install mpmath scipy`; JAX's functions are left out where JAX is not installed.
"""

import functools
import importlib
import math

import mpmath
import numpy as np
import torch

name = "special-functions"
packages = ["mpmath", "scipy", "jax"]
actual_name, expected_name = "the package", "mpmath"

NUMBERS = 48
"""Of each argument: drawn between the ends of its range, by their logarithm where it is positive."""

LIBRARIES = {
    "pytorch": ("torch.special", "torch", "torch.nn.functional"),
    "scipy": ("scipy.special",),
    "jax": ("jax.scipy.special", "jax.numpy", "jax.nn"),
    "numpy": ("numpy",),
}
ALIASES = {
    "bessel_j0": "j0", "bessel_j1": "j1", "bessel_y0": "y0", "bessel_y1": "y1", "modified_bessel_i0": "i0", "modified_bessel_i1": "i1",
    "modified_bessel_k0": "k0", "modified_bessel_k1": "k1", "scaled_modified_bessel_k0": "k0e", "scaled_modified_bessel_k1": "k1e",
}  # fmt: skip
"""PyTorch's names, and those of SciPy."""

EXACT = {("jax", "gelu"): {"approximate": False}, ("pytorch", "softplus"): {"threshold": 1000}}
"""Arguments that ask for the function itself, where an approximation is the default."""

mp = mpmath.mp.clone()
mp.dps = 30

REAL = {
    "digamma": (lambda x: mp.psi(0, x), (0.05, 40)),
    "erf": (mp.erf, (-4, 4)),
    "erfc": (mp.erfc, (-3, 9)),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), (-5, 60)),
    "erfinv": (mp.erfinv, (-0.9999, 0.9999)),
    "ndtr": (mp.ncdf, (-12, 6)),
    "ndtri": (lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), (0.001, 0.999)),
    "log_ndtr": (lambda x: mp.log(mp.ncdf(x)), (-30, 6)),
    "i0": (lambda x: mp.besseli(0, x), (0.01, 60)),
    "i0e": (lambda x: mp.exp(-x) * mp.besseli(0, x), (0.01, 300)),
    "i1": (lambda x: mp.besseli(1, x), (0.01, 60)),
    "i1e": (lambda x: mp.exp(-x) * mp.besseli(1, x), (0.01, 300)),
    "bessel_j0": (lambda x: mp.besselj(0, x), (0.01, 60)),
    "bessel_j1": (lambda x: mp.besselj(1, x), (0.01, 60)),
    "bessel_y0": (lambda x: mp.bessely(0, x), (0.01, 60)),
    "bessel_y1": (lambda x: mp.bessely(1, x), (0.01, 60)),
    "modified_bessel_i0": (lambda x: mp.besseli(0, x), (0.01, 60)),
    "modified_bessel_i1": (lambda x: mp.besseli(1, x), (0.01, 60)),
    "modified_bessel_k0": (lambda x: mp.besselk(0, x), (0.01, 60)),
    "modified_bessel_k1": (lambda x: mp.besselk(1, x), (0.01, 60)),
    "scaled_modified_bessel_k0": (lambda x: mp.exp(x) * mp.besselk(0, x), (0.01, 300)),
    "scaled_modified_bessel_k1": (lambda x: mp.exp(x) * mp.besselk(1, x), (0.01, 300)),
    "spherical_bessel_j0": (lambda x: mp.sin(x) / x, (0.001, 60)),
    "airy_ai": (mp.airyai, (-12, 8)),
    "gammaln": (mp.loggamma, (0.01, 100)),
    "gamma": (mp.gamma, (0.05, 30)),
    "sinc": (lambda x: mp.sincpi(x), (0.01, 8)),
    "expm1": (mp.expm1, (-3, 3)),
    "log1p": (mp.log1p, (-0.9, 5)),
    "logit": (lambda x: mp.log(x) - mp.log1p(-x), (0.01, 0.99)),
    "expit": (lambda x: 1 / (1 + mp.exp(-x)), (-30, 30)),
    "entr": (lambda x: -x * mp.log(x), (0.001, 9)),
    "logsigmoid": (lambda x: -mp.log1p(mp.exp(-x)), (-30, 30)),
    "softplus": (lambda x: mp.log1p(mp.exp(x)), (-30, 30)),
    "gelu": (lambda x: x * mp.ncdf(x), (-4, 6)),
    "silu": (lambda x: x / (1 + mp.exp(-x)), (-20, 20)),
    "mish": (lambda x: x * mp.tanh(mp.log1p(mp.exp(x))), (-20, 20)),
    "elu": (lambda x: x if x > 0 else mp.expm1(x), (-5, 3)),
    "selu": (lambda x: mp.mpf("1.0507009873554804934193349852946") * (x if x > 0 else mp.mpf("1.6732632423543772848170429916717") * mp.expm1(x)),
             (-5, 3)),
    "tanhshrink": (lambda x: x - mp.tanh(x), (0.01, 5)),
    "exp1": (mp.e1, (0.01, 40)),
    "expi": (mp.ei, (0.01, 40)),
    "spence": (lambda x: mp.polylog(2, 1 - x).real, (0.01, 20)),
    "sici": (lambda x: (mp.si(x), mp.ci(x)), (0.01, 60)),
    "fresnel": (lambda x: (mp.fresnels(x), mp.fresnelc(x)), (0.01, 8)),
    "dawsn": (lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x), (0.01, 12)),
    "ellipk": (mp.ellipk, (-20, 0.999)),
    "ellipe": (mp.ellipe, (-20, 0.999)),
    "zeta": (lambda x, q: mp.zeta(x, q), (1.05, 20), (0.05, 20)),
    "polygamma": (lambda n, x: mp.psi(int(n), x), (1, 4), (0.05, 40)),
    "gammainc": (lambda a, x: mp.gammainc(a, 0, x, regularized=True), (0.05, 40), (0.05, 40)),
    "gammaincc": (lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), (0.05, 40), (0.05, 40)),
    "betainc": (lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True), (0.1, 20), (0.1, 20), (0.02, 0.98)),
    "betaln": (lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b), (0.05, 40), (0.05, 40)),
    "hyp1f1": (mp.hyp1f1, (0.1, 8), (0.1, 8), (-20, 20)),
    "hyp2f1": (lambda a, b, c, x: mp.hyp2f1(a, b, c, x).real, (0.1, 5), (0.1, 5), (5.1, 9), (-3, 0.9)),
    "logaddexp": (lambda a, b: mp.log(mp.exp(a) + mp.exp(b)), (-30, 30), (-30, 30)),
    "logaddexp2": (lambda a, b: mp.log(mp.power(2, a) + mp.power(2, b), 2), (-30, 30), (-30, 30)),
    "xlog1py": (lambda x, y: x * mp.log1p(y), (-5, 5), (-0.9, 20)),
    "xlogy": (lambda x, y: x * mp.log(y), (-5, 5), (0.01, 20)),
    "hypot": (mp.hypot, (-30, 30), (-30, 30)),
    **{
        f"{kind}_polynomial_{letter}": (function, (-1, 1) if kind != "laguerre" else (0.01, 8), (0, 12))
        for kind, letter, function in (
            ("chebyshev", "t", lambda x, n: mp.chebyt(int(n), x)),
            ("chebyshev", "u", lambda x, n: mp.chebyu(int(n), x)),
            ("hermite", "h", lambda x, n: mp.hermite(int(n), x)),
            ("hermite", "he", lambda x, n: mp.power(2, -mp.mpf(int(n)) / 2) * mp.hermite(int(n), x / mp.sqrt(2))),
            ("laguerre", "l", lambda x, n: mp.laguerre(int(n), 0, x)),
            ("legendre", "p", lambda x, n: mp.legendre(int(n), x)),
        )
    },
}  # fmt: skip
"""Each function: by mpmath, and the range of each argument."""
WHOLE = {"polygamma": (0,)} | {key: (1,) for key in REAL if "polynomial" in key}
"""Which arguments are whole numbers."""
SLOW = ("zeta", "hyp1f1", "hyp2f1")
"""Of these a quarter as many numbers are drawn: mpmath takes long."""

COMPLEX = {
    "exp": mp.exp, "expm1": mp.expm1, "log": mp.log, "log1p": mp.log1p, "log2": lambda z: mp.log(z) / mp.log(2), "log10": lambda z: mp.log(z) / mp.log(10),
    "sqrt": mp.sqrt, "rsqrt": lambda z: 1 / mp.sqrt(z), "reciprocal": lambda z: 1 / z, "abs": abs, "square": lambda z: z * z,
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh,
    "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh, "sigmoid": lambda z: 1 / (1 + mp.exp(-z)),
    "sinc": lambda z: mp.sincpi(z),
}  # fmt: skip
SIZES = {"small": 1e-3, "usual": 1.0, "large": 20.0}
"""Magnitudes of complex numbers."""


def subjects():
    real = [f"{library}.{function}" for library in LIBRARIES if library != "numpy" for function in REAL if found(library, function)]
    return real + [
        f"{library}.complex.{function}" for library in ("pytorch", "numpy", "jax") for function in COMPLEX if found(library, function)
    ]


def found(library, function):
    """The function of a library; None if it has none, or is not installed."""
    place, called = where(library, function)
    return functools.partial(getattr(place, called), **EXACT.get((library, called), {})) if place is not None else None


def where(library, function):
    """The module, and the name there."""
    for module in LIBRARIES[library]:
        try:
            if library == "jax":
                importlib.import_module("jax").config.update("jax_enable_x64", True)
            place = importlib.import_module(module)
        except ImportError:
            return None, ""
        for called in (function, ALIASES.get(function, "") if library != "pytorch" else ""):
            if called and hasattr(place, called):
                return place, called
    return None, ""


def written(library, function):
    """How a call reads in Python; mpmath's results are written out beside it."""
    place, called = where(library, function)
    more = ", ".join(f"{name}={value}" for name, value in EXACT.get((library, called), {}).items())
    name = f"{place.__name__}.{called}"
    return {"actual": f"(lambda *x: {name}(*x, {more}))" if more else name, "taken": "" if library == "pytorch" else "numpy"}


def cases(subject, seed):
    library, _, function = subject.partition(".")
    is_complex = function.startswith("complex.")
    function = function.removeprefix("complex.")
    op = found(library, function)
    for dtype in (torch.float64, torch.float32):
        for setting, inputs, exact in complex_numbers(function, dtype, seed) if is_complex else real_numbers(function, dtype, seed):
            actual = op if library == "pytorch" else in_numpy(op)
            words = f"{str(dtype).removeprefix('torch.')}{setting}"
            yield {"actual": actual, "expected": exact, "inputs": inputs, "setting": words, "call": written(library, function)}


def real_numbers(function, dtype, seed):
    exact, *ranges = REAL[function]
    generator = np.random.default_rng(seed)
    count = NUMBERS // 4 if function in SLOW else NUMBERS
    whole = WHOLE.get(function, ())
    columns = []
    for place, (low, high) in enumerate(ranges):
        if place in whole:
            columns.append(torch.tensor(generator.integers(low, high + 1, count)))
            continue
        drawn = np.exp(generator.uniform(math.log(low), math.log(high), count)) if low > 0 else generator.uniform(low, high, count)
        columns.append(torch.tensor(drawn).to(dtype))
    if function == "polygamma":  # PyTorch takes one order for all numbers
        for order in range(ranges[0][0], ranges[0][1] + 1):
            yield f", order {order}", (order, columns[1]), by_mpmath(exact)
        return
    yield "", tuple(columns), by_mpmath(exact)


def complex_numbers(function, dtype, seed):
    for size, scale in SIZES.items():
        generator = torch.Generator().manual_seed(seed)
        drawn = torch.randn(NUMBERS, 2, generator=generator, dtype=torch.float64) * scale
        yield f", {size}", (torch.view_as_complex(drawn).to(dtype.to_complex()),), by_mpmath(COMPLEX[function])


def by_mpmath(exact):
    """The function by mpmath, of tensors and whole numbers, rounded once to the format of the tensors."""

    def expected(*inputs):
        kind = next(
            value.dtype for value in inputs if isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
        )
        arrays = np.broadcast_arrays(*map(np.asarray, inputs))
        results = [exact(*map(number_of, values)) for values in zip(*(array.ravel() for array in arrays))]
        parts = list(zip(*results)) if isinstance(results[0], tuple) else [results]
        tensors = tuple(as_tensor(part, kind) for part in parts)
        return tensors if len(tensors) > 1 else tensors[0]

    return expected


def as_tensor(numbers, kind):
    """Numbers of mpmath in a format; real ones, such as absolute values, in the real format that goes with a complex one."""
    if kind.is_complex and all(isinstance(number, mp.mpc) for number in numbers):
        return torch.tensor([complex(number) for number in numbers], dtype=torch.complex128).to(kind)
    return torch.tensor([float(number.real) for number in numbers], dtype=torch.float64).to(kind.to_real() if kind.is_complex else kind)


def number_of(value):
    if isinstance(value, np.complexfloating):
        return mp.mpc(float(value.real), float(value.imag))
    return mp.mpf(float(value))


def in_numpy(op):
    """The function on arrays; real results in the format of the inputs, as SciPy computes some of them in a finer one."""

    def actual(*inputs):
        given = [value.numpy() if isinstance(value, torch.Tensor) else value for value in inputs]
        results = op(*given)
        tensors = [torch.as_tensor(np.array(result)) for result in (results if isinstance(results, tuple) else (results,))]
        kind = next(value.dtype for value in inputs if isinstance(value, torch.Tensor))
        tensors = [value.to(kind) if value.dtype == torch.float64 and kind == torch.float32 else value for value in tensors]
        return tuple(tensors) if len(tensors) > 1 else tensors[0]

    return actual
