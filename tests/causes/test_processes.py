"""Fresh processes: what runs there is what runs here, what fails is told, nothing is left."""

import os
import tempfile
import threading
from pathlib import Path

import pytest
import torch
from torch import nn

from halfulp.backends.knobs.settings import read_settings
from halfulp.cases import Case
from halfulp.causes.processes import Job, pool, run_jobs
from halfulp.process import lifeline


class Own(nn.Module):
    """Defined in a test: it can't be imported elsewhere, so it travels by value."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 4)
        self.register_buffer("shift", torch.randn(4))

    def forward(self, x, *, scale=1.0):
        return {"out": self.fc(x) * scale, "pair": (x.sum(-1), torch.tanh(self.shift))}


def payload(actual, expected, *inputs, **keywords):
    case = Case(actual, expected, inputs, keywords=keywords)
    return {
        "actual": actual, "expected": expected, "inputs": case.inputs, "keywords": case.keywords, "gradients": False, "seed": case.seed,
        "declared": case.declared.name,
    }, case  # fmt: skip


def numbers(outputs):
    return {leaf.path: (leaf.dtype, leaf.shape, leaf.stored.tobytes()) for leaf in outputs}


@pytest.fixture(scope="module", autouse=True)
def own_folder(tmp_path_factory):
    """Tests that run beside these make folders too: temporary ones lie apart here."""
    before, tempfile.tempdir = tempfile.tempdir, str(tmp_path_factory.mktemp("temporary"))
    yield
    tempfile.tempdir = before


def folders():
    return {path.name for path in Path(tempfile.gettempdir()).glob("halfulp-*")}


VALUE, FATE = "HALFULP_TEST_VALUE", "HALFULP_TEST_FATE"


def there(x, scale):
    """What a process is like, as numbers; dies or raises where its environment says so."""
    fate = os.environ.get(FATE)
    if fate == "dies":
        os._exit(3)
    if fate == "raises":
        raise ValueError("no such luck")
    found = read_settings()
    print("a line on standard output")
    names = ("threads", "oneDNN", "deterministic", "flush subnormals")
    return (
        x * scale,
        torch.tensor([float(found[name]) for name in names]),
        torch.tensor([float(os.environ.get(VALUE, "0"))]),
        torch.tensor([os.getpid()]),
    )


@pytest.fixture(scope="module")
def replies():
    """One run for several tests: nothing changed, one side with a variable, a process that dies, one that raises."""
    torch.manual_seed(0)
    own, case = payload(Own(), there, torch.randn(3, 6), scale=2.0)
    jobs = [Job("plain"), Job("alone", {VALUE: "7.5"}, ("expected",)), Job("dies", {FATE: "dies"}), Job("raises", {FATE: "raises"})]
    told = []
    threads, onednn = torch.get_num_threads(), torch.backends.mkldnn.enabled
    before = folders()
    try:
        torch.set_num_threads(threads + 1)
        torch.backends.mkldnn.enabled = False
        torch.use_deterministic_algorithms(True, warn_only=True)
        found = run_jobs(own, jobs, progress=told.append)
        left = folders() - before
    finally:
        torch.set_num_threads(threads)
        torch.backends.mkldnn.enabled = onednn
        torch.use_deterministic_algorithms(False)
    return found, case, told, left, threads


def test_outputs_are_those_of_this_process_for_a_module_that_is_sent_by_value(replies):
    (plain, *_), case, *_ = replies
    assert not plain.error
    assert numbers(plain.outputs["actual"]) == numbers(case.native("actual").outputs)


def told_by(reply):
    _, settings, value, process = (leaf.numbers() for leaf in reply.outputs["expected"])
    return settings.tolist(), float(value[0]), int(process[0])


def test_settings_travel(replies):
    (plain, alone, *_), *_, threads = replies
    for reply in (plain, alone):
        assert told_by(reply)[0] == [threads + 1, 0, 1, 0]  # oneDNN off, deterministic, nothing flushed


def test_variables_reach_the_child_that_they_are_for_and_no_other(replies):
    (plain, alone, *_), *_ = replies
    assert told_by(alone)[1] == 7.5 and told_by(plain)[1] == 0
    assert VALUE not in os.environ and FATE not in os.environ


def test_each_job_runs_in_a_process_of_its_own_and_only_the_sides_asked_for(replies):
    (plain, alone, *_), *_ = replies
    assert len({told_by(plain)[2], told_by(alone)[2], os.getpid()}) == 3
    assert set(plain.outputs) == {"actual", "expected"} and set(alone.outputs) == {"expected"}


def test_what_dies_or_raises_is_reported_and_harms_no_other(replies):
    (plain, alone, dies, raises), *_ = replies
    assert dies.error.startswith("exit 3") and not dies.outputs
    assert raises.error and not raises.outputs
    assert not plain.error and not alone.error


def test_what_a_function_raises_in_a_process_is_told(replies):
    assert "no such luck" in replies[0][3].error


def test_no_folder_is_left_and_progress_is_told(replies):
    _, _, told, left, _ = replies
    assert not left
    assert [each.rpartition(":")[2].strip() for each in told] == [f"{count} of 4 done" for count in (1, 2, 3, 4)]


@pytest.mark.parametrize("kind", ["lock", "generator"])
def test_a_function_that_cannot_be_sent_is_reported_for_every_job(kind):
    held = threading.Lock() if kind == "lock" else (each for each in range(3))

    def function(x):
        return x * (2 if held else 1)

    before = folders()
    own, _ = payload(function, function, torch.ones(3))
    found = run_jobs(own, [Job("one"), Job("two")])
    assert len(found) == 2 and all("can't be sent" in reply.error and not reply.outputs for reply in found)
    assert folders() == before


def test_a_process_that_takes_too_long_is_ended(monkeypatch):
    def sleeps(x):
        import time

        time.sleep(600)

    monkeypatch.setattr(pool, "TIMEOUT_S", 0.5)
    own, _ = payload(torch.exp, torch.exp, torch.ones(3))
    (reply,) = run_jobs({**own, "actual": sleeps}, [Job("sleeps")])
    assert reply.error == "the process took more than 0.5 s"


def test_an_interruption_ends_the_processes_and_leaves_no_file(monkeypatch):
    before = folders()
    started = []
    start = lifeline.start

    def interrupted(*arguments, **options):
        if len(started) == 1:
            raise KeyboardInterrupt
        started.append(start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(lifeline, "start", interrupted)
    own, _ = payload(torch.exp, torch.exp, torch.ones(3))
    with pytest.raises(KeyboardInterrupt):
        run_jobs(own, [Job("one"), Job("two")], at_once=2)
    assert started[0].poll() is not None
    assert folders() == before


def test_no_jobs_are_no_replies():
    own, _ = payload(torch.exp, torch.exp, torch.ones(3))
    assert run_jobs(own, []) == []
