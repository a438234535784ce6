"""Pairs about more than one output: gradients, buffers, overwritten inputs, optimizer steps, nested outputs, unwritten memory."""

from __future__ import annotations

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from .algorithms import randn
from .registry import mistake, rounding

GRADIENTS = ("gradients", "backward")


class HandNorm(nn.Module):
    """Batch normalization by its formula, with running statistics."""

    def __init__(self, size: int, *, momentum: float = 0.1, unbiased: bool = True, detach: bool = True) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(size)
        self.momentum, self.unbiased, self.detach = momentum, unbiased, detach

    def forward(self, x):
        mean = x.mean(0)
        var = (x - mean).square().mean(0)
        with torch.no_grad():
            rate, count = self.momentum, len(x)
            self.bn.running_mean.mul_(1 - rate).add_(rate * mean)
            self.bn.running_var.mul_(1 - rate).add_(rate * var * (count / (count - 1) if self.unbiased else 1.0))
            self.bn.num_batches_tracked.add_(1)
        mean, var = (mean, var) if self.detach else (mean.detach(), var.detach())
        return (x - mean) * torch.rsqrt(var + 1e-5) * self.bn.weight + self.bn.bias


class LibraryNorm(nn.Module):
    """The same from the library, under the same names."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(size)

    def forward(self, x):
        return self.bn(x)


@rounding("batch-norm-statistics", "question 2; running statistics by hand", tags=("state",), verdict="ROUNDING")
def r_batch_norm_statistics_by_hand():
    return HandNorm(13), LibraryNorm(13), (randn(32, 13) * 2 + 1,)


@mistake("batch-norm-statistics", "biased variance in the running statistics", tags=("state",), verdict="MISTAKE")
def m_batch_norm_biased_running_variance():
    return HandNorm(13, unbiased=False), LibraryNorm(13), (randn(32, 13) * 2 + 1,)


@mistake("batch-norm-statistics", "momentum counted from the other end", tags=("state",), verdict="MISTAKE")
def m_batch_norm_momentum():
    return HandNorm(13, momentum=0.9), LibraryNorm(13), (randn(32, 13),)


@rounding(
    "batch-norm-gradient", "batch normalization by its formula, backward", tags=("state", *GRADIENTS), verdict="ROUNDING", gradients=True
)
def r_batch_norm_gradients():
    return HandNorm(9), LibraryNorm(9), (randn(24, 9),)


@mistake(
    "batch-norm-gradient", "statistics detached: the forward pass is right", tags=("state", *GRADIENTS), verdict="MISTAKE", gradients=True
)
def m_batch_norm_detached_statistics():
    return HandNorm(9, detach=False), LibraryNorm(9), (randn(24, 9),)


def _train_step(optimizer, **options):
    torch.manual_seed(5)
    net = nn.Sequential(nn.Linear(11, 17), nn.Tanh(), nn.Linear(17, 3))
    stepper = optimizer(net.parameters(), **options)

    def step(x):
        for _ in range(2):
            stepper.zero_grad()
            loss = net(x).square().mean()
            loss.backward()
            stepper.step()
        return loss.detach(), [parameter.detach() for parameter in net.parameters()]

    return step


class WrittenAdam(torch.optim.Optimizer):
    """Adam from its paper, with single mistakes to choose from."""

    def __init__(self, params, lr=1e-2, betas=(0.9, 0.999), eps=1e-8, decay=0.0, *, corrected=True, inside=False):
        super().__init__(params, {"lr": lr})
        self.betas, self.eps, self.decay, self.corrected, self.inside = betas, eps, decay, corrected, inside

    @torch.no_grad()
    def step(self):
        first, second = self.betas
        for group in self.param_groups:
            for p in group["params"]:
                kept = self.state[p]
                if not kept:
                    kept.update(step=torch.zeros(()), exp_avg=torch.zeros_like(p), exp_avg_sq=torch.zeros_like(p))
                kept["step"] += 1
                gradient = p.grad + self.decay * p
                kept["exp_avg"].mul_(first).add_(gradient, alpha=1 - first)
                kept["exp_avg_sq"].mul_(second).addcmul_(gradient, gradient, value=1 - second)
                count = int(kept["step"])
                mean = kept["exp_avg"] / (1 - first**count)
                square = kept["exp_avg_sq"] / (1 - second**count if self.corrected else 1.0)
                root = torch.sqrt(square + self.eps) if self.inside else torch.sqrt(square) + self.eps
                p.sub_(group["lr"] * mean / root)


@rounding("optimizer-order", "Adam from its paper against torch.optim.Adam", tags=("optimizer", "state"), verdict="ROUNDING")
def r_adam_step_by_hand():
    return _train_step(WrittenAdam), _train_step(torch.optim.Adam, lr=1e-2), (randn(20, 11),)


@rounding("optimizer-order", "fused against single-tensor Adam", tags=("optimizer", "state"))
def r_adam_step_fused():
    return _train_step(torch.optim.Adam, lr=1e-2, fused=True), _train_step(torch.optim.Adam, lr=1e-2, foreach=False), (randn(20, 11),)


@rounding("optimizer-order", "foreach against single-tensor AdamW", tags=("optimizer", "state"))
def r_adamw_step_foreach():
    options = {"lr": 1e-2, "weight_decay": 0.1}
    return (
        _train_step(torch.optim.AdamW, foreach=True, **options),
        _train_step(torch.optim.AdamW, foreach=False, **options),
        (randn(20, 11),),
    )


@mistake("optimizer-bias-correction", "second moment without bias correction", tags=("optimizer", "state"), verdict="MISTAKE")
def m_adam_step_without_correction():
    return _train_step(WrittenAdam, corrected=False), _train_step(torch.optim.Adam, lr=1e-2), (randn(20, 11),)


@mistake("optimizer-eps", "eps inside the root", tags=("optimizer", "state"), verdict="MISTAKE")
def m_adam_step_eps_inside():
    return _train_step(WrittenAdam, inside=True), _train_step(torch.optim.Adam, lr=1e-2), (randn(20, 11),)


@mistake("optimizer-decay", "decay in the gradient instead of decoupled", tags=("optimizer", "state"), verdict="MISTAKE")
def m_adamw_step_coupled_decay():
    options = {"lr": 1e-2, "weight_decay": 0.01}
    return _train_step(torch.optim.Adam, **options), _train_step(torch.optim.AdamW, **options), (randn(20, 11),)


@mistake("optimizer-momentum", "Nesterov momentum on one side", tags=("optimizer", "state"), verdict="MISTAKE")
def m_sgd_step_nesterov():
    options = {"lr": 1e-2, "momentum": 0.9}
    return _train_step(torch.optim.SGD, nesterov=True, **options), _train_step(torch.optim.SGD, **options), (randn(20, 11),)


def _layer():
    torch.manual_seed(8)
    return nn.Sequential(nn.Linear(23, 31), nn.GELU(), nn.Linear(31, 7))


class Scaled(torch.autograd.Function):
    """x * 1 with a gradient of a choosable factor."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


