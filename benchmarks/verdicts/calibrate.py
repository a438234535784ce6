"""The measurements behind the constants in `halfulp/differences/allowance.py` and `halfulp/verdicts/limits.py`: python -m benchmarks.verdicts.calibrate

Each section measures one kind of implementation whose class is known by construction, over sizes and data that no labelled pair
uses, and prints the number that the constant is compared with.
"""

from __future__ import annotations

import argparse
import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from halfulp.cases import Case
from halfulp.differences.allowance import max_limit
from halfulp.floats import FORMATS
from halfulp.noise import noise_of, residual_of
from halfulp.verdicts import limits
from halfulp.verdicts.evidence.coarse import Coarse, coarsened
from halfulp.verdicts.evidence.coarse_numbers import CoarseNumbers
from halfulp.verdicts.evidence.conditioning import forward_error
from halfulp.verdicts.evidence.gain import lost_share
from halfulp.verdicts.evidence.guesses import EVERYWHERE, PLACES, guess_of
from halfulp.verdicts.evidence.guesses import hypotheses as hypotheses_of
from halfulp.verdicts.evidence.precision import precision
from halfulp.verdicts.evidence.prediction import PART, Guess, explained
from halfulp.verdicts.evidence.redraw import redraw

from .algorithms import fft_conv, flash, im2col_conv, kahan_sum, ln_onepass, ln_welford, sdpa, seq_sum, winograd43_conv, winograd_conv
from .figures import report_figures
from .registry import PAIRS
from .sixteen_bits import honest_pair_in

Function = Callable[..., Any]
SEEDS = (11, 12, 13)


def measured(actual: Function, expected: Function, inputs: tuple[torch.Tensor, ...]) -> tuple[float, float, float]:
    """(excess over the limits, norm in noise, largest element over the rms noise) of `actual` in float32."""
    case = Case(actual, expected, inputs)
    noise = noise_of(case)
    found = residual_of(case.native("actual").outputs[0].numbers().astype(np.float64), noise.leaves[""])
    return found.excess(noise.count).of_limit, found.norm_in_noise, found.max_norm_in_noise / max_limit(noise.count, found.count)


def section(
    title: str, cases: dict[str, tuple[Function, Function, Callable[[], tuple[torch.Tensor, ...]]]]
) -> dict[str, tuple[float, float, float]]:
    """Measure each case over the seeds and print its largest values."""
    print(f"\n{title}")
    rows: dict[str, tuple[float, float, float]] = {}
    for name, (actual, expected, make) in cases.items():
        runs: list[tuple[float, ...]] = []
        for seed in SEEDS:
            torch.manual_seed(seed)
            runs.append(measured(actual, expected, make()))
        rows[name] = tuple(max(run[place] for run in runs) for place in range(3))  # type: ignore[assignment]
        print(f"  {name:<44} excess {rows[name][0]:9.3g}  norm in noise {rows[name][1]:9.3g}  largest in norm / limit {rows[name][2]:9.3g}")
    return rows


def randn(*shape: int) -> torch.Tensor:
    """Standard normal float32."""
    return torch.randn(*shape)


