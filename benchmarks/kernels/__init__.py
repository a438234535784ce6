"""Generated kernels, right and wrong: what `halfulp kernel` says of them, and what the rules say that people use."""
