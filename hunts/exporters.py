"""Exporters on random tiny language models of transformers: PyTorch's ONNX exporter run by ONNX Runtime, and OpenVINO's converter.

Each architecture is built in several random sizes: heads that share keys and values, tied embeddings, odd widths, sliding windows. Needed beside
halfulp: `pip install transformers onnx onnxscript onnxruntime openvino`.
"""

import functools
import random
import tempfile
from pathlib import Path

import torch
from attention import TINY, failing, made, subjects  # noqa: F401  # the subjects are the same

name = "exporters"
actual_name, expected_name = "exported", "transformers"

CONFIGURATIONS = 3
"""Of each architecture."""
LENGTHS = (7, 12)
"""Of the tokens at export and of those that are compared."""


def configured(kind, seed):
    """A model of random sizes."""
    draw = random.Random(f"{kind} {seed}")
    heads, each = draw.choice([2, 4, 6]), draw.choice([4, 8, 16])
    width = heads * each
    sizes = dict(TINY)
    for old, new in ((32, width), (4, heads), (2, draw.choice([1, 2, heads // 2])), (64, draw.choice([24, 60, 64]))):
        sizes.update(
            {key: new for key, value in TINY.items() if value == old and not key.startswith(("num_hidden", "n_layer", "num_layers"))}
        )
    sizes.update(head_dim=each, rotary_dim=each, vocab_size=97, num_experts_per_tok=2)
    sizes["tie_word_embeddings"] = draw.random() < 0.5
    return made(kind, "sdpa", tuple(sorted(sizes.items())))


class Logits(torch.nn.Module):
    """A model as a function of tokens alone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model(input_ids=ids, use_cache=False).logits


def by_onnx(model, ids):
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "model.onnx"))
        length = torch.export.Dim("length", min=2, max=100)
        torch.onnx.export(model, (ids,), file, dynamo=True, dynamic_shapes=({1: length},), verbose=False)
        session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    return lambda ids: torch.from_numpy(session.run(None, {given.name: ids.numpy()})[0])


def by_openvino(model, ids):
    import openvino

    compiled = openvino.Core().compile_model(openvino.convert_model(model, example_input=ids), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return lambda ids: torch.from_numpy(compiled([ids.numpy()])[0].copy())


EXPORTERS = {"torch.onnx and ONNX Runtime": by_onnx, "OpenVINO": by_openvino}


def cases(subject, seed):
    for number in range(CONFIGURATIONS):
        draw = torch.Generator().manual_seed(seed + number)
        short, long = (torch.randint(3, 97, (1, length), generator=draw) for length in LENGTHS)
        try:
            whole, refusal = Logits(configured(subject, seed + number)).eval(), None
        except Exception as error:
            whole, refusal = failing(error), error
        for way, export in EXPORTERS.items():
            try:
                exported = failing(refusal) if refusal else export(whole, short)
            except Exception as error:
                exported = failing(error)
            for ids in (short, long):
                setting = f"{way}, configuration {number}, {ids.shape[1]} tokens"
                yield {"actual": functools.partial(exported), "expected": whole, "inputs": (ids,), "setting": setting}
