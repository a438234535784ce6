"""since: tests of what older releases of PyTorch lack; there they are skipped with what is missing."""

import inspect

import pytest
import torch

RELEASE = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])


def since(major, minor, what):
    """A mark: PyTorch has it from this release on."""
    return pytest.mark.skipif((major, minor) > RELEASE, reason=f"PyTorch {torch.__version__} {what}")


def onednn(enabled):
    """PyTorch's own switch; where it knows TF32, it warns about that unless it is told to leave it."""
    flags = torch.backends.mkldnn.flags
    return flags(enabled=enabled, **({"allow_tf32": None} if "allow_tf32" in inspect.signature(flags).parameters else {}))
