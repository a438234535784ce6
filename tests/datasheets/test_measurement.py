import dataclasses
import json

import numpy as np
import pytest
import torch

import halfulp
from halfulp.backends import backend
from halfulp.datasheets import Accuracy, Datasheet, datasheet, libraries, properties, read_datasheet
from halfulp.datasheets.functions import TORCH_BINARY, TORCH_UNARY, reference
from halfulp.datasheets.libraries import Library, _of_backend, library
from halfulp.datasheets.properties import _arithmetic, _invariance, _precision, _special
from halfulp.errors import InputError, MissingBackend


@pytest.fixture(scope="module")
def sheet():
    return datasheet("torch", functions=("exp", "sqrt", "add", "gelu"))


@pytest.fixture
def without_orders(monkeypatch):
    """Orders of sums take most of the time, and are measured anew in each datasheet."""
    monkeypatch.setitem(properties.SECTIONS, "orders", lambda _: {})


def test_what_a_datasheet_of_pytorch_says(sheet):
    assert sheet.properties["effective precision"]["float32 matmul"].startswith("inputs read with 24 of 24 bits")
    assert sheet.properties["arithmetic"]["float32 radix"] == "2"
    assert sheet.properties["arithmetic"]["float64 addition rounds"] == "to nearest, ties to even"
    assert "proved" in next(value for name, value in sheet.properties["orders"].items() if name.startswith("float32 matmul"))
    assert sheet.properties["special values"]["NaN in max, min"] == "passed on, passed on"
    assert sheet.properties["type promotion"]["float32 + float64"] == "float64"
    found = {(accuracy.function, accuracy.format): accuracy for accuracy in sheet.accuracies}
    assert found["add", "float32"].max_ulp_error <= 0.5
    assert 0.5 <= found["exp", "float32"].max_ulp_error < 2
    assert found["exp", "float16"].is_exhaustive
    assert found["exp", "float16"].inputs == 1 << 16
    assert {name for name, _ in found} == {"exp", "exp'", "sqrt", "sqrt'", "add", "gelu", "gelu'"}
    assert "Datasheet of torch" in halfulp.report(sheet)
    assert "misrounded" in halfulp.report(sheet)


def test_a_datasheet_survives_its_file_and_differs_from_another(sheet, tmp_path):
    path = tmp_path / "sheet.json"
    path.write_text(sheet.to_json())
    assert json.loads(path.read_text())["schema"] == 1
    again = read_datasheet(path)
    assert again.to_json() == sheet.to_json()
    assert not sheet.differences(again)
    worse = [dataclasses.replace(accuracy, max_ulp_error=5.0) if accuracy.function == "exp" else accuracy for accuracy in sheet.accuracies]
    other = dataclasses.replace(sheet, accuracies=tuple(worse), properties={**sheet.properties, "invariance": {}})
    names = [name for name, _, _ in sheet.differences(other)]
    assert "exp in float32" in names
    assert any(name.startswith("invariance") for name in names)
    assert not any("sqrt" in name for name in names)
    fewer = dataclasses.replace(sheet, accuracies=sheet.accuracies[1:])
    assert len(sheet.differences(fewer)) == 1
    unknown = dataclasses.replace(sheet.accuracies[0], max_ulp_error=float("nan"))
    assert len(sheet.differences(dataclasses.replace(sheet, accuracies=(unknown, *sheet.accuracies[1:])))) == 1


def test_bad_files_and_names_are_refused(tmp_path):
    for content in ("no", "[]", '{"schema": 2}', '{"schema": 1}'):
        path = tmp_path / "sheet.json"
        path.write_text(content)
        with pytest.raises(InputError):
            read_datasheet(path)
    with pytest.raises(InputError, match="can't be read"):
        read_datasheet(tmp_path / "nothing.json")
    with pytest.raises(InputError, match="one of torch, torch.compile, cuda"):
        datasheet("fortran")
    with pytest.raises(InputError, match="device"):
        datasheet("numpy", "cuda")
    with pytest.raises(InputError, match="PyTorch can't use here"):
        datasheet("torch", "cuda:99")
    with pytest.raises(InputError, match="function 'exq'"):
        datasheet("numpy", functions=("exq",))


