"""Sentences as authors of problems write them, and what has to follow from each: what comes, what doesn't, and what is said of results."""

import math

import pytest
import torch
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
        ("bfloat16 in and out (float32 accumulation inside).", False), ("Sums are accumulated in float32.", False),
        ("All arithmetic is float32.", True), ("The result is rounded once.", True), ("Products are not rounded before they are added.", True),
    ],
)  # fmt: skip
def test_a_sum_in_float32_may_be_rounded_before_a_bias_is_added(stated, text, said):
    found = stated(text)
    assert found.float32 and found.once is said


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


DRAWN = {
    "": "torch.randn({})", "positive": "torch.rand({})", "sorted": "torch.randn({}).sort(-1).values", "bf16": "torch.randn({}).bfloat16()",
    "bool": "torch.rand({}) > 0.5", "int": "torch.randint(0, 7, ({},))", "sorted_int": "torch.arange({})",
    "labels": "torch.randint(0, 10, ({},))", "group": "torch.randint(0, 4, ({},))", "signs": "torch.randint(-1, 2, ({},)).int()",
}  # fmt: skip
"""How arguments are drawn, by what stands between their names and their sizes."""


@pytest.fixture
def given(stated):
    """What a text says of arguments, "x 5x12, mask bool 5x12, eps 0.5, bias=None"."""

    def read(text, arguments):
        names, values = [], []
        for argument in arguments.split(", "):
            name, *kind = argument.split(" ")
            names.append(name)
            size = kind[-1].replace("x", ", ") if kind else ""
            values += [size if "." in size or size == "3" else DRAWN[" ".join(kind[:-1])].format(size)] if kind else []
        return stated(text.replace("\n", "\n    "), inputs=", ".join(names), drawn=", ".join(values), result=f"{names[0]} + 1")

    return read


@pytest.mark.parametrize(
    ("text", "arguments", "names"),
    [
        ("scores: float32 [N, C]. Dropped sensor samples show up as NaN; the reduction has to skip them.", "scores 6x8", ["scores"]),
        (
            "Weighted row mean. Missing readings in `x` are encoded as NaN, whereas `w` is always fully populated with ordinary positive "
            "numbers.", "x 5x12, w 12", ["x"],
        ),
        (
            "Numerically stable logsumexp over the last dim. The result must never be NaN, not even for rows of very large magnitude.",
            "x 4x32", [],
        ),
        ("Inputs are drawn from a standard normal distribution and contain no NaNs.", "a 7x9, b 7x9", []),
        (
            "Elementwise maximum. Either operand can be NaN at any position; a NaN in `a` or in `b` propagates, as in torch.maximum.",
            "a 33, b 33", ["a", "b"],
        ),
        (
            "A row of `mask` that is all False gives NaN in the output (0/0, same as PyTorch). `x` itself is free of NaN.",
            "x 6x10, mask bool 6x10", [],
        ),
        (
            "RMSNorm over the last axis. eps is added under the square root so that an all-zero row does not turn into NaN.",
            "x 3x16, weight 16, eps 0.5", [],
        ),
        ("Gaps in `x` hold not-a-number.", "x 6x8, w 8", ["x"]),
        ("An older implementation gave NaN for x = 0.", "x 6x8", []),
        ("Batches with NaN in x are rejected by the loader.", "x 6x8", []),
    ],
)  # fmt: skip
def test_which_inputs_may_hold_nan(given, text, arguments, names):
    found = given(text, arguments)
    assert [found.names[place] for place in found.specials.get(math.nan, ())] == names


