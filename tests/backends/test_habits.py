"""What a backend does with numbers is measured exactly: on backends that are made to do it."""

import contextlib
import dataclasses
import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import halfulp
from halfulp.backends import Availability
from halfulp.backends.habits import Habits, Reading, Switch, habits_from
from halfulp.backends.knobs import Knob
from halfulp.backends.measured_habits import WIDTH, bits_kept, bits_read, habits_of
from halfulp.errors import Unsupported, WorkerError
from halfulp.floats import BFLOAT16, FLOAT16, FLOAT32, TF32, round_to_format

PRECISIONS = range(2, 25)


def rounded(numbers, bits):
    """To so many bits, ties to even, of any range: numbers of float64 with few bits, so that nothing is rounded twice."""
    significand, exponent = np.frexp(np.asarray(numbers, np.float64))
    return np.ldexp(np.rint(np.ldexp(significand, bits)), exponent - bits)


def added(terms, bits, order=None):
    """The sums of each row, every partial sum rounded."""
    total = np.zeros(len(terms))
    for place in range(terms.shape[1]) if order is None else order:
        total = rounded(total + terms[:, place], bits)
    return total


# --- The probes, for every precision ---


@pytest.mark.parametrize("bits", PRECISIONS)
def test_bits_that_are_read_are_counted(bits):
    assert bits_read(lambda rows: rounded(rows, bits).sum(1), 24) == bits


@pytest.mark.parametrize("bits", PRECISIONS)
def test_bits_that_are_cut_off_are_counted_as_well(bits):
    """1 + 2^-e has two bits: cutting and rounding lose it at the same e."""

    def cut(rows):
        significand, exponent = np.frexp(rows)
        return np.ldexp(np.trunc(np.ldexp(significand, bits)), exponent - bits).sum(1)

    assert bits_read(cut, 24) == bits


@pytest.mark.parametrize("bits", PRECISIONS)
def test_bits_that_sums_keep_are_counted(bits):
    assert bits_kept(lambda rows: added(rows, bits), 24) == bits


@pytest.mark.parametrize("bits", range(25, 33))
def test_sums_of_more_bits_than_declared_are_counted_up_to_eight(bits):
    assert bits_kept(lambda rows: added(rows, bits), 24) == min(bits, 32)
    assert bits_kept(lambda rows: rows.sum(1), 24) == 32  # float64: as far as is looked


@pytest.mark.parametrize("declared", [8, 11, 24])
@pytest.mark.parametrize("bits", PRECISIONS)
def test_no_more_is_read_than_was_declared(bits, declared):
    assert bits_read(lambda rows: rounded(rows, bits).sum(1), declared) == min(bits, declared)


@given(st.sampled_from(list(PRECISIONS)), st.sampled_from(list(PRECISIONS)))
def test_of_reading_and_adding_the_coarser_is_seen_in_what_is_read(reading, adding):
    def sums(rows):
        return added(rounded(rows, reading), adding)

    assert bits_read(sums, 24) == min(reading, adding) and bits_kept(sums, 24) == adding


# --- Backends that are made to round ---


def as_is(numbers):
    return numbers


def to(rounding):
    return lambda numbers: rounding(numbers).astype(np.float32)


to_bfloat16 = to(lambda numbers: round_to_format(numbers, BFLOAT16))
to_float16 = to(lambda numbers: round_to_format(numbers, FLOAT16))
to_tf32 = to(lambda numbers: round_to_format(numbers, TF32))


def flushed(numbers):
    return np.where(abs(numbers) < 2.0**-126, np.float32(0), numbers).astype(np.float32)


