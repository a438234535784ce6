"""picture(name, result): any picture that a result has, as an Altair chart or as SVG; saved as PNG, SVG, PDF or Vega-Lite JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import vl_convert

from ...causes import Explanation
from ...datasheets import Datasheet
from ...differences import Comparison
from ...errors import InputError
from ...files import path_of, write_file
from ...orders.picture import draw_beside
from ...origins import Origin
from ...probes import RevealedOrder
from ...probes.stored import StoredOrders
from ...remedies import StoredTolerance, Tolerance
from ...sweeps import Benchmark, Growth, Matrix
from ...verdicts import CheckResult
from ...words.numbers import with_article
from .benchmarks import confusion_chart, detection_chart
from .datasheets import ulp_chart
from .elements import error_against_noise
from .growths import growth_chart
from .histograms import ulp_histogram
from .matrices import matrix_chart
from .profiles import profile_chart, residual_map
from .shares import share_chart
from .style import WIDTH, Sketch
from .tolerances import drawable, tolerance_chart
from .walks import walk_chart

ENDINGS = (".svg", ".png", ".pdf", ".json")
PNG_SCALE = 2.0
"""Pixels per unit: sharp on today's screens."""


@dataclass(frozen=True)
class Drawn:
    """A picture that results may have.

    Attributes:
        of: the results. shows: what it shows. draw: from a result and the path of an output, an Altair chart, or SVG text; None where the
            result lacks what it takes.
    """

    of: tuple[type, ...]
    shows: str
    draw: Callable[[Any, str], Any]


def picture(name: str, result: Any, path: str = "") -> Any:
    """A picture of a result: an Altair chart; SVG text for orders.

    Args:
        name: one of `PICTURES`. result: what it is drawn from. path: of the output, where there are several; the worst by default.

    Raises:
        InputError: an unknown picture, or one that this result does not have.
    """
    drawn = drawn_as(name)
    if not isinstance(result, drawn.of):
        fitting = ", ".join(other for other, drawn in PICTURES.items() if isinstance(result, drawn.of)) or "none"
        raise InputError(
            f"Got {with_article(type(result).__name__)} for picture {name}. Needed: {' or '.join(kind.__name__ for kind in drawn.of)}. That picture shows {drawn.shows}. "
            f"This result has: {fitting}."
        )
    chart = drawn.draw(result, path)
    if chart is None:
        where = f" of output {path!r}" if path else ""
        raise InputError(
            f"Got {with_article(type(result).__name__)} without the data for picture {name}{where}. Needed: {drawn.shows}. It may not have been kept, or "
            "there may be nothing to show. For a check, pass closeups=True, or use --json or --html."
        )
    return chart.completed() if isinstance(chart, Sketch) else chart


def drawn_as(name: str) -> Drawn:
    """What a picture is.

    Raises:
        InputError: there is none of that name.
    """
    if name not in PICTURES:
        raise InputError(f"Got picture {name!r}. Needed: one of {', '.join(PICTURES)}. Each shows something different. Choose one.")
    return PICTURES[name]


def picture_file(path: str | Path) -> Path:
    """A file whose ending says a format.

    Raises:
        InputError: another ending.
    """
    file = path_of(path)
    if file.suffix not in ENDINGS:
        raise InputError(
            f"Got {file.name}. Needed: a name that ends in one of {', '.join(ENDINGS)}. The extension determines the format. Choose one."
        )
    return file


def save_picture(chart: Any, path: str | Path) -> Path:
    """Write a picture.

    Args:
        chart: what `picture` gave. path: its ending says the format: .svg, .png, .pdf, or .json for the Vega-Lite specification.

    Raises:
        InputError: another ending, or a folder that can't be written to.
    """
    file = picture_file(path)
    if isinstance(chart, str) and file.suffix == ".json":
        raise InputError(
            f"Got {file.name} for a picture that is drawn as SVG. Needed: a name that ends in one of {', '.join(ENDINGS[:-1])}. Such a picture has no chart specification. Choose one."
        )
    return write_file(file, _encoded(chart, file.suffix))


def _encoded(chart: Any, ending: str) -> bytes:
    if isinstance(chart, str):
        if ending == ".svg":
            return chart.encode()
        return vl_convert.svg_to_png(chart, scale=PNG_SCALE) if ending == ".png" else vl_convert.svg_to_pdf(chart)
    specification = specification_of(chart)
    if ending == ".json":
        return (json.dumps(specification, indent=1) + "\n").encode()
    text = json.dumps(specification)
    if ending == ".svg":
        return _renumbered(vl_convert.vegalite_to_svg(text)).encode()
    return vl_convert.vegalite_to_png(text, scale=PNG_SCALE) if ending == ".png" else vl_convert.vegalite_to_pdf(text)


