"""Results in the place of a function: what is asked of them, what isn't, and what follows."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import halfulp
from halfulp import CheckResult, Verdict
from halfulp.cases import NATIVE, Case, Change, Inputs, Precision, Run, Stored, Unavailable, Variant
from halfulp.errors import InputError, RunError
from halfulp.verdicts.evidence.finding import Finding


def inputs(rows=16, length=512, columns=48, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(*shape, generator=generator) for shape in ((rows, length), (columns, length), (columns,)))


def expected(x, W, b):
    return F.linear(x, W, b)


def in_blocks(x, W, b):
    """The same terms in another order: what a device makes of it."""
    half = x.shape[1] // 2
    return (x[:, :half] @ W[:, :half].T + x[:, half:] @ W[:, half:].T) + b


def in_tf32(x, W, b):
    def rounded(value):
        bits = value.contiguous().view(torch.int32)
        return ((bits + 0xFFF + ((bits >> 13) & 1)) & -(1 << 13)).view(torch.float32)

    return F.linear(rounded(x), rounded(W), b)


def test_a_stored_side_gives_its_numbers_once_and_nothing_else():
    case = Case(in_blocks(*inputs()), expected, inputs())
    assert case.stored == "actual"
    assert np.array_equal(case.native("actual").outputs[0].stored, in_blocks(*inputs()).numpy())
    for variant in (Variant(repetition=1), Variant(Precision.FLOAT64), Variant(inputs=Inputs(Change.MOVED, 0))):
        assert case.run("actual", variant) == Unavailable("`actual` is a stored result (a Tensor), which can't be run again")
    assert isinstance(case.run("expected", Variant(Precision.FLOAT64)), Run)
    assert isinstance(case.run("actual", NATIVE), Run)


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        (lambda *given: expected(*given), "IDENTICAL"),
        (in_blocks, "ROUNDING"),
        (in_tf32, "REDUCED_PRECISION"),
        (lambda x, W, b: F.linear(x.bfloat16(), W.bfloat16(), b.bfloat16()).float(), "REDUCED_PRECISION"),
        (lambda x, W, b: F.linear(x, W) + 1.01 * b, "UNDECIDED"),
        (lambda x, W, b: F.linear(x.flip(0), W, b), "MISTAKE"),
        (lambda x, W, b: F.linear(x, W, b)[:4], "MISTAKE"),
        (lambda x, W, b: F.linear(x, W, b) * torch.tensor(float("nan")), "MISTAKE"),
    ],
)
def test_what_can_be_told_of_a_result(result, verdict):
    found = halfulp.check(result(*inputs()), expected, inputs())
    assert found.verdict.name == verdict
    assert found.names[0] == "actual (stored result)"
    stored = found.find("stored")
    assert stored.finding is Finding.REPORTED and stored.measured["side"] == "actual"
    assert "what it gives in float64" in stored.measured["not_asked"]
    assert any("trusts that it was computed" in sentence for sentence in found.warnings)
    assert "trusts that it was computed" in halfulp.report(found, form="answer")
    again = CheckResult.from_json(found.to_json())
    assert again.verdict is found.verdict and halfulp.judge(again.evidence) is found.verdict and again.reason == found.reason


def test_nothing_is_claimed_that_was_not_asked():
    found = halfulp.check(in_blocks(*inputs()), expected, inputs(), full=True)
    assert found.find("repetition").finding is Finding.UNAVAILABLE
    assert found.find("scaling").finding is Finding.UNAVAILABLE and "can't be run again" in found.find("scaling").measured["why"]
    for kind in ("integers", "impulses", "powers", "permutations", "redraw", "wide_redraw", "casts", "own_noise", "inside", "search"):
        assert found.find(kind) is None
    for kind in ("noise", "backward_error", "peer", "families"):
        assert found.find(kind) is not None


def test_an_error_beyond_rounding_is_undecided_with_what_is_known():
    found = halfulp.check(expected(*inputs()) * (1 + 2e-5), expected, inputs())
    assert found.verdict is Verdict.UNDECIDED and found.exit_code == 3
    assert "halfulp could not determine whether the algorithm loses digits or whether a formula, weight or input differs" in found.reason
    assert "where u is half an ulp of 1" in found.reason and "No coarser format reproduces it" in found.reason
    assert "computed from these very inputs" in halfulp.report(found)


def test_errors_that_lean_within_the_noise_are_not_called_a_mistake():
    """A result whose last bits are cut off: of a function it would be seen whether the formula stands."""
    x = torch.rand(64, 64, generator=torch.Generator().manual_seed(0)) + 1.0
    exact = (x.double() * x.double() * x.double()).float()
    cut = (exact.view(torch.int32) & -4).view(torch.float32)
    found = halfulp.check(cut, lambda x: x * x * x, (x,))
    assert (found.verdict, found.because) == (Verdict.UNDECIDED, ("gain", "noise"))
    assert "A stored result can't show whether that is the cause" in found.reason
    assert halfulp.check(lambda x: cut + 0 * x, lambda x: x * x * x, (x,)).verdict is not Verdict.UNDECIDED


def test_a_function_against_a_stored_expectation():
    found = halfulp.check(expected, Stored(in_blocks(*inputs()), "other/machine.npy"), inputs())
    assert found.verdict is Verdict.ROUNDING
    assert found.names[1] == "expected (machine.npy)"
    assert "ops of actual" in found.find("noise").measured["method"]


def test_a_side_that_disagrees_with_itself_is_still_seen():
    draws = iter(range(100))
    found = halfulp.check(torch.ones(64), lambda x: x + 0.1 * next(draws), (torch.ones(64),))
    assert found.verdict is Verdict.NONDETERMINISTIC
    assert found.find("repetition").measured["side"] == "expected"


@pytest.mark.parametrize(
    "values",
    [
        {"output": torch.ones(3)},
        [torch.ones(3)],
        np.ones(3, np.float32),
    ],
)
def test_one_tensor_has_no_name(values):
    assert halfulp.check(values, lambda x: x + 0, (torch.ones(3),)).verdict is Verdict.IDENTICAL


def test_several_tensors_without_names_are_in_their_order():
    pair = torch.ones(3), torch.zeros(2)
    for values in ({"arr_1": pair[1], "arr_0": pair[0]}, {"output[1]": pair[1], "output[0]": pair[0]}, list(pair)):
        found = halfulp.check(values, lambda x: {"a": x + 0, "b": torch.zeros(2)}, (torch.ones(3),))
        assert found.verdict is Verdict.IDENTICAL, values
    named = {"a": pair[0], "c": pair[1]}
    assert halfulp.check(named, lambda x: {"a": x + 0, "b": torch.zeros(2)}, (torch.ones(3),)).verdict is Verdict.MISTAKE


def test_bfloat16_comes_back_from_files_that_lack_it():
    x = torch.randn(32, 8).bfloat16()
    assert halfulp.check((x * x).float().numpy(), lambda x: x * x, (x,)).verdict is Verdict.IDENTICAL
    finer = (x.float() * x.float()).numpy()
    assert halfulp.check(finer, lambda x: x * x, (x,)).find("structure").measured["what"] == "dtype"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: halfulp.check(torch.ones(2), np.ones(2), ()), r"Got two results, a Tensor and an ndarray.*halfulp compare A B"),
        (lambda: halfulp.check(torch.ones(2), torch.relu, torch.ones(2), gradients=True), "gradients=True with a stored result"),
        (lambda: halfulp.check(torch.ones(2), torch.relu, torch.ones(2), search=True), "search=True with actual="),
        (lambda: halfulp.explain(torch.ones(2), torch.relu, torch.ones(2)), r"Got actual=Tensor\. Needed: a function.*`explain` changes"),
        (lambda: halfulp.growth(torch.ones(2), torch.relu, lambda seed, size=4: torch.ones(size)), "`growth` runs both sides"),
        (lambda: Stored({}), "without a tensor"),
    ],
)
def test_what_a_result_can_not_be_used_for(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_it_can_not_be_called():
    with pytest.raises(RunError, match="a stored result: it can't be run again"):
        Stored(torch.ones(2), "a.npy")(torch.ones(2))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (nn.Linear, r"Got actual=Linear, which is a class\. Needed: an instance of it\..*Pass Linear\(\.\.\.\)"),
        (type("Model", (), {"__call__": lambda self, x: x}), "Got actual=Model, which is a class"),
    ],
)
def test_a_class_is_not_its_instance(function, message):
    with pytest.raises(InputError, match=message):
        halfulp.check(function, torch.relu, torch.ones(2))


def test_functions_that_only_start_are_named():
    async def later(x):
        return x

    async def stream(x):
        yield x

    class Rows(nn.Module):
        def forward(self, x):
            yield x

    for function, name in ((later, "later"), (stream, "stream")):
        with pytest.raises(InputError, match=rf"Got actual={name}, which is declared with `async def`\..*asyncio\.run"):
            halfulp.check(function, torch.relu, torch.ones(2))
    with pytest.raises(InputError, match=r"Got expected=Rows, which has a `yield`"):
        halfulp.check(torch.relu, Rows(), torch.ones(2))


def test_patterns_of_a_stored_result_are_those_of_the_samples_at_hand(monkeypatch):
    """Sampling is most of the time of a check; a stored result's patterns need no samples of their own."""
    torch.manual_seed(0)
    x, w = torch.randn(32, 64), torch.randn(64, 48)
    again = halfulp.check((x.double() @ w.double()).float(), torch.matmul, (x, w)).find("patterns")
    monkeypatch.setattr("halfulp.verdicts.evidence.patterns.noise_of", None)
    found = halfulp.check((x.double() @ w.double()).float(), torch.matmul, (x, w)).find("patterns")
    assert found is not None
    assert found == again
