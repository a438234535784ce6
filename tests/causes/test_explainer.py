"""explain as a whole: its answer, what it leaves alone, its limits of time, its text, and the command line."""

import copy
import dataclasses
import json
import random
import time
import warnings

import numpy as np
import pytest
import scipy.special  # noqa: F401  when it is first imported it adds a filter for its warnings, which an interruption must not be blamed for
import torch
from torch import nn
from torch.nn import functional as F
from typer.testing import CliRunner

import halfulp
from halfulp.backends.knobs.settings import read_settings
from halfulp.cases import Case
from halfulp.causes import Cause, Experiment, Explanation
from halfulp.causes.direct import direct_causes
from halfulp.causes.scale import Scale
from halfulp.cli import app
from halfulp.differences import leaves_of
from halfulp.errors import InputError, RunError
from halfulp.verdicts.evidence.evidence import Evidence

BEYOND = ("formula", "memory")


def explained(actual, expected, *inputs, **options):
    return halfulp.explain(actual, expected, inputs, **{"processes": False, **options})


def norm_with(eps):
    return lambda x: F.layer_norm(x, (16,), eps=eps)


@pytest.fixture(scope="module")
def mistake():
    """One explanation for several tests: another epsilon."""
    torch.manual_seed(0)
    return explained(norm_with(1e-3), norm_with(1e-5), 0.1 * torch.randn(8, 16))


@pytest.fixture(scope="module")
def identical():
    return explained(torch.exp, torch.exp, torch.randn(10))


# Honest pairs


def by_hand(exponentials):
    return exponentials / exponentials.sum(-1, keepdim=True)


WEIGHT = torch.randn(12, 40, generator=torch.Generator().manual_seed(1))
BIAS = torch.randn(12, generator=torch.Generator().manual_seed(2))
HONEST = {
    "bias added afterwards": (
        lambda x: x @ WEIGHT.t().to(x.dtype) + BIAS.to(x.dtype),
        lambda x: F.linear(x, WEIGHT.to(x.dtype), BIAS.to(x.dtype)),
    ),
    "a sum backwards": (lambda x: x.flip(1).sum(1), lambda x: x.sum(1)),
    "a sum in two parts": (lambda x: x[:, :20].sum(1) + x[:, 20:].sum(1), lambda x: x.sum(1)),
    "products summed by hand": (lambda x: (x[:, None] * WEIGHT.to(x.dtype)).sum(-1), lambda x: x @ WEIGHT.t().to(x.dtype)),
    "a reciprocal": (lambda x: x * (1 / 7), lambda x: x / 7),
    "a layer norm by hand": (
        lambda x: (x - x.mean(-1, keepdim=True)) * torch.rsqrt(x.var(-1, unbiased=False, keepdim=True) + 1e-5),
        lambda x: F.layer_norm(x, (40,)),
    ),
    "a softmax by hand": (lambda x: by_hand((x - x.amax(-1, keepdim=True)).exp()), lambda x: x.softmax(-1)),
    "GELU by hand": (lambda x: 0.5 * x * (1 + torch.erf(x / 2**0.5)), F.gelu),
    "a convolution as a product": (
        lambda x: torch.einsum("nlk,k->nl", x.unfold(1, 5, 1), BIAS[:5].to(x.dtype)),
        lambda x: F.conv1d(x[:, None], BIAS[None, None, :5].to(x.dtype))[:, 0],
    ),
    "a loss by hand": (lambda x: (x.logsumexp(-1) - x[:, 3]).mean(), lambda x: F.cross_entropy(x, torch.full((len(x),), 3))),
    "a port to NumPy": (lambda x: np.tanh(np.asarray(x)).mean(-1), lambda x: torch.tanh(x).mean(-1)),
}  # fmt: skip


@pytest.mark.parametrize("which", HONEST)
def test_an_honest_pair_is_blamed_for_no_formula_and_no_use_of_memory(which):
    actual, expected = HONEST[which]
    found = explained(actual, expected, torch.randn(16, 40))
    assert found.result.acceptable and found.exit_code == 0
    assert not [cause.name for cause in found if cause.kind in BEYOND]
    assert found.complete


