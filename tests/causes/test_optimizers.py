"""Optimizers written out are PyTorch's to rounding, and each reading of them does what it says."""

import contextlib
import inspect

import pytest
import torch
from torch import nn

from halfulp.causes.hypotheses.optimizers import FAMILIES, optimizers
from halfulp.causes.hypotheses.optimizers.reading import Reading, reading

MATRIX, VECTOR = torch.linspace(-1, 1, 12).reshape(4, 3), torch.linspace(0.5, -2, 5)
SIZES = (1.0, 0.5, 0.2, 0.1, 0.2, 0.6, 1.5, 4.0)
GRADIENTS = [
    (torch.sin(MATRIX * (3 + step)) * size + 0.05, torch.cos(VECTOR * (1 + 2 * step)) * size + 0.05) for step, size in enumerate(SIZES)
]
CLOSE = 1e-5
"""Of values about one in float32, after eight steps; in double precision the differences below are 1e-13."""
OPTIONS = {
    "Adam": [{}, {"lr": 0.01, "eps": 1e-3, "weight_decay": 0.1}, {"amsgrad": True, "betas": (0.8, 0.9)}, {"maximize": True}],
    "AdamW": [{}, {"lr": 0.01, "weight_decay": 0.2, "amsgrad": True}, {"betas": (0.8, 0.9), "eps": 1e-3}],
    "SGD": [
        {"lr": 0.1}, {"lr": 0.1, "momentum": 0.9}, {"lr": 0.1, "momentum": 0.9, "dampening": 0.5},
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    ],
    "RMSprop": [{}, {"momentum": 0.9, "centered": True}, {"alpha": 0.9, "weight_decay": 0.1, "eps": 1e-3}],
    "Adagrad": [{}, {"lr_decay": 0.1, "initial_accumulator_value": 0.1, "weight_decay": 0.1, "eps": 1e-3}],
    "Adadelta": [{}, {"lr": 0.5, "rho": 0.95, "eps": 1e-3, "weight_decay": 0.1}],
    "Adamax": [{}, {"weight_decay": 0.1, "eps": 0.1, "betas": (0.8, 0.9)}],
    "NAdam": [
        {}, {"weight_decay": 0.1, "momentum_decay": 0.2, "betas": (0.8, 0.9)}, {"weight_decay": 0.1, "decoupled_weight_decay": True, "eps": 1e-3},
    ],
    "RAdam": [
        {}, {"weight_decay": 0.1, "eps": 1e-3}, {"weight_decay": 0.1, "decoupled_weight_decay": True}, {"betas": (0.8, 0.9)},
    ],
    "Adafactor": [{"lr": 0.2}, {"lr": 0.5, "weight_decay": 0.1, "d": 1.5, "eps": (1e-4, 1e-2), "beta2_decay": -0.7}],
    "Muon": [{}, {"nesterov": False, "adjust_lr_fn": "match_rms_adamw", "ns_steps": 3, "momentum": 0.7}],
}  # fmt: skip
KINDS = [name for name in OPTIONS if hasattr(torch.optim, name)]


IDLE = {
    "Adam": {"weight decay added to the gradient (L2)"},
    "AdamW": {"weight decay decoupled from the gradient (AdamW)", "the second moment of the gradient without weight decay"},
}
"""Readings that are what the optimizer does."""


def trained(kind, options, dtype=torch.float64):
    """Parameters after eight steps, with gradients that fall and then rise, and a rate that changes."""

    def run():
        parameters = [nn.Parameter(start.to(dtype, copy=True)) for start in starts]
        optimizer = kind(parameters, **options)
        for place, (matrix, vector) in enumerate(GRADIENTS):
            of_starts = (matrix, matrix.T) if starts[1].dim() > 1 else (matrix, vector)
            for parameter, gradient in zip(parameters, of_starts):
                parameter.grad = gradient.to(dtype, copy=True)
            optimizer.param_groups[0]["lr"] *= 0.9 if place % 3 == 2 else 1.0
            optimizer.step()
        return torch.cat([parameter.detach().flatten() for parameter in parameters])

    starts = (MATRIX, MATRIX.T) if kind is getattr(torch.optim, "Muon", None) else (MATRIX, VECTOR)
    return run


def family_of(kind):
    return next(family for family in FAMILIES if kind in family.kinds)


