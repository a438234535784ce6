"""A target on a backend: built once for each kind of inputs and weights, unseen by what watches PyTorch, and fit for check and order."""

import copy
import dataclasses
import gc
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import halfulp
from halfulp.backends.adapters.with_numpy import NumPy
from halfulp.backends.implementation import KEPT, Implementation, state_of
from halfulp.backends.interface import Option
from halfulp.backends.knobs import NotApplicable
from halfulp.backends.ops import OPS
from halfulp.backends.program import Program, Watched
from halfulp.backends.registry import adapter_named
from halfulp.errors import InputError, RunError, TraceError, Unsupported
from halfulp.recording.transcript import Transcribed

NUMPY = adapter_named("numpy")


class Counting(NumPy):
    """NumPy that notes what it builds."""

    options = (
        Option("order", ("forward", "backward"), "order of sums", frozenset(("reductions",)), {"backward": "np.flip(x)"}),
        Option("speed", ("slow", "fast", "faster"), "speed", frozenset(("products",)), {}),
    )

    def __init__(self):
        self.built = []

    def build(self, target, arguments, keywords, options):
        self.built.append(dict(options))
        return super().build(target, arguments, keywords, options)


def drawn(name, size=0, **changes):
    return OPS[name].drawn(OPS[name].sizes[size], **changes)


# --- Programs ---


def test_one_program_for_one_kind_of_inputs():
    backend, (module, activations) = Counting(), drawn("linear")
    implementation = backend.implement(module)
    assert backend.built == []  # nothing before the first call: shapes are not known
    for number in range(5):
        implementation(activations[0] + number)
    assert len(backend.built) == 1


def test_other_shapes_dtypes_and_constants_are_other_programs():
    backend = Counting()
    implementation = backend.implement(lambda x, scale=1: x * scale)
    calls = [(torch.ones(2),), (torch.ones(3),), (torch.ones(2, 1),), (torch.ones(2).double(),), (torch.ones(2), 2), (torch.ones(2), 2.0)]
    for count, call in enumerate(calls, start=1):
        implementation(*call)
        assert len(backend.built) == count
    for call in calls:
        implementation(*call)
    assert len(backend.built) == len(calls)
    assert implementation(torch.ones(2), 2).tolist() == [2, 2] and implementation(torch.ones(2), scale=3).tolist() == [3, 3]


def test_programs_are_kept_up_to_a_limit_the_oldest_goes_first():
    backend = Counting()
    implementation = backend.implement(lambda x: x + 1)
    for length in range(1, KEPT + 1):
        implementation(torch.ones(length))
    implementation(torch.ones(1))  # used again: no longer the oldest
    implementation(torch.ones(KEPT + 1))
    assert len(backend.built) == KEPT + 1
    implementation(torch.ones(1))
    assert len(backend.built) == KEPT + 1
    implementation(torch.ones(2))
    assert len(backend.built) == KEPT + 2


def _in_place(module):
    with torch.no_grad():
        module.weight.mul_(2.0)


def _by_data(module):
    module.weight.data[3, 5] += 2.0**-20


def _another_tensor(module):
    module.weight.data = module.weight.data * -1.0


def _another_parameter(module):
    module.weight = nn.Parameter(torch.zeros_like(module.weight), requires_grad=False)


def _by_array(module):
    module.bias.numpy()[0] += 1.0


@pytest.mark.parametrize("change", [_in_place, _by_data, _another_tensor, _another_parameter, _by_array])
def test_changed_weights_are_another_program(change):
    backend, (module, activations) = Counting(), drawn("linear")
    implementation = backend.implement(module)
    before = implementation(*activations)
    change(module)
    after = implementation(*activations)
    assert len(backend.built) == 2 and torch.equal(after, NUMPY.implement(module)(*activations)) and not torch.equal(after, before)


@given(st.sampled_from([torch.float32, torch.float64, torch.float16]), st.integers(0, 7 * 11 - 1), st.data())
def test_any_bit_of_any_weight_is_part_of_the_state(dtype, place, data):
    module = nn.Linear(11, 7, bias=False).to(dtype)
    before = state_of(module)
    assert state_of(copy.deepcopy(module)) == before
    held = module.weight.detach().numpy().reshape(-1).view(np.uint8).reshape(77, -1)
    held[place, data.draw(st.integers(0, held.shape[1] - 1))] ^= np.uint8(1 << data.draw(st.integers(0, 7)))
    assert state_of(module) != before


