"""Broken: what a law raises."""


class Broken(AssertionError):
    """A law that a backend doesn't keep."""
