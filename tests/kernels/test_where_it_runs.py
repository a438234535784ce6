"""Where a solution runs, by its text and by what there is; tensors go there and come back."""

from importlib import metadata

import pytest
import torch

from halfulp.kernels.solutions import place


@pytest.mark.parametrize(("text", "without", "with_one"), [
    ("import torch", place.HERE, place.HERE), ("x.cuda()", place.STAND_IN, place.CUDA), ("import triton", place.INTERPRETER, place.CUDA),
])  # fmt: skip
def test_where_code_runs(monkeypatch, text, without, with_one):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert place.place_of(text) == without
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert place.place_of(text) == with_one


def test_a_process_is_lost_after_a_fault_of_the_device_alone():
    assert place.is_lost(place.CUDA, "RuntimeError: CUDA error: an illegal memory access was encountered")
    assert not place.is_lost(place.CUDA, "ValueError: sizes differ")
    assert not place.is_lost(place.HERE, "RuntimeError: CUDA error: no device")


def test_elsewhere_tensors_stay_where_they_are():
    given = [torch.ones(3)]
    assert place.given_to(place.HERE, given)[0] is given[0] and place.taken_from(place.STAND_IN, given)[0] is given[0]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_tensors_go_to_the_device_and_come_back():
    (there,) = place.given_to(place.CUDA, [torch.arange(3.0)])
    assert there.is_cuda and place.open_device() > 0
    assert torch.equal(place.taken_from(place.CUDA, [there])[0], torch.arange(3.0))


def test_what_builds_on_triton_runs_where_triton_does(monkeypatch):
    required = {"liger_kernel": ["torch>=2.1.2", "triton>=2.3.1"], "torch": ["triton==3.6.0; platform_system == 'Linux'"],
                "other": ["triton>=3.3; extra == 'cuda'"]}  # fmt: skip

    def requires(name):
        if name not in required:
            raise metadata.PackageNotFoundError(name)
        return required[name]

    monkeypatch.setattr(metadata, "requires", requires)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert place.place_of("import torch\nfrom liger_kernel.transformers import LigerRMSNorm\n") == place.INTERPRETER
    assert place.place_of("import torch, other, missing\n# liger_kernel\n") == place.HERE
