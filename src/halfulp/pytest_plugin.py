"""pytest plugin: the `halfulp` fixture and --halfulp-report=DIR. Imports nothing heavy until a test uses it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .verdicts import CheckResult


def pytest_addoption(parser: pytest.Parser) -> None:
    """--halfulp-report=DIR keeps the result of every check that a test makes through the fixture."""
    parser.getgroup("halfulp").addoption(
        "--halfulp-report", metavar="DIR", default=None, help="Write the result of every check of the halfulp fixture to DIR, as JSON."
    )


class Checker:
    """`check` and `assert_equivalent` for one test; results are kept, and written where --halfulp-report says.

    Args:
        test: the test's node id. folder: where results go, None to write none.
    """

    def __init__(self, test: str, folder: Path | None) -> None:
        self.test = test
        self.folder = folder
        self.results: list[CheckResult] = []

    def check(self, actual: Callable[..., Any], expected: Callable[..., Any], inputs: Any, **options: Any) -> CheckResult:
        """`halfulp.check`, with the result kept."""
        import halfulp

        return self._kept(halfulp.check(actual, expected, inputs, **options))

    def assert_equivalent(self, actual: Callable[..., Any], expected: Callable[..., Any], inputs: Any, **options: Any) -> CheckResult:
        """`halfulp.assert_equivalent`, with the result kept also when it fails."""
        __tracebackhide__ = True
        from .verdicts.assertion import accept

        return accept(self.check(actual, expected, inputs, **options))

    def _kept(self, result: CheckResult) -> CheckResult:
        from .files import write_file

        self.results.append(result)
        if self.folder is not None:
            # The node id names the test whichever worker runs it, so parallel runs write different files.
            name = re.sub(r"[^\w.-]+", "_", self.test).strip("_")[-150:]
            write_file(self.folder / f"{name}.{len(self.results)}.json", result.to_json() + "\n")
        return result


@pytest.fixture
def halfulp(request: pytest.FixtureRequest) -> Checker:
    """Rounding or mistake? `halfulp.assert_equivalent(actual, expected, inputs)` fails unless the difference is acceptable."""
    folder = request.config.getoption("--halfulp-report")
    return Checker(request.node.nodeid, Path(folder) if folder else None)
