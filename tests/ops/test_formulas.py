"""Each formula against PyTorch in float64: recorded ops are replayed from their recorded inputs."""

import math
import warnings

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from halfulp.ops.arithmetic import erf
from halfulp.ops.evaluation import Unknown
from halfulp.ops.formulas import FORMULAS, formula_of
from halfulp.origins.values import Values, evaluate
from halfulp.recording import Recorder
from halfulp.traces import read_trace

N = None


def randn(*shape, grad=True):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=grad)


def backward(y):
    y = [each for each in (y if isinstance(y, (tuple, list)) else [y]) if each.is_floating_point()]
    torch.autograd.backward(y, [torch.randn_like(each) for each in y])


def images(channels=4, size=8):
    return randn(3, channels, size, size)


def positive(*shape):
    return (torch.rand(*shape, dtype=torch.float64) + 0.1).requires_grad_()


def optimizer(kind, **options):
    def step():
        p = [randn(3, 4), randn(5)]
        each = kind(p, lr=0.1, **options)
        for _ in range(2):
            for part in p:
                part.grad = torch.randn_like(part)
            each.step()

    return step


def module(make, *inputs, train=True):
    def call():
        each = make().double().train(train)
        backward(each(*(each_input() for each_input in inputs)))

    return call


def in_place():
    x = randn(4, 6, grad=False)
    x[:, 1:3].add_(2.0)
    x[0] = 1.0
    x.mul_(x.t().contiguous().t())
    x.relu_().clamp_(max=2.0)
    return x.sum()


