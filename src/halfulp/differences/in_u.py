"""How many u a result is from a reference, on a given scale: the number that error bounds are written in."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..floats import FORMATS, format_named
from .difference import ErrorInU
from .leaves import leaves_of


def error_in_u(actual: object, reference: object, *, scale: object = None, declared: object = None) -> tuple[ErrorInU, ...]:
    """How many u each tensor of `actual` is from `reference`.

    Args:
        actual, reference: tensors of one structure.
        scale: magnitudes of the same structure, such as |A||B| for a product (the error is then the componentwise backward error eta);
            by default the root mean square of the reference.
        declared: the precision whose u is the unit; by default that of `actual`.

    Raises:
        InputError: structures or shapes differ.

    Example:
        >>> found = error_in_u(np.float32([1.0, 3.0]), np.array([1.0, 3.0 + 2.0**-22]))
        >>> round(found[0].max_in_u, 2)
        1.79
    """
    references = {leaf.path: leaf for leaf in leaves_of(reference)}
    scales = {leaf.path: leaf for leaf in leaves_of(scale)} if scale is not None else {}
    found: list[ErrorInU] = []
    for leaf in leaves_of(actual):
        exact, size = references.get(leaf.path), scales.get(leaf.path)
        if exact is None or exact.shape != leaf.shape or (scale is not None and (size is None or size.shape != leaf.shape)):
            shapes = f"{exact.shape if exact else 'nothing'} in the reference" + (
                f", {size.shape if size else 'nothing'} in the scale" if scale is not None else ""
            )
            raise InputError(
                f"Got shape {leaf.shape} in the result{f' at {leaf.path}' if leaf.path else ''}, {shapes}. "
                "Needed: the same structure and shape in all of them. Errors are computed element by element. "
                "Save all of them from the same outputs."
            )
        form = format_named(declared) if declared is not None else (leaf.format or FORMATS["float32"])
        error = np.abs(leaf.float64() - exact.float64())
        usable = np.isfinite(error)
        values = exact.float64()
        typical = float(np.sqrt(np.mean(values[usable] ** 2))) if usable.any() else 0.0
        unit = form.unit_roundoff * (np.abs(size.float64()) if size is not None else np.full(error.shape, typical))
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = np.where(error == 0, 0.0, error / unit)[usable]
        worst, rms = (float(scaled.max()), float(np.sqrt(np.mean(scaled**2)))) if scaled.size else (0.0, 0.0)
        name = "given" if size is not None else "rms of the reference"
        found.append(ErrorInU(leaf.path, form.name, form.unit_roundoff, name, max_in_u=worst, rms_in_u=rms, count=int(usable.sum())))
    return tuple(found)
