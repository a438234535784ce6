"""check_backend passes backends that keep the laws, and catches each of the ways in which one can break them, by the law that names it."""

import contextlib
import dataclasses
import logging
import os
import random
import signal
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils._pytree import tree_map

import halfulp
from halfulp.backends import Availability
from halfulp.backends.implementation import state_of
from halfulp.backends.knobs import Knob
from halfulp.backends.ops import OPS, OpModule
from halfulp.backends.registry import adapter_named
from halfulp.errors import HalfulpError, InputError, Unsupported
from halfulp.testing import check_backend, conformance

TRIED = ("linear", "gelu", "layer_norm")
"""Enough for every law: weights, an op without them, a normalization."""

INTERFACE = "it has the interface"
AVAILABLE = "what it says about being available is true"
FINGERPRINT = "its fingerprint maps strings to strings, and is the same every time"
COMPUTES = "it computes the op"
DTYPE = "it computes in the dtype that goes in, and returns that dtype"
KIND = "tensors give tensors and arrays give arrays, with the same numbers"
INPUTS = "inputs stay as they are"
MEMORY = "results have memory of their own"
REMEMBERS = "it remembers nothing"
WEIGHTS = "it follows changed weights"
VIEWS = "it takes views"
TARGET = "it refuses something that is not a target"
SHAPES = "it refuses inputs that don't fit"
ERRORS = "a failing function fails"
KNOBS = "knobs are named, and put back"
QUIET = "it prints nothing"

SECRET = "correct-horse-battery-staple"
VARIABLE = "HALFULP_TEST_TOKEN"


@pytest.fixture(autouse=True)
def _everything_put_back(monkeypatch):
    """Broken backends leave threads, formats, variables and more changed on purpose."""
    monkeypatch.setenv(VARIABLE, SECRET)
    root = logging.getLogger()
    before = (torch.get_num_threads(), torch.get_default_dtype(), torch.get_float32_matmul_precision(), torch.backends.mkldnn.enabled)
    random_states = np.random.get_state(), random.getstate(), torch.get_rng_state()
    stdout, variables, folder, interrupt = sys.stdout, dict(os.environ), Path.cwd(), signal.getsignal(signal.SIGINT)
    level, handlers = root.level, list(root.handlers)
    with warnings.catch_warnings(), np.errstate():
        yield
    torch.set_num_threads(before[0])
    torch.set_default_dtype(before[1])
    torch.set_float32_matmul_precision(before[2])
    torch.backends.mkldnn.enabled = before[3]
    torch.set_flush_denormal(False)
    torch.set_grad_enabled(True)
    np.random.set_state(random_states[0])
    random.setstate(random_states[1])
    torch.set_rng_state(random_states[2])
    sys.stdout = stdout
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    signal.signal(signal.SIGINT, interrupt)
    root.setLevel(level)
    root.handlers[:] = handlers


@contextlib.contextmanager
def _turned_off():
    yield


class Plugin:
    """A backend of a third party as small as they get. Broken ones change one method."""

    name = "plugin"

    def __init__(self):
        self.numpy = adapter_named("numpy")

    def availability(self):
        return Availability("here", "1.0")

    def fingerprint(self):
        return {"plugin": "1.0", "numpy": np.__version__}

    def knobs(self):
        return (Knob("kernels", "kernels off", frozenset(("products",)), "plugin.kernels(False)", _turned_off),)

    def implement(self, target, **options):
        honest = self.numpy.implement(target, **options)

        def implementation(*arguments, **keywords):
            return self.computed(honest, target, arguments, keywords)

        return implementation

    def computed(self, honest, target, arguments, keywords):
        return honest(*arguments, **keywords)


def of_tensors(change):
    """The same change to each result that is a tensor."""
    return lambda result: tree_map(lambda each: change(each) if isinstance(each, torch.Tensor) else each, result)


BROKEN = {}
"""Name -> backend, and the laws that it breaks with words that each is reported with."""


def broken(laws):
    def keep(backend):
        BROKEN[backend.__name__] = (backend, laws)
        return backend

    return keep


OTHER_AFTERWARDS = {
    DTYPE: "float64 goes in and comes back, but was computed in lower precision",
    KIND: "arrays and tensors with the same numbers give different numbers",
    REMEMBERS: "linear gives different numbers for the same inputs after a call with other inputs",
    KNOBS: "after kernels off was changed and put back, it gives different numbers",
}
"""What else is seen of a backend whose second call differs from its first."""


