"""One model of rounding: what NumPy's formulas and PyTorch's ops are moved by is the same, for every op of the table that computes."""

import contextlib
import math
import warnings

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from releases import since
from test_formulas import CALLS, recorded

from halfulp.floats import FORMATS
from halfulp.noise.calls import numbers_of
from halfulp.noise.gaussians import GaussianPool
from halfulp.noise.noise import scaled_error
from halfulp.noise.noise_mode import NoiseMode
from halfulp.noise.rules import OpError
from halfulp.ops import OPS, Kind, record_of
from halfulp.ops.arithmetic import Rounding
from halfulp.ops.deviation import ROUNDING_RMS
from halfulp.ops.evaluation import Unknown, run_formula
from halfulp.ops.formulas import formula_of
from halfulp.origins.torch_replay import copies_of, tensors_of
from halfulp.origins.values import Values

AGREE = 0.10
"""How far the two spreads may be apart, beside what samples of them scatter."""

ALONE = {
    **dict.fromkeys(
        "mkldnn_rnn_layer mkldnn_convolution mkldnn_linear_pointwise _linear_pointwise".split(), "oneDNN's kernels don't run in float64"
    ),
    **dict.fromkeys(
        "_scaled_dot_product_cudnn_attention _scaled_dot_product_efficient_attention _scaled_dot_product_flash_attention".split(),
        "CUDA's kernels",
    ),
    **dict.fromkeys(
        "cudnn_batch_norm miopen_batch_norm convolution_overrideable convolution_backward_overrideable".split(), "other devices' kernels"
    ),
    "_scaled_dot_product_attention_math_for_mps": "a kernel of MPS",
}
"""Ops that PyTorch can't run here in float64: only NumPy's formula stands for them."""


ONE_FORMAT = ("_fused_rms_norm_backward", "_scaled_dot_product_flash_attention_for_cpu")
"""Ops that PyTorch has no float32 kernel for here, or that store otherwise in float64."""

OTHERS = {
    "bicubic": lambda: F.interpolate(x(1, 2, 9, 14), size=(17, 5), mode="bicubic"),
    "grids": lambda: F.grid_sample(x(1, 2, 9, 14), F.affine_grid(x(1, 2, 3), [1, 2, 8, 8], align_corners=False), align_corners=False),
    "hypot erfc lgamma": lambda: torch.hypot(*pair()) + torch.erfc(pair()[0]) + torch.lgamma(pair()[1].abs() + 3),
    "logaddexp xlogy": lambda: torch.logaddexp(*pair()) + torch.xlogy(pair()[0], pair()[1].abs() + 0.1),
    "cdist": lambda: torch.cdist(torch.randn(5, 4, dtype=torch.float64), torch.randn(6, 4, dtype=torch.float64)),
    "powers": lambda: pair()[0].pow(2) + pair()[0].abs().pow(0.5) + pair()[0].abs().pow(2.5),
    "products of factors": lambda: (
        torch.randn(20, 30, dtype=torch.float64).prod(1) + torch.randn(20, 30, dtype=torch.float64).cumprod(1)[:, -1]
    ),
}


def x(*shape):
    return torch.randn(*shape or (60,), dtype=torch.float64)


def unit(*shape):
    return torch.rand(*shape or (60,), dtype=torch.float64) * 0.9 + 0.05


def places(high, *shape):
    return torch.randint(0, high, shape)


def fused(name, **options):
    def call():
        shapes = (3, 4), (5,)
        lists = [[x(*shape) for shape in shapes] for _ in range(3)] + [[unit(*shape) for shape in shapes]]
        steps = [torch.tensor(3.0, dtype=torch.float64)] * 2
        if name == "_fused_sgd":
            settings = {
                "weight_decay": 0.1,
                "momentum": 0.9,
                "lr": 0.1,
                "dampening": 0.1,
                "nesterov": True,
                "maximize": False,
                "is_first_step": False,
            }
            return (*lists[:3],), settings
        settings = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.1, "eps": 1e-6, "amsgrad": False, "maximize": False}
        return (*lists, [], steps), settings

    return call


