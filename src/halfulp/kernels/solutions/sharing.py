"""Sharing: which of the reference's parameters and buffers each of the solution's corresponds to."""

from __future__ import annotations

from collections.abc import Collection

from ..problems.calls import State, equal


def shared_state(reference: State, own: State, tables: Collection[str] = ()) -> tuple[dict[str, str] | None, str]:
    """The reference's name for each of the solution's parameters and buffers, and a sentence about what can't be shared.

    Args:
        own: the solution's, but for buffers that it doesn't store. tables: the reference's buffers that are no inputs: a solution may do
            without them.
    """
    wanted = {name: tensor for name, tensor in reference.items() if name in own or name not in tables}
    if set(wanted) == set(own) and all(wanted[name].shape == own[name].shape for name in own):
        return {name: name for name in own}, ""
    if (alike := _made_alike(wanted, own)) is not None:
        note = "The solution's parameters differ in name from the reference's, so they are matched by their initial values."
        return alike, note
    if len(wanted) == len(own) and all(a.shape == b.shape for a, b in zip(wanted.values(), own.values())):
        note = "The solution's parameters have other names than the reference's, so they are matched by their order."
        return dict(zip(own, wanted)), note
    if not own and not wanted:
        return {}, ""
    return None, "The parameters can't be matched: the solution's differ from the reference's. Both sides draw theirs from the same seed."


def _made_alike(wanted: State, own: State) -> dict[str, str] | None:
    """The reference's name for each of the solution's tensors, if each has one of the same numbers (in order, if several have); else None.

    A scale of ones and an offset of zeros are told apart in whatever order a solution makes them; so is what is drawn from one seed.
    """
    left, found = dict(wanted), dict[str, str]()
    for name, tensor in own.items():
        same = next((other for other, numbers in left.items() if numbers.dtype == tensor.dtype and equal(numbers, tensor)), None)
        if same is None:
            return None
        found[name] = same
        del left[same]
    return found if not left and own else None
