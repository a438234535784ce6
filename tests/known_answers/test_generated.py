"""A slice of the generated benchmark: honest pairs, whole models, mutants. All of it runs in `halfulp bench verdicts`."""

import sys

import pytest
import torch

import halfulp
from halfulp.places import folder

sys.path.insert(0, str(folder("benchmarks")))
from verdicts import PAIRS
from verdicts.generated import OPS, honest_pair
from verdicts.models import MODELS
from verdicts.mutants import MUTATIONS
from verdicts.outcomes import hosts_of, of_mutant
from verdicts.rewrites import REWRITES, met_calls, rewritten
from verdicts.statistics import wilson_interval

NUMBERS = range(5000, 5150)  # beyond those that the constants were looked at with


@pytest.mark.filterwarnings("ignore")
def test_no_false_alarm_on_honest_pairs_never_seen():
    pairs = [honest_pair(number) for number in NUMBERS]
    wrong = [
        pair.name
        for pair in pairs
        if not halfulp.check(pair.actual, pair.expected, pair.inputs, declared=pair.declared, gradients=pair.gradients).acceptable
    ]
    assert not wrong
    assert len({pair.name.split(",")[0] for pair in pairs}) > len(OPS) // 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_model_has_an_honest_rewrite_that_passes_backward_too(model):
    module, inputs = model.make(1)
    name = next(name for name in ("linear: K backwards", "conv: without oneDNN") if met_calls(model.make(1)[0], inputs, REWRITES[name]))
    assert halfulp.check(rewritten(module, REWRITES[name]), module, inputs, gradients=True).acceptable


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_every_kind_of_mutant_is_caught_and_the_smallest_is_not(mutation):
    """The smallest magnitude is below float32's resolution: a tool that "catches" it raises false alarms."""
    model, at = hosts_of(mutation, 1)[0]
    assert of_mutant(model, mutation, mutation.magnitudes[1], at)["said"]["halfulp"] is False
    assert of_mutant(model, mutation, mutation.magnitudes[-1], at)["said"]["halfulp"] is True


def test_wilson_interval_has_its_published_values():
    """Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611."""
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson_interval(0, 0) == (0.0, 1.0)


@pytest.mark.filterwarnings("ignore")
def test_same_seed_same_result_on_one_and_two_threads():
    """Verdict and findings are the same; figures too, to the digits that the sides' own order of summation leaves."""
    for number in (5001, 5007, 5013, 5021, 5034):
        pair = honest_pair(number)
        found = []
        before = torch.get_num_threads()
        for threads in (1, 2, 1):
            torch.set_num_threads(threads)
            try:
                found.append(halfulp.check(pair.actual, pair.expected, pair.inputs, declared=pair.declared, gradients=pair.gradients))
            finally:
                torch.set_num_threads(before)
        assert len({each.verdict for each in found}) == 1
        assert [(e.kind, e.finding) for e in found[0].evidence] == [(e.kind, e.finding) for e in found[1].evidence]
        assert found[0].evidence == found[2].evidence


def test_a_product_does_not_jump():
    """The worst of 4,096 elements is one whose spread came out small; it was once taken for a jump."""
    pair = next(each for each in PAIRS if each.name == "r_strassen_two_levels")
    for seed in range(4):
        assert halfulp.check(*pair.make(seed)).verdict is halfulp.Verdict.ROUNDING