@pytest.mark.parametrize(
    ("text", "arguments", "names"),
    [
        (
            "dist: float32 [V, V], the weighted adjacency matrix.\n- a missing edge is stored as +inf\n- the diagonal is 0",
            "dist 12x12", ["dist"],
        ),
        (
            "Clamps x elementwise into [lo, hi]. An entry of `hi` may be float('inf'), meaning 'no upper bound here'; x and lo only hold "
            "finite numbers.", "x 4x7, lo 4x7, hi 4x7", ["hi"],
        ),
        ("The running minimum is initialised with +inf inside the kernel. `x` holds only finite values.", "x 9x20", []),
        (
            "y = exp(x). Inputs are sampled from U(-200, 200), so the output overflows to inf wherever x exceeds about 88.7; return inf "
            "there, too.", "x 256", [],
        ),
        (
            "Assignment step. In `cost`, a forbidden pairing carries a cost of positive infinity. `price` is bounded by 1e3 in magnitude.",
            "cost 10x11, price 11", ["cost"],
        ),
        (
            "attn_bias is additive: 0 for visible keys, -inf for hidden ones, and never +inf. q, k: plain gaussian samples.",
            "q 6x16, k 8x16, attn_bias 6x8", [],
        ),
        ("An interval without an end has hi = inf.", "x 6, hi 6", ["hi"]),
        ("bias: an entry of inf forces the token, anything else merely tilts the odds", "x 4x8, bias 8", ["bias"]),
        ("If x is 0, y = inf.", "x 6", []),
    ],
)  # fmt: skip
def test_which_inputs_may_hold_infinity(given, text, arguments, names):
    found = given(text, arguments)
    assert [found.names[place] for place in found.specials.get(math.inf, ())] == names


@pytest.mark.parametrize(
    ("text", "arguments", "names"),
    [
        (
            "attn_bias: additive mask, float32 [Tq, Tk]; 0 where attention is allowed, -inf where it is not. scores is ordinary normal "
            "noise.", "scores 6x9, attn_bias 6x9", ["attn_bias"],
        ),
        (
            "Causality is applied inside the kernel by overwriting the strict upper triangle of q @ k.T with -inf. q and k are gaussian.",
            "q 8x16, k 8x16", [],
        ),
        (
            "Some entries of log_probs are negative infinity (the log of a zero probability); they must not poison the sum over the "
            "other states.", "log_probs 5x14", ["log_probs"],
        ),
        (
            "Padding convention: the caller has already replaced padded logits with -1e9. We do not use -inf anywhere in the inputs.",
            "logits 4x50", [],
        ),
        (
            "Segment max over the rows of `src`. A segment that owns no rows returns -inf. All values of `src` lie between -10 and 10.",
            "src 20x3, seg int 20", [],
        ),
        (
            "logits: float32 [B, V]. Tokens banned by the grammar arrive as float('-inf').\ntemperature: float, > 0",
            "logits 3x40, temperature 0.5", ["logits"],
        ),
        (
            "Min-plus product of two cost tables. Unreachable pairs are +inf in `a` as well as in `b`; neither ever holds negative "
            "infinity.", "a 6x7, b 7x5", [],
        ),
        ("A split that saw no key reports lse = -inf together with an all-zero `o`.", "o 4x6x8, lse 4x6", ["lse"]),
        ("Where keep is False, the score is first set to -inf by masked_fill.", "scores 5x9, keep bool 5x9", []),
        ("The mask uses -1e9, not -inf: under fast-math, infinities are off limits.", "x 6x8, mask 6x8", []),
    ],
)  # fmt: skip
def test_which_inputs_may_hold_minus_infinity(given, text, arguments, names):
    found = given(text, arguments)
    assert [found.names[place] for place in found.specials.get(-math.inf, ())] == names


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("Row softmax. All input values are finite.", "x 8x33", True),
        ("You may assume that neither x nor weight contains any NaN or Inf.", "x 8x33, weight 33", True),
        ("The output must be finite for each row, which is why the row max has to be subtracted before exponentiating.", "x 8x33", False),
        ("x is finite, but bias may hold -inf in padded columns.", "x 4x10, bias 10", False),
        ("Tests only ever feed ordinary real numbers: no infs and no nans in any input.", "q 4x16, k 6x16, v 6x16", True),
        ("Inputs are not guaranteed to be finite.", "x 40", False),
        (
            "The number of segments is finite and known before launch. See the reference for how values are reduced.",
            "x 24x5, offsets int 4", False,
        ),
        ("Each entry of x is a finite number.", "x 6x8", True),
        ("There is a finite number of rows in x.", "x 6x8", False),
        ("The host checks torch.isfinite(t).all() on each argument and raises otherwise.", "x 6x8, w 8", True),
        ("Non-finite values never occur.", "x 6x8", True),
        ("Non-finite values need not be handled.", "x 6x8", False),
        ("The sum may overflow; inputs themselves are always finite.", "x 6x8", True),
    ],
)  # fmt: skip
def test_whether_all_inputs_are_finite(given, text, arguments, said):
    assert ("finite" in [statement.words for statement in given(text, arguments)._statements]) is said


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("nan-aware mean over dim 1: NaN elements count neither in the sum nor in the divisor.", "x 6x15", True),
        ("NaNs propagate; a row which contains one gives NaN.", "x 6x15", True),
        ("Behaviour for NaN or Inf inputs is undefined and will not be tested.", "x 6x15", False),
        ("Before summing, every +inf in x is replaced with max_val and every -inf with -max_val.", "x 128, max_val 0.5", True),
        ("Hint: start the online-softmax accumulator m at -inf and the denominator at 0.", "x 6x64", False),
        ("x is guaranteed to be free of NaN/Inf, so no special handling is required.", "x 6x64, gamma 64", False),
        (
            "(Corner case) if a row holds exactly one +inf logit, that class has to receive probability 1 and all others 0.",
            "logits 5x10", True,
        ),
    ],
)  # fmt: skip
def test_whether_a_text_says_what_becomes_of_numbers_that_are_not_finite(given, text, arguments, said):
    found = given(text, arguments)
    assert (found.not_finite or bool(found.specials)) is said