@pytest.mark.parametrize(("name", "options"), [(name, options) for name in KINDS for options in OPTIONS[name]], ids=str)
def test_an_optimizer_written_out_is_that_of_pytorch(name, options):
    kind = getattr(torch.optim, name)
    run = trained(kind, options)
    with reading(family_of(kind), Reading("as it is", "")):
        found = run()
    assert (found - run()).abs().max() < (1e-2 if name == "Muon" else 1e-12)  # Muon iterates in bfloat16


def test_every_optimizer_of_pytorch_is_known_but_these():
    every = {name for name in dir(torch.optim) if inspect.isclass(getattr(torch.optim, name))}
    known = {kind.__name__ for family in FAMILIES for kind in family.kinds}
    assert every - known <= {"Optimizer", "ASGD", "LBFGS", "Rprop", "SparseAdam"}
    assert set(OPTIONS) >= known


@pytest.mark.parametrize("name", KINDS)
def test_every_reading_changes_what_some_setting_gives(name):
    kind = getattr(torch.optim, name)
    settings = [{**options, "lr": max(0.05, options.get("lr", 0.0))} for options in OPTIONS[name]]
    plain = [trained(kind, options)() for options in settings]
    idle = []
    for around in optimizers({kind}):
        changed = [around.wrap(trained(kind, options))() for options in settings]
        if not any((one - other).abs().max() > CLOSE for one, other in zip(changed, plain)):
            idle.append(around.detail)
    assert set(idle) == IDLE.get(name, set())


@pytest.mark.parametrize("name", KINDS)
def test_no_two_readings_are_the_same(name):
    kind = getattr(torch.optim, name)
    settings = [{**options, "lr": max(0.05, options.get("lr", 0.0))} for options in OPTIONS[name]]
    seen = {}
    same = []
    for around in optimizers({kind}):
        key = tuple(tuple(around.wrap(trained(kind, options))().mul(1e8).round().tolist()) for options in settings)
        same += [(around.detail, seen[key])] if key in seen else []
        seen[key] = around.detail
    assert not [pair for pair in same if not set(pair) & IDLE.get(name, set())]


def test_readings_of_one_optimizer_add_up():
    kind, options = torch.optim.Adam, {"lr": 0.05, "weight_decay": 0.1, "eps": 1e-2}
    by_detail = {around.detail: around for around in optimizers({kind})}
    first, second = by_detail["eps added under the square root"], by_detail["no bias correction of the second moment"]
    run = trained(kind, options)
    both, turned = first.wrap(second.wrap(run))(), second.wrap(first.wrap(run))()
    assert torch.equal(both, turned)
    assert (both - first.wrap(run)()).abs().max() > CLOSE and (both - second.wrap(run)()).abs().max() > CLOSE


# By hand


STEPS = 5
DRAWN = [torch.randn(12, generator=torch.Generator().manual_seed(each), dtype=torch.float64) for each in range(STEPS)]
START = torch.randn(12, generator=torch.Generator().manual_seed(99), dtype=torch.float64)
# Each step rounds some 20 times what is of size 1 (a parameter below 4, a step of at most the rate over 1 - 0.9).
TO_ROUNDING = STEPS * 20 * 4 * 2.0**-53


def stepped(kind, *choices, **options):
    """A parameter after five steps, with these choices, each of a reading of its own."""
    parameter = nn.Parameter(START.clone())
    optimizer = kind([parameter], **options)
    with contextlib.ExitStack() as stack:
        for choice in choices:
            stack.enter_context(reading(family_of(kind), Reading("", "", frozenset(choice.split(" + ")))))
        for gradient in DRAWN:
            parameter.grad = gradient.clone()
            optimizer.step()
    return parameter.detach().clone()


def close(left, right):
    return bool(((left - right).abs() <= TO_ROUNDING).all())


def adam_by_hand(*, epsilon="outside", decoupled=False, first=True, second=True, shift=0, lr=1e-3, decay=0.0, eps=1e-8):
    p, m, v = START.clone(), torch.zeros_like(START), torch.zeros_like(START)
    for t, gradient in enumerate(DRAWN, 1):
        p, g = (p - lr * decay * p, gradient) if decoupled else (p, gradient + decay * p)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        c1, c2 = 1 - 0.9 ** (t + shift) if first else 1.0, 1 - 0.999 ** (t + shift) if second else 1.0
        below = {"outside": (v / c2).sqrt() + eps, "hat": (v.sqrt() + eps) / c2**0.5, "inside": (v / c2 + eps).sqrt()}[epsilon]
        p = p - lr * m / c1 / below
    return p