# --- Interface, availability, fingerprint ---


@broken({INTERFACE: "it lacks one of name, availability, fingerprint, knobs, implement"})
class NoKnobs:
    name = "plugin"
    availability, fingerprint, implement = Plugin.availability, Plugin.fingerprint, Plugin.implement


@broken({INTERFACE: "it lacks one of name"})
class NoName:
    availability, fingerprint, knobs, implement = Plugin.availability, Plugin.fingerprint, Plugin.knobs, Plugin.implement


@broken({INTERFACE: "its name is '', not a nonempty string"})
class EmptyName(Plugin):
    name = ""


@broken({INTERFACE: "its name is 7, not a nonempty string"})
class NumberForAName(Plugin):
    name = 7


@broken({AVAILABLE: "computes none of the ops linear, gelu, layer_norm"})
class LacksEverything(Plugin):
    def implement(self, target, **options):
        raise Unsupported("Got an op. Needed: another.")


@broken({AVAILABLE: "OSError: a library is missing"})
class DoesNotLoad(Plugin):
    def implement(self, target, **options):
        raise OSError("a library is missing")


@broken({AVAILABLE: "it says that it isn't available, but not why"})
class NotAvailableWithoutReason(Plugin):
    def availability(self):
        return Availability(reason="")


@broken({AVAILABLE: "it says that it isn't available: no licence"})
class NotAvailable(Plugin):
    def availability(self):
        return Availability(reason="no licence")


@broken({AVAILABLE: "gives a reason why it isn't: no licence"})
class AvailableWithAReasonWhyNot(Plugin):
    def availability(self):
        return Availability("here", "1.0", "no licence")


@broken({AVAILABLE: "RuntimeError: no driver"})
class AvailabilityRaises(Plugin):
    def availability(self):
        raise RuntimeError("no driver")


@broken({AVAILABLE: "availability() gives bool, not an Availability"})
class AvailabilityIsABool(Plugin):
    def availability(self):
        return True


@broken({AVAILABLE: "two calls to availability() give different answers"})
class AvailabilityChanges(Plugin):
    calls = 0

    def availability(self):
        self.calls += 1
        return Availability("here", str(self.calls))


@broken({FINGERPRINT: "the entry 'threads': 4 is not a pair of strings"})
class FingerprintWithANumber(Plugin):
    def fingerprint(self):
        return {"plugin": "1.0", "threads": 4}


@broken({FINGERPRINT: "two calls to fingerprint() give different answers"})
class FingerprintChanges(Plugin):
    calls = 0

    def fingerprint(self):
        self.calls += 1
        return {"plugin": str(self.calls)}


@broken({FINGERPRINT: "fingerprint() gives {}, not a nonempty mapping from strings to strings"})
class FingerprintIsEmpty(Plugin):
    def fingerprint(self):
        return {}


@broken({FINGERPRINT: "fingerprint() gives 'plugin 1.0', not a nonempty mapping from strings to strings"})
class FingerprintIsAText(Plugin):
    def fingerprint(self):
        return "plugin 1.0"


# --- Numbers ---


@broken({
    COMPUTES: "linear: a result with a relative error", WEIGHTS: "it gives a result with a relative error",
    VIEWS: "on a view with gaps it gives a result with a relative error", KNOBS: "after all knobs were tried, it gives a result with a relative error",
})  # fmt: skip
class ForgetsTheBias(Plugin):
    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        if getattr(target, "op_name", "") != "linear":
            return result
        bias = target.bias.data
        return result - (bias.to(result.dtype) if isinstance(result, torch.Tensor) else bias.numpy().astype(result.dtype))


@broken({COMPUTES: "gelu: a result with a relative error"})
class TanhForGelu(Plugin):
    def implement(self, target, **options):
        return super().implement(OpModule(OPS["tanh"], {}, {}) if getattr(target, "op_name", "") == "gelu" else target, **options)


@broken({COMPUTES: "layer_norm: a result with a relative error"})
class NormalizesTheOtherAxis(Plugin):
    def computed(self, honest, target, arguments, keywords):
        if getattr(target, "op_name", "") != "layer_norm":
            return honest(*arguments, **keywords)
        x = torch.as_tensor(arguments[0])
        apart = x - x.mean(0, keepdim=True)
        return apart / (apart.square().mean(0, keepdim=True) + 1e-5).sqrt() * target.weight + target.bias


