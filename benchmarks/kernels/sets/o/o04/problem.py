import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Mean-pooled embedding bags over a ragged batch, with a padding index that counts for nothing.

    Bag b averages the rows indices[offsets[b]:offsets[b + 1]] (the last bag runs to the end),
    entries equal to padding_idx left out of sum and count. A bag with no entries left is zero.
    Trainable: gradients are taken for the table.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int):
        super(Model, self).__init__()
        self.emb = nn.EmbeddingBag(num_embeddings, embedding_dim, mode="mean", padding_idx=padding_idx)

    def forward(self, indices: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        """
        Args:
            indices (torch.Tensor): (n,) int64, each in [0, num_embeddings).
            offsets (torch.Tensor): (bags,) int64, starts with 0, never falls, at most n.
        Returns:
            torch.Tensor: (bags, embedding_dim).
        """
        return self.emb(indices, offsets)


num_embeddings = 200
embedding_dim = 48
num_bags = 24
bag_size = 9
padding_idx = 0


def get_inputs():
    sizes = torch.randint(1, 2 * bag_size, (num_bags,))
    offsets = torch.cumsum(sizes, 0) - sizes
    return [torch.randint(0, num_embeddings, (int(sizes.sum()),)), offsets]


def get_init_inputs():
    return [num_embeddings, embedding_dim, padding_idx]