image, volume = (lambda: x(2, 4, 6, 6)), (lambda: x(2, 3, 4, 4, 4))
DIRECTLY = {
    **{name: lambda: ((unit(),), {}) for name in "acos asin atanh log10 log2 tan cosh sinh asinh exp2 reciprocal square hardsigmoid nansum".split()},
    **{name: lambda: ((x(), unit()), {}) for name in "atan2 rsub true_divide divide multiply vdot".split()},
    "acosh": lambda: ((unit() + 1.5,), {}),
    "addbmm": lambda: ((x(3, 5), x(2, 3, 4), x(2, 4, 5)), {"beta": 0.5}), "addmv": lambda: ((x(3), x(3, 4), x(4)), {}), "addr": lambda: ((x(3, 4), x(3), x(4)), {}),
    "matmul": lambda: ((x(5, 7), x(7, 6)), {}), "linear": lambda: ((x(5, 7), x(6, 7), x(6)), {}), "norm.ScalarOpt_dim": lambda: ((x(8, 9), 2, [1]), {}),
    "prelu": lambda: ((x(8, 4), unit(4)), {}), "native_dropout_backward": lambda: ((x(), places(2, 60) > 0, 2.0), {}),
    "huber_loss": lambda: ((x(), x(), 0), {}), "l1_loss": lambda: ((x(), x(), 0), {}), "softmax.int": lambda: ((x(6, 8), 1), {}), "log_softmax.int": lambda: ((x(6, 8), 1), {}),
    "_safe_softmax": lambda: ((x(6, 8), 1), {}), "rms_norm": lambda: ((x(6, 8), [8], x(8), 1e-5), {}), "_fused_rms_norm": lambda: ((x(6, 8), [8], x(8), 1e-5), {}),
    "_fused_rms_norm_backward": lambda: ((x(6, 8), x(6, 8), [8], unit(6, 1), x(8), [True, True]), {}),
    "_index_put_impl": lambda: ((x(9), [places(9, 40)], x(40), True), {}), "_unsafe_index_put": lambda: ((x(9), [places(9, 40)], x(40), True), {}),
    "adaptive_avg_pool1d": lambda: ((x(2, 3, 9), [4]), {}), "adaptive_avg_pool2d": lambda: ((image(), [4, 3]), {}), "_adaptive_avg_pool3d": lambda: ((volume(), [3, 2, 2]), {}),
    "_adaptive_avg_pool3d_backward": lambda: ((x(2, 3, 3, 2, 2), volume()), {}), "avg_pool3d": lambda: ((volume(), [2, 2, 2]), {}),
    "avg_pool3d_backward": lambda: ((x(2, 3, 3, 3, 3), volume(), [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None), {}),
    "max_pool3d_with_indices_backward": lambda: ((x(2, 3, 2, 2, 2), volume(), [2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], False, places(64, 2, 3, 2, 2, 2)), {}),
    "_upsample_nearest_exact2d_backward": lambda: ((x(2, 4, 12, 12), [12, 12], [2, 4, 6, 6], None, None), {}), "upsample_nearest1d_backward": lambda: ((x(2, 4, 12), [12], [2, 4, 6], None), {}),
    "upsample_nearest3d_backward": lambda: ((x(1, 2, 6, 6, 6), [6, 6, 6], [1, 2, 3, 3, 3], None, None, None), {}),
    "upsample_linear1d": lambda: ((x(2, 4, 6), [13], False, None), {}), "upsample_linear1d_backward": lambda: ((x(2, 4, 13), [13], [2, 4, 6], False, None), {}),
    "upsample_trilinear3d": lambda: ((volume(), [7, 7, 7], False, None, None, None), {}),
    **{f"_upsample_{kind}2d_aa": lambda: ((x(2, 3, 9, 14), [17, 5], False, None, None), {}) for kind in ("bilinear", "bicubic")},
    **{f"_upsample_{kind}2d_aa_backward": lambda: ((x(2, 3, 17, 5), [17, 5], [2, 3, 9, 14], False, None, None), {}) for kind in ("bilinear", "bicubic")},
    **{name: lambda: ((x(), unit()), {}) for name in ("logaddexp2", "special_xlog1py")},
    "upsample_trilinear3d_backward": lambda: ((x(2, 3, 7, 7, 7), [7, 7, 7], [2, 3, 4, 4, 4], False, None, None, None), {}),
    "_native_batch_norm_legit": lambda: ((image(), x(4), x(4), x(4), unit(4), True, 0.1, 1e-5), {}), "_batch_norm_with_update": lambda: ((image(), x(4), x(4), x(4), unit(4), 0.1, 1e-5), {}),
    "_native_batch_norm_legit_no_training": lambda: ((image(), x(4), x(4), x(4), unit(4), 0.1, 1e-5), {}),
    "_convolution": lambda: ((image(), x(5, 4, 3, 3), x(5), [1, 1], [1, 1], [1, 1], False, [0, 0], 1, False, False, False, False), {}),
    "_scaled_dot_product_attention_math": lambda: ((x(2, 3, 6, 4), x(2, 3, 6, 4), x(2, 3, 6, 4)), {}),
    **{name: fused(name) for name in ("_fused_adam", "_fused_adamw", "_fused_sgd")},
}  # fmt: skip
"""Ops that recording does not meet, because PyTorch takes them apart first or for another device: (arguments, keywords)."""


def pair():
    return torch.randn(60, dtype=torch.float64), torch.randn(60, dtype=torch.float64)


def root_mean_square(samples, exact):
    with np.errstate(invalid="ignore"):
        return math.sqrt(np.nanmean([np.nanmean(np.abs(sample - exact) ** 2) for sample in samples]))


def outputs_of(call, arguments, keywords, mode=None):
    given, named = [copies_of(argument) for argument in arguments], {key: copies_of(keyword) for key, keyword in keywords.items()}
    with torch.no_grad(), mode or contextlib.nullcontext():
        result = call(*given, **named)
    flat = [result] if isinstance(result, torch.Tensor) else list(result) if isinstance(result, (tuple, list)) else given[:1]
    flat = [part for each in flat for part in (each if isinstance(each, list) else [each])]
    return [each.numpy().copy() if isinstance(each, torch.Tensor) else None for each in flat]


def by_torch(call, arguments, keywords, count):
    """The exact outputs and samples of them by `NoiseMode`."""
    mode = NoiseMode(OpError(FORMATS["float32"]), GaussianPool(3))
    exact = outputs_of(call, arguments, keywords, mode.measure())
    return exact, [outputs_of(call, arguments, keywords, mode.sample()) for _ in range(count)]


def converted(tree, dtype):
    if isinstance(tree, torch.Tensor):
        return tree.to(dtype) if tree.is_floating_point() else tree
    if isinstance(tree, (list, tuple)):
        return type(tree)(converted(each, dtype) for each in tree)
    return dtype if tree in (torch.float64, torch.float32) else tree


def own_errors(call, arguments, keywords):
    """The error of PyTorch's float32 kernel in spreads, of each output: rms and at the worst element."""
    coarse = [converted(copies_of(tree), torch.float32) for tree in (list(arguments), list(keywords.values()))]
    given, named = coarse[0], dict(zip(keywords, coarse[1]))
    results = outputs_of(call, given, named)
    finer = converted(given, torch.float64), dict(zip(keywords, converted(coarse[1], torch.float64)))
    exact, samples = by_torch(call, *finer, 32)
    for slot, (result, reference) in enumerate(zip(results, exact)):
        if result is None or reference is None or result.dtype != np.float32 or not result.size:
            continue
        spread = np.sqrt(sum((sample[slot] - reference) ** 2 for sample in samples) / len(samples))
        spread = np.hypot(spread, ROUNDING_RMS * 2.0**-24 * np.abs(reference))
        with np.errstate(invalid="ignore"):
            scaled = np.abs(scaled_error(result - reference, spread))
        yield float(np.sqrt((scaled**2).mean())), float(scaled.max()), result.size


def compared(name, call, arguments, keywords):
    """Of each output that is moved: the ratio of the spreads, and how far samples scatter it."""
    given, named = [numbers_of(argument) for argument in arguments], {key: numbers_of(keyword) for key, keyword in keywords.items()}
    exact = run_formula(name, given, named)
    count = int(min(300, max(24, 12_000 / max((each.size for each in exact if each is not None), default=1))))
    rounding = Rounding(FORMATS["float32"])
    by_numpy = [run_formula(name, given, named, rounding.restart((7, k))) for k in range(count)]
    reference, by_pytorch = by_torch(call, arguments, keywords, count)
    for slot, value in enumerate(exact):
        if value is None or slot >= len(reference) or reference[slot] is None or value.dtype.kind != "f" or not value.size:
            continue
        first = root_mean_square([values[slot] for values in by_numpy], value)
        second = root_mean_square([values[slot] for values in by_pytorch], reference[slot])
        if first or second:
            # Elements of one sample may move together, so a sample counts as few independent ones.
            yield (first / second if second else math.inf), math.sqrt(1.0 / (count * math.sqrt(value.size))), slot


def call_of(op):
    namespace, _, rest = op.partition(".")
    name, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), name)
    return getattr(packet, overload or next(each for each in ("default", "Tensor") if each in packet.overloads()))


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """Op -> up to two calls of it: (where it was met, what to call, arguments, keywords)."""
    found = {}
    for name, call in {**CALLS, **OTHERS}.items():
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trace = recorded(call, tmp_path_factory.mktemp("law"))
        values = Values(trace)
        for step in trace.ops:
            if step.name.startswith(("_foreach_", "_fused_")):  # lists of one op; fused ones are called below
                continue
            if not any(n is not None and trace.values[n].hash for n in step.outputs) or not rounds(step.name):
                continue
            if step.name in ALONE or len(found.get(step.name, ())) > 1:
                continue
            with contextlib.suppress(Unknown):
                arguments = [tensors_of(argument, values.number) for argument in step.arguments]
                keywords = {key: tensors_of(keyword, values.number) for key, keyword in step.keywords.items()}
                found.setdefault(step.name, []).append((name, call_of(step.op), arguments, keywords))
    for op, make in DIRECTLY.items():
        if not hasattr(torch.ops.aten, op.partition(".")[0]):  # PyTorch 2.4 lacks some
            continue
        torch.manual_seed(0)
        found.setdefault(op.partition(".")[0], []).append((op, call_of("aten." + op), *make()))
    return found


