"""A compiled function taken apart into stages, ops and options; and the backend that checks itself."""

import json
import shutil
import warnings

import pytest
import torch
from releases import since
from torch import nn

import halfulp
from halfulp.causes.compilation import compilation_of, disassembly
from halfulp.causes.compilation.compile_backend import CompiledGraphWarning
from halfulp.causes.compilation.options import usable_options
from halfulp.errors import InputError, RunError

COMPILER = any(shutil.which(each) for each in ("g++", "clang++", "c++", "cl"))
compiles = pytest.mark.skipif(not COMPILER, reason="no C++ compiler: inductor can't compile for this processor")
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")  # what inductor imports uses it
SEPARATE = since(2, 5, "lets its passes over graphs not be run by themselves, and names no generated kernels")

BUG = {"cpp.inject_relu_bug_TESTING_ONLY": "accuracy"}
"""PyTorch's own test bug: relu adds one in the generated kernel."""


@pytest.fixture(scope="module", autouse=True)
def _fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def buggy():
    import torch._inductor.config as inductor

    return inductor.patch(BUG)


# What torch.compile was given


def double(x):
    return x * 2


MODE = "max-autotune-no-cudagraphs"
GIVEN = {
    "nothing": ({}, "inductor", {}),
    "options": ({"options": {"max_fusion_size": 1, "cpp.min_chunk_size": 1}}, "inductor", {"max_fusion_size": 1, "cpp.min_chunk_size": 1}),
    "default mode": ({"mode": "default"}, "inductor", {}),
    "dynamic": ({"dynamic": True, "fullgraph": True}, "inductor", {}),
    "eager": ({"backend": "eager"}, "eager", {}),
    "aot_eager": ({"backend": "aot_eager"}, "aot_eager", {}),
    "checking": ({"backend": "halfulp"}, "halfulp", {}),
    "checking with options": (
        {"backend": "halfulp", "options": {"halfulp.checks": 2, "cpp.min_chunk_size": 1}},
        "halfulp",
        {"cpp.min_chunk_size": 1},
    ),
}


@pytest.mark.parametrize("kind", ["function", "module"])
@pytest.mark.parametrize("which", GIVEN)
def test_what_torch_compile_was_given_is_read_back(kind, which):
    arguments, backend, options = GIVEN[which]
    original = double if kind == "function" else nn.Linear(2, 2)
    found = compilation_of(torch.compile(original, **arguments))
    assert found is not None and found.known
    assert found.original is original and found.backend == backend and dict(found.options) == options
    assert found.is_inductor is (backend in ("inductor", "halfulp"))
    assert compilation_of(torch.compile(original, **found.arguments)).options == found.options


def test_a_mode_is_the_options_that_it_stands_for():
    found = compilation_of(torch.compile(double, mode=MODE))
    assert found.options == torch._inductor.list_mode_options()[MODE] and found.options["max_autotune"] is True
    assert found.arguments == {"options": found.options}


@pytest.mark.parametrize("function", [double, nn.Linear(2, 2), lambda x: x, torch.relu])
def test_what_was_not_compiled_has_no_compilation(function):
    assert compilation_of(function) is None


def test_options_that_are_in_force_are_not_tried_and_each_changes_something():
    import torch._inductor.config as inductor

    known = set(inductor.get_config_copy())
    usable = usable_options({})
    named = {"emulate_precision_casts"} & known  # PyTorch 2.4 lacks it
    assert {each.name for each in usable} >= {*named, "fusion", "memory layout", "vectorization"}
    assert all(each.patches and set(each.patches) <= known and each.remedy and each.detail for each in usable)
    assert "emulate_precision_casts" not in {option.name for option in usable_options({"emulate_precision_casts": True})}
    assert "choice of kernel" in {option.name for option in usable_options({"max_autotune": True})} - {each.name for each in usable}


# Taken apart


STAGES = [
    "eager through dynamo", "aot_eager", "decompositions", "graph passes", "inductor, nothing fused", "inductor", "max-autotune", "freezing"
]  # fmt: skip


