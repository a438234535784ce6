"""How fast a large page is in Chromium: the walk along a model of 200 layers, 5,000 values.

    python -m benchmarks.pages

Prints the size of the page, the time to make it, to its first paint and until all charts are drawn, and the longest pause between two frames
while it is scrolled, filtered, sorted and unfolded. Medians over several fresh browsers; ends with 1 beyond the limits.
"""

from __future__ import annotations

import math
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from halfulp import Verdict
from halfulp.origins.origin import Origin, Point
from halfulp.reports.pages import save_page

from .verdicts.figures import report_figures

LAYERS = 200
OPS = (
    "aten.native_layer_norm.default",
    "aten.addmm.default",
    "aten._scaled_dot_product_flash_attention_for_cpu.default",
    "aten.gelu.default",
    "aten.add.Tensor",
)
VALUES = 5000
RUNS = 5
SIZE_LIMIT_MB, PAINT_LIMIT_S, PAUSE_LIMIT_S = 3.0, 2.0, 0.2
"""What issue and README promise."""
FRAMES = """() => { window.pauses = []; let last = performance.now();
  const frame = now => { window.pauses.push(now - last); last = now; requestAnimationFrame(frame); }; requestAnimationFrame(frame); }"""


def large_origin() -> Origin:
    """A walk as `locate` makes it: differences grow slowly, one op in layer 117 adds more than rounding."""
    modules = ("attention.norm", "attention.query", "attention.core", "mlp.act", "mlp")
    walk: list[Point] = []
    for step in range(VALUES):
        layer, part = divmod(step, VALUES // LAYERS)
        module = f"model.layers.{layer}.{modules[part % 5]}"
        wobble = 1.0 + 0.5 * math.sin(7.0 * step)
        wrong = layer == 117 and part == 10
        added = 3e-4 if wrong else 4e-8 * wobble
        inherited = 2e-7 * math.sqrt(1.0 + step) if layer < 117 else 3e-4 * wobble
        verdict = Verdict.MISTAKE if wrong else Verdict.ROUNDING
        source = f"modeling.py:{100 + part}: x = self.{modules[part % 5]}(x)"
        walk.append(
            Point(
                step,
                OPS[part % 5],
                module,
                0,
                source,
                "forward",
                0,
                "module",
                OPS[part % 5],
                verdict,
                math.hypot(added, inherited),
                inherited,
                added,
                added / 5e-8,
                40.0 if wrong else 0.2 * wobble,
                1.1,
            )
        )
    start = next(each for each in walk if each.verdict is Verdict.MISTAKE)
    return Origin(
        start.module,
        start.op,
        start.phase,
        start.source,
        Verdict.MISTAKE,
        start.added,
        start.inherited,
        "It adds more than rounding.",
        tuple(walk),
        point=start,
    )


def measure(browser: object, file: Path) -> dict[str, float]:
    """One fresh browser context: seconds by name."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(f"file://{file}", wait_until="commit")
    start = time.perf_counter()
    while not page.evaluate("() => document.documentElement && document.documentElement.dataset.drawn"):
        page.wait_for_timeout(20)
    found = {"drawn": time.perf_counter() - start}
    found["first_paint"] = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1e3

    def longest(act: object) -> float:
        page.evaluate("() => { window.pauses = []; }")
        act()
        page.wait_for_timeout(400)
        return page.evaluate("() => Math.max(...window.pauses)") / 1e3

    def scroll() -> None:
        page.mouse.move(600, 400)
        for _ in range(40):
            page.mouse.wheel(0, 400)
            page.wait_for_timeout(16)

    table = page.locator('[data-table="walk"]')
    page.evaluate(FRAMES)
    page.wait_for_timeout(200)
    found["pause_scrolling"] = longest(scroll)
    found["pause_filtering"] = longest(lambda: table.locator("input").press_sequentially("layers.117", delay=40))
    found["pause_unfiltering"] = longest(lambda: table.locator("input").fill(""))
    found["pause_sorting"] = longest(lambda: table.locator("thead button", has_text="added in noise").click())
    found["pause_unfolding"] = longest(lambda: page.get_by_role("button", name="Unfold all").click())
    context.close()
    return found


def main() -> int:
    """Measure and report."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        print("no Chromium here: apt-get install chromium")
        return 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        origin = large_origin()
        save_page(origin, Path(folder) / "page.html")  # the bundle of scripts is kept from then on
        start = time.perf_counter()
        file = save_page(origin, Path(folder) / "page.html")
        making = time.perf_counter() - start
        size = file.stat().st_size / 1e6
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
        runs = []
        for _ in range(RUNS):
            browser = playwright.chromium.launch(executable_path=path, args=options)
            runs.append(measure(browser, file))
            browser.close()
    figures = {"page_size": (size, "MB"), "page_making": (making, "s")}
    figures |= {f"page_{name}": (statistics.median(run[name] for run in runs), "s") for name in runs[0]}
    report_figures(figures)
    pause = max(value for name, (value, _) in figures.items() if "pause" in name)
    return int(size > SIZE_LIMIT_MB or figures["page_first_paint"][0] > PAINT_LIMIT_S or pause > PAUSE_LIMIT_S)


if __name__ == "__main__":
    raise SystemExit(main())
