"""Runs in fresh processes: for settings that libraries read when they are loaded, and for what depends on the process itself."""

from .pool import Job, Reply, run_jobs

__all__ = ["Job", "Reply", "run_jobs"]
