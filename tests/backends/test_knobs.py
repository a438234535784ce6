"""Every knob puts back what it changed, says what it is, and changes the bits that it is known to change."""

import contextlib
import dataclasses
import random
import warnings

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from halfulp.backends.knobs import Knob, NotApplicable, knobs
from halfulp.backends.knobs.settings import apply_settings, flushes, read_settings
from halfulp.traces import fingerprint

ALL = knobs()
HERE = [knob for knob in ALL if not knob.needs_fresh_process and not knob.unavailable()]
OPTIMIZERS = (torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD)


class Stopped(Exception):
    """Raised by a function in the middle."""


class Mode(nn.Module):
    """Shows its mode in its result."""

    def forward(self, x):
        return x * (2.0 if self.training else 1.0)


class World:
    """A function with everything that knobs reach: modules in both modes, an optimizer, inputs; and the whole numeric state around it."""

    def __init__(self):
        self.model = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.GroupNorm(2, 4), Mode(), nn.Flatten(), nn.Linear(64, 5), Mode())
        self.model[2].eval()
        self.model[0].bias.requires_grad_(False)
        self.model.register_buffer("steps", torch.zeros(2))
        self.model.register_buffer("table", torch.zeros(2, dtype=torch.float64))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.1)
        self.x = torch.randn(8, 4, 4, 3).permute(0, 3, 1, 2)  # no contiguous memory
        self.calls = 0

    def function(self, *, raises=False):
        model, optimizer = self.model, self.optimizer

        def run(x):
            self.calls += 1
            if raises:
                model(x)
                raise Stopped
            result = model(x) * optimizer.param_groups[0]["lr"]
            result += 0
            return result

        return run

    def cheap(self):
        """All settings, without the slower fingerprint."""
        return {
            "settings": read_settings(),
            "generator": torch.get_rng_state().numpy().tobytes(),
            "numpy": str(np.random.get_state()),
            "python": random.getstate(),
            "filters": list(warnings.filters),
            "modes": {path: part.training for path, part in self.model.named_modules()},
            "needs gradients": {name: each.requires_grad for name, each in self.model.named_parameters()},
            "gradients": {name: each.grad is None for name, each in self.model.named_parameters()},
            "numbers": {name: (each.data_ptr(), each.dtype, each.numpy().tobytes()) for name, each in self.model.state_dict().items()},
            "groups": [{key: value for key, value in group.items() if key != "params"} for group in self.optimizer.param_groups],
            "steps": [(kind, kind.__dict__.get("step")) for kind in OPTIMIZERS],
            "inputs": (self.x.stride(), self.x.numpy().tobytes()),
            "dtype": torch.get_default_dtype(),
            "hooks": [len(module._forward_hooks) + len(module._forward_pre_hooks) for module in self.model.modules()],
            "attention": [
                torch.backends.cuda.flash_sdp_enabled(),
                torch.backends.cuda.math_sdp_enabled(),
                torch.backends.cuda.mem_efficient_sdp_enabled(),
                torch.backends.cuda.cudnn_sdp_enabled(),
            ],
            "modes of dispatch": torch._C._len_torch_function_stack(),
            "autocast dtype": torch.get_autocast_dtype("cpu"),
        }

    def state(self):
        return {**self.cheap(), "fingerprint": fingerprint().sections}


def told(knob):
    return f"{knob.name}: {knob.detail}"


@pytest.mark.parametrize("knob", HERE, ids=told)
def test_a_knob_leaves_nothing_after_a_return(knob):
    world = World()
    before = world.state()
    result = knob.applied(world.function())(world.x)
    assert world.calls > 0
    assert result.shape == (8, 5)
    assert world.state() == before


@pytest.mark.parametrize("knob", HERE, ids=told)
def test_a_knob_leaves_nothing_after_an_exception(knob):
    world = World()
    before = world.state()
    with pytest.raises(Stopped):
        knob.applied(world.function(raises=True))(world.x)
    assert world.calls == 1
    assert world.state() == before


