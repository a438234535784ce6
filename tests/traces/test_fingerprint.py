import json
import subprocess
import sys

import torch
from benchmarks.verdicts.rewrites import onednn

from halfulp.traces import Fingerprint, fingerprint


def test_says_what_decides_the_bits():
    found = fingerprint()
    assert found.sections["packages"]["torch"].partition("+")[0] == torch.__version__.partition("+")[0]
    assert found.sections["torch"]["threads"].startswith(str(torch.get_num_threads()))
    assert json.loads(found.to_json())["schema"] == 1


def test_differences_name_section_and_both_values():
    here = Fingerprint({"torch": {"threads": "1", "BLAS": "MKL"}}, ())
    there = Fingerprint({"torch": {"threads": "2"}, "machine": {"cores": "2"}}, ())
    assert here.differences(there) == [
        ("torch: BLAS", "MKL", "-"),
        ("torch: threads", "1", "2"),
        ("machine: cores", "-", "2"),
    ]  # most likely culprits first
    assert here.differences(here) == []


def test_settings_that_surprise_are_found():
    torch.set_float32_matmul_precision("medium")
    try:
        assert any("float32 matmul precision is 'medium'" in surprise for surprise in fingerprint().surprises)
    finally:
        torch.set_float32_matmul_precision("highest")
    with onednn(False):
        assert any("oneDNN is off" in surprise for surprise in fingerprint().surprises) == torch.backends.nnpack.is_available()


def test_flushed_subnormals_are_found_in_a_process_of_their_own():
    program = "import torch; torch.set_flush_denormal(True); torch.set_default_dtype(torch.float64)\nfrom halfulp.traces import fingerprint\nprint(fingerprint().surprises)"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    if torch.set_flush_denormal(False):  # False where the processor can't
        assert "flushes subnormal numbers" in out
    assert "The default dtype is torch.float64" in out


def test_frameworks_that_are_not_loaded_are_not_imported():
    program = "import sys\nfrom halfulp.traces import fingerprint\nfound = fingerprint()\nassert 'torch' not in sys.modules\nassert 'torch' not in found.sections\nprint(found.sections['packages']['torch'])"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.strip().partition("+")[0] == torch.__version__.partition("+")[0]
