"""Hostile and damaged results: texts that would be markup, escape codes or commands; structures that fit the schema and make no sense."""

import copy
import json
import random
import re
import traceback
from html.parser import HTMLParser
from pathlib import Path

import torch

import halfulp
from halfulp.documents import KINDS, parsed, restored
from halfulp.errors import HalfulpError
from halfulp.reports.pages import page
from halfulp.traces import fingerprint

TEXTS = (
    "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "javascript:alert(1)", "{{7*7}}", "</style><script>1</script>", "<!--<script>",
    "\x1b]0;owned\x07\x1b[2J\x1b[31m", "\u202edetrever", "a\nMISTAKE: x\n::add-mask::b", "::error::x", "##vso[task.setvariable]x", "]]>", "' onmouseover='alert(1)",
    "</title></textarea><svg/onload=alert(1)>", "\u2028\u2029", "${alert(1)}", "\ud800", "", "x" * 3000, "nan", "inf",
)  # fmt: skip
NUMBERS = (-1, 0, 1, -5, 10**18, 2**63, 10**400, 1e308, -1e308, 5e-324, 0.5, True)
VALUES = (None, True, [], {}, [[]], [None], {"a": 1}, [1, 2, 3], "nan", "inf", "-inf", *NUMBERS)


class Markup(HTMLParser):
    """What a page would run or load."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.foreign, self.scripts = [], 0

    def handle_starttag(self, tag, attributes):
        self.scripts += tag == "script"
        if tag in ("iframe", "object", "embed", "base", "form", "img"):
            self.foreign.append(tag)
        for name, value in attributes:
            if name.startswith("on") or re.match(r"\s*(javascript|vbscript|data:text)", value or "", re.I):
                self.foreign.append((tag, name, value))
            if name in ("href", "src", "xlink:href") and value and not value.startswith("#") and value != "data:,":
                self.foreign.append((tag, name, value))


def scripts_of(text):
    found = Markup()
    found.feed(text)
    assert not found.foreign, f"the page holds {found.foreign[:3]}"
    return found.scripts


def places(tree, here=()):
    yield here
    for key, part in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield from places(part, (*here, key))


def at(tree, place):
    for key in place:
        tree = tree[key]
    return tree


def changed(document, draw):
    """A document with one to four changes: texts, numbers, values of other kinds, parts left out or repeated."""
    tree = copy.deepcopy(document)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        place = draw.choice([each for each in places(tree) if each])
        owner, key = at(tree, place[:-1]), place[-1]
        value = owner[key]
        how = draw.random()
        if how < 0.15:
            del owner[key]
        elif how < 0.25 and isinstance(owner, list):
            owner.extend(copy.deepcopy(owner))
        elif isinstance(value, str) and how < 0.8:
            owner[key] = draw.choice(TEXTS)
        elif isinstance(value, (int, float)) and how < 0.85:
            owner[key] = draw.choice(NUMBERS)
        elif key == "verdict" or (isinstance(value, str) and value in VERDICTS):
            owner[key] = draw.choice(VERDICTS)
        else:
            owner[key] = copy.deepcopy(draw.choice((*VALUES, *TEXTS)))
    return tree


VERDICTS = ("IDENTICAL", "ROUNDING", "FLIP", "REDUCED_PRECISION", "UNSTABLE", "NONDETERMINISTIC", "MISTAKE", "UNDECIDED")


def verdicts_exchanged(document, draw):
    """Another verdict and other evidence: all of it fits the schema, and none of it belongs together."""
    tree = copy.deepcopy(document)
    for place in list(places(tree)):
        if place and at(tree, place) in VERDICTS if isinstance(at(tree, place), str) else False:
            at(tree, place[:-1])[place[-1]] = draw.choice(VERDICTS)
    for place in list(places(tree)):
        if place and place[-1] == "measured" and draw.random() < 0.3:
            measured = at(tree, place)
            for name in list(measured):
                if draw.random() < 0.4:
                    del measured[name]
        if place and place[-1] in ("finding", "because") and draw.random() < 0.3:
            at(tree, place[:-1])[place[-1]] = draw.choice(["", "x", "stays", "vanishes", "beyond", "same"]) if place[-1] == "finding" else draw.choice(
                [[], ["scaling"], ["families"], ["loss"], ["casts"], ["search"], ["integers"], ["x"]]
            )  # fmt: skip
    return tree


def outcome_of(document, draw, scripts):
    """Refused, works, or what is wrong."""
    text = json.dumps(document)
    if draw.random() < 0.05:
        place = draw.randrange(len(text))
        text = text[:place] + draw.choice(["", "[", "}", "\x00", "\\", "9" * 5000]) + text[place:]
    try:
        content = parsed(text, "f.json")
        result = restored(content["kind"], content, "f.json")
    except HalfulpError as error:
        return "refused" if "\n" not in str(error) and len(str(error)) < 1500 else f"a message of several lines: {str(error)[:200]!r}"
    try:
        return shown_as(result, draw, scripts)
    except HalfulpError as error:  # it fits the schema, and its values contradict each other
        return "refused" if "\n" not in str(error) and len(str(error)) < 1500 else f"a message of several lines: {str(error)[:200]!r}"


def shown_as(result, draw, scripts):
    for form in ("full", "answer"):
        shown = halfulp.report(result, form=form)
        bad = [each for each in shown if not each.isprintable() and each not in "\n\t"]
        if bad:
            return f"{bad[0]!r} reaches the terminal"
        if re.search(r"^\s*(::|##\[|##vso\[)", shown, re.MULTILINE):
            return "a line that a CI log takes for a command"
    if scripts is not None and draw.random() < 0.3:
        made = page(result)
        made.encode()
        if scripts_of(made) > scripts:  # one fewer where there is nothing left to draw
            return "another script in the page"
    return "works"


def documents_of(results):
    """Kind -> its document and how many scripts its page has (None without a page)."""
    found = {}
    for kind in KINDS:
        result = results[kind]
        try:
            scripts = scripts_of(page(result))
        except HalfulpError:
            scripts = None
        found[kind] = json.loads(result.to_json()), scripts
    return found


def prepared(folder):
    """A function that tries the mutation of a number, on results that were written into a file beside."""
    documents = made_in(folder)

    def tried(number):
        draw = random.Random(number)
        kind = draw.choice(list(documents))
        document, scripts = documents[kind]
        changes = verdicts_exchanged if number % 3 == 0 else changed
        try:
            return kind, outcome_of(changes(document, draw), draw, scripts)
        except Exception as error:
            own = [each for each in traceback.extract_tb(error.__traceback__) if "halfulp/" in each.filename]
            return kind, f"{type(error).__name__}: {error} at {Path(own[-1].filename).name}:{own[-1].lineno}"

    return tried


def made_in(folder):
    """A result of each kind that is quickly made: of two small functions."""
    w = torch.randn(24, 12, generator=torch.Generator().manual_seed(0))
    x = torch.randn(8, 24, generator=torch.Generator().manual_seed(1))

    def actual(x):
        return x[:, :12] @ w[:12] + x[:, 12:] @ w[12:] * (1 + 1e-4)

    def expected(x):
        return x @ w

    def sized(seed, size=24):
        return (torch.randn(size, 24, generator=torch.Generator().manual_seed(seed)),)

    made = {
        "check": halfulp.check(actual, expected, (x,), full=True, closeups=True),
        "comparison": halfulp.compare({"y": torch.tensor([1.0, 2.0, torch.nan])}, {"y": torch.tensor([1.0, 2.5, 3.0])}),
        "origin": halfulp.locate(actual, expected, (x,)),
        "explanation": halfulp.explain(actual, expected, (x,), processes=False),
        "audit": halfulp.audit(lambda x: x.double() * x, (x,)),
        "growth": halfulp.growth(actual, expected, sized, sizes=(8, 16, 32)),
        "fingerprint": fingerprint(),
    }
    return {kind: (json.loads(result.to_json()), scripts_of(page(result))) for kind, result in made.items()}