def _conv(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.conv2d(x, w, b, padding=1)


def _nnpack(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    with torch.backends.mkldnn.flags(enabled=False):
        return F.conv2d(x, w, b, padding=1)


def strassen(left: torch.Tensor, right: torch.Tensor, levels: int) -> torch.Tensor:
    """Strassen's product of square matrices with the given number of recursive levels."""
    if not levels:
        return left @ right
    half = left.shape[0] // 2
    a11, a12, a21, a22 = left[:half, :half], left[:half, half:], left[half:, :half], left[half:, half:]
    b11, b12, b21, b22 = right[:half, :half], right[:half, half:], right[half:, :half], right[half:, half:]
    m1, m2 = strassen(a11 + a22, b11 + b22, levels - 1), strassen(a21 + a22, b11, levels - 1)
    m3, m4 = strassen(a11, b12 - b22, levels - 1), strassen(a22, b21 - b11, levels - 1)
    m5, m6 = strassen(a11 + a12, b22, levels - 1), strassen(a21 - a11, b11 + b12, levels - 1)
    m7 = strassen(a12 - a22, b21 + b22, levels - 1)
    return torch.cat([torch.cat([m1 + m4 - m5 + m7, m3 + m5], 1), torch.cat([m2 + m4, m1 - m2 + m3 + m6], 1)], 0)


def honest() -> float:
    """Orders and algorithms that nobody would question: the largest excess over the limits should stay below 1."""
    cases: dict[str, Any] = {
        "sum, sequential, 1e5 positive": (seq_sum, lambda x: x.sum(-1), lambda: (torch.rand(8, 100_000),)),
        "sum, Kahan": (kahan_sum, lambda x: x.sum(-1), lambda: (torch.randn(64, 5000),)),
        "product, reversed sum, K = 3000": (lambda a, b: a.flip(1) @ b.flip(0), torch.matmul, lambda: (randn(96, 3000), randn(3000, 80))),
        "product, outer products in turn, K = 700": (_outer_products, torch.matmul, lambda: (randn(40, 700), randn(700, 50))),
        "product of positive numbers, outer products": (_outer_products, torch.matmul, lambda: (torch.rand(40, 700), torch.rand(700, 50))),
        "product with one row": (lambda a, b: (a[:, :, None] * b).sum(1), torch.matmul, lambda: (randn(1, 900), randn(900, 33))),
        "convolution as im2col": (
            lambda x, w, b: im2col_conv(x, w, b, 1, 1),
            _conv,
            lambda: (randn(3, 24, 20, 20), randn(40, 24, 3, 3), randn(40)),
        ),
        "layer norm, Welford": (ln_welford, lambda x: F.layer_norm(x, (300,)), lambda: (randn(20, 300) * 5 + 3,)),
        "layer norm, one pass, centered": (ln_onepass, lambda x: F.layer_norm(x, (300,)), lambda: (randn(20, 300),)),
        "attention, in blocks": (flash, sdpa, lambda: tuple(randn(2, 3, 50, 24) for _ in range(3))),
        "complex product of three real ones": (_gauss_product, _complex_product, lambda: (randn(3000, 2), randn(3000, 2))),
        "product that starts from a large bias": (
            _bias_first,
            lambda x, w, b: F.linear(x, w, b),
            lambda: (randn(16, 512), randn(64, 512), randn(64) * 100),
        ),
        "variance, two passes": (
            lambda x: ((x - x.mean(1, keepdim=True)) ** 2).sum(1) / 999,
            lambda x: x.var(1),
            lambda: (randn(50, 1000) + 7,),
        ),
    }
    return max(row[0] for row in section("honest implementations (limit: excess 1)", cases).values())


def _outer_products(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(a.shape[0], b.shape[1], dtype=a.dtype)
    for k in range(a.shape[1]):
        total = total + a[:, k : k + 1] * b[k : k + 1]
    return total


def _bias_first(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    total = b.expand(x.shape[0], -1).clone()
    for k in range(x.shape[1]):
        total = total + x[:, k : k + 1] * w[None, :, k]
    return total


def _complex_product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(torch.view_as_complex(a) * torch.view_as_complex(b))


def _gauss_product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (ar, ai), (br, bi) = a.unbind(-1), b.unbind(-1)
    k1, k2, k3 = br * (ar + ai), ar * (bi - br), ai * (br + bi)
    return torch.stack([k1 - k3, k1 + k2], -1)


def fast_products() -> tuple[float, float]:
    """Fast algorithms for products: the largest loss in norm is what FAST_PRODUCT_LOSS has to contain."""
    cases: dict[str, Any] = {}
    for channels in (1, 4, 16, 64, 256):
        make = lambda channels=channels: (randn(16, channels, 24, 24), randn(8, channels, 3, 3), randn(8))
        for name, algorithm in (
            ("Winograd F(2x2,3x3)", winograd_conv),
            ("Winograd F(4x4,3x3)", winograd43_conv),
            ("NNPACK F(6x6,3x3)", _nnpack),
            ("FFT", fft_conv),
        ):
            cases[f"{name}, {channels} channels"] = (algorithm, _conv, make)
    for levels in (1, 2, 3, 4):
        cases[f"Strassen, {levels} levels, n = 256"] = (
            lambda a, b, levels=levels: strassen(a, b, levels),
            torch.matmul,
            lambda: (randn(256, 256), randn(256, 256)),
        )
    rows = section(f"fast products (limit in norm: {limits.FAST_PRODUCT_LOSS:g})", cases)
    return max(row[1] for row in rows.values()), max(row[2] for row in rows.values())


def reformulations() -> float:
    """The same formula, written less carefully, without products: what TOLERABLE_LOSS has to contain."""
    cases: dict[str, Any] = {
        "exp as exp2, |x| < 80": (lambda x: torch.exp2(x * 1.4426950408889634), torch.exp, lambda: ((torch.rand(4000) - 0.5) * 160,)),
        "logsumexp without the maximum, |x| < 10": (
            lambda x: torch.exp(x).sum(-1).log(),
            lambda x: torch.logsumexp(x, -1),
            lambda: ((torch.rand(50, 100) - 0.5) * 20,),
        ),
        "variance in one pass, mean 3 std": (
            lambda x: (x * x).mean(1) - x.mean(1) ** 2,
            lambda x: x.var(1, unbiased=False),
            lambda: (randn(50, 500) + 3,),
        ),
        "log-softmax as x - logsumexp, offset 10": (
            lambda x: x - torch.logsumexp(x, -1, keepdim=True),
            lambda x: torch.log_softmax(x, -1),
            lambda: (randn(20, 50) + 10,),
        ),
        "power as exp(y log x)": (lambda x: torch.exp(2.5 * torch.log(x)), lambda x: x**2.5, lambda: (torch.rand(4000) * 100 + 0.01,)),
        "sigmoid from tanh, |x| < 4": (lambda x: 0.5 * (1 + torch.tanh(0.5 * x)), torch.sigmoid, lambda: ((torch.rand(4000) - 0.5) * 8,)),
        "distance without hypot": (lambda x, y: (x * x + y * y).sqrt(), torch.hypot, lambda: (randn(4000), randn(4000))),
    }
    return max(row[0] for row in section(f"reformulations (limit: excess {limits.TOLERABLE_LOSS:g})", cases).values())


def unstable() -> float:
    """Algorithms known to lose digits on these data: the smallest excess should be beyond TOLERABLE_LOSS."""
    small = lambda: (10.0 ** (-torch.rand(1000) * 4 - 3),)
    cases: dict[str, Any] = {
        "variance in one pass, mean 10 std": (
            lambda x: (x * x).mean(1) - x.mean(1) ** 2,
            lambda x: x.var(1, unbiased=False),
            lambda: (randn(50, 500) + 10,),
        ),
        "variance in one pass, mean 1000 std": (
            lambda x: (x * x).mean(1) - x.mean(1) ** 2,
            lambda x: x.var(1, unbiased=False),
            lambda: (randn(50, 500) + 1000,),
        ),
        "layer norm, one pass, mean 1000 std": (ln_onepass, lambda x: F.layer_norm(x, (500,)), lambda: (randn(50, 500) + 1000,)),
        "log-softmax as x - logsumexp, offset 1e4": (
            lambda x: x - torch.logsumexp(x, -1, keepdim=True),
            lambda x: torch.log_softmax(x, -1),
            lambda: (randn(20, 50) + 1e4,),
        ),
        "log(1 + x), x from 1e-7 to 1e-3": (lambda x: torch.log(1 + x), torch.log1p, small),
        "exp(x) - 1, x from 1e-7 to 1e-3": (lambda x: torch.exp(x) - 1, torch.expm1, small),
        "tanh from exp, x from 1e-7 to 1e-3": (lambda x: (torch.exp(2 * x) - 1) / (torch.exp(2 * x) + 1), torch.tanh, small),
    }
    return min(row[0] for row in section(f"unstable (should exceed {limits.TOLERABLE_LOSS:g})", cases).values())


def hypotheses() -> tuple[float, float]:
    """Coarse inputs of products: the share explained by the right format, and the largest by a wrong one."""
    print(f"\nhypotheses of coarse inputs (limit: {limits.EXPLAINED:g})")
    right, wrong = 1.0, 0.0
    for name in ("tf32", "bfloat16", "float16"):
        for seed in SEEDS:
            torch.manual_seed(seed)
            target = FORMATS[name]
            weights = [randn(64, 200) / 14, randn(64, 64) / 8]

            def net(x: torch.Tensor, cast: Function = lambda t: t, weights: Any = weights) -> torch.Tensor:
                return cast(torch.tanh(cast(x) @ cast(weights[0].to(x).T))) @ cast(weights[1].to(x).T)

            actual = lambda x, target=target, net=net: net(x, lambda t: coarsened(t.double(), target).to(t.dtype))
            case = Case(actual, net, (randn(30, 200),))
            found = precision(case, noise_of(case), formula_is_right=False)
            named = found.measured.get("format")
            right = min(right, float(found.measured["explained"]) if name in str(named).split(" or ") else 0.0)  # type: ignore[arg-type]
        print(f"  {name:<12} explained by itself, smallest so far {right:.4f}")
    anything = CoarseNumbers(opaque="every place is tried")
    for seed in SEEDS:
        torch.manual_seed(seed)
        case = Case(lambda x, w: (x @ w) * (1 + 1e-3), torch.matmul, (randn(50, 80), randn(80, 60)))
        noise = noise_of(case)
        for name in ("tf32", "float16", "bfloat16"):
            shares = [found["explained"] for _, _, found in hypotheses_of(case, noise, [FORMATS[name]], PLACES, anything)]
            wrong = max(wrong, *shares)
    print(f"  a factor 1.001 instead: best explanation {wrong:.4f}")
    return right, wrong


def seen_formats() -> tuple[float, float]:
    """What the right format and place predict of the error of whole networks, and what they predict of another formula's: smallest, largest."""
    print(f"\nformats that were seen (limit: {PART:g} of the error goes along)")
    right, wrong = 1.0, 0.0
    every = next(place for place in PLACES if place.where == "stored inputs and weights and the result of every op")
    for layers in (2, 4, 8, 16):
        for seed in SEEDS:
            torch.manual_seed(seed)
            weights = [randn(64, 64) / 8 for _ in range(2 * layers)]

            def net(x: torch.Tensor, layer_eps: float = 1e-5, weights: Any = weights) -> torch.Tensor:
                for first, second in zip(weights[::2], weights[1::2]):
                    x = x + F.gelu(F.layer_norm(x, (64,), eps=layer_eps) @ first.to(x)) @ second.to(x)
                return x

            def other(x: torch.Tensor, net: Function = net) -> torch.Tensor:
                return net(x, 1e-2)

            x = randn(20, 64)
            for name in ("bfloat16", "float16"):
                dtype = getattr(torch, name)
                sides = {True: lambda x, net=net, dtype=dtype: net(x.to(dtype)).to(x.dtype), False: other}
                for is_right, actual in sides.items():
                    case = Case(actual, net, (x,))
                    guess = Guess(FORMATS[name], Coarse(FORMATS[name], results=every.options["results"]), FORMATS[name])
                    share = explained(case, noise_of(case), guess).correlated
                    right, wrong = (min(right, share), wrong) if is_right else (right, max(wrong, share))
        print(f"  up to {layers} layers: of the right format at least {right:.3f}, of another formula at most {wrong:.3f}")
    return right, wrong


def in_one_place() -> float:
    """What a format makes in one place, as a multiple of what it makes everywhere: the largest."""
    print("\nformats in one place (limit: 4 times everywhere)")
    largest = 0.0
    for name in ("tf32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"):
        for seed in SEEDS:
            torch.manual_seed(seed)
            weights = [randn(64, 96) / 8, randn(96, 64) / 8]
            bodies: dict[str, Function] = {
                "product": lambda x, w=weights: x @ w[0].to(x),
                "layer norm": lambda x: F.layer_norm(x, (64,)),
                "softmax": lambda x: torch.softmax(3 * x, -1),
                "perceptron": lambda x, w=weights: F.gelu(x @ w[0].to(x)) @ w[1].to(x),
                "residual": lambda x, w=weights: x + F.relu(F.layer_norm(x, (64,)) @ w[0].to(x)) @ w[1].to(x),
            }
            for body in bodies.values():
                case = Case(lambda x, body=body: body(x) * (1 + 1e-3), body, (randn(20, 64),))
                noise = noise_of(case)
                size = {place.where: explained(case, noise, guess_of(place, FORMATS[name])).size for place in PLACES}
                whole = size.pop(EVERYWHERE.where)
                largest = max(largest, *(part / whole for part in size.values()))
        print(f"  up to {name:<14} at most {largest:.2f} times as much as everywhere")
    return largest


def redrawn() -> tuple[float, float]:
    """The share of the error that stays when the inputs move: the largest for rounding, the smallest for another formula."""
    print(f"\nredrawn errors (limit: {limits.SYSTEMATIC:g})")
    rounding, formula = 0.0, 1.0
    pairs: list[tuple[bool, Function, Function, Callable[[], tuple[torch.Tensor, ...]]]] = [
        (True, _outer_products, torch.matmul, lambda: (randn(40, 700), randn(700, 50))),
        (True, _outer_products, torch.matmul, lambda: (torch.rand(40, 700), torch.rand(700, 50))),
        (True, ln_onepass, lambda x: F.layer_norm(x, (300,)), lambda: (randn(20, 300) + 30,)),
        (True, winograd43_conv, _conv, lambda: (randn(2, 8, 24, 24), randn(8, 8, 3, 3), randn(8))),
        (False, lambda x: F.layer_norm(x, (300,), eps=1e-6), lambda x: F.layer_norm(x, (300,), eps=1e-5), lambda: (randn(20, 300),)),
        (False, lambda x: x[:, :-1].sum(1), lambda x: x.sum(1), lambda: (torch.rand(6, 50_000) + 0.5,)),
        (False, lambda a, b: (a @ b) * (1 + 1e-6), torch.matmul, lambda: (randn(40, 70), randn(70, 50))),
    ]
    for is_rounding, actual, expected, make in pairs:
        for seed in SEEDS:
            torch.manual_seed(seed)
            case = Case(actual, expected, make())
            share = float(redraw(case, noise_of(case)).measured["share_that_stays"])  # type: ignore[arg-type]
            rounding, formula = (max(rounding, share), formula) if is_rounding else (rounding, min(formula, share))
    print(f"  rounding: at most {rounding:.3f} stays; another formula: at least {formula:.3f}")
    return rounding, formula


def forward_errors() -> tuple[float, float]:
    """Errors in 16 bits beyond the root of the number of ops, in roundings: (honest, largest; with a step that is amplified, smallest)."""
    print(f"\nforward errors (limit: {limits.AMPLIFIED:g})")
    honest_pairs = [honest_pair_in(dtype, number) for dtype in ("bfloat16", "float16") for number in range(4000, 4300)]
    largest = max(_amplified(Case(pair.actual, pair.expected, pair.inputs, declared=pair.declared)) for pair in honest_pairs)
    for layers in (2, 8, 24, 48):
        beyond = _amplified(Case(*_residual_network(layers), declared="bfloat16"))
        print(f"  {f'residual network of {layers} layers':<44} {beyond:9.3g}")
        largest = max(largest, beyond)
    smallest = math.inf
    for pair in PAIRS:
        if pair.tags[:1] == ("finer inside",) and pair.kind == "mistake":
            actual, expected, inputs = pair.make(SEEDS[0])
            smallest = min(smallest, _amplified(Case(actual, expected, inputs, declared=pair.declared)))
    print(f"  honest: at most {largest:.3f}; an amplified step in 16 bits: at least {smallest:.3f}")
    return largest, smallest


def _amplified(case: Case) -> float:
    found = forward_error(case, noise_of(case))
    if found is None:
        return -math.inf
    return found.number("error") / max(1.0, found.number("expected_error")) - found.number("limit") + limits.AMPLIFIED


def _residual_network(layers: int) -> tuple[Function, Function, tuple[torch.Tensor]]:
    """In bfloat16 op by op, in float32 inside, and its inputs."""
    torch.manual_seed(layers)
    weights = [(randn(48, 48) / math.sqrt(48.0)).bfloat16() for _ in range(layers)]

    def network(x: torch.Tensor) -> torch.Tensor:
        for weight in weights:
            x = x + 0.3 * torch.tanh(x @ weight.to(x.dtype))
        return x

    return network, lambda x: network(x.float() if x.dtype == torch.bfloat16 else x).to(x.dtype), (randn(16, 48).bfloat16(),)


def lost_updates() -> tuple[float, float]:
    """How much more of an update of 16-bit weights is lost than `expected` loses: (honest, largest; stagnating, smallest)."""
    print(f"\nlost updates (limit: {limits.LOST:g})")
    rows: dict[str, float] = {}
    smallest = 1.0
    for seed in SEEDS:
        for dtype in (torch.bfloat16, torch.float16):
            torch.manual_seed(seed)
            for rate in (2.0**-power for power in range(4, 13)):
                inputs = tuple(tensor.to(dtype) for tensor in (randn(4096), randn(4096)))
                for name, update in UPDATES.items():
                    case = Case(functools.partial(update, rate=rate), functools.partial(_descent, rate=rate), inputs)
                    actual, expected = (case.native(side).outputs[0].float64() for side in ("actual", "expected"))
                    share, _ = lost_share(inputs[0].double().numpy(), actual, expected, noise_of(case).leaves[""])
                    known, _ = lost_share(inputs[0].double().numpy(), expected, expected, noise_of(case).leaves[""])
                    rows[name] = max(rows.get(name, 0.0), share - known)
            state, steps = torch.full((512,), 1.0, dtype=dtype), 4096
            terms = (torch.rand(512) * 2.0**-10).to(dtype)
            case = Case(functools.partial(_in_steps, steps=steps), lambda x, t: x + t * steps, (state, terms))
            actual, expected = (case.native(side).outputs[0].float64() for side in ("actual", "expected"))
            share, _ = lost_share(state.double().numpy(), actual, expected, noise_of(case).leaves[""])
            smallest = min(smallest, share)
    for name, share in rows.items():
        print(f"  {name:<44} at most {share:.3f} more than `expected`")
    print(f"  a running sum that stops: at least {smallest:.3f}")
    return max(rows.values()), smallest


def _descent(weight: torch.Tensor, gradient: torch.Tensor, *, rate: float) -> torch.Tensor:
    return weight - rate * gradient


def _in_steps(state: torch.Tensor, terms: torch.Tensor, *, steps: int) -> torch.Tensor:
    for _ in range(steps):
        state = state + terms
    return state


UPDATES: dict[str, Callable[..., Any]] = {
    "in float32": lambda w, g, rate: (w.float() - rate * g.float()).to(w.dtype),
    "fused": lambda w, g, rate: torch.add(w, g, alpha=-rate),
    "in place": lambda w, g, rate: w.clone().sub_(g * rate),
    "addcmul": lambda w, g, rate: torch.addcmul(w, g, torch.tensor(rate, dtype=w.dtype), value=-1),
    "change first": lambda w, g, rate: w + (-rate * g.float()).to(w.dtype),
    "lerp": lambda w, g, rate: torch.lerp(w, w - g, rate),
}
"""A step of gradient descent in other ways."""


def main() -> None:
    """Run all sections and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=None, help="write the figures here too")
    options = parser.parse_args()
    largest_honest = honest()
    in_norm, in_norm_largest = fast_products()
    reformulated, lost = reformulations(), unstable()
    right, wrong = hypotheses()
    seen_right, seen_wrong = seen_formats()
    in_place = in_one_place()
    rounding, formula = redrawn()
    honest_updates, stagnating = lost_updates()
    forward_honest, amplified = forward_errors()
    figures = {
        "calibration_honest_excess_max": (largest_honest, "limits"),
        "calibration_fast_product_norm_max": (in_norm, "noise"),
        "calibration_fast_product_largest_max": (in_norm_largest, "limits"),
        "calibration_reformulation_excess_max": (reformulated, "limits"),
        "calibration_unstable_excess_min": (lost, "limits"),
        "calibration_hypothesis_right_min": (right, "share"),
        "calibration_hypothesis_wrong_max": (wrong, "share"),
        "calibration_seen_format_right_min": (seen_right, "share"),
        "calibration_seen_format_wrong_max": (seen_wrong, "share"),
        "calibration_in_one_place_max": (in_place, "times"),
        "calibration_redraw_rounding_max": (rounding, "share"),
        "calibration_redraw_formula_min": (formula, "share"),
        "calibration_forward_error_honest_max": (forward_honest, "roundings"),
        "calibration_forward_error_amplified_min": (amplified, "roundings"),
        "calibration_lost_update_honest_max": (honest_updates, "share"),
        "calibration_lost_update_stagnating_min": (stagnating, "share"),
        "calibration_rounding_rms": (math.sqrt(1 / (8 * math.log(2))), "u"),
    }
    report_figures(figures, options.json)


if __name__ == "__main__":
    main()
