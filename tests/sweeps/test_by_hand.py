"""The sample that somebody looks at: drawn the same again, labels kept, shares of what held up."""

import json
import sys
from collections import Counter

import pytest
from benchmarks.sweeps import by_hand

from halfulp.store import Row, Store


@pytest.fixture
def store(tmp_path):
    found = Store(tmp_path / "store")
    with found.writer("run") as writer:
        for number in range(60):
            subject, acceptable = f"op {number % 10}", number % 3 > 0
            row = Row(
                "plan",
                "run",
                f"{subject}|{number}",
                "opinfo",
                subject,
                "eager",
                "float64",
                number=number,
                verdict="ROUNDING",
                acceptable=acceptable,
            )
            writer.add(row)
    return tmp_path / "store"


def ran(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["by_hand", *map(str, arguments)])
    try:
        by_hand.main()
    except SystemExit as exit:
        return exit.code
    return 0


def test_a_sample_is_drawn_the_same_again_and_keeps_its_labels(store, tmp_path, monkeypatch, capsys):
    file = tmp_path / "sample.json"
    assert ran(monkeypatch, "draw", store, file, "--each", 12) == 0
    entries = json.loads(file.read_text())
    assert Counter(entry["flagged"] for entry in entries) == {True: 12, False: 12}
    assert max(Counter((entry["flagged"], entry["subject"]) for entry in entries).values()) <= by_hand.MOST_OF_ONE
    assert ran(monkeypatch, "shares", file) == 1 and "not looked at" in capsys.readouterr().out
    for place, entry in enumerate(entries):
        entry["found"] = "sampling" if place == 0 else "fault" if entry["flagged"] else "right"
    file.write_text(json.dumps(entries))
    assert ran(monkeypatch, "draw", store, file, "--each", 12) == 0
    assert json.loads(file.read_text()) == entries
    assert ran(monkeypatch, "shares", file) == 0
    told = capsys.readouterr().out
    flagged = [entry for entry in entries if entry["flagged"]]
    weights = [sum(entry["stands_for"] for entry in own) for own in ([entry for entry in flagged if entry["found"] == "fault"], flagged)]
    assert (
        "flagged: 11/12" in told
        and f"figure flagged_that_hold_up {weights[0] / weights[1]:.4f} share" in told
        and "figure accepted_that_hold_up 1.0000 share" in told
    )
