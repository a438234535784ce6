"""Workers give the bits of this process, survive whatever their backends do, and say what went wrong; frames are read or refused."""

import ast
import contextlib
import fcntl
import gc
import io
import json
import os
import pickle
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import OrderedDict, namedtuple
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import halfulp.backends.workers.server as serving
import halfulp.backends.workers.wire as wire
import halfulp.backends.workers.worker as worker_module
import halfulp.sweeps.matrix_sweep as sweeping
from halfulp.backends.conformance.laws import LAWS
from halfulp.backends.implementation import Implementation
from halfulp.backends.interface import Availability
from halfulp.backends.ops import OPS
from halfulp.backends.registry import adapter_named
from halfulp.backends.workers.remote import Remote
from halfulp.backends.workers.wire import Message, receive, send
from halfulp.backends.workers.worker import Worker
from halfulp.errors import InputError, Unsupported, WorkerError
from halfulp.sweeps import matrix, read_matrix
from halfulp.testing import check_backend

HERE = adapter_named("numpy")


def bits(result):
    """Dtype, shape and bytes of each result."""
    leaves = result if isinstance(result, tuple) else (result,)
    own = [torch.empty(leaf.shape, dtype=leaf.dtype).copy_(leaf).reshape(-1) for leaf in leaves]
    return [(leaf.dtype, tuple(leaf.shape), flat.view(torch.uint8).numpy().tobytes()) for leaf, flat in zip(leaves, own)]


@pytest.fixture(scope="module")
def remote():
    made = Remote(HERE, Path(sys.executable))
    yield made
    made.worker.close()


def killed(process):
    """Kill it, and wait until it is dead. Whoever listens to it may collect it first."""
    os.kill(process, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)


def doing(action):
    """Twice the input, after an action where the input says so. Nested, as the action is: it travels by value."""

    def target(x):
        if x[0] > 0:
            action()
        return x * 2

    return target


CALM, TRIGGER = torch.tensor([-1.0]), torch.tensor([1.0])

# --- The same bits ---


@pytest.mark.parametrize("name", OPS)
def test_each_op_gives_the_bits_of_this_process(remote, name):
    module, activations = OPS[name].drawn(OPS[name].sizes[0])
    assert bits(remote.implement(module)(*activations)) == bits(HERE.implement(module)(*activations))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16])
@pytest.mark.parametrize("name", ["linear", "conv2d", "gelu", "softmax", "sum", "lstm_cell"])
def test_other_dtypes_give_the_bits_of_this_process(remote, name, dtype):
    module, activations = OPS[name].drawn(OPS[name].sizes[2], 3, dtype)
    found = bits(remote.implement(module)(*activations))
    assert found == bits(HERE.implement(module)(*activations))
    assert {each for each, _, _ in found} == {dtype}


def test_arrays_constants_keywords_and_nested_results_travel(remote):
    def target(pair, *, scale, note):
        assert note == "kept"
        return {"sum": pair["left"][0] + pair["right"], "scaled": (pair["right"] * scale, [pair["left"][0].sum()])}

    given = {"left": [np.arange(3, dtype=np.float32)], "right": np.ones(3, np.float32)}
    found = remote.implement(target)(given, scale=3, note="kept")
    assert found["sum"].tolist() == [1, 2, 3] and found["scaled"][0].tolist() == [3, 3, 3] and found["scaled"][1][0].tolist() == 3
    assert isinstance(found["sum"], np.ndarray) and found["sum"].dtype == np.float32


