"""How well the worst inputs are found: of faults that normal inputs hide, and of single numbers among all there are."""
