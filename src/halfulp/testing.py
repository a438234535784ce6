"""For tests of packages that bring a backend: `check_backend` tries every law that halfulp relies on."""

from .backends.conformance.conformance import Conformance, check_backend, conformance

__all__ = ["Conformance", "check_backend", "conformance"]
