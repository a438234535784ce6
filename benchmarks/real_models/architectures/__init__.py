"""The architectures, one file per library and kind."""

from . import diffusers_models, timm_models, torchvision_models, transformers_encoders, transformers_other, transformers_text
from .architecture import ARCHITECTURES, Architecture

__all__ = [
    "ARCHITECTURES",
    "Architecture",
    "diffusers_models",
    "timm_models",
    "torchvision_models",
    "transformers_encoders",
    "transformers_other",
    "transformers_text",
]
