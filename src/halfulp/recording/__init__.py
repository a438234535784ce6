"""Recording: runs PyTorch code and writes its Trace. Needs PyTorch (2.4 or newer) and NumPy, nothing else."""

from .recorder import Recorder
from .running import record

__all__ = ["Recorder", "record"]
