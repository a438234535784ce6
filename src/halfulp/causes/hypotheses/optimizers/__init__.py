"""What goes wrong with optimizers: each of PyTorch's written out, with the places where implementations differ as choices."""

from .families import FAMILIES, optimizers

__all__ = ["FAMILIES", "optimizers"]
