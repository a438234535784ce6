"""Pictures as Vega-Altair charts: a function from a result to a chart, one picture a file."""

from .pictures import PICTURES, drawn_as, picture, picture_file, save_picture

__all__ = ["PICTURES", "drawn_as", "picture", "picture_file", "save_picture"]