@broken({COMPUTES: "gelu: a result with a relative error of nan"})  # NaN every time is nothing that it remembers
class NotANumber(Plugin):
    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        return result * float("nan") if getattr(target, "op_name", "") == "gelu" else result


@broken({COMPUTES: "gelu: a result of shape [512], not [8, 64]"})
class Flattens(Plugin):
    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        return result.reshape(-1) if getattr(target, "op_name", "") == "gelu" else result


@broken({COMPUTES: "gelu: 2 results, not 1"})
class TwoResults(Plugin):
    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        return (result, result + 0) if getattr(target, "op_name", "") == "gelu" else result


@broken(dict.fromkeys((COMPUTES, DTYPE, INPUTS, MEMORY, REMEMBERS), "ZeroDivisionError: no channels"))
class Crashes(Plugin):
    def computed(self, honest, target, arguments, keywords):
        if getattr(target, "op_name", "") == "layer_norm":
            raise ZeroDivisionError("no channels\nand a second line")
        return honest(*arguments, **keywords)


@broken({DTYPE: "torch.float64 goes in and torch.float32 comes back"})
class OneDtypeForAll(Plugin):
    def computed(self, honest, target, arguments, keywords):
        return of_tensors(lambda each: each.float())(honest(*arguments, **keywords))


@broken({DTYPE: "float64 goes in and comes back, but was computed in lower precision: the relative error is"})
class Float64InFloat32(Plugin):
    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        return of_tensors(lambda each: each.float().to(each.dtype))(result)


@broken({DTYPE: "torch.float16 goes in and torch.float32 comes back"})
class Float16ComesBackWide(Plugin):
    def computed(self, honest, target, arguments, keywords):
        return of_tensors(lambda each: each.float() if each.dtype == torch.float16 else each)(honest(*arguments, **keywords))


@broken({KIND: "arrays go in and Tensor comes back"})
class TensorsForArrays(Plugin):
    def computed(self, honest, target, arguments, keywords):
        return torch.as_tensor(honest(*arguments, **keywords))


@broken({KIND: "arrays and tensors with the same numbers give different numbers"})
class ArraysInLessPrecision(Plugin):
    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        return result if isinstance(result, torch.Tensor) else result.astype(np.float16).astype(result.dtype)


@broken({
    DTYPE: "torch.float32 goes in and float32 comes back", KIND: "tensors go in and something else comes back", MEMORY: "ndarray",
    REMEMBERS: "ndarray", KNOBS: "ndarray",
})  # fmt: skip
class ArraysForTensors(Plugin):
    def computed(self, honest, target, arguments, keywords):
        return np.asarray(honest(*arguments, **keywords))


@broken({VIEWS: "on a view with gaps it gives a result with a relative error"})
class ReadsMemoryWithoutStrides(Plugin):
    def computed(self, honest, target, arguments, keywords):
        def as_it_lies(each):
            packed = not isinstance(each, torch.Tensor) or each.is_contiguous()
            return each if packed else torch.as_strided(each, each.shape, torch.empty(each.shape).stride(), each.storage_offset())

        return honest(*map(as_it_lies, arguments), **keywords)


# --- Memory and state ---


@broken({INPUTS: "linear changes what it is given", **OTHER_AFTERWARDS})
class ChangesItsInput(Plugin):
    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        if isinstance(arguments[0], torch.Tensor):
            arguments[0].view(-1)[0] += 2.0**-20
        return result


@broken({INPUTS: "linear changes what it is given", **OTHER_AFTERWARDS})
class ChangesItsWeights(Plugin):
    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        if isinstance(target, OpModule) and target.weights:
            target.weights[0].data.view(-1)[0] += 2.0**-20
        return result


@broken(
    {
        INPUTS: "gelu changes what it is given",
        MEMORY: "a result of gelu lies in the memory of its inputs",
        REMEMBERS: "gelu gives different numbers",
    }
)
class ComputesInPlace(Plugin):
    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        in_place = getattr(target, "op_name", "") == "gelu" and isinstance(result, torch.Tensor)
        return arguments[0].copy_(result) if in_place else result


