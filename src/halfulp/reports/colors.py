"""The color and the letter of each verdict, the same in charts and overlays."""

VERDICT_COLORS = {
    "IDENTICAL": "#57ab5a", "ROUNDING": "#5fb3a8", "FLIP": "#6cb6ff", "REDUCED_PRECISION": "#d9a72e", "UNSTABLE": "#f0883e",
    "NONDETERMINISTIC": "#b392f0", "MISTAKE": "#ff7b72", "UNDECIDED": "#adbac7", "": "#d0d7de",
}  # fmt: skip
LETTERS = {
    "IDENTICAL": "=", "ROUNDING": "ok", "FLIP": "F", "REDUCED_PRECISION": "P", "UNSTABLE": "U", "NONDETERMINISTIC": "N", "MISTAKE": "M",
    "UNDECIDED": "?", "": "-",
}  # fmt: skip
"""Verdicts are told by a letter too, not by color alone."""
