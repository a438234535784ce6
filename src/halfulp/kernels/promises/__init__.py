"""What a problem promises about its inputs: what every draw has in common, and what its text says."""
