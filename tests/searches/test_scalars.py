"""Functions of single numbers: what their error is measured in, and where it is searched for."""

import numpy as np
import pytest
import torch

from halfulp.floats import BFLOAT16, FLOAT16, FLOAT32
from halfulp.ops.deviation import ROUNDING_RMS
from halfulp.searches.scalar_search import worst_scalars
from halfulp.searches.scalars import Function, bits_of, floats_of, in_noise_of, patterns_of, places_of, spread_evenly, spread_of

HALVES = [(FLOAT16, torch.float16), (BFLOAT16, torch.bfloat16)]


def every(dtype):
    return torch.arange(1 << 16, dtype=torch.int32).to(torch.int16).view(dtype)


def rounded(function, target, signed=True, **options):
    dtype = getattr(torch, target.name)
    return Function(
        lambda *x: function(*(each.double() for each in x)).to(dtype),
        lambda *x: function(*(each.double() for each in x)),
        target,
        (signed,),
        **options,
    )


@pytest.mark.parametrize(("target", "dtype"), HALVES)
def test_places_among_the_numbers_keep_every_finite_number(target, dtype):
    numbers = every(dtype)
    finite = numbers[torch.isfinite(numbers)]
    again = floats_of(patterns_of(places_of(bits_of(finite, target), target), target, signed=True), target)
    assert torch.equal(again, finite)  # -0.0 equals 0.0
    places = places_of(bits_of(finite, target), target)
    order = np.argsort(places, kind="stable")
    assert bool((finite.double().numpy()[order][1:] >= finite.double().numpy()[order][:-1]).all())


@pytest.mark.parametrize(("target", "dtype"), HALVES)
@pytest.mark.parametrize("name", ["sqrt", "exp", "sin", "tanh", "log1p"])
def test_a_correctly_rounded_function_is_off_by_one_rounding_at_most(target, dtype, name):
    """Half an ulp is at most u of the result, and the unit at least `ROUNDING_RMS` of that."""
    errors = in_noise_of(rounded(getattr(torch, name), target), (every(dtype),))
    assert errors.max() <= 1.0 / ROUNDING_RMS * (1 + 1e-6)
    assert errors.max() > 1.0


def test_an_argument_that_rounds_is_part_of_the_unit():
    """Next to a zero of the sine the result moves by as much as the argument does, which is far more than its own rounding."""
    x = torch.tensor([np.float32(np.pi), 1.0])
    function = rounded(torch.sin, FLOAT32)
    spread = spread_of(function, (x,), function.exact(x).numpy())
    assert spread[0] == pytest.approx(ROUNDING_RMS * 2.0**-24 * np.pi, rel=0.01)


def test_infinity_on_one_side_alone_is_worse_than_any_error():
    naive = Function(lambda x: torch.log(torch.exp(x) + 1), lambda x: torch.nn.functional.softplus(x.double()), FLOAT32, (True,))
    errors = in_noise_of(naive, (torch.tensor([1.0, 100.0, float("inf"), float("nan")]),))
    assert errors[0] < 4
    assert np.isinf(errors[1])
    assert errors[2] == errors[3] == 0


def test_what_rounding_may_carry_over_the_last_number_is_no_infinity():
    function = rounded(lambda x: x * (2.0 - 2.0**-25), FLOAT32)
    largest = torch.tensor([torch.finfo(torch.float32).max / 2 * (1 + 2.0**-23)])
    assert np.isfinite(in_noise_of(function, (largest,)))[0]


def test_an_honest_peer_widens_the_unit():
    off = lambda x: x * (1 + 2.0**-18)
    alone = Function(off, lambda x: x.double(), FLOAT32, (True,))
    beside = Function(off, lambda x: x.double(), FLOAT32, (True,), peer=off)
    x = torch.tensor([1.5])
    assert in_noise_of(alone, (x,))[0] > 100
    assert in_noise_of(beside, (x,))[0] <= 1.0


def planted(low, high):
    def computed(x):
        return torch.where((x > low) & (x < high), x * (1 + 2.0**-16), x)

    return Function(computed, lambda x: x.double(), FLOAT32, (True,))


def test_a_binade_of_256_is_found_in_one_round():
    found = worst_scalars(planted(2.0**40, 2.0**41), 4096)
    assert found.in_noise[0] > 100
    assert 2.0**40 < float(found.arguments[0][0]) < 2.0**41


def test_it_climbs_to_a_number_that_no_draw_hits():
    """The error grows towards one number; random ones come to within a thousandth of it."""
    center = 1.2345678

    def computed(x):
        return (x.double() * (1 + 2.0**-12 / (1 + ((x.double() / center - 1) * 2.0**24).abs().sqrt()))).float()

    function = Function(computed, lambda x: x.double(), FLOAT32, (True,))
    best = in_noise_of(function, (torch.tensor([center]),))[0]
    found = worst_scalars(function, 42_949)
    drawn = in_noise_of(function, (torch.rand(42_949, generator=torch.Generator().manual_seed(0)) * 4,)).max()
    assert found.in_noise[0] > 0.9 * best
    assert drawn < 0.5 * best
    assert found.evaluations <= 42_949


def test_numbers_without_a_sign_stay_so_and_the_seed_decides():
    function = rounded(torch.log, FLOAT32, signed=False)
    one, two = (worst_scalars(function, 9000, seed=3) for _ in range(2))
    assert one.in_noise == two.in_noise
    assert bool((one.arguments[0] >= 0).all())


def test_two_arguments_move_together_and_alone():
    naive = Function(lambda a, b: torch.sqrt(a * a + b * b), lambda a, b: torch.hypot(a.double(), b.double()), FLOAT32, (True, True))
    found = worst_scalars(naive, 20_000)
    assert np.isinf(found.in_noise[0])


@pytest.mark.parametrize(("target", "dtype"), HALVES)
@pytest.mark.parametrize("signed", [True, False])
def test_draws_are_finite_numbers_of_every_binade(target, dtype, signed):
    drawn = floats_of(spread_evenly(4096, target, np.random.default_rng(0), signed=signed), target)
    assert bool(torch.isfinite(drawn).all())
    assert bool((drawn < 0).any()) is signed
    assert len(torch.frexp(drawn.double())[1].unique()) > 0.9 * np.log2(target.max_finite / target.min_subnormal)
