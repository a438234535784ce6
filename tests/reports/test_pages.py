"""Pages as text: the same bytes each time, nothing of a result becomes markup, nothing is asked from outside."""

import dataclasses
import html.parser
import json
import re
import subprocess
import sys

import pytest
import torch
from typer.testing import CliRunner

import halfulp
from halfulp import Verdict
from halfulp.cli import app
from halfulp.documents import KINDS
from halfulp.errors import InputError
from halfulp.origins.origin import Origin, Point
from halfulp.reports.pages import html_of, page, save_page
from halfulp.reports.pages.assembly import cell_text, vega_bundle
from halfulp.reports.pages.kinds import page_of

HOSTILE = (
    "<script>hacked=1</script>",
    '"><img src=x onerror=hacked=1>',
    "</script><script>hacked=1</script>",
    "' onmouseover='hacked=1",
    "javascript:hacked=1",
    "{{ 7 * 7 }}{% raw %}",
    "<!--",
    "]]>&lt;&#60;",
    "\u202eevil\u202d",
    "שלום مرحبا",
    "\x00\x1b[31m\u2028",
    "half a pair \ud83d",
    "a" * 5000,
    "deep." * 400,
)


class Markup(html.parser.HTMLParser):
    """What a page consists of."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.outside = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        self.outside += [value for name, value in attrs if name in ("src", "href") and not value.startswith(("#", "data:"))]


def hostile_check(result, text):
    path = text
    difference = dataclasses.replace(
        result.difference, differences=tuple(dataclasses.replace(each, path=path) for each in result.difference.differences)
    )
    closeups = tuple(dataclasses.replace(closeup, path=path) for closeup in result.closeups)
    evidence = tuple(dataclasses.replace(each, path=path) for each in result.evidence)
    return dataclasses.replace(
        result,
        difference=difference,
        closeups=closeups,
        evidence=evidence,
        names=(text, text),
        case_file=text,
        versions={text: text},
        declared=text,
    )


def hostile_origin(text, count=6):
    def point(step):
        verdict = Verdict.MISTAKE if step == 2 else Verdict.ROUNDING
        return Point(
            step,
            f"aten.{text}.default",
            f"{text}.{step}",
            0,
            text,
            text,
            0,
            "output",
            text,
            verdict,
            1e-3,
            1e-7,
            1e-3,
            50.0,
            9.0,
            2.0,
            text,
        )

    walk = tuple(point(step) for step in range(count))
    return Origin(
        walk[2].module,
        walk[2].op,
        text,
        text,
        Verdict.MISTAKE,
        1e-3,
        1e-7,
        text,
        walk,
        settings=((text, text, text),),
        notes=(text,),
        point=walk[2],
        case_file=text,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_the_same_each_time(kind, results):
    assert page(results[kind]) == page(results[kind]) == halfulp.report(results[kind], form="html")
    again = halfulp.documents.restored(kind, json.loads(results[kind].to_json()))
    assert page(again) == page(results[kind])


def test_a_page_is_the_same_in_another_process(results, tmp_path):
    for kind in ("check", "origin"):
        (tmp_path / "result.json").write_text(results[kind].to_json())
        for seed in ("1", "2"):
            code = "import sys; from halfulp.cli import main; sys.argv = ['halfulp', 'report', 'result.json', '-o', 'page.html']; main()"
            subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONHASHSEED": seed, "HOME": str(tmp_path)}, check=True)
            assert (tmp_path / "page.html").read_text(encoding="utf-8") == page(results[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_asks_for_nothing_and_stays_small(kind, results):
    text = page(results[kind])
    found = Markup(text)
    assert found.outside == []
    assert not {"img", "iframe", "object", "embed", "form", "base"} & set(found.tags)
    assert not [name for name in found.attributes if name.startswith("on") or name == "style"]
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
    assert len(text.encode()) < 3_000_000


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_of_a_result_becomes_markup(text, results):
    plain = Markup(page(hostile_check(results["check"], "y")))
    found = Markup(page(hostile_check(results["check"], text)))
    assert found.tags.count("script") == plain.tags.count("script")
    assert set(found.tags) == set(plain.tags) and found.outside == []
    assert not [name for name in found.attributes if name.startswith("on")]
    walked, harmless = Markup(page(hostile_origin(text))), Markup(page(hostile_origin("m")))
    assert set(walked.tags) == set(harmless.tags) and walked.tags.count("script") == harmless.tags.count("script")
    assert not [name for name in walked.attributes if name.startswith("on")]


def test_the_parser_of_these_tests_sees_markup():
    assert Markup("<p onclick=x><script src=http://y></script>").outside == ["http://y"]
    assert "onclick" in Markup("<p onclick=x>").attributes


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_screen_says_the_answer(kind, results):
    text = page(results[kind])
    assert re.search(r"<h1>[^<]{4,}</h1>", text) and re.search(r'<p class="sentence">[^<]{10,}', text)
    if kind == "check":
        assert "<h1>ROUNDING: the difference is rounding in the declared precision</h1>" in text
        assert "error in units of what rounding causes here" in text and "<h2>What to do</h2>" in text


def test_the_case_file_is_on_the_page(results):
    text = page(dataclasses.replace(results["check"], case_file="import torch  # <this>\n"))
    assert "import torch  # &lt;this&gt;" in text and "Run it again" in text
    assert "Run it again" not in page(results["check"])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "-"),
        (True, "yes"),
        ("x", "x"),
        (0, "0"),
        (12345, "12,345"),
        (3.0, "3"),
        (0.25, "0.25"),
        (999.9, "1000"),
        (1234.5, "1,234"),
        (1e-7, "1.00e-07"),
        (123456.7, "1.23e+05"),
        (-0.5, "-0.5"),
    ],
)
def test_cells(value, words):
    assert cell_text(value) == words


def test_cells_with_all_digits():
    assert [cell_text(each, whole=True) for each in (0.300000012, 1e-07, 3.0, 6.236215199999999)] == [
        "0.300000012",
        "1e-07",
        "3",
        "6.236215199999999",
    ]


def test_a_kept_bundle_that_is_damaged_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("HALFULP_CACHE", str(tmp_path))
    vega_bundle.cache_clear()
    first = vega_bundle()
    (kept,) = tmp_path.iterdir()
    kept.write_text(first[: len(first) // 2])
    vega_bundle.cache_clear()
    assert vega_bundle() == first == kept.read_text(encoding="utf-8")
    vega_bundle.cache_clear()
    assert "</script" not in first and "<!--" not in first


def test_what_is_no_result_has_no_page(tmp_path, results):
    with pytest.raises(InputError, match="Got int"):
        page(3)
    with pytest.raises(InputError, match="can't be written"):
        (tmp_path / "file").write_text("")
        save_page(results["audit"], tmp_path / "file" / "page.html")


def test_a_long_path_of_modules_stays_a_page():
    assert len(html_of(halfulp.reports.pages.kinds.page_of(hostile_origin("a." * 3000)))) < 5_000_000


@pytest.mark.parametrize("kind", KINDS)
def test_notebooks_show_the_answer_without_scripts(kind, results):
    text = results[kind]._repr_html_()
    found = Markup(text)
    assert "script" not in found.tags and found.outside == [] and len(text) < 300_000
    assert halfulp.reports.pages.kinds.page_of(results[kind]).headline.split(":")[0] in text and "<details>" in text
    assert text == results[kind]._repr_html_() == halfulp.report(results[kind], form="snippet")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_stay_text_in_notebooks(text, results):
    for result in (hostile_check(results["check"], text), hostile_origin(text)):
        assert not {"script", "img"} & set(Markup(result._repr_html_()).tags)


def test_without_the_packages_of_pages_there_is_text(results, tmp_path, monkeypatch):
    for name in [module for module in sys.modules if module.startswith(("halfulp.reports.pages", "halfulp.reports.charts", "altair"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "altair", None)
    assert results["audit"]._repr_html_().startswith("<pre>")
    with pytest.raises(InputError, match="pip install 'halfulp"):
        halfulp.report(results["audit"], form="html")
    for words in (["report", "r.json", "-o", "p.html"], ["plot", "--list"]):
        (tmp_path / "r.json").write_text(results["audit"].to_json())
        monkeypatch.chdir(tmp_path)
        found = CliRunner().invoke(app, words)
        assert isinstance(found.exception, InputError) and "halfulp[report]" in str(found.exception)


def test_the_title_of_a_comparison_answers():
    x = torch.ones(3)
    titles = [
        page_of(halfulp.compare(*sides)).headline
        for sides in (({"a": x}, {"a": x, "extra": x}), (x, x), (x, x + 1), (x, torch.tensor([1.0, 1.0, float("nan")])), (x, x.double()))
    ]
    assert titles[0].startswith("They differ in structure: ['extra']") and "is missing in actual" in titles[0]
    assert titles[1:] == [
        "Every bit agrees", "They differ", "NaN and infinity are in different places", "Every element agrees in the coarser of the two formats",
    ]  # fmt: skip
