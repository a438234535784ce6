"""Conformance: the laws that every backend keeps, tried as one call for the test of an adapter."""
