"""What a problem promises of its inputs: by what every draw has in common, and by what its text says."""
