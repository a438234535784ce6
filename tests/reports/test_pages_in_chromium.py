"""Pages in a browser: nothing on the console, no request, and everything works by mouse and by keyboard."""

import contextlib
import dataclasses
import re
import zlib

import pytest
from test_pages import HOSTILE, hostile_check, hostile_origin

from halfulp.documents import KINDS
from halfulp.reports.pages import html_of, save_page
from halfulp.reports.pages.kinds import page_of


class Opened:
    """A page of the browser, with all that it complained about and asked for."""

    def __init__(self, browser, file, width=1024, scheme="light"):
        self.context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append("dialog"), dialog.dismiss()))
        self.page.route("**/*", self._asked)
        self.page.goto(f"file://{file}")
        for _ in range(1200):  # a minute: machines are shared
            if self.page.evaluate("() => document.documentElement.dataset.drawn"):
                break
            self.page.wait_for_timeout(50)
        else:
            self.complaints.append("charts were not drawn")

    def _asked(self, route):
        if route.request.url.startswith("file://") and route.request.is_navigation_request():
            route.continue_()
        else:
            self.requests.append(route.request.url)
            route.abort()

    def settled(self):
        assert self.complaints == [] and self.requests == []
        self.context.close()


@pytest.fixture
def opened(browser, tmp_path):
    made = []

    def open_page(result, **options):
        made.append(Opened(browser, save_page(result, tmp_path / f"page{len(made)}.html"), **options))
        return made[-1]

    yield open_page
    for each in made:
        each.context.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_opens_in_silence_and_axe_finds_no_serious_fault(kind, results, opened):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    shown = opened(results[kind])
    heading = shown.page.locator("h1")
    assert heading.is_visible() and heading.inner_text() == page_of(results[kind]).headline
    assert shown.page.locator("figure.chart .canvas :is(svg, canvas)").count() >= shown.page.locator("figure.chart").count()
    for width, scheme in ((1024, "light"), (1920, "light"), (360, "dark")):
        shown.page.set_viewport_size({"width": width, "height": 800})
        shown.page.emulate_media(color_scheme=scheme)
        shown.page.wait_for_timeout(300)
        assert shown.page.evaluate("() => document.documentElement.scrollWidth") <= width
        if width != 1920:
            found = axe.Axe().run(shown.page).response["violations"]
            serious = [each for each in found if each["impact"] in ("serious", "critical")]
            assert [(each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in serious] == []
    shown.settled()


def column(shown, table, place):
    return shown.page.locator(f'[data-table="{table}"] tbody tr td:nth-child({place})').all_inner_texts()


def test_tables_sort_by_mouse_and_by_keyboard(results, opened):
    shown = opened(results["check"])
    table = shown.page.locator('[data-table="output-0_elements_table"]')
    button = table.locator("thead button", has_text="error").first
    button.click()
    numbers = [float(each) for each in column(shown, "output-0_elements_table", 4)]
    assert numbers == sorted(numbers, reverse=True) and table.locator('th[aria-sort="descending"]').count() == 1
    button.focus()
    shown.page.keyboard.press("Enter")
    numbers = [float(each) for each in column(shown, "output-0_elements_table", 4)]
    assert numbers == sorted(numbers) and table.locator('th[aria-sort="ascending"]').count() == 1
    table.locator("thead button", has_text="element").click()
    words = column(shown, "output-0_elements_table", 1)
    assert words == sorted(words)
    shown.settled()


def test_tables_filter_and_page(results, opened):
    count = len(results["check"].closeups[0].places)
    shown = opened(results["check"])
    table = shown.page.locator('[data-table="output-0_elements_table"]')
    assert table.locator("output").inner_text() == f"{count:,} rows"
    assert table.locator("tbody tr").count() == min(count, 100)
    box = table.get_by_role("searchbox", name="Filter")
    box.focus()
    shown.page.keyboard.type("[3, ")
    shown.page.wait_for_timeout(200)
    rows = column(shown, "output-0_elements_table", 1)
    assert rows and all("[3, " in row for row in rows)
    assert f"of {count:,} rows" in table.locator("output").inner_text()
    shown.settled()


def test_long_tables_have_pages(results, opened):
    walk = hostile_origin("m", count=250)
    shown = opened(walk)
    table = shown.page.locator('[data-table="walk"]').last
    assert table.locator("tbody tr").count() == 100
    onward, back = table.get_by_role("button", name="On"), table.get_by_role("button", name="Back")
    assert back.is_disabled()
    onward.focus()
    shown.page.keyboard.press("Enter")
    onward.click()
    assert table.locator("tbody tr").count() == 50 and onward.is_disabled()
    assert table.locator("tbody tr td").first.inner_text() == "201"
    shown.settled()


def test_cells_read_alike_before_and_after_the_script(results, browser, tmp_path):
    """The first rows are written by Python, then drawn again by the script."""
    for kind in ("check", "benchmark"):
        file = save_page(results[kind], tmp_path / "page.html")
        texts = []
        for scripts in (False, True):
            context = browser.new_context(java_script_enabled=scripts)
            opened_page = context.new_page()
            opened_page.goto(f"file://{file}")
            for each in opened_page.locator("details").all():
                if scripts and each.get_attribute("open") is None:
                    each.locator("summary").first.click() if each.locator("summary").first.is_visible() else None
            texts.append(
                [
                    row.locator("td").all_text_contents()
                    for table in opened_page.locator(".table").all()
                    for row in table.locator("tbody tr").all()[:20]
                ]
            )
            context.close()
        assert texts[0] == texts[1] and texts[0]


def test_trees_fold_by_mouse_and_by_keyboard(results, opened):
    shown = opened(results["origin"])
    tree = shown.page.locator(".tree")
    closed = tree.locator("details:not([open])")
    before = closed.count()
    assert before
    closed.first.locator("summary").first.click()
    assert closed.count() == before - 1
    closed.first.locator("summary").first.focus()
    shown.page.keyboard.press("Enter")
    assert closed.count() == before - 2
    tree.get_by_role("button", name="Unfold all").click()
    assert closed.count() == 0
    tree.get_by_role("button", name="Fold all").click()
    assert tree.locator("details[open]").count() == 0
    shown.settled()


def test_the_case_file_is_copied(results, opened):
    script = "import torch\n\n\ndef actual(x):\n    return x  # <b>\n"
    shown = opened(dataclasses.replace(results["check"], case_file=script))
    button = shown.page.get_by_role("button", name="Copy")
    button.focus()
    shown.page.keyboard.press("Enter")
    shown.page.get_by_role("button", name="Copied").wait_for()
    assert shown.page.evaluate("() => navigator.clipboard.readText()") == script
    shown.settled()


@pytest.mark.parametrize("text", HOSTILE[:10], ids=range(10))
def test_hostile_names_stay_text(text, results, opened):
    for result in (hostile_check(results["check"], text), hostile_origin(text)):
        shown = opened(result)
        assert shown.page.evaluate("() => window.hacked === undefined && !document.querySelector('img, iframe')")
        shown.page.locator("figure.chart .canvas").first.scroll_into_view_if_needed()
        box = shown.page.locator("figure.chart .canvas").first.bounding_box()
        for part in range(1, 10):  # tooltips hold names too
            shown.page.mouse.move(box["x"] + box["width"] * part / 10, box["y"] + 20 * part)
        assert shown.page.evaluate("() => window.hacked === undefined && !document.querySelector('img, iframe')")
        assert shown.page.evaluate("() => document.documentElement.scrollWidth") <= 1024
        shown.settled()


def test_a_script_that_gets_in_would_not_run(results, browser, tmp_path):
    """The policy of the page stands behind the escaping: markup that is put into the file by hand neither runs nor loads."""
    text = html_of(page_of(results["audit"])).replace(
        "</main>", '<script>window.hacked = 1</script><img src="http://localhost:1/x" onerror="hacked=2"></main>'
    )
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    shown = Opened(browser, tmp_path / "page.html")
    assert shown.page.evaluate("() => window.hacked") is None
    assert any("Content Security Policy" in complaint for complaint in shown.complaints)
    shown.context.close()


def test_charts_follow_the_color_scheme(results, opened):
    shown = opened(results["growth"])
    texts = shown.page.locator("figure.chart svg text").first
    light = texts.get_attribute("fill")
    shown.page.emulate_media(color_scheme="dark")
    shown.page.wait_for_timeout(1500)
    assert texts.get_attribute("fill") != light
    shown.settled()


def test_pages_print(results, opened):
    shown = opened(results["check"])
    shown.page.emulate_media(media="print")
    assert not shown.page.locator("nav").is_visible()
    assert re.match(rb"%PDF", shown.page.pdf())
    shown.settled()


def strokes(pdf):
    """How many lines, curves and rectangles are drawn in a PDF."""
    streams = re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    texts = []
    for stream in streams:
        with contextlib.suppress(zlib.error):
            texts.append(zlib.decompress(stream))
    return sum(len(re.findall(rb"[\d.] (?:l|c|re)\b", text)) for text in texts)


@pytest.mark.parametrize("kind", ["check", "growth", "origin", "tolerance"])
def test_what_is_printed_before_it_was_drawn_has_its_charts(results, browser, tmp_path, kind):
    """As `chromium --print-to-pdf` does: the page is printed as soon as it is loaded, when no chart has had its turn."""
    text = html_of(page_of(results[kind]))
    printed = {}
    for name, content in (("charts", text), ("none", text.replace('<figure class="chart', '<figure class="no'))):
        (tmp_path / "page.html").write_text(content, encoding="utf-8")
        context = browser.new_context()
        page = context.new_page()
        page.add_init_script("window.requestIdleCallback = () => 0")  # nothing gets its turn
        page.goto(f"file://{tmp_path / 'page.html'}")
        printed[name] = strokes(page.pdf())
        assert page.locator("figure.chart[data-drawn]").count() == page.locator("figure.chart").count()
        context.close()
    charts = text.count('<figure class="chart')
    assert charts and printed["charts"] >= printed["none"] + 20 * charts  # a chart has axes with ticks on two sides at least


def test_printed_tables_keep_their_headings(results, opened):
    shown = opened(results["check"])
    shown.page.emulate_media(media="print")
    heading = shown.page.locator("th[data-label]").first
    assert not heading.locator("button").is_visible()  # buttons are not painted again on the next page; the text in their place is
    words = heading.evaluate("each => getComputedStyle(each, '::before').content")
    assert words.strip('"') == heading.get_attribute("data-label")
    shown.settled()