@broken({MEMORY: "a result of linear changes when linear is called again"})
class OneBuffer(Plugin):
    def __init__(self):
        super().__init__()
        self.buffers = {}

    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        if not isinstance(result, torch.Tensor):
            return result
        return self.buffers.setdefault((result.shape, result.dtype), torch.empty_like(result)).copy_(result)


@broken({MEMORY: "two results of linear lie in the same memory"})
class OneArena(Plugin):
    def __init__(self):
        super().__init__()
        self.arena, self.used = torch.empty(1 << 18), 0

    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        if not isinstance(result, torch.Tensor) or result.dtype != torch.float32:
            return result
        self.used += result.numel()
        return self.arena[self.used - result.numel() : self.used].view(result.shape).copy_(result)


@broken(OTHER_AFTERWARDS)
class CountsItsCalls(Plugin):
    def implement(self, target, **options):
        honest, calls = self.numpy.implement(target, **options), [0]

        def implementation(*arguments, **keywords):
            calls[0] += 1
            result = honest(*arguments, **keywords)
            return result * (1.0 + 2.0**-20 * calls[0]) if isinstance(target, OpModule) else result

        return implementation


@broken({REMEMBERS: "linear gives different numbers for the same inputs after a call with other inputs"})
class ScalesByTheLargestSoFar(Plugin):
    """Dynamic quantization with a running maximum: calls with the same inputs agree, calls in between change it."""

    def implement(self, target, **options):
        honest, largest = self.numpy.implement(target, **options), [0.0]

        def implementation(*arguments, **keywords):
            result = honest(*arguments, **keywords)
            if not isinstance(target, OpModule) or result.dtype not in (torch.float32, np.float32):
                return result
            largest[0] = max(largest[0], float(abs(arguments[0]).max()))
            step = largest[0] * 2.0**-12
            return (result / step).round() * step

        return implementation


@broken({WEIGHTS: "after the weights of linear changed, it gives a result with a relative error of 1"})
class KeepsOldWeights(Plugin):
    def implement(self, target, **options):
        if isinstance(target, OpModule):
            weights = {name: weight.detach().clone() for name, weight in zip(target.op.weights, target.weights)}
            target = OpModule(target.op, weights, target.attributes)
        return super().implement(target, **options)


# --- Errors ---


@broken({TARGET: "it implements a bare object() instead of refusing it"})
class TakesAnything(Plugin):
    def implement(self, target, **options):
        return super().implement(target, **options) if callable(target) else lambda x: x.clone()


@broken({TARGET: "a bare object() as the target raises TypeError, not one of halfulp's errors"})
class RefusesWithAnErrorOfItsOwn(Plugin):
    def implement(self, target, **options):
        if not callable(target):
            raise TypeError("what is this?")
        return super().implement(target, **options)


@broken({SHAPES: "inputs that the op can't take give a result and no error"})
class ZerosForWrongShapes(Plugin):
    def computed(self, honest, target, arguments, keywords):
        if not isinstance(target, OpModule) or not target.weights:
            return honest(*arguments, **keywords)
        try:
            return honest(*arguments, **keywords)
        except HalfulpError:
            raise
        except Exception:
            return torch.zeros(1)


@broken({ERRORS: "a function that raises gives tensor([0., 0.])"})
class ZerosForFailures(Plugin):
    def computed(self, honest, target, arguments, keywords):
        if isinstance(target, OpModule):
            return honest(*arguments, **keywords)
        try:
            return honest(*arguments, **keywords)
        except Exception:
            return torch.zeros(2)

    def implement(self, target, **options):
        if not callable(target):
            raise Unsupported("Got nothing. Needed: something.")
        return super().implement(target, **options)


# --- Knobs and output ---


def knob(**changes):
    return dataclasses.replace(Plugin().knobs()[0], **changes)


@broken({KNOBS: "the knob 'kernels off' lacks a name or a remedy"})
class KnobWithoutRemedy(Plugin):
    def knobs(self):
        return (knob(remedy=""),)


@broken({KNOBS: "the knob 'kernels off' lacks a name or a remedy"})
class KnobWithoutName(Plugin):
    def knobs(self):
        return (knob(name=""),)


@broken({KNOBS: "knobs() does not return a tuple of Knob objects"})
class KnobsInAList(Plugin):
    def knobs(self):
        return [knob()]


