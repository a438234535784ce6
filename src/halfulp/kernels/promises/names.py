"""Names: the literals to which a problem's text gives one name, as in "k: (T, num_kv_heads, head_dim)", become one size of that name."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import torch

from ..problems.calls import Setting, changed_axes
from ..problems.literals import literals_in
from ..problems.problem import LARGEST, Problem, count_of

Place = tuple[int, int]
"""An input and one of its axes; `CONSTRUCTOR` and a position for an argument of the constructor."""
CONSTRUCTOR = -1


def with_names(problem: Problem, given: Setting, axes: Mapping[str, Collection[Place]], arguments: Sequence[str]) -> Problem:
    """The problem with a size for each name that its text gives both to an argument of the constructor and to axes of inputs.

    Literals that such a name ties together can't be changed one at a time: the reference would broadcast, or fail. If the same number also
    stands where the text gives no name, or limits what is drawn, it may belong to them, and the name is left alone.

    Args:
        axes: of inputs, by the names that the text gives them. arguments: the names of the constructor's arguments, in order.
    """
    values = dict(zip(arguments, given.init))
    targets = {
        name: {*places, (CONSTRUCTOR, list(values).index(name))}
        for name, places in axes.items() if type(values.get(name)) is int and not name.isdecimal() and name not in problem.sizes
    }  # fmt: skip
    literals = literals_in(problem.text) if targets and any(not name.isidentifier() for name in problem.sizes) else {}
    effects = {key: _effect(problem, given, key) for key in literals if any(key.startswith(f"{values[name]}#") for name in targets)}
    called = {place for places in axes.values() for place in places}
    called |= {(CONSTRUCTOR, position) for position in range(len(given.init))}
    sizes, members = dict(problem.sizes), dict[str, list[str]]()
    for name, places in targets.items():
        alike = [key for key in effects if key.startswith(f"{values[name]}#")]
        own = [key for key in alike if effects[key] and effects[key] <= places]
        if len(own) < 2 or set[Place]().union(*(effects[key] for key in own)) != places:
            continue
        if any(literals[key] or not effects[key] <= called for key in alike if key not in own):
            continue
        members[name] = own
        for key in (*own, *([str(values[name])] if own == alike else [])):
            sizes.pop(key, None)
    if not members:
        return problem
    draw = problem.draw

    def drawn(seed: int, changes: Mapping[str, int]) -> Setting:
        plain = {name: size for name, size in changes.items() if name not in members}
        return draw(seed, plain | {key: size for name, size in changes.items() for key in members.get(name, ())})

    return replace(problem, draw=drawn, sizes={**{name: values[name] for name in members}, **sizes})


def _effect(problem: Problem, given: Setting, key: str) -> set[Place]:
    """Which lengths of axes, and which arguments of the constructor, one literal changes."""
    value = int(key.partition("#")[0])
    changed = None
    with contextlib.suppress(Exception), torch.device("meta"):  # whatever code makes of tensors without numbers
        changed = problem.draw(0, {key: 2 * value})
    if changed is None and count_of(given) <= LARGEST:
        with contextlib.suppress(Exception):  # whatever it says to a length that does not fit
            changed = problem.draw(0, {key: value + 1})
    if changed is None or len(changed.init) != len(given.init):
        return set()
    numbers = enumerate(zip(changed.init, given.init))
    own = {(CONSTRUCTOR, place) for place, (new, old) in numbers if type(new) is int and type(old) is int and new != old}
    return own | changed_axes(changed.arguments, given.arguments)
