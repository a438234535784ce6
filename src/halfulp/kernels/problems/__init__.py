"""What a kernel has to compute: the formats that problems have, their settings, and one call of either side."""
