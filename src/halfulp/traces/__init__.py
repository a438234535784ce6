"""What one implementation produced (Trace) and what it ran on (Fingerprint); the file format. NumPy only."""

from .fingerprint import Fingerprint, fingerprint, read_fingerprint
from .rank_merge import merge_ranks
from .reader import read_trace
from .trace import Ref, Step, Trace, Value

__all__ = ["Fingerprint", "Ref", "Step", "Trace", "Value", "fingerprint", "merge_ranks", "read_fingerprint", "read_trace"]
