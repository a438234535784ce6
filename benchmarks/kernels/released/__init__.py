"""Kernels that are released: those of Liger-Kernel, flash-linear-attention and conch, each with the problem that it solves."""