class Rounding:
    """Sums one after another; inputs, weights, products and partial sums are rounded as it is made to.

    A product is rounded to float32 before it is added, unless `fused`.
    """

    name = "rounding"

    def __init__(self, *, inputs=as_is, weights=as_is, sums=as_is, fused=False, backwards=False, knobs=()):
        self.inputs, self.weights, self.sums, self.fused, self.backwards, self.found = inputs, weights, sums, fused, backwards, tuple(knobs)

    def availability(self):
        return Availability("here", "1")

    def fingerprint(self):
        return {"rounding": "1"}

    def knobs(self):
        return self.found

    def implement(self, target, **options):
        ops = {"linear": self.linear, "matmul": self.matmul, "conv2d": self.convolution, "relu": self.relu, "sum": self.summed}
        weights = [weight.detach().numpy() for weight in target.weights]
        return lambda *given: torch.from_numpy(ops[target.op_name](*(each.numpy() for each in given), *weights))

    def product(self, left, right):
        total = np.zeros((len(left), right.shape[1]), np.float32)
        left, right = self.inputs(left).astype(np.float64), self.weights(right).astype(np.float64)
        places = [place for place in range(left.shape[1]) if left[:, place].any() and right[place].any()]  # zeros change no sum
        for place in reversed(places) if self.backwards else places:
            term = left[:, place, None] * right[place]
            if not self.fused:
                term = term.astype(np.float32).astype(np.float64)
            total = self.sums(
                (total + term).astype(np.float32)
            )  # float64 holds the product; its sum is rounded twice at worst, and not here
        return total

    def linear(self, x, weight, bias):
        return self.product(x, weight.T) + bias

    def matmul(self, left, right):
        return self.product(left, right)

    def convolution(self, x, weight, bias):
        patches = torch.nn.functional.unfold(torch.from_numpy(x), 3, padding=1).numpy()  # image, channel and place in the kernel, place
        rows = patches.transpose(0, 2, 1).reshape(-1, patches.shape[1])
        result = self.product(rows, weight.reshape(len(weight), -1).T) + bias
        return np.ascontiguousarray(result.reshape(len(x), *x.shape[2:], -1).transpose(0, 3, 1, 2))

    def relu(self, x):
        return np.maximum(self.inputs(x), 0)

    def summed(self, x):
        return self.product(x, np.ones((x.shape[-1], 1), np.float32))[:, 0]


ALL_OPS = ("linear", "matmul", "conv2d", "relu", "sum")
BACKENDS = {
    "none of these": (Rounding(), (24, 24, 24), "float32", ()),
    "inputs to bfloat16": (Rounding(inputs=to_bfloat16), (8, 24, 24), "bfloat16", ()),
    "inputs to tf32": (Rounding(inputs=to_tf32), (11, 24, 24), "float16 or tf32", ()),
    "weights to float16": (Rounding(weights=to_float16), (24, 11, 24), "float16 or tf32", ()),
    "weights to bfloat16": (Rounding(weights=to_bfloat16), (24, 8, 24), "bfloat16", ()),
    "both to tf32": (Rounding(inputs=to_tf32, weights=to_tf32), (11, 11, 24), "float16 or tf32", ()),
    "inputs to float16": (Rounding(inputs=to_float16), (11, 24, 24), "float16 or tf32", ALL_OPS),  # 2^-130 is below its range
    "sums to bfloat16": (Rounding(sums=to_bfloat16), (8, 8, 8), "bfloat16", ()),  # what is read is seen through the sums
    "sums to float16": (Rounding(sums=to_float16), (11, 11, 11), "float16 or tf32", ("linear", "matmul", "conv2d", "sum")),
    "all to bfloat16": (Rounding(inputs=to_bfloat16, weights=to_bfloat16, sums=to_bfloat16), (8, 8, 8), "bfloat16", ()),
    "inputs to 17 bits": (Rounding(inputs=to(lambda numbers: rounded(numbers, 17))), (17, 24, 24), "17 bits", ()),
    "subnormal inputs flushed": (Rounding(inputs=flushed), (24, 24, 24), "float32", ALL_OPS),
    "subnormal sums flushed": (Rounding(sums=flushed), (24, 24, 24), "float32", ("linear", "matmul", "conv2d", "sum")),
}


