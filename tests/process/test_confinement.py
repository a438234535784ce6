"""What a confined process can't do: reach the network, write elsewhere, take all memory."""

import subprocess
import sys
import textwrap

import pytest

from halfulp.process.confinement import HIDDEN

PROGRAM = """
    import os, pathlib, socket, sys
    from halfulp.process.confinement import NO_NETWORK, ONE_FOLDER, confine, limit
    folder = pathlib.Path(sys.argv[1])
    held = confine(folder / "own") + limit(memory_bytes=1 << 30, cpu_s=20, file_bytes=1 << 20)
    print(*held, sep="; ")
    (folder / "own" / "mine").write_text("mine")
    os.remove(folder / "own" / "mine")
    open(os.devnull, "w").write("nothing")
    for name, attempt in {
        ONE_FOLDER: lambda: (folder / "theirs").write_text("theirs"),
        ONE_FOLDER + " ": lambda: os.remove(folder / "kept"),
        NO_NETWORK: lambda: socket.create_connection(("127.0.0.1", 1), 1),
        "file sizes are limited": lambda: (folder / "own" / "large").write_bytes(bytes(2 << 20)),
        "memory is limited": lambda: bytearray(3 << 30),
    }.items():
        try:
            attempt()
            print("did", name)
        except (OSError, MemoryError) as error:
            print("could not", name, type(error).__name__, getattr(error, "errno", ""))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="kept by Linux's kernel")
def test_what_holds_is_what_was_said(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "kept").write_text("kept")
    words = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(tmp_path)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    held, *lines = ended.stdout.splitlines()
    for line in lines:
        if line.startswith("did "):
            assert line.removeprefix("did ").strip() not in held, line  # a kernel that lacks a part says so
    assert "memory is limited" in held and "file sizes are limited" in held
    if "files can be written" in held:
        assert (tmp_path / "kept").read_text() == "kept" and not (tmp_path / "theirs").exists()


HIDING = """
    import pathlib, subprocess, sys
    from halfulp.process.confinement import confine
    folder = pathlib.Path(sys.argv[1])
    print(*confine(folder / "own", (), [folder / "hidden"]), sep="; ")
    print(repr((folder / "hidden").read_text()), subprocess.run(["cat", str(folder / "hidden")], capture_output=True).stdout)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="kept by Linux's kernel")
def test_a_hidden_file_is_empty_to_what_it_starts_too(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "hidden").write_text("secret")
    words = [sys.executable, "-c", textwrap.dedent(HIDING), str(tmp_path)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    held, read = ended.stdout.splitlines()
    assert read == ("'' b''" if HIDDEN in held else "'secret' b'secret'"), ended.stderr
    assert (tmp_path / "hidden").read_text() == "secret"


WITH_A_DEVICE = """
    import os, pathlib, sys
    from halfulp.process.confinement import ONE_FOLDER, confine
    folder = pathlib.Path(sys.argv[1])
    held = confine(folder / "own", [folder / "device"])
    print(*held, sep="; ")
    with open(folder / "device", "r+") as device:
        device.write("asked")
    for attempt in (lambda: (folder / "beside").write_text("theirs"), lambda: os.remove(folder / "device")):
        try:
            attempt()
            print("did")
        except OSError as error:
            print("could not")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="kept by Linux's kernel")
def test_the_files_of_a_device_are_written_and_no_others(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "device").write_text("idle ")
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(WITH_A_DEVICE), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    held, *lines = ended.stdout.splitlines()
    assert (tmp_path / "device").read_text() == "asked"
    if "one folder" not in held:
        pytest.skip("this kernel has no Landlock")
    assert "(and those of the device)" in held and lines == ["could not", "could not"]


SIGNALS = """
    import ctypes, os, pathlib, subprocess, sys
    from halfulp.process.confinement import confine
    held = confine(pathlib.Path(sys.argv[1]))
    child = subprocess.Popen(["sleep", "60"])
    child.kill()
    child.wait()
    try:
        os.kill(os.getppid(), 0)
        print("did")
    except PermissionError:
        print("could not")
    print(ctypes.CDLL(None).syscall(444, None, 0, 1))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="kept by Linux's kernel")
def test_it_signals_nobody_but_what_it_starts(tmp_path):
    """A solution that ended the process of another, or stopped the one that forks, would decide what is said of others."""
    words = [sys.executable, "-c", textwrap.dedent(SIGNALS), str(tmp_path)]
    done, version = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")[:2]
    if int(version) < 6:
        pytest.skip(f"Landlock {version} does not know of signals")
    assert done == "could not"
