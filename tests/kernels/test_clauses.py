"""Clauses: where a sentence is cut, what each part says, denies or leaves open, and whether it is about inputs, and about which."""

import re

import pytest

from halfulp.kernels.promises.clauses import clauses_of
from halfulp.kernels.promises.sentences import sentences_of

NAN, FINITE = re.compile(r"\bNaNs?\b"), re.compile(r"\bfinite\b")
KNOWN = ("x", "y", "a", "mask", "lengths")


def clauses(text):
    return clauses_of(sentences_of(text), KNOWN)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x: float32, no NaN, contiguous.", ["float32", "no NaN", "contiguous"]),
        ("x has no NaNs, infs or denormals.", ["x has no NaNs, infs or denormals"]),
        ("x, y and mask are contiguous.", ["x, y and mask are contiguous"]),
        ("x holds logits, y and mask are dense.", ["x holds logits", "y and mask are dense"]),
        ("x is finite and y may hold NaN.", ["x is finite", "and y may hold NaN"]),
        ("x is finite, but y, whose rows vary, isn't.", ["x is finite", "but y", "whose rows vary", "isn't"]),
        ("x holds NaN (never inf) and y (float32) none.", ["x holds NaN and y (float32) none", "never inf"]),
        ("Values lie in [0, 1) or f(a, b), and 1,200 of them.", ["Values lie in [0, 1) or f(a, b)", "and 1,200 of them"]),
        ("x is free of NaN so nothing is checked because it is slow.", ["x is free of NaN", "so nothing is checked", "because it is slow"]),
        ("In x, gaps are NaN; even though y has none.", ["In x, gaps are NaN", "even though y has none"]),
        ("y never holds NaN, but x does.", ["y never holds NaN", "but x does NaN"]),
    ],
)
def test_where_a_sentence_is_cut(text, words):
    assert [clause.words for clause in clauses(text)] == words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x may hold NaN.", True), ("x has no NaN.", False), ("Neither x nor y contains any NaN.", False), ("x is NaN-free.", False),
        ("x is free of NaN.", False), ("NaN does not occur.", False), ("NaN inputs aren't supported.", False), ("NaN is out of the question.", False),
        ("Rows without keys give NaN.", True), ("Rows that have no keys give NaN.", True), ("Rows that do not have keys give NaN.", True),
        ("Assume that no input is NaN.", False), ("x, of which none is NaN.", False), ("Not only x may be NaN.", True),
        ("NaN is not uncommon.", True), ("NaN is not replaced by 0.", True), ("eps avoids NaN.", False), ("x is 0 rather than NaN.", False),
        ("Nothing prevents NaN.", True), ("Infinities (and NaN) do not occur.", False), ("NaN is excluded from the sum.", True), ("NaN is excluded.", False),
    ],
)  # fmt: skip
def test_what_a_clause_says_or_denies(text, said):
    (clause,) = [clause for clause in clauses(text) if NAN.search(clause.words)]
    assert (clause.says(NAN), clause.denies(NAN)) == (said, not said)


@pytest.mark.parametrize(
    "text",
    [
        "What becomes of NaN is undefined.", "If x is NaN, the result is unspecified.", "NaN may come, it does not matter what it gives.",
        "Whether or not x holds NaN, y counts.", "NaN is not tested.", "NaN need not be handled.",
    ],
)  # fmt: skip
def test_what_a_clause_leaves_open(text):
    (clause,) = [clause for clause in clauses(text) if NAN.search(clause.words)]
    assert clause.leaves_open(NAN) and not clause.says(NAN)


@pytest.mark.parametrize(
    ("text", "of_results"),
    [
        ("Returns NaN for x = 0.", True), ("The output is NaN there.", True), ("x is NaN in the output.", True), ("Output: NaN where mask is 0.", True),
        ("The accumulator starts at NaN.", True), ("Rows are set to NaN.", True), ("Rows of x are set to NaN.", False), ("x may be NaN.", False),
        ("Returns 0 if some entry is NaN.", False), ("The output of rows with NaN is 0.", False), ("Output: NaN in all inputs gives 0.", False),
    ],
)  # fmt: skip
def test_what_is_said_of_results(text, of_results):
    (clause,) = [clause for clause in clauses(text) if NAN.search(clause.words)]
    assert clause.is_of_results(NAN) is of_results


@pytest.mark.parametrize(
    ("text", "of_inputs"),
    [
        ("x is finite.", True), ("All values of y are finite.", True), ("Finite float32 tensors.", True), ("x: float32, finite.", True),
        ("x: finite readings.", True), ("Only finite inputs come.", True), ("You can rely on x being finite.", True),
        ("The number of rows is finite.", False), ("A finite range of rows.", False), ("The loss is finite.", False), ("Returns finite values.", False),
        ("Memory accesses to x are finite.", False), ("There are finite groups of x.", False),
    ],
)  # fmt: skip
def test_of_what_an_adjective_is_said(text, of_inputs):
    (clause,) = [clause for clause in clauses(text) if re.search("finite", clause.words, re.IGNORECASE)]
    assert clause.is_of_inputs(re.compile("finite", re.IGNORECASE)) is of_inputs


@pytest.mark.parametrize(
    ("text", "conditional"),
    [
        ("If x is finite it is kept.", True),
        ("x is usually finite.", True),
        ("x is finite if y is.", False),
        ("x, where finite, counts.", True),
    ],
)
def test_what_is_said_for_some_cases(text, conditional):
    (clause,) = [clause for clause in clauses(text) if FINITE.search(clause.words)][:1]
    assert clause.is_conditional(FINITE) is conditional


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x may hold NaN.", ["x"]), ("A row may hold NaN.", []), ("a and y may hold NaN.", ["y", "a"]), ("a: float32, NaN in places.", ["a"]),
        ("x is dense. It may hold NaN.", ["x"]), ("x is dense. The sum may hold NaN.", []), ("x is dense, its values are never NaN.", ["x"]),
        ("x: [N], mask: [N], 0 or NaN.", ["mask"]), ("x: [N], y: [N], all NaN.", ["x", "y"]), ("y: scores, NaN where mask is False.", ["y"]),
        ("y: scores. Missing ones arrive as NaN.", ["y"]), ("In x, gaps are NaN.", ["x"]), ("Each length is NaN.", ["lengths"]),
        ("x, y: gaussian samples, NaN in places.", ["x", "y"]),
    ],
)  # fmt: skip
def test_which_arguments_a_clause_is_about(text, names):
    (clause,) = [clause for clause in clauses(text) if NAN.search(clause.words)]
    assert list(clause.names) == names


@pytest.mark.parametrize(
    ("text", "own"), [("The scores below stay within 1.", True), ("x stays within 1.", False), ("values stay within 1", False)]
)
def test_whether_a_clause_has_a_subject_of_its_own(text, own):
    assert clauses(text)[0].has_own_subject is own