def test_identical_results_have_no_cause_and_take_no_experiment(identical):
    assert identical.verdict.name == "IDENTICAL" and not identical.explained
    assert list(identical) == [] and identical.causes == identical.experiments == () and identical.left_in_noise is None
    assert "There is no difference to explain." in str(identical)


# The answer


def test_a_mistake_is_named_with_its_share_its_experiment_and_its_remedy(mistake):
    assert mistake.verdict.name == "MISTAKE" and mistake.exit_code == 1 and mistake.explained and mistake.complete
    (cause,) = mistake.causes
    assert isinstance(cause, Cause) and (cause.name, cause.kind, cause.confidence) == ("layer epsilon", "formula", "high")
    assert cause.share == 1.0 and mistake.left_in_noise == 0
    assert "every bit agrees" in cause.evidence[0] and "0.001" in cause.statement and "eps = 0.001" in cause.remedy
    assert cause.place == "layer_norm" and cause.side == "expected" and cause.reports


def test_experiments_say_what_was_tried_on_which_side_and_what_it_took_away(mistake):
    assert all(isinstance(experiment, Experiment) and experiment.side in ("actual", "expected") for experiment in mistake.experiments)
    ran = [experiment for experiment in mistake.experiments if experiment.share is not None]
    assert (
        ran
        and max(each.share for each in ran) == 1.0
        and all(each.share <= 1 and each.in_noise >= 0 and 0 <= each.touched <= 128 for each in ran)
    )
    assert all(experiment.note for experiment in mistake.experiments if experiment.share is None)
    assert any(each.touches for each in ran) and any(
        each.share == 0 and each.touched == 0 for each in ran
    )  # a setting that does nothing here


def test_an_explanation_is_a_sequence_of_causes(mistake, identical):
    assert len(mistake) == 1 and mistake[0] is mistake.causes[0] and list(mistake) == [mistake[0]] and mistake[-1] is mistake[0]
    with pytest.raises(IndexError):
        mistake[1]
    assert len(identical) == 0 and bool(identical) and bool(mistake)  # an answer without causes is an answer


def test_json_holds_everything_and_parses(mistake, identical):
    for found in (mistake, identical):
        content = json.loads(found.to_json())
        assert content["schema"] == 1 and content["explained"] is found.explained and content["complete"] is True
        assert content["result"]["verdict"] == found.verdict.name
        assert [each["name"] for each in content["causes"]] == [each.name for each in found]
        assert len(content["experiments"]) == len(found.experiments)
        assert {"stages", "nodes", "sensitivity", "notes", "seconds", "left_in_noise"} <= set(content)
    (cause,) = json.loads(mistake.to_json())["causes"]
    assert cause["share"] == 1.0 and cause["kind"] == "formula" and cause["evidence"] and cause["remedy"] == mistake[0].remedy


