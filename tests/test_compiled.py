"""Where compiled loops are kept, and when loops are compiled."""

import os
import subprocess
import sys

import pytest

from halfulp import compiled

MODULE = """
from halfulp.compiled import kernel

@kernel(nogil=True)
def doubled(x):
    return 2 * x

print(doubled(4.0), sum(doubled.stats.cache_hits.values()), doubled._cache.cache_path if doubled._cache.__class__.__name__ != "NullCache" else "nowhere")
"""


def started(folder, **environment):
    if not (folder / "loops.py").exists():  # what is kept goes by its time
        (folder / "loops.py").write_text(MODULE)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "HALFULP"))}
    return subprocess.Popen(
        [sys.executable, "loops.py"], cwd=folder, env={**kept, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def said(process):
    out, error = process.communicate()
    assert process.returncode == 0, error
    result, hits, place = out.split()
    assert result == "8.0"
    return int(hits), place


@pytest.mark.parametrize("variable", ["HALFULP_CACHE", "NUMBA_CACHE_DIR"])
def test_compiled_loops_are_kept_where_the_user_says(tmp_path, variable):
    (tmp_path / "cache").mkdir()
    hits, place = said(started(tmp_path, **{variable: str(tmp_path / "cache")}))
    assert not hits and place.startswith(str(tmp_path / "cache"))
    assert said(started(tmp_path, **{variable: str(tmp_path / "cache")}))[0] == 1
    assert not (tmp_path / "__pycache__").exists()


def test_processes_side_by_side_do_each_other_no_harm(tmp_path):
    together = [started(tmp_path, HALFULP_CACHE=str(tmp_path / "cache")) for _ in range(4)]
    for process in together:
        said(process)
    assert said(started(tmp_path, HALFULP_CACHE=str(tmp_path / "cache")))[0] == 1


def test_another_process_is_waited_for_and_then_done_without(tmp_path):
    """While the folder is locked nothing is read or written; the loop runs all the same."""
    import fcntl

    cache = tmp_path / "cache"
    _, place = said(started(tmp_path, HALFULP_CACHE=str(cache)))
    with open(f"{place}/.lock", "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert said(started(tmp_path, HALFULP_CACHE=str(cache)))[0] == 0
    assert said(started(tmp_path, HALFULP_CACHE=str(cache)))[0] == 1


def test_a_folder_that_cannot_be_written_costs_only_the_cache(tmp_path):
    (tmp_path / "taken").write_text("a file")
    assert not said(started(tmp_path, HALFULP_CACHE=str(tmp_path / "taken")))[0]


def test_numba_of_the_user_is_left_alone():
    import numba

    before = numba.config.CACHE_DIR
    compiled.kernel()(lambda x: x)
    assert before == numba.config.CACHE_DIR


def test_only_work_that_outweighs_loading_is_compiled():
    assert not compiled.pays(0.0)
    assert compiled.pays(compiled.LOADING_S)
    assert compiled.pays(1.01 * compiled.LOADING_S / compiled.USES) and not compiled.pays(0.99 * compiled.LOADING_S / compiled.USES)
