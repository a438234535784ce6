"""Origins: where two recorded runs begin to differ by more than rounding. NumPy only, but for what runs functions."""
