"""What an implementation ran on: its Fingerprint. NumPy only."""

from .fingerprint import Fingerprint, fingerprint

__all__ = ["Fingerprint", "fingerprint"]
