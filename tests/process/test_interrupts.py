"""An interrupt that comes while something is being entered, before anything would leave it."""

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from halfulp.border import answered
from halfulp.cases.sides import repeatable, taken_apart


class Functions(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Ops(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


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
