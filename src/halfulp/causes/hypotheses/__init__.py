"""What is known to go wrong, as data: one file for each part of a model, one record for each cause."""

from .catalog import CATALOG, named
from .hypothesis import ARITHMETIC, FORMULA, MEMORY, SETTING, Around, Fit, Hypothesis, Site, Variation
from .inputs import input_variations, stored_parameters
from .optimizers import optimizers

__all__ = [
    "ARITHMETIC",
    "CATALOG",
    "FORMULA",
    "MEMORY",
    "SETTING",
    "Around",
    "Fit",
    "Hypothesis",
    "Site",
    "Variation",
    "input_variations",
    "named",
    "optimizers",
    "stored_parameters",
]