CALLS = {
    "arithmetic": lambda: backward(randn(3, 4) * randn(4) + randn(3, 1) / positive(3, 4) - 2.0 * randn(3, 4) ** 2),
    "powers": lambda: backward(positive(5) ** 2.5 + positive(5).sqrt() + positive(5).rsqrt() + 2.0 ** randn(5) + positive(5).reciprocal()),
    "functions": lambda: backward(
        randn(50).exp() + positive(50).log() + randn(50).tanh() + randn(50).erf() + randn(50).sin() + randn(50).cos() + positive(50).log1p() + randn(50).expm1() + randn(50).atan()
    ),
    "activations": lambda: [backward(f(randn(40))) for f in (F.relu, F.gelu, F.silu, torch.sigmoid, F.elu, F.leaky_relu, F.softplus, F.hardtanh, F.hardswish, F.mish, F.logsigmoid)],
    "gelu tanh": lambda: backward(F.gelu(randn(40), approximate="tanh")),
    "prelu": module(nn.PReLU, lambda: randn(3, 4)),
    "dropout": lambda: backward(F.dropout(randn(100), 0.5)),
    "linear": lambda: backward(F.linear(randn(5, 7), randn(3, 7), randn(3))),
    "products": lambda: backward([randn(2, 3, 4) @ randn(2, 4, 5), torch.addmm(randn(3), randn(2, 4), randn(4, 3), alpha=0.5, beta=2.0), torch.mv(randn(3, 4), randn(4)), torch.dot(randn(4), randn(4))]),
    "baddbmm": lambda: backward(torch.baddbmm(randn(2, 3, 5), randn(2, 3, 4), randn(2, 4, 5), beta=0.5, alpha=2.0)),
    "einsum": lambda: backward(torch.einsum("bij,bjk->bik", randn(2, 3, 4), randn(2, 4, 5))),
    "conv2d": lambda: backward(F.conv2d(images(), randn(6, 4, 3, 3), randn(6), padding=1)),
    "conv2d strided": lambda: backward(F.conv2d(images(4, 9), randn(6, 2, 3, 2), randn(6), stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2)),
    "conv2d depthwise": lambda: backward(F.conv2d(images(), randn(4, 1, 3, 3), None, padding=1, groups=4)),
    "conv1d": lambda: backward(F.conv1d(randn(2, 3, 10), randn(4, 3, 3), randn(4))),
    "conv3d": lambda: backward(F.conv3d(randn(2, 3, 4, 5, 6), randn(4, 3, 2, 2, 2), randn(4))),
    "conv transposed": lambda: backward(F.conv_transpose2d(images(), randn(4, 3, 3, 3), randn(3), stride=2, padding=1, output_padding=1)),
    "conv transposed groups": lambda: backward(F.conv_transpose1d(randn(2, 4, 6), randn(4, 2, 3), randn(4), groups=2, dilation=2)),
    "layer norm": module(lambda: nn.LayerNorm(6), lambda: randn(3, 5, 6)),
    "layer norm plain": lambda: backward(F.layer_norm(randn(3, 4, 6), (4, 6))),
    "rms norm": lambda: backward(F.rms_norm(randn(3, 6), (6,), randn(6))) if hasattr(F, "rms_norm") else None,
    "batch norm": module(lambda: nn.BatchNorm2d(4), images),
    "batch norm momentum": module(lambda: nn.BatchNorm1d(4, momentum=0.3, affine=False), lambda: randn(7, 4)),
    "batch norm eval": module(lambda: nn.BatchNorm2d(4), images, train=False),
    "batch norm without statistics": module(lambda: nn.BatchNorm2d(4, track_running_stats=False), images),
    "group norm": module(lambda: nn.GroupNorm(2, 4), images),
    "instance norm": module(lambda: nn.InstanceNorm2d(4, affine=True), images),
    "softmax": lambda: backward([torch.softmax(randn(3, 5), -1), torch.log_softmax(randn(3, 5), 0), torch.logsumexp(randn(3, 5), 1)]),
    "variances": lambda: backward([randn(3, 5).var(1), randn(3, 5).std(0, unbiased=False), randn(12).var(), randn(3, 5).mean(1, keepdim=True), torch.var_mean(randn(3, 4), 1, correction=2)[0]]),
    "reductions": lambda: backward([randn(3, 5).sum(), randn(3, 5).sum(0, keepdim=True), randn(3, 5).amax(1), randn(3, 5).max(1)[0], randn(3, 5).min(), randn(5).cumsum(0), randn(4).prod(), randn(3, 5).norm(), torch.linalg.vector_norm(randn(3, 5), dim=1)]),
    "orders": lambda: backward([randn(3, 9).topk(4)[0], randn(3, 9).sort(dim=0, descending=True)[0]]),
    "argmax": lambda: (randn(3, 4).argmax(1), randn(3, 4).argmin(), randn(3, 4) > 0, (randn(3, 4) > 0).any(1), (randn(3) > 0).all()),
    "views": lambda: backward([randn(2, 3, 4).permute(2, 0, 1).reshape(8, 3).t(), randn(2, 6).view(3, 4)[:, 1:3], randn(3, 1).expand(3, 5), randn(1, 3, 1).squeeze(), randn(3).unsqueeze(0), randn(4, 4).diagonal(), randn(9).unfold(0, 3, 2), randn(3, 4)[1]]),
    "parts": lambda: backward([*randn(6, 4).chunk(3), *randn(6, 4).split([1, 5]), *randn(3, 4).unbind(1), torch.cat([randn(2, 3), randn(1, 3)]), torch.stack([randn(3), randn(3)], 1)]),
    "moves": lambda: backward([randn(3, 4).flip(0), randn(3, 4).roll(1, 1), randn(3, 4).repeat(2, 2), randn(4, 4).tril(), randn(4, 4).triu(1), F.pad(randn(3, 4), (1, 2, -1, 1), value=3.0)]),
    "pads": lambda: [F.pad(images().detach(), (1, 2, 1, 0), mode=mode) for mode in ("reflect", "replicate")],
    "indexing": lambda: backward([randn(5, 3)[torch.tensor([1, 1, 4])], randn(5, 3).index_select(1, torch.tensor([2, 0])), randn(3, 5).gather(1, torch.tensor([[0, 4], [1, 1], [2, 0]])), randn(3, 4).masked_fill(torch.eye(3, 4).bool(), -1.0)]),
    "scatters": lambda: backward([randn(3, 5).scatter_add(1, torch.tensor([[0, 0, 1]]), randn(1, 3)), randn(5, 2).index_add(0, torch.tensor([1, 1, 3]), randn(3, 2)), randn(5).index_put((torch.tensor([1, 1]),), randn(2), accumulate=True), randn(3, 5).scatter(1, torch.tensor([[0], [1], [4]]), 2.0), torch.where(randn(3) > 0, randn(3), randn(3))]),
    "embedding": module(lambda: nn.Embedding(7, 3, padding_idx=2), lambda: torch.tensor([[1, 2, 1], [6, 0, 1]])),
    "max pool": lambda: backward([F.max_pool2d(images(4, 9), 3, 2, 1), F.max_pool2d(images(), 2, ceil_mode=True), F.max_pool2d(images(2, 9), 2, dilation=2)]),
    "avg pool": lambda: backward([F.avg_pool2d(images(4, 9), 3, 2, 1), F.avg_pool2d(images(4, 9), 2, count_include_pad=False, ceil_mode=True, padding=1), F.adaptive_avg_pool2d(images(), (3, 5)), F.adaptive_avg_pool2d(images(), 1)]),
    "antialiased": lambda: [backward(F.interpolate(randn(1, 2, 9, 14), size=size, mode=mode, antialias=True, align_corners=align)) for size in ((17, 5), (4, 14)) for mode in ("bilinear", "bicubic") for align in (False, True)],
    "grid sampling": lambda: [F.grid_sample(randn(2, 3, 5, 7, grad=False), 1.7 * torch.rand(2, 4, 6, 2, dtype=torch.float64) - 0.85 * k, padding_mode=mode, align_corners=align) for k, mode in enumerate(("zeros", "border", "reflection")) for align in (False, True)],
    "grid sampling of volumes": lambda: F.grid_sample(randn(1, 2, 5, 4, 3, grad=False), 2.4 * torch.rand(1, 3, 4, 2, 3, dtype=torch.float64) - 1.2, align_corners=False),
    "logarithms of sums": lambda: [torch.logaddexp(randn(30), randn(30)), torch.logaddexp2(randn(30), randn(30)), torch.xlogy(randn(30), positive(30)), torch.special.xlog1py(randn(30), positive(30))],
    "resizing": lambda: backward([F.interpolate(images(), scale_factor=2), F.interpolate(images(), size=(5, 11), mode="bilinear"), F.interpolate(images(), scale_factor=1.5, mode="bilinear", align_corners=True), F.interpolate(images(), size=(5, 5), mode="nearest-exact")]),
    "pixel shuffle": lambda: backward(F.pixel_shuffle(images(8), 2)),
    "losses": lambda: backward([F.cross_entropy(randn(5, 7), torch.tensor([1, 2, -100, 0, 6])), F.mse_loss(randn(4), randn(4)), F.cross_entropy(randn(2, 5, 3, 3), torch.randint(5, (2, 3, 3)), reduction="sum"), F.nll_loss(randn(4, 3), torch.tensor([0, 1, 2, 0]), weight=torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)), F.l1_loss(randn(4), randn(4)), F.smooth_l1_loss(randn(9), randn(9)), F.binary_cross_entropy_with_logits(randn(6), torch.rand(6, dtype=torch.float64))]),
    "attention": lambda: backward([F.scaled_dot_product_attention(randn(2, 4, 5, 8), randn(2, 4, 6, 8), randn(2, 4, 6, 8)), F.scaled_dot_product_attention(randn(2, 4, 5, 8), randn(2, 4, 5, 8), randn(2, 4, 5, 8), is_causal=True), F.scaled_dot_product_attention(randn(2, 2, 5, 8), randn(2, 2, 6, 8), randn(2, 2, 6, 8), attn_mask=randn(5, 6, grad=False), scale=0.3)]),
    "encoder layer": module(lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), lambda: randn(2, 5, 8)),
    "decoder layer": module(lambda: nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, norm_first=True), lambda: randn(4, 2, 8), lambda: randn(5, 2, 8)),
    "lstm": lambda: backward(nn.LSTM(4, 6, 2, bidirectional=True).double()(randn(3, 2, 4))[0]),
    "lstm of oneDNN": lambda: nn.LSTM(4, 6, 2, batch_first=True)(torch.randn(3, 5, 4)),
    "gru": lambda: backward(nn.GRU(4, 6, batch_first=True).double()(randn(2, 3, 4))[0]),
    "in place": in_place,
    "complex": lambda: torch.view_as_real(torch.view_as_complex(randn(3, 4, 2)) * torch.view_as_complex(randn(4, 2))).sum().backward(),
    "casts": lambda: backward(randn(3).to(torch.float32).to(torch.float64) + torch.arange(3) + torch.full((3,), 2.0) + torch.zeros(3) + torch.ones(3)),
    "sgd": optimizer(torch.optim.SGD, momentum=0.9, weight_decay=0.1),
    "sgd foreach": optimizer(torch.optim.SGD, momentum=0.9, nesterov=True, foreach=True),
    "sgd fused": optimizer(torch.optim.SGD, momentum=0.9, fused=True),
    "adam": optimizer(torch.optim.Adam, weight_decay=0.1, foreach=False),
    "adam foreach": optimizer(torch.optim.Adam, foreach=True),
    "adam fused": optimizer(torch.optim.Adam, fused=True),
    "adamw fused": optimizer(torch.optim.AdamW, fused=True),
}  # fmt: skip

