"""Hostile and damaged input by the thousand: python -m benchmarks.fuzz [COUNT]

Traces are read, located in both orders and reproduced; results are restored, shown and drawn; tensor files are read. The work is done by
processes of their own, which a tracer follows (strace, which sees what C++ opens too): a process that dies is a crash, and a file that is
opened for writing, made, renamed or removed outside of its folder is counted.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import files, results, traces

PARTS = {"traces": (traces, 0.5), "results": (results, 0.4), "files": (files, 0.1)}
"""Each part's share of the mutations."""
BATCH = 1000
MEMORY_BYTES = 6 << 30
"""Address space of a process: PyTorch takes 2 to 3 GB of it before anything is read."""
CHANGES = "openat,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,truncate,link,linkat,symlink,symlinkat,connect,execve"
FOREIGN = re.compile(r"(?:O_WRONLY|O_RDWR|O_CREAT|unlink|rename|mkdir|creat|truncate|link|connect|execve)")


def work(part, begin, end, folder):
    """Try some mutations; a line for each fault, and the figures at the end."""
    folder = Path(folder)
    module = PARTS[part][0]
    tried = module.prepared(folder)
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    used = next(int(line.split()[1]) * 1024 for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmSize"))
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES, resource.RLIM_INFINITY))
    (folder / "begun").touch()
    for number in range(begin, end):
        print("at", number, flush=True)
        kind, outcome = tried(number)
        print("outcome", number, kind, " ".join(outcome.split())[:400], flush=True)
    print("memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base, flush=True)


def traced(command, log):
    tracer = shutil.which("strace")
    return (
        [tracer, "-f", "-qq", "--seccomp-bpf", "-e", f"trace={CHANGES}", "-e", "status=successful", "-o", str(log), *command]
        if tracer
        else command
    )


def touched(log, folder):
    """What was changed outside of the folder once the work had begun."""
    found, begun = [], False
    for line in log.read_text(errors="replace").splitlines():
        begun = begun or f'"{folder / "begun"}"' in line
        names = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
        call = line.split(None, 1)[1].partition("(")[0]
        changes = FOREIGN.search(call) or any(flag in line for flag in ("O_WRONLY", "O_RDWR", "O_CREAT"))
        outside = [name for name in names if name and not name.startswith((str(folder), "/dev/", "/proc/"))]
        if begun and changes and outside:
            found.append(line[:200])
    return found


def batch(part, begin, end):
    """The outcomes of some mutations; a process that dies is started again behind the one that it died of."""
    outcomes, faults, foreign, memory = {"works": 0, "refused": 0}, [], [], 0
    while begin < end:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
            folder, log = Path(name) / "work", Path(name) / "log"
            folder.mkdir()
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.fuzz", "--work", part, str(begin), str(end), str(folder)]
            environment = {**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": str(folder), "HALFULP_CACHE": str(folder / "cache")}
            ran = subprocess.run(traced(command, log), capture_output=True, text=True, check=False, env=environment, timeout=3000)
            foreign += touched(log, folder) if log.exists() else []
        last = begin - 1
        for line in ran.stdout.splitlines():
            word, _, rest = line.partition(" ")
            if word == "at":
                last = int(rest)
            elif word == "memory":
                memory = max(memory, int(rest))
            elif word == "outcome":
                number, kind, outcome = rest.split(" ", 2)
                if outcome in outcomes:
                    outcomes[outcome] += 1
                else:
                    faults.append(f"{part} {number} ({kind}): {outcome}")
        if ran.returncode == 0:
            break
        faults.append(f"{part} {last}: the process ended with {ran.returncode}: {ran.stderr.strip()[-300:]}")
        begin = last + 1
    return outcomes, faults, foreign, memory


def main(count):
    start, total = time.monotonic(), {"works": 0, "refused": 0}
    faults, foreign, memory = [], [], 0
    jobs = [
        (part, begin, min(begin + BATCH, int(count * share)))
        for part, (_, share) in PARTS.items()
        for begin in range(0, int(count * share), BATCH)
    ]
    done = 0
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1))) as pool:
        for (part, begin, end), (outcomes, new, beyond, grown) in zip(jobs, pool.map(lambda job: batch(*job), jobs)):
            total = {key: total[key] + outcomes[key] for key in total}
            faults += new
            foreign += beyond
            memory = max(memory, grown)
            done += end - begin
            left = (time.monotonic() - start) / done * (count - done)
            print(f"{part}: {done:,} of {count:,}, {len(faults)} faults, {left / 60:.0f} minutes left", file=sys.stderr, flush=True)
    for each in (*faults[:40], *foreign[:40]):
        print(each)
    if shutil.which("strace") is None:
        print("strace is not installed: files were not watched.")
    print(f"figure fuzz_tried {done} mutations")
    print(f"figure fuzz_refused_in_one_line {total['refused']} mutations")
    print(f"figure fuzz_work {total['works']} mutations")
    print(f"figure fuzz_crashed {len(faults)} mutations")
    if shutil.which("strace") is not None:
        print(f"figure fuzz_files_touched_outside {len(foreign)} files")
    print(f"figure fuzz_peak_memory {memory / 1024:.0f} MiB")
    return 1 if faults or foreign else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    else:
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000))