@pytest.mark.parametrize(
    ("text", "arguments", "names"),
    [
        ("bias: [N] or None; with None nothing is added. x and w always have to be given.", "x 4x8, w 8x6, bias=None", ["bias"]),
        ("Linear layer y = x @ weight.T + bias. Both weight and bias are required.", "x 4x8, weight 6x8, bias 6", []),
        ("Masked average pooling. When `mask` isn't supplied, every position takes part.", "x 4x9, mask=None", ["mask"]),
        ("bias must not be None; pass a vector of zeros for a layer without one.", "x 4x8, bias 8", []),
        ("The update function returns None; results are read back from x by the caller.", "x 64, delta 64", []),
        (
            "LayerNorm over the last dim. `scale` and `shift` can be omitted, independently of one another (treated as 1 and 0 then).",
            "x 5x16, scale=None, shift=None", ["scale", "shift"],
        ),
        ("Dropout is left out at inference time, hence the kernel is deterministic. Inputs: x [N, D], w [D].", "x 5x16, w 16", []),
        ("Callers that want no shift simply don't hand over a `bias`.", "x 4x8, bias=None", ["bias"]),
        ("No bias is added unless one is given.", "x 4x8, bias=None", ["bias"]),
        ("h0 : array, (D, S), optional\n    State to start from.\nx : array, (T, D)\n    Input.", "x 9x6, h0=None", ["h0"]),
        ("State h0. Zeros are used in its absence.", "x 9x6, h0=None", []),
    ],
)  # fmt: skip
def test_which_arguments_may_be_left_out(given, text, arguments, names):
    found = given(text, arguments)
    assert [name for name in found.arguments if found.may_be_left_out(name)] == names


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("All input tensors are contiguous (row-major) and live on the same GPU.", "a 16x32, b 32x8", True),
        ("The returned tensor has to be contiguous.", "x 16x32", False),
        ("Do not assume that the inputs are contiguous.", "x 16x32", False),
        ("Inputs come densely packed in C order; strided views are never passed.", "x 4x6x10, y 4x6x10", True),
        ("Each segment covers a contiguous range of rows, given by offsets[i]:offsets[i+1].", "x 20x8, offsets int 5", False),
        ("Only contiguous inputs have to be supported, the launcher raises on anything else.", "x 5x77", True),
        ("x might be the transpose of another tensor, so call .contiguous() on it if your kernel wants unit stride.", "x 12x30", False),
        ("All tensors are dense in C order; strided views are rejected by the dispatcher.", "x 4x6, w 6", True),
        ("The wrapper ran `assert x.is_contiguous() and y.is_contiguous()` before.", "x 4x6, y 6", True),
        ("If x.is_contiguous() is False, copy it first.", "x 4x6", False),
        ("a is contiguous along K, but b arrives as w.t(), i.e. column-major.", "a 6x8, b 8x5", False),
        ("All inputs are contiguous; y = x @ w.T.", "x 4x6, w 6", True),
        ("Inputs\n- `x`: (B, C), contiguous NCHW\n- `w`: (C,), contiguous\nGroupNorm with four groups.", "x 4x6, w 6", True),
        ("x comes from torch.randn and hence is contiguous.", "x 4x6", True),
        ("No tensor is ever a view.", "x 4x6", True),
    ],
)  # fmt: skip
def test_whether_inputs_are_contiguous(given, text, arguments, said):
    assert given(text, arguments).contiguous == said


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("x: bfloat16 [M, K], w: bfloat16 [K, N]. Accumulate in fp32 and cast to bf16 at the very end.", "x bf16 8x32, w bf16 32x16", True),
        (
            "Dot products of the bf16 inputs must be summed up in single precision, with just one rounding to bf16 when the result is "
            "stored.", "a bf16 10x64, b bf16 10x64", True,
        ),
        ("Accumulation may stay in bf16; an fp32 accumulator is not required.", "x bf16 10x64", False),
        ("Returns a float32 tensor. In which precision the intermediate sums are kept is up to you.", "x bf16 10x64", False),
        ("Even though x is bf16, mean and variance have to be computed in float32.", "x bf16 6x48, gamma bf16 48, eps 0.5", True),
        ("Round to bfloat16 after each single addition; do not carry the running sum in float32.", "x bf16 6x48", False),
        (
            "The scale vector is stored in float32 to keep the checkpoint format stable, x is bfloat16. No particular accumulation "
            "precision is prescribed.", "x bf16 6x48, scale 48", False,
        ),
        ("x is upcast to float before the mean of squares is taken.", "x bf16 6x48", True),
        ("x is cast to float32 before it is returned.", "x bf16 6x48", False),
        ("Returns the row sums as a float32 tensor.", "x bf16 6x48", False),
        ("A float32 accumulator is nice to have but no requirement.", "x bf16 6x48", False),
    ],
)  # fmt: skip
def test_whether_sums_are_kept_in_float32(given, text, arguments, said):
    assert given(text, arguments).float32 == said


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("Row argmax. If several entries share the maximum, the lowest index wins.", "x 7x25", True),
        ("Row argmax. Any of the indices may be returned if the maximum is attained more than once.", "x 7x25", False),
        ("Top-k per row. Values in a row are pairwise distinct, so ties cannot occur.", "x 7x25, k 3", False),
        ("In case of a draw the last occurrence is to be returned.", "votes int 7x25", True),
        ("The output projection is tied to the embedding matrix (weight tying), i.e. logits = h @ emb.T.", "h 4x16, emb 30x16", False),
        ("Greedy selection by score; among boxes with equal scores prefer the one that comes first in the list.", "scores 18", True),
        ("When two elements compare equal, the order in which they come out is unspecified.", "keys 100", False),
        ("Should the maximum occur several times, any of its indices will be accepted.", "x 7x25", False),
        ("Among duplicates of the maximum, the one met first receives the gradient.", "x 7x25", True),
        ("If two entries are equally near, choose the earlier one.", "x 7x25", True),
        ("In the event of identical scores, take the box that appears earlier.", "scores 20", True),
        ("Elements with the same key stay in their original order.", "keys int 30", True),
        ("Two passes: the first one finds the maximum, the last one divides.", "x 7x25", False),
    ],
)  # fmt: skip
def test_whether_a_text_says_which_of_equal_numbers_counts(given, text, arguments, said):
    assert given(text, arguments).ties == said


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("x must be updated in place and is returned as well.", "x 50, y 50", True),
        ("Do not modify the inputs in place.", "x 50, y 50", False),
        (
            "Writes the new keys into cache itself (no copy); the caller goes on using the very same cache tensor afterwards.",
            "cache 32x8, new_keys 3x8, start 3", True,
        ),
        (
            "Fused SGD step: param and momentum are overwritten with their new values, nothing is returned.",
            "param 90, momentum 90, grad 90, lr 0.5", True,
        ),
        ("Returns a freshly allocated tensor; x stays untouched.", "x 6x8", False),
        ("In place of the exact GELU, the tanh approximation is used.", "x 6x8", False),
        ("The gradient must be stored over `logits` itself.", "logits 8x9", True),
        ("Rows of `grid` change directly in the buffer that was passed.", "grid 8x9", True),
        ("Results may be stored over x.", "x 6x8", False),
        ("Adds y into x, like x.add_(y).", "x 6, y 6", True),
        ("An in-place version is possible but not required.", "x 6", False),
    ],
)  # fmt: skip
def test_whether_inputs_are_updated(given, text, arguments, said):
    assert given(text, arguments).in_place == said


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("Segments may be empty, their sum is 0.", "x 20x4, offsets int 7", True),
        ("Every segment owns at least one row.", "x 20x4, offsets int 7", False),
        ("lengths[b] tells how many leading positions of sequence b are real. It can be zero.", "x 5x12, lengths int 5", True),
        (
            "Whenever two consecutive offsets coincide, the bag between them has no elements and yields a row of zeros.",
            "emb 20x4, offsets int 7", True,
        ),
        (
            "Allocate the result by torch.empty and fill it within the kernel. All bags hold one element or more.",
            "emb 20x4, offsets int 7", False,
        ),
        ("Grouped GEMM; some experts may receive no tokens at all (counts[e] == 0).", "tokens 24x8, w 4x8x6, counts int 4", True),
        ("Zero entries of x are skipped when averaging. There are no empty groups.", "x 20, offsets int 7", False),
        ("Rows without a stored entry exist, and their result is 0.", "x 20, offsets int 7", True),
        ("It is an error for a graph to have zero nodes.", "x 20, offsets int 7", False),
        ("Groups of size zero are skipped.", "x 20, offsets int 7", True),
    ],
)  # fmt: skip
def test_whether_pieces_may_be_empty(given, text, arguments, said):
    assert given(text, arguments).empties == said


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("Rows whose mask is False everywhere give zeros.", "x 6x13, mask bool 6x13", True),
        ("Every row has at least one unmasked position.", "x 6x13, mask bool 6x13", False),
        ("Masked positions get a weight of exactly zero in the softmax.", "x 6x13, mask bool 6x13", False),
        (
            "If a query is left with nothing to attend to because all its keys are masked, its output row is NaN, as with torch.softmax.",
            "q 6x8, k 13x8, mask bool 6x13", True,
        ),
        ("What comes out for a completely masked row is unspecified and not compared.", "x 6x13, mask bool 6x13", False),
        (
            "For a query whose keys are all padding, return the plain mean of v over all keys.",
            "q 6x8, k 13x8, v 13x8, mask bool 6x13", True,
        ),
        ("For speed, a kernel may skip tiles of the score matrix that are fully masked by causality.", "q 64x8, k 64x8", False),
        ("A query that cannot see any key attends to all uniformly.", "q 6x8, k 9x8, mask bool 6x9", True),
        ("A padding token cannot see any other token.", "x 6x13, mask bool 6x13", False),
        ("A sample that has none gets the loss 0.", "x 6x13, mask bool 6x13", True),
        ("Where the mask leaves nothing of a row, the output is 0.", "x 6x13, mask bool 6x13", True),
        ("Rows where mask.sum() == 0 give zero.", "x 6x13, mask bool 6x13", True),
        ("Masking comes first; masked entries give zero weight.", "x 6x13, mask bool 6x13", False),
    ],
)  # fmt: skip
def test_what_becomes_of_rows_that_are_masked_as_a_whole(given, text, arguments, said):
    assert given(text, arguments).nothing == said


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("mask: bool [N, L]. Each row has at least one True entry; True means 'keep'.", "x 6x13, mask bool 6x13", 1),
        ("The mask keeps no fewer than 4 positions in each row (True = kept).", "x 6x13, mask bool 6x13", 4),
        ("A row may be masked from end to end.", "x 6x13, mask bool 6x13", 0),
        ("Each query can see at least 2 unmasked keys.", "scores 6x13, mask bool 6x13", 2),
        ("At most 3 entries per row are valid (mask is True there), possibly none.", "x 6x13, mask bool 6x13", 0),
        ("x has at least 8 columns. Any number of them, even all, can be masked.", "x 6x13, mask bool 6x13", 0),
        ("Every row of mask has one True or more.", "x 6x13, mask bool 6x13", 1),
        ("Each row comes with at least two observed entries.", "x 6x13, obs bool 6x13", 2),
        ("Mean of the finite readings. Of those there are no fewer than three per row.", "x 6x13", 3),
        ("The diagonal is unmasked, so that each query sees itself in any case.", "x 6x6, mask bool 6x6", 1),
        ("mask.any(dim=-1) holds for each row.", "x 6x13, mask bool 6x13", 1),
        ("At least two of them share a cache line.", "x 6x13, mask bool 6x13", 0),
    ],
)  # fmt: skip
def test_how_many_numbers_of_a_row_are_left(given, text, arguments, said):
    assert given(text, arguments).left == said


