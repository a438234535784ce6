"""Settings that need a fresh process: what they touch is what they are known to touch; the worker does what is asked of it."""

import io
import pickle
import time

import cloudpickle
import pytest
import torch

from halfulp.backends.knobs import knobs
from halfulp.backends.knobs.settings import inductor_settings, read_settings
from halfulp.cases import Case
from halfulp.causes.compilation import compilation_of, kernel_choices
from halfulp.causes.fresh import payload_of, turned_in_fresh_processes
from halfulp.causes.laboratory import Laboratory
from halfulp.causes.processes import Job, worker
from halfulp.noise import noise_of
from halfulp.verdicts.checker import judged
from halfulp.verdicts.gatherer import Gatherer

X = torch.randn(16, 64, generator=torch.Generator().manual_seed(0))


def laboratory(actual, expected, inputs=(X,)):
    case = Case(actual, expected, inputs)
    return Laboratory(case, noise_of(case), judged(Gatherer(case, lambda _: None)), time.monotonic() + 600, lambda _: None)


def softmax(x):
    return torch.softmax(3 * x, -1)


def by_hand(x):
    exponentials = torch.exp(3 * x - (3 * x).amax(-1, keepdim=True))
    return exponentials / exponentials.sum(-1, keepdim=True)


@pytest.mark.skipif(torch.backends.cpu.get_cpu_capability() in ("DEFAULT", "NO AVX"), reason="ATen has one set of kernels here")
def test_kernels_of_aten_move_the_bits_of_a_softmax_and_are_told():
    chosen = [knob for knob in knobs() if knob.environment.get("ATEN_CPU_CAPABILITY") == "default"]
    own = laboratory(by_hand, softmax)
    found = turned_in_fresh_processes(own, chosen)
    assert [(each.knob.name, each.side) for each in found.turned] == [
        ("ATen instruction set", "expected"),
        ("ATen instruction set", "actual"),
    ]
    assert found.turned[0].touched > 0
    assert any("The bits of `expected` depend on: ATen instruction set" in line for line in found.sensitivity)
    assert [experiment.note for experiment in own.experiments] == ["fresh process"] * 2
    assert not found.notes


def test_what_can_not_be_sent_is_told_and_no_setting_blamed():
    lock = iter([1])  # an iterator of a list can be pickled, a generator can not
    generator = (each for each in lock)

    def holds(x):
        return x + 0 * (generator is None)

    found = turned_in_fresh_processes(laboratory(holds, holds), [knob for knob in knobs() if knob.needs_fresh_process][:1])
    assert not found.turned and "can't be sent to another process" in found.notes[0]


def test_the_worker_gives_the_reply_that_was_asked_for():
    own = laboratory(by_hand, softmax)
    payload = {**payload_of(own, by_hand, softmax), "settings": read_settings(), "inductor": inductor_settings()}

    def answered(payload, job):
        answer = io.BytesIO()
        worker.work(io.BytesIO(pickle.dumps(job) + cloudpickle.dumps(payload)), answer)
        return pickle.loads(answer.getvalue())

    before = read_settings()
    reply = answered(payload, Job("here", sides=("expected",)))
    assert list(reply.outputs) == ["expected"] and not reply.error
    assert (reply.outputs["expected"][0].stored == own.native["expected"][0].stored).all()
    assert read_settings() == before

    def raises(x):
        raise ValueError("not here")

    assert answered({**payload, "actual": raises}, Job("here", sides=("actual",))).error == "ValueError: not here"


@pytest.mark.filterwarnings("ignore")
def test_whether_the_choice_of_kernels_varies_is_told(monkeypatch):
    from halfulp.causes.compilation import disassembly

    monkeypatch.setattr(kernel_choices, "RUNS", 1)
    layer = torch.nn.Linear(64, 32)
    compiled = torch.compile(layer, mode="max-autotune-no-cudagraphs")
    own = laboratory(layer, layer)
    found = kernel_choices.choices_of(own, compilation_of(compiled), frozen=True)
    if found.notes:
        pytest.skip(f"it is not compiled here: {found.notes[0][:100]}")
    assert found.results == 1 and not found.varies and found.unequal == 0
    words = disassembly._choice_in_words(found, "with parameters frozen")
    assert words.startswith("In one fresh process without caches") and ("timing chose" in words or "chosen by timing" in words)
