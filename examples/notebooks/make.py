"""Writes and runs the notebooks of the five questions; with --check they are run and nothing is written.

python examples/notebooks/make.py [--check] [NUMBER ...]
"""

import re
import sys
from pathlib import Path

import nbclient
import nbformat

FOLDER = Path(__file__).parent
START = "import sys\n\nsys.path.insert(0, '..')  # the examples\n\nimport altair\n\nimport halfulp\nfrom halfulp.reports.charts import picture\n\naltair.renderers.enable('png')  # drawn here; leave it out for charts that follow the mouse, whose scripts Altair fetches\n"

NOTEBOOKS = {
    "question_1_directml": [
        ("code", "from question_1_directml import actual, expected, inputs\n\nresult = halfulp.check(actual, expected, inputs(0), closeups=True)\nresult"),
        ("text", "How many units in the last place the two are apart:"),
        ("code", "picture('ulps', result)"),
    ],
    "question_2_inconsistent_results": [
        ("code", "from question_2_inconsistent_results import actual, expected, inputs\n\nresult = halfulp.check(actual, expected, inputs(0), closeups=True)\nresult"),
        ("text", "Each error beside the noise of rounding at that element. The upper line is what the worst honest element reaches."),
        ("code", "picture('elements', result)"),
        ("text", "The parts of the post, one by one:"),
        ("code", "from question_2_inconsistent_results import parts\n\nfor part in parts():\n    if not isinstance(part, str):\n        title, _ = part.pop('title'), part.pop('verdicts')\n        print(title)\n        print('   ', halfulp.check(**part).verdict)"),
    ],
    "question_3_linear": [
        ("code", "from question_3_linear import actual, expected, inputs\n\nresult = halfulp.check(actual, expected, inputs(0), closeups=True)\nresult"),
        ("text", "Does the error grow with the number of terms as rounding does? The area is what honest results reach."),
        ("code", "growth = halfulp.growth(actual, expected, inputs)\npicture('growth', growth)"),
        ("text", "Both add the same products; in which order?"),
        ("code", "mine, theirs = halfulp.order(actual, inputs(0)), halfulp.order(expected, inputs(0))\nprint(mine)\nprint(theirs)\nprint('The difference:', mine.diff(theirs))"),
        ("code", "from IPython.display import SVG\n\nSVG(picture('order', mine))"),
        ("text", "The cause, by experiment:"),
        ("code", "halfulp.explain(actual, expected, inputs(0), processes=False)"),
    ],
    "question_4_conv2d": [
        ("code", "from question_4_conv2d import actual, expected, inputs, integer_inputs\n\nresult = halfulp.check(actual, expected, inputs(0), closeups=True)\nresult"),
        ("text", "Where in the image the error is: rounding has no pattern."),
        ("code", "picture('map', result)"),
        ("text", "The unused switch of the post, turned on: on integers every order is exact."),
        ("code", "halfulp.check(actual, expected, integer_inputs(0))"),
    ],
    "question_5_compile": [
        ("code", "from question_5_compile import parts\n\nfor part in parts():\n    if isinstance(part, str):\n        print(part)\n        continue\n    print(part.pop('title'))\n    part.pop('verdicts')\n    result = halfulp.check(**part)\n    print('   ', result.verdict, result.reason)\nresult"),
    ],
}  # fmt: skip


def built(name: str) -> nbformat.NotebookNode:
    """The notebook without outputs."""
    text = (FOLDER.parent / f"{name}.py").read_text(encoding="utf-8")
    docstring = text.partition('"""')[2].partition('"""')[0]
    cells = [
        nbformat.v4.new_markdown_cell(f"# {docstring.strip().splitlines()[0]}\n\nThe code is in `examples/{name}.py`."),
        nbformat.v4.new_code_cell(START),
    ]
    for kind, source in NOTEBOOKS[name]:
        cells.append(nbformat.v4.new_code_cell(source) if kind == "code" else nbformat.v4.new_markdown_cell(source))
    for place, each in enumerate(cells):
        each["id"] = f"cell-{place}"
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}, "language_info": {"name": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=metadata)


def run(notebook: nbformat.NotebookNode) -> None:
    """Run all cells in a fresh kernel; what they write to standard error (progress, warnings with paths) is not kept."""
    nbclient.NotebookClient(
        notebook, timeout=600, kernel_name="python3", record_timing=False, resources={"metadata": {"path": str(FOLDER)}}
    ).execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    notebook.metadata.pop("language_info", None)


def main() -> None:
    """Run those that are asked for."""
    numbers = [each for each in sys.argv[1:] if each.isdigit()]
    for name in NOTEBOOKS:
        if numbers and re.search(r"\d", name).group() not in numbers:
            continue
        notebook = built(name)
        run(notebook)
        print(f"{name}: {len(notebook.cells)} cells")
        if "--check" not in sys.argv:
            nbformat.write(notebook, FOLDER / f"{name}.ipynb")


if __name__ == "__main__":
    main()
