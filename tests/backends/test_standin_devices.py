"""halfulp on devices that are not here, by stand-ins that behave as the real ones are reported to: DirectML, MPS, XPU."""

import copy
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest
import torch
from standins import faults
from standins.named import named
from torch import nn
from torch.overrides import _len_torch_function_stack

import halfulp
from halfulp import RunError, Verdict, check
from halfulp.backends.registry import adapter_named
from halfulp.errors import MissingBackend, Unsupported, install_command

INPUTS = torch.randn(16, 64, generator=torch.Generator().manual_seed(0))
WEIGHT = torch.randn(64, 16, generator=torch.Generator().manual_seed(1))

# DirectML, in a process of its own

ON_DIRECTML = Path(__file__).parent / "standins" / "on_directml.py"
NAMES = re.findall(r"^def (test_\w+)", ON_DIRECTML.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Test in `on_directml.py` -> how its cases ended where they didn't pass -> words."""
    from torch.utils import backend_registration

    if not hasattr(backend_registration, "_setup_privateuseone_for_python_backend"):
        pytest.skip(f"PyTorch {torch.__version__} lets no Python code register a device")
    path = tmp_path_factory.mktemp("directml") / "outcomes.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={path}", str(ON_DIRECTML)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False)
    assert path.exists(), done.stdout[-2000:] + done.stderr[-2000:]
    found = {}
    for case in ElementTree.parse(path).iter("testcase"):
        ends = [(part.tag, part.get("message") + "\n" + (part.text or "")) for part in case if part.tag in ("failure", "error", "skipped")]
        found.setdefault(case.get("name").partition("[")[0], {}).update(ends)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_on_directml(outcomes, name):
    if outcomes[name].keys() == {"skipped"}:
        pytest.xfail(outcomes[name]["skipped"].strip())
    assert not outcomes[name], "\n".join(outcomes[name].values())


def test_nothing_that_is_tested_on_directml_is_left_out(outcomes):
    assert outcomes.keys() == set(NAMES)


# DirectML, where it can't be used


def test_without_its_package_directml_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch_directml", None)
    directml = adapter_named("directml")  # as it is here, whatever environments there are
    state = directml.availability()
    assert (bool(state), state.reason, state.install) == (False, "torch-directml not installed", install_command("directml"))
    with pytest.raises(MissingBackend, match=r"torch-directml not installed.*Install it with pip install 'halfulp\[directml\] @ git"):
        directml.implement(torch.exp)


def test_a_directml_that_cant_be_loaded_is_a_reason_and_no_traceback(tmp_path, monkeypatch):
    (tmp_path / "torch_directml.py").write_text("raise OSError('libd3d12.so: cannot open shared object file: No such file')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    directml = adapter_named("directml")
    state = directml.availability()
    assert (bool(state), state.install) == (False, "")
    assert state.reason == "torch_directml can't be loaded: libd3d12.so: cannot open shared object file: No such file"
    with pytest.raises(MissingBackend, match=r"libd3d12.*Provide what is missing, or run this on a machine"):
        directml.implement(torch.exp)


def test_a_directml_without_a_device_is_a_reason(monkeypatch):
    package = ModuleType("torch_directml")
    package.__spec__, package.is_available = ModuleSpec("torch_directml", None), lambda: False
    monkeypatch.setitem(sys.modules, "torch_directml", package)
    assert adapter_named("directml").availability().reason == "torch_directml sees no device"


def test_a_directml_that_crashes_is_a_reason(tmp_path):
    (tmp_path / "torch_directml.py").write_text("import os\ndef is_available():\n    os.abort()\n")
    program = "from halfulp.backends.registry import adapter_named; print(adapter_named('directml').availability().reason)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0
    assert "torch_directml" in done.stdout


# MPS and XPU, in this process


@pytest.fixture
def mps(monkeypatch):
    with named("mps", monkeypatch.setattr) as device, device.having(faults.float64_refused_on_arrival, faults.sums_in_two_halves):
        yield device


@pytest.fixture
def xpu(monkeypatch):
    with named("xpu", monkeypatch.setattr) as device, device.having(faults.float64_not_computed, faults.sums_in_two_halves):
        yield device


@pytest.fixture(params=["mps", "xpu"])
def gpu(request):
    return request.getfixturevalue(request.param)


def perceptron():
    return nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 5))


def on(device, function):
    return lambda *arguments: function(*(argument.to(device.device) for argument in arguments))


def finding(result, kind):
    return next(each.finding for each in result.evidence if each.kind == kind)


