"""Runs in fresh processes: for settings that libraries read when they are loaded, and for what depends on the process itself."""

from .pool import OVER, Job, Reply, run_jobs

__all__ = ["OVER", "Job", "Reply", "run_jobs"]
