"""From subtree sizes to the tree: all questions of one level are asked together, and equal groups only once.

References:
    Xie, Gao, Wang, Xue, "Revealing Floating-Point Accumulation Orders in Software/Hardware Implementations", USENIX ATC 2025 (FPRev), for
    splitting leaves by the sizes seen from the first of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..orders import Tree
from ..orders.replayed import evaluate
from .masks import Masks, NotCounts

Indices = npt.NDArray[np.int64]

SPOTS_PER_COPY = 2
"""Random pairs asked in each group that was taken to be like another one."""

LEAVES_AT_ONCE = 1 << 22

SINGLES = 16
"""Random pairs asked again by themselves: that questions of one run disturb each other, or are answered by other orders, shows here."""


@dataclass
class _Group:
    """Leaves that form a subtree, or part of one operation's operands."""

    leaves: Indices
    pivot: int = 0
    parts: list[tuple[int, _Group]] = field(default_factory=list)  # (leaves of the subtree so far and this part, the part)
    like: _Group | None = None


def reveal_tree(
    masks: Masks, extras: int, step: Callable[[str, float], None], patience_s: float = math.inf, *, copies: bool = True
) -> Tree:
    """The tree that a function adds in.

    Args:
        masks: what to ask. extras: how many of its leaves, the last ones, are extra leaves.
        step: told what is being done and how much of it is done (0 to 1). patience_s: how long one level of questions may take.
        copies: whether groups of leaves that look alike may be asked once; each is then asked at a few random pairs.

    Raises:
        NotCounts: the answers fit no tree.
        InputError: asking would take longer than `patience_s`.
    """
    terms = masks.leaves - extras
    random = np.random.default_rng(1)
    root = _Group(np.arange(masks.leaves, dtype=np.int64))
    level = [root]
    spots, seen = np.zeros((0, 2), np.int64), np.zeros(0)
    known: dict[bytes, _Group] = {}
    while level:
        step("asking for the order", 1.0 - sum(len(group.leaves) for group in level) / (masks.leaves + 1))
        asked, copied = _without_copies(level, terms, known) if copies else (level, [])
        more = _spots(copied, random)
        questions = np.concatenate([*map(_pairs, asked), more])
        expected_s = masks.seconds_for(len(questions))
        if expected_s > patience_s:
            raise InputError(
                f"Got a sum of {masks.leaves:,} terms, whose order takes {len(questions):,} tests of pairs of terms "
                f"({masks.parallel:,} per run), about {expected_s:,.0f} s. Needed: patience_s above that; it is {patience_s:g} "
                "now. None of the common orders reproduces its bits. Use fewer terms, or inputs with more rows (each row tests another "
                "pair), or call halfulp.order(..., patience_s=math.inf) in Python."
            )
        answers = masks.sizes(questions)
        spots, seen = np.concatenate((spots, more)), np.concatenate((seen, answers[len(answers) - len(more) :]))
        level = []
        done = 0
        for group in asked:
            count = len(group.leaves) - 1
            level += _split(group, answers[done : done + count], random)
            done += count
            if copies:
                _learn(group, terms, known)
    writer = _Writer(masks.leaves)
    writer.write(root)
    tree = Tree.from_nodes(terms, extras, writer.children)
    if not np.array_equal(shared_sizes(tree, spots), seen):
        return reveal_tree(masks, extras, step, patience_s, copies=False)
    # Where runs are long the proof has to do: replaying a tree that mixes two orders does not give the same bits.
    if masks.parallel > 1 and not masks.implementation.is_large:
        singles = random_pairs(masks.leaves, SINGLES, random)
        if not np.array_equal(shared_sizes(tree, singles), masks.sizes(singles, single=True)):
            raise NotCounts("rows of one result add in different orders")
    return tree


def agrees(masks: Masks, tree: Tree, count: int) -> bool:
    """Whether a tree fits what random pairs of leaves say."""
    pairs = random_pairs(masks.leaves, count, np.random.default_rng(3))
    return np.array_equal(shared_sizes(tree, pairs), masks.sizes(pairs))