@pytest.mark.parametrize("fused", [False, True], ids=["products rounded", "fused"])
@pytest.mark.parametrize("name", BACKENDS)
def test_what_a_backend_was_made_to_do_is_measured(name, fused):
    made, (inputs, weights, sums), coarsest, flushing = BACKENDS[name]
    made.fused = fused
    found = habits_of(made)
    assert list(found.products) == ["linear", "matmul", "conv2d"] and found.failed == {}
    for reading in found.products.values():
        assert (reading.inputs_bits, reading.weights_bits, reading.sums_bits) == (inputs, weights, sums)
        assert reading.format == coarsest
    assert found.format == coarsest and found.flushes == flushing and set(found.subnormals) == set(ALL_OPS)
    if (inputs, weights, sums) == (24, 24, 24):
        assert {reading.is_fused for reading in found.products.values()} == {fused}


def test_the_formats_that_are_told_are_those_of_the_table():
    assert (BFLOAT16.precision_bits, FLOAT16.precision_bits, TF32.precision_bits, FLOAT32.precision_bits) == (8, 11, 11, 24)
    for bits in range(1, 25):
        told = Reading(bits, 24, 24, None).format
        assert told == Reading(24, bits, 24, None).format
        assert told == {8: "bfloat16", 11: "float16 or tf32", 24: "float32"}.get(bits, f"{bits} bits")


def test_the_format_of_a_backend_is_that_of_most_products():
    few, many = Reading(8, 8, 24, None), Reading(24, 24, 24, None)
    assert Habits({"linear": many, "matmul": few, "conv2d": many}, {}).format == "float32"
    assert Habits({"linear": few, "matmul": few, "conv2d": many}, {}).format == "bfloat16"
    assert Habits({}, {}).format == "not measured"


@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_numpy_and_pytorch_work_in_float32(name):
    found = habits_of(halfulp.backend(name), switches=False)
    assert found.format == "float32" and found.flushes == () and found.switches == ()
    assert all((product.inputs_bits, product.weights_bits) == (24, 24) and product.sums_bits >= 24 for product in found.products.values())


def test_flushing_is_measured_where_pytorch_is_set_to_it():
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor can't flush subnormal numbers")
    try:
        found = habits_of(halfulp.backend("torch"), switches=False)
    finally:
        torch.set_flush_denormal(False)
    assert {"linear", "matmul", "conv2d", "sum"} <= set(found.flushes)


# --- Switches ---


def turning(name="inference precision", *, touches=("products",), detail="fast", **changes):
    """A knob under which the backend does something else."""

    @contextlib.contextmanager
    def around():
        before = {key: getattr(backend, key) for key in changes}
        for key, value in changes.items():
            setattr(backend, key, value)
        try:
            yield
        finally:
            for key, value in before.items():
                setattr(backend, key, value)

    knob = Knob(name, detail, frozenset(touches), "rounding.fast()", around)
    backend = Rounding(knobs=[knob])
    return backend


def test_a_switch_that_changes_bits_only():
    (switch,) = habits_of(turning(backwards=True)).switches
    assert switch == Switch("fast", True, "float32", "float32")
    assert switch.words == "fast changes the bits but not the precision"


@pytest.mark.parametrize(("changes", "after"), [({"inputs": to_bfloat16}, "bfloat16"), ({"weights": to_tf32}, "float16 or tf32")])
def test_a_switch_that_changes_the_precision(changes, after):
    (switch,) = habits_of(turning(**changes)).switches
    assert switch == Switch("fast", True, "float32", after)
    assert switch.words == f"fast changes the precision from float32 to {after}"


def test_a_switch_that_changes_nothing():
    (switch,) = habits_of(turning(fused=False)).switches
    assert switch == Switch("fast", False, "float32", "float32")
    assert switch.words == "fast changes nothing"


