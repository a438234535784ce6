import numpy as np
import pytest
import torch
from torch import nn

from halfulp.cases import Case, Run, Unavailable, Variant
from halfulp.errors import InputError, RunError


def test_runs_once_per_variant_and_remembers():
    calls = []

    def counted(x):
        calls.append(x.dtype)
        return x * 2

    case = Case(counted, torch.relu, (torch.ones(2),))
    first = case.run("actual")
    assert case.run("actual") is first
    assert case.run("actual", Variant("float64")).outputs[0].dtype == "float64"
    assert calls == [torch.float32, torch.float64]


def test_default_precision_is_that_of_the_inputs_or_parameters():
    assert Case(torch.relu, torch.relu, (torch.ones(1).double(), torch.ones(1))).declared.name == "float32"
    assert Case(nn.Embedding(3, 2).double(), torch.relu, (torch.arange(2),)).declared.name == "float64"
    assert Case(torch.relu, torch.relu, (torch.arange(2),)).declared.name == "float32"
    assert Case(torch.relu, torch.relu, torch.ones(1), declared="bf16" if False else "bfloat16").declared.name == "bfloat16"


def test_inputs_are_never_touched_and_mutation_is_reported():
    x, array = torch.zeros(3), np.zeros(2)

    def change(x, array):
        x.add_(1)
        array += 1
        return x

    run = Case(change, change, (x, array)).native("actual")
    assert run.mutated == ("inputs[0]", "inputs[1]")
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

    found = Case(float32_only, torch.relu, (torch.ones(1),)).run("actual", Variant("float64"))
    assert found == Unavailable("`actual` does not run in float64: TypeError: only float32 here")
    assert isinstance(Case(torch.relu, torch.relu, (torch.ones(1),)).run("actual", Variant("float64")), Run)


def test_what_is_not_callable_is_refused():
    with pytest.raises(InputError, match="Got actual=Tensor. Needed: a function or an nn.Module"):
        Case(torch.ones(1), torch.relu, ())


def test_keywords_and_variants_of_inputs():
    case = Case(lambda x, *, scale: x * scale, lambda x, *, scale: scale * x, torch.randn(5), keywords={"scale": torch.tensor(2.0)})
    integers = case.run("actual", Variant(kind="integers"))
    assert np.array_equal(integers.outputs[0].stored, np.rint(integers.outputs[0].stored))
    moved = [case.run("actual", Variant(kind=f"moved {place}")).outputs[0].stored for place in (0, 1)]
    assert not np.array_equal(*moved)


def test_reference_failures_are_reported():
    case = Case(torch.relu, torch.relu, (torch.ones(1),), reference=lambda x: 1 / 0)
    with pytest.raises(RunError, match="Got ZeroDivisionError from `reference`"):
        case.run("reference", Variant("float64"))


def test_lowered_variant_of_a_float64_case():
    case = Case(torch.exp, torch.exp, (torch.ones(2).double(),))
    assert case.finer == ""
    assert case.run("actual", Variant("float32")).outputs[0].dtype == "float32"