@pytest.mark.parametrize("outer", [pytest.param(each, id=told(each)) for each in HERE])
def test_every_knob_inside_another_leaves_nothing(outer):
    world = World()
    before = world.cheap()
    ran = 0
    for inner in HERE:
        for raises in (False, True):
            calls = world.calls
            with contextlib.suppress(Stopped, NotApplicable, RuntimeError):  # pairs that can't work together may fail, not leak
                outer.applied(inner.applied(world.function(raises=raises)))(world.x)
            ran += world.calls > calls
        after = world.cheap()
        torch.set_flush_denormal(before["settings"]["flush subnormals"])  # what leaks here must not reach other tests
        assert after == before, told(inner)
    assert ran >= len(HERE)  # half of the runs, those that raise or those that return, at the least


LEAKS = {
    "default dtype": (lambda world: torch.set_default_dtype(torch.float64), lambda world: torch.set_default_dtype(torch.float32)),
    "oneDNN": (
        lambda world: setattr(torch.backends.mkldnn, "enabled", False),
        lambda world: setattr(torch.backends.mkldnn, "enabled", True),
    ),
    "gradients": (lambda world: torch.set_grad_enabled(False), lambda world: torch.set_grad_enabled(True)),
    "fast path": (
        lambda world: torch.backends.mha.set_fastpath_enabled(False),
        lambda world: torch.backends.mha.set_fastpath_enabled(True),
    ),
    "attention": (lambda world: torch.backends.cuda.enable_flash_sdp(False), lambda world: torch.backends.cuda.enable_flash_sdp(True)),
    "determinism": (lambda world: torch.use_deterministic_algorithms(True), lambda world: torch.use_deterministic_algorithms(False)),
    "threads": (lambda world: torch.set_num_threads(world.threads + 1), lambda world: torch.set_num_threads(world.threads)),
    "random numbers": (lambda world: torch.rand(1), lambda world: None),
    "filters": (lambda world: warnings.simplefilter("ignore"), lambda world: None),
    "mode": (lambda world: world.model[2].train(), lambda world: None),
    "parameter": (lambda world: world.model[4].weight.data.add_(1e-3), lambda world: None),
    "buffer": (lambda world: world.model.steps.add_(1), lambda world: None),
    "needs gradient": (lambda world: world.model[4].bias.requires_grad_(False), lambda world: None),
    "group": (lambda world: world.optimizer.param_groups[0].update(foreach=True), lambda world: None),
    "input": (lambda world: world.x.mul_(2), lambda world: None),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_knob_that_leaks_is_caught(leak):
    world = World()
    world.threads = torch.get_num_threads()
    spoil, repair = LEAKS[leak]

    @contextlib.contextmanager
    def around():
        yield
        spoil(world)

    knob = Knob("leaking", "a leak", frozenset(("everything",)), "none", around)
    with warnings.catch_warnings():
        before = world.cheap()
        try:
            knob.applied(world.function())(world.x)
            assert world.cheap() != before
        finally:
            repair(world)


@pytest.mark.parametrize("knob", ALL, ids=told)
def test_a_knob_says_what_it_touches_how_it_is_set_and_why_it_cannot_be(knob):
    assert knob.name and knob.detail and knob.remedy
    assert knob.touches and all(isinstance(touch, str) and touch for touch in knob.touches)
    assert not knob.detail.endswith(".")  # it ends a sentence that begins "computed with"
    assert isinstance(knob.unavailable(), str)
    assert sum((knob.around is not None, knob.wrap is not None, bool(knob.environment))) == 1
    assert all(isinstance(report, str) and report for report in knob.reports)
    assert all(isinstance(key, str) and isinstance(value, str) for key, value in knob.environment.items())


def test_names_and_details_tell_knobs_apart():
    assert len({(knob.name, knob.detail) for knob in ALL}) == len(ALL)


def test_a_setting_that_is_in_force_already_is_no_knob():
    """What a knob sets is not what is set now: turning it would show nothing."""
    for name, value in (("default dtype", "float32 as the default dtype"), ("threads", f"{torch.get_num_threads()} thread")):
        own = [knob for knob in ALL if knob.name == name and knob.detail.startswith(value)]
        assert own and all(knob.unavailable() for knob in own)


PLAIN = {
    "batch size": torch.ones(()),
    "position in the batch": torch.ones(1, 3),
    "optimizer implementation": torch.ones(4, 3),
    "training mode": torch.ones(4, 3),
    "writes in place": torch.ones(4, 3),
}


@pytest.mark.parametrize("knob", [each for each in HERE if each.name in PLAIN], ids=told)
def test_a_knob_that_does_not_apply_says_so_and_leaves_nothing(knob):
    world = World()
    before = world.state()
    with pytest.raises(NotApplicable):
        knob.applied(lambda x: x * 2)(PLAIN[knob.name])
    assert world.state() == before


def test_every_name_that_may_not_apply_is_there():
    assert {knob.name for knob in HERE} >= set(PLAIN)


def test_parts_of_a_batch_need_a_result_with_a_batch():
    part = next(knob for knob in HERE if knob.detail == "the batch in 2 parts")
    with pytest.raises(NotApplicable):
        part.applied(lambda x: x.sum())(torch.ones(4, 3))
    with pytest.raises(NotApplicable):
        part.applied(lambda x: 3.0)(torch.ones(4, 3))


@pytest.mark.parametrize("knob", [each for each in HERE if each.name in ("batch size", "position in the batch", "contiguity")], ids=told)
@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_a_change_of_the_batch_gives_every_sample_its_own_result(knob, size):
    x = torch.randn(size, 7)
    once = lambda batch: (batch.double().cumsum(1), {"twice": batch * 2})
    first, second = knob.applied(once)(x)
    assert torch.equal(first, once(x)[0]) and torch.equal(second["twice"], x * 2)


# What knobs are known to change


def the(name, detail=""):
    found = [knob for knob in ALL if knob.name == name and detail in knob.detail]
    assert found, f"no knob {name} {detail}"
    if found[0].unavailable():
        pytest.skip(f"{name}: {found[0].unavailable()}")
    return found[0]


def error(result, exact):
    return float((result.double() - exact).square().mean().sqrt())


def test_onednn_off_changes_the_bits_of_convolutions_and_no_more():
    knob = the("oneDNN", "off")
    x, weight = torch.randn(2, 16, 20, 20), torch.randn(16, 16, 3, 3)
    native = F.conv2d(x, weight)
    turned = knob.applied(F.conv2d)(x, weight)
    assert not torch.equal(turned, native)
    exact = F.conv2d(x.double(), weight.double())
    # 144 products, each rounded to half an ulp of a partial sum: the worst-case bound n u sum|x||w|.
    bound = 144 * 2.0**-24 * F.conv2d(x.double().abs(), weight.double().abs())
    assert ((turned.double() - exact).abs() <= bound).all() and ((native.double() - exact).abs() <= bound).all()


def test_without_onednn_batches_of_sixteen_go_to_nnpack_and_lose_digits():
    if torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"):
        pytest.skip("NNPACK needs AVX2")
    onednn, nnpack = the("oneDNN", "off"), the("NNPACK", "off")
    weight = torch.randn(32, 32, 3, 3)
    ratios = {}
    for batch in (8, 16):
        x = torch.randn(batch, 32, 24, 24)
        exact = F.conv2d(x.double(), weight.double(), padding=1)
        run = lambda each: F.conv2d(each, weight, padding=1)
        with_it, without = onednn.applied(run)(x), onednn.applied(nnpack.applied(run))(x)
        ratios[batch] = error(with_it, exact) / error(without, exact)
    assert ratios[16] >= 5  # "loses about one digit"
    assert ratios[8] == 1  # small batches go elsewhere, with NNPACK or without


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_autocast_computes_products_in_sixteen_bits(name):
    knob = the("autocast", f"to {name}")
    x, layer = torch.randn(4, 50), nn.Linear(50, 6)
    assert knob.applied(layer)(x).dtype == getattr(torch, name)
    assert layer(x).dtype == torch.float32


def test_flushing_zeroes_subnormal_numbers():
    if not torch.set_flush_denormal(False):
        pytest.skip("this processor can't flush subnormal numbers")
    knob = the("subnormals flushed", "flushed to zero")
    smallest = torch.full((8,), 1e-40)
    assert (knob.applied(lambda x: x * 1)(smallest) == 0).all()
    assert (smallest * 1 != 0).all() and not flushes()


@pytest.mark.parametrize("on", [False, True])
def test_flushing_is_measured_alike_under_every_default_dtype(on):
    if not torch.set_flush_denormal(False):
        pytest.skip("this processor can't flush subnormal numbers")
    before = torch.get_default_dtype()
    found = {}
    try:
        torch.set_flush_denormal(on)
        for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
            torch.set_default_dtype(dtype)
            found[dtype] = flushes()
    finally:
        torch.set_flush_denormal(False)
        torch.set_default_dtype(before)
    assert set(found.values()) == {on}


def test_matmul_precision_and_the_default_dtype_are_in_force_inside():
    assert the("float32 matmul precision", "medium").applied(torch.get_float32_matmul_precision)() == "medium"
    assert the("default dtype", "float64").applied(lambda: torch.zeros(1).dtype)() == torch.float64
    counts = {knob.detail: knob.applied(torch.get_num_threads)() for knob in HERE if knob.name == "threads"}
    assert counts and all(detail.split()[0] == str(count) for detail, count in counts.items())
    assert the("deterministic algorithms").applied(torch.are_deterministic_algorithms_enabled)()
    assert not the("grad mode", "no_grad").applied(torch.is_grad_enabled)()
    assert the("grad mode", "inference").applied(torch.is_inference_mode_enabled)()
    assert not the("encoder fast path").applied(torch.backends.mha.get_fastpath_enabled)()


@pytest.mark.parametrize("knob", [each for each in HERE if each.name == "fp32_precision"], ids=told)
def test_an_fp32_precision_is_in_force_inside(knob):
    path, value = knob.detail.removeprefix("torch.backends.").split(".fp32_precision = ")
    assert knob.applied(lambda: read_settings()["fp32_precision"][path])() == value.strip("'")


def test_modes_of_modules_are_those_that_the_knob_names():
    world = World()
    seen = lambda x: (model(x), [part.training for part in model.modules()])[1]
    model = world.model
    assert not any(the("training mode", "evaluation").applied(seen)(world.x))
    assert all(the("training mode", "all modules in training").applied(seen)(world.x))


def test_writes_in_place_go_to_new_tensors_and_the_result_is_the_same():
    def written(x):
        y = x * 2
        y[:, 1:] += 1
        return y

    x = torch.randn(4, 3)
    assert torch.equal(the("writes in place").applied(written)(x), written(x))


@pytest.mark.parametrize("knob", [each for each in HERE if each.name == "optimizer implementation"], ids=told)
def test_an_optimizer_steps_by_the_implementation_that_is_named(knob):
    parameter = nn.Parameter(torch.ones(3))
    optimizer = torch.optim.AdamW([parameter], lr=0.1)
    seen = []

    def step(x):
        seen.append({key: optimizer.param_groups[0][key] for key in ("foreach", "fused")})
        parameter.grad = x
        optimizer.step()
        return parameter.detach().clone()

    result = knob.applied(step)(torch.tensor([1.0, -2.0, 3.0]))
    wanted = {"a loop": (False, False), "foreach": (True, False), "the fused": (False, True)}
    assert next(value for key, value in wanted.items() if key in knob.detail) == tuple(seen[0].values())
    assert optimizer.param_groups[0]["foreach"] is None and optimizer.param_groups[0]["fused"] is None
    # The first step of Adam moves by the rate against the gradient's sign, after the decay of 0.01 * 0.1; eps is 1e-8 of the gradient,
    # three operations round to 2^-24 each.
    assert torch.allclose(result.double(), 0.999 - 0.1 * torch.tensor([1.0, -1.0, 1.0]).double(), rtol=0, atol=1e-8 + 4 * 2.0**-24)


def test_settings_that_were_read_make_another_state_the_same_again():
    before = read_settings()
    try:
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(before["threads"] + 1)
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.set_float32_matmul_precision("medium")
        torch.backends.mkldnn.enabled = False
        changed = read_settings()
        assert sum(changed[key] != before[key] for key in before) >= 5
    finally:
        apply_settings(before)
    assert read_settings() == before


def test_knobs_for_fresh_processes_are_known_by_their_variables():
    fresh = [knob for knob in ALL if knob.needs_fresh_process]
    assert {key for knob in fresh for key in knob.environment} >= {
        "ONEDNN_MAX_CPU_ISA",
        "ATEN_CPU_CAPABILITY",
        "MKL_CBWR",
        "ONEDNN_DEFAULT_FPMATH_MODE",
    }
    assert all(knob.around is None and knob.wrap is None for knob in fresh)
    assert not dataclasses.replace(fresh[0], environment={}).needs_fresh_process
