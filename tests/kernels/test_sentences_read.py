"""Sentences as authors of problems write them, and what has to follow from each: what comes, what doesn't, and what is said of results."""

import math

import pytest
from test_text_of_two_sets import FILTER, basis_of, problem  # noqa: F401


@pytest.fixture
def stated(problem):  # noqa: F811
    def read(text, **of):
        return basis_of(problem(text, **of)).stated

    return read


@pytest.mark.parametrize(
    "text",
    [
        "x doesn't contain NaN.", "Infinities (and NaN) do not occur in x.", "NaN (or inf) never occurs in x.",
        "x contains no infinities, NaNs or denormals.", "Missing values (NaN) never occur in x.", "Neither NaN nor inf is passed.", "",
    ],
)  # fmt: skip
def test_no_special_number_comes(stated, text):
    found = stated(text)
    assert not found.specials and not found.behind and not found.magnitudes


@pytest.mark.parametrize(
    ("text", "value"),
    [("x may hold NaN.", math.nan), ("x: float32, NaN in places.", math.nan), ("x may be -inf (never NaN) where masked.", -math.inf)],
)
def test_a_special_number_comes(stated, text, value):
    assert [str(found) for found in stated(text).specials] == [str(value)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("You don't need to handle non-finite values.", False), ("There is no need to handle rows that are not finite.", False),
        ("Return zeros if any gradient is not finite.", True), ("Skip the step if grads are non finite.", True),
        ("Non-finite entries are skipped and the finite ones averaged.", True), ("Pixels that are not finite are invalid and give 0.", True),
        ("The output of rows with non-finite entries is 0.", True), ("The output is not finite where sums overflow.", False),
    ],
)  # fmt: skip
def test_what_becomes_of_what_is_not_finite(stated, text, said):
    found = stated(text)
    assert found.not_finite is said
    assert not said or "finite" not in [statement.words for statement in found._statements]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("All inputs are finite.", True), ("x: float32, finite.", True), ("Entries need not be finite.", False),
        ("If the loss is finite, the step is applied.", False), ("x is not necessarily finite.", False),
        ("Finite-difference stencil of second order.", False), ("The result stays finite.", False), ("At least one finite score.", False),
    ],
)  # fmt: skip
def test_inputs_that_are_called_finite(stated, text, said):
    words = [statement.words for statement in stated(text)._statements]
    assert ("finite" in words) is said


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("h0: [B], the state of before, or None for no state.", True), ("h0 (optional): not applied if absent.", True),
        ("h0 defaults to None.", True), ("h0, x: given together, optional.", False), ("x is optional, h0 is required.", False),
        ("h0 is not optional.", False), ("", False),
    ],
)  # fmt: skip
def test_an_argument_may_be_left_out(stated, text, may):
    found = stated(text, inputs="x, h0=None", drawn="torch.randn(6, 8), torch.randn(6, 8)", result="x if h0 is None else x + h0")
    assert found.may_be_left_out("h0") is may


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("All weights are trained, and buffers are computed in the constructor.", set()), ("h isn't trained.", set()),
        ("h: Hann window of the trained vocoder.", set()), ("h is the window with which the model was trained.", set()),
        ("Buffers are loaded with load_state_dict.", {"h"}), ("h is trained.", {"h"}), ("The taps in h are learned offline.", {"h"}),
        ("h comes from the checkpoint and stays on the GPU.", {"h"}), ("Parameters and buffers may change (steps, load_state_dict).", {"h"}),
    ],
)  # fmt: skip
def test_buffers_that_checkpoints_fill(stated, text, loaded):
    assert stated(text, constructor=FILTER, result="x * self.h").loaded({"h"}) == loaded


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("All tensors are contiguous (no strided views).", True), ("Returns a contiguous tensor of shape (B, N).", False),
        ("x is contiguous.", True), ("x need not be contiguous.", False), ("x may be a strided view.", False), ("", False),
        ("Inputs may be contiguous or not.", False), ("Rounds to even; no NaN, non-contiguous inputs too.", False), ("x.contiguous() is called first.", False),
    ],
)  # fmt: skip
def test_inputs_that_are_called_contiguous(stated, text, said):
    assert stated(text).contiguous is said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Sums are accumulated in float32.", True), ("Sums need not be accumulated in float32.", False), ("All arithmetic is float32.", True),
        ("There is no need to keep the sum in fp32.", False), ("The result is rounded once.", True),
    ],
)  # fmt: skip
def test_arithmetic_that_is_said_to_be_in_float32(stated, text, said):
    assert stated(text).float32 is said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ties go to the lowest index.", True), ("There are no exact ties.", False), ("Ties may be broken either way.", False),
        ("Softmax: first max over the row, then exp.", False), ("The first maximum counts.", True),
    ],
)  # fmt: skip
def test_what_is_said_of_ties(stated, text, said):
    assert stated(text).ties is said


@pytest.mark.parametrize("text", ["x (bf16): [N, D]", "x (learned): [N, D]", "x (Optional[Tensor]): [N, D]", "x (float32, dense): (N, D)"])
def test_a_shape_after_brackets(stated, text):
    assert stated(text)._shapes == {"x": ("N", "D")}


def test_a_size_called_half_is_a_shape(stated):
    assert stated("x: (half,)", drawn="torch.randn(8)")._shapes == {"x": ("half",)}


def test_words_that_are_numbers_and_words_that_mean_nothing(stated):
    assert stated("At least two valid keys per row.").left == 2
    assert not stated("The kernel works without any padding.").nothing and stated("Rows without any key give 0.").nothing