@pytest.mark.usefixtures("without_orders")
def test_an_interrupted_run_goes_on(tmp_path):
    kept = tmp_path / "scans.json"
    seen = []

    def stop(step):
        seen.append(step)
        if step.startswith("sqrt in float16"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        datasheet("numpy", functions=("exp", "sqrt"), resume=kept, progress=stop)
    head, *scans = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [scan["key"] for scan in scans] == ["exp float32", "exp float16", "sqrt float32"]
    scans[0]["max_ulp_error"] = 123.0  # to see that it is not measured again
    kept.write_text("".join(json.dumps(line) + "\n" for line in (head, *scans)))
    sheet = datasheet("numpy", functions=("exp", "sqrt"), resume=kept)
    assert sheet.accuracies[0].max_ulp_error == 123.0
    assert len(sheet.accuracies) == 4
    with pytest.raises(InputError, match="Scans from different runs"):
        datasheet("numpy", functions=("exp",), resume=kept, seed=1)
    kept.write_text("no")
    with pytest.raises(InputError, match="holds no finished scans"):
        datasheet("numpy", functions=("exp",), resume=kept)
    assert any("s left" in step for step in seen)


@pytest.mark.usefixtures("without_orders")
def test_square_roots_of_numpy_are_correctly_rounded():
    found = datasheet("numpy", functions=("sqrt", "div", "mul")).accuracies
    assert all(each.max_ulp_error <= 0.5 and not each.not_correctly_rounded for each in found)


@pytest.mark.parametrize("name", TORCH_UNARY)
def test_every_function_has_a_reference_in_float64(name):
    values = torch.tensor([0.3, 0.7], dtype=torch.float64)
    assert reference(name, (values,)).dtype == torch.float64


@pytest.mark.parametrize("name", TORCH_BINARY)
def test_every_binary_function_has_one_too(name):
    values = torch.tensor([0.3, 0.7], dtype=torch.float64)
    assert reference(name, (values, values.flip(0))).dtype == torch.float64


def imitation(**ops):
    """NumPy with some ops replaced: what a datasheet has to notice."""
    real = library("numpy")
    return Library("imitation", "cpu", ("float32",), {**real.ops, **ops}, real.native, real.back)


def cut(x, bits):
    return (x.view(np.uint32) & np.uint32(0xFFFFFFFF << (24 - bits) & 0xFFFFFFFF)).view(np.float32)


def test_a_product_of_fewer_bits_is_named():
    tf32 = _precision(imitation(matmul=lambda x, w: cut(x, 11) @ cut(w, 11)))
    assert "inputs read with 11 of 24 bits (tf32): LESS than float32" in tf32["float32 matmul"]
    bfloat16 = _precision(imitation(matmul=lambda x, w: cut(x, 8) @ cut(w, 8)))
    assert "8 of 24 bits (bfloat16): LESS than float32" in bfloat16["float32 matmul"]
    narrow = _precision(
        imitation(matmul=lambda x, w: np.add.accumulate((x[:, :, None] * w).astype(np.float16), 1)[:, -1].astype(np.float32))
    )
    assert "keep 11 bits" in narrow["float32 matmul"]


def test_rounding_modes_and_flushing_are_named():
    def chopped(x, y):
        total = x.astype(np.float64) + y
        nearest = total.astype(np.float32)
        return np.where(np.abs(nearest) > np.abs(total), np.nextafter(nearest, np.float32(0)), nearest)

    assert _arithmetic(imitation(add=chopped))["float32 addition rounds"] == "toward zero"
    tiny = np.float32(2.0**-126)
    flushed = _arithmetic(imitation(mul=lambda x, y: np.where(np.abs(x * y) < tiny, np.float32(0), x * y)))
    assert "results made zero" in flushed["float32 subnormal numbers"]
    blind = _arithmetic(imitation(mul=lambda x, y: np.where(np.abs(x) < tiny, np.float32(0), x) * y))
    assert "read as zero" in blind["float32 subnormal numbers"]


def test_special_values_and_variance_are_named():
    with np.errstate(invalid="ignore"):
        found = _special(imitation(max=np.nanmax, relu=lambda x: np.where(x > 0, x, np.float32(0))))
    assert found["NaN in max, min"] == "dropped, passed on"
    assert found["NaN in relu, clamp"] == "dropped, passed on"
    assert found["round of 0.5, 1.5, 2.5"] == "0, 2, 2"
    assert found["floor_divide of -7 and 3"] == "-3"
    random = np.random.default_rng(0)
    shaky = _invariance(imitation(matmul=lambda x, w: x @ w + random.uniform(0, 1e-3, (len(x), w.shape[1])).astype(np.float32)))
    assert shaky["the same product and sum run again, five times"] == "NOT the same bits"
    assert "different bits in products of 1," in shaky["a row of a float32 product of 64 rows"]


def test_an_empty_datasheet_is_a_page_too():
    bare = Datasheet("torch", "cpu", {}, {"orders": {"sum": "one chain"}}, ())
    assert "sum: one chain" in halfulp.report(bare)
    unsupported = Accuracy("airy_ai", "float16", 0, False, float("nan"), float("nan"), float("nan"), 0)
    assert "not supported" in halfulp.report(dataclasses.replace(bare, accuracies=(unsupported,)))


def test_a_backend_has_the_ops_of_the_table_and_what_they_do_is_measured():
    through = _of_backend(backend("numpy"))
    assert through.has("matmul", "exp", "softmax") and not through.has("add") and through.dtypes == ("float32", "float64", "float16")
    direct = library("numpy")
    x, w, b = (np.random.default_rng(0).standard_normal(shape).astype(np.float32) for shape in ((3, 8), (5, 8), (5,)))
    assert np.array_equal(through.run("linear", x, w, b), direct.run("linear", x, w, b))
    assert np.array_equal(through.run("exp", x, dtype="float16"), direct.run("exp", x, dtype="float16"))
    assert _precision(through)["float32 matmul"] == _precision(direct)["float32 matmul"]
    assert "LESS" not in _precision(through)["float16 linear"]


@pytest.mark.usefixtures("without_orders")
def test_the_datasheet_of_a_backend_is_a_datasheet(monkeypatch, tmp_path):
    direct = datasheet("numpy", functions=("exp",)).accuracies[0]
    monkeypatch.setattr(libraries, "LIBRARIES", {})
    sheet = datasheet("numpy", functions=("exp", "gelu (tanh)"))
    assert {accuracy.function for accuracy in sheet.accuracies} == {"exp", "gelu (tanh)"} and sheet.accuracies[0] == direct
    assert sheet.properties["habits"]["weights of float32 linear"] == "read with 24 of 24 bits"
    assert sheet.properties["habits"]["subnormal inputs of matmul"] == "kept" and "arithmetic" not in sheet.properties
    (tmp_path / "sheet.json").write_text(sheet.to_json())
    assert sheet.fingerprint["numpy"]["numpy"] and read_datasheet(tmp_path / "sheet.json").to_json() == sheet.to_json()
    assert "effective precision" in halfulp.report(sheet)
    with pytest.raises(InputError, match="Only these have a reference"):
        datasheet("numpy", functions=("cosh",))
    with pytest.raises(InputError, match="nothing"):
        datasheet("nothing", "cuda")
    with pytest.raises(InputError, match="Only torch can use other devices"):
        datasheet("torch.compile", "cuda:0")
    if not torch.cuda.is_available():
        with pytest.raises(MissingBackend, match="sees no CUDA device"):
            datasheet("cuda")
