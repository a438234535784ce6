"""What stands on the command line, as two sides and their inputs."""

import inspect

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import halfulp
from halfulp.cases import Stored, load_case_file
from halfulp.errors import CaseFileError, HalfulpError, InputError, TensorFileError, TraceError
from halfulp.sources.drawn_inputs import drawing_of
from halfulp.sources.given import given
from halfulp.sources.kinds import Kind, kind_of

FILE = """
import torch
from torch import nn
import torch.nn.functional as F

def product(x, W, b):
    return x @ W.T + b

def expected(x, W, b):
    return F.linear(x, W, b)

def inputs(seed, size=64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(4, size, generator=generator), torch.randn(8, size, generator=generator), torch.randn(8, generator=generator)

def model():
    return nn.Sequential(nn.Linear(16, 8), nn.ReLU())

def pair():
    return product, expected

def case():
    return {"actual": product, "expected": expected, "inputs": inputs, "declared": "bfloat16"}

def with_inputs():
    return model(), (torch.ones(2, 16),)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
    def forward(self, tokens):
        return self.embedding(tokens)

def constant():
    return torch.ones(3)

number = 3

def stream(x):
    yield x

class Unfinished(nn.Module):
    def __init__(self, width):
        super().__init__()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "code.py").write_text(FILE)
    (tmp_path / "models_here.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def arguments(size=64, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(4, size, generator=generator), torch.randn(8, size, generator=generator), torch.randn(8, generator=generator)


def verdict(found):
    return halfulp.check(found.actual, found.expected, found.inputs, **found.options).verdict.name


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("case.py", Kind.CASE_FILE),
        ("code.py:expected", Kind.NAME),
        ("package.module:builder", Kind.NAME),
        ("x @ W.T", Kind.EXPRESSION),
        ("x/y", Kind.EXPRESSION),
        ("F.gelu", Kind.EXPRESSION),
        ("1.5", Kind.EXPRESSION),
        ("model.onnx", Kind.ONNX),
        ("result.npy", Kind.TENSORS),
        ("weights.safetensors", Kind.TENSORS),
        ("model.pkl", Kind.TENSORS),
        (".", Kind.TRACE),
    ],
)
def test_kinds_by_their_looks(word, kind):
    assert kind_of(word, ["x", "y", "W"]) is kind


@pytest.mark.parametrize("word", ["nowhere", "some/path", "../there", "result.txt", "a.json", "run.trace", "modle.pte"])
def test_a_bare_word_that_nothing_has_is_no_such_file(word, folder):
    with pytest.raises(CaseFileError, match="which is not a file"):
        given([word], inputs="x=randn(2)")


def test_a_file_of_another_kind_is_refused(folder):
    (folder / "notes.txt").write_text("1")
    with pytest.raises(InputError, match=r"a file of kind '\.txt'"):
        kind_of("notes.txt")


def test_two_expressions(folder):
    found = given(["x @ W.T + b", "F.linear(x, W, b)"], inputs="x=randn(4, 64), W=randn(8, 64), b=randn(8)")
    assert verdict(found) in ("ROUNDING", "IDENTICAL")
    again = given(["x @ W.T + b", "F.linear(x, W, b)"], inputs="x=randn(4, 64), W=randn(8, 64), b=randn(8)")
    assert all(torch.equal(*pair) for pair in zip(found.inputs, again.inputs))
    other = given(["x @ W.T + b", "F.linear(x, W, b)"], inputs="x=randn(4, 64), W=randn(8, 64), b=randn(8)", seed=1)
    assert not torch.equal(found.inputs[0], other.inputs[0])


def test_what_a_result_keeps_of_expressions_is_a_case_file_that_says_the_same(folder):
    found = given(["softmax(x @ W.T, -1) * math.pi", "F.softmax(F.linear(x, W), -1) * np.pi"], inputs="x=randn(4, size), W=randn(8, size)")
    (folder / "made.py").write_text(found.source)
    loaded = load_case_file("made.py", 0)
    assert all(torch.equal(*pair) for pair in zip(found.inputs, loaded["inputs"]))
    for side in ("actual", "expected"):
        assert torch.equal(loaded[side](*loaded["inputs"]), found.side(side)(*found.inputs))
    assert found.source.startswith("# halfulp check 'softmax(x @ W.T, -1)")


def test_sizes_of_expressions_and_files_are_drawn(folder):
    found = given(["x.sum()", "x.flip(0).sum()"], inputs="x=randn(size)")
    assert inspect.signature(found.draw).parameters["size"].default == 256
    assert found.draw(0, size=32)[0].shape == (32,)
    from_file = given(["code.py:product", "code.py:expected"])
    assert inspect.signature(from_file.draw).parameters["size"].default == 64
    assert from_file.draw(3, size=16)[0].shape == (4, 16)
    assert "size" not in inspect.signature(given(["x", "x"], inputs="x=ones(2)").draw).parameters
    assert len(halfulp.growth(found.actual, found.expected, found.draw, [8, 16]).points) == 2


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("x=randn(3, 4)", [(3, 4)]),
        ("x=randn(3, 4), y=x.T * 2", [(3, 4), (4, 3)]),
        ("x=rand(2); y=zeros(3)", [(2,), (3,)]),
        ("randn(2), ones(3),", [(2,), (3,)]),
        ("x=randint(10, (4,)), y=arange(5), z=torch.eye(2)", [(4,), (5,), (2, 2)]),
        ("x=randn(2, 2).bfloat16().T", [(2, 2)]),
        ("", []),
    ],
)
def test_inputs_as_they_are_written(text, shapes):
    assert [tuple(value.shape) for value in drawing_of(text).draw(0, 8).values] == shapes


def test_numbers_and_files_are_inputs_too(folder):
    np.save("x.npy", np.arange(3.0, dtype=np.float32))
    values = drawing_of("x=load('x.npy'), scale=2.5, n=3").draw(0, 8).values
    assert torch.equal(values[0], torch.arange(3.0)) and values[1:] == (2.5, 3)
    np.savez("all.npz", x=np.ones((4, 64), np.float32), W=np.ones((8, 64), np.float32), b=np.ones(8, np.float32))
    assert verdict(given(["x @ W.T + b", "code.py:expected"], inputs="all.npz")) == "IDENTICAL"
    np.savez("counted.npz", np.ones((4, 64), np.float32), np.ones((8, 64), np.float32), np.ones(8, np.float32))
    assert given(["code.py:product", "code.py:expected"], inputs="counted.npz").inputs[2].shape == (8,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x=randn(3", "Needed: values or name=value pairs"),
        ("ones(2), x=randn(3)", "some inputs have names and some have none"),
        ("**{}", "Needed: values or name=value pairs"),
        ("x=open('a')", "Got the name open"),
        ("x=torch.load('a')", "Needed: functions of torch"),
        ("x=randn('a')", "Got TypeError from"),
        ("x=randn(3).view(2)", "Got RuntimeError from"),
        ("x=load('nowhere.npy')", "which is not a file"),
        ("x=load('a.pkl')", "which is not a file"),
        ("x=" + "1+" * 6000 + "1", "characters"),
    ],
)
def test_inputs_that_can_not_be_made(text, message, folder):
    with pytest.raises(HalfulpError, match=message):
        drawing_of(text).draw(0, 8)


def test_the_state_of_random_numbers_is_left_alone(folder):
    torch.manual_seed(7)
    wanted = torch.rand(1)
    torch.manual_seed(7)
    given(["x", "x"], inputs="x=randn(3)")
    given(["code.py:model", "code.py:model"])
    assert torch.equal(torch.rand(1), wanted)


@pytest.mark.parametrize("place", ["code.py", "models_here"])
def test_names_of_files_and_modules(place, folder):
    assert verdict(given([f"{place}:product", f"{place}:expected"])) in ("ROUNDING", "IDENTICAL")
    assert verdict(given([f"{place}:pair"])) in ("ROUNDING", "IDENTICAL")
    found = given([f"{place}:case"])
    assert found.options == {"declared": "bfloat16"} and found.inputs[0].shape == (4, 64)
    built = given([f"{place}:model", f"{place}:model"])
    assert isinstance(built.actual, nn.Sequential) and built.inputs[0].shape == (4, 16)
    assert torch.equal(built.actual[0].weight, built.expected[0].weight)  # the same seed
    assert torch.equal(given([f"{place}:with_inputs", f"{place}:model"]).inputs[0], torch.ones(2, 16))
    net = given([f"{place}:Net", f"{place}:Net"])
    assert net.inputs[0].dtype == torch.int64 and int(net.inputs[0].max()) < 10
    assert verdict(given([f"{place}:constant", f"{place}:constant"], inputs="")) == "IDENTICAL"


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("code.py:nothing", r"has no 'nothing'\..*defines .*expected"),
        ("code.py:number", r"which is an int\. Needed: a function"),
        ("code.py:stream", "a generator function"),
        ("code.py:Unfinished", "which is a class. Needed: an instance"),
        ("absent.py:name", "which is not a file"),
        ("no_such_module_here:name", "Python can't find no_such_module_here"),
        ("code.py", "without `actual`"),
    ],
)
def test_names_that_are_of_no_use(word, message, folder):
    with pytest.raises(InputError, match=message):
        given([word, "code.py:expected"])


def test_a_module_that_fails_shows_its_line(folder):
    (folder / "failing_module.py").write_text("import torch\nx = torch.ones(2, device='cuda')\n")
    with pytest.raises(CaseFileError) as raised:
        given(["failing_module:x", "code.py:expected"])
    assert "failing_module.py" in str(raised.value)
    assert torch.cuda.is_available() or "run it where PyTorch finds a CUDA device" in str(raised.value)


def test_parameters_take_inputs_by_their_names(folder):
    (folder / "turned.py").write_text("import torch\ndef f(b, W, x):\n    return x @ W.T + b\ndef only(x, *, W):\n    return x @ W.T\n")
    found = given(["turned.py:f", "F.linear(x, W, b)"], inputs="x=randn(4, 8), W=randn(3, 8), b=randn(3)")
    assert torch.equal(found.actual(*found.inputs), found.inputs[0] @ found.inputs[1].T + found.inputs[2])
    found = given(["turned.py:only", "x @ W.T"], inputs="x=randn(4, 8), W=randn(3, 8), b=randn(3)")
    assert torch.equal(found.actual(*found.inputs), found.expected(*found.inputs))
    by_place = given(["code.py:product", "F.linear"], inputs="a=randn(4, 8), c=randn(3, 8), d=randn(3)")
    assert torch.allclose(by_place.actual(*by_place.inputs), by_place.expected(*by_place.inputs))
    with pytest.raises(InputError, match=r"actual takes \(x, W, b\)"):
        given(["code.py:product", "a @ c.T"], inputs="a=randn(4, 8), c=randn(3, 8)")


def test_expressions_beside_a_file_take_its_inputs(folder):
    assert verdict(given(["x @ W.T + b", "code.py:expected"])) in ("ROUNDING", "IDENTICAL")
    (folder / "case.py").write_text(FILE.replace("def product", "def actual"))
    assert verdict(given(["case.py", "F.linear(x, W, b)"])) in ("ROUNDING", "IDENTICAL")
    assert verdict(given(["case.py"], inputs="x=randn(2, 5), W=randn(3, 5), b=randn(3)")) in ("ROUNDING", "IDENTICAL")


def test_modules_are_not_asked_whether_they_are_true(folder):
    """A compiled module has no length and fails where it is asked; an empty one is false."""
    (folder / "case.py").write_text("""