@broken({KNOBS: "after kernels off was changed and put back, it gives different numbers"})
class KnobStaysTurned(Plugin):
    kernels = True

    def knobs(self):
        @contextlib.contextmanager
        def around():
            self.kernels = False
            yield

        return (knob(around=around),)

    def computed(self, honest, target, arguments, keywords):
        result = honest(*arguments, **keywords)
        return result if self.kernels or not isinstance(target, OpModule) else result * (1.0 + 2.0**-20)


@broken({KNOBS: "with kernels off it gives results of shapes [[256]], not [[8, 32]]"})
class KnobChangesTheShape(Plugin):
    def knobs(self):
        return (knob(wrap=lambda function: lambda *arguments: function(*arguments).reshape(-1)),)


@broken({KNOBS: "RuntimeError: no such setting"})
class KnobRaises(Plugin):
    def knobs(self):
        def wrap(function):
            raise RuntimeError("no such setting")

        return (knob(wrap=wrap),)


@broken({QUIET: "it prints 'hello"})
class Prints(Plugin):
    def computed(self, honest, target, arguments, keywords):
        print("hello")
        return honest(*arguments, **keywords)


@broken({QUIET: "it prints 'hello"})
class WritesToTheDescriptor(Plugin):
    def computed(self, honest, target, arguments, keywords):
        os.write(1, b"hello\n")
        return honest(*arguments, **keywords)


@pytest.mark.parametrize("name", BROKEN)
def test_each_fault_breaks_its_laws_and_no_other(name, capfd):
    backend, laws = BROKEN[name]
    with pytest.raises(AssertionError) as raised:
        check_backend(backend(), ops=TRIED)
    first, *lines, last = str(raised.value).splitlines()
    assert first.startswith(f"Got {len(laws)} broken law{'s' * (len(laws) > 1)} from the backend ") and last.startswith(
        "Needed: a backend that obeys all of the laws."
    )
    seen = dict(line.removeprefix("  ").split(": ", 1) for line in lines)
    assert set(seen) == set(laws), seen
    for law, words in laws.items():
        assert words in seen[law]
    assert SECRET not in str(raised.value)
    capfd.readouterr()  # what the two that print have printed


def test_what_is_found_is_told_apart():
    found = conformance(TanhForGelu(), ops=TRIED)
    assert set(found.broken) == {COMPUTES} and COMPUTES not in found.kept and len(found.kept) == len(LAWS) - 1
    assert conformance(NoName(), ops=TRIED).kept == ()


# --- What is left changed in the process: reported by the first law that runs the backend ---

LEAKS = {
    "the number of threads was": lambda: torch.set_num_threads(torch.get_num_threads() % 2 + 1),
    "the default dtype was torch.float32 and became torch.float64": lambda: torch.set_default_dtype(torch.float64),
    "recording of gradients was True and became False": lambda: torch.set_grad_enabled(False),
    "flushing of subnormal numbers was False and became True": lambda: torch.set_flush_denormal(True),
    "PyTorch's random state changed": lambda: torch.rand(1),
    "NumPy's random state changed": lambda: np.random.rand(700),  # one block of its generator, see the holes below
    "Python's random state changed": random.random,
    "NumPy's handling of floating-point errors was": lambda: np.seterr(over="ignore" if np.geterr()["over"] != "ignore" else "warn"),
    "the working folder was": lambda: os.chdir("/" if str(Path.cwd()) != "/" else "/tmp"),
    "what Ctrl-C does was": lambda: signal.signal(signal.SIGINT, lambda *_: None),
    "the level of logging was": lambda: logging.getLogger().setLevel(logging.getLogger().level + 1),
    "the list of logging handlers was": lambda: logging.getLogger().addHandler(logging.NullHandler()),
    "oneDNN was True and became False": lambda: setattr(torch.backends.mkldnn, "enabled", False),
    "float32 matmul precision was highest and became medium": lambda: torch.set_float32_matmul_precision("medium"),
    f"the environment variable {VARIABLE} is changed": lambda: os.environ.__setitem__(VARIABLE, os.environ.get(VARIABLE, "") + "x"),
    "the environment variable HOME is changed": lambda: os.environ.pop("HOME", None),
    "warning filters were removed": warnings.resetwarnings,
    "the default device was cpu and became meta": lambda: torch.set_default_device("meta"),
    "the use of deterministic algorithms was off and became on": lambda: torch.use_deterministic_algorithms(True),
}


