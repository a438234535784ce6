"""What one implementation produced (Trace) and what it ran on (Fingerprint); the file format. NumPy only."""

from .fingerprint import Fingerprint, fingerprint
from .reading import read_trace
from .trace import Ref, Step, Trace, Value

__all__ = ["Fingerprint", "Ref", "Step", "Trace", "Value", "fingerprint", "read_trace"]
