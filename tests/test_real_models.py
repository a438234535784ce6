"""The parts of benchmarks/real_models that need none of the libraries of models: how faults are planted, what results come to."""

import copy
import json
import sys
from types import ModuleType

import pytest
import torch
from benchmarks.real_models import run
from benchmarks.real_models.effect import TOO_SMALL, effect
from benchmarks.real_models.figures import figures_of, is_named, wrong_of
from benchmarks.real_models.pair import Pair, Sides, add
from benchmarks.real_models.planting import edited, replaced, rewrite, rewritten, rounded, setting, swapped
from benchmarks.real_models.worker import COUNTS, counted, named
from torch import nn


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.Linear(4, 4))


def test_a_changed_forward_belongs_to_each_copy():
    model = rewrite(net()[0], lambda self, forward, x: 2 * forward(x))
    other = copy.deepcopy(model).double()
    with torch.no_grad():
        other.weight.zero_()
        other.bias.fill_(1.0)
    assert torch.equal(other(torch.ones(1, 4, dtype=torch.float64)), torch.full((1, 4), 2.0, dtype=torch.float64))
    assert type(model).__name__ == "Linear"


@pytest.mark.parametrize(
    "plant",
    [
        setting("1", eps=1e-3),
        edited("0", lambda module: module.bias.zero_()),
        replaced("1", lambda old: nn.Identity()),
        swapped("0", "2"),
        rewritten("2", lambda self, forward, x: forward(x.flip(1))),
    ],
)
def test_each_way_of_planting_changes_the_copy_alone(plant):
    expected, x = net(), torch.randn(3, 4)
    before, actual = expected(x), copy.deepcopy(expected)
    plant(actual)
    assert torch.equal(expected(x), before)
    assert not torch.equal(actual(x), before)
    assert effect(Sides(actual, expected, (x,)))[0] > TOO_SMALL


def test_a_setting_that_a_module_lacks_is_refused():
    with pytest.raises(AttributeError, match="LayerNorm has no epsilon"):
        setting("1", epsilon=1e-3)(net())


def test_effects_are_measured_in_float64():
    expected = net()
    actual = copy.deepcopy(expected)
    assert effect(Sides(actual, expected, (torch.randn(3, 4),))) == (0.0, "float64")
    with torch.no_grad():
        actual[2].bias.mul_(1 + 2.0**-23)
    moved, where = effect(Sides(actual, expected, (torch.randn(3, 4),)))
    assert 0 < moved < TOO_SMALL
    assert where == "float64"


def test_rounding_to_bits():
    x = torch.randn(1000)
    assert torch.equal(rounded(x, 24), x)
    assert torch.equal(rounded(x, 8), x.bfloat16().float())


def test_calls_are_counted_in_copies_too():
    model, is_counted = counted(net(), "actual")
    COUNTS.update(actual=0, expected=0)
    model(torch.ones(1, 4))
    copy.deepcopy(model).double()(torch.ones(1, 4, dtype=torch.float64))
    assert is_counted
    assert COUNTS == {"actual": 2, "expected": 0}


def test_which_answers_name_the_module():
    pair = Pair("net/fault", "fault", "net", lambda: Sides(net(), net(), ()), truth="layers.1", also=("norm",))
    assert all(named(module, pair) for module in ("layers.1", "layers.1.mlp", "norm"))
    assert not any(named(module, pair) for module in (None, "", "layers", "layers.10", "head"))