def leaking(leak, *, when=lambda target: True):
    class Leaking(Plugin):
        def computed(self, honest, target, arguments, keywords):
            result = honest(*arguments, **keywords)
            if when(target):
                leak()
            return result

    return Leaking()


@pytest.mark.parametrize("words", LEAKS)
def test_what_is_left_changed_is_named(words, monkeypatch):
    monkeypatch.setenv("HOME", "/nowhere")
    found = conformance(leaking(LEAKS[words]), ops=TRIED)
    seen = found.broken[AVAILABLE]
    assert seen.startswith("it leaves the process changed") and words in seen
    assert found.kept == (INTERFACE,)  # the first thing that is wrong ends the trial: nothing else can be trusted
    assert SECRET not in repr(found)


@pytest.mark.parametrize(
    "words", [words for words in LEAKS if words.startswith(("the number", "the default", "recording", "flushing", "the working"))]
)
def test_what_is_left_changed_is_put_back(words):
    before = (torch.get_num_threads(), torch.get_default_dtype(), torch.is_grad_enabled(), Path.cwd())
    assert conformance(leaking(LEAKS[words]), ops=TRIED).broken
    assert (torch.get_num_threads(), torch.get_default_dtype(), torch.is_grad_enabled(), Path.cwd()) == before
    assert bool((torch.full((8,), 2.0**-127) * 0.5 != 0).all())


def test_a_leak_of_one_op_is_reported_by_each_law_that_runs_it():
    found = conformance(leaking(lambda: torch.rand(1), when=lambda target: getattr(target, "op_name", "") == "layer_norm"), ops=TRIED)
    assert set(found.broken) == {COMPUTES, INPUTS, MEMORY, REMEMBERS}
    assert all("PyTorch's random state" in seen for seen in found.broken.values())


def test_what_a_framework_adds_for_itself_is_no_leak(monkeypatch):
    def added():
        os.environ["HALFULP_TEST_ADDED"] = "1"
        warnings.filterwarnings("ignore", message="plugin: .*")

    monkeypatch.setenv("HALFULP_TEST_ADDED", "0")  # so that it is put back
    monkeypatch.delenv("HALFULP_TEST_ADDED")
    check_backend(leaking(added), ops=TRIED)


def test_neither_the_old_nor_the_new_value_of_a_variable_is_told(monkeypatch):
    monkeypatch.setenv("HALFULP_TEST_ADDRESS", "https://user:password@example.org")
    found = conformance(leaking(lambda: os.environ.update({VARIABLE: "tr0ub4dor", "HALFULP_TEST_ADDRESS": "another"})), ops=TRIED)
    assert all(name in found.broken[AVAILABLE] for name in (VARIABLE, "HALFULP_TEST_ADDRESS"))
    assert not any(text in repr(found) for text in (SECRET, "tr0ub4dor", "password", "another"))


# --- Backends that keep the laws ---


@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_built_in_backends_keep_all_laws(name):
    found = check_backend(halfulp.backend(name), ops=["linear", "conv1d", "gelu", "layer_norm", "lstm_cell"])
    assert set(found.kept) == {value for key, value in globals().items() if key in LAWS}
    assert set(found.left_out) == ({"bfloat16"} if name == "numpy" else set())


LAWS = ("INTERFACE", "AVAILABLE", "FINGERPRINT", "COMPUTES", "DTYPE", "KIND", "INPUTS", "MEMORY", "REMEMBERS", "WEIGHTS", "VIEWS", "TARGET", "SHAPES", "ERRORS", "KNOBS", "QUIET")  # fmt: skip


def test_each_law_is_broken_by_some_backend():
    assert {law for _, laws in BROKEN.values() for law in laws} == {globals()[key] for key in LAWS}


def test_a_tiny_plugin_keeps_all_laws():
    found = check_backend(Plugin(), ops=[*TRIED, "softmax", "conv1d", "lstm_cell", "embedding"])
    assert not found.broken and len(found.kept) == len(LAWS)


def test_ops_that_a_backend_lacks_are_left_out_and_no_fault():
    class Few(Plugin):
        def implement(self, target, **options):
            if getattr(target, "op_name", "gelu") != "gelu":
                raise Unsupported(f"Got {target.op_name}. Needed: gelu.")
            return super().implement(target, **options)

    found = check_backend(Few(), ops=TRIED)
    assert found.left_out["linear"] == "Got linear. Needed: gelu." and found.left_out["layer_norm"] == "Got layer_norm. Needed: gelu."
    assert found.left_out[WEIGHTS] == "none of its ops has weights" and WEIGHTS not in found.kept