def test_json_of_special_values_parses():
    found = explained(lambda x: x / 0, lambda x: x * 2, torch.randn(20))
    content = json.loads(found.to_json(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert content["result"]["verdict"] == "MISTAKE"


@pytest.mark.parametrize("form", ["full", "answer", "reason", "assertion"])
def test_every_form_of_the_report_names_the_cause(mistake, form):
    text = halfulp.report(mistake, form=form)
    assert "layer epsilon" in text and "100 %" in text
    assert (mistake[0].remedy in text.replace("\n", " ")) is (form != "reason")
    assert len(text.splitlines()) == {"reason": 1, "answer": 4, "assertion": 4}.get(form, len(text.splitlines()))
    assert ("eps is 0.001 in actual and 1e-05 in expected" in text) is (form != "reason")
    assert ("experiments were run" in text) is (form == "full")


def test_forms_without_a_cause_say_that_there_is_none(identical):
    assert "no difference to explain" in halfulp.report(identical, form="reason")
    hidden = explained(lambda x: torch.sin(3 * x) + 0.37 * torch.cos(x * x), torch.exp, torch.randn(30))
    for form in ("full", "answer", "reason"):
        assert "Unexplained: no change that was tried removes the difference" in halfulp.report(hidden, form=form)
    assert hidden.experiments and not hidden.explained and str(hidden) == halfulp.report(hidden)
    with pytest.raises(InputError):
        halfulp.report(hidden, form="poem")


def test_fields_of_an_explanation_are_those_that_it_was_given(mistake):
    made = Explanation(mistake.result, (), ())
    assert made.complete and made.causes == made.stages == made.nodes == made.sensitivity == made.notes == () and made.seconds == 0


# Two causes


class Small(nn.Module):
    def __init__(self, eps, form):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(12, eps=eps), nn.Linear(12, 24), nn.Linear(24, 3)
        self.form = form

    def forward(self, x):
        return self.down(F.gelu(self.up(self.norm(x)), approximate=self.form))


def test_two_causes_in_one_model_are_both_named():
    expected = Small(1e-5, "none")
    actual = Small(1e-3, "tanh")
    actual.load_state_dict(expected.state_dict())
    found = explained(actual, expected, 0.3 * torch.randn(10, 12))
    assert {cause.name for cause in found} == {"layer epsilon", "GELU form"} and found.complete
    assert [cause.share for cause in found] == sorted((cause.share for cause in found), reverse=True)
    for cause, other in zip(found, reversed(found.causes)):
        assert other.name in cause.evidence[1]  # what one makes without the other was measured
    # What is left is within the noise of one comparison, the shares add up to the rest.
    before = max(
        experiment.in_noise / (1 - experiment.share)
        for experiment in found.experiments
        if experiment.share is not None and experiment.share < 0.5
    )
    assert abs(sum(cause.share for cause in found) - (1 - found.left_in_noise / before)) < 1e-6


# From the verdict alone


def test_a_sign_of_a_format_that_the_judge_overruled_is_no_cause():
    """Squares expanded far from the origin err about as float16 sums would, and as much in float64: the judge says UNSTABLE."""
    torch.manual_seed(0)
    base = 50 * torch.randn(1, 12)
    result = halfulp.check(
        lambda a, b: ((a * a).sum(-1)[:, None] + (b * b).sum(-1) - 2 * a @ b.T).clamp(min=0).sqrt(),
        lambda a, b: (a[:, None] - b).square().sum(-1).sqrt(),
        (base + torch.randn(9, 12), base + torch.randn(7, 12)),
    )
    assert result.verdict is halfulp.Verdict.UNSTABLE
    for finding in ("same size", "correlates"):
        sign = Evidence(
            "precision", finding, (), {"format": "float16", "where": "accumulators of sums", "rms_in_its_noise": 0.2, "deviations": 9.0}
        )
        evidence = (*(each for each in result.evidence if each.kind != "precision"), sign)
        assert not direct_causes(dataclasses.replace(result, evidence=evidence))
        followed = dataclasses.replace(result, evidence=evidence, verdict=halfulp.Verdict.REDUCED_PRECISION)
        assert [cause.name for cause in direct_causes(followed)] == ["float16 accumulator"]


def test_a_format_that_was_seen_and_predicts_part_of_the_error_is_the_cause():
    """Without a test against chance: the coarser numbers were seen in `actual`."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 16), nn.Softplus(), nn.Linear(16, 2)).double()
    narrow = copy.deepcopy(net).float()
    found = explained(lambda x: narrow(x.float()).double(), net, torch.randn(6, 8, dtype=torch.float64))
    precision = found.result.find("precision")
    assert (precision.finding, "deviations" in precision.measured) == ("correlates", False)
    assert found[0].name == "float32 inside"
    assert f"predicts {100 * precision.measured['correlated']:.0f} % of the error" in direct_causes(found.result)[0].evidence[0]


def test_overlapping_memory_is_found_from_the_verdict():
    found = explained(lambda x: x.clone().unfold(1, 3, 1).mul_(2), lambda x: x.unfold(1, 3, 1) * 2, torch.randn(4, 9))
    assert (found[0].name, found[0].kind, found[0].share, found[0].side) == ("overlapping memory", "memory", 1.0, "actual")
    assert "clone" in found[0].remedy and found[0].evidence


def test_uninitialized_memory_is_found_from_the_verdict():
    def actual(x):
        former = [torch.full_like(x, 7.0) for _ in range(50)]  # what free memory holds, so that it is not by chance right, or NaN
        del former
        out = torch.empty_like(x)
        out[:, :8] = torch.sigmoid(x[:, :8])
        return out

    found = explained(actual, torch.sigmoid, torch.randn(16, 13))
    assert (found[0].name, found[0].kind, found[0].side) == ("uninitialized memory", "memory", "actual")
    assert "torch.zeros" in found[0].remedy


def test_a_distance_between_any_bits_is_measured_in_silence():
    """What memory that nobody wrote holds may be a signaling NaN."""
    signaling = torch.tensor([0x7FA00000, 0x3F800000], dtype=torch.int32).view(torch.float32)
    scale = Scale(Case(torch.exp, torch.exp, (torch.ones(2),)), None)
    found = scale.distance(leaves_of(signaling), leaves_of(torch.ones(2)))
    assert found.unequal == 1 and not found.alike


def test_dropout_is_found_in_either_way():
    model = nn.Sequential(nn.Linear(8, 30), nn.Dropout(0.3), nn.Linear(30, 2))
    found = explained(copy.deepcopy(model), copy.deepcopy(model).eval(), torch.randn(6, 8))
    assert found.explained and found[0].name in ("dropout", "training mode") and "eval()" in found[0].remedy


# Gradients


class WrongBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return F.gelu(x)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            (own,) = torch.autograd.grad(F.gelu(x, approximate="tanh"), x, gradient)
        return own


def test_a_wrong_backward_is_found_with_gradients_and_only_with_them():
    x = torch.randn(10, 10)
    assert explained(WrongBackward.apply, F.gelu, x).verdict.name == "IDENTICAL"
    found = explained(WrongBackward.apply, F.gelu, x, gradients=True)
    assert found.verdict.name == "MISTAKE" and found[0].name == "GELU form"
    assert found[0].share > 0.99 and "in the backward pass only" in found[0].statement


# The order of a sum


def test_the_place_of_a_bias_is_the_whole_of_the_difference():
    """Question 3: x @ W.T + B is not F.linear, since MKL adds the bias elsewhere."""
    if "BLAS_INFO=mkl" not in torch.__config__.show():
        pytest.skip("another BLAS than MKL: the orders are others")
    x, weight, bias = torch.randn(32, 1001), torch.randn(77, 1001), torch.randn(77)
    found = explained(lambda x, weight, bias: x @ weight.T + bias, F.linear, x, weight, bias)
    if found.verdict.name == "IDENTICAL":
        pytest.skip("both sides add in one order on this processor")
    assert found[0].name == "bias position" and found[0].kind == "order"
    assert found[0].share == 1.0 and found.left_in_noise == 0 and found.result.acceptable


# Time


def test_a_budget_that_is_over_ends_experiments_and_says_so():
    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True) for _ in range(3))

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return torch.sin(x)

    model = Deep().eval()
    for budget, most in ((0.05, 100), (1e-6, 0)):  # a run takes at least half a millisecond; nothing is begun after the time
        start = time.monotonic()
        found = explained(lambda x: torch.cos(model(x) * 1.7), model, torch.randn(2, 5, 16), budget_s=budget)
        assert 0 < found.seconds <= time.monotonic() - start
        assert not found.complete and not found.result.acceptable and "Pass a larger budget_s" in str(found)
        assert json.loads(found.to_json())["complete"] is False
        assert len(found.experiments) <= most


def test_honest_pairs_keep_the_budget_too():
    found = explained(HONEST["a reciprocal"][0], HONEST["a reciprocal"][1], torch.randn(16, 40), budget_s=1e-6)
    assert not found.complete and not found.explained and found.result.acceptable


@pytest.mark.parametrize("budget", [0, -1, float("nan"), "ten", None])
def test_a_budget_that_is_no_positive_number_is_refused(budget):
    with pytest.raises(InputError, match="budget_s"):
        explained(torch.exp, torch.exp, torch.ones(3), budget_s=budget)


@pytest.mark.parametrize("bad", [3, torch.ones(2), None, "x"])
def test_what_is_not_callable_is_refused(bad):
    with pytest.raises(InputError, match="Needed: a function"):
        explained(bad, torch.exp, torch.ones(3))
    with pytest.raises(InputError, match="Needed: a function"):
        explained(torch.exp, bad, torch.ones(3))


def test_errors_of_the_user_and_unknown_precisions_are_told():
    with pytest.raises(RunError):
        explained(lambda x: x @ x, torch.exp, torch.ones(3, 2))
    with pytest.raises(InputError):
        explained(torch.exp, torch.sin, torch.ones(3), declared="float17")


def test_progress_is_told_in_words():
    told = []
    explained(norm_with(1e-3), norm_with(1e-5), torch.randn(4, 16), progress=told.append)
    assert {"listing what could be changed", "changing one thing at a time"} <= set(told) and all(isinstance(each, str) for each in told)


# What it leaves alone


class Everything(nn.Module):
    """Parameters, a buffer that changes, parts in both modes, a frozen weight, a hook."""

    def __init__(self, eps=1e-5):
        super().__init__()
        self.first, self.batch = nn.Linear(8, 8), nn.BatchNorm1d(8)
        self.norm, self.last = nn.LayerNorm(8, eps=eps), nn.Linear(8, 2)
        self.last.weight.requires_grad_(False)
        self.register_buffer("count", torch.zeros((), dtype=torch.long))
        self.first.register_forward_hook(lambda module, inputs, result: result * 1.5)

    def forward(self, x):
        self.count += 1
        return self.last(self.norm(self.batch(self.first(x))))


def everything(model, optimizer, inputs):
    return {
        "numbers": {name: (each.dtype, each.numpy().tobytes()) for name, each in model.state_dict().items()},
        "objects": {name: id(each) for name, each in (*model.named_parameters(), *model.named_buffers())},
        "modes": {path: part.training for path, part in model.named_modules()},
        "wanted": {name: each.requires_grad for name, each in model.named_parameters()},
        "gradients": {name: None if each.grad is None else each.grad.numpy().tobytes() for name, each in model.named_parameters()},
        "hooks": {path: (list(part._forward_hooks), list(part._forward_pre_hooks)) for path, part in model.named_modules()},
        "groups": [{key: value for key, value in group.items() if key != "params"} for group in optimizer.param_groups],
        "inputs": [(tensor.numpy().tobytes(), tensor.stride(), tensor.requires_grad) for tensor in inputs],
        "settings": read_settings(),
        "generators": (torch.get_rng_state().numpy().tobytes(), str(np.random.get_state()), random.getstate()),
        "filters": list(warnings.filters),
        "step": [kind.__dict__.get("step") for kind in (torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD)],
        "global hooks": [len(getattr(nn.modules.module, f"_global_forward_{kind}")) for kind in ("hooks", "pre_hooks")],
        "modes of dispatch": torch._C._len_torch_function_stack(),
    }  # fmt: skip


@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize("eps", [1e-5, 1e-2])
def test_explaining_changes_nothing_of_what_it_was_given(gradients, eps):
    model = Everything()
    other = Everything(eps)
    other.load_state_dict(model.state_dict())
    model.batch.eval()
    other.batch.eval()
    model.first.weight.grad = torch.ones_like(model.first.weight)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    x = torch.randn(8, 6).t()
    before = everything(model, optimizer, [x])
    stepping = lambda x: (optimizer.param_groups, other(x))[1]  # reaches the optimizer too; gradients are compared of the model alone
    found = explained(other if gradients else stepping, model, x, gradients=gradients)
    assert everything(model, optimizer, [x]) == before
    assert found.verdict.name == ("IDENTICAL" if eps == 1e-5 else "MISTAKE")
    assert [cause.name for cause in found][:1] == ([] if eps == 1e-5 else ["layer epsilon"])


@pytest.mark.parametrize("call", [1, 2, 5, 12, 25, 50])
def test_an_interruption_inside_the_users_function_leaves_settings_as_they_were(call):
    model = Everything(1e-2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    x = torch.randn(6, 8)
    calls = []

    def interrupted(x):
        calls.append(optimizer.param_groups[0]["lr"])
        if len(calls) == call:
            raise KeyboardInterrupt
        return model(x)

    plain = copy.deepcopy(model)
    plain.norm.eps = 1e-5
    before = everything(model, optimizer, [x])
    with pytest.raises(KeyboardInterrupt):
        explained(interrupted, plain, x)
    assert len(calls) == call
    assert everything(model, optimizer, [x]) == before


# The command line


CASE = """
import torch
def actual(x): return torch.nn.functional.layer_norm(x, (16,), eps={eps})
def expected(x): return torch.nn.functional.layer_norm(x, (16,))
def inputs(seed): return (torch.randn(6, 16, generator=torch.Generator().manual_seed(seed)),)
"""


def run(*arguments):
    return CliRunner().invoke(app, ["explain", *[str(argument) for argument in arguments], "--no-processes"])


def case_file(folder, eps):
    path = folder / "case.py"
    path.write_text(CASE.format(eps=eps))
    return path


@pytest.mark.parametrize(("eps", "verdict", "code"), [("1e-5", "IDENTICAL", 0), ("1e-2", "MISTAKE", 1)])
def test_the_command_exits_with_the_code_of_the_verdict(tmp_path, eps, verdict, code):
    result = run(case_file(tmp_path, eps), "--quiet")
    assert result.exit_code == code and result.output.startswith(verdict)
    assert ("Cause: layer epsilon" in result.output) is (code == 1) and "experiments were run" not in result.output


def test_the_command_prints_json_and_the_whole_report(tmp_path):
    path = case_file(tmp_path, "1e-2")
    stored = run(path, "--json", "--seed", "3")
    content = json.loads(stored.output)
    assert stored.exit_code == 1 and content["causes"][0]["name"] == "layer epsilon" and content["result"]["seed"] == 3
    full = run(path, "--budget", "30")
    assert full.exit_code == 1 and "experiments were run" in full.output and "layer epsilon" in full.output


def test_the_command_takes_options_from_the_file_and_refuses_what_is_wrong(tmp_path):
    path = case_file(tmp_path, "1e-2")
    path.write_text(path.read_text() + "gradients = True\ndeclared = 'bfloat16'\n")
    content = json.loads(run(path, "--json").output)
    assert content["result"]["declared"] == "bfloat16" and any(
        "gradient" in each["path"] for each in content["result"]["difference"]["differences"]
    )
    assert isinstance(run(path, "--budget", "0").exception, InputError)
    assert run(tmp_path / "nowhere.py").exception is not None


def test_two_changes_of_one_call_are_found_though_neither_helps_by_itself():
    """The epsilon that fits alone is another one, and the estimator alone takes nothing away."""
    torch.manual_seed(0)
    x = torch.randn(6, 5, 20) * (torch.rand(6, 5, 1) * 0.5 + 0.05)
    weight, bias = torch.rand(20) + 0.5, torch.randn(20) * 0.1

    def actual(x):
        centered = x - x.mean(-1, keepdim=True)
        variance = centered.square().sum(-1, keepdim=True) / (x.shape[-1] - 1)
        return centered * torch.rsqrt(variance + 1e-3) * weight + bias

    found = halfulp.explain(actual, lambda x: torch.nn.functional.layer_norm(x, (20,), weight, bias, 1e-5), (x,), processes=False)
    assert {cause.name for cause in found.causes} == {"layer epsilon", "variance estimator"}
    assert any("eps = 0.001 " in cause.statement for cause in found.causes)