def shared_sizes(tree: Tree, pairs: Indices) -> npt.NDArray[np.float64]:
    """How many leaves the smallest subtree with both leaves of each pair has: masks and units, added in the tree's order."""
    if not len(pairs):
        return np.zeros(0)
    most = max(1, LEAVES_AT_ONCE // (tree.terms + tree.extras))
    if len(pairs) > most:
        return np.concatenate([shared_sizes(tree, pairs[place : place + most]) for place in range(0, len(pairs), most)])
    leaves = np.ones((len(pairs), tree.terms + tree.extras))
    rows = np.arange(len(pairs))
    leaves[rows, pairs[:, 0]], leaves[rows, pairs[:, 1]] = 2.0**100, -(2.0**100)
    return leaves.shape[1] - evaluate(tree, leaves)


def random_pairs(leaves: int, count: int, random: np.random.Generator) -> Indices:
    """Pairs of different leaves."""
    pairs = random.integers(0, leaves, (count, 2))
    return pairs[pairs[:, 0] != pairs[:, 1]]


def _pairs(group: _Group) -> Indices:
    others = np.delete(group.leaves, group.pivot)
    return np.stack((np.full(len(others), group.leaves[group.pivot]), others), 1)


def _without_copies(level: list[_Group], terms: int, known: dict[bytes, _Group]) -> tuple[list[_Group], list[_Group]]:
    """The groups of a level with patterns of leaves that are new, and the others, marked as like one that was asked."""
    kept: list[_Group] = []
    copied: list[_Group] = []
    for group in level:
        first = known.setdefault(_pattern(group.leaves), group) if group.leaves[-1] < terms else group
        if first is group:
            kept.append(group)
        else:
            group.like = first
            copied.append(group)
    return kept, copied


def _pattern(leaves: Indices) -> bytes:
    return (leaves - leaves[0]).tobytes()


def _learn(group: _Group, terms: int, known: dict[bytes, _Group]) -> None:
    """Remembers the subtrees along which a group grew: the halves of a pairwise sum are like the beginning of the whole."""
    leaves = group.leaves[[group.pivot]]
    for place, (_, part) in enumerate(group.parts[:-1]):
        leaves = np.concatenate((leaves, part.leaves))
        if len(part.leaves) == 1 and len(group.parts[place + 1][1].leaves) == 1:
            continue
        held = np.sort(leaves)
        if held[-1] < terms:
            grown = _Group(held, int(np.searchsorted(held, group.leaves[group.pivot])), group.parts[: place + 1])
            known.setdefault(_pattern(held), grown)


def _split(group: _Group, sizes: npt.NDArray[Any], random: np.random.Generator) -> list[_Group]:
    """Sorts a group's leaves by the size of the subtree shared with the pivot; returns the parts to be asked in turn."""
    others = np.delete(group.leaves, group.pivot)
    found: list[_Group] = []
    held = 1
    for size in np.unique(sizes):
        part = _Group(others[sizes == size])
        held += len(part.leaves)
        if held != size:
            raise NotCounts(f"the results would put {held} leaves in a subtree of {size:.0f}")
        group.parts.append((int(size), part))
        if len(part.leaves) > 1:
            # A pivot at the end of a chain splits off nothing: a random one halves the rest on average.
            part.pivot = int(random.integers(len(part.leaves))) if 2 * len(part.leaves) > len(group.leaves) > 8 else 0
            found.append(part)
    return found


class _Writer:
    """Additions of the groups in order."""

    def __init__(self, leaves: int) -> None:
        self.children: list[tuple[int, ...]] = []
        self.leaves = leaves

    def _add(self, members: tuple[int, ...]) -> int:
        self.children.append(members)
        return self.leaves + len(self.children) - 1

    def write(self, group: _Group) -> int:
        """The node of a group; a group that joins in one operation with its siblings is spread among them."""
        members = self._members(group, group.leaves)
        return members[0] if len(members) == 1 else self._add(tuple(members))

    def _members(self, group: _Group, leaves: Indices) -> list[int]:
        """The operands of a group's last addition."""
        source = group.like or group
        # A copy has the same places in its own leaves as its model has in its own: both are sorted.
        place = {int(leaf): int(own) for leaf, own in zip(source.leaves, leaves)}
        if len(leaves) == 1:
            return [int(leaves[0])]
        members = [place[int(source.leaves[source.pivot])]]
        for number, (size, part) in enumerate(source.parts):
            own = np.array([place[int(leaf)] for leaf in part.leaves])
            if len(own) == 1:
                joined = [int(own[0])]
            else:
                joined = self._members(part, own)
                top = (part.like or part).parts[-1][0]
                if top == len(own):
                    joined = [self._add(tuple(joined))]
                elif top != size:
                    raise NotCounts(f"the results would put a group of size {len(own)} in a subtree of size {top}")
            members += joined
            if number + 1 < len(source.parts):
                members = [self._add(tuple(members))]
        return members


def _spots(copied: list[_Group], random: np.random.Generator) -> Indices:
    spots = [random.choice(group.leaves, 2, replace=False) for group in copied for _ in range(SPOTS_PER_COPY)]
    return np.array(spots, np.int64).reshape(-1, 2)