def test_buffers_and_modes_are_part_of_the_state():
    module = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout())
    states = [state_of(module)]
    module[0].running_mean[1] = 2.0
    states.append(state_of(module))
    module[1].eval()
    states.append(state_of(module))
    module.double()
    states.append(state_of(module))
    assert all(mine != theirs for place, mine in enumerate(states) for theirs in states[:place])


def test_a_changed_file_is_another_state(tmp_path):
    file = tmp_path / "model.onnx"
    file.write_bytes(b"one")
    before = state_of(str(file))
    assert before == state_of(file) is not None and state_of("no such file") is None
    file.write_bytes(b"longer")
    assert state_of(file) != before


# --- What goes in and comes out ---


def test_nested_inputs_keywords_and_constants():
    def target(pair, *, scale, names):
        assert names == ("left", "right") and isinstance(pair["left"], np.ndarray)
        return {"sum": pair["left"] + pair["right"][0], "scaled": [pair["left"] * scale, (pair["left"].sum(),)]}

    implementation = NUMPY.implement(target)
    for number in range(3):  # the numbers of each call, not those of the first
        given = {"left": torch.arange(3.0) + number, "right": [torch.full((3,), float(number))]}
        found = implementation(given, scale=torch.tensor(2.0 + number), names=("left", "right"))
        assert found["sum"].tolist() == [2 * number, 1 + 2 * number, 2 + 2 * number]
        assert found["scaled"][0].tolist() == [(each + number) * (2 + number) for each in range(3)]
        assert found["scaled"][1][0].shape == () and isinstance(found["scaled"][1], tuple)


def test_keywords_are_taken_by_name():
    implementation = NUMPY.implement(lambda *, x, y: x - y)
    first, second = torch.tensor([5.0]), torch.tensor([2.0])
    assert implementation(x=first, y=second).tolist() == implementation(y=second, x=first).tolist() == [3.0]


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (2, 3)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int64, torch.bool, torch.uint8])
def test_shapes_and_dtypes_come_back(shape, dtype):
    given = torch.ones(shape, dtype=dtype)
    found = NUMPY.implement(lambda x: x)(given)
    assert found.dtype == dtype and found.shape == given.shape and torch.equal(found, given)
    if given.numel():
        assert found.data_ptr() != given.data_ptr()
    array = NUMPY.implement(lambda x: x)(given.numpy())
    assert isinstance(array, np.ndarray) and array.dtype == given.numpy().dtype and array.shape == shape
    assert array.flags.writeable and not np.shares_memory(array, given.numpy())


@pytest.mark.parametrize(
    "view",
    [lambda x: x.t(), lambda x: x[:, ::2], lambda x: x[1:, 1:], lambda x: x[:1].expand(5, 4), lambda x: x[..., None, :].transpose(0, 1)],
)
def test_views_are_read_as_they_are_meant(view):
    whole = torch.arange(16.0).reshape(4, 4)
    assert torch.equal(NUMPY.implement(lambda x: x * 2)(view(whole)), view(whole) * 2)
    assert np.array_equal(NUMPY.implement(lambda x: x * 2)(view(whole).numpy()), (view(whole) * 2).numpy())


def test_arrays_of_numpy_that_are_read_only_or_mixed_with_tensors():
    array = np.arange(3, dtype=np.float32)
    array.flags.writeable = False
    found = NUMPY.implement(lambda x: x + 1)(array)
    assert isinstance(found, np.ndarray) and found.tolist() == [1, 2, 3]
    assert isinstance(NUMPY.implement(lambda x, y: x + y)(array, torch.ones(3)), torch.Tensor)
    assert NUMPY.implement(lambda x: x + 1)(np.float32(2.0)).dtype == np.float32


def test_gradients_are_neither_recorded_nor_switched_off_outside():
    given = torch.ones(2, requires_grad=True)
    assert not NUMPY.implement(lambda x: x * 2)(given).requires_grad
    assert torch.is_grad_enabled() and (given * 2).requires_grad