def test_a_stand_in_goes_away(monkeypatch):
    clone = torch.UntypedStorage.clone
    with monkeypatch.context() as patch, named("mps", patch.setattr):
        assert INPUTS.to("mps").device.type == torch.zeros(2, device="mps").device.type == "mps"
        assert torch.UntypedStorage.clone is not clone
    assert torch.UntypedStorage.clone is clone
    assert _len_torch_function_stack() == 0


@pytest.mark.parametrize("gradients", [False, True])
def test_another_order_is_rounding_in_modules(gpu, gradients):
    net = perceptron()
    result = check(copy.deepcopy(net).to(gpu.device), net, (INPUTS,), gradients=gradients)
    assert result.verdict is Verdict.ROUNDING, result


def test_modules_on_mps_are_run_in_float64_on_the_processor(mps):
    net = perceptron()
    there = copy.deepcopy(net).to("mps")
    result = check(there, net, (INPUTS,))
    assert finding(result, "scaling") == "vanishes"
    assert {parameter.device.type for parameter in there.parameters()} == {"mps"}


def test_modules_on_xpu_without_float64_are_run_on_the_processor(xpu):
    net = perceptron()
    assert finding(check(copy.deepcopy(net).to("xpu"), net, (INPUTS,)), "scaling") == "vanishes"


def test_functions_that_move_their_inputs_are_judged_without_float64(gpu):
    result = check(on(gpu, torch.matmul), torch.matmul, (INPUTS, WEIGHT))
    assert (result.verdict, finding(result, "scaling")) == (Verdict.ROUNDING, "unavailable")


def test_inputs_on_the_device_are_judged_without_float64(gpu):
    result = check(torch.matmul, lambda inputs, weight: inputs.cpu() @ weight.cpu(), (INPUTS.to(gpu.device), WEIGHT.to(gpu.device)))
    assert result.verdict is Verdict.ROUNDING, result


@pytest.mark.parametrize(("name", "words"), [("mps", "TypeError.*doesn't support float64"), ("xpu", "RuntimeError.*Required aspect fp64")])
def test_float64_that_was_asked_for_is_an_error_with_its_words(request, name, words):
    device = request.getfixturevalue(name)
    with pytest.raises(RunError, match=words):
        check(on(device, torch.cos), torch.cos, (INPUTS.double(),))


@pytest.mark.parametrize(
    ("fault", "function", "given"),
    [
        (faults.sums_of_integers_are_their_terms, lambda inputs: inputs.cumsum(0), torch.arange(9)),
        (
            faults.gaps_are_not_written,
            lambda inputs: inputs.t().clone(memory_format=torch.preserve_format).addcmul_(inputs.t(), inputs.t()),
            INPUTS,
        ),
    ],
    ids=["cumsum", "gaps"],
)
def test_a_fault_of_mps_is_a_mistake(mps, fault, function, given):
    assert check(on(mps, function), function, (given,)).verdict is Verdict.IDENTICAL
    with mps.having(fault):
        result = check(on(mps, function), function, (given,))
    assert (result.verdict, result.acceptable) == (Verdict.MISTAKE, False), result


class Added(nn.Module):
    """Adds into a tensor with gaps."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64, 16))

    def forward(self, inputs):
        return torch.zeros_like(inputs).t().addcmul_(self.weight, inputs.t())


@pytest.mark.parametrize(
    ("fault", "make"),
    [(faults.gaps_are_not_written, Added), (faults.statistics_not_updated, lambda: nn.BatchNorm1d(64))],
    ids=["gaps", "statistics"],
)
def test_a_fault_of_mps_in_a_module_is_a_mistake(mps, fault, make):
    net = make()
    there = copy.deepcopy(net).to("mps")
    assert check(there, net, (INPUTS,)).verdict is Verdict.IDENTICAL
    with mps.having(fault):
        assert check(there, net, (INPUTS,)).verdict is Verdict.MISTAKE


@pytest.mark.parametrize(("name", "module", "words"), [("mps", torch.backends.mps, "Metal device"), ("xpu", torch.xpu, "Intel GPU")])
def test_a_device_that_is_not_here_is_a_reason(monkeypatch, name, module, words):
    monkeypatch.setattr(module, "is_available", lambda: False)
    assert adapter_named(name).availability().reason == f"PyTorch {torch.__version__} sees no {words}"


def test_the_backend_for_mps_computes_there_and_refuses_float64(mps, monkeypatch):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    net = perceptron()
    function = halfulp.backend("mps").implement(net)
    assert function(INPUTS).device.type == "cpu"
    assert mps.kernels.count("aten.addmm.default") == 2
    assert check(function, net, (INPUTS,)).verdict is Verdict.ROUNDING
    with pytest.raises(Unsupported, match="Got float64 for mps"):
        function(INPUTS.double())
