"""locate(actual, expected): the first op that adds more than rounding. From two traces, or from two callables that are recorded first."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..process.border import answered
from ..traces import Trace, read_trace
from .conclusion import locate_in_ranks, locate_in_traces
from .origin import Origin
from .ranks import is_distributed

Traced = Trace | str | os.PathLike[str]


@answered
def locate(
    actual: Any,
    expected: Any,
    inputs: Any = None,
    *,
    declared: str | None = None,
    gradients: bool = False,
    rename: Mapping[str, str] | None = None,
    keywords: Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Origin:
    """Where two implementations begin to differ by more than rounding: which module, which op, and what that op adds by itself.

    Args:
        actual, expected: two traces (or the folders of two), or two callables. `nn.Module`s and functions are run once each on the inputs
            and recorded; nothing of their state is changed.
        inputs: for callables: a tuple or list of arguments; a dict whose keys are parameters of both is keyword arguments; anything else
            is the only argument.
        declared: the precision that `actual` is entitled to; default: that of each result in `expected`.
        gradients: for callables: also run and walk the backward pass.
        rename: patterns of module paths in `expected` -> in `actual` (`encoder.layer.*` -> `blocks.*`), where names can't be guessed.
        keywords: for callables: keyword arguments. seed: for callables: where random numbers start, the same on both sides.
        progress: called with a word about what is going on.

    Returns:
        An Origin. `.module` is None where nothing adds more than rounding.

    Raises:
        InputError: a trace and a callable mixed, inputs that are missing or not wanted. TraceError: a trace that can't be read.
        RunError: one of the two callables raised.

    Numerics:
        Each op of `expected` is evaluated in float64 on the numbers that `actual` had at that place; what `actual` made of them is
        compared with that, in units of how far rounding spreads the op (8 samples). The limits are those of `check`. What is inherited
        from earlier ops does therefore not count, whatever they amplify. Where no op stands out, callables are also judged as a whole, as
        `check` does: if that is beyond rounding, the answer is UNDECIDED and says between which points the rest lies.

    Example:
        >>> import copy, torch, halfulp
        >>> expected = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), torch.nn.Linear(8, 2))
        >>> actual = copy.deepcopy(expected)
        >>> actual[1].eps = 1e-3
        >>> halfulp.locate(actual, expected, torch.randn(4, 8)).module
        '1'
    """
    traces = [isinstance(item, (Trace, str, os.PathLike)) for item in (actual, expected)]
    if all(traces):
        if inputs is not None or keywords is not None or gradients:
            raise InputError(
                "Got two traces and inputs (or gradients=True). Needed: traces alone. What they hold was computed when they were recorded. "
                "Leave the other arguments out, or record with gradients=True."
            )
        if is_distributed(actual) and is_distributed(expected):
            return locate_in_ranks(Path(actual), Path(expected), declared=declared, rename=rename, progress=progress)
        return locate_in_traces(_opened(actual), _opened(expected), declared=declared, rename=rename, progress=progress)
    if any(traces) or not (callable(actual) and callable(expected)):
        got = f"Got {type(actual).__name__} and {type(expected).__name__}. Needed: two traces, or two callables with inputs. "
        if any(traces) and (callable(actual) or callable(expected)):
            raise InputError(
                f"{got}Both sides have to be of the same kind to be compared op by op. Record the callable first: "
                "halfulp.record(model, inputs, 'run.trace')."
            )
        raise InputError(
            f"{got}Only recorded runs and callables can be compared op by op. For two results: halfulp.compare(actual, expected)."
        )
    if inputs is None:
        raise InputError(
            "Got two callables and no inputs. Needed: the arguments to run them on. Both callables are recorded once. Pass the arguments "
            "as the third "
            "parameter."
        )
    from .recorded_sides import locate_in_functions

    return locate_in_functions(
        actual, expected, inputs, declared=declared, gradients=gradients, rename=rename, keywords=keywords, seed=seed, progress=progress
    )


def _opened(trace: Traced) -> Trace:
    return trace if isinstance(trace, Trace) else read_trace(Path(trace))