def test_a_knob_that_is_refused_is_left_out():
    def wrap(function):
        def run(*arguments):
            raise Unsupported("Got a GPU. Needed: another.")

        return run

    class Refusing(Plugin):
        def knobs(self):
            return (knob(wrap=wrap), knob(unavailable=lambda: "no GPU", wrap=lambda function: 1 // 0))

    assert check_backend(Refusing(), ops=TRIED).left_out["knob kernels off"] == "Got a GPU. Needed: another."


# --- Faults that check_backend once did not see, and false alarms that it gave. ---


@pytest.mark.parametrize("op", ["matmul", "lstm_cell", "embedding"])
def test_ops_with_several_activations_can_be_tested_alone(op):
    check_backend(halfulp.backend("numpy"), ops=[op])


def test_an_unknown_op_is_no_fault_of_the_backend():
    with pytest.raises(InputError, match="ops=lineer"):
        check_backend(halfulp.backend("numpy"), ops=["lineer"])


def assert_seen(backend):
    assert conformance(backend, ops=TRIED).broken


def test_inputs_frozen_at_the_first_call_are_seen():
    class Frozen(Plugin):
        """As a traced program with folded inputs, or a graph whose inputs nobody copies in."""

        def implement(self, target, **options):
            honest, known = self.numpy.implement(target, **options), {}

            def implementation(*arguments):
                key = (
                    tuple((type(argument), getattr(argument, "shape", None), getattr(argument, "dtype", None)) for argument in arguments),
                    state_of(target),
                )
                copied = tree_map(lambda each: each.clone() if isinstance(each, torch.Tensor) else each, arguments)
                return honest(*known.setdefault(key, copied))

            return implementation

    assert_seen(Frozen())


def test_nan_for_float64_is_seen():
    class NanInFloat64(Plugin):
        def computed(self, honest, target, arguments, keywords):
            return of_tensors(lambda each: each * float("nan") if each.dtype == torch.float64 else each)(honest(*arguments, **keywords))

    assert_seen(NanInFloat64())


def test_zeros_for_float16_are_seen():
    class ZerosInFloat16(Plugin):
        def computed(self, honest, target, arguments, keywords):
            return of_tensors(lambda each: each * 0 if each.dtype == torch.float16 else each)(honest(*arguments, **keywords))

    assert_seen(ZerosInFloat16())


def test_a_fingerprint_that_prints_is_seen(capfd):
    class PrintsItsVersion(Plugin):
        def fingerprint(self):
            print("plugin 1.0")
            return super().fingerprint()

    assert_seen(PrintsItsVersion())


def test_hiding_all_warnings_is_seen():
    assert_seen(leaking(lambda: warnings.simplefilter("ignore")))


def test_a_leak_in_a_law_that_breaks_is_put_back():
    class LeaksAndRaises(Plugin):
        def implement(self, target, **options):
            if not callable(target):
                torch.set_default_dtype(torch.float64)
                raise TypeError("what is this?")
            return super().implement(target, **options)

    assert TARGET in conformance(LeaksAndRaises(), ops=TRIED).broken
    assert torch.get_default_dtype() == torch.float32


def test_a_single_draw_from_numpy_is_seen():
    np.random.seed(0)
    np.random.rand()  # the block is made, draws from it change the position only
    assert_seen(leaking(lambda: np.random.rand() if np.random.get_state()[2] < 500 else None))


def test_a_missing_op_is_no_missing_dtype():
    class NoLinear(Plugin):
        def implement(self, target, **options):
            if getattr(target, "op_name", "") == "linear":
                raise Unsupported("Got linear. Needed: another.")
            return super().implement(target, **options)

    assert "float64" not in check_backend(NoLinear(), ops=TRIED).left_out


def test_an_op_in_place_is_seen_where_a_second_time_changes_nothing():
    class Relu(Plugin):
        def computed(self, honest, target, arguments, keywords):
            return arguments[0].relu_().clone()

    with pytest.raises(AssertionError, match=INPUTS):
        check_backend(Relu(), ops=["relu"])
