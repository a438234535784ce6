"""Sweeps: what they find on PyTorch's own samples, how well engines use their workers, and how fast the store answers."""
