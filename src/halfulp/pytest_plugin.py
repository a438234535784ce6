"""pytest plugin: the `halfulp` fixture, --halfulp-report and --halfulp-verbose. Imports nothing heavy until a test uses it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .verdicts import CheckResult

DTYPES = ("float32", "float16", "bfloat16")
"""What `halfulp_dtype` runs through where the mark names none: the formats that kernels are written for."""
SHAPES = ((4, 8), (1, 1), (3, 17), (33, 65))
"""The same of `halfulp_shape`: even, smallest, and odd ones, where tails and borders show."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """--halfulp-report=DIR keeps the result of every check of the fixture; --halfulp-verbose prints all of a failed one."""
    group = parser.getgroup("halfulp")
    group.addoption(
        "--halfulp-report", metavar="DIR", default=None, help="Write the result of every check of the halfulp fixture to DIR, as JSON."
    )
    group.addoption(
        "--halfulp-verbose", action="store_true", default=False, help="Print the evidence and the numbers of a failed check as well."
    )


def pytest_configure(config: pytest.Config) -> None:
    """The mark that says which dtypes and shapes the fixtures run through."""
    config.addinivalue_line(
        "markers", "halfulp(dtypes=..., shapes=...): the dtypes of the fixture halfulp_dtype and the shapes of halfulp_shape."
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each dtype and shape that the mark names; the usual ones where it names none."""
    mark = metafunc.definition.get_closest_marker("halfulp")
    chosen: dict[str, Any] = dict(mark.kwargs) if mark is not None else {}
    if "halfulp_dtype" in metafunc.fixturenames:
        names = [str(dtype).removeprefix("torch.") for dtype in chosen.get("dtypes", DTYPES)]
        metafunc.parametrize("halfulp_dtype", names, indirect=True)
    if "halfulp_shape" in metafunc.fixturenames:
        shapes = [tuple(shape) for shape in chosen.get("shapes", SHAPES)]
        metafunc.parametrize("halfulp_shape", shapes, indirect=True, ids=["x".join(map(str, shape)) or "scalar" for shape in shapes])


class Checker:
    """`check` and `assert_equivalent` for one test; results are kept, and written where --halfulp-report says.

    Args:
        test: the test's node id. folder: where results go, None to write none. failures: where the result of a failed check goes.
        verbose: whether a failure prints its evidence too.
    """

    def __init__(self, test: str, folder: Path | None, failures: Path | None = None, *, verbose: bool = False) -> None:
        self.test = test
        self.folder = folder
        self.failures = failures
        self.verbose = verbose
        self.results: list[CheckResult] = []

    def check(self, actual: Callable[..., Any], expected: Callable[..., Any], inputs: Any, **options: Any) -> CheckResult:
        """`halfulp.check`, with the result kept."""
        import halfulp

        result = halfulp.check(actual, expected, inputs, **options)
        self.results.append(result)
        if self.folder is not None:
            self._write(self.folder, result)
        return result

    def assert_equivalent(self, actual: Callable[..., Any], expected: Callable[..., Any], inputs: Any, **options: Any) -> CheckResult:
        """`halfulp.assert_equivalent`, with the result kept also when it fails."""
        __tracebackhide__ = True
        from .verdicts.assertion import accept

        result = self.check(actual, expected, inputs, **options)
        folder = self.folder or self.failures
        kept = ""
        if not result.acceptable and folder is not None:
            file = self._write(folder, result)
            kept = f"All evidence: halfulp report {file}" + ("" if self.verbose else "   (or pytest --halfulp-verbose)")
        return accept(result, form="full" if self.verbose else "assertion", after=kept)

    def _write(self, folder: Path, result: CheckResult) -> Path:
        from .files import write_file

        # The node id names the test whichever worker runs it, so parallel runs write different files.
        name = re.sub(r"[^\w.-]+", "_", self.test).strip("_")[-150:]
        file = folder / f"{name}.{len(self.results)}.json"
        write_file(file, result.to_json() + "\n")
        return file


@pytest.fixture
def halfulp(request: pytest.FixtureRequest) -> Checker:
    """Rounding or mistake? `halfulp.assert_equivalent(actual, expected, inputs)` fails unless the difference is acceptable."""
    folder = request.config.getoption("--halfulp-report")
    return Checker(
        request.node.nodeid,
        Path(folder) if folder else None,
        _kept_failures(request.config),
        verbose=bool(request.config.getoption("--halfulp-verbose")),
    )


def _kept_failures(config: pytest.Config) -> Path | None:
    """Where pytest keeps what a plugin has to keep between runs; None where its cache is turned off."""
    cache = getattr(config, "cache", None)
    if cache is None:
        return None
    folder = Path(cache.mkdir("halfulp"))
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder


@pytest.fixture
def halfulp_dtype(request: pytest.FixtureRequest) -> Any:
    """A dtype of PyTorch; the test runs once for each that `@pytest.mark.halfulp(dtypes=...)` names, or float32, float16 and bfloat16."""
    import torch

    return getattr(torch, request.param)


@pytest.fixture
def halfulp_shape(request: pytest.FixtureRequest) -> tuple[int, ...]:
    """A shape; the test runs once for each that `@pytest.mark.halfulp(shapes=...)` names, or even, odd and smallest ones."""
    return request.param
