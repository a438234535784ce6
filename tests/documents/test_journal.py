"""What an interrupted run has finished is found again, and nothing else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfulp.documents.journal import Journal
from halfulp.errors import InputError

PARTS = {"one": {"x": 1.5}, "two": {"x": [1, "a"]}}


def filled(path, settings=None):
    journal = Journal(path, settings or {"seed": 0}, of="parts")
    for key, part in PARTS.items():
        journal.add(key, part)
    return journal


def test_parts_come_back_in_order(tmp_path):
    assert filled(tmp_path / "new" / "journal").parts == PARTS
    assert list(Journal(tmp_path / "new" / "journal", {"seed": 0}, of="parts").parts.items()) == list(PARTS.items())
    assert filled(None).parts == PARTS


@given(cut=st.integers(0, 200))
def test_wherever_it_is_cut_off_whole_parts_are_kept(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("cut") / "journal"
    filled(path)
    text = path.read_text()
    head = text.index("\n")
    path.write_text(text[: max(head + 1, len(text) - cut)])
    again = Journal(path, {"seed": 0}, of="parts")
    assert list(again.parts.items()) == list(PARTS.items())[: len(again.parts)]
    again.add("three", {})
    assert list(Journal(path, {"seed": 0}, of="parts").parts) == [*list(PARTS)[: len(again.parts) - 1], "three"]


def test_another_run_is_refused_with_what_differs(tmp_path):
    filled(tmp_path / "journal")
    with pytest.raises(InputError, match="from a run with seed = 0. Needed: a run with seed = 1. Parts from different runs"):
        Journal(tmp_path / "journal", {"seed": 1}, of="parts")
    with pytest.raises(InputError, match="from a run with full = None. Needed: a run with full = True"):
        Journal(tmp_path / "journal", {"full": True, "seed": 0}, of="parts")


@pytest.mark.parametrize(
    "content", ["", "no", "[]\n", "{}\n", '{"settings": 3}\n', '{"settings": {}}\n{"x": 1}\n', '{"settings": {}}\nno}\n']
)
def test_what_is_no_journal_is_refused_and_kept(tmp_path, content):
    path = tmp_path / "journal"
    path.write_text(content)
    with pytest.raises(InputError, match="holds no finished parts"):
        Journal(path, {}, of="parts")
    assert path.read_text() == content


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "journal").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="holds no finished parts"):
        Journal(tmp_path / "journal", {}, of="parts")


def test_a_finished_run_leaves_nothing(tmp_path):
    journal = filled(tmp_path / "journal")
    journal.finish()
    journal.finish()
    assert not (tmp_path / "journal").exists()
    assert json.dumps(journal.parts) == json.dumps(PARTS)