@pytest.mark.parametrize(
    ("text", "arguments", "shapes"),
    [
        ("Args:\n  x: float32 [N, D]\n  weight: float32 [D]", "x 6x8, weight 8", {"x": ["N", "D"], "weight": ["D"]}),
        (
            "q is (B, H, T, E) while k has shape (B, H, S, E).",
            "q 2x3x5x8, k 2x3x7x8", {"q": ["B", "H", "T", "E"], "k": ["B", "H", "S", "E"]},
        ),
        ("Multiplies a by b. Returns a tensor of shape (M, N).", "a 6x8, b 8x5", {}),
        (
            "image: tensor of shape (batch, 3, height, width), values in [0, 1].",
            "image 2x3x5x7", {"image": ["batch", "", "height", "width"]},
        ),
        ("x – input of shape (..., D)\neps – small constant for numerical stability", "x 4x6x10, eps 0.5", {"x": ["D"]}),
        ("The kernel is launched on a grid of (M, N) programs with tiles of [128, 64].", "x 6x9", {}),
        ("The result is laid out as [B, T, F] in row-major order; consult the code for the inputs.", "x 2x5x6, w 6x11", {}),
        ("Let a be an M-by-K matrix and b a K-by-N one; add bias, of length N.", "a 6x8, b 8x5, bias 5", {"a": ["M", "K"], "b": ["K", "N"], "bias": ["N"]}),
        ("- x: :math:`(*, in_features)`\n- w: :math:`(C_{out}, in_features)`", "x 2x3x8, w 6x8", {"x": ["in_features"], "w": ["C_out", "in_features"]}),
        ("k has the shape (B, S, D); q has one position per sequence, thus (B, 1, D).", "q 2x1x8, k 2x7x8", {"q": ["B", "", "D"], "k": ["B", "S", "D"]}),
        ("x is of shape B x C x T, split into BM x BN tiles.", "x 2x6x5", {"x": ["B", "C", "T"]}),
        ("The result is an M by N matrix; windows of length K slide over x.", "x 20", {}),
    ],
)  # fmt: skip
def test_which_axes_have_names(given, text, arguments, shapes):
    found = given(text, arguments)
    assert {name: list(axes) for name, axes in found._shapes.items()} == shapes


