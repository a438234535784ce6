"""Pictures from results: each in each format, the same each time, with words for those who can't see it."""

import json
import re

import pytest

from halfulp.errors import InputError
from halfulp.reports.charts import PICTURES, picture, save_picture
from halfulp.reports.charts.style import rounded
from halfulp.reports.colors import VERDICT_COLORS
from halfulp.verdicts import Verdict

OF = {
    "elements": "check", "ulps": "comparison", "profile": "check", "map": "check", "walk": "origin", "shares": "explanation", "growth": "growth",
    "order": "orders", "orders": "orders", "accuracy": "datasheet", "matrix": "matrix", "confusion": "benchmark", "detection": "benchmark",
    "tolerance": "tolerance",
}  # fmt: skip
SVG = ("order", "orders")
"""Drawings of our own, and no charts."""


def test_every_picture_is_tried():
    assert set(OF) == set(PICTURES)
    assert set(VERDICT_COLORS) == {each.name for each in Verdict} | {""}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_the_same_each_time(name, results, tmp_path):
    for ending in (".svg", ".png", ".pdf", *(() if name in SVG else (".json",))):
        first, again = (save_picture(picture(name, results[OF[name]]), tmp_path / f"{place}{ending}").read_bytes() for place in "ab")
        assert first.startswith({".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".json": b"{"}[ending])
        if ending != ".pdf":  # PDF files carry a date
            assert first == again


@pytest.mark.parametrize("name", [each for each in PICTURES if each not in SVG])
def test_a_picture_says_in_words_what_it_shows(name, results, tmp_path):
    saved = json.loads(save_picture(picture(name, results[OF[name]]), tmp_path / "a.json").read_text())
    described = saved.get("description") or saved["vconcat"][0]["description"]
    assert len(described) > 20
    names = re.findall(r'"name": "([^"]+)"', json.dumps(saved))
    assert names and not any(re.fullmatch(r"(view|param|concat|layer)_?\d+", each) for each in names)


def test_elements_carry_both_values_and_the_limit(results):
    drawn = json.dumps(picture("elements", results["check"]).to_dict())
    closeup = results["check"].closeups[0]
    assert "limit of a correct implementation" in drawn
    assert all(
        f'"actual": {rounded(closeup.actual[place], 9)}' in drawn for place in range(5) if closeup.actual[place] != closeup.reference[place]
    )


def test_the_walk_marks_where_it_starts(results):
    origin = results["origin"]
    drawn = picture("walk", origin).to_dict()
    (start,) = drawn["datasets"]["walk_start"]
    assert origin.walk[start["nr"] - 1] == origin.point


def test_the_tolerance_lies_above_what_its_elements_need(results):
    drawn = picture("tolerance", results["tolerance"]).to_dict()
    tensor = results["tolerance"].stored().tensors[0]
    assert [point["size"] for point in drawn["datasets"]["needs"]] == [rounded(need.size) for need in tensor.needs]
    assert f"rtol={tensor.rtol:g}, atol={tensor.atol:g}" in json.dumps(drawn)


def test_growth_has_its_exponents(results):
    drawn = json.dumps(picture("growth", results["growth"]).to_dict())
    assert all(f"size^{slope.exponent:.2f}" in drawn for slope in results["growth"].slopes if slope.of != "difference")


def test_what_has_no_such_picture_is_refused(results, tmp_path):
    with pytest.raises(InputError, match="Got picture 'poem'"):
        picture("poem", results["check"])
    with pytest.raises(InputError, match="Got an Audit for picture elements.*This result has: none"):
        picture("elements", results["audit"])
    with pytest.raises(InputError, match="closeups=True"):
        picture("elements", results["explanation"].result)
    with pytest.raises(InputError, match="name that ends in"):
        save_picture(picture("ulps", results["comparison"]), tmp_path / "x.gif")
    with pytest.raises(InputError, match="name that ends in"):
        save_picture(picture("order", results["orders"]), tmp_path / "x.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't be written"):
        save_picture(picture("ulps", results["comparison"]), tmp_path / "file" / "x.svg")


def test_matrix_text_families(results):
    from halfulp.reports.charts.matrices import family_columns

    assert family_columns(results["matrix"]) == {"backends": ["torch = numpy"], "cases": [1], "ops": ["linear"]}
