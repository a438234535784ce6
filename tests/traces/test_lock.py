"""One name has one writer, and what is no unfinished trace is never removed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import torch

from halfulp.errors import TraceError
from halfulp.recording import Recorder, record
from halfulp.traces import lock, read_trace, writer
from halfulp.traces.lock import LOCK

SLOW = """
import sys, time, torch
from halfulp.recording import record
def slow(x):
    y = x.exp()
    print("begun", flush=True)
    time.sleep(float(sys.argv[2]))
    return y + 1
record(slow, torch.ones(3), sys.argv[1], level="tensors")
"""


def started(path, seconds):
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(path), str(seconds)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    return process


def test_a_folder_that_is_no_trace_is_never_removed(tmp_path):
    folder = tmp_path / "mine.trace.partial"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(TraceError, match="not an unfinished trace"):
        record(torch.exp, torch.ones(3), tmp_path / "mine.trace")
    assert (folder / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("extra", ["thesis.txt", "shard-1.safetensors"])
def test_a_file_beside_an_unfinished_trace_keeps_it(extra, tmp_path):
    with pytest.raises(ZeroDivisionError), Recorder(tmp_path / "t"):
        raise ZeroDivisionError
    (tmp_path / "t.partial" / extra).write_text("mine")
    with pytest.raises(TraceError, match="not an unfinished trace"):
        record(torch.exp, torch.ones(3), tmp_path / "t")
    assert (tmp_path / "t.partial" / extra).read_text() == "mine"


def test_a_complete_trace_of_a_partial_name_is_kept(tmp_path):
    record(torch.exp, torch.ones(3), tmp_path / "t").path.rename(tmp_path / "t.partial")
    with pytest.raises(TraceError, match="not an unfinished trace"):
        record(torch.exp, torch.ones(3), tmp_path / "t")
    assert read_trace(tmp_path / "t.partial").ops


def test_a_second_process_is_refused_and_told_who_writes(tmp_path):
    first = started(tmp_path / "two.trace", 2.0)
    with pytest.raises(TraceError, match=f"process {first.pid} is writing"):
        record(torch.exp, torch.ones(3), tmp_path / "two.trace")
    first.communicate(timeout=60)
    assert first.returncode == 0
    trace = read_trace(tmp_path / "two.trace")
    assert not trace.is_partial and [trace.stored(n) is not None for n in trace.named.values()]
    assert not list(tmp_path.glob("*partial*")) and not (tmp_path / "two.trace" / LOCK).exists()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_the_lock_of_a_killed_process_holds_nothing(tmp_path):
    first = started(tmp_path / "t", 60.0)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert (tmp_path / "t.partial" / LOCK).exists()
    assert not record(torch.exp, torch.ones(3), tmp_path / "t").is_partial


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs the start times of processes")
def test_a_later_process_of_the_same_number_holds_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), Recorder(tmp_path / "t"):
        raise ZeroDivisionError
    lock = {"process": os.getppid(), "started": "1", "machine": os.uname().nodename}
    (tmp_path / "t.partial" / LOCK).write_text(json.dumps(lock))
    assert not record(torch.exp, torch.ones(3), tmp_path / "t").is_partial


@pytest.mark.parametrize("text", ["{}", "nonsense", json.dumps({"process": 1, "started": "1", "machine": "elsewhere"})])
def test_the_lock_of_another_machine_is_respected(text, tmp_path):
    with pytest.raises(ZeroDivisionError), Recorder(tmp_path / "t"):
        raise ZeroDivisionError
    (tmp_path / "t.partial" / LOCK).write_text(text)
    with pytest.raises(TraceError, match="is writing"):
        record(torch.exp, torch.ones(3), tmp_path / "t")


def test_of_many_threads_one_writes(tmp_path):
    outcomes, gate = [], threading.Barrier(8)

    def write():
        gate.wait()
        try:
            outcomes.append(record(lambda x: (time.sleep(0.2), x.exp())[1], torch.ones(3), tmp_path / "t"))
        except TraceError as error:
            outcomes.append(error)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for each in threads:
        each.join()
    made = [outcome for outcome in outcomes if not isinstance(outcome, TraceError)]
    assert len(made) == 1 and len(outcomes) == 8
    assert not read_trace(tmp_path / "t").is_partial


def test_a_recording_that_ends_between_the_question_and_the_claim_is_kept(tmp_path, monkeypatch):
    def late(folder, is_left_over):
        claim = lock.claimed(folder, is_left_over)
        (tmp_path / "t").mkdir()
        (tmp_path / "t" / "manifest.json").write_text("{}")
        return claim

    monkeypatch.setattr(writer, "claimed", late)
    with pytest.raises(TraceError, match="which exists"):
        record(torch.exp, torch.ones(3), tmp_path / "t")
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


HURRIED = """
import sys, time, torch
from pathlib import Path
from halfulp.traces import lock
from halfulp.errors import TraceError
started = lock._started
def slow(process):
    time.sleep(0.2)
    return started(process)
