import pytest

from halfulp.cases import load_case_file
from halfulp.errors import CaseFileError

GOOD = "import torch\nactual = torch.relu\nexpected = torch.relu\ndef inputs(seed):\n    return (torch.full((2,), float(seed)),)\ndeclared = 'float32'\n"


def write(folder, text):
    path = folder / "case.py"
    path.write_text(text)
    return path


def test_loads_what_is_defined(tmp_path):
    found = load_case_file(write(tmp_path, GOOD), 3)
    assert found["inputs"][0].tolist() == [3.0, 3.0]
    assert found["declared"] == "float32"
    assert "reference" not in found


def test_its_own_folder_is_importable_and_only_for_it(tmp_path):
    (tmp_path / "neighbour_of_the_case.py").write_text("value = 1\n")
    load_case_file(write(tmp_path, "import neighbour_of_the_case\n" + GOOD), 0)
    with pytest.raises(CaseFileError):
        (tmp_path / "other").mkdir()
        load_case_file(write(tmp_path / "other", "import another_neighbour\n" + GOOD), 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import not_a_module\n", r"Got ModuleNotFoundError while running .*case\.py: No module named 'not_a_module'"),
        ("x = (\n", "Got SyntaxError while running"),
        ("import sys\nsys.exit(3)\n", "Got SystemExit while running"),
        ("actual = print\n", "without `expected` or `inputs`. Needed: `actual` and `expected`"),
        (GOOD.replace("actual = torch.relu", "actual = 3"), "Got actual of type int"),
        (GOOD.replace("def inputs(seed):\n    return (torch.full((2,), float(seed)),)", "inputs = 5"), "a callable that takes the seed"),
        (GOOD.replace("float(seed)", "seed / 0"), r"Got ZeroDivisionError from inputs\(0\)"),
    ],
)
def test_errors_say_what_is_wrong(tmp_path, text, message):
    with pytest.raises(CaseFileError, match=message):
        load_case_file(write(tmp_path, text), 0)


def test_the_users_line_is_shown(tmp_path):
    with pytest.raises(CaseFileError, match="line 2") as caught:
        load_case_file(write(tmp_path, "import torch\ntorch.ones(2) @ torch.ones(3)\n"), 0)
    assert "torch.ones(2) @ torch.ones(3)" in str(caught.value)


def test_missing_file():
    with pytest.raises(CaseFileError, match="which is not a file"):
        load_case_file("nowhere.py", 0)
