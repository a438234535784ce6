"""since: tests of what older releases of PyTorch lack; there they are skipped with what is missing."""

import pytest
import torch

RELEASE = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])


def since(major, minor, what):
    """A mark: PyTorch has it from this release on."""
    return pytest.mark.skipif((major, minor) > RELEASE, reason=f"PyTorch {torch.__version__} {what}")