def _renumbered(svg: str) -> str:
    """The same with identities of its own: Vega counts clips and gradients on from one picture to the next."""
    found = dict.fromkeys(re.findall(r'\bid="((?:clip|gradient_)\d+)"', svg))
    names = {name: f"{name.rstrip('0123456789')}{place}" for place, name in enumerate(found)}
    return re.sub(r"\b(?:clip|gradient_)\d+\b", lambda match: names.get(match.group(), match.group()), svg)


def specification_of(chart: Any) -> dict[str, Any]:
    """The Vega-Lite specification, with a width in pixels where the page would give it one."""
    specification = {"width": WIDTH, **chart.to_dict(), "background": "white"}
    for item in specification.get("vconcat", ()):
        if item.get("width") in (None, "container"):
            item["width"] = WIDTH
    return specification


def _closeup(result: CheckResult, path: str) -> Any:
    return next((closeup for closeup in result.closeups if not path or closeup.path == path), None)


def _elements(result: CheckResult, path: str) -> Any:
    found = _closeup(result, path)
    return error_against_noise(found) if found is not None and found.noise else None


def _histogram(result: CheckResult | Comparison, path: str) -> Any:
    differences = (result.difference if isinstance(result, CheckResult) else result).differences
    chosen = [difference for difference in differences if not path or difference.path == path]
    return ulp_histogram(max(chosen, key=lambda difference: difference.max_ulps)) if chosen else None


def _profile(result: CheckResult, path: str) -> Any:
    found = _closeup(result, path)
    if found is None or not found.profiles:
        return None
    import altair as alt

    sketches = [profile_chart(profile, f"profile_{profile.axis}") for profile in found.profiles]
    return Sketch(
        alt.vconcat(*(sketch.chart for sketch in sketches)), {name: rows for sketch in sketches for name, rows in sketch.datasets.items()}
    )


def _map(result: CheckResult, path: str) -> Any:
    found = _closeup(result, path)
    return residual_map(found.heat) if found is not None and found.heat is not None else None


def _order(result: RevealedOrder | StoredOrders, path: str) -> Any:
    stored = {"function": result.stored()} if isinstance(result, RevealedOrder) else result.orders
    chosen = next((stored_order for name, stored_order in stored.items() if not path or name == path), None)
    main = chosen.classes[0].restored() if chosen is not None else None
    return main.draw("svg") if main is not None else None


def _orders(result: StoredOrders, path: str) -> Any:
    return draw_beside(result.trees) if len(result.trees) == 2 else None


def _tolerance(result: Tolerance | StoredTolerance, path: str) -> Any:
    stored = result.stored() if isinstance(result, Tolerance) else result
    tensor = next((tensor for tensor in stored.tensors if drawable(tensor) and (not path or tensor.path == path)), None)
    return tolerance_chart(tensor) if tensor is not None else None


PICTURES = {
    "elements": Drawn((CheckResult,), "each element's error beside the noise of rounding there", _elements),
    "ulps": Drawn((CheckResult, Comparison), "how many elements differ by each number of ulps", _histogram),
    "profile": Drawn((CheckResult,), "the mean error along each axis beside what rounding causes", _profile),
    "map": Drawn((CheckResult,), "where in the last two axes the error is", _map),
    "walk": Drawn(
        (Origin,), "the difference that each op adds along the model", lambda result, _: walk_chart(result) if result.walk else None
    ),
    "shares": Drawn((Explanation,), "the share of the difference that each cause explains", lambda result, _: share_chart(result)),
    "growth": Drawn((Growth,), "the error against the size", lambda result, _: growth_chart(result) if result.points else None),
    "tolerance": Drawn((Tolerance, StoredTolerance), "what elements of each size need, and what the tolerance allows", _tolerance),
    "order": Drawn((RevealedOrder, StoredOrders), "the order of summation as a tree", _order),
    "orders": Drawn((StoredOrders,), "the orders of both functions side by side", _orders),
    "accuracy": Drawn(
        (Datasheet,), "the largest ulp error of each function", lambda result, _: ulp_chart(result) if result.accuracies else None
    ),
    "matrix": Drawn((Matrix,), "the verdict of each op and backend", lambda result, _: matrix_chart(result)),
    "confusion": Drawn(
        (Benchmark,),
        "what each checker said about each kind of pair",
        lambda result, _: confusion_chart(result) if result.outcomes else None,
    ),
    "detection": Drawn(
        (Benchmark,),
        "the magnitude above which each checker detects a change",
        lambda result, _: detection_chart(result) if any(outcome.get("part") == "detection" for outcome in result.outcomes) else None,
    ),
}
"""Every picture by name."""