OF_ADAM = {
    "epsilon hat": {"epsilon": "hat"},
    "epsilon inside": {"epsilon": "inside"},
    "decay decoupled": {"decoupled": True},
    "first uncorrected": {"first": False},
    "second uncorrected": {"second": False},
    "first uncorrected + second uncorrected": {"first": False, "second": False},
    "one later": {"shift": 1},
}
USUAL = {"lr": 0.01, "weight_decay": 0.1, "eps": 1e-3}


@pytest.mark.parametrize("choice", OF_ADAM)
def test_a_reading_of_adam_is_that_of_its_formula(choice):
    found = stepped(torch.optim.Adam, choice, **USUAL)
    assert close(found, adam_by_hand(**OF_ADAM[choice], lr=0.01, decay=0.1, eps=1e-3))
    assert not close(found, stepped(torch.optim.Adam, **USUAL))


def test_weight_decay_turned_around_makes_adam_of_adamw_and_adamw_of_adam():
    own, other = (stepped(kind, lr=0.01, weight_decay=0.1) for kind in (torch.optim.Adam, torch.optim.AdamW))
    assert close(stepped(torch.optim.Adam, "decay decoupled", lr=0.01, weight_decay=0.1), other)
    assert close(stepped(torch.optim.AdamW, "decay coupled", lr=0.01, weight_decay=0.1), own)
    assert not close(own, other)


def test_readings_of_one_optimizer_add_up_to_the_formula_with_all_of_them_in_either_order():
    choices = "epsilon hat", "decay decoupled", "first uncorrected + second uncorrected"
    wanted = adam_by_hand(epsilon="hat", decoupled=True, first=False, second=False, lr=0.01, decay=0.1, eps=1e-3)
    assert close(stepped(torch.optim.Adam, *choices, **USUAL), wanted)
    assert close(stepped(torch.optim.Adam, *reversed(choices), **USUAL), wanted)


def sgd_by_hand(update):
    p, buffer = START.clone(), None
    for g in DRAWN:
        step, buffer = update(g, buffer)
        p = p - step
    return p


OF_SGD = {
    "dampened": lambda: stepped(torch.optim.SGD, lr=0.1, momentum=0.9, dampening=0.9),
    "nesterov": lambda: stepped(torch.optim.SGD, lr=0.1, momentum=0.9, nesterov=True),
    "dampened + first step dampened": lambda: sgd_by_hand(lambda g, b: (0.1 * (new := 0.9 * (0 if b is None else b) + 0.1 * g), new)),
    "nesterov + stale": lambda: sgd_by_hand(lambda g, b: (0.1 * (g + 0.9 * (g if b is None else b)), g if b is None else 0.9 * b + g)),
}


@pytest.mark.parametrize("choice", OF_SGD)
def test_a_reading_of_sgd_is_that_of_its_formula(choice):
    options = {"lr": 0.1, "momentum": 0.9}
    assert close(stepped(torch.optim.SGD, choice, **options), OF_SGD[choice]())
    assert not close(stepped(torch.optim.SGD, choice, **options), stepped(torch.optim.SGD, **options))


def test_rmsprop_of_tensorflow_is_the_reading_with_epsilon_inside_and_an_average_that_starts_at_one():
    p, v = START.clone(), torch.ones_like(START)
    for g in DRAWN:
        v = 0.9 * v + 0.1 * g * g
        p = p - 0.01 * g / (v + 1e-3).sqrt()
    assert close(stepped(torch.optim.RMSprop, "epsilon inside", "starts at one", lr=0.01, alpha=0.9, eps=1e-3), p)


def test_the_radam_of_the_paper_rectifies_from_the_fifth_step_on():
    betas = (0.9, 0.999)
    lengths = [(long := 2 / (1 - betas[1]) - 1) - 2 * t * betas[1] ** t / (1 - betas[1] ** t) for t in range(1, STEPS + 1)]
    assert 4 < lengths[-1] < 5  # PyTorch, with its threshold of 5, begins one step later
    assert long == pytest.approx(1999)
    assert not close(stepped(torch.optim.RAdam, "threshold 4", lr=0.1), stepped(torch.optim.RAdam, lr=0.1))


def test_optimizers_step_as_before_after_an_interrupt():
    kinds = {kind for family in FAMILIES for kind in family.kinds}
    before = {kind: kind.__dict__.get("step") for kind in kinds}

    def interrupted():
        raise KeyboardInterrupt

    for around in optimizers(kinds):
        with pytest.raises(KeyboardInterrupt):
            around.wrap(interrupted)()
    assert {kind: kind.__dict__.get("step") for kind in kinds} == before
    assert not list(optimizers(set())) and not list(optimizers({torch.optim.LBFGS}))
