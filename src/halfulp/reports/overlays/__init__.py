"""A walk in the viewers that people have open already: node data for Model Explorer, scalars for TensorBoard."""

from .model_explorer import QUANTITIES, Keyed, keyed, node_data
from .tensorboard import scalars, write_scalars

__all__ = ["QUANTITIES", "Keyed", "keyed", "node_data", "scalars", "write_scalars"]
