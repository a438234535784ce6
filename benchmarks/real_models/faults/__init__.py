"""Planted faults of the kinds that ports really have."""

from . import decoders, encoders, mixtures, pictures, positions, states

__all__ = ["decoders", "encoders", "mixtures", "pictures", "positions", "states"]
