"""Words for backends: which are here, what they run in, what brings the others."""

from __future__ import annotations

from collections.abc import Mapping

from ...backends import Availability
from ...backends.habits import Habits
from .tables import as_text, plain_table


def backends_text(found: Mapping[str, Availability], habits: Mapping[str, Habits]) -> str:
    """The table of backends, and what was noticed of each that is here."""
    table = plain_table("backend", "where", "version", "float32 products run in", "subnormal numbers", "how to get it")
    for name, availability in found.items():
        habit = habits.get(name)
        table.add_row(
            name, availability.where or "-", availability.version or "-", _formats(habit) if habit is not None else "-",
            _subnormals(habit) if habit is not None else "-", "" if availability else availability.install or availability.reason,
        )  # fmt: skip
    lines = [f"{name}: {words}" for name, habit in habits.items() for words in habit_words(habit)]
    usable = sum(map(bool, found.values()))
    head = f"{usable} of {len(found)} backends can be used here. `halfulp backends install NAME` sets up a separate environment for a backend, next to this one."
    return as_text(head, "", table, "", *(["Noticed:", *(f"  {line}" for line in lines)] if lines else []))


def habit_words(habit: Habits) -> list[str]:
    """What is worth saying of a backend's habits, a sentence each."""
    found: list[str] = []
    for op, reading in habit.products.items():
        if reading.format != "float32":
            coarse = (
                "inputs and weights"
                if reading.inputs_bits == reading.weights_bits
                else "weights"
                if reading.weights_bits < 24
                else "inputs"
            )
            bits = min(reading.inputs_bits, reading.weights_bits)
            found.append(f"{op} of float32 numbers runs in {reading.format}: {coarse} are read with {bits} of 24 bits")
        elif reading.sums_bits < 24:
            found.append(f"{op} of float32 numbers keeps {reading.sums_bits} bits of a sum")
    if habit.flushes:
        found.append(f"flushes subnormal numbers to zero in {', '.join(habit.flushes)}")
    found += [switch.words for switch in habit.switches]
    found += list(habit.remarks)
    return found + [f"{op} could not be measured: {why}" for op, why in habit.failed.items()]


def _subnormals(habit: Habits) -> str:
    if not habit.subnormals:
        return "-"
    flushed = habit.flushes
    return "kept" if not flushed else "flushed" if len(flushed) == len(habit.subnormals) else f"flushed in {', '.join(flushed)}"


def _formats(habits: Habits) -> str:
    """The format of most products, and the others by name."""
    others = [f"{op} in {reading.format}" for op, reading in habits.products.items() if reading.format != habits.format]
    return ", ".join((habits.format, *others))
