"""A set of storages: by memory, and by no address that was used again."""

import torch

from halfulp.recording.storage_tracker import Storages


def test_views_are_in_it_together_and_copies_are_not():
    known, tensor = Storages(), torch.zeros(4, 3)
    known.add(tensor)
    assert tensor in known and tensor.T in known and tensor[1:] in known and tensor.detach() in known
    assert tensor.clone() not in known
    known.add(tensor[2])
    assert len(known) == 1


def test_an_address_that_is_used_again_is_another_storage():
    known = Storages()
    for _ in range(100):
        known.add(torch.zeros(1000))  # gone at once
    assert len(known) == 100
    assert all(torch.zeros(1000) not in known for _ in range(100))


def test_a_tensor_without_memory_is_never_in_it():
    known, sparse = Storages(), torch.zeros(2, 2).to_sparse()
    known.add(sparse)
    assert sparse not in known and len(known) == 0