RANDOM = {
    "native_dropout",
    "bernoulli",
    "rand",
    "randn",
    "randn_like",
    "rand_like",
    "randint",
    "normal",
    "uniform",
    "random",
    "empty",
    "empty_like",
    "new_empty",
    "new_empty_strided",
}
WITHOUT = {
    # Known gaps: PyTorch's own (replaying falls back to PyTorch where it is at hand), or nothing to compute.
    "_local_scalar_dense", "mkldnn_rnn_layer_backward", "is_same_size", "record_stream", "_has_compatible_shallow_copy_type", "linalg_vector_norm_backward",
    "logit", "mish_backward", "hardswish_backward", "log_sigmoid_backward", "smooth_l1_loss_backward", "_fused_sdp_choice", "isposinf",
    "set_", "stride", "hardsigmoid_backward", "value_selecting_reduction_backward", "silu_",
}  # fmt: skip
# 2**-38: a hundred thousand roundings of float64; a wrong formula is off by its first digits.
TOLERANCE = 2.0**-38
F32 = 2.0**-20


def recorded(call, tmp_path):
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Recorder(tmp_path / "run.trace", level="tensors"):
            call()
    return read_trace(tmp_path / "run.trace")


@pytest.mark.parametrize("name", CALLS)
def test_formulas_agree_with_pytorch_in_float64(name, tmp_path):
    trace = recorded(CALLS[name], tmp_path)
    values = Values(trace)
    checked = 0
    for step in trace.ops:
        if step.name in RANDOM or step.name in WITHOUT:
            continue
        outputs = evaluate(step, values.number)
        for number, found in zip(step.outputs, outputs):
            if number is None or found is None or trace.values[number].elements == 0:
                continue
            value = trace.values[number]
            assert found.shape == value.shape, step
            if not value.hash:
                continue  # a view, which is made by the formula itself
            wanted = trace.stored(number)
            scale = max(1.0, float(np.abs(wanted.astype(complex)).max()))
            error = float(np.abs(found.astype(complex) - wanted.astype(complex)).max()) / scale
            assert error <= (TOLERANCE if value.dtype in ("float64", "complex128", "int64", "bool") else F32), (step, error)
            checked += 1
    assert checked


