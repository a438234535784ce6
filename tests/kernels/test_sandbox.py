"""A solution's process: how long each step may take."""

import pytest
import torch

from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.solutions.sandbox import Failed, Sandbox

FILE = """
import time
import torch

time.sleep({at_import})

def double(x):
    time.sleep(1.0)
    return 2 * x
"""


@pytest.fixture
def sandbox(tmp_path):
    made = []

    def one(at_import, **limits):
        (tmp_path / "solution.py").write_text(FILE.format(at_import=at_import))
        made.append(Sandbox(tmp_path / "solution.py", **limits))
        return made[-1]

    yield one
    for each in made:
        each.close()


def test_imports_take_as_long_as_they_take_on_a_busy_machine(sandbox):
    names, _ = sandbox(at_import=0.8, answer_s=0.4, first_s=0.4).load()
    assert "double" in names


def test_the_first_call_may_take_longer_than_those_after_it(sandbox):
    one = sandbox(at_import=0, answer_s=0.4, first_s=20.0)
    one.load()
    one.build("double", (), 0)
    setting = Setting((torch.ones(2),))
    assert torch.equal(one.call(setting).results, 2 * torch.ones(2))
    with pytest.raises(Failed) as caught:
        one.call(setting)
    assert caught.value.kind == "hangs"
