"""Recording: runs PyTorch code and writes its Trace. Needs PyTorch (2.4 or newer) and NumPy, nothing else."""

from .recorded_run import record
from .recorder import Recorder

__all__ = ["Recorder", "record"]