@pytest.fixture(scope="module")
def ratios(calls):
    """Op -> (ratio of spreads, how far samples scatter it, where it was met)."""
    found = {}
    for op, met in calls.items():
        for where, call, arguments, keywords in met if formula_of(op) is not None else ():
            with contextlib.suppress(Unknown):
                seen = [(ratio, scatter, f"{where}[{slot}]") for ratio, scatter, slot in compared(op, call, arguments, keywords)]
                found.setdefault(op, []).extend(seen)
    return {op: seen for op, seen in found.items() if seen}


def rounds(name):
    return record_of(name).kind not in (Kind.EXACT, Kind.CAST, Kind.RANDOM)


def test_spreads_by_pytorch_and_by_numpy_agree(ratios):
    apart = {
        op: ratio
        for op, ratio in ratios.items()
        if any(abs(math.log(r)) > AGREE + 3.0 * s if 0 < r < math.inf else True for r, s, _ in ratio)
    }
    assert not apart, "; ".join(f"{op} {each}" for op, each in apart.items())


def test_every_op_of_the_table_that_computes_and_has_a_formula_was_looked_at(ratios):
    here = {op.partition(".")[0]: hasattr(torch.ops.aten, op.partition(".")[0]) for op in DIRECTLY}
    computing = {name for name in OPS if rounds(name) and formula_of(name) is not None and here.get(name, True)}
    missing = computing - ratios.keys() - ALONE.keys()
    assert not missing, " ".join(sorted(missing))


@since(2, 5, "computes elu as exp(x) - 1, which cancels")
def test_the_kernels_of_pytorch_lie_within_the_spread(calls):
    """What a careful library computes in float32 is honest: as far from float64 as the model says, not many times as far."""
    outside = []
    for op, met in calls.items():
        for where, call, arguments, keywords in met if op not in ONE_FORMAT else ():
            for rms, worst, size in own_errors(call, arguments, keywords):
                # Of one element the rms is its own error; a spread from 32 samples has a fifth of itself as its scatter.
                if rms > 1.5 + 2.5 / math.sqrt(size) or worst > 8.0:
                    outside.append(f"{op} {where}: rms {rms:.3g}, worst {worst:.3g} of {size}")
    assert not outside, "; ".join(outside)
