"""A fork server: what it forks is as if it had been started by itself, only sooner, and none of it outlives who asked."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from halfulp.process.fork_server import Forked, ForkServer

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux has a fork server")

MODULE = """
import ctypes, json, os, random, subprocess, sys, tempfile, threading

def main(*arguments):
    print(json.dumps({
        "arguments": arguments, "folder": os.getcwd(), "own": os.environ.get("OWN"), "shared": os.environ.get("SHARED"),
        "temporary": tempfile.gettempdir(), "session": os.getsid(0) == os.getpid(), "threads": threading.active_count(),
        "files": sorted(int(name) for name in os.listdir("/proc/self/fd")), "random": random.random(), "path": sys.path[0],
    }), flush=True)
    line = sys.stdin.readline().strip()
    if line == "raise":
        raise ValueError("said so")
    if line == "abort":
        os.abort()
    if line == "hold":
        ctypes.PyDLL(None).sleep(600)
    if line == "leave":
        print(subprocess.Popen(["sleep", "600"]).pid, flush=True)
        line = ""
    if line:
        sys.exit(int(line))
"""
SECONDS = 30.0


@pytest.fixture
def server(tmp_path, monkeypatch):
    (tmp_path / "forked_program.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]))
    found = ForkServer(sys.executable, ["json", "numpy"], {"SHARED": "with the server", "OPENBLAS_NUM_THREADS": "1"})
    yield found
    found.close()


def told(process: Forked, says: str = "") -> dict:
    import json

    with process.stdout:
        found = json.loads(process.stdout.readline())
    process.stdin.write(f"{says}\n".encode())
    process.stdin.close()
    return found


def start(server: ForkServer, *arguments: str, **own: str) -> Forked:
    with tempfile.TemporaryFile() as errors:
        process = server.start("forked_program", arguments, environment=own, stderr=errors)
    assert process is not None
    return process


def test_a_process_has_what_one_that_is_started_by_itself_has(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    process = start(server, "one", "two", OWN="its own", TMPDIR=str(tmp_path))
    found = told(process)
    assert process.wait(SECONDS) == 0
    assert found["arguments"] == ["one", "two"]
    assert (found["own"], found["shared"]) == ("its own", "with the server")
    assert found["folder"] == found["temporary"] == found["path"] == str(tmp_path)
    assert found["session"]
    assert found["threads"] == 1


def test_it_holds_no_file_of_the_server_nor_of_another(server):
    """Whoever held the pipe of another could answer in its name."""
    others = [start(server) for _ in range(3)]
    found = told(start(server))
    assert len(found["files"]) <= 5, "three standard ones, the lifeline, and the folder that is being listed"
    for other in others:
        told(other)
        assert other.wait(SECONDS) == 0


@pytest.mark.parametrize(("says", "code"), {"3": 3, "raise": 1, "abort": -signal.SIGABRT, "": 0}.items())
def test_how_it_ended_is_told(server, says, code):
    process = start(server)
    assert process.poll() is None
    assert repr(process) == f"<Forked {process.pid}, running>"
    told(process, says)
    assert process.wait(SECONDS) == code == process.poll() == process.returncode


def test_what_it_raises_goes_to_its_errors(server):
    with tempfile.TemporaryFile() as errors:
        process = server.start("forked_program", [], environment={}, stderr=errors)
        told(process, "raise")
        process.wait(SECONDS)
        errors.seek(0)
        assert "ValueError: said so" in errors.read().decode()


def test_waiting_has_a_limit(server):
    process = start(server)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.05)
    told(process)
    assert process.wait(SECONDS) == 0


def test_a_child_that_can_not_become_what_was_asked_for_ends(server, monkeypatch, tmp_path):
    """It would go on as a second server otherwise, on the same socket."""
    told(start(server))
    with monkeypatch.context() as changed:
        changed.setattr(os, "getcwd", lambda: str(tmp_path / "removed"))
        process = start(server)
    assert process.wait(SECONDS) == 1
    process.stdin.close()
    process.stdout.close()
    assert [told(start(server, str(number)))["arguments"] for number in range(3)] == [["0"], ["1"], ["2"]]


def test_all_who_wait_are_told(server):
    """The end is reported once; whoever waited beside the one who read it waited for ever."""
    for _ in range(20):
        process = start(server)
        with ThreadPoolExecutor(4) as pool:
            waiting = [pool.submit(process.wait, SECONDS) for _ in range(4)]
            time.sleep(0.01)
            told(process, "7")
            before = time.monotonic()
            assert [one.result() for one in waiting] == [7] * 4
        assert time.monotonic() - before < SECONDS / 2


def test_random_numbers_differ(server):
    assert len({told(start(server))["random"] for _ in range(4)}) == 4


def test_threads_may_ask_at_once(server):
    with ThreadPoolExecutor(8) as pool:
        processes = list(pool.map(lambda number: start(server, str(number)), range(16)))
    assert [told(process)["arguments"] for process in processes] == [[str(number)] for number in range(16)]
    assert [process.wait(SECONDS) for process in processes] == [0] * 16


def test_one_server_is_enough_until_the_environment_changes(server, monkeypatch):
    told(start(server))
    first = server._connection
    told(start(server, TMPDIR="/"))
    assert server._connection is first
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    kept = start(server)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    told(start(server))
    assert server._connection is not first
    time.sleep(1.0)
    assert kept.poll() is None, "what an earlier server forked goes on"
    told(kept, "3")
    assert kept.wait(SECONDS) == 3


def test_a_server_that_died_is_replaced(server):
    process = start(server)
    process.stdin.close()
    process.stdout.close()
    os.kill(int(Path(f"/proc/{process.pid}/stat").read_text().split()[3]), signal.SIGKILL)
    assert process.wait(SECONDS) == -signal.SIGKILL, "who reports its end is gone"
    with tempfile.TemporaryFile() as errors:
        assert server.start("forked_program", [], environment={}, stderr=errors) is None, "the first time it is seen that it is gone"
    assert told(start(server))["arguments"] == []


def test_a_child_does_not_outlive_its_server(server):
    """The lifeline is the parent's, and a child that holds Python's lock looks at nothing."""
    process = start(server)
    told(process, "hold")
    os.kill(int(Path(f"/proc/{process.pid}/stat").read_text().split()[3]), signal.SIGKILL)
    assert process.wait(SECONDS) == -signal.SIGKILL
    assert _ends(process.pid)


def test_what_a_child_started_ends_with_it(server):
    process = start(server)
    with process.stdout:
        process.stdout.readline()
        process.stdin.write(b"leave\n")
        process.stdin.close()
        left = int(process.stdout.readline())
    assert process.wait(SECONDS) == 0
    del process
    assert _ends(left)


def test_a_copy_in_a_process_that_is_forked_ends_nothing(server):
    process = start(server)
    copy = os.fork()
    if copy == 0:
        os._exit(0 if process.poll() == 0 and process.wait(0.0) == 0 else 1)
    assert os.waitpid(copy, 0)[1] == 0
    assert process.poll() is None
    told(process)
    assert process.wait(SECONDS) == 0


@pytest.mark.parametrize("modules", [["no_such_module"], ["forked_threads"]])
def test_a_server_that_can_not_fork_says_so(tmp_path, monkeypatch, modules):
    """One that can't import, and one that started a thread as it did: threads don't survive a fork."""
    (tmp_path / "forked_threads.py").write_text("import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]))
    with tempfile.TemporaryFile() as errors:
        server = ForkServer(sys.executable, modules, {})
        assert server.start("json", [], environment={}, stderr=errors) is None
        monkeypatch.setattr(subprocess, "Popen", None)  # it isn't tried a second time
        assert server.start("json", [], environment={}, stderr=errors) is None


def test_the_server_ends_with_who_asked():
    program = (
        "import os, sys, tempfile; from halfulp.process.fork_server import ForkServer; server = ForkServer(sys.executable, ['json'], {});"
        "child = server.start('json.tool', [], environment={}, stderr=tempfile.TemporaryFile());"  # it reads until its input is closed
        "print(open(f'/proc/{child.pid}/stat').read().split()[3], flush=True); os.kill(os.getpid(), 9)"
    )
    ran = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, timeout=SECONDS, check=False)
    server = int(ran.stdout)
    assert _ends(server)


def _ends(process_id: int) -> bool:
    """Whether a process ends within the time that that may take."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_ends_are_told_where_the_parent_ignores_them():
    """Who ignores SIGCHLD hands that down; the system then ends children without telling how."""
    program = (
        "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); import sys, tempfile; from halfulp.process.fork_server import ForkServer;"
        "server = ForkServer(sys.executable, ['json'], {}); errors = tempfile.TemporaryFile();"
        "children = [server.start('json.tool', [], environment={}, stderr=errors) for _ in range(2)];"
        "children[0].stdin.write(b'{}'); children[0].stdin.close(); print(children[0].wait(30.0), children[1].poll(), flush=True)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ran.stdout == "0 None\n", ran.stderr


def test_no_thread_is_left(server):
    before = threading.active_count()
    told(start(server))
    assert threading.active_count() == before
