"""Checks in many threads judge as they do alone, and leave everything as it was; other threads see what `docs/threads.md` names, no more."""

import asyncio
import collections
import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import halfulp
from halfulp.process.settings import COMPUTING, RANDOM, SURROUNDINGS, readings

W = torch.randn(24, 24, generator=torch.Generator().manual_seed(5))
X = torch.randn(6, 24, generator=torch.Generator().manual_seed(6))
SHARED = nn.Sequential(nn.Linear(24, 24), nn.LayerNorm(24), nn.GELU()).eval()
for parameter in SHARED.parameters():
    parameter.data = torch.randn(parameter.shape, generator=torch.Generator().manual_seed(parameter.numel()))


def unwritten(x):
    y = torch.empty_like(x)
    y[:, 1:] = x[:, 1:]
    return y


PAIRS = {
    "same": (lambda x: F.linear(x, W), lambda x: F.linear(x, W)),
    "rounding": (lambda x: (x[:, :12] @ W[:, :12].T) + (x[:, 12:] @ W[:, 12:].T), lambda x: F.linear(x, W)),
    "coarse": (lambda x: x @ W.bfloat16().float().T, lambda x: F.linear(x, W)),
    "mistake": (lambda x: F.layer_norm(x, (24,), eps=1e-3), lambda x: F.layer_norm(x, (24,))),
    "one module on both sides": (SHARED, SHARED),
    "draws": (lambda x: x + 0 * torch.rand(6, 24), lambda x: x + 0 * torch.rand(6, 24)),
    "unwritten": (unwritten, lambda x: x.clone()),
    "constants": (lambda x: x * (torch.arange(24) / 7), lambda x: x * torch.linspace(0, 23 / 7, 24)),
}


def verdict(name):
    actual, expected = PAIRS[name]
    return halfulp.check(actual, expected, (X,)).verdict


def snapshot():
    """Every setting of the process, and every function of PyTorch and NumPy that might be exchanged."""
    found = {setting.name: value for setting, value in readings((*COMPUTING, *SURROUNDINGS))}
    found["environment variables"].pop(os.fsencode("PYTEST_CURRENT_TEST"), None)
    for name, owner in (("torch", torch), ("Tensor", torch.Tensor), ("numpy", np), ("fft", np.fft), ("F", F), ("Module", nn.Module)):
        found[name] = {key: id(value) for key, value in vars(owner).items() if callable(value)}
    found["fast path"] = torch.backends.mha.get_fastpath_enabled()
    found["attention"] = [getattr(torch.backends.cuda, f"{kind}_sdp_enabled")() for kind in ("flash", "mem_efficient", "math", "cudnn")]
    found["modes"] = (
        len(torch.overrides._get_current_function_mode_stack()),
        len(torch.utils._python_dispatch._get_current_dispatch_mode_stack()),
    )
    found["training"] = [part.training for part in SHARED.modules()]
    return found


@pytest.fixture(scope="module")
def alone():
    return {name: verdict(name) for name in PAIRS}


@pytest.fixture(autouse=True)
def everything_is_as_before(alone):
    weights = {name: value.clone() for name, value in SHARED.state_dict().items()}
    before, randomness = snapshot(), [value for _, value in readings(RANDOM)]
    yield
    after = snapshot()
    assert {key: after[key] for key in before if after[key] != before[key]} == {}
    assert [value for _, value in readings(RANDOM)] == randomness
    assert all(torch.equal(value, weights[name]) and value.dtype == weights[name].dtype for name, value in SHARED.state_dict().items())


def in_threads(count, work):
    failed = []

    def guarded(place):
        try:
            work(place)
        except BaseException as error:
            failed.append(repr(error))

    threads = [threading.Thread(target=guarded, args=(place,)) for place in range(count)]
    for thread in threads:
        thread.start()
    for each in threads:
        each.join(300)
    assert not any(each.is_alive() for each in threads), "a thread waits forever"
    assert not failed, failed[:3]


def test_sixteen_threads_of_twenty_checks(alone):
    wrong = collections.Counter()
    names = list(PAIRS)

    def work(place):
        for k in range(20):
            name = names[(place + k) % len(names)]
            found = verdict(name)
            if found is not alone[name]:
                wrong[f"{name}: {alone[name].name} became {found.name}"] += 1

    in_threads(16, work)
    assert not wrong


def is_poisoned(unwritten):
    """Whether unwritten memory is NaN time after time. Once may be chance: memory that a check filled and gave back."""
    for _ in range(8):
        held = unwritten()
        if not np.isnan(np.asarray(held)).all():
            return False
        held[:] = 0.0
    return True


