"""Files that the code and the guides name are there: a file that is renamed must not be missed in silence."""

import re
from pathlib import Path

import pytest

import halfulp
from halfulp.process import border
from halfulp.recording import names

PACKAGE = Path(halfulp.__file__).parent
ROOT = PACKAGE.parents[1]
GUIDES = ("CONTRIBUTING.md", "docs/architecture.md")


def test_files_in_which_the_users_function_is_called():
    assert all((PACKAGE / name).is_file() for name in border._CALLERS)
    assert all(Path(name).is_file() for name in names._CALLERS)


@pytest.mark.parametrize("guide", GUIDES)
def test_files_that_a_guide_names(guide):
    known = {path.name for folder in ("src", "tests", "benchmarks", "docs", "examples") for path in (ROOT / folder).rglob("*.py")}
    named = re.findall(r"`(?:[a-z_]+/)*([a-z_]+\.py)`", (ROOT / guide).read_text(encoding="utf-8"))
    assert named
    assert not set(named) - known
