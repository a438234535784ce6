"""The two sides are called what they are: a reader never has to find out whose `mine` is."""

import tokenize
from pathlib import Path

import halfulp

SOURCE = Path(halfulp.__file__).parent
NOBODYS = {"mine", "theirs", "ours"}


def names(lines):
    """The identifiers of a source that hide which side they are of, with their lines."""
    return [
        (token.string, token.start[0])
        for token in tokenize.generate_tokens(lines)
        if token.type == tokenize.NAME and token.string in NOBODYS
    ]


def test_the_fence_sees_names_and_no_words():
    assert names(iter(["mine = 1  # theirs\n", "x = 'ours'\n"]).__next__) == [("mine", 1)]


def test_sides_are_called_actual_and_expected():
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        with path.open() as file:
            hits = names(file.readline)
        if hits:
            found[str(path.relative_to(SOURCE))] = hits
    assert not found