RESULTS = [
    {"name": "a/1", "kind": "honest", "acceptable": True, "verdict": "ROUNDING", "reason": ""},
    {"name": "a/2", "kind": "honest", "acceptable": False, "verdict": "MISTAKE", "reason": "because"},
    {
        "name": "a/3",
        "kind": "fault",
        "acceptable": False,
        "verdict": "MISTAKE",
        "reason": "",
        "effect": 1e-3,
        "too_small": False,
        "named": True,
        "module": "x",
    },
    {
        "name": "a/4",
        "kind": "fault",
        "acceptable": True,
        "verdict": "ROUNDING",
        "reason": "",
        "effect": 1e-3,
        "too_small": False,
        "named": False,
        "module": None,
    },
    {
        "name": "a/5",
        "kind": "fault",
        "acceptable": True,
        "verdict": "ROUNDING",
        "reason": "",
        "effect": 1e-9,
        "too_small": True,
        "named": False,
        "module": None,
    },
    {
        "name": "a/6",
        "kind": "reduced",
        "acceptable": False,
        "verdict": "REDUCED_PRECISION",
        "reason": "weights in bfloat16",
        "format": "bfloat16",
    },
    {"name": "a/7", "kind": "reduced", "acceptable": False, "verdict": "MISTAKE", "reason": "bfloat16", "format": "bfloat16"},
]
for result in RESULTS:
    result |= {"calls": [3, 5], "forward_ms": 4.0, "times_forward": 9.0, "seconds": 0.1, "peak_mb": 1.0, "truth": "x", "located": "MISTAKE"}


def test_figures():
    figures = {name: value for name, (value, unit) in figures_of(RESULTS).items()}
    assert figures["honest_pairs"] == 2
    assert figures["honest_rejected"] == 1
    assert figures["faults_too_small"] == 1
    assert figures["faults_rejected"] == figures["modules_named"] == 0.5
    assert figures["reduced_precision_named"] == 0.5
    assert figures["forward_pairs_accepted_worst"] == 4
    assert [is_named(result) for result in RESULTS[-2:]] == [True, False]


def test_wrong_answers_are_listed():
    assert [line.split(":")[0] for line in wrong_of(RESULTS)] == [
        "honest, MISTAKE",
        "fault (effect 1.0e-03), ROUNDING",
        "located at None (MISTAKE), truth 'x'",
        "bfloat16, MISTAKE",
    ]


@pytest.fixture
def without_libraries(monkeypatch):
    """The program with two pairs of its own, and a worker that notes what it was asked."""
    asked = []

    class Worker:
        def run(self, name, kind):
            asked.append(name)
            return {**RESULTS[0], "name": name}

        def end(self):
            pass

    pairs = {name: Pair(name, "honest", "net", lambda: Sides(net(), net(), ())) for name in ("net/one", "net/two", "other/three")}
    monkeypatch.setattr("benchmarks.real_models.pair.PAIRS", pairs)
    monkeypatch.setattr(run, "Worker", Worker)
    for name in ("faults", "honest", "reduced"):
        monkeypatch.setitem(sys.modules, f"benchmarks.real_models.{name}", ModuleType(name))
        monkeypatch.setattr(f"benchmarks.real_models.{name}", ModuleType(name), raising=False)
    return asked


def test_an_interrupted_run_goes_on(without_libraries, monkeypatch, tmp_path, capsys):
    results = tmp_path / "results.jsonl"
    results.write_text(json.dumps({**RESULTS[0], "name": "net/one"}) + '\n{"name": "net/tw', encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["run", "--small", "--only", "net/", "--results", str(results)])
    assert run.main() == 0
    assert without_libraries == ["net/two"]
    assert [json.loads(line)["name"] for line in results.read_text(encoding="utf-8").splitlines()] == ["net/one", "net/two"]
    assert "figure honest_pairs 2 pairs" in capsys.readouterr().out


@pytest.mark.parametrize(("most", "code"), [(0, 1), (1, 0)])
def test_honest_pairs_that_are_rejected_decide_the_exit_code(without_libraries, monkeypatch, tmp_path, most, code):
    results = tmp_path / "results.jsonl"
    results.write_text(json.dumps({**RESULTS[1], "name": "net/one"}) + "\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["run", "--small", "--only", "net/", "--results", str(results), "--most-rejected", str(most)])
    assert run.main() == code


def test_slices_are_disjoint_and_complete(without_libraries):
    halves = [run.chosen([], f"{part}/2", []) for part in (1, 2)]
    assert sorted([*halves[0], *halves[1]]) == ["net/one", "net/two", "other/three"]


def test_two_pairs_of_one_name_are_refused(without_libraries):
    with pytest.raises(ValueError, match="Got two pairs named net/one"):
        add(Pair("net/one", "honest", "net", lambda: Sides(net(), net(), ())))