import torch
from torch import nn
class Refuses(nn.Module):
    def __len__(self):
        raise TypeError("no len()")
    def forward(self, x):
        return x * 2
actual, expected = Refuses(), Refuses()
def inputs(seed):
    return (torch.ones(3),)
""")
    assert verdict(given(["case.py"])) == "IDENTICAL"
    assert verdict(given(["case.py"], backends="torch")) == "IDENTICAL"


def test_a_stored_result_against_a_function(folder):
    np.save("result.npy", F.linear(*arguments()).numpy())
    found = given(["result.npy", "code.py:expected"])
    assert isinstance(found.actual, Stored) and verdict(found) == "IDENTICAL"
    torch.save({"y": F.linear(*arguments())}, "result.pt")
    assert verdict(given(["result.pt", "code.py:expected"])) == "IDENTICAL"
    assert isinstance(given(["code.py:product", "result.npy"]).expected, Stored)
    assert verdict(given(["result.npy", "code.py:expected"], inputs="x=randn(4, 64), W=randn(8, 64), b=randn(8)", seed=1)) == "MISTAKE"


def test_a_trace_brings_the_inputs_that_it_was_computed_from(folder):
    halfulp.record(F.linear, arguments(seed=5), "run.trace", level="tensors")
    found = given(["run.trace", "code.py:expected"])
    assert torch.equal(found.inputs[0], arguments(seed=5)[0])
    assert verdict(found) == "IDENTICAL"
    assert verdict(given(["run.trace", "F.linear"])) == "IDENTICAL"
    assert verdict(given(["run.trace", "x @ W.T + b"])) in ("ROUNDING", "IDENTICAL")


def test_bfloat16_and_several_outputs_of_a_trace(folder):
    halfulp.record(
        lambda x: (x * x, x.sum()), (torch.randn(9, generator=torch.Generator().manual_seed(0)).bfloat16(),), "run.trace", level="tensors"
    )
    found = given(["run.trace", "x * x, x.sum()"])
    assert verdict(found) == "IDENTICAL"
    assert [leaf.dtype for leaf in found.actual.leaves] == ["bfloat16", "bfloat16"]


def test_a_trace_without_all_elements_is_no_result(folder):
    halfulp.record(F.linear, arguments(size=256), "run.trace", level="statistics")
    halfulp.record(lambda x: x.repeat(100), (torch.ones(9),), "large.trace", level="statistics")
    with pytest.raises(TraceError, match=r"level 'statistics', which does not hold all elements of output\..*--level tensors"):
        given(["large.trace", "F.relu"])
    (folder / "empty").mkdir()
    with pytest.raises(TraceError):
        given(["empty", "F.relu"])


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        ([], {}, "Got nothing to run"),
        (["a.npy", "b.npy"], {}, r"Got two results.*halfulp compare a\.npy b\.npy"),
        (["a.npy"], {}, r"Got a stored result alone.*halfulp check a\.npy FILE\.py:expected"),
        (["code.py:expected"], {}, "Got one side, code.py:expected. Needed: two"),
        (["x + 1"], {"inputs": "x=ones(2)"}, "An expression is compared with another one"),
        (["x + 1", "1 + x"], {}, r'Got no inputs\..*-i "x=randn\(4, 8\)"'),
        (["models_here:product", "code.py:pair"], {}, "Got two functions from code.py:pair, and another argument"),
        (["code.py:product", "code.py:expected"], {"backends": "numpy"}, "with two arguments"),
        (["code.py:product"], {"backends": "a,b,c"}, "Got 3 backends"),
        (["code.py:product"], {"backends": "nowhere"}, "Got the backend 'nowhere'"),
        (["code.py:product"], {"backends": "numpy:x"}, "NAME:OPTION=VALUE"),
    ],
)
def test_what_is_missing_or_too_much(words, options, message, folder):
    np.save("a.npy", np.ones(3))
    np.save("b.npy", np.ones(3))
    with pytest.raises(InputError, match=message):
        given(words, **options)


def test_two_traces_are_for_locate(folder):
    for name in ("a.trace", "b.trace"):
        halfulp.record(torch.relu, (torch.ones(2),), name, level="tensors")
    with pytest.raises(InputError, match=r"halfulp locate a\.trace b\.trace"):
        given(["a.trace", "b.trace"])


def test_pickles_stay_closed(folder):
    (folder / "result.pkl").write_bytes(b"cos\nsystem\n(S'touch run'\ntR.")
    with pytest.raises(TensorFileError, match="Unpickling runs code"):
        given(["result.pkl", "F.relu"], inputs="x=ones(2)")
    assert not (folder / "run").exists()


@pytest.mark.parametrize("words", [["code.py:model"], ["F.gelu(x)"], ["code.py:case"]])
def test_an_engine_beside_what_it_was_made_from(words, folder):
    inputs = "x=randn(4, 8)" if words == ["F.gelu(x)"] else None
    found = given(words, inputs=inputs, backends="torch")
    assert verdict(found) in ("IDENTICAL", "ROUNDING")
    assert found.actual is not found.expected
    both = given(words, inputs=inputs, backends="torch,torch")
    assert verdict(both) in ("IDENTICAL", "ROUNDING")
