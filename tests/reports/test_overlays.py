import dataclasses
import json
import math

import pytest
import torch
from each_kind import stack
from releases import since
from torch import nn
from typer.testing import CliRunner

import halfulp
from halfulp.cli import app
from halfulp.errors import InputError
from halfulp.recording.exported import ops_of
from halfulp.reports.overlays import QUANTITIES, keyed, node_data, scalars, write_scalars

CASE = """
import copy
import torch
from torch import nn

torch.manual_seed(0)
expected = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 4))
actual = copy.deepcopy(expected)
actual[1].eps = 1e-3


def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(4, 8),)
"""


@pytest.fixture(scope="module")
def walked():
    wrong, right, inputs = stack()
    program = torch.export.export(right, inputs)
    return halfulp.locate(wrong, program, inputs), program, (wrong, right, inputs)


def test_node_data_name_nodes_of_the_graph(walked):
    origin, program, _ = walked
    nodes = keyed(origin)
    assert not nodes.left
    names = {node.name for node in program.graph.nodes}
    for quantity, (title, _number) in QUANTITIES.items():
        data = json.loads(node_data(origin, nodes, quantity))
        assert list(data) == ["graph"]
        assert set(data["graph"]) == {"name", "results"}
        assert title in data["graph"]["name"]
        assert set(data["graph"]["results"]) <= names
        assert all(math.isfinite(each["value"]) for each in data["graph"]["results"].values())


def test_the_node_where_it_starts_stands_out(walked):
    origin = walked[0]
    results = json.loads(node_data(origin, keyed(origin)))["graph"]["results"]
    start = [name for name, result in results.items() if result["textColor"] == "#ffffff"]
    assert start == [origin.source.removeprefix("%").split(" ")[0]]
    assert start[0].startswith("layer_norm")
    assert results[start[0]]["value"] > 1.0
    assert all(result["value"] <= 1.0 for name, result in results.items() if name != start[0])


@since(2, 5, "notes the outermost modules alone in an exported program")
def test_a_walk_along_modules_finds_the_same_nodes(walked):
    _, program, (wrong, right, inputs) = walked
    origin = halfulp.locate(wrong, right, inputs)
    assert not keyed(origin).points
    nodes = keyed(origin, ops_of(program))
    assert not nodes.left
    start = next(name for name, points in nodes.points.items() if any(origin.is_start(point) for point in points))
    assert start == walked[0].source.removeprefix("%").split(" ")[0]


@since(2, 5, "notes the outermost modules alone in an exported program")
def test_points_without_a_node_are_left_and_not_guessed(walked):
    """One LayerNorm too few in the graph: none of that module is assigned."""
    _, program, (wrong, right, inputs) = walked
    origin = halfulp.locate(wrong, right, inputs)
    ops = [each for each in ops_of(program) if each.op != "aten.native_layer_norm.default"]
    left = keyed(origin, ops).left
    assert left
    assert {each.op for each in left} == {"aten.native_layer_norm.default"}


def test_infinite_numbers_stay_json(walked):
    origin, _, _ = walked
    walk = tuple(dataclasses.replace(each, excess=math.inf, added=math.inf) for each in origin.walk)
    text = node_data(dataclasses.replace(origin, walk=walk), keyed(dataclasses.replace(origin, walk=walk)))
    assert json.loads(text, parse_constant=pytest.fail)
    with pytest.raises(InputError, match="quantity"):
        node_data(origin, keyed(origin), "taste")


def test_scalars_are_what_tensorboard_reads(walked, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    origin = walked[0]
    wanted = list(scalars(origin, step=7))
    assert write_scalars(origin, tmp_path, step=7) == len(wanted)
    events = EventAccumulator(str(tmp_path), size_guidance={"tensors": 0, "scalars": 0})
    events.Reload()
    found = [(tag, float(event.tensor_proto.float_val[0]), event.step) for tag in events.Tags()["tensors"] for event in events.Tensors(tag)]
    assert sorted((tag, step) for tag, _, step in found) == sorted((tag, step) for tag, _, step in wanted)
    numbers = {(tag, step): number for tag, number, step in wanted}
    assert all(number == pytest.approx(numbers[tag, step], rel=1e-6) for tag, number, step in found)
    assert {step for tag, _, step in found if tag.startswith("times the limit, by layer/")} == {7}


@pytest.mark.filterwarnings("ignore:You are using `torch.load`:FutureWarning")  # of PyTorch 2.4 about its own torch.export.load
def test_the_command_writes_the_graph_and_its_numbers(tmp_path):
    case = tmp_path / "port.py"
    case.write_text(CASE)
    folder = tmp_path / "overlay"
    ended = CliRunner().invoke(app, ["overlay", str(case), "-o", str(folder), "--tensorboard", str(tmp_path / "runs")])
    assert ended.exit_code == 0, ended.output
    assert "model-explorer" in ended.output
    program = torch.export.load(folder / "expected.pt2")
    names = {node.name for node in program.graph.nodes}
    for quantity in QUANTITIES:
        assert set(json.loads((folder / f"{quantity}.json").read_text())["graph"]["results"]) <= names
    assert list((tmp_path / "runs").iterdir())
    again = tmp_path / "again"
    stored = CliRunner().invoke(app, ["overlay", str(folder / "locate.json"), "--graph", str(folder / "expected.pt2"), "-o", str(again)])
    assert stored.exit_code == 0, stored.output
    assert (again / "added.json").read_text() == (folder / "added.json").read_text()


def test_what_has_no_graph_is_refused(tmp_path):
    wrong, right, inputs = stack()
    (tmp_path / "locate.json").write_text(halfulp.locate(wrong, right, inputs).to_json())
    (tmp_path / "check.json").write_text(halfulp.check(nn.ReLU(), torch.relu, (torch.ones(3),)).to_json())
    for name, words in (("locate.json", "--graph"), ("check.json", "halfulp locate")):
        ended = CliRunner().invoke(app, ["overlay", str(tmp_path / name)])
        assert isinstance(ended.exception, InputError)
        assert words in str(ended.exception)