def test_views_are_those_of_pytorch(tmp_path):
    """Views are not stored; what is made of them is compared with copies of them."""

    def call():
        x = torch.randn(4, 6, 5, dtype=torch.float64)
        for view in (
            x.t() if x.dim() == 2 else x.transpose(0, 2),
            x[1:, ::2],
            x.permute(1, 2, 0),
            x.select(1, 3),
            x.unsqueeze(2),
            x.narrow(0, 1, 2),
            x.diagonal(0, 1, 2),
            x.unfold(1, 3, 2),
            x.expand(2, 4, 6, 5),
            *x.split(2),
            *x.unbind(1),
            x.view(24, 5),
            x.as_strided((2, 3), (5, 1), 7),
        ):
            view.clone()

    trace = recorded(call, tmp_path)
    values = Values(trace)
    clones = [step for step in trace.ops if step.name == "clone"]
    assert len(clones) > 15
    for step in clones:
        np.testing.assert_array_equal(values.number(step.inputs[0]), trace.stored(step.outputs[0]))


def test_an_op_without_a_formula_says_so(tmp_path):
    trace = recorded(lambda: torch.linalg.svd(torch.randn(3, 3)), tmp_path)
    with pytest.raises(Unknown, match="no formula for aten._linalg_svd"):
        evaluate(next(step for step in trace.ops if "svd" in step.name), Values(trace).number)


def test_lists_of_tensors_use_the_formula_of_one():
    assert formula_of("_foreach_mul") is not None
    assert formula_of("_foreach_nothing") is None
    assert len(FORMULAS) > 200


def test_the_error_function_is_that_of_the_c_library():
    x = np.linspace(-7.0, 7.0, 100_001)
    wanted = np.array([math.erf(each) for each in x])
    # Beside 1 a unit in the last place is 2**-53: two of SciPy's and one of the C library's.
    assert np.abs(erf(x) - wanted).max() <= 3 * 2.0**-53
