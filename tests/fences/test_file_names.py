"""Files that the code and the guides name are there: a file that is renamed must not be missed in silence."""

import re
from collections import Counter
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


def _twice(folder):
    """Names of test files that stand in `folder` more than once: pytest imports them by name alone, and collects none of the twins."""
    names = Counter(path.name for path in folder.rglob("test_*.py"))
    return [name for name, count in names.items() if count > 1]


def test_names_of_test_files_stand_once(tmp_path):
    assert not _twice(ROOT / "tests")
    for room in ("cases", "kernels"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "test_gradients.py").touch()
    assert _twice(tmp_path) == ["test_gradients.py"]
