import dataclasses
import math

import pytest
import torch

import halfulp
from halfulp import CheckResult, Evidence, Verdict, check, compare, report
from halfulp.errors import InputError
from halfulp.reports.text.evidence import _WORDS, QUESTIONS, measured_words
from halfulp.verdicts.evidence.finding import MEANINGS
from halfulp.words.numbers import digits_lost, number, power_of_two, share

X = torch.randn(8, 16, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "-"),
        (0, "0"),
        (12345, "12,345"),
        (0.25, "0.25"),
        (1e-7, "1.00e-07"),
        (123456.0, "1.23e+05"),
        (1234.5, "1,234"),
        (math.inf, "infinite"),
        (-math.inf, "-infinite"),
        (math.nan, "nan"),
        (True, "True"),
        ("tf32", "tf32"),
        (-0.0, "0"),
    ],
)
def test_numbers_as_words(value, words):
    assert number(value) == words


def test_shares_digits_and_powers():
    assert share(12, 6272) == "12 of 6,272 elements (0.19 %)"
    assert share(1, 1) == "1 of 1 element (100.0 %)"
    assert share(0, 0) == "0 of 0 elements (0 %)"
    assert digits_lost(100.0) == "2.0 digits"
    assert power_of_two(29.2) == "by a factor of 2^29"
    assert power_of_two(None) == "to nothing"


def results():
    yield check(lambda x: x * 2, lambda x: x + x, (X,))
    yield check(lambda x: x * 2.1 + x * 0.9, lambda x: x * 3, (X,))
    yield check(lambda x: x * 3.1, lambda x: x * 3, (X,))
    yield check(torch.nn.Dropout(), torch.nn.Identity(), (X,))
    yield check(lambda x: (x.bfloat16() * 3).float(), lambda x: x * 3, (X,))
    yield check(lambda x: x.long(), lambda x: x.round().long(), (X * 3,))


def test_every_report_is_whole_and_within_its_width():
    for result in results():
        text = report(result)
        assert text.startswith(f"{result.verdict.name}: {result.verdict.meaning}")
        assert "Next:" in text
        table = text.split("\n\n", 1)[1].split("Next:")[0]
        assert max(len(line) for line in table.splitlines()) <= 118
        assert report(result, form="answer") in text
        assert result.reason in report(result, form="assertion")
        for each in result.evidence:
            assert QUESTIONS[each.kind].split()[0] in text
            assert isinstance(measured_words(each), str)


def test_every_kind_of_evidence_has_a_question_and_words():
    of_one_op = {"neighbors", "kernel", "loosened"}  # `locate` has words of its own
    assert set(QUESTIONS) == set(_WORDS) == set(MEANINGS) - of_one_op
    made = [
        Evidence("structure", "differs", (), {"mismatches": 1, "what": "shape", "actual": "(1,)", "expected": "(2,)"}),
        Evidence("specials", "differ", (), {"nan_actual_only": 2, "inf_sign": 0, "count": 4}),
        Evidence("repetition", "fails", (), {"side": "actual", "why": "it raised"}),
        Evidence("peer", "neither", (), {"actual_rms_error": 1.0, "expected_rms_error": 1.0, "ratio": 1.0}),
        Evidence("scaling", "unavailable", (), {"why": "no float64 here"}),
        Evidence("scaling", "stays", (), {"unequal_integers_in_float64": 3}),
        Evidence("integers", "differ", (), {"unequal": 1, "count": 2, "max_abs": 1.0}),
        Evidence("redraw", "random", (), {"share_that_stays": 0.25, "repetitions": 4}),
        Evidence("precision", "not reproduced", (), {"explained": 0.0}),
        Evidence("precision", "reproduced", (), {"explained": 0.99, "format": "tf32", "where": "inputs of products"}),
        Evidence("overlap", "overlapping writes", (), {"actual": ["mul_ on shape (2, 3)"]}),
    ]
    assert all(isinstance(measured_words(each), str) for each in made)
    assert measured_words(made[1]) == "nan actual only 2"
    assert measured_words(made[4]) == "no float64 here"


BASE = {
    "rms_in_noise": 1e4,
    "rms_limit": 6.0,
    "max_in_noise": 1e5,
    "max_limit": 12.0,
    "norm_in_noise": 1e4,
    "transforms": False,
    "expected_rms_in_noise": 0.5,
    "noise_rel_rms": 1e-7,
    "samples": 12,
    "method": "ops of expected",
    "reference": "expected in float64",
    "worst_index": [0],
}


