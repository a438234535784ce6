"""The ops that every backend is asked for, written once: what each computes (PyTorch's own function), and on what sizes.

One file for each kind. An adapter maps an op's name to its own call.
"""

from .op import Op, OpModule, Size
from .table import OPS, op_named

__all__ = ["OPS", "Op", "OpModule", "Size", "op_named"]