lock._started = slow
print("ready", flush=True)
sys.stdin.readline()
try:
    lock.claimed(Path(sys.argv[1]), lambda folder: True)
    print("mine", flush=True)
    sys.stdin.readline()
except TraceError:
    print("taken", flush=True)
"""


@pytest.mark.parametrize("left_over", [False, True])
def test_a_folder_without_its_lock_yet_is_not_taken_for_a_left_over(left_over, tmp_path, monkeypatch):
    if left_over:
        (tmp_path / "t").mkdir()
    started = lock._started
    monkeypatch.setattr(lock, "_started", lambda process: (time.sleep(0.05), started(process))[1])
    outcomes, gate = [], threading.Barrier(8)

    def claim():
        gate.wait()
        try:
            outcomes.append(lock.claimed(tmp_path / "t", lambda folder: True))
        except TraceError as error:
            outcomes.append(str(error))

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused = [outcome for outcome in outcomes if isinstance(outcome, str)]
    assert len(outcomes) == 8 and len(refused) == 7
    assert all("which this process is writing" in outcome for outcome in refused)


@pytest.mark.skipif(os.name == "nt", reason="a folder can't be locked on Windows")
@pytest.mark.parametrize("left_over", [False, True])
def test_of_many_processes_one_writes(left_over, tmp_path):
    if left_over:
        (tmp_path / "t").mkdir()
    command = [sys.executable, "-c", HURRIED, str(tmp_path / "t")]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.stdout.readline() for process in processes]  # the winner keeps it until its input ends
    for process in processes:
        process.communicate(timeout=60)
    assert sorted(said) == ["mine\n"] + ["taken\n"] * 3


@pytest.mark.skipif(os.name == "nt", reason="a folder can't be locked on Windows")
def test_a_parent_folder_that_somebody_else_locks_is_written_to(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(lock, "PATIENCE", 0.05)
    handle = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert not record(torch.exp, torch.ones(3), tmp_path / "t").is_partial
    finally:
        os.close(handle)


FULL = """
import resource, signal, sys, torch
from halfulp.recording import record
from halfulp.errors import TraceError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
try:
    record(lambda x: [x := x.exp().clamp(max=1.0) for _ in range(50)][-1], torch.ones(50_000), sys.argv[1], level="tensors")
except TraceError as error:
    print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_full_disk_is_one_line_and_leaves_what_was_recorded(tmp_path):
    ran = subprocess.run([sys.executable, "-c", FULL, str(tmp_path / "t")], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("Got an error while writing") and len(ran.stdout.splitlines()) == 1
    trace = read_trace(tmp_path / "t")
    assert trace.is_partial and len(trace.ops) > 5


def test_a_writer_of_another_machine_is_gone_when_it_has_been_silent(tmp_path):
    said = {"process": 7, "started": "x", "machine": "another"}
    (tmp_path / LOCK).write_text(json.dumps(said))
    assert lock.holder(tmp_path) == "process 7 on 'another'"
    long_ago = time.time() - lock.STALE_S - 1
    os.utime(tmp_path / LOCK, (long_ago, long_ago))
    assert lock.holder(tmp_path) == ""
    own = lock.taken(tmp_path)
    assert isinstance(own, lock.Lock) and lock.taken(tmp_path) == "this process"
    own.release()


def test_a_held_lock_is_said_to_be_held_again_and_again(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "BEAT_S", 0.01)
    lock._beat.cache_clear()
    own = lock.Lock(tmp_path)
    os.utime(tmp_path / LOCK, (0, 0))
    given_up = time.monotonic() + 10
    while (tmp_path / LOCK).stat().st_mtime < 1 and time.monotonic() < given_up:
        time.sleep(0.01)
    assert (tmp_path / LOCK).stat().st_mtime > 1
    own.release()
