import pytest
import torch
from torch import nn

from halfulp.cases.gradients import cotangent, with_gradients
from halfulp.errors import InputError


def test_gradients_of_inputs_and_parameters():
    net = nn.Linear(3, 2)
    x = torch.randn(4, 3)
    found = with_gradients(net, (x,), {}, 0, dict(net.named_parameters()))
    weights = cotangent(found["output"], 0)
    assert torch.equal(found["gradient"]["inputs[0]"], weights @ net.weight)
    assert torch.allclose(found["gradient"]["weight"], weights.T @ x)
    assert set(found["gradient"]) == {"inputs[0]", "weight", "bias"}
    assert net.weight.grad is None


def test_unused_inputs_integers_and_in_place_functions():
    found = with_gradients(lambda x, unused, index: x.mul_(2)[index], (torch.ones(3), torch.ones(2), torch.tensor([0])), {}, 0, {})
    assert set(found["gradient"]) == {"inputs[0]", "inputs[1]"}
    assert found["gradient"]["inputs[1]"].tolist() == [0.0, 0.0]


def test_weights_are_exact_in_every_format():
    weights = cotangent(torch.zeros(1000), 1)
    assert torch.equal(weights.to(torch.float8_e4m3fn).float(), weights)
    assert weights.unique().numel() == 17


def test_outputs_without_a_gradient_are_refused():
    with pytest.raises(InputError, match="Got outputs without a gradient"):
        with_gradients(lambda x: x.argmax(), (torch.ones(3),), {}, 0, {})


@pytest.mark.filterwarnings("ignore")  # torch.compile looks at .grad of inputs that are no leaves
def test_only_shared_parameters_and_complex_numbers():
    net = nn.Linear(2, 2)
    found = with_gradients(torch.compile(net, backend="eager"), (torch.ones(1, 2),), {}, 0, {"weight": net.weight})
    assert set(found["gradient"]) == {"inputs[0]", "weight"}
    spectrum = with_gradients(torch.fft.fft, (torch.ones(4, dtype=torch.complex64),), {}, 0, {})
    assert spectrum["gradient"]["inputs[0]"].dtype == torch.complex64