def test_nothing_to_compute_on_is_refused():
    for arguments in ((), (1, "a"), ([],)):
        with pytest.raises(InputError, match=r"Got no arrays to compute on\. Needed: at least one tensor or array\."):
            NUMPY.implement(lambda *given: 1)(*arguments)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2])
def test_a_format_that_numpy_lacks_is_refused(dtype):
    name = str(dtype).removeprefix("torch.")
    for call in (
        lambda: NUMPY.implement(lambda x: x)(torch.ones(2).to(dtype)),
        lambda: NUMPY.implement(lambda x: x["a"])({"a": torch.ones(2).to(dtype)}),
    ):
        with pytest.raises(Unsupported, match=rf"Got {name} for numpy\. Needed: float32, float64, float16\. .*Convert the inputs first\."):
            call()
    with pytest.raises(Unsupported, match=f"Got {name} for numpy"):
        implementation, activations = (
            drawn("linear", dtype=dtype)
            if dtype == torch.bfloat16
            else (OPS["relu"].drawn(OPS["relu"].sizes[0])[0], (torch.ones(2).to(dtype),))
        )
        NUMPY.implement(implementation)(*activations)


@pytest.mark.parametrize("name", OPS)
def test_too_many_or_too_few_activations_are_refused(name):
    module, activations = drawn(name)
    for given_activations in ((*activations, activations[0], activations[0]), activations[:-1]):
        with pytest.raises((InputError, TypeError, ValueError)):
            NUMPY.implement(module)(*given_activations)


# --- What is around it ---


