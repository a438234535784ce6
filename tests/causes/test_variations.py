"""Every variation of every record runs on calls of a zoo, leaves inputs and the function as they were, and names nothing that isn't there."""

import time
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from halfulp.cases import Case
from halfulp.causes.hypotheses import CATALOG
from halfulp.causes.laboratory import Laboratory
from halfulp.causes.trial import Watch, suggestions
from halfulp.noise import noise_of
from halfulp.verdicts.checker import judged
from halfulp.verdicts.gatherer import Gatherer


def of(seed, *shapes):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(*shape, generator=generator) for shape in shapes)


W2, B2 = of(1, (4, 4, 3, 3), (4,))
W1 = of(2, (4, 4, 3))[0]
SQUARE, BIAS = of(3, (6, 6), (6,))
MASK = torch.rand(5, 7, generator=torch.Generator().manual_seed(4)) > 0.3
LABELS = torch.tensor([0, 2, 1, 0])
LSTM, GRU, CELL = nn.LSTM(4, 3, batch_first=True), nn.GRU(4, 3, bidirectional=True), nn.GRUCell(4, 3)


def rotated(x):
    left, right = x[..., :3], x[..., 3:]
    return x * 0.5 + torch.cat((-right, left), -1)


def paired(x):
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((-odd, even), -1).flatten(-2) + x.repeat_interleave(2, -1)[..., :6]


def turned(x):
    return torch.view_as_real(torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * 1j).flatten(-2)


def written(x):
    y = x.clone()
    y.mul_(2.0)
    y[0] = y[1]
    F.relu(y, inplace=True)
    return y.add_(1e-5)


