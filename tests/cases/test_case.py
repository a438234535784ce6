import numpy as np
import pytest
import torch
from torch import nn

from halfulp.cases import LIFTED, Case, Change, Inputs, Precision, Run, Unavailable, Variant
from halfulp.errors import InputError, RunError


def test_runs_once_per_variant_and_remembers():
    calls = []

    def counted(x):
        calls.append(x.dtype)
        return x * 2

    case = Case(counted, torch.relu, (torch.ones(2),))
    first = case.run("actual")
    assert case.run("actual") is first
    assert case.run("actual", LIFTED).outputs[0].dtype == "float64"
    assert calls == [torch.float32, torch.float64]


def test_default_precision_is_that_of_the_data():
    one = torch.ones(1)
    assert Case(torch.add, torch.add, (one.double(), one)).declared.name == "float64"
    assert Case(torch.mul, torch.mul, (one, one.half())).declared.name == "float32"  # a float16 mask beside float32 data
    assert Case(torch.relu, lambda x: x.half(), (one,)).declared.name == "float16"
    assert Case(torch.relu, torch.Tensor.double, (one,)).declared.name == "float32"
    assert Case(nn.Embedding(3, 2).double(), nn.Embedding(3, 2).double(), (torch.arange(2),)).declared.name == "float64"
    assert Case(lambda x: x, lambda x: x, (1.5,)).declared.name == "float64"  # a Python number
    assert Case(torch.neg, torch.neg, (torch.arange(2),)).declared.name == "float32"
    assert Case(torch.relu, torch.relu, one, declared="bfloat16").declared.name == "bfloat16"


def test_inputs_are_never_touched_and_mutation_is_reported():
    x, array = torch.zeros(3), np.zeros(2)

    def change(x, array):
        x.add_(1)
        array += 1
        return x

    case = Case(change, change, (x, array))
    run = case.native("actual")
    assert tuple(run.mutated) == ("inputs[0]", "inputs[1]")
    assert case.native("actual").outputs[1].path == "inputs[1] (after the call)"  # inputs[0] is returned: it is an output already
    assert x.sum() == 0
    assert array.sum() == 0


def test_a_failing_native_run_carries_the_users_traceback_and_the_inputs():
    def broken(x):
        return x @ x

    case = Case(torch.relu, broken, (torch.ones(2, 3),))
    with pytest.raises(RunError, match=r"Got RuntimeError from `expected` on the inputs \(float32\[2, 3\]\)") as caught:
        case.native("expected")
    assert "return x @ x" in str(caught.value)
    assert "Next: call expected(*inputs) by itself." in str(caught.value)


def test_a_failing_variant_is_unavailable_with_a_reason():
    def float32_only(x):
        if x.dtype != torch.float32:
            raise TypeError("only float32 here")
        return x

    found = Case(float32_only, torch.relu, (torch.ones(1),)).run("actual", LIFTED)
    assert found == Unavailable("`actual` does not run in float64: TypeError: only float32 here")
    assert isinstance(Case(torch.relu, torch.relu, (torch.ones(1),)).run("actual", LIFTED), Run)


def test_what_is_not_callable_is_refused():
    for value in (None, "model", object()):
        with pytest.raises(InputError, match=f"Got actual={type(value).__name__}. Needed: a function or an nn.Module"):
            Case(value, torch.relu, ())


def test_keywords_and_variants_of_inputs():
    case = Case(lambda x, *, scale: x * scale, lambda x, *, scale: scale * x, torch.randn(5), keywords={"scale": torch.tensor(2.0)})
    integers = case.run("actual", Variant(inputs=Inputs(Change.INTEGERS)))
    assert np.array_equal(integers.outputs[0].stored, np.rint(integers.outputs[0].stored))
    moved = [case.run("actual", Variant(inputs=Inputs(Change.MOVED, place))).outputs[0].stored for place in (0, 1)]
    assert not np.array_equal(*moved)


def test_reference_failures_are_reported():
    case = Case(torch.relu, torch.relu, (torch.ones(1),), reference=lambda x: 1 / 0)
    with pytest.raises(RunError, match="Got ZeroDivisionError from `reference`"):
        case.run("reference", LIFTED)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keywords": 3}, "Got keywords=int. Needed: a dict"),
        ({"seed": 2**70}, "Needed: an integer from 0 to"),
        ({"seed": "a"}, "Got seed='a'"),
        ({"reference": 3}, "Got reference=int. Needed: a function"),
        ({"declared": "int7"}, "Got the precision 'int7'"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        Case(torch.relu, torch.relu, (torch.ones(1),), **options)


def test_functions_that_return_nothing_or_exit_are_refused():
    with pytest.raises(InputError, match="Got no tensors from `actual`"):
        Case(lambda x: None, torch.relu, (torch.ones(1),)).native("actual")

    def leave(x):
        raise SystemExit(0)

    with pytest.raises(RunError, match="Got SystemExit from `actual`"):
        Case(leave, torch.relu, (torch.ones(1),)).native("actual")


def test_uncast_variant_takes_out_coarser_casts():
    case = Case(lambda x: x.bfloat16().float(), torch.relu, (torch.tensor([1.001]),))
    run = case.run("actual", Variant(Precision.UNCAST))
    assert run.outputs[0].stored.item() == pytest.approx(1.001, abs=1e-7)
    assert run.replaced == ("bfloat16", "float32")


def test_filled_inputs_use_all_bits():
    case = Case(lambda x: x, lambda x: x, (torch.ones(1000),))
    values = case.run("actual", Variant(Precision.FLOAT64, Inputs(Change.FILLED))).outputs[0].stored
    assert len(np.unique(values)) > 990
    assert np.abs(values - 1).max() <= 2.0**-23


def test_lowered_variant_of_a_float64_case():
    case = Case(torch.exp, torch.exp, (torch.ones(2).double(),))
    assert case.finest is Precision.NATIVE
    assert case.run("actual", Variant(Precision.FLOAT32)).outputs[0].dtype == "float32"


def test_results_that_stay_float32_can_be_read_in_bfloat16():
    """As those of another process do, whatever the mode."""
    result = torch.randn(3)
    run = Case(lambda _: result, torch.relu, (torch.randn(3),)).run("actual", Variant(Precision.BFLOAT16))
    assert isinstance(run, Run) and run.outputs[0].dtype == "float32"