@pytest.fixture(scope="module")
def convolutions():
    if not COMPILER:
        pytest.skip("no C++ compiler: inductor can't compile for this processor")
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.SiLU(), nn.Conv2d(4, 2, 3), nn.Flatten()).eval()
    before = {name: each.clone() for name, each in model.state_dict().items()}
    found = halfulp.explain(torch.compile(model), model, (torch.randn(2, 3, 6, 6),), processes=False, budget_s=600)
    assert all(torch.equal(each, before[name]) for name, each in model.state_dict().items())
    return found


@SEPARATE
def test_every_stage_of_a_small_network_is_rounding_at_most_and_the_first_are_identical(convolutions):
    assert [stage.name for stage in convolutions.stages] == STAGES
    verdicts = {stage.name: stage.verdict and stage.verdict.name for stage in convolutions.stages}
    assert set(verdicts.values()) <= {"IDENTICAL", "ROUNDING"}
    assert [verdicts[name] for name in STAGES[:2]] == ["IDENTICAL"] * 2
    assert convolutions.complete and convolutions.result.acceptable


@SEPARATE
def test_stages_count_their_elements_and_measure_their_errors(convolutions):
    for stage in convolutions.stages:
        assert stage.count == 16 and 0 <= stage.unequal <= 16 and stage.seconds > 0 and not stage.note
        assert (stage.unequal == 0) is (stage.verdict.name == "IDENTICAL") and (stage.in_noise == 0) is (stage.unequal == 0)
        assert stage.error_in_noise > 0 and stage.eager_error_in_noise == convolutions.stages[0].eager_error_in_noise


def test_what_was_taken_apart_is_told_in_the_report(convolutions):
    text = halfulp.report(convolutions)
    assert "Stages of compiling, each against the eager function:" in text and all(name.split(",")[0] in text for name in STAGES)


def test_what_was_taken_apart_is_told_in_json(convolutions):
    assert [each["name"] for each in json.loads(convolutions.to_json())["stages"]] == STAGES


def rectified(x):
    return torch.relu(x * 2.5) - 0.75


@pytest.fixture(scope="module")
def wrong():
    if not COMPILER:
        pytest.skip("no C++ compiler: inductor can't compile for this processor")
    torch._dynamo.reset()
    torch.manual_seed(0)
    with buggy():
        found = halfulp.explain(torch.compile(rectified), rectified, (torch.randn(6, 40),), processes=False, budget_s=600)
    torch._dynamo.reset()
    return found


@SEPARATE
def test_a_wrong_kernel_is_named_with_its_source(wrong):
    assert wrong.verdict.name == "MISTAKE" and wrong.exit_code == 1
    (cause,) = wrong.causes
    assert cause.name == "generated kernel" and cause.kind == "compiler" and cause.share == 1
    assert "relu" in cause.statement and "cpp_fused" in cause.statement and "relu" in cause.source + cause.statement
    assert "decltype" in cause.source and "+" in cause.source  # the injected code: tmp + decltype(tmp)(1)
    assert 'backend="aot_eager"' in cause.remedy and cause.reports


@SEPARATE
def test_the_wrong_op_is_the_only_one_beyond_rounding(wrong):
    beyond = [node for node in wrong.nodes if node.beyond]
    assert [each.op for each in beyond] == ["aten.relu.default"]
    assert beyond[0].unequal == beyond[0].count == 240 and "relu" in beyond[0].kernel and beyond[0].alone == 240
    assert "rectified" in beyond[0].source or "relu" in beyond[0].source


@SEPARATE
def test_the_first_wrong_stage_is_the_first_with_generated_code(wrong):
    verdicts = {stage.name: stage.verdict and stage.verdict.acceptable for stage in wrong.stages}
    assert [verdicts[name] for name in STAGES[:4]] == [True] * 4
    assert verdicts["inductor, nothing fused"] is False
    assert {verdicts[name] for name in STAGES[5:]} == {None}  # what is wrong in one stage is wrong in those after it
    assert all("is already wrong" in stage.note for stage in wrong.stages[5:])


@SEPARATE
def test_what_is_printed_of_a_wrong_kernel_shows_its_code(wrong):
    text = halfulp.report(wrong)
    assert "Generated code:" in text and "! aten.relu.default" in text and "The verdict changes at 'inductor, nothing fused'" in text
    assert wrong.causes[0].source.splitlines()[1] in [line[5:] for line in text.splitlines()]  # line by line, not in one


