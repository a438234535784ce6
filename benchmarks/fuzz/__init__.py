"""Hostile and damaged input: traces, stored results, tensor files. `python -m benchmarks.fuzz` tries 20,000."""
