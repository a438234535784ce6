"""No child outlives its parent, however that ends, and nothing is left on the disk."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL; jobs there are not tested")

SECONDS = 30.0
"""Within which everything has to be gone: at once, but for a child that is still importing, which takes long beside other work."""

WORKER = """
import os, subprocess, sys, time, torch, cloudpickle
from halfulp.backends.workers.worker import Worker
from halfulp.backends.workers.wire import Message
def hang(x):
    import ctypes, subprocess, sys, time
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    sys.stderr.write(f"child {child.pid}\\n")
    %s
    return x
worker = Worker("torch", sys.executable)
worker.start()
build = Message({"do": "build", "program": 1, "paths": [], "options": {}}, [], cloudpickle.dumps((hang, (torch.ones(3),), {})))
worker.ask(Message({"do": "build", "program": 1, "paths": [], "options": {}}, [], cloudpickle.dumps((lambda x: x, (torch.ones(3),), {}))))
print(worker.process_id, flush=True)
worker.ask(build)
worker.ask(Message({"do": "run", "program": 1}, [torch.ones(3)]))
"""
WAYS = {
    "sleeps": "time.sleep(600)",
    "spins": "\n    while True: pass",
    "holds Python's lock": "ctypes.PyDLL(None).sleep(600)",
}

JOBS = """
import os, sys, time, torch
from halfulp.cases import Case
from halfulp.causes.processes import Job, run_jobs
def hang(x):
    import time
    time.sleep(600)
    return x
own = {"actual": hang, "expected": hang, "inputs": (torch.ones(3),), "keywords": {}, "gradients": False, "seed": 0, "declared": "float32"}
import threading, subprocess
def told():
    time.sleep(4.0)
    print(*subprocess.run(["pgrep", "-P", str(os.getpid())], capture_output=True, text=True).stdout.split(), flush=True)
threading.Thread(target=told, daemon=True).start()
run_jobs(own, [Job("one"), Job("two")])
"""


def lives(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def descendants(process):
    found, waiting = [], [process]
    while waiting:
        children = subprocess.run(["pgrep", "-P", str(waiting.pop())], capture_output=True, text=True, check=False).stdout.split()
        found += map(int, children)
        waiting += map(int, children)
    return found


def left(processes, seconds=SECONDS):
    deadline = time.monotonic() + seconds
    while any(map(lives, processes)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return [process for process in processes if lives(process)]


def killed(program, folder, number, wait):
    """Start a program, wait until its children are there, end it with a signal; the children that are left, and the files."""
    environment = {**os.environ, "TMPDIR": str(folder), "OMP_NUM_THREADS": "1"}
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    assert parent.stdout.readline().split()
    time.sleep(wait)
    children = descendants(parent.pid)
    assert children
    try:
        parent.send_signal(number)
        parent.communicate(timeout=10)
        return left(children), [path.name for path in folder.iterdir() if "halfulp" in path.name or path.name.startswith("tmp")]
    finally:
        for child in children:
            if lives(child):
                os.kill(child, signal.SIGKILL)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="children are looked for in /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("way", WAYS)
def test_a_hanging_worker_ends_with_its_parent(way, number, tmp_path):
    assert killed(WORKER % WAYS[way], tmp_path, number, 1.0) == ([], [])


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="children are looked for in /proc")
def test_fresh_processes_end_with_their_parent(tmp_path):
    assert killed(JOBS, tmp_path, signal.SIGKILL, 0.5) == ([], [])


def test_without_a_parent_that_holds_it_there_is_nothing_to_follow(monkeypatch):
    from halfulp.process import lifeline

    monkeypatch.delenv(lifeline.VARIABLE, raising=False)
    lifeline.follow()
    monkeypatch.setenv(lifeline.VARIABLE, "nonsense")
    lifeline.follow()
    assert not [each for each in threading.enumerate() if each.name == "halfulp-lifeline"]


def test_a_child_that_is_ended_takes_its_children_along(tmp_path):
    from halfulp.process import lifeline

    program = "import subprocess, sys; c = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); print(c.pid, flush=True); c.wait()"
    with tempfile.TemporaryFile() as log:
        process = lifeline.start([sys.executable, "-c", program], environment=os.environ, stdout=subprocess.PIPE, stderr=log)
        child = int(process.stdout.readline())
        lifeline.end(process)
        process.stdout.close()
    assert left([process.pid, child]) == []