@SEPARATE
@compiles
def test_a_first_compilation_that_took_long_does_not_keep_the_program_from_being_examined(monkeypatch):
    apart, took_s = disassembly._Apart, 250.0  # as where the compiler's headers are built first
    monkeypatch.setattr(disassembly, "_Apart", lambda *parts: apart(*parts[:-1], took_s))
    torch._dynamo.reset()
    with buggy():
        found = halfulp.explain(torch.compile(rectified), rectified, (torch.randn(6, 41),), processes=False, budget_s=2 * took_s)
    assert [cause.name for cause in found.causes] == ["generated kernel"]


@SEPARATE
@compiles
def test_sixteen_bit_casts_that_are_left_out_are_explained_by_the_option_that_makes_them():
    def chain(x, y):
        return ((x * y + y) * x - y) * x

    torch._dynamo.reset()
    inputs = torch.randn(16, 33).bfloat16(), torch.randn(16, 33).bfloat16()
    found = halfulp.explain(torch.compile(chain), chain, inputs, processes=False, budget_s=600)
    assert found.result.acceptable and found[0].name == "emulate_precision_casts"
    assert found[0].share == 1 and found.left_in_noise == 0
    assert "emulate_precision_casts" in found[0].remedy and found.nodes


@compiles
def test_a_budget_that_is_over_leaves_stages_out_and_says_so():
    def scaled(x):
        return x * 3 + 1

    torch._dynamo.reset()
    found = halfulp.explain(torch.compile(scaled, backend="aot_eager"), scaled, (torch.randn(9),), processes=False, budget_s=1e-6)
    assert not found.complete and {stage.note for stage in found.stages} == {"time ran out"} and not found.causes


def test_a_backend_that_computes_otherwise_is_named_by_its_stage():
    def wrong_backend(module, _):
        return lambda *inputs: tuple(each * 1.5 for each in module(*inputs))

    def shifted(x):
        return x * 3 + 1

    torch._dynamo.reset()
    found = halfulp.explain(torch.compile(shifted, backend=wrong_backend), shifted, (torch.randn(50),), processes=False)
    assert found.verdict.name == "MISTAKE"
    names = [stage.name for stage in found.stages]
    assert names[:3] == STAGES[:3] and all(stage.unequal == 0 for stage in found.stages[:3])
    assert found.causes and "wrong_backend" in found[0].name


# The backend that checks itself


def last(before):
    found = halfulp.checked_graphs()[before:]
    assert found
    return found


@compiles
def test_a_right_graph_is_checked_once_and_then_left_alone():
    def gated(x, y):
        return torch.sigmoid(x) * y + x

    before = len(halfulp.checked_graphs())
    compiled = torch.compile(gated, backend="halfulp")
    x, y = torch.randn(8, 31), torch.randn(8, 31)
    first = compiled(x, y)
    (graph,) = last(before)
    assert graph.ops == 3 and graph.result.acceptable and not graph.note
    assert torch.equal(compiled(x, y), first)
    compiled(x + 1, y)
    assert len(halfulp.checked_graphs()) == before + 1
    torch._dynamo.reset()
    assert torch.equal(torch.compile(gated)(x, y), first)  # what inductor gives without the check


@compiles
@pytest.mark.parametrize("checks", [0, 3])
def test_so_many_calls_are_checked_as_are_asked_for(checks):
    scale = 1.5 + checks

    def scaled(x):
        return (x * scale).cos()

    before = len(halfulp.checked_graphs())
    compiled = torch.compile(scaled, backend="halfulp", options={"halfulp.checks": checks})
    for each in range(5):
        compiled(torch.randn(6) + each)
        assert len(halfulp.checked_graphs()) - before == min(each + 1, checks)


@compiles
@pytest.mark.parametrize("bad", [-1, 1.5, "all"])
def test_a_number_of_checks_that_is_none_is_refused(bad):
    torch._dynamo.reset()
    with pytest.raises(Exception) as raised:
        torch.compile(lambda x: x + 1, backend="halfulp", options={"halfulp.checks": bad})(torch.ones(2))
    errors = [raised.value, raised.value.__cause__, getattr(raised.value, "inner_exception", None)]
    assert any(isinstance(error, InputError) for error in errors) or "halfulp.checks" in str(raised.value)


