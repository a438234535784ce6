"""torch.compile taken apart: the stage, the node, the kernel and the option that change a result; and a backend that checks itself."""

from .compiled_function import Compilation, compilation_of
from .disassembly import taken_apart

__all__ = ["Compilation", "compilation_of", "taken_apart"]
