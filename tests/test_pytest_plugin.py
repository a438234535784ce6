import json
import subprocess
import sys

import halfulp
from halfulp import Verdict

pytest_plugins = ["pytester"]

TESTS = """
import torch

def test_good(halfulp):
    x = torch.randn(8, 64)
    result = halfulp.assert_equivalent(lambda x: sum(x.unbind(1)), lambda x: sum(x.flip(1).unbind(1)), (x,))
    assert result.acceptable

def test_bad(halfulp):
    halfulp.assert_equivalent(lambda x: x * 1.001, lambda x: x * 1.0, (torch.randn(5),))

def test_two(halfulp):
    assert halfulp.check(torch.relu, torch.relu, (torch.ones(2),)).verdict.name == "IDENTICAL"
    assert len(halfulp.results) == 1
"""


def run(pytester, *arguments):
    pytester.makepyfile(TESTS)
    return pytester.runpytest_subprocess(*arguments)


def test_fixture_and_failure_text(pytester):
    result = run(pytester)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*MISTAKE: the two compute different functions (not acceptable)*",
            "*Next, to find the cause: halfulp.explain*",
            "*All evidence: halfulp report *.json*",
        ]
    )
    result.stdout.no_fnmatch_line("*worst elements*")
    result.stdout.no_fnmatch_line("*assertion.py*")  # the traceback ends in the test


def test_reports_are_kept_also_of_failures_and_under_xdist(pytester):
    result = run(pytester, "--halfulp-report=kept", "-n", "2")
    result.assert_outcomes(passed=2, failed=1)
    files = sorted((pytester.path / "kept").iterdir())
    assert len(files) == 3
    verdicts = {json.loads(file.read_text())["verdict"] for file in files}
    assert verdicts == {"ROUNDING", "MISTAKE", "IDENTICAL"}
    assert any("test_bad" in file.name for file in files)


def test_nothing_heavy_is_imported_at_collection(pytester):
    pytester.makepyfile("import sys\ndef test_light(): assert not {'torch', 'numpy', 'numba'} & set(sys.modules)")
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest").assert_outcomes(passed=1)


def test_the_plugin_is_an_entry_point():
    program = "from importlib.metadata import entry_points; print([e.value for e in entry_points(group='pytest11') if e.name == 'halfulp'])"
    assert "halfulp.pytest_plugin" in subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_a_verbose_failure_says_everything(pytester):
    assert "worst elements" in run(pytester, "--halfulp-verbose").stdout.str()
    assert "worst elements" not in run(pytester).stdout.str()


def test_a_failure_leaves_its_result_where_the_text_says(pytester):
    run(pytester)
    (kept,) = (pytester.path / ".pytest_cache" / "d" / "halfulp").glob("*.json")
    assert halfulp.read_result(kept).verdict is Verdict.MISTAKE


def test_dtypes_and_shapes_by_fixture(pytester):
    pytester.makepyfile(
        """
        import pytest, torch

        @pytest.mark.halfulp(dtypes=["float32", torch.bfloat16], shapes=[(2, 3)])
        def test_named(halfulp, halfulp_dtype, halfulp_shape):
            assert halfulp.check(torch.relu, lambda x: x.clamp(min=0), (torch.randn(halfulp_shape, dtype=halfulp_dtype),))

        def test_usual(halfulp_dtype, halfulp_shape):
            assert torch.zeros(halfulp_shape, dtype=halfulp_dtype).dtype == halfulp_dtype
        """
    )
    result = pytester.runpytest_subprocess("-v", "--strict-markers")
    result.assert_outcomes(passed=2 + 3 * 4)
    result.stdout.fnmatch_lines(["*test_named*bfloat16*"])
