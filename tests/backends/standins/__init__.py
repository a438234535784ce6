"""Stand-ins for devices that are not here: they behave as the real ones are reported to, and compute on the processor."""
