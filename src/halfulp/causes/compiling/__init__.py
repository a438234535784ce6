"""torch.compile taken apart: the stage, the node, the kernel and the option that change a result; and a backend that checks itself."""

from .taking_apart import taken_apart
from .unwrapping import Compilation, compilation_of

__all__ = ["Compilation", "compilation_of", "taken_apart"]
