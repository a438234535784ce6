"""Files are written whole or not at all, and what was there stays."""

import os
import stat
import subprocess
import sys
import threading

import pytest

import halfulp
from halfulp.errors import InputError
from halfulp.files import append_line, write_file


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_whole(tmp_path):
    assert write_file(tmp_path / "new" / "a.txt", "ä\n").read_bytes() == "ä\n".encode()
    write_file(tmp_path / "new" / "a.txt", b"later")
    assert (tmp_path / "new" / "a.txt").read_bytes() == b"later"
    assert names(tmp_path / "new") == ["a.txt"]


def test_half_a_surrogate_pair_is_no_crash(tmp_path):
    assert write_file(tmp_path / "a.txt", "\ud800").read_text() == "?"


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_permissions_are_those_of_any_new_file_or_stay(tmp_path):
    (tmp_path / "plain").write_text("")
    assert stat.S_IMODE(write_file(tmp_path / "a", "x").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    (tmp_path / "a").chmod(0o640)
    assert stat.S_IMODE(write_file(tmp_path / "a", "y").stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_links_are_followed_and_devices_written_to(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_text() == "new"
    write_file("/dev/null", "x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("place", ["folder", "file/inside"])
def test_places_that_are_no_file_are_refused_in_one_line(place, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="can't be written") as error:
        write_file(tmp_path / place, "x")
    assert "\n" not in str(error.value)
    assert names(tmp_path) == ["file", "folder"] and names(tmp_path / "folder") == ["thesis.txt"]
    with pytest.raises(InputError, match="can't be written"):
        append_line(tmp_path / place, "x")


LIMITED = """
import resource, signal, sys
from halfulp.files import write_file
import halfulp
from halfulp.errors import InputError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_file(sys.argv[1], b"x" * 10_000)
except InputError as error:
    print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_where_room_ends_the_old_file_stays(tmp_path):
    """A limit on the size of files stands for a full disk: the write fails in the middle."""
    (tmp_path / "a").write_text("old")
    ran = subprocess.run([sys.executable, "-c", LIMITED, str(tmp_path / "a")], capture_output=True, text=True, check=True)
    assert "can't be written (file too large)" in ran.stdout and len(ran.stdout.splitlines()) == 1
    assert names(tmp_path) == ["a"] and (tmp_path / "a").read_text() == "old"


def test_readers_see_one_of_the_versions(tmp_path):
    path, stop, seen = write_file(tmp_path / "a", b"0" * 50_000), threading.Event(), set()

    def read():
        while not stop.is_set():
            seen.add(path.read_bytes())

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for k in range(200):
        write_file(path, str(k % 10).encode() * 50_000)
    stop.set()
    for each in readers:
        each.join()
    assert len(seen) > 1 and all(len(each) == 50_000 and len(set(each)) == 1 for each in seen)


@pytest.mark.parametrize("answer", [halfulp.read_trace, halfulp.read_result, halfulp.read_matrix, halfulp.Recorder])
def test_what_is_no_path_is_said(answer):
    with pytest.raises(halfulp.InputError, match=r"Got 3 for a path\. Needed: text, or a pathlib\.Path"):
        answer(3)
