"""Small changes of the calls around a place that no catalog names: one file for each kind."""

from .around import edits, trial_of
from .gradients import gradients

__all__ = ["edits", "gradients", "trial_of"]
