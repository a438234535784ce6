"""page(result) -> HTML: the page of a result put into the template, with charts, scripts and styles inside.

Nothing of a result can become markup or a script: text is escaped by the template, data stands in JSON in which "<" is written as an
escape, and the page's own policy (Content-Security-Policy) runs those scripts alone whose hashes it names, and allows no request at all.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import json
import re
from importlib import metadata
from pathlib import Path
from typing import Any

import jinja2
import markupsafe
import vl_convert

from ...errors import InputError
from ...files import write_file
from ...places import caches
from ...shown import drawn
from ...words.visible import cleaned, fitting
from .kinds import page_of
from .page import Column, Columns, Figure, Page, Table

FOLDER = Path(__file__).parent / "templates"
FIRST_ROWS = 50
"""Rows that are in the markup, for readers without scripts and for print; scripts show all."""
LONG = 24
"""Characters of a cell from which on it is broken into lines."""
STEPS = 20
"""Widths of a bar: styles may not be written into the markup, so each has a class."""
TOOLTIP = (
    "#vg-tooltip-element { visibility: hidden; position: fixed; z-index: 1000; padding: .5rem; font-size: .8rem; border: 1px solid var(--line); border-radius: .3rem; "
    "background: var(--paper); color: var(--ink); max-width: 22rem; pointer-events: none; } #vg-tooltip-element.visible { visibility: visible; } "
    "#vg-tooltip-element td { border: 0; padding: 0 .4rem 0 0; min-width: 0; } .vega-embed { width: 100%; } .vega-embed details { display: none; }"
)


def page(result: Any) -> str:
    """A result as a page.

    Args:
        result: anything that `halfulp.report` takes.

    Returns:
        HTML text that needs nothing else, the same for the same result, versions of halfulp and vl-convert.

    Raises:
        InputError: no result.
    """
    with fitting(result):
        return html_of(page_of(cleaned(result)))


def snippet(result: Any) -> str:
    """The answer of a result as a piece of HTML without scripts, for a notebook; the whole report is folded below it."""
    return _template("snippet.html").render(page=page_of(result), text=drawn(result)).encode("utf-8", "replace").decode("utf-8")


def save_page(result: Any, path: str | Path) -> Path:
    """Write a result's page.

    Raises:
        InputError: as for `page`, or a folder that can't be written to.
    """
    return write_file(path, page(result))


def html_of(page: Page) -> str:
    """The HTML of a page."""
    datasets = dict(page.datasets)
    charts = {part.name: _chart(part, datasets) for section in page.sections for part in section.parts if isinstance(part, Figure)}
    style = (FOLDER / "page.css").read_text(encoding="utf-8").replace("/* BARS */", _bars() + TOOLTIP)
    script = (FOLDER / "page.js").read_text(encoding="utf-8")
    vega = vega_bundle() if charts else ""
    hashes = " ".join(_hash(name) for name in (script, vega) if name)
    policy = f"default-src 'none'; script-src {hashes}; style-src {_hash(style)}; img-src data:; font-src data:; base-uri 'none'; form-action 'none'"
    text = _template("page.html").render(
        page=page, version=metadata.version("halfulp"), style=style, script=script, vega=vega, policy=policy,
        datasets=_json(datasets), charts=_json(charts),
    )  # fmt: skip
    return text.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair in a name is no text


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _bars() -> str:
    return " ".join(f".w{place} {{ width: {100 * place // STEPS}%; }}" for place in range(STEPS + 1)) + "\n"


def _json(content: Any) -> str:
    """JSON that may stand in a script element: none of its characters ends one."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _chart(figure: Figure, datasets: dict[str, Columns]) -> dict[str, Any]:
    """The specification, its data put among the page's datasets, where tables share it."""
    sketch = figure.draw()
    for name, columns in sketch.datasets.items():
        datasets.setdefault(name, columns)
    specification = {key: value for key, value in sketch.chart.to_dict().items() if key not in ("config", "$schema", "datasets")}
    parted = {"vconcat", "row", "column", "facet"} & {*specification, *specification.get("encoding", {})}
    wide = specification if parted else {"width": "container", **specification}
    return {"spec": wide, "names": list(sketch.datasets), "parted": bool(parted)}


def cell_text(value: Any, *, whole: bool = False) -> str:
    """A value as the page's script writes it."""
    if value is None:
        return "-"
    if whole and isinstance(value, float):
        return f"{int(value):,}" if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (int, float)):
        return str(value)
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    size = abs(value)
    if size > 0 and (size < 1e-3 or size >= 1e5):
        return f"{value:.2e}"
    return f"{float(f'{value:.3g}'):g}" if size < 1000 else f"{value:,.0f}"


def _css(column: Column) -> str:
    return "number" if column.is_number else "code" if column.is_code else ""


def _columns_json(columns: tuple[Column, ...]) -> str:
    return json.dumps([{"key": column.key, "css": _css(column), "whole": column.is_whole} for column in columns], separators=(",", ":"))


def _length(table: Table, datasets: dict[str, Columns]) -> int:
    return len(datasets[table.name][table.columns[0].key])


def _first_rows(table: Table, datasets: dict[str, Columns]) -> list[dict[str, Any]]:
    data, count = datasets[table.name], _length(table, datasets)

    def cell(column: Column, row: int) -> dict[str, str]:
        text = cell_text(data[column.key][row], whole=column.is_whole)
        return {"text": text, "css": f"{_css(column)}{' long' if len(text) > LONG else ''}".strip()}

    return [
        {"is_marked": row in table.marked, "cells": [cell(column, row) for column in table.columns]}
        for row in range(min(count, FIRST_ROWS))
    ]


@functools.cache
def _template(name: str) -> Any:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    filters: dict[str, Any] = environment.filters
    filters["drawn"] = markupsafe.Markup  # styles, scripts, escaped JSON and our own SVG; never text of a result
    filters["prose"] = _prose
    filters["kind"] = lambda part: type(part).__name__
    filters["columns_json"] = _columns_json
    filters["first_rows"] = _first_rows
    filters["length_of"] = _length
    return environment.get_template(name)


def _prose(text: str) -> markupsafe.Markup:
    """A sentence as markup: escaped, then what stands in backticks set as code."""
    return markupsafe.Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(markupsafe.escape(text))))


@functools.cache
def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, as vl-convert brings them. Bundling takes seconds, so the result is kept on disk."""
    kept = caches() / f"vega-{metadata.version('vl-convert-python')}.js"
    try:
        text = kept.read_text(encoding="utf-8")
        if text.startswith(f"/* {_seal(text.partition(chr(10))[2])} */"):
            return text
    except OSError:
        pass
    made = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed").replace("</script", "<\\/script").replace("<!--", "<\\!--")
    text = f"/* {_seal(made)} */\n{made}"
    with contextlib.suppress(InputError):  # where there is no place for it, it is made again next time
        write_file(kept, text)
    return text


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
