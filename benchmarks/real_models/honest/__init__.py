"""Honest pairs: the same model computed in another of the ways that are right."""

from . import attention, caches, layouts, rewrites, runtimes, sixteen_bits, training

__all__ = ["attention", "caches", "layouts", "rewrites", "runtimes", "sixteen_bits", "training"]