def _with_gradient_factor(net, factor):
    return lambda x: Scaled.apply(net(x), factor)


@rounding("backward-order", "a layer differentiated through its formula", tags=GRADIENTS, gradients=True)
def r_layer_gradients_by_formula():
    net = _layer()

    def formula(x):
        hidden = x @ net[0].weight.T + net[0].bias
        hidden = 0.5 * hidden * (1 + torch.erf(hidden / math.sqrt(2.0)))
        return hidden @ net[2].weight.T + net[2].bias

    return formula, (lambda x: net(x)), (randn(12, 23),)


@mistake("wrong-backward", "forward exact, gradient 0.01 % too large", tags=(*GRADIENTS, "subtle"), verdict="MISTAKE", gradients=True)
def m_gradient_scaled_slightly():
    net = _layer()
    return _with_gradient_factor(net, 1.0001), net, (randn(12, 23),)


@mistake("wrong-backward", "gradient of the tanh approximation, value of the exact GELU", tags=GRADIENTS, verdict="MISTAKE", gradients=True)
def m_gelu_gradient_of_the_approximation():
    def f(x):
        rough = F.gelu(x, approximate="tanh")
        return rough + (F.gelu(x) - rough).detach()

    return f, (lambda x: F.gelu(x)), (randn(40, 12),)


@rounding("checkpointing", "activation checkpointing recomputes the forward pass", tags=GRADIENTS, gradients=True)
def r_checkpointed_gradients():
    from torch.utils.checkpoint import checkpoint

    net = _layer()
    return (lambda x: checkpoint(net, x, use_reentrant=False)), (lambda x: net(x)), (randn(12, 23),)


@rounding("accumulation", "gradients of two halves of a batch added", tags=GRADIENTS, gradients=True)
def r_gradients_of_halves():
    net = _layer()
    return (lambda x: torch.cat([net(x[:6]), net(x[6:])])), (lambda x: net(x)), (randn(12, 23),)


