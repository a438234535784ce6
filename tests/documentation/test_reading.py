"""The page on how to read a result names the rows as the program prints them."""

import re
from pathlib import Path

import pytest

from halfulp.reports.text.evidence import QUESTIONS

READING = Path(__file__).resolve().parents[2] / "docs" / "reading.md"


def rows():
    page = READING.read_text()
    return [row for table in re.findall(r"\| row \|.*\n\|[-|]+\n((?:\|.*\n)+)", page) for row in re.findall(r"(?m)^\| (.+?\?) \|", table)]


def test_there_are_rows():
    assert len(rows()) > 20


@pytest.mark.parametrize("row", rows())
def test_a_row_is_named_as_it_is_printed(row):
    assert row in QUESTIONS.values()