def test_a_function_of_a_module_on_the_path_travels_by_its_name(remote, tmp_path, monkeypatch):
    (tmp_path / "halfulp_test_port.py").write_text("import numpy as np\n\ndef port(x):\n    return np.exp(x) * 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    from halfulp_test_port import port

    assert bits(remote.implement(port)(CALM)) == bits(HERE.implement(port)(CALM))
    monkeypatch.delitem(sys.modules, "halfulp_test_port")


def test_a_worker_keeps_all_laws(remote):
    found = check_backend(remote, ops=["linear", "gelu", "lstm_cell"])
    assert set(found.left_out) == {"bfloat16"} and len(found.kept) == len(LAWS)


def test_changed_weights_reach_the_worker(remote):
    module, activations = OPS["linear"].drawn(OPS["linear"].sizes[0])
    implementation = remote.implement(module)
    before = implementation(*activations)
    module.weight.data.mul_(-2.0)
    after = implementation(*activations)
    assert bits(after) == bits(HERE.implement(module)(*activations)) != bits(before)


def test_one_worker_answers_many_threads(remote):
    implementations = [remote.implement(lambda x, factor=factor: x * factor) for factor in range(1, 5)]
    found = {}

    def asks(factor):
        found[factor] = [implementations[factor - 1](torch.full((4,), float(number))).tolist() for number in range(20)]

    threads = [threading.Thread(target=asks, args=(factor,)) for factor in range(1, 5)]
    for thread in threads:
        thread.start()
    for each in threads:
        each.join()
    assert found == {factor: [[float(number * factor)] * 4 for number in range(20)] for factor in range(1, 5)}


def test_programs_that_nobody_holds_are_forgotten(remote, monkeypatch):
    asked = []
    monkeypatch.setattr(worker_module, "send", lambda stream, message: (asked.append(message.header), send(stream, message)))
    implementation = remote.implement(lambda x: x + 1)
    implementation(CALM)
    number = asked[-1]["program"]
    del implementation
    remote.implement(lambda x: x + 2)(CALM)
    assert [number] in [header["forget"] for header in asked] and asked[-1]["program"] != number


# --- Faults ---


def died(remote, action, *, then):
    """The fault of a call; the calls before and after it work, each in a process of its own."""
    implementation = remote.implement(doing(action))
    assert implementation(CALM).tolist() == [-2.0]
    process, generation = remote.worker.process_id, remote.worker.generation
    with pytest.raises(WorkerError) as raised:
        implementation(TRIGGER)
    assert then in str(raised.value) and "numpy" in str(raised.value) and "The next call restarts the process" in str(raised.value)
    assert remote.worker.faults[-1] == str(raised.value)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert implementation(torch.tensor([-3.0])).tolist() == [-6.0]
    assert remote.worker.generation == generation + 1 and remote.worker.process_id != process
    return str(raised.value)


def test_killed_during_a_call(remote):
    assert "The process printed nothing." in died(
        remote, lambda: os.kill(os.getpid(), signal.SIGKILL), then="it died (SIGKILL; the system may have run"
    )


def test_the_exit_code_and_the_last_lines_are_told(remote):
    def speaks_and_ends():
        sys.stderr.write("".join(f"line {number}\n" for number in range(9)))
        sys.stderr.flush()
        os._exit(3)

    message = died(remote, speaks_and_ends, then="it died (exit code 3)")
    assert "The last lines that the process printed: line 4 | line 5 | line 6 | line 7 | line 8." in message and "line 3" not in message


def test_nonsense_on_the_pipe_of_answers_is_no_answer(remote):
    def writes_to_every_pipe():
        for descriptor in range(3, 64):
            try:
                if stat.S_ISFIFO(os.fstat(descriptor).st_mode) and fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
                    os.write(descriptor, b"half nonsense")
            except OSError:
                pass

    message = died(remote, writes_to_every_pipe, then="it gave an answer that can't be read (Got b'half non' where a message begins")
    assert "halfulp: got" not in message  # an error of the worker, not from inside


def test_a_hung_worker_is_ended(remote, monkeypatch):
    implementation = remote.implement(doing(lambda: threading.Event().wait()))
    assert implementation(CALM).tolist() == [-2.0]
    process = remote.worker.process_id
    with monkeypatch.context() as patch:
        patch.setattr(remote.worker, "answer_s", 0.5)  # it would never answer
        with pytest.raises(WorkerError, match=r"it did not answer within 0.5 s. Needed: a result."):
            implementation(TRIGGER)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert implementation(CALM).tolist() == [-2.0]


def test_killed_between_two_calls(remote):
    module, activations = OPS["linear"].drawn(OPS["linear"].sizes[0])
    implementation, other = remote.implement(module), remote.implement(lambda x: x + 1)
    before = bits(implementation(*activations))
    assert other(CALM).tolist() == [0.0]
    faults, process = list(remote.worker.faults), remote.worker.process_id
    killed(process)
    assert bits(implementation(*activations)) == before  # both programs were lost with it
    assert other(CALM).tolist() == [0.0]
    assert remote.worker.faults == faults


def test_killed_between_two_calls_while_another_thread_collects_it(remote, monkeypatch):
    implementation = remote.implement(lambda x: x + 1)
    assert implementation(CALM).tolist() == [0.0]
    process, faults = remote.worker._process, list(remote.worker.faults)
    killed(process.pid)
    deadline = time.monotonic() + 60
    while remote.worker._answers.empty() and time.monotonic() < deadline:  # the listener sees a closed pipe
        time.sleep(0.01)
    monkeypatch.setattr(process, "poll", lambda: None)  # as while another thread waits for it
    assert implementation(CALM).tolist() == [0.0]
    assert remote.worker.faults == faults


def test_what_a_backend_prints_goes_astray_quietly(remote, capfd):
    def action():
        print("garbage", flush=True)
        os.write(1, b"more garbage\n")
        subprocess.run(["echo", "a child's garbage"], check=True)
        print(repr(sys.stdin.read()))  # nor can it read what is asked

    implementation = remote.implement(doing(action))
    process = remote.worker.process_id
    assert [implementation(TRIGGER).tolist() for _ in range(3)] == [[2.0]] * 3
    assert remote.worker.process_id == process
    assert capfd.readouterr().out == ""


def _raised(remote, error):
    def target(x):
        raise error

    remote.worker.start()
    process = remote.worker.process_id
    with pytest.raises(Exception) as raised:  # the test asks which
        remote.implement(target)(CALM)
    assert remote.worker.process_id == process  # it runs on
    assert remote.implement(lambda x: x + 1)(CALM).tolist() == [0.0]
    return raised.value


@pytest.mark.parametrize(
    "error",
    [MemoryError(), MemoryError("\n"), RuntimeError("std::bad_alloc"), RuntimeError("DefaultCPUAllocator: not enough memory: you tried")],
)
def test_a_worker_out_of_memory_says_so_and_goes_on(remote, error):
    found = _raised(remote, error)
    assert (
        type(found) is WorkerError
        and "it ran out of memory" in str(found)
        and "Use smaller inputs, or give it more memory (a larger machine, or a higher limit of the container)." in str(found)
    )


def test_other_errors_are_what_the_backend_lacks(remote):
    found = _raised(remote, ZeroDivisionError("no channels\nsecond line"))
    assert type(found) is Unsupported and "Got ZeroDivisionError from numpy: no channels. Needed" in str(found)
    assert type(_raised(remote, ZeroDivisionError())) is Unsupported
    assert type(_raised(remote, InputError("Got one. Needed: two."))) is InputError


def test_a_limit_on_memory_holds(remote):
    limited = Remote(HERE, Path(sys.executable), memory_bytes=4 << 30)
    implementation = limited.implement(doing(lambda: np.ones(1 << 33)))  # 64 GiB
    assert implementation(CALM).tolist() == [-2.0]
    process = limited.worker.process_id
    with pytest.raises(WorkerError, match=r"ran out of memory \(Unable to allocate 64\.0 GiB"):
        implementation(TRIGGER)
    assert implementation(CALM).tolist() == [-2.0] and limited.worker.process_id == process
    limited.worker.close()
    assert limited.worker.process_id is None


def test_a_target_that_cannot_travel_is_refused_here(remote):
    lock = threading.Lock()
    with pytest.raises(
        Unsupported, match=r"Got function, which can't be sent to another process \(TypeError: .*runs in an environment of its own"
    ):
        remote.implement(lambda x: lock and x)(CALM)


# --- Processes that are no workers: scripts in place of an interpreter ---


def frame(header, body=b"", *, tensors=(), attachment=0):
    text = json.dumps({"header": header, "tensors": tensors, "attachment": attachment}).encode()
    return wire.MARK + wire._LENGTHS.pack(len(text), len(body)) + text + body


READY = frame({"ready": True, "fingerprint": {"numpy": "9"}})


@pytest.fixture
def pretending(tmp_path, monkeypatch):
    """A worker whose interpreter is a script that writes bytes, then waits for its input to end or exits."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = []

    def make(answer, ending="sys.stdin.buffer.read()"):
        script = tmp_path / f"python{len(made)}"
        script.write_text(f"#!{sys.executable} -SE\nimport os, sys\nos.write(1, {answer!r})\n{ending}\n")
        script.chmod(0o755)
        made.append(Worker("numpy", script))
        return made[-1]

    yield make
    for each in made:
        each.close()
    assert not list(tmp_path.glob("*halfulp-*.log"))


@pytest.mark.parametrize(
    ("answer", "ending", "words"),
    [
        (b"Welcome to Python!\n", "", "it gave an answer that can't be read (Got b'Welcome ' where a message begins"),
        (
            b"Welcome to Python!\n",
            "sys.stdin.buffer.read()",
            "it gave an answer that can't be read (Got b'Welcome ' where a message begins",
        ),
        (b"", "", "it died (exit code 0). Needed: a result. The process printed nothing."),
        (
            b"",
            "sys.stderr.write('no such module\\n'); os._exit(5)",
            "it died (exit code 5). Needed: a result. The last line that the process printed: no such module.",
        ),
        (b"short", "", "it died (exit code 0)"),
        (READY[:-1], "", "it died (exit code 0)"),
        (wire.MARK + wire._LENGTHS.pack(1 << 62, 0), "", "Got a header of 4611686018427387904 bytes. Needed: at most 67108864."),
        (wire.MARK + wire._LENGTHS.pack(3, 0) + b"{]}", "", "a message that can't be read (JSONDecodeError)"),
        (frame([1, 2]), "", "a message that can't be read (TypeError)"),
        (frame({}, b"nonsense", tensors=[["torch.float32", [3]]]), "", "a message that can't be read (ValueError)"),
        (frame({}, b"nonsense", tensors=[["torch.float32", [-2]]], attachment=16), "", "a message that can't be read (RuntimeError)"),
        (
            frame({}, b"nonsense", tensors=[["torch.float32", [1]], ["torch.int8", [-1]]], attachment=5),
            "",
            "a message that can't be read (RuntimeError)",
        ),
        (frame({}, b"nonsense", tensors=[["torch.save", [2]]]), "", "a message that can't be read (KeyError)"),
        (frame({}, pickle.dumps(torch.ones(2)), tensors=1), "", "a message that can't be read (TypeError)"),
    ],
    ids=[
        "prints and ends",
        "prints and stays",
        "ends",
        "ends with words",
        "half a mark",
        "half a frame",
        "endless header",
        "no JSON",
        "list as header",
        "too few bytes",
        "a negative length",
        "a negative and an attachment",
        "no dtype",
        "a pickle",
    ],
)
def test_a_process_that_is_no_worker_is_a_fault(pretending, answer, ending, words):
    worker = pretending(answer, ending)
    with pytest.raises(WorkerError) as raised:
        worker.start()
    assert words in str(raised.value)
    assert worker.process_id is None and worker.faults == [str(raised.value)]


def test_a_worker_that_ends_after_its_greeting_is_a_fault_of_the_question(pretending):
    worker = pretending(READY, "os.read(0, 1); os._exit(9)")
    worker.start()
    assert worker.fingerprint == {"numpy": "9"}
    with pytest.raises(WorkerError, match=r"it (died|closed its pipe) \(exit code 9\)"):
        worker.ask(Message({"do": "run", "program": 0}, [torch.ones(1 << 20)]))  # more than a pipe holds
    assert worker.process_id is None


def test_an_interpreter_that_does_not_exist(tmp_path):
    remote = Remote(HERE, tmp_path / "bin" / "python")
    with pytest.raises(WorkerError, match="it can't be started: No such file or directory. Needed: a result. The process printed nothing."):
        remote.implement(lambda x: x)(CALM)
    state = remote.availability()
    assert state == Availability(reason=state.reason) and "can't be started: No such file or directory" in state.reason


def test_a_worker_that_finds_no_driver_is_not_available(pretending):
    remote = Remote(HERE, Path(sys.executable))
    remote.worker = pretending(frame({"ready": True, "fingerprint": {"numpy": "9"}, "unusable": "no driver"}))
    assert remote.availability() == Availability("", "9", "no driver") and not remote.availability()
    remote.worker = pretending(READY)
    assert remote.availability() == Availability("own environment", "9")


def test_closing_twice_and_before_the_start_is_nothing(pretending):
    worker = pretending(READY)
    worker.close()
    worker.start()
    assert worker.process_id is not None
    worker.close()
    worker.close()
    assert worker.process_id is None and worker.generation == 1 and not worker.faults


# --- The wire ---

DTYPES = (
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2, torch.complex64, torch.complex128,
    torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool, torch.uint16, torch.uint32, torch.uint64,
)  # fmt: skip


class Dribbling(io.BytesIO):
    """A stream that gives less than it is asked for, as pipes may."""

    def read(self, size=-1):
        return super().read(min(size, 3) if size > 0 else size)

    def readinto(self, memory):
        return super().readinto(memory[:3])


@st.composite
def tensors(draw):
    """Tensors of any bits, in any layout; some lie in the memory of others."""
    found = []
    for _ in range(draw(st.integers(0, 4))):
        dtype = draw(st.sampled_from(DTYPES))
        shape = draw(st.lists(st.integers(0, 4), max_size=3))
        count = int(np.prod(shape))
        width = torch.empty((), dtype=dtype).element_size()
        content = draw(st.binary(min_size=2 * count * width, max_size=2 * count * width))
        numbers = torch.tensor(list(content), dtype=torch.uint8)
        numbers = (numbers % 2).bool() if dtype == torch.bool else numbers.view(dtype) if count else torch.empty(0, dtype=dtype)
        whole = numbers.reshape(2, *shape) if count else torch.empty(2, *shape, dtype=dtype)
        layout = draw(st.sampled_from(["whole", "second half", "every other", "transposed", "expanded", "both halves"]))
        if layout == "transposed":
            found.append(whole.transpose(0, -1))
        elif layout == "every other":
            found.append(whole.reshape(-1)[::2])
        elif layout == "expanded":
            found.append(whole[:1].expand(3, *shape))
        elif layout == "both halves":
            found += [whole[0], whole[1], whole]
        else:
            found.append(whole if layout == "whole" else whole[1])
    return found


HEADERS = st.dictionaries(
    st.text(), st.recursive(st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5), max_size=4
)  # fmt: skip


@given(HEADERS, tensors(), st.binary(max_size=20), st.sampled_from([io.BytesIO, Dribbling]))
def test_what_is_sent_is_received(header, given_tensors, attachment, kind):
    stream = io.BytesIO()
    send(stream, Message(header, given_tensors, attachment))
    send(stream, Message({"second": True}))
    reading = kind(stream.getvalue())
    found = receive(reading)
    assert found is not None and found.header == header and found.attachment == attachment
    assert bits(tuple(found.tensors)) == bits(tuple(given_tensors))
    following = receive(reading)
    assert following is not None and following.header == {"second": True} and not following.tensors
    assert receive(reading) is None


def test_received_tensors_have_memory_of_their_own():
    whole, stream = torch.zeros(4), io.BytesIO()
    send(stream, Message({}, [whole, whole[:2], whole]))
    stream.seek(0)
    found = receive(stream)
    assert found is not None
    found.tensors[0].fill_(1.0)
    assert [tensor.sum().item() for tensor in found.tensors] == [4.0, 0.0, 0.0] and whole.sum() == 0


def test_received_tensors_lie_on_the_cpu_whatever_the_default_device():
    stream = io.BytesIO()
    send(stream, Message({}, [torch.arange(3.0)]))
    stream.seek(0)
    with torch.device("meta"):
        found = receive(stream)
    assert found is not None and found.tensors[0].device.type == "cpu" and found.tensors[0].tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("bad", ["on a device", "sparse", "quantized"])
def test_nothing_is_written_where_a_tensor_cannot_be_sent(bad):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch is giving up quantized tensors
        tensor = {
            "on a device": lambda: torch.empty(3, device="meta"), "sparse": lambda: torch.ones(2).to_sparse(),
            "quantized": lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8),
        }[bad]()  # fmt: skip
        stream = io.BytesIO()
        with pytest.raises(TypeError, match="Needed: a dense tensor on the CPU that is not quantized"):
            send(stream, Message({}, [torch.ones(2), tensor]))
    assert not stream.getvalue()


FRAME = io.BytesIO()
send(FRAME, Message({"ran": True, "notes": ["a note"]}, [torch.arange(3.0), torch.ones(2, 2, dtype=torch.bfloat16)], b"attached"))
WHOLE = FRAME.getvalue()


def received(content):
    """None, "refused", or the message. Any other exception fails the test."""
    try:
        return receive(io.BytesIO(content))
    except WorkerError:
        return "refused"


def test_a_frame_cut_anywhere_is_no_message():
    outcomes = {length: received(WHOLE[:length]) for length in range(len(WHOLE) + 1)}
    assert isinstance(outcomes.pop(len(WHOLE)), Message)
    assert set(outcomes.values()) <= {None, "refused"} and outcomes[0] is None


@pytest.mark.parametrize("change", [0x01, 0x04, 0x20, 0x80, 0xFF])
def test_a_frame_damaged_anywhere_is_read_or_refused(change):
    outcomes = []
    for place in range(len(WHOLE)):
        damaged = bytearray(WHOLE)
        damaged[place] ^= change
        outcomes.append(received(bytes(damaged)))
    assert set(outcomes[: len(wire.MARK)]) == {"refused"}  # it doesn't begin as a message does
    assert all(outcome is None or isinstance(outcome, (str, Message)) for outcome in outcomes)


@settings(max_examples=500)
@given(st.integers(0, len(WHOLE)), st.integers(0, 16), st.binary(max_size=16))
def test_a_frame_with_a_part_exchanged_is_read_or_refused(place, length, content):
    found = received(WHOLE[:place] + content + WHOLE[place + length :])
    assert found is None or isinstance(found, (str, Message))


@given(st.binary(max_size=200))
def test_what_is_no_frame_is_refused(content):
    assert received(content) in (None, "refused")
    header = wire.MARK + wire._LENGTHS.pack(len(content) // 2, len(content) - len(content) // 2)
    assert received(header + content) in (None, "refused")


class Evil:
    """Leaves a file behind where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_nothing_is_unpickled_on_the_way_back(tmp_path):
    trap = tmp_path / "sprung"
    evil, saved = pickle.dumps(Evil(str(trap))), io.BytesIO()
    torch.save(torch.ones(2), saved)
    for content in (evil, saved.getvalue()):
        assert received(frame({}, content, tensors=1)) == "refused"
    found = received(frame({}, evil, attachment=len(evil)))
    assert isinstance(found, Message) and found.attachment == evil  # bytes, and nobody reads them here
    assert not trap.exists()
    pickle.loads(found.attachment)
    assert trap.exists()  # the trap is one


def _loads(module):
    """Names of calls and imports that can run what they read."""
    nodes = list(ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))))
    imported = {name.name for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for name in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    called = {f"{ast.unparse(node.func)}" for node in nodes if isinstance(node, ast.Call)}
    return (imported & {"pickle", "cloudpickle", "marshal", "dill", "shelve"}) | (
        called & {"eval", "exec", "torch.load", "cloudpickle.loads"}
    )


def test_this_side_of_the_wire_loads_nothing_that_runs():
    assert not _loads(wire) and not _loads(worker_module)
    assert _loads(serving) == {"cloudpickle", "cloudpickle.loads"}  # the other side does, and the test sees it


# --- Sweeps with faults in them ---


class DiesIn(Remote):
    """The process of NumPy dies in one op."""

    op = "linear"

    def build(self, target, *given):
        return super().build((lambda *_: os.kill(os.getpid(), signal.SIGKILL)) if target.op_name == self.op else target, *given)


@pytest.fixture
def one_at_a_time(monkeypatch):
    """Cases are asked in advance one after the other: two at once meet in one worker, see the holes below."""
    pool = sweeping.ThreadPoolExecutor
    monkeypatch.setattr(sweeping, "ThreadPoolExecutor", lambda max_workers, **words: pool(max_workers=1, **words))


def configured(monkeypatch, made):
    """A backend of ours under the name "numpy"."""
    real = sweeping.configured
    monkeypatch.setattr(sweeping, "configured", lambda name: (made, {}) if name == "numpy" else real(name))


@pytest.mark.usefixtures("one_at_a_time")
def test_a_sweep_goes_on_after_a_fault(monkeypatch, tmp_path):
    asked = (["torch", "numpy"], ["linear", "gelu"])
    undisturbed = matrix(*asked, sizes=["small"])
    faulty = DiesIn(HERE, Path(sys.executable))
    configured(monkeypatch, faulty)
    found = matrix(*asked, sizes=["small"])
    faulty.worker.close()
    assert found.complete and [(result.op, result.actual, result.expected) for result in found.results] == [
        (result.op, result.actual, result.expected) for result in undisturbed.results
    ]
    for cell, other in zip(found.results, undisturbed.results):
        if cell.op == "linear" and "numpy" in (cell.actual, cell.expected):
            assert cell.verdict == "" and "numpy: Got no usable answer from numpy's process: it died (SIGKILL" in cell.fault
        else:
            assert cell == other and not cell.fault
    (fault,) = found.faults["numpy"]
    assert fault.startswith("linear small float32: Got no usable answer from numpy's process: it died (SIGKILL") and list(found.faults) == [
        "numpy"
    ]
    assert "it died" in found.habits["numpy"].failed["linear"] and set(found.habits["numpy"].products) == {"matmul", "conv2d"}
    assert found.families["linear small float32"] == (("torch",),)
    (tmp_path / "matrix.json").write_text(found.to_json())
    assert read_matrix(tmp_path / "matrix.json") == found


def stopping(after):
    """Progress that presses Ctrl-C when so many cases are done."""

    def progress(words):
        if f", {after} of " in words:
            raise KeyboardInterrupt

    return progress


ASKED = {"backends": ["numpy"], "ops": ["relu", "sqrt", "softmax", "mean"], "sizes": ["small"]}


@pytest.mark.parametrize("after", [0, 1, 3])
def test_an_interrupted_sweep_goes_on_where_it_was(tmp_path, after):
    undisturbed, kept, told = matrix(**ASKED), tmp_path / "folder" / "cases.jsonl", []
    interrupted = matrix(**ASKED, resume=kept, progress=stopping(after))
    assert not interrupted.complete and interrupted.results == undisturbed.results[: len(undisturbed.results) * after // 4]
    resumed = matrix(**ASKED, resume=kept, progress=told.append)
    assert resumed.complete and resumed.results == undisturbed.results and resumed.families == undisturbed.families
    assert [words.split(",")[0] for words in told[: 4 - after]] == [f"{op} small float32" for op in ASKED["ops"][after:]]
    told.clear()
    again = matrix(**ASKED, resume=kept, progress=told.append)
    assert again.results == undisturbed.results and told == ["measuring numpy"]
    (tmp_path / "matrix.json").write_text(resumed.to_json())
    assert read_matrix(tmp_path / "matrix.json") == resumed


def test_a_file_of_another_sweep_or_of_none_is_refused(tmp_path):
    kept = tmp_path / "cases.jsonl"
    matrix(**ASKED, resume=kept, progress=stopping(1))
    with pytest.raises(InputError, match="from a run with ops = .* Needed: a run with ops = .*Cases from different runs"):
        matrix(**{**ASKED, "ops": ["relu"]}, resume=kept)
    for content in ("", "nonsense\n", "[]\n", "{}\n"):
        kept.write_text(content)
        with pytest.raises(InputError, match="which holds no finished cases"):
            matrix(**ASKED, resume=kept)
        assert kept.read_text() == content


@pytest.mark.parametrize(
    "content",
    ["", "{}", "[]", "null", '{"schema": 2}', '{"kind": "matrix", "schema": 1, "results": [{}]}', '{"kind": "check", "schema": 1}', "\x00"],
)
def test_a_file_that_holds_no_matrix_is_refused(tmp_path, content):
    (tmp_path / "matrix.json").write_text(content)
    with pytest.raises(InputError, match="Got .*matrix.json"):
        read_matrix(tmp_path / "matrix.json")
    with pytest.raises(InputError, match="missing.json, which can't be read"):
        read_matrix(tmp_path / "missing.json")


# --- Holes: reported; strict, so that a repair shows ---


class Alarm(Exception):
    """What a handler of signals raises in the middle: pytest-timeout's, a user's."""


def interrupting(monkeypatch, error, *, calls=1):
    """Whoever waits for an answer is interrupted, so many times."""
    real, left = Worker._awaited, [error] * calls

    def awaited(self):
        if left:
            raise left.pop()
        return real(self)

    monkeypatch.setattr(Worker, "_awaited", awaited)


@pytest.mark.parametrize(
    "error",
    [
        KeyboardInterrupt,
        Alarm,
    ],
)
def test_an_interrupted_question_is_not_answered_later(remote, monkeypatch, error):
    implementation = remote.implement(lambda x: x * 2)
    assert implementation(torch.tensor([1.0])).tolist() == [2.0]
    interrupting(monkeypatch, error)
    with pytest.raises(error):
        implementation(torch.tensor([5.0]))
    try:
        assert implementation(torch.tensor([7.0])).tolist() == [14.0]
    finally:
        remote.worker.close()  # the others would get its answers


def test_an_interrupted_start_is_started_again(remote, monkeypatch):
    remote.worker.close()
    interrupting(monkeypatch, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        remote.availability()
    try:
        assert remote.implement(lambda x: x * 2)(torch.tensor([7.0])).tolist() == [14.0]
    finally:
        remote.worker.close()


def test_a_process_that_dies_before_the_question_is_no_missing_op(remote, monkeypatch):
    implementation = remote.implement(lambda x: x * 2)
    implementation(CALM)
    start, calls = remote.worker.start, []

    def dying():
        start()
        calls.append(1)
        if len(calls) == 1:  # as when another thread's question ends it between the look at its generation and the question
            killed(remote.worker.process_id)

    monkeypatch.setattr(remote.worker, "start", dying)
    try:
        found = implementation(CALM).tolist()
    except WorkerError:
        found = [-2.0]
    assert found == [-2.0]


def test_memory_that_pytorch_lacks_is_memory(remote):
    words = "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 274877906944 bytes."
    assert type(_raised(remote, RuntimeError(words))) is WorkerError


def test_complex128_is_sent_or_refused(remote):
    try:
        assert remote.implement(lambda x: x + 1)(torch.ones(2, dtype=torch.complex128)).dtype == torch.complex128
    except (Unsupported, InputError):
        assert remote.implement(lambda x: x + 1)(CALM).tolist() == [0.0]


def test_an_answer_that_cannot_be_sent_is_an_error_and_no_death(remote):
    try:
        found = remote.implement(lambda x: np.fft.fft(x))(torch.ones(2, dtype=torch.float64))
    except Unsupported:
        found = None
    assert found is None or found.tolist() == [2, 0]


def test_named_tuples_come_back(remote):
    def target(x):
        return np.linalg.eigh(x)

    assert bits(tuple(remote.implement(target)(torch.eye(2)))) == bits(tuple(HERE.implement(target)(torch.eye(2))))


@pytest.mark.parametrize(
    "nest",
    [lambda x: namedtuple("Single", "only")(x), lambda x: OrderedDict({(1, 2): x, (3, 4): x + 1})],
    ids=["named tuple of one", "ordered dict"],
)
def test_what_has_no_json_comes_back_as_a_tuple_or_dict_or_is_refused(remote, nest):
    here = HERE.implement(nest)(CALM)
    try:
        there = remote.implement(nest)(CALM)
    except Unsupported:
        return
    assert isinstance(there, tuple if isinstance(here, tuple) else dict) and len(there) == len(here)


def test_keys_that_are_tuples_come_back_or_are_refused(remote):
    try:
        assert list(remote.implement(lambda x: {(1, 2): x})(CALM)) == [(1, 2)]
    except Unsupported:
        return


def test_pytorch_for_a_worker_takes_new_nested_inputs_and_keywords():
    target = Implementation(adapter_named("torch"), lambda pair, *, shift: {"result": pair[0] + shift}, {})
    first = target([torch.ones(1)], shift=torch.zeros(1))
    second = target([torch.full((1,), 2.0)], shift=torch.full((1,), 40.0))
    assert (first["result"].item(), second["result"].item()) == (1.0, 42.0)


def test_a_greeting_with_nonsense_is_a_fault(pretending):
    with pytest.raises(WorkerError):
        pretending(frame({"ready": True, "fingerprint": "numpy 9"})).start()


def test_each_pair_of_a_sweep_is_one_cell():
    found = [(result.actual, result.expected, result.op) for result in matrix(["torch", "numpy"], ["relu"], sizes=["small"]).results]
    assert len(set(found)) == len(found)


def test_faults_survive_an_interruption(tmp_path, monkeypatch):
    class Faulty:
        name = "numpy"
        availability, fingerprint, knobs = HERE.availability, HERE.fingerprint, HERE.knobs

        def implement(self, target, **options):
            if target.op_name == "relu":
                raise WorkerError("Got no usable answer.")
            return HERE.implement(target)

    configured(monkeypatch, Faulty())
    assert matrix(**ASKED, resume=tmp_path / "cases", progress=stopping(2)).faults == {
        "numpy": ("relu small float32: Got no usable answer.",)
    }
    assert matrix(**ASKED, resume=tmp_path / "cases").faults == {"numpy": ("relu small float32: Got no usable answer.",)}


def test_a_sweep_that_was_killed_while_writing_goes_on(tmp_path):
    kept = tmp_path / "cases"
    matrix(**ASKED, resume=kept, progress=stopping(2))
    kept.write_text(kept.read_text()[:-40])
    undisturbed = matrix(**ASKED)
    assert matrix(**ASKED, resume=kept).results == undisturbed.results
    assert matrix(**ASKED, resume=kept).results == undisturbed.results


class Unruly:
    """A plugin that raises errors of its own."""

    name = "numpy"
    availability, fingerprint, knobs = HERE.availability, HERE.fingerprint, HERE.knobs

    def implement(self, target, **options):
        return HERE.implement(target)


def test_a_sweep_survives_a_backend_that_raises(monkeypatch):
    class Raising(Unruly):
        def implement(self, target, **options):
            if target.op_name == "relu":
                raise RuntimeError("CUDA error: an illegal memory access was encountered")
            return HERE.implement(target)

    configured(monkeypatch, Raising())
    found = matrix(**ASKED)
    assert [bool(result.fault) for result in found.results] == [True, False, False, False] and found.complete


def test_a_sweep_survives_a_fingerprint_that_raises(monkeypatch):
    class Raising(Unruly):
        def fingerprint(self):
            raise OSError("libgood.so: no such file")

    configured(monkeypatch, Raising())
    assert len(matrix(**ASKED).results) == 4


def test_a_worker_that_nobody_closes_leaves_no_file_open():
    # Python warns of files that are thrown away open, whenever it collects them.
    worker = Worker("a worker", sys.executable, program=("-c", "import sys; sys.exit(3)"))
    with pytest.raises(WorkerError):
        worker.start()
    other = Worker("another", sys.executable, program=("-m", "halfulp.backends.workers.server", "numpy"))
    other.start()
    log = other._log
    other._process.kill()
    other._process.wait()
    del other
    gc.collect()
    assert log.closed
