"""What importing and asking for help costs, as ratios to starting Python, and what must not be imported. Each fence can fail."""

import subprocess
import sys
import time

import pytest

START = [sys.executable, "-c", "pass"]
FRAMEWORKS = {"torch", "jax", "onnxruntime", "tensorflow"}


def seconds(command, runs=7):
    """The fastest of several fresh processes: the one that the machine disturbed least."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def modules_after(statement):
    program = f"import sys\n{statement}\nprint(' '.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import halfulp", {"torch", "numpy", "rich", "numba", "typer"}),
        ("import halfulp.cli", {"torch", "numpy", "numba"}),
        ("from halfulp import judge, Verdict, CheckResult, compare, report", {"torch"}),
        ("import halfulp.floats, halfulp.traces, halfulp.differences, halfulp.reports", {"torch", "numba"}),
        (
            "import halfulp.orders, halfulp.ops.formulas, halfulp.ops.deviation, halfulp.verdicts.judgment, halfulp.verdicts.result",
            FRAMEWORKS,
        ),
        (
            "from halfulp import Verdict, CheckResult, compare; "
            "CheckResult(Verdict.IDENTICAL, ('bits',), (), compare([1.0], [1.0]), 'float32').to_json()",
            {"torch", "rich", "halfulp.reports"},
        ),
        ("import halfulp.origins.locator, halfulp.origins.walker, halfulp.origins.hashes, halfulp.origins.nonfinite", FRAMEWORKS),
    ],
)
def test_what_is_not_imported(statement, forbidden):
    assert not forbidden & modules_after(statement)


def test_the_fence_sees_an_import():
    assert "torch" in modules_after("from halfulp import check")


def test_import_costs_less_than_five_starts_of_python():
    # 0.1 s is asked for, where Python starts in 0.011 s: nine starts. Measured: two.
    assert seconds([sys.executable, "-c", "import halfulp"]) < 5 * seconds(START)


def test_help_costs_less_than_27_starts_of_python():
    # 0.3 s is asked for, where Python starts in 0.011 s: 27 starts. Measured: 12 to 14, five of them typer's.
    command = [sys.executable, "-c", "import sys; sys.argv = ['halfulp', '--help']; from halfulp.cli import main; main()"]
    assert seconds(command) < 27 * seconds(START)


def test_the_cost_fence_sees_torch():
    assert seconds([sys.executable, "-c", "import torch"], runs=2) > 27 * seconds(START)