@compiles
def test_a_wrong_graph_is_warned_about_and_raised_where_that_is_asked_for():
    def halved(x):
        return torch.relu(x * 0.5)

    x = torch.randn(6, 20)
    torch._dynamo.reset()
    with buggy():
        before = len(halfulp.checked_graphs())
        compiled = torch.compile(halved, backend="halfulp")
        with pytest.warns(CompiledGraphWarning, match="MISTAKE"):
            result = compiled(x)
        (graph,) = last(before)
        assert graph.result.verdict.name == "MISTAKE"
        assert torch.equal(result, halved(x) * 0 + x * 0.5 + 1)  # what the compiled graph gives: the check changes nothing
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compiled(x)  # once is enough
        torch._dynamo.reset()
        with pytest.raises(RunError, match="differs from its ops run eagerly"):
            torch.compile(halved, backend="halfulp", options={"halfulp.raises": True})(x)
    torch._dynamo.reset()


@compiles
def test_gradients_through_the_checking_backend_are_those_of_inductor():
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
    x = torch.randn(5, 6)

    def gradients(backend):
        torch._dynamo.reset()
        model.zero_grad()
        torch.compile(model, backend=backend)(x).square().sum().backward()
        return [parameter.grad.clone() for parameter in model.parameters()]

    before = len(halfulp.checked_graphs())
    checked = gradients("halfulp")
    assert all(graph.result.acceptable for graph in last(before))
    plain = gradients("inductor")
    assert all(torch.equal(one, other) for one, other in zip(checked, plain)) and any(each.abs().max() > 0 for each in plain)
    assert all(parameter.grad is not None for parameter in model.parameters())


@compiles
def test_a_graph_that_writes_to_its_input_writes_once():
    def written(x):
        x.add_(1)
        return x * 2

    torch._dynamo.reset()
    x = torch.zeros(4)
    before = len(halfulp.checked_graphs())
    result = torch.compile(written, backend="halfulp")(x)
    assert x.tolist() == [1] * 4 and result.tolist() == [2] * 4
    assert all(graph.result is None or graph.result.acceptable for graph in last(before))


# Where nothing closer is found


