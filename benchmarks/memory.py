"""How much memory a check takes beside the inputs, in units of one output: python -m benchmarks.memory [ELEMENTS ...]

Each size and each pair runs in a process of its own, which samples what it holds (the resident set, as the system counts it) every 5 ms.
"""

import subprocess
import sys

CHILD = """
import sys, threading, time, warnings
warnings.simplefilter("ignore")
import torch
torch.set_num_threads(1)
import halfulp
n, name = int(float(sys.argv[1])), sys.argv[2]
pairs = {
    "rounding": (lambda x: torch.exp(x) / 3, lambda x: torch.exp(x) * (1 / 3)),
    "mistake": (lambda x: torch.exp(x) * (1 + 1e-5), lambda x: torch.exp(x)),
}
halfulp.check(*pairs[name], (torch.randn(300),))  # what is loaded once
x = torch.randn(n, generator=torch.Generator().manual_seed(0))
def held():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
before, peak, over = held(), [0], threading.Event()
def watch():
    while not over.is_set():
        peak[0] = max(peak[0], held())
        time.sleep(0.005)
watcher = threading.Thread(target=watch)
watcher.start()
start = time.perf_counter()
verdict = halfulp.check(*pairs[name], (x,)).verdict.name
over.set()
watcher.join()
print(verdict, (peak[0] - before) / (4.0 * n), (peak[0] - before) / 1e9, time.perf_counter() - start)
"""

MANY = """
import time, torch, halfulp
torch.set_num_threads(1)
halfulp.check(lambda x: [x] * 3, lambda x: [x + 0] * 3, (torch.ones(1),))
for n in (1_000, 10_000):
    start = time.perf_counter()
    halfulp.check(lambda x: [x] * n, lambda x: [x + 0] * n, (torch.ones(1),))
    print(n, time.perf_counter() - start)
"""


def main(sizes):
    for size in sizes:
        for name in ("rounding", "mistake"):
            ran = subprocess.run([sys.executable, "-c", CHILD, size, name], capture_output=True, text=True, check=True)
            verdict, outputs, gigabytes, seconds = ran.stdout.split()[-4:]
            print(f"{float(size):,.0f} elements, {name}: {verdict}, {float(gigabytes):.2f} GB beside the input, {float(seconds):.1f} s")
            print(f"figure check_memory_{name}_{size} {float(outputs):.1f} outputs")
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", MANY], capture_output=True, text=True, check=True)
    for line in ran.stdout.splitlines():
        count, seconds = line.split()
        print(f"figure check_of_{count}_outputs {float(seconds):.2f} s")


if __name__ == "__main__":
    main(sys.argv[1:] or ["1e6", "2e7", "1e8"])
