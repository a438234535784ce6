"""An interrupt that comes while something is being entered, before anything would leave it."""

import itertools
import os
import random
import sys

import numpy as np
import pytest
import torch
from releases import since
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from halfulp.cases import state
from halfulp.cases.sides import Side, repeatable, taken_apart
from halfulp.process.border import answered
from halfulp.process.settings import COMPUTING, RANDOM, SURROUNDINGS, readings


class Functions(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Ops(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


@since(2, 5, "keeps one flag for all modes of a class, and can't put it back")
@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_what_a_thread_has_of_its_own_is_put_back(raised):
    @answered
    def interrupted():
        np.seterr(all="raise")
        torch.set_grad_enabled(False)
        Functions().__enter__()
        Ops().__enter__()
        Ops().__enter__()
        raise raised

    with Ops():
        before = np.geterr()
        with pytest.raises(raised):
            interrupted()
        assert np.geterr() == before and torch.is_grad_enabled()
        assert torch._C._len_torch_function_stack() == 0 and torch._C._len_torch_dispatch_stack() == 1
    assert torch._C._len_torch_dispatch_stack() == 0 and not torch.utils._python_dispatch.is_in_torch_dispatch_mode()


def test_random_numbers_go_on_where_seeding_is_interrupted(monkeypatch):
    def interrupt(seed):
        raise KeyboardInterrupt

    before = torch.get_rng_state()
    monkeypatch.setattr(np.random, "seed", interrupt)  # after PyTorch is seeded
    with pytest.raises(KeyboardInterrupt), repeatable(7):
        pass
    assert torch.equal(torch.get_rng_state(), before)


def test_the_fast_path_is_on_where_leaving_it_is_interrupted(monkeypatch):
    off = torch.backends.mha.set_fastpath_enabled

    def interrupt(value):
        off(value)
        if not value:
            raise KeyboardInterrupt

    monkeypatch.setattr(torch.backends.mha, "set_fastpath_enabled", interrupt)
    with pytest.raises(KeyboardInterrupt), taken_apart():
        pass
    assert torch.backends.mha.get_fastpath_enabled()


def test_random_numbers_go_on_where_giving_them_back_is_interrupted(monkeypatch):
    """As Ctrl-C did in one run of many: seeds of the check stayed in PyTorch, because NumPy's come first."""
    set_state, calls = np.random.set_state, []

    def interrupt(state):
        calls.append(state)
        if len(calls) == 1:
            raise KeyboardInterrupt
        set_state(state)

    before, numpy_before = torch.get_rng_state(), np.random.get_state()[1].tolist()
    monkeypatch.setattr(np.random, "set_state", interrupt)
    with pytest.raises(KeyboardInterrupt), repeatable(7):
        pass
    assert torch.equal(torch.get_rng_state(), before) and np.random.get_state()[1].tolist() == numpy_before


def test_what_the_process_has_is_put_back_at_the_border():
    """Wherever it was stopped, also before anything would put it back."""

    @answered
    def interrupted():
        torch.manual_seed(3)
        np.random.seed(4)
        random.seed(5)
        torch.set_num_threads(torch.get_num_threads() + 1)
        os.environ["HALFULP_TESTS"] = "1"
        raise KeyboardInterrupt

    def values():
        return [value for _, value in readings((*COMPUTING, *RANDOM, *SURROUNDINGS))]

    before = values()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert values() == before


class Interrupter:
    """Raises once, at a given line of what puts the state of a side back."""

    def __init__(self, line):
        self.left = line
        self.has_raised = False

    def follow(self, frame, event, argument):
        if frame.f_code.co_filename != state.__file__ or frame.f_back.f_code.co_name != "surely":
            return None
        if event == "line" and not self.has_raised:
            self.has_raised = self.left == 0
            self.left -= 1
            if self.has_raised:
                raise KeyboardInterrupt
        return self.follow


@pytest.mark.parametrize("kept", ["put_back", "retyped", "exchanged"])
def test_weights_are_put_back_where_that_is_interrupted(kept):
    """Every place where one interrupt can come while weights are given back, a step each."""
    module = torch.nn.Linear(3, 3)
    side = Side("actual", module)
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    opened = {
        "put_back": side.state.put_back,
        "retyped": lambda: side.state.retyped(frozenset({torch.float32}), torch.float64, gradients=False),
        "exchanged": lambda: side.state.exchanged(lambda name, tensor: tensor * 2),
    }[kept]
    for steps in itertools.count():
        interrupter = Interrupter(steps)
        previous = sys.gettrace()
        try:
            with opened():
                with torch.no_grad():
                    for tensor in module.parameters():
                        tensor.mul_(3)
                sys.settrace(interrupter.follow)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(previous)
        assert all(torch.equal(tensor, before[name]) for name, tensor in module.state_dict().items()), steps
        if not interrupter.has_raised:
            break
    assert steps >= 3