@pytest.mark.parametrize(
    ("text", "arguments", "names"),
    [
        ("offsets: int64 [B + 1], non-decreasing, offsets[0] == 0.", "x 20x4, offsets sorted_int 6", {"offsets": False}),
        ("boundaries must be strictly increasing; x comes in no particular order.", "x 30, boundaries sorted 9", {"boundaries": True}),
        ("Returns the values of each row in ascending order.", "x 5x17", {}),
        ("`index` is not necessarily sorted, so neighbouring rows can go to far-apart slots.", "src 22x3, index int 22", {}),
        (
            "COO entries: `row` arrives sorted in ascending order (with repeats), `col` is in arbitrary order within a row.",
            "row sorted_int 40, col int 40, val 40", {"row": False},
        ),
        ("The k results per row have to be sorted from large to small.", "x 5x17, k 3", {}),
        ("timestamps are sorted in ascending order and contain no duplicates.", "timestamps sorted 25, value 25", {"timestamps": True}),
        ("Knots t with t[0] < t[1] < ... < t[n-1], queries x in any order.", "x 30, t sorted 9", {"t": True}),
        ("t is given in increasing order without repetition.", "x 30, t sorted 9", {"t": True}),
        ("events are ordered from low to high.", "x 30, events sorted 9", {"events": False}),
    ],
)  # fmt: skip
def test_which_inputs_are_sorted(given, text, arguments, names):
    found = given(text, arguments)
    assert {found.names[place]: is_strict for place, is_strict in found.ascending.items()} == names


