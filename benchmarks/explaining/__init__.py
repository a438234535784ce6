"""Labelled pairs for `halfulp.explain`: the causes of each difference are known by construction."""
