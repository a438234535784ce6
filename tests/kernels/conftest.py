"""Settings for the tests of kernels: a right solution is asked until the time is up, which would be minutes of all tests together."""

import pytest

from halfulp.kernels.budget import Budget
from halfulp.kernels.questions import sequences

LONG = sequences.REPEATED_S
RIGHT_S = 6.0
"""For a right solution of a parametrized test: on its small problem that is enough for the questions of the test."""


@pytest.fixture(autouse=True)
def repeated_s(request, monkeypatch):
    """Calls are repeated for a moment; as long as users repeat them where the test is marked `repeated`."""
    monkeypatch.setattr(sequences, "REPEATED_S", LONG if request.node.get_closest_marker("repeated") else LONG / 20)


@pytest.fixture(autouse=True)
def right_s(request, monkeypatch):
    """The budget of a test whose `answer` is RIGHT; the one it asks for where it is marked `whole_budget`."""
    parameters = getattr(getattr(request.node, "callspec", None), "params", {})
    if parameters.get("answer") == "RIGHT" and not request.node.get_closest_marker("whole_budget"):
        begin = Budget.begin

        def sooner(self):
            self.seconds = min(self.seconds, RIGHT_S)
            begin(self)

        monkeypatch.setattr(Budget, "begin", sooner)