@pytest.mark.parametrize(
    ("text", "arguments", "ranges"),
    [
        ("labels: int64, values in [0, 9]", "logits 6x10, labels labels 6", {"labels": (0, 9)}),
        (
            "Quantizes x. The codes returned are integers in [-128, 127]; zero_point is chosen by the caller.",
            "x 6x10, scale 0.5, zero_point 3", {},
        ),
        ("group holds group ids between 0 and 3 inclusive, x is drawn from [-5, 5].", "x 14x6, group group 14", {"group": (0, 3)}),
        ("x is uniform in [0, 1). target can be an arbitrary int64.", "x 14, target int 14", {}),
        ("sign: int32 tensor whose elements are -1, 0 or 1.", "x 9x4, sign signs 9x4", {"sign": (-1, 1)}),
        (
            "There are 12 indices, each of them a valid row number of `table`, i.e. non-negative and smaller than table.shape[0].",
            "table 21x5, index int 12", {},
        ),
        ("target holds classes in the half-open interval [0, 10).", "x 6x10, target labels 6", {"target": (0, 9)}),
        ("`data` is int32, yet only the values 0 through 255 occur.", "x 6, data int 40", {"data": (0, 255)}),
        ("Only the values 0 through 6 of idx count.", "x 6, idx int 40", {}),
        ("|shift| is at most 7.", "x 6, shift int 40", {"shift": (-7, 7)}),
        ("In codes, none is below 0 or above 15; zeros are drawn by torch.randint(0, 7, (4, 5)).", "x 6, codes int 40, zeros int 9", {"codes": (0, 15), "zeros": (0, 6)}),
        ("Each idx is >= 0 and < 7.", "x 6, idx int 40", {"idx": (0, 6)}),
        ("idx takes values in 0, 1, ..., 6.", "x 6, idx int 40", {"idx": (0, 6)}),
        ("idx may be -1 for missing or in [0, 7).", "x 6, idx int 40", {}),
    ],
)  # fmt: skip
def test_between_which_integers_inputs_lie(given, text, arguments, ranges):
    found = given(text, arguments)
    assert {found.names[place]: limits for place, limits in found.whole_ranges.items()} == ranges


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("Forward only: a backward pass is not needed.", "x 6x8", False),
        ("The op must be differentiable with respect to x and weight.", "x 6x8, weight 8", True),
        ("Computes the image gradient, i.e. finite differences along both spatial axes.", "image 9x11", None),
        ("Used for inference; gradients are never requested.", "x 6x8", False),
        ("Correctness of the backward pass is tested as well: the gradient of x gets compared with that of autograd.", "x 6x8", True),
        ("Scans the sequence backward, from its last token to its first.", "x 6x30, decay 6", None),
        ("Returns x times a per-column gain, where the gain falls off along a linear gradient from 1 to 0.", "x 10x21", None),
        ("The layer is trained elsewhere; autograd has to work through it.", "x 6x8", True),
        ("Called under torch.no_grad() exclusively.", "x 6x8", False),
        ("Nobody differentiates through this op.", "x 6x8", False),
        ("Submit a torch.autograd.Function with both passes.", "x 6x8", True),
        ("Weights are frozen and nothing requires grad.", "x 6x8", False),
        ("The kernel need not support training.", "x 6x8", False),
        ("abs is not differentiable at 0; x holds training data.", "x 6x8", None),
    ],
)  # fmt: skip
def test_whether_gradients_are_asked_for(given, text, arguments, said):
    found = given(text, arguments)
    assert (True if found.gradients else False if found.inference else None) is said