def laboratory_on(actual, expected, inputs):
    import time

    from halfulp.cases import Case
    from halfulp.causes.laboratory import Laboratory
    from halfulp.noise import noise_of
    from halfulp.verdicts.checker import judged
    from halfulp.verdicts.gatherer import Gatherer

    case = Case(actual, expected, inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Laboratory(case, noise_of(case), judged(Gatherer(case, lambda _: None)), time.monotonic() + 600, lambda _: None)


@compiles
@pytest.mark.filterwarnings("ignore")
def test_the_bisection_of_pytorch_ends_at_the_lowering_that_is_wrong():
    from halfulp.causes.compilation.disassembly import _Apart, _bisected

    def rectified(x):
        return torch.relu(torch.sin(x))

    x = torch.randn(64, generator=torch.Generator().manual_seed(0))
    with buggy():
        compiled = torch.compile(rectified)
        own = laboratory_on(compiled, rectified, (x,))
        eager = own.native["expected"]
        apart = _Apart(own, compilation_of(compiled), eager, own.scale.distance(own.native["actual"], eager))
        assert apart.differs and apart.beyond
        (cause,) = _bisected(apart)
    assert cause.name == "compiler pass: lowerings" and "relu" in cause.statement


def test_rounding_in_generated_kernels_and_a_stage_alone_are_told_in_words():
    from halfulp import Verdict
    from halfulp.causes.cause import NodeResult, StageResult
    from halfulp.causes.compilation.compiler_causes import of_rounding_kernels, of_stage
    from halfulp.causes.compilation.disassembly import _Apart

    stages = [
        StageResult("aot_eager", "functionalized", Verdict.IDENTICAL, 0, 10),
        StageResult("inductor", "loops fused", Verdict.ROUNDING, 4, 10, 0.5),
    ]
    node = NodeResult("erf", "aten.erf.default", "y = torch.erf(x)", 4, 10, 0.5, False, "cpp_fused_erf_0", "code of the kernel")
    (cause,) = of_rounding_kernels([node], stages)
    assert "aten.erf.default" in cause.statement and "cpp_fused_erf_0" in cause.statement and cause.source == "code of the kernel"
    assert any("'inductor' (loops fused)" in each for each in cause.evidence)
    assert of_rounding_kernels([], stages) == []
    own = laboratory_on(double, double, (torch.randn(8),))
    apart = _Apart(own, compilation_of(torch.compile(double, backend="eager")), own.native["expected"], own.before)
    (cause,) = of_stage(stages, beyond=False)
    assert cause.name == "stage: inductor" and 'compile with backend="aot_eager"' in cause.remedy
    assert of_stage(stages[:1], beyond=False) == []
    assert not apart.differs


# Stages before code is generated


def activated(x, scale):
    return torch.nn.functional.gelu(x * scale).sum(-1) + torch.log1p(x * x).mean(-1)


def explained(function, *inputs):
    import torch._inductor.config as inductor

    torch._dynamo.reset()
    with inductor.patch(force_disable_caches=True), warnings.catch_warnings():  # what was compiled without the fault would be taken
        warnings.simplefilter("ignore")
        return halfulp.explain(torch.compile(function), function, inputs, processes=False, budget_s=600)


@pytest.fixture
def some():
    torch.manual_seed(3)
    return torch.randn(6, 40), torch.rand(40) + 0.5


def wrong_log1p(x):
    return torch.log(x + 1.0001)


@compiles
def test_a_wrong_decomposition_is_named_with_its_op_and_file(some, monkeypatch):
    from torch._inductor import decomposition

    monkeypatch.setitem(decomposition.decompositions, torch.ops.aten.log1p.default, wrong_log1p)
    decomposition.fast_random_decomps.cache_clear()
    try:
        found = explained(activated, *some)
    finally:
        decomposition.fast_random_decomps.cache_clear()
    (cause,) = found.causes
    assert cause.name == "decomposition: aten.log1p.default" and cause.confidence == "high"
    assert "test_compilation.py:" in cause.statement and "log1p" in cause.place
    assert next(stage.name for stage in found.stages if stage.verdict.acceptable is False) == "decompositions"
    assert not found.nodes  # no code was looked into: nothing after the first wrong stage is asked


def halves_multiplications(graph):
    for node in graph.nodes:
        if node.target is torch.ops.aten.mul.Tensor and isinstance(node.args[1], torch.fx.Node):
            with graph.inserting_after(node):
                twice = graph.call_function(torch.ops.aten.mul.Tensor, (node, 1.01))
            node.replace_all_uses_with(twice, delete_user_cb=lambda user, twice=twice: user is not twice)
            return


@SEPARATE
@compiles
def test_a_wrong_pass_over_graphs_is_named_with_its_option_and_op(some):
    import torch._inductor.config as inductor

    with inductor.patch(post_grad_custom_pre_pass=halves_multiplications):
        found = explained(activated, *some)
    (cause,) = found.causes
    assert cause.name == "graph pass: post_grad_custom_pre_pass" and "aten.mul.Tensor" in cause.statement
    assert "test_compilation.py:" in cause.statement
    verdicts = {stage.name: stage.verdict and stage.verdict.acceptable for stage in found.stages}
    assert verdicts["decompositions"] is True and verdicts["graph passes"] is False and verdicts["inductor"] is None


@compiles
def test_a_wrongly_captured_call_is_named(some, monkeypatch):
    from torch._dynamo import output_graph

    clean = output_graph.OutputGraph.cleanup_graph

    def cleanup_graph(self):
        clean(self)
        for node in self.graph.nodes:
            if getattr(node.target, "__name__", "") == "gelu":
                node.kwargs = {**node.kwargs, "approximate": "tanh"}

    monkeypatch.setattr(output_graph.OutputGraph, "cleanup_graph", cleanup_graph)
    found = explained(activated, *some)
    (cause,) = found.causes
    assert cause.name.startswith("graph capture:") and "gelu" in cause.name and "test_compilation.py:" in cause.place
    assert found.stages[0].verdict.acceptable is False and len(found.causes) == 1