def test_other_threads_see_nothing_that_is_not_named(alone):
    """Sampled as fast as can be while checks run: the default dtype, unwritten memory, results of a model of their own, NumPy's functions."""
    with torch.random.fork_rng():
        own, x = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.ReLU()).eval(), torch.randn(3, 8)
    stop, seen = threading.Event(), collections.Counter()
    with torch.no_grad():
        wanted = own(x)

    def look():
        while not stop.is_set():
            seen["looks"] += 1
            seen["default dtype"] += torch.get_default_dtype() != torch.float32 or torch.zeros(1).dtype != torch.float32
            seen["division of integers"] += (torch.arange(3) / 2).dtype != torch.float32
            seen["NaN in unwritten memory"] += is_poisoned(lambda: torch.empty(64)) or is_poisoned(lambda: np.empty(64))
            with torch.no_grad():
                seen["other results"] += not torch.equal(own(x), wanted)
            seen["gradients off"] += not torch.is_grad_enabled()
            seen["deterministic"] += torch.are_deterministic_algorithms_enabled()
            seen["threads"] += torch.get_num_threads() != threads
            seen["modes"] += len(torch.overrides._get_current_function_mode_stack()) > 0

    threads = torch.get_num_threads()
    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        in_threads(4, lambda place: [verdict(name) for name in PAIRS])
    finally:
        stop.set()
        watcher.join()
    assert seen.pop("looks") > 50
    assert +seen == collections.Counter()


def test_records_in_threads_follow_their_own_modules(tmp_path):
    expected = [step.module for step in halfulp.record(SHARED, X, tmp_path / "alone", level="hash").steps]
    found = {}

    def work(place):
        found[place] = [step.module for step in halfulp.record(SHARED, X, tmp_path / str(place), level="hash").steps]

    in_threads(8, work)
    assert all(each == expected for each in found.values()) and len(found) == 8


def test_asyncio(alone):
    async def all_at_once():
        return await asyncio.gather(*(asyncio.to_thread(verdict, name) for name in (*PAIRS, *PAIRS)))

    assert asyncio.run(all_at_once()) == [alone[name] for name in (*PAIRS, *PAIRS)]


def test_a_check_inside_a_coroutine(alone):
    async def inside():
        await asyncio.sleep(0)
        return verdict("rounding")

    assert asyncio.run(inside()) is alone["rounding"]


def test_a_check_inside_a_checked_function(alone):
    def actual(x):
        assert verdict("mistake") is alone["mistake"]
        return x @ W.T

    assert halfulp.check(actual, lambda x: x @ W.T, (X,)).acceptable


LOADER = """
import threading, torch
from torch.utils.data import DataLoader, Dataset
import halfulp
from halfulp.process.alone import alone

torch.set_num_threads(1)

class Checking(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, place):
        factor = 1 + place * 1e-3
        return halfulp.check(lambda x: torch.exp(x) * factor, torch.exp, (torch.ones(5),)).verdict.name

held, over = threading.Event(), threading.Event()

def hold():
    with alone():
        held.set()
        over.wait()

thread = threading.Thread(target=hold)
thread.start()
held.wait()
print(*[each for batch in DataLoader(Checking(), num_workers=2, timeout=100, collate_fn=list) for each in batch])
over.set()
thread.join()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows does not fork")
def test_workers_of_a_data_loader_check_while_another_thread_of_the_parent_does():
    """A forked worker inherits the lock as it is, and the thread that holds it does not exist there. In a process of its own, because MKL
    does not survive a fork beside threads that compute."""
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", LOADER], capture_output=True, text=True, check=False, timeout=240)
    assert ran.stdout.split() == ["IDENTICAL", "MISTAKE", "MISTAKE", "MISTAKE"], ran.stderr[-1000:]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_as_jupyter_sends_it(alone, monkeypatch):
    """At random moments, many times: the check ends, and everything is as before."""
    random_places = random.Random(0)
    interrupted = 0
    dropped = []  # Python drops what is raised inside a finalizer or a callback of the garbage collector, whoever's it is
    monkeypatch.setattr(sys, "unraisablehook", lambda raised: dropped.append(raised.exc_type))
    before = random.getstate()
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for _ in range(25):
            timer = threading.Timer(random_places.uniform(0.002, 0.15), lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            try:
                with contextlib.suppress(KeyboardInterrupt):
                    verdict("coarse")
                    verdict("unwritten")
                    verdict("one module on both sides")
                    time.sleep(0.3)  # the interrupt comes here at the latest
                    interrupted -= 1
                interrupted += 1
            finally:
                timer.join()
    finally:
        signal.signal(signal.SIGINT, previous)
        random.setstate(before)
    assert interrupted + dropped.count(KeyboardInterrupt) == 25
    assert interrupted >= 20
    in_threads(2, lambda place: verdict("rounding"))  # nobody holds the lock


def test_the_places_are_named():
    text = (Path(__file__).parents[2] / "docs" / "threads.md").read_text()
    for words in ("random", "parameters", "fast path", "np.empty", "warnings", "nn.Module.__call__"):
        assert words in text