@pytest.mark.parametrize(
    ("text", "arguments", "kinds"),
    [
        ("The kernel has to support float16, bfloat16 and float32 inputs.", "x 6x8", ["bfloat16", "float16"]),
        ("Must work for both half precision (fp16) and single precision (fp32) inputs.", "x 6x8, w 8", ["float16"]),
        ("fp16 and bf16 are out of scope, and so is fp64.", "x 6x8", []),
        ("The result is stored in bfloat16 to save bandwidth.", "x 6x8", []),
        ("The expected values were produced by a float64 run on the CPU and then rounded.", "x 6x8", []),
        ("Supported input dtypes (all of them are tested): bf16, fp32.", "x 6x8", ["bfloat16"]),
        ("Double precision inputs (float64) must be accepted just like float32 ones.", "x 6x8, y 6x8", ["float64"]),
        ("The harness instantiates the op for double, float and half inputs alike.", "x 6x8", ["float16", "float64"]),
        ("Tests cover fp16, bf16 and fp32.", "x 6x8", ["bfloat16", "float16"]),
    ],
)  # fmt: skip
def test_which_formats_inputs_may_have(given, text, arguments, kinds):
    found = given(text, arguments)
    assert sorted(str(kind).removeprefix("torch.") for kind in found.kinds) == kinds