class Ops(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


class Functions(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


MOVES = {"aten.detach.default", "aten.lift_fresh.default", "aten.clone.default"}
"""What an input goes through on its way in: its numbers are moved, nothing is computed."""


class Computing(NumPy):
    """A backend that is made of PyTorch itself, as those with a route through torch.export are."""

    def build(self, target, arguments, keywords, options):
        built = target(*arguments, **keywords).exp()
        return Program(lambda tensors: [target(*tensors).exp() + built * 0])


@pytest.mark.parametrize("backend", [NUMPY, Computing()], ids=["NumPy", "of PyTorch's ops"])
def test_what_watches_pytorch_sees_nothing_of_a_backend(backend):
    (module, activations), (seen_ops, seen_functions) = drawn("linear"), (Ops(), Functions())
    expected = backend.implement(module)(*activations)
    array, view = activations[0].numpy(), torch.stack([activations[0]] * 2, -1)[..., 0]
    with seen_functions, seen_ops:
        results = [backend.implement(module)(each) for each in (*activations, array, view)]  # builds, runs and hands back
    assert set(seen_ops.seen) <= MOVES and set(seen_functions.seen) <= {
        "detach",
        "to",
        "resolve_conj",
        "resolve_neg",
        "contiguous",
        "lift_fresh.default",
        "__get__",  # of what kind a tensor is
    }
    assert all(np.array_equal(np.asarray(result), expected.numpy()) for result in results)
    given = torch.ones(2)
    with seen_functions, seen_ops:
        with pytest.raises((Unsupported, ZeroDivisionError)):  # while it builds, or runs
            backend.implement(lambda x: 1 // 0)(given)
        torch.exp(given)  # it sees again, after an error too
    assert "aten.exp.default" in seen_ops.seen and "exp" in seen_functions.seen


def test_what_watches_pytorch_sees_pytorch():
    module, activations = drawn("linear")
    with Ops() as watch:
        adapter_named("torch").implement(module)(*activations)
    assert "aten.addmm.default" in watch.seen


def random_states():
    return str(np.random.get_state()), random.getstate(), torch.get_rng_state().tolist()


def test_random_states_are_kept_while_building():
    class Drawing(NumPy):
        """As frameworks do that seed themselves when they are loaded."""

        def build(self, target, arguments, keywords, options):
            np.random.seed(1), random.seed(2), torch.manual_seed(3), np.random.rand(), random.random(), torch.rand(1)
            if target is None:
                raise ValueError("after drawing")
            return super().build(target, arguments, keywords, options)

    before = random_states()
    assert Drawing().implement(lambda x: x)(torch.ones(1)).tolist() == [1.0]
    assert random_states() == before
    with pytest.raises(Unsupported):
        Drawing().implement(None)(torch.ones(1))
    assert random_states() == before
    torch.rand(1)
    assert random_states() != before


class Building(type(NUMPY)):
    """Builds by calling the target."""

    name = "building"

    def build(self, target, arguments, keywords, options):
        target()
        raise AssertionError


def test_errors_of_building_are_what_the_backend_lacks():
    def failing():
        raise ZeroDivisionError("no channels\nsecond line")

    with pytest.raises(Unsupported) as raised:
        Building().implement(failing)(torch.ones(1))
    assert str(raised.value).startswith(
        "Got ZeroDivisionError from building while building <function on building>: no channels. Needed: an op, function or model that the backend accepts."
    )
    assert isinstance(raised.value.__cause__, ZeroDivisionError)

    def ours():
        raise TraceError("Got one. Needed: two.")

    with pytest.raises(TraceError, match="Got one"):
        Building().implement(ours)(torch.ones(1))


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, TraceError])
def test_a_function_fails_with_its_own_error_and_the_next_call_works(error):
    calls = []

    def once(x):
        calls.append(1)
        if len(calls) == 1:
            raise error("not yet")
        return x * 2

    implementation = NUMPY.implement(once)
    with pytest.raises(error, match="not yet"):
        implementation(torch.ones(1))
    assert implementation(torch.ones(1)).tolist() == [2.0] and len(calls) == 2


@pytest.mark.parametrize("target", [nn.Linear(2, 2), nn.ReLU(), "model.npz", 3, None, object()])
def test_what_numpy_has_no_route_from_is_refused(target):
    with pytest.raises(
        Unsupported,
        match=rf"Got {type(target).__name__} for numpy. Needed: one of halfulp's ops \(halfulp.backends.ops.OPS has their names\), or a function of NumPy's own arrays.",
    ):
        NUMPY.implement(target)(torch.ones(2, 2))


def test_an_op_without_a_function_is_refused(monkeypatch):
    monkeypatch.delitem(NUMPY.functions({}), "linear")
    module, activations = drawn("linear")
    with pytest.raises(
        Unsupported,
        match=r"Got the op linear for numpy\. Needed: an op that this backend implements\. Not implemented: linear\. Don't run this op on numpy\.",
    ):
        NUMPY.implement(module)(*activations)


# --- Options ---


def test_options_are_taken_and_their_defaults_filled_in():
    backend = Counting()
    implementation = backend.implement(lambda x: x + 1, speed="fast")
    assert repr(implementation) == "<function on numpy, order=forward, speed=fast>"
    implementation(torch.ones(1))
    other = implementation.with_options(order="backward")
    other(torch.ones(1))
    implementation(torch.ones(1))
    assert backend.built == [{"order": "forward", "speed": "fast"}, {"order": "backward", "speed": "fast"}]
    assert implementation.options == {"order": "forward", "speed": "fast"}  # as it was
    assert repr(backend.implement(drawn("linear")[0])) == "<linear on numpy, order=forward, speed=slow>"


def test_unknown_options_and_values_are_refused():
    backend = Counting()
    implementation = backend.implement(lambda x: x)
    for ask in (implementation.with_options, lambda **options: backend.implement(lambda x: x, **options)):
        with pytest.raises(InputError) as raised:
            ask(precison="f32")
        assert (
            str(raised.value)
            == "Got the option 'precison' for numpy. Needed: one of order, speed. The backend has no option of that name. Leave it out."
        )
        with pytest.raises(InputError) as raised:
            ask(speed="slower")
        assert str(raised.value) == (
            "Got speed='slower' for numpy. Needed: one of slow, fast, faster. This option has no other value. Leave it out for slow."
        )
    with pytest.raises(
        InputError, match="Got the option 'order' for numpy. Needed: none. The backend has no option of that name. Leave it out."
    ):
        NUMPY.implement(lambda x: x).with_options(order="forward")


def test_knobs_turn_options_and_touch_nothing_else():
    backend = Counting()
    implementation = backend.implement(lambda x: x, speed="fast")
    found = {knob.detail: knob for knob in implementation.knobs()}
    assert set(found) == {"order = backward", "speed = slow", "speed = faster"}
    assert {knob.detail for knob in backend.knobs()} == {"order = backward", "speed = fast", "speed = faster"}
    assert found["order = backward"].remedy == "np.flip(x)" and found["speed = slow"].remedy == "speed='slow'"
    assert found["order = backward"].applied(implementation).options == {"order": "backward", "speed": "fast"}
    assert implementation.options == {"order": "forward", "speed": "fast"}
    with pytest.raises(NotApplicable, match="exp was not made by a backend"):
        found["order = backward"].applied(torch.exp)


# --- Looking into it ---


class Watching(NumPy):
    """Gives one value on the way."""

    def build(self, target, arguments, keywords, options):
        def watch(tensors):
            doubled = tensors[0] * 2
            return Watched([Transcribed(doubled, "toy.double")], [doubled + 1], {"weight": torch.ones(1)}, ("the rest was not seen",))

        return Program(lambda tensors: [tensors[0] * 2 + 1], None, watch, ("computed in the toy's way",))


def test_a_run_is_recorded_where_the_backend_shows_it(tmp_path):
    implementation = Watching().implement(lambda x: x * 2 + 1)
    given = torch.arange(3.0)
    trace = implementation.record((given,), tmp_path / "run.trace")
    values = {value.name or trace.steps[0].op: value.number for value in trace.values}
    assert trace.numbers(values["inputs[0]"]).tolist() == [0, 1, 2] and trace.numbers(values["toy.double"]).tolist() == [0, 2, 4]
    assert trace.numbers(trace.named["output"]).tolist() == [1, 3, 5] and "weight" in values
    assert trace.notes == ("computed in the toy's way", "the rest was not seen")
    assert "numpy" in trace.fingerprint.sections["backend"]
    with pytest.raises(TraceError):
        implementation.record((given,), tmp_path / "run.trace")  # it is in the way
    assert implementation.remarks(given) == ("computed in the toy's way",)


def test_a_trace_without_a_path_lives_as_long_as_it_is_held():
    trace = Watching().implement(lambda x: x * 2 + 1).record((torch.ones(2),))
    folder = trace.path.parent
    assert trace.path.is_dir()
    del trace
    gc.collect()
    assert not folder.exists()


def test_a_backend_that_shows_nothing_says_so():
    module, activations = drawn("linear")
    with pytest.raises(
        Unsupported,
        match=r"Got <linear on numpy> to record\. .* NumPy gives only final results\. Compare results with halfulp\.check",
    ):
        NUMPY.implement(module).record(activations)
    assert NUMPY.implement(module).remarks(*activations) == ()


# --- Verdicts and orders ---


@pytest.mark.parametrize("name", ["linear", "conv1d", "gelu", "softmax", "layer_norm", "sum", "lstm_cell"])
def test_check_finds_rounding(name):
    module, activations = drawn(name)
    assert halfulp.check(NUMPY.implement(module), module, activations).verdict.name in ("ROUNDING", "IDENTICAL")


@pytest.mark.parametrize("name", ["relu", "max_pool2d", "gather"])
def test_check_finds_equal_bits(name):
    module, activations = drawn(name)
    assert halfulp.check(NUMPY.implement(module), module, activations).verdict.name == "IDENTICAL"


@pytest.mark.parametrize("name", ["linear", "conv1d", "layer_norm", "lstm_cell"])
def test_check_finds_a_wrong_weight(name):
    module, activations = drawn(name)
    wrong = copy.deepcopy(module)
    wrong.weights[0].data.view(-1)[0] += 0.5
    assert halfulp.check(NUMPY.implement(wrong), module, activations).verdict.name == "MISTAKE"


def test_check_finds_weights_of_less_precision():
    module, activations = drawn("linear")
    coarse = copy.deepcopy(module)
    coarse.weight.data = coarse.weight.data.half().float()
    assert halfulp.check(NUMPY.implement(coarse), module, activations).verdict.name == "REDUCED_PRECISION"


def test_check_says_which_side_a_backend_is():
    module, activations = drawn("linear")
    with pytest.raises(RunError, match="from `actual`"):
        halfulp.check(NUMPY.implement(nn.Linear(64, 32)), module, activations)


def test_the_order_of_numpy_is_revealed_through_a_backend():
    implementation = NUMPY.implement(drawn("sum")[0])
    found, direct = (
        halfulp.order(implementation, (torch.ones(2, 64),)),
        halfulp.order(lambda x: x.sum(-1), (np.ones((2, 64), np.float32),)),
    )
    assert found.is_proved and found.order == direct.order
    values = (torch.randn(2, 64),)
    assert np.array_equal(found.replay(values), implementation(*values).numpy())


def test_the_order_of_a_product_is_revealed_through_a_backend():
    implementation = NUMPY.implement(drawn("matmul")[0])
    found = halfulp.order(implementation, (torch.ones(2, 24), torch.ones(24, 3)))
    assert found.is_proved, found.describe()
    values = (torch.randn(2, 24), torch.randn(24, 3))
    assert np.array_equal(found.replay(values), implementation(*values).numpy())


# --- Holes: reported; strict, so that a repair shows ---


def test_a_function_that_writes_in_place_runs_once_and_on_its_own_memory():
    def target(x):
        x += 1
        return x

    given = torch.zeros(2)
    assert NUMPY.implement(target)(given).tolist() == [1.0, 1.0]
    assert given.tolist() == [0.0, 0.0]  # "it leaves its inputs as they were"


def test_constants_that_look_alike_are_told_apart():
    class Settings:
        def __init__(self, scale):
            self.scale = scale

        def __repr__(self):
            return "Settings()"

    implementation = NUMPY.implement(lambda x, settings: x * settings.scale)
    assert [implementation(torch.ones(1), Settings(scale)).item() for scale in (2.0, 3.0)] == [2.0, 3.0]


def test_a_result_that_is_nested_by_its_values():
    implementation = NUMPY.implement(lambda x: {"positive": x} if x[0] > 0 else {"negative": x})
    assert list(implementation(torch.ones(1))) == ["positive"]
    assert list(implementation(-torch.ones(1))) == ["negative"]


def test_a_single_weight_with_a_gap_has_a_state():
    module = nn.Module()
    module.scale = nn.Parameter(torch.ones(1, 4, dtype=torch.float64)[:, 0])
    assert state_of(module) == state_of(copy.deepcopy(module))


@pytest.mark.parametrize(
    "given",
    [torch.eye(2).to_sparse(), torch.ones(2, device="meta")],
    ids=["sparse", "meta"],
)
def test_arrays_that_cannot_be_taken_are_refused(given):
    with pytest.raises((InputError, Unsupported)):
        Implementation(NUMPY, lambda x: x + 1, {})(given)


def test_arrays_of_other_byte_order_are_read_as_the_numbers_that_they_are():
    assert NUMPY.implement(lambda x: x + 1)(np.arange(3, dtype=">f4")).tolist() == [1.0, 2.0, 3.0]


@dataclasses.dataclass
class Config:
    scale: float


@pytest.mark.parametrize(
    ("values", "builds"),
    [((2.0, 2.0), 1), ((2.0, 2), 2), ((0.0, -0.0), 2), ((float("nan"), float("nan")), 1), ((Config(2.0), Config(2.0)), 1),
     ((Config(2.0), Config(3.0)), 2), ((slice(0, 2), slice(0, 2)), 1), ((object(), object()), 2)],
    ids=["equal", "another type", "zeros", "nan", "equal objects", "other objects", "slices", "objects without a value"],
)  # fmt: skip
def test_a_program_is_built_once_for_constants_of_one_value(values, builds):
    backend = Counting()
    implementation = backend.implement(lambda x, _constant: x + 1)
    for value in (*values, *values):
        implementation(torch.ones(2), value)
    assert len(backend.built) == builds


def test_threads_get_results_nested_as_their_own():
    implementation = NUMPY.implement(lambda x: {"positive": x} if x[0] > 0 else (x, x, x))
    given = [torch.full((4,), float(sign)) for sign in (1, -1)] * 200
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(implementation, given))
    assert [type(each) for each in found] == [dict, tuple] * 200
