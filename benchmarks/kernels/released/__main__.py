"""Are the Triton kernels that packages release right, as `halfulp kernel` sees them in Triton's interpreter?

A folder for each kernel: `problem.py` says in PyTorch what it is to compute, `solution.py` calls it as a user does. What is wrong and stands
on a page under docs/found is named in `FOUND`; any other that is rejected is a false accusation, or a find to be looked at.
The packages are installed without their dependencies into a folder of their own, pinned. One kernel is judged on each processor at a time.

    python -m benchmarks.kernels.released [--only NAME] [--every N] [--budget S]
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from halfulp.backends.workers.environments import environment_of, home
from halfulp.kernels import judge
from halfulp.kernels.budget import BUDGET_S

PACKAGES = ("liger-kernel==0.8.5", "fla-core==0.6.0", "conch-triton-kernels==1.3", "einops==0.8.2")
"""Released in 2026; the last is what the second imports."""
FOUND = (
    "conch/gelu_tanh_and_mul", "conch/int8_quant", "fla/logsigmoid", "liger_kernel/cross_entropy", "liger_kernel/fused_ce_tvd",
    "liger_kernel/fused_linear_cross_entropy", "liger_kernel/group_norm", "liger_kernel/llama4_rope", "liger_kernel/multi_token_attention", "liger_kernel/qwen2vl_mrope",
    "liger_kernel/rope",
)  # fmt: skip
"""What is wrong, and was looked at: docs/found says how."""


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only kernels whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="only every so many kernels")
    parser.add_argument("--budget", type=float, default=BUDGET_S, help="seconds for each")
    options = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join((str(installed()), *filter(None, [os.environ.get("PYTHONPATH")])))
    folders = [path.parent for path in sorted(Path(__file__).parent.glob("*/*/solution.py"))]
    chosen = [folder for folder in folders if options.only in f"{folder.parent.name}/{folder.name}"][options.every - 1 :: options.every]
    names = [f"{folder.parent.name}/{folder.name}" for folder in chosen]
    right, found, other, seconds = 0, 0, 0, []
    start = time.monotonic()
    pool = ThreadPoolExecutor(os.cpu_count() or 1)
    results = pool.map(lambda folder: judge(folder / "problem.py", folder / "solution.py", budget_s=options.budget), chosen)
    for done, (name, result) in enumerate(zip(names, results), 1):
        seconds.append(result.seconds)
        known, rejected = name in FOUND, result.acceptable is False
        right, found, other = right + (result.acceptable is True), found + (known and rejected), other + (rejected and not known)
        more = "" if result.acceptable else f": {result.because[:300]}{'' if known else '  [not looked at yet]'}"
        left = (time.monotonic() - start) / done * (len(chosen) - done)
        print(
            f"{name} is {result.answer}{more} ({len(result.asked)} questions, {result.seconds:.0f} s; {left / 60:.0f} min left)", flush=True
        )
    print(f"figure kernels {len(chosen)} count")
    print(f"figure right {right} count")
    print(f"figure faults_that_are_on_a_page {found} count")
    print(f"figure rejected_and_on_no_page {other} count")
    print(f"figure faults_that_were_missed {sum(name in FOUND for name in names) - found} count")
    print(f"figure median_seconds {statistics.median(seconds):.1f} s")
    sys.exit(int(other > 0))


def installed() -> Path:
    """The folder with the packages; they are installed where they are not there yet."""
    python = sys.executable if importlib.util.find_spec("triton") else environment_of("triton").python()
    if python is None:
        sys.exit("Triton is not installed. Its interpreter runs the kernels. Run `halfulp backends install triton` first.")
    folder = home() / "released-kernels"
    listed = folder / "packages.txt"
    if not listed.is_file() or listed.read_text(encoding="utf-8").split() != list(PACKAGES):
        command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target", folder, *PACKAGES]
        subprocess.run([str(part) for part in command], check=True)
        listed.write_text("\n".join(PACKAGES), encoding="utf-8")
    return folder


if __name__ == "__main__":
    main()
