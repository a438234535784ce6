"""What must not be imported, and by which command. Each fence can fail. What starting costs is measured by `benchmarks.start_up`."""

import subprocess
import sys

import pytest

FRAMEWORKS = {"torch", "jax", "onnxruntime", "tensorflow"}


def modules_after(statement):
    program = f"import sys\n{statement}\nprint(' '.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import halfulp", {"torch", "numpy", "rich", "numba", "typer"}),
        ("import halfulp.cli", {"torch", "numpy", "numba", "typer"}),
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


CASE = """
import torch
actual = lambda x, w: x @ w.T
expected = torch.nn.functional.linear
inputs = lambda seed: (torch.linspace(-1, 2, 900).reshape(3, 300).sin(), torch.linspace(-2, 1, 900).reshape(3, 300).cos())
"""
RUN = "import sys\nsys.argv = {argv!r}\nfrom halfulp.cli import main\nimport contextlib, io\nwith contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()): main()"
NOT_FOR_SMALL_WORK = {"numba", "llvmlite", "scipy", "pandas", "altair", "jinja2", "torch._dynamo", "torch._inductor", "sympy"}


def modules_of_command(*arguments):
    return modules_after(RUN.format(argv=["halfulp", *map(str, arguments)]))


def test_comparing_two_small_files_loads_only_what_it_needs(tmp_path):
    import numpy as np

    np.save(tmp_path / "a.npy", np.ones(100, np.float32))
    np.save(tmp_path / "b.npy", np.full(100, 1.5, np.float32))
    loaded = modules_of_command("compare", tmp_path / "a.npy", tmp_path / "b.npy")
    assert "halfulp.reports.text.comparisons" in loaded
    assert not loaded & {*NOT_FOR_SMALL_WORK, *FRAMEWORKS, "halfulp.verdicts", "halfulp.origins", "halfulp.cli.check"}


def test_checking_a_small_case_loads_no_compiler(tmp_path):
    (tmp_path / "case.py").write_text(CASE)
    loaded = modules_of_command("check", tmp_path / "case.py")
    assert "halfulp.reports.text.checks" in loaded
    assert not loaded & NOT_FOR_SMALL_WORK


def test_the_fences_of_commands_see_what_is_loaded(tmp_path):
    (tmp_path / "case.py").write_text(f"{CASE}import torch._dynamo\nimport halfulp.compiled\nhalfulp.compiled.LOADING_S = -1\n")
    assert {"numba", "torch._dynamo"} <= modules_of_command("check", tmp_path / "case.py")


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("compare", "--help")])
def test_version_and_help_load_no_framework(arguments):
    assert not modules_of_command(*arguments) & {*NOT_FOR_SMALL_WORK, *FRAMEWORKS, "numpy"}


def test_the_fence_sees_an_import():
    assert "torch" in modules_after("from halfulp import check")