ZOO = {
    "norms": (lambda x: F.layer_norm(x, (6,), SQUARE[0], BIAS) + F.rms_norm(x, (6,), SQUARE[1]) + F.normalize(x, dim=-1), of(5, (4, 6))),
    "batch": (lambda x: F.batch_norm(x, torch.zeros(6), torch.ones(6), BIAS, BIAS, training=True), of(6, (5, 6))),
    "running": (lambda x: F.batch_norm(x, torch.zeros(6), torch.ones(6), BIAS, BIAS), of(6, (5, 6))),
    "groups": (lambda x: F.group_norm(x, 2, BIAS, BIAS) + F.instance_norm(x), of(7, (2, 6, 4))),
    "moments": (lambda x: x.var(-1) + x.std(-1) + torch.var_mean(x, -1)[0] + x.mean(-1) + torch.linalg.vector_norm(x, dim=-1), of(8, (3, 7))),
    "halves of norms": (lambda x: F.rms_norm(x, (6,), SQUARE[1].bfloat16()) + F.layer_norm(x, (6,), SQUARE[1].bfloat16()), tuple(each.bfloat16() for each in of(9, (4, 6)))),
    "activations": (lambda x: F.gelu(x) + F.silu(x) + torch.erf(x) + torch.tanh(x) + F.leaky_relu(x) + F.elu(x) + F.softplus(x) + torch.sigmoid(x), of(10, (4, 6))),
    "convolution": (lambda x: F.avg_pool2d(F.conv2d(x, W2, B2, padding=1), 2, padding=1) + 0, of(11, (2, 4, 6, 6))),
    "strided convolution": (lambda x: F.conv2d(x, W2, None, stride=2, padding=1, dilation=1) + 0, of(12, (1, 4, 7, 7))),
    "dilated convolution": (lambda x: F.conv2d(x, W2, B2, padding=2, dilation=2), of(13, (1, 4, 6, 6))),
    "other convolutions": (lambda x: F.conv1d(x, W1, padding=1) + F.conv_transpose1d(x, W1, padding=1), of(14, (2, 4, 9))),
    "padding": (lambda x: F.max_pool2d(F.pad(x, (1, 2, 0, 1)), 2), of(15, (1, 3, 7, 7))),
    "products": (lambda x: torch.addmm(BIAS, x, SQUARE, beta=0.5) + F.linear(x, SQUARE, BIAS) + x @ SQUARE + torch.add(x, x, alpha=2), of(16, (4, 6))),
    "resampling": (lambda x: F.interpolate(x, scale_factor=1.5, mode="bilinear") + F.interpolate(x, (6, 6), mode="bicubic", align_corners=True), of(17, (1, 3, 4, 4))),
    "grids": (lambda x, g: F.grid_sample(x, g, align_corners=False), (of(18, (1, 2, 5, 5))[0], torch.rand(1, 4, 4, 2) * 1.8 - 0.9)),
    "attention": (F.scaled_dot_product_attention, of(19, (1, 2, 5, 4), (1, 2, 7, 4), (1, 2, 7, 4))),
    "causal attention": (lambda q, k: F.scaled_dot_product_attention(q, k, k, is_causal=True), of(20, (1, 2, 5, 4), (1, 2, 7, 4))),
    "masked attention": (lambda q, k: F.scaled_dot_product_attention(q, k, k, attn_mask=MASK), of(20, (1, 2, 5, 4), (1, 2, 7, 4))),
    "attention by hand": (lambda q, k: torch.softmax((torch.tanh(q @ k.mT / 2 / 30) * 30).masked_fill(~MASK, -1e9), -1) @ k, of(21, (1, 2, 5, 4), (1, 2, 7, 4))),
    "masks": (lambda x: torch.where(x > 0, x, 0.5 * x) + x.tril() + x.triu(1), of(22, (5, 5))),
    "rotated by halves": (rotated, of(23, (2, 6))),
    "rotated in pairs": (lambda x: paired(x) + turned(x), of(24, (2, 6))),
    "recurrent": (lambda x: LSTM(x)[0], of(25, (2, 5, 4))),
    "gated": (lambda x: GRU(x)[0], of(26, (5, 2, 4))),
    "cells": (lambda x, h: CELL(x, h) + torch.chunk(torch.cat((h, h, h, h), -1), 4, -1)[1].sigmoid(), of(27, (2, 4), (2, 3))),
    "classification": (lambda x: F.cross_entropy(x, LABELS, label_smoothing=0.1, weight=torch.ones(3)) + F.nll_loss(F.log_softmax(x, 1), LABELS), of(28, (4, 3))),
    "regression": (lambda x, y: F.mse_loss(x, y) + F.smooth_l1_loss(x, y) + F.huber_loss(x, y) + x.mean() + F.kl_div(x, y.exp(), reduction="batchmean"), of(29, (4, 3), (4, 3))),
    "binary": (lambda x: F.binary_cross_entropy_with_logits(x, (x > 0).float(), pos_weight=torch.ones(3)) + F.logsigmoid(x).sum(), of(30, (4, 3))),
    "strides": (lambda x: x.t() @ x.t().t() + x.t().sum(0), of(31, (4, 4))),
    "flattened": (lambda x: x.permute(0, 2, 3, 1).flatten(1) + x.reshape(2, -1) + x.transpose(1, 2).flatten(1), of(32, (2, 3, 3, 3))),
    "integers": (lambda i: (i // 2) + torch.div(i, 3, rounding_mode="trunc") + (i % 3) + (i.float() * 0.7).long() + torch.fmod(i, 2), (torch.arange(-6, 6),)),
    "rounding": (lambda x: torch.round(x * 2) / 2 + torch.floor(x) + torch.fake_quantize_per_tensor_affine(x, 0.5, 0, -8, 8), of(33, (4, 5))),
    "special values": (lambda x: torch.maximum(x, x * 2) + x.clamp(-1, 1) + x.amax(-1, keepdim=True) + torch.fmin(x, x) + F.relu6(x), of(34, (3, 4))),
    "dropout": (lambda x: F.dropout(x, 0.5, training=False), of(35, (4, 4))),
    "casts": (lambda x: (x.bfloat16() * 2).float() + x.to(torch.float16).float(), of(36, (4, 4))),
    "sixteen bits": (lambda x: (x * x + x) @ x.t(), tuple(each.bfloat16() for each in of(37, (4, 4)))),
    "double": (lambda x: x * torch.linspace(0, 1, 4, dtype=torch.float64) + x.sum(-1, keepdim=True), tuple(each.double() for each in of(38, (3, 4)))),
    "distances": (lambda x: torch.cdist(x, x + 1) + torch.logsumexp(x, -1) + torch.expm1(x).sum() + torch.log1p(x.abs()).sum(), of(39, (4, 3))),
    "sums": (lambda x: x.sum(-1) + x.mean(0).sum() + x.cumsum(-1)[:, -1] + x.log2().nan_to_num().sum(), of(40, (3, 5))),
    "constants": (lambda x: ((x * 0.3 - 0.2) / 1.7 + 2.0).clamp(-1.5, 1.5) ** 2 + 10000.0 ** x.clamp(-1, 0), of(41, (3, 4))),
    "colors": (lambda x: (x - torch.full((3, 1, 1), 0.5)) / torch.full((3, 1, 1), 0.5), (torch.rand(1, 3, 4, 4),)),
    "in place": (written, of(42, (3, 4))),
    "orders": (lambda x: torch.cat((x, x * 2), -1) + torch.stack((x, x), 1).flatten(1) + x.repeat_interleave(2, 1), of(43, (2, 3))),
}  # fmt: skip

MISTAKES = (NameError, AttributeError, KeyError, UnboundLocalError, AssertionError, SyntaxError, ImportError, RecursionError)
"""What a variation raises that is wrong by itself; one that doesn't suit a shape raises what PyTorch raises."""


def laboratory(case):
    gatherer = Gatherer(case, lambda _: None)
    return Laboratory(case, noise_of(case), judged(gatherer), time.monotonic() + 600, lambda _: None)


@pytest.mark.parametrize("name", list(ZOO))
def test_every_variation_runs_or_does_not_suit_and_leaves_everything_as_it_was(name):
    function, inputs = ZOO[name]
    before = [tensor.clone() for tensor in inputs]
    case = Case(function, function, inputs)
    own, suggested = laboratory(case), suggestions(case)
    trials = [trial for each in suggested for trial in (*each.trials, *each.single)]
    fitted = [fitting.trial(1.1 * fitting.fit.present) for side in suggested for fitting in side.fittings]
    ran = 0
    for trial in (*trials, *fitted):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                own.outputs_with([trial])
            ran += 1
        except Exception as error:
            reason = error.__cause__ or error
            assert not isinstance(reason, MISTAKES), f"{trial.name}: {trial.detail}: {reason!r}"
        assert trial.detail and trial.remedy and "{" not in trial.remedy.replace('{"', "")
    assert ran > len(trials) / 4
    assert all(torch.equal(one, two) for one, two in zip(before, inputs))
    again = own.outputs_with([])
    for side in ("actual", "expected"):
        assert all((one.stored == two.stored).all() for one, two in zip(again[side], own.native[side]) if one.format is not None)


def test_every_record_of_the_catalog_varies_some_call_of_the_zoo():
    met = set()
    for function, inputs in ZOO.values():
        watch = Watch(Case(function, function, inputs), "expected")
        met |= {rank for rank, _ in watch.groups}
    missing = [record.name for rank, record in enumerate(CATALOG) if rank not in met and record.name != "dropout"]
    assert not missing