@pytest.mark.parametrize(
    ("verdict", "because", "evidence", "words"),
    [
        (
            Verdict.MISTAKE,
            ("integers",),
            [Evidence("integers", "differ", (), {"unequal": 1, "count": 2, "max_abs": 1.0})],
            "On small integers",
        ),
        (Verdict.MISTAKE, ("scaling",), [Evidence("scaling", "stays", (), {"excess_in_float32": 7.0})], "In float32 the two still differ"),
        (
            Verdict.MISTAKE,
            ("scaling",),
            [Evidence("scaling", "stays", (), {"unequal_integers_in_float64": 2})],
            "decided by something other than rounding",
        ),
        (Verdict.MISTAKE, ("something",), [], "The error is beyond rounding"),
        (Verdict.UNDECIDED, ("noise",), [], "its cause could not be determined"),
        (
            Verdict.UNSTABLE,
            ("loss",),
            [Evidence("integers", "exact", (), {"unequal": 0, "count": 2, "max_abs": 0.0})],
            "where the order of additions can't matter",
        ),
        (
            Verdict.UNSTABLE,
            ("loss",),
            [Evidence("scaling", "constants", (), {"native_rms": 1.0, "float64_rms": 0.5})],
            "the rounding of stored constants",
        ),
        (Verdict.UNSTABLE, ("loss",), [], "The formula is the same"),
        (
            Verdict.REDUCED_PRECISION,
            ("precision",),
            [Evidence("precision", "reproduced", (), {"explained": 0.99, "format": "tf32", "where": "inputs of products"})],
            "reproduces 99.0 %",
        ),
        (
            Verdict.NONDETERMINISTIC,
            ("repetition",),
            [Evidence("repetition", "fails", (), {"side": "actual", "why": "it raised"})],
            "Another run failed",
        ),
    ],
)
def test_reasons_that_rare_evidence_gives(verdict, because, evidence, words):
    found = (Evidence("noise", "beyond", (), dict(BASE)), *evidence)
    result = CheckResult(verdict, because, found, compare([], []), "float32")
    assert words in result.reason
    assert report(result)


def test_undecided_without_noise_and_closer_actual():
    nothing = CheckResult(Verdict.UNDECIDED, (), (), compare([], []), "float32")
    assert "no other evidence distinguishes the two" in nothing.reason
    conditioned = CheckResult(
        Verdict.UNDECIDED,
        ("noise",),
        (Evidence("noise", "within", (), {**BASE, "rms_in_noise": 1.0, "least_noise_rel_rms": 0.4}),),
        compare([], []),
        "float32",
    )
    assert "40 % of its size" in conditioned.reason
    closer = CheckResult(
        Verdict.UNSTABLE,
        ("loss",),
        (
            Evidence("noise", "beyond", (), dict(BASE)),
            Evidence("peer", "actual", (), {"actual_rms_error": 1, "expected_rms_error": 9, "ratio": 9.0}),
        ),
        compare([], []),
        "float32",
    )
    assert "actual is 9 times closer" in report(closer)


def test_comparisons_render_mismatches_specials_and_worst():
    text = report(compare({"a": X, "b": X[:1], "n": torch.tensor([float("nan")])}, {"a": X + 1, "b": X, "n": torch.tensor([1.0])}))
    assert "shape at ['b']: got float32[1, 16], expected float32[8, 16]" in text
    assert "NaN or infinity on just one side, in ['n']: 1 of 1 element" in text
    assert "worst elements" in text
    assert report(compare(X, X)).splitlines()[0].startswith("output")


def test_what_is_no_result_is_refused():
    with pytest.raises(InputError, match="Got int. Needed: a result"):
        report(3)
    with pytest.raises(InputError, match="Got form='poem'"):
        report(compare(X, X), form="poem")


def test_result_finds_evidence_by_kind():
    result = check(lambda x: x * 2.1 + x * 0.9, lambda x: x * 3, (X,))
    assert result.find("noise").kind == "noise"
    assert result.find("flips") is None
    assert halfulp.judge(dataclasses.replace(result).evidence) is result.verdict


@pytest.mark.parametrize(("columns", "widest"), [("80", 80), ("10", 60), ("500", 118), ("", 118), ("x", 118)])
def test_tables_are_as_wide_as_the_terminal(columns, widest, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    result = check(lambda x: x.exp(), lambda x: torch.exp(x) * 1.001, (X,))
    rows = [line for line in report(result).splitlines() if "──" in line]
    assert rows and max(map(len, rows)) <= widest
    table = [line for line in report(result.difference).splitlines() if not line.startswith("These are numbers")]
    assert max(map(len, table)) <= widest


def test_every_kind_fits_80_columns(results, monkeypatch):
    """Tables do; sentences are wrapped by the terminal."""
    from halfulp.documents import KINDS

    monkeypatch.setenv("COLUMNS", "80")
    for kind in KINDS:
        rows = [line for line in report(results[kind]).splitlines() if "──" in line and "┤" not in line]
        assert all(len(line) <= 80 for line in rows), kind


@pytest.mark.parametrize("columns", ["60", "80", "100", "118"])
def test_numbers_are_never_broken_apart(columns, monkeypatch):
    """A table that is too wide goes on below."""
    monkeypatch.setenv("COLUMNS", columns)
    torch.manual_seed(0)
    x = torch.randn(64, 512)
    result = halfulp.check(lambda x: x.flip(1).sum(1), lambda x: x.sum(1), (x,))
    text, difference = halfulp.report(result), result.difference.differences[0]
    for cell in (f"{difference.unequal:,}/{difference.count:,}", f"{difference.max_ulps:,}"):
        assert cell in text
    assert text.count("median ulps") == 1
    table = text.partition("output ")[2].partition("Next:")[0]
    assert max(map(len, table.splitlines())) <= int(columns)


def test_every_kind_of_result_names_its_class_and_who_draws_it():
    from importlib import import_module

    from halfulp.reports import renderer

    for kind, text in renderer._TEXTS.items():
        for package, path in (("halfulp", kind), ("halfulp.reports.text", text)):
            module, _, name = path.rpartition(".")
            assert callable(getattr(import_module(f"{package}.{module}"), name)), path
        module, _, name = kind.rpartition(".")
        assert getattr(import_module(f"halfulp.{module}"), name).__module__ == f"halfulp.{module}"
