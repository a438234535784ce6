"""All sentences: the page is that of this source, finds what is there, and none has words that readers stumbled over."""

import importlib.util
import re
from pathlib import Path

import pytest

MAKING = Path(__file__).resolve().parents[2] / "docs" / "making" / "sentences.py"
STUMBLED_OVER = {
    r"honest (?!pairs)": "say what a correct implementation does",
    r"\banew\b": "say 'again'; of rounding errors: 'change at random when the inputs are perturbed'",
    r"\breally got\b": "say 'given the inputs that it has in `actual`'",
    r"\bnasty\b": "say what the inputs have: tails, ties, cancellation",
    r"\b(?:which|that) is no (?!longer|larger|smaller|more|less)": "say 'is not a'",
    r"\bis no rounding\b": "say 'is not rounding'",
    r"\bin vain\b|\bfor want of\b": "say it with a verb",
    r"\b[Mm]end (?:the|your|`)": "say 'fix'",
    r"\bby itself, on the\b": "say 'alone'",
    r"\btake[ns]? on trust\b": "say who trusts what",
    r"\bbehaves like\b": "say which change makes which side agree",
    r"\bwhat is left of\b": "say 'the remaining'",
    r"\bfactor 2\b": "say 'a factor of 2'",
    r"(?:is|are) uninitialised|\bcolour|behaviour": "American spelling",
}
"""Words of earlier versions that a reader stumbled over -> what is said instead."""


@pytest.fixture(scope="module")
def making():
    specification = importlib.util.spec_from_file_location("sentences_page", MAKING)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page(making):
    return making.page()


def test_the_page_is_that_of_this_source(making, page):
    assert making.PAGE.read_text(encoding="utf-8") == page, "run make sentences"


def test_every_file_stands_on_it_once(page):
    files = re.findall(r"^### (.*)$", page, re.MULTILINE)
    assert len(files) == len(set(files)) > 150


@pytest.mark.parametrize("words", STUMBLED_OVER)
def test_no_sentence_has_words_that_readers_stumbled_over(page, words):
    found = [line for line in page.splitlines() if re.search(words, line)]
    assert not found, f"{STUMBLED_OVER[words]}: {found[:5]}"


def test_no_pattern_stands_on_it(making, page, tmp_path):
    """A pattern is said to nobody, and one with `<!` ends the making of the documentation: Markdown takes it for a declaration."""
    assert "(?" not in page
    assert "<!" not in page
    file = tmp_path / "patterns.py"
    file.write_text('import re\nA = r"(?:one or two or three)+"\nB = re.compile(r"one|two or three|four <![x]")\n', encoding="utf-8")
    assert list(making.sentences(file)) == []


def test_sentences_are_found_in_every_form(making, tmp_path):
    file = tmp_path / "a.py"
    file.write_text(
        '"""No docstring of a file."""\n\ndef f(size_bytes):\n    "nor one of a function, ever"\n    return f"This is {size_bytes:,} bytes too large.", "a label"\n'
    )
    assert [text for _, text in making.sentences(file)] == ["This is ‹size bytes› bytes too large."]
