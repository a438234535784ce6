"""What a kernel has to compute: the formats of problems, their settings, and one call of either side."""
