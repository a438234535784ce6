"""Clauses: the parts of a sentence that say one thing each; what a part says, denies or leaves open, of results or of inputs, and of which.

A topic is a pattern that finds the words for it, "NaN"; `wording` has them. By which words a clause denies or limits a topic, or refers to
what was said before, stands in `grammar`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from . import grammar
from .sentences import NAME


@dataclass(frozen=True)
class Clause:
    """A part of a sentence that says one thing.

    Attributes:
        words: of it. sentence: in which it stands.
        item: what it describes, the words before a colon, "x: float32, finite", or "". before: the names that the clause before was about.
        after: the words of the clause that follows in the sentence, or "". known: the names of all arguments.
        is_first: whether the sentence begins with it.
    """

    words: str
    sentence: str
    item: str = ""
    before: tuple[str, ...] = ()
    after: str = ""
    known: tuple[str, ...] = ()
    is_first: bool = True

    def says(self, topic: re.Pattern[str]) -> bool:
        """Whether it mentions a topic, without denying it or leaving it open."""
        return not self.leaves_open(topic) and self.mentions(topic)

    def mentions(self, topic: re.Pattern[str]) -> bool:
        """Whether it mentions a topic, without denying it."""
        return any(not self._is_denied(match) for match in topic.finditer(self.words))

    def denies(self, topic: re.Pattern[str]) -> bool:
        """Whether it mentions a topic only to deny it."""
        found = list(topic.finditer(self.words))
        return bool(found) and all(map(self._is_denied, found))

    def leaves_open(self, topic: re.Pattern[str]) -> bool:
        """Whether it mentions a topic and says that what becomes of it is not laid down."""
        if topic.search(self.words) is None:
            return False
        goes_on = grammar.OPENS_CASE.match(self.words) or grammar.REFERS_BACK.match(self.after)
        return any(
            grammar.LEFT_OPEN.search(topic.sub(" ", words)) is not None for words in (self.words, *((self.after,) if goes_on else ()))
        )

    def _is_denied(self, match: re.Match[str]) -> bool:
        before, after = grammar.AFFIRMED.sub(" ", self.words[: match.start()]), re.sub(r"\([^()]*\)|[()]", " ", self.words[match.end() :])
        if re.search(r"\bnon[- ]?$", before, re.IGNORECASE) or re.match(r"[-\s]free\b", after):
            return True
        # A topic may begin with the verb that ends a denial: "without" denies the keys alone in "rows without keys have -inf".
        first = grammar.VERB.match(match[0]) or grammar.ENDS_DENIAL.match(match[0])
        before = f"{before}{first[0]}" if first is not None else before
        if any(_reaches(found, before) for found in grammar.STRONG.finditer(before)):
            return True
        if any(not grammar.VERB.search(before[found.end() :]) for found in grammar.WEAK.finditer(before)):
            return True
        return grammar.DENIED_AFTER.search(grammar.STOPS.split(grammar.AFFIRMED.sub(" ", after))[0]) is not None

    def is_conditional(self, topic: re.Pattern[str]) -> bool:
        """Whether it mentions a topic only for some cases: "if x is finite", "usually finite"."""
        found = list(topic.finditer(self.words))
        return bool(found) and (
            grammar.HEDGED.search(self.words) is not None
            or all(grammar.CASE.search(self.words[: match.start()]) is not None for match in found)
        )

    def is_of_results(self, topic: re.Pattern[str]) -> bool:
        """Whether it says it of results, or of what a kernel computes on the way, and not of inputs."""
        match = topic.search(self.words)
        if match is None:
            return False
        own = {name.lower() for name in self.known}
        lead = grammar.OF_INPUTS_AGAIN.split(self.words[: match.end()])[-1]
        results = (found for found in grammar.RESULT.finditer(lead) if not self._is_equation_of_input(found, lead))
        if any(found[0].lower() not in own for found in results) or grammar.INSIDE.search(self.words):
            return True
        if grammar.MADE.search(lead) and not self.names:
            return True
        if not self.is_of_all and any(found[0].lower() not in own for found in grammar.RESULT.finditer(self.item)):
            return True
        in_results = grammar.IN_RESULTS.search(self.words[match.end() :])
        return in_results is not None and own.isdisjoint(re.findall(NAME, in_results[0].lower()))

    def _is_equation_of_input(self, found: re.Match[str], words: str) -> bool:
        """Whether an equation gives the value of an argument: "hi = inf"."""
        before = words[: found.start()].split()
        return found[0].startswith("=") and bool(before) and before[-1] in self.known

    def about_equation(self, topic: re.Pattern[str]) -> Clause:
        """The clause, or only the equation in it that gives a topic as the value of an argument: "lse = -inf" of "has lse = -inf and o"."""
        for match in topic.finditer(self.words):
            before = self.words[: match.start()].split()
            if before[-1:] == ["="] and before[-2:-1] and before[-2] in self.known:
                return replace(self, words=f"{before[-2]} = {match[0]}", item="")
        return self

    def is_of_inputs(self, topic: re.Pattern[str]) -> bool:
        """Whether an adjective is said of inputs, or of their numbers: not "a contiguous range of rows"."""
        return any(self._qualifies(match) for match in topic.finditer(self.words)) and not self.is_of_results(topic)

    def _qualifies(self, match: re.Match[str]) -> bool:
        after = self.words[match.end() :]
        before, noun = self.words[: match.start()], _noun(after)
        is_said_of_subject = grammar.PREDICATIVE.search(before) or (noun in ("number", "value") and grammar.ONE_NUMBER.search(before))
        if not grammar.NO_NOUN.match(after) and not is_said_of_subject:
            return (
                noun in grammar.INPUTS
                or self._names_a_part(noun)
                or (bool(self._named_in(self.item)) and noun.endswith("s") and noun not in grammar.PIECES)
            )
        subject = grammar.ADDS_NOTHING.sub("", self.subject(match.start())).strip()
        heads = _heads(subject)
        if not grammar.PIECES.isdisjoint(heads):
            return False
        return not subject or bool(self._named_in(subject)) or any(word in grammar.INPUTS or self._names_a_part(word) for word in heads)

    def _names_a_part(self, word: str) -> bool:
        """Whether a word is a part of an argument's name: "mask" of "attn_mask"."""
        return any(word.removesuffix("s") in (part.removesuffix("s") for part in name.lower().split("_")) for name in self.known)

    def subject(self, end: int | None = None) -> str:
        """The words before the verb, of the part of the clause that ends there; none if it has no verb."""
        part = grammar.SUBJECT_BEGINS.split(self.words[:end])[-1]
        verb = grammar.VERB.search(part)
        return part[: verb.start()].strip() if verb is not None else ""

    @property
    def _lead(self) -> str:
        """All words before the first verb; none if there is no verb."""
        verb = grammar.VERB.search(self.words)
        return self.words[: verb.start()].strip() if verb is not None else ""

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments that it is about: those that it names, or else that of its item, or those that "it" stands for."""
        cases = (self.words[: found.start()] for found in grammar.CASE.finditer(self.words))
        main = next((before for before in cases if not grammar.LINKS.issuperset(before.lower().split())), self.words)
        own, item = self._named_in(main), self._named_in(self.item)
        if own and (not item or self._named_in(self._lead)):
            return own
        if item and not self.is_first and grammar.SEVERAL.search(self.words):
            return tuple(dict.fromkeys((*self.before, *item, *own)))
        if item or own:
            return tuple(dict.fromkeys((*item, *own)))
        return self.before if self._goes_on() else ()

    def _goes_on(self) -> bool:
        """Whether it is about what the clause before was about: it has a pronoun for a subject, or none."""
        words = [word for word in re.findall(r"[a-z]+", self._lead.lower()) if word not in grammar.LINKS]
        if self.is_first:
            return bool(words) and words[0] in grammar.PRONOUNS
        return not words or not grammar.PARTS.isdisjoint(words)

    @property
    def has_own_subject(self) -> bool:
        """Whether its verb has a subject that is neither an argument nor a word for numbers: "the scores below stay within 1"."""
        lead = self._lead
        words = re.findall(r"[a-z]+", lead.lower())
        return bool(words) and not self._named_in(lead) and grammar.PARTS.isdisjoint(words)

    @property
    def is_of_all(self) -> bool:
        """Whether it speaks of inputs in general: "all inputs", "either operand"."""
        return (
            re.search(r"\b(?:inputs|tensors|arguments|operands|(?:any|every|each|either) (?:input|tensor|argument|operand))\b", self.words)
            is not None
        )

    def _named_in(self, words: str) -> tuple[str, ...]:
        return names_in(words, self.known)


def names_in(words: str, known: Collection[str]) -> tuple[str, ...]:
    """The known names among words, also in the plural; "a" only where it is used like a name."""
    said = {word.lower().removesuffix("s") for word in re.findall(NAME, words) if word.lower() not in ("a", "as", "is", "us")}
    said |= {"a"} if re.search(rf"\ba\b{grammar.LIKE_A_NAME}", words, re.IGNORECASE) else set()
    return tuple(name for name in known if (name.lower().removesuffix("s") or name.lower()) in said)


def clauses_of(sentences: Sequence[str], known: Sequence[str] = ()) -> list[Clause]:
    """The clauses of some sentences, in order.

    Args:
        known: the names of all arguments.
    """
    found: list[Clause] = []
    names: tuple[str, ...] = ()
    for sentence in sentences:
        parts = list(_parts(sentence, known))
        so_far: dict[str, None] = {}
        for place, (words, item) in enumerate(parts):
            clause = Clause(
                words=_completed(words, parts[place - 1][0] if place else ""),
                sentence=sentence,
                item=item,
                before=tuple(so_far) if so_far and grammar.SEVERAL.search(words) else names,
                after=parts[place + 1][0] if place + 1 < len(parts) else "",
                known=tuple(known),
                is_first=place == 0,
            )
            found.append(clause)
            names = clause.names or (names if not clause.is_first else ())
            so_far |= dict.fromkeys(names)
    return found


def _completed(words: str, before: str) -> str:
    """The words of a clause, with what it leaves out because the one before said it: "y never holds NaN, but x does"."""
    verb = grammar.VERB.search(before)
    if verb is None or not grammar.ELLIPTIC.fullmatch(words):
        return words
    return f"{words} {grammar.STRONG.sub('', before[verb.end() :]).strip()}"


def is_hedged(match: re.Match[str]) -> bool:
    """Whether the clause around a match is about what is usual."""
    before = re.split("[,;:]", match.string[: match.start()])[-1]
    after = re.split("[,;:]", match.string[match.end() :])[0]
    return grammar.HEDGED.search(f"{before}{match[0]}{after}") is not None


def is_denied_before(match: re.Match[str]) -> bool:
    """Whether a denial reaches a match: "neither M nor N needs to be even"."""
    before = re.split("[,;:(]", match.string[: match.start()])[-1]
    return any(_reaches(found, before) for found in grammar.STRONG.finditer(grammar.AFFIRMED.sub(" ", before)))


def _reaches(denial: re.Match[str], before: str) -> bool:
    """Whether a denial denies what follows the words in which it was found."""
    scope = before[denial.end() :]
    if grammar.ENDS_DENIAL.search(scope):
        return False
    lead = grammar.COMPLEMENT.split(before[: denial.start()])[-1]
    if not grammar.EMBEDDED.search(lead):
        return True
    return len(grammar.VERB.findall(scope)) < (1 if denial["noun"] and not grammar.RELATIVE_LAST.search(lead) else 2)


def _heads(subject: str) -> list[str]:
    """The nouns of a subject that its verb belongs to: "values" of "all values of x"."""
    first = grammar.HEAD_ENDS.split(subject.lower())[0]
    return [found[-1] for part in re.split(r"\b(?:and|or|nor)\b|[,/&]", first) if (found := re.findall(r"[\w-]+", part))]


def _noun(words: str) -> str:
    """The noun after an adjective, the last of several, or "inputs" where only a format stands there."""
    noun = "inputs"
    for found in itertools.islice(re.finditer(r"[\w-]+", words), 5):
        if grammar.NO_NOUN.match(words[found.start() :]) or (found.start() and not words[: found.start()].endswith((" ", "-"))):
            break
        noun = found[0].lower() if found[0].lower() not in grammar.FILLERS else noun
        if words[found.end() :][:1] not in (" ", ""):
            break
    return noun


def _parts(sentence: str, known: Collection[str], item: str = "") -> Iterator[tuple[str, str]]:
    """The words of each clause, and what it describes. What brackets say in words of their own follows the clause in which they stand."""
    inner: list[str] = []

    def taken(match: re.Match[str]) -> str:
        if not (grammar.VERB.search(match[1]) or grammar.STRONG.search(match[1])) or len(match[1].split()) < 2:
            return match[0]
        inner.append(match[1])
        return f" \x02{len(inner) - 1} "

    whole = grammar.GROUP.sub(lambda match: _closed(match[0]), grammar.BRACKETS.sub(taken, sentence))
    whole = grammar.LISTED.sub(_kept_together, whole)
    waiting = ""  # the names of a list, or where something holds: the next piece goes on with it
    pieces = list(_pieces(whole))
    for place, (piece, has_colon) in enumerate(pieces):
        bare = re.sub(r"\s*\([^()]*\)|\x02\d+", "", piece).strip()
        is_name = bool(bare) and _are_names(f"{waiting}{bare}", known)
        is_heading = place == 0 and grammar.HEADING.fullmatch(bare) is not None and not grammar.VERB.search(bare)
        if has_colon and (is_name or is_heading):
            item = f"{waiting}{bare}"
        if has_colon and is_name and bare == piece:
            waiting = ""
            continue
        is_lead = is_name or (place == 0 and grammar.PREPOSITIONAL.match(piece) and not grammar.VERB.search(piece))
        if is_lead and not has_colon and place + 1 < len(pieces):
            waiting += f"{piece}, "
            continue
        for part in _at_conjunctions(f"{waiting}{piece}"):
            words = " ".join(re.sub(r"\x02\d+", "", part).translate(OPENED).split())
            if words:
                yield words, item
            for number in re.findall(r"\x02(\d+)", part):
                yield from _parts(inner[int(number)], known, item)
        waiting = ""


def _pieces(words: str) -> Iterator[tuple[str, bool]]:
    """What stands between separators, and whether a colon ends it."""
    start = 0
    for found in grammar.SEPARATOR.finditer(words):
        if words[start : found.start()].strip():
            yield words[start : found.start()].strip(), ":" in found[0]
        start = found.end()
    if words[start:].strip():
        yield words[start:].strip(), False


def _are_names(words: str, known: Collection[str]) -> bool:
    """Whether words are nothing but known names, with commas or "and" between them."""
    return all(word in known or word == "and" for word in re.split(r"[\s,/]+", words.strip(", ")))


OPENED = {0: ",", 1: ":", 3: ";"}


def _closed(words: str) -> str:
    """Words within which no clause ends."""
    return words.replace(",", "\x00").replace(":", "\x01").replace(";", "\x03")


def _kept_together(match: re.Match[str]) -> str:
    """A list, unless something else than things stand in it, or a new subject: "x holds logits, k and v are dense"."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    start = grammar.SEPARATOR.split(before)[-1]
    first, _, rest = match[0].partition(",")
    if grammar.QUALITIES.search(rest) or (grammar.VERB.search(f"{start}{first}") and grammar.VERB.match(after.strip())):
        return match[0]
    return _closed(match[0])


def _at_conjunctions(piece: str) -> Iterator[str]:
    """The parts of a piece between conjunctions."""
    for part in grammar.CONJUNCTION.split(piece):
        start = 0
        for match in grammar.GOES_ON.finditer(part):
            if grammar.VERB.search(part[start : match.start()]):
                yield part[start : match.start()]
                start = match.end()
        yield part[start:]
