"""Whatever passes the schema has words and a page, and nothing in it acts on a terminal, a CI log or a browser."""

import random
import traceback

import pytest
from benchmarks.fuzz.results import changed, documents_of, outcome_of, verdicts_exchanged

from halfulp.documents import KINDS
from halfulp.documents.reader import restored
from halfulp.errors import InputError

MUTATIONS = 60
"""For each kind of result; `python -m benchmarks.fuzz` tries thousands."""


@pytest.fixture(scope="module")
def documents(results):
    return documents_of(results)


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_results_are_refused_in_one_line_or_shown(kind, documents):
    document, scripts = documents[kind]
    faults, outcomes = [], {"works": 0, "refused": 0}
    for count in range(MUTATIONS):
        draw = random.Random(f"{kind} {count}")
        changes = verdicts_exchanged if count % 3 == 0 else changed
        try:
            found = outcome_of(changes(document, draw), draw, scripts)
        except Exception as error:
            own = [each for each in traceback.extract_tb(error.__traceback__) if "halfulp/" in each.filename]
            found = f"{type(error).__name__}: {str(error)[:100]} at {own[-1].filename.rpartition('/')[2]}:{own[-1].lineno}"
        if found in outcomes:
            outcomes[found] += 1
        else:
            faults.append((count, found))
    assert not faults, faults[:8]
    assert outcomes["works"] > 5, outcomes


@pytest.mark.parametrize("depth", [120, 500, 900])
def test_deep_documents_are_refused_in_one_line(depth, documents):
    document, _ = documents["check"]
    deep = []
    for _ in range(depth):
        deep = [deep]
    with pytest.raises(InputError, match="nested more than"):
        restored("check", {**document, "x": deep})