def test_a_switch_that_raises_the_precision():
    backend = turning(inputs=as_is, weights=as_is)
    backend.inputs = backend.weights = to_bfloat16
    (switch,) = habits_of(backend).switches
    assert (switch.before, switch.after) == ("bfloat16", "float32")


def test_switches_are_turned_back():
    backend = turning(inputs=to_bfloat16)
    assert habits_of(backend).products == habits_of(backend, switches=False).products
    assert backend.inputs is as_is


@pytest.mark.parametrize(
    "backend",
    [
        turning("oneDNN", inputs=to_bfloat16),
        turning(touches=("softmax",), inputs=to_bfloat16),
        Rounding(knobs=[Knob("inference precision", "fast", frozenset(("products",)), "fast()", unavailable=lambda: "no GPU")]),
        Rounding(knobs=[Knob("inference precision", "fast", frozenset(("products",)), "fast()", environment={"FAST": "1"})]),
    ],
    ids=["of no precision", "of no product", "unavailable", "in a fresh process"],
)
def test_other_knobs_are_no_switches(backend):
    assert habits_of(backend).switches == ()


def test_a_switch_for_everything_is_one_for_products():
    assert [switch.after for switch in habits_of(turning(touches=("everything",), inputs=to_bfloat16)).switches] == ["bfloat16"]


def test_switches_are_left_where_nobody_asks_for_them():
    assert habits_of(turning(inputs=to_bfloat16), switches=False).switches == ()


# --- What a backend lacks, and what fails ---


class Lacking(Rounding):
    """Lacks one op, dies in another, and says something of a third."""

    def implement(self, target, **options):
        if target.op_name == "matmul":
            raise Unsupported("Got matmul. Needed: another op.")
        if target.op_name in ("conv2d", "sum"):
            raise WorkerError("Got no usable answer: it died.\nSecond line.")
        implementation = super().implement(target)

        class Remarking:
            def __call__(self, *given):
                return implementation(*given)

            def remarks(self, *given):
                return ("left to portable kernels", f"option {options['precision']}")

        return Remarking()


def test_what_is_lacking_is_left_out_and_what_fails_is_said():
    found = habits_of(Lacking(), {"precision": "f32"})
    assert list(found.products) == ["linear"] and list(found.subnormals) == ["linear", "relu"]
    assert found.failed == {"conv2d": "Got no usable answer: it died.", "sum": "Got no usable answer: it died."}
    assert found.remarks == ("linear: left to portable kernels", "linear: option f32")


def test_a_backend_without_products_is_not_measured():
    class Nothing(Rounding):
        def implement(self, target, **options):
            raise Unsupported("Got an op. Needed: another.")

    found = habits_of(Nothing(knobs=turning(inputs=to_bfloat16).found))
    assert found == Habits({}, {}) and found.format == "not measured" and found.flushes == ()


def test_habits_survive_json():
    for found in (habits_of(turning(inputs=to_bfloat16)), habits_of(Lacking(), {"precision": "f32"}), Habits({}, {})):
        assert habits_from(json.loads(json.dumps(dataclasses.asdict(found)))) == found


def test_probes_are_wide_enough_and_ask_little():
    """Each row of a probe has WIDTH terms, of which at most three are not zero."""
    asked = []

    def sums(rows):
        asked.append(rows)
        return rows.sum(1)

    bits_read(sums, 24), bits_kept(sums, 24)
    assert [each.shape for each in asked] == [(25, WIDTH), (33, WIDTH)]
    assert [int((each != 0).sum(1).max()) for each in asked] == [1, 3]


# --- Holes: reported; strict, so that a repair shows ---


@pytest.mark.parametrize("fused", [False, True])
def test_fusing_is_not_told_where_the_probe_cannot_tell(fused):
    found = habits_of(Rounding(inputs=to_bfloat16, weights=to_bfloat16, fused=fused), switches=False)
    assert {product.is_fused for product in found.products.values()} == {None}
