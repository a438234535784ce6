"""OpInfo: PyTorch's own table of ops, with samples of inputs for each."""

from __future__ import annotations

import random
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
import torch

from ..errors import CaseFileError
from ..process.settings import RANDOM, put_back, readings, settings_kept


@cache
def op_infos() -> list[Any]:
    """The table, as PyTorch's tests have it.

    Raises:
        CaseFileError: a package is missing that it imports.
    """
    try:
        # Importing them seeds generators, sets variables, and freezes the flags of torch.backends for the whole process.
        with settings_kept(), warnings.catch_warnings(), mock.patch.object(torch.backends, "disable_global_flags"):
            warnings.simplefilter("ignore")
            from torch.testing._internal.common_methods_invocations import op_db
    except ModuleNotFoundError as error:
        raise CaseFileError(
            f"Got no package {error.name}. Needed: that package, which PyTorch's own samples of ops import. halfulp tests an op on these "
            f"samples. Run pip install {error.name}."
        ) from error
    return list(op_db)


@contextmanager
def drawing(seed: int) -> Generator[None]:
    """While inside, samples are drawn from generators with this seed; afterwards all generators are where they were."""
    before = readings(RANDOM)
    try:
        random.seed(seed)
        np.random.seed(seed)
        torch.default_generator.manual_seed(seed)
        yield
    finally:
        put_back(before)
