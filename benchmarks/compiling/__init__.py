"""Faults in torch.compile, and what `explain` says of them."""