@mistake("tied-weights", "a tied weight gets the gradient of one use only", tags=GRADIENTS, verdict="MISTAKE", gradients=True)
def m_tied_weight_loses_a_gradient():
    torch.manual_seed(3)
    tied = nn.Linear(10, 10)
    return (
        (lambda x: F.linear(torch.tanh(tied(x)), tied.weight.detach())),
        (lambda x: F.linear(torch.tanh(tied(x)), tied.weight)),
        (randn(7, 10),),
    )


@rounding("in-place", "question 2: the same update in place and out of place", tags=("in-place",), verdict="IDENTICAL")
def r_in_place_update_of_both():
    def in_place(x):
        return x.mul_(1.7).add_(0.3)

    def out_of_place(x):
        y = x * 1.7 + 0.3
        x.copy_(y)
        return y

    return in_place, out_of_place, (randn(30, 4),)


@mistake("in-place", "the returned value is right, what is left in the input is not", tags=("in-place",), verdict="MISTAKE")
def m_in_place_leaves_a_stale_input():
    def stale(x):
        y = x * 1.7 + 0.3
        x.mul_(1.7)
        return y

    def right(x):
        return x.mul_(1.7).add_(0.3)

    return stale, right, (randn(30, 4),)


@mistake("key-value-cache", "the cache is written one position too early", tags=("state", "in-place"), verdict="MISTAKE")
def m_cache_written_one_early():
    def decode(shift):
        def f(cache, new):
            cache[:, 5 - shift] = new
            return torch.softmax(new @ cache[:, :6].transpose(1, 2).sum(0), -1), cache

        return f

    return decode(1), decode(0), (randn(2, 8, 6), randn(2, 6))


@rounding("nested-outputs", "a model that returns a dict of logits and hidden states", tags=("nested",), verdict="ROUNDING")
def r_nested_outputs():
    net = _layer()

    def pieces(x):
        hidden = net[1](x.flip(1) @ net[0].weight.flip(1).T + net[0].bias)
        return {"logits": hidden @ net[2].weight.T + net[2].bias, "hidden": (hidden, hidden.mean(-1))}

    def library(x):
        hidden = net[1](net[0](x))
        return {"logits": net[2](hidden), "hidden": (hidden, hidden.sum(-1) / 31)}

    return pieces, library, (randn(12, 23),)


@mistake("nested-outputs", "only the second of three outputs is off", tags=("nested", "subtle"), verdict="MISTAKE")
def m_second_nested_output_is_off():
    net = _layer()

    def outputs(factor):
        def f(x):
            hidden = net[1](net[0](x))
            return {"logits": net[2](hidden), "hidden": (hidden * factor, hidden.mean(-1))}

        return f

    return outputs(1.0 + 1e-5), outputs(1.0), (randn(12, 23),)


@mistake("output-dtype", "the result comes back in float64", tags=("structure",), verdict="MISTAKE")
def m_result_in_another_dtype():
    return (lambda x: torch.tanh(x).double()), torch.tanh, (randn(9),)


@mistake("unwritten-memory", "the last row of the result is never written", tags=("uninitialised",), verdict="NONDETERMINISTIC")
def m_last_row_unwritten():
    def f(x):
        y = torch.empty_like(x)
        y[:-1] = torch.exp(x[:-1])
        return y

    return f, torch.exp, (randn(40, 33),)


@rounding("unwritten-memory", "torch.empty written before it is read", tags=("uninitialised",))
def r_empty_then_written():
    def f(x):
        y = torch.empty(x.shape, dtype=x.dtype)
        for row in range(x.shape[0]):
            torch.exp(x[row], out=y[row])
        return y

    return f, torch.exp, (randn(12, 33),)


@mistake("overlap", "question 2: in place on overlapping windows", tags=("in-place",), verdict="MISTAKE")
def m_in_place_on_overlapping_windows():
    def f(x):
        x = x.clone()
        x.unfold(0, 3, 1).mul_(1.5)
        return x

    return f, (lambda x: x * 1.5), (randn(64),)


@mistake("stale-state", "the module keeps what it saw first", tags=("state",), verdict="NONDETERMINISTIC")
def m_module_remembers_its_first_call():
    class Remembering(nn.Module):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            return x / self.calls

    return Remembering(), (lambda x: x * 1), (randn(6),)


@rounding("copy", "a deep copy of a module", tags=("state",), verdict="IDENTICAL")
def r_deep_copy():
    net = _layer()
    return copy.deepcopy(net), net, (randn(5, 23),)