@pytest.mark.parametrize(
    ("text", "arguments", "names"),
    [
        ("Weighted sum; the weights in `w` can be negative and need not add up to one.", "x positive 6x8, w positive 8", ["w"]),
        ("temperature is strictly positive.", "logits positive 6x8, temperature 0.5", []),
        ("The output can be negative or zero, since the log of a probability is returned.", "probs positive 6x8", []),
        ("Negative entries in `idx` are allowed and count from the end, as in Python.", "table positive 16x8, idx int 5", []),
        ("Zeros in `w` must be expected.", "x positive 6x8, w positive 8", ["w"]),
        ("Values below zero do turn up in w.", "x positive 6x8, w positive 8", ["w"]),
        ("w has no values below zero.", "x positive 6x8, w positive 8", []),
        ("The sign of w is arbitrary; the output can go below zero.", "x positive 6x8, w positive 8", ["w"]),
    ],
)  # fmt: skip
def test_which_inputs_may_be_negative(given, text, arguments, names):
    found = given(text, arguments)
    assert [found.names[place] for place in found.signed] == names


@pytest.mark.parametrize(
    ("text", "arguments", "breaks"),
    [
        ("x: float32 [N, D], where D is a multiple of 64.", "x 5x64", {"D": 12}),
        ("Picks the K largest of the N entries of scores: [N]. K never exceeds N.", "scores 20, K 3", {"K": 21, "N": 20}),
        ("Second difference of a series of shape [N]; N is at least 3.", "x 15", {"N": 2}),
        ("x is [T, H]. H is always even (halves are rotated against each other).", "x 7x12", {"H": 5}),
        ("x: [N, D]. D does not have to be a power of two, nor a multiple of anything.", "x 5x37", {}),
        ("Choose the tile width as a multiple of 32. N itself is arbitrary.", "x 77", {}),
        ("a: [M, K], b: [K, N]\nM and N are multiples of 16\nK >= 32", "a 16x40, b 40x48", {"M": 12}),
        ("x: [N]. Every value of x is at least 3.", "x 13", {}),
        ("x: [N, D]. D is fixed at 64.", "x 5x64", {"D": 12}),
        ("x: [N, D]. In the benchmark D is usually fixed at 64.", "x 5x64", {}),
    ],
)  # fmt: skip
def test_which_sizes_a_text_rules_out(given, text, arguments, breaks):
    found = given(text, arguments)
    assert bool(found.words) is any(statement.test(breaks) is False for statement in found._statements) is bool(breaks)


@pytest.mark.parametrize(
    ("text", "arguments", "names"),
    [
        ("var: running variance, non-negative\nx: arbitrary sign", "x positive 6x8, var positive 8", ["var"]),
        ("Entropy per row of `probs`, whose entries lie in [0, 1] and add up to 1 along the last axis.", "probs positive 6x8", ["probs"]),
        ("The output is always >= 0, as a ReLU is applied last.", "x positive 6x8, bias positive 8", []),
        ("w isn't guaranteed to be positive.", "x positive 6x8, w positive 8", []),
        ("Every length is a positive integer; x is standard normal.", "x positive 6x8, lengths int 6", []),
        ("w holds probabilities: all their entries are greater than 0.", "x positive 6x8, w positive 8", ["w"]),
        ("w never drops below zero.", "x positive 6x8, w positive 8", ["w"]),
        ("count: events kept as floats, 0 being the smallest", "count positive 8", ["count"]),
        ("Some entries of w are greater than 0.", "x positive 6x8, w positive 8", []),
        ("w contains only positive values.", "x positive 6x8, w positive 8", ["w"]),
    ],
)  # fmt: skip
def test_which_inputs_hold_no_negative_number(given, text, arguments, names):
    found = given(text, arguments)
    negative = torch.full((1,), -0.5)
    ruled_out = [name for name in found.arguments if any(statement.test({name: negative}) is False for statement in found._statements)]
    assert ruled_out == names


@pytest.mark.parametrize(
    ("text", "trained", "inference"),
    [
        ("The module is used in both modes: train() updates the statistics. Only the forward result and the buffers count.", True, True),
        ("In training mode the statistics of the batch are used.", True, False), ("Inference only.", False, True),
        ("It is never used in training mode.", False, False), ("The trained weights are loaded.", False, False),
    ],
)  # fmt: skip
def test_whether_training_mode_is_used(stated, text, trained, inference):
    found = stated(text)
    assert (found.trained, found.inference) == (trained, inference)
