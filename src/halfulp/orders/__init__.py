"""Orders: in which order a sum was added, as data; evaluate, compare, describe, draw and write it as a program. No framework here."""

from .contraction import Contraction
from .order import Order
from .tree import Item, Shape, Tree

__all__ = ["Contraction", "Item", "Order", "Shape", "Tree"]
