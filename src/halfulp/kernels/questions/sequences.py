"""Sequences: calls that other calls may disturb: in the same memory, repeated, or on a device that is still busy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from ...verdicts.verdict import Verdict
from ..problems.calls import Setting, State, is_real, leaves, with_leaves
from ..promises.promises import Promises
from ..solutions.streams import ANOTHER, DEFAULT
from ..trials.sides import AS_GIVEN, How
from .parameters import CHANGED

REPEATED_S = 1.0
"""Repeats a call of ten milliseconds a hundred times: a failure in one call of fifty shows with probability 0.87."""
KEPT = "When new values are written to the memory of the call before, its results are wrong: it returns what it computed from the old ones."
CHANGES = "Called repeatedly on the same inputs, it gives different results, as happens when threads write to the same memory."
UNWAITED = (
    "While the device is still busy with its inputs, it gives other results: work that it puts on its own stream doesn't wait for them, "
    "or isn't finished when it returns."
)


@dataclass(frozen=True, eq=False)
class Disturbed:
    """One call.

    Attributes:
        label: see `Asked`. setting: on what. how: it is called. verdict, words: of a wrong answer, where that says more than the judgement.
        exotic: whether a difference decides nothing. alone: what the same call is by itself, as a kind of question and a label.
    """

    label: str
    setting: Setting
    how: How = AS_GIVEN
    verdict: Verdict | None = None
    words: str = ""
    exotic: bool = False
    alone: tuple[str, str] | None = None


def sequences(
    given: Setting, others: Sequence[Setting], promises: Promises, state: State | None, *, on_device: bool
) -> Iterator[Disturbed]:
    """The calls, in order.

    Args:
        others: two more draws. promises: what holds of every draw. state: other parameters, where there are any that a solution shares.
        on_device: whether the solution runs on one, which has streams.
    """
    for label, other in zip(("new contents in the same memory", "other contents in the same memory"), others):
        yield Disturbed(
            label, _as_long_as(given, other, promises), How(same_memory=True), Verdict.MISTAKE, KEPT, alone=("seed", "another draw")
        )
    exchanged = _two_exchanged(given, promises)
    if exchanged is not None:  # sums, sums of squares and the ends stay as they are, by which answers may be looked up
        alone = ("values", "two numbers of each input exchanged")
        yield Disturbed(
            "two numbers of each input exchanged, in the same memory", exchanged, How(same_memory=True), Verdict.MISTAKE, KEPT, alone=alone
        )
    if state:
        label = "other parameters in the same memory"  # as an optimizer leaves them
        yield Disturbed(label, replace(given, state=state), How(same_memory=True), Verdict.MISTAKE, KEPT, alone=("parameters", CHANGED))
    yield Disturbed("the first inputs again", given)
    yield Disturbed("the same inputs again and again", given, How(repeated_s=REPEATED_S), Verdict.NONDETERMINISTIC, CHANGES)
    if on_device:
        yield Disturbed("the device is busy, and the inputs come later", others[0], How(stream=DEFAULT), Verdict.MISTAKE, UNWAITED)
        # In C++, kernels are launched on the default stream unless another is named, and a problem doesn't ask for more.
        yield Disturbed("on a stream other than the default one", others[0], How(stream=ANOTHER), exotic=True)


def _two_exchanged(given: Setting, promises: Promises) -> Setting | None:
    """The inputs with two different numbers of each in each other's place, neither of them first, last or in the middle.

    Integers are exchanged where there is nothing else: they may be places in the right order. None where nothing can be exchanged.
    """
    tensors = leaves(given.arguments)
    floats = any(map(is_real, tensors))
    changed: dict[int, torch.Tensor] = {}
    for place, tensor in enumerate(tensors):
        if floats and not is_real(tensor):
            continue
        flat = tensor.reshape(-1).clone()
        one = len(flat) // 5
        other = next((at for at in range(3 * len(flat) // 5, len(flat) - 1) if bool(flat[at] != flat[one])), None) if one else None
        if other is not None:
            flat[one], flat[other] = tensor.reshape(-1)[other], tensor.reshape(-1)[one]
            changed[place] = flat.view(tensor.shape)
    arguments = with_leaves(given.arguments, changed)
    return replace(given, arguments=arguments) if changed and promises.hold(arguments) else None


def _as_long_as(given: Setting, other: Setting, promises: Promises) -> Setting:
    """The other draw with tensors of the given shapes; tensors of other lengths, such as edges of a random graph, are reversed instead.

    If that breaks a relation (the ends of pieces and their sum), the given numbers are reversed, except integers.
    """
    own, drawn = leaves(given.arguments), leaves(other.arguments)
    turned = {place: tensor.flip(-1) for place, tensor in enumerate(own) if tensor.dim() and tensor.shape != drawn[place].shape}
    if not turned:
        return other
    mixed = with_leaves(other.arguments, turned)
    if len(turned) < len(own) and all(tie.holds(leaves(mixed)) for tie in promises.ties):
        return replace(other, arguments=mixed)
    floats = {place: tensor.flip(-1) for place, tensor in enumerate(own) if is_real(tensor) and tensor.dim()}
    return replace(given, arguments=promises.kept(with_leaves(given.arguments, floats)) or given.arguments)
