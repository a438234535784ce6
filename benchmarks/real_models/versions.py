"""The same models under two versions of transformers: python -m benchmarks.real_models.versions [--older FOLDER]

Each version runs in a process of its own, the older one from a folder that `make real-models` fills; both load the same weights and record a trace. The two
traces are then located: nothing should add more than rounding.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import halfulp

MODELS = {
    "llama": (
        "LlamaConfig",
        "LlamaForCausalLM",
        {"num_key_value_heads": 2, "intermediate_size": 112, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64},
    ),
    "qwen3": (
        "Qwen3Config",
        "Qwen3ForCausalLM",
        {
            "num_key_value_heads": 2,
            "head_dim": 24,
            "intermediate_size": 112,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "hidden_size": 64,
        },
    ),
    "gpt2": ("GPT2Config", "GPT2LMHeadModel", {"n_embd": 64, "n_layer": 2, "n_head": 4}),
    "gpt_neox": (
        "GPTNeoXConfig",
        "GPTNeoXForCausalLM",
        {"intermediate_size": 112, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64},
    ),
    "opt": (
        "OPTConfig",
        "OPTForCausalLM",
        {"ffn_dim": 112, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64, "word_embed_proj_dim": 64},
    ),
    "bert": (
        "BertConfig",
        "BertForMaskedLM",
        {"intermediate_size": 112, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64},
    ),
    "roberta": (
        "RobertaConfig",
        "RobertaForMaskedLM",
        {"intermediate_size": 112, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64},
    ),
}

CHILD = """
import sys, json, warnings
warnings.simplefilter("ignore")
import torch
torch.set_num_threads(1)
import transformers as tr
import halfulp
config_name, model_name, sizes, weights, trace = json.loads(sys.argv[1])
config = getattr(tr, config_name)(vocab_size=120, pad_token_id=0, bos_token_id=1, eos_token_id=2, use_cache=False, **sizes)
torch.manual_seed(0)
model = getattr(tr, model_name)._from_config(config, attn_implementation=sys.argv[2]).eval()
if sys.argv[3] == "write":
    torch.save(model.state_dict(), weights)
else:
    names = {} if "embed_out.weight" not in model.state_dict() else {"lm_head.weight": "embed_out.weight"}  # GPT-NeoX's head was renamed
    found = model.load_state_dict({names.get(name, name): value for name, value in torch.load(weights).items()}, strict=False)
    missing = [name for name in found.missing_keys if "inv_freq" not in name]
    assert not missing, missing
ids = torch.randint(5, 120, (2, 16), generator=torch.Generator().manual_seed(1))
halfulp.record(model, {"input_ids": ids}, trace, level="tensors")
print(tr.__version__)
"""


def recorded(name: str, folder: Path, role: str, older: Path | None) -> str:
    """Record one model in a process of its own and give the version of transformers that it found."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TRANSFORMERS_VERBOSITY": "error"}
    if older is not None:
        environment["PYTHONPATH"] = os.pathsep.join([str(older), environment.get("PYTHONPATH", "")])
    given = json.dumps([*MODELS[name], str(folder / "weights.pt"), str(folder / f"{role}.trace")])
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-c",
        CHILD,
        given,
        "sdpa" if older is None else "eager",
        "write" if older is None else "read",
    ]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    if ran.returncode:
        raise RuntimeError(ran.stderr[-1500:])
    return ran.stdout.split()[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--older", type=Path, default=Path(".real-models/older"))
    options = parser.parse_args()
    if not options.older.is_dir():
        print(f"No older transformers in {options.older}: `make real-models` puts it there.")
        return 2
    accepted = 0
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            newer = recorded(name, Path(folder), "newer", None)
            older = recorded(name, Path(folder), "older", options.older.resolve())
            origin = halfulp.locate(Path(folder) / "newer.trace", Path(folder) / "older.trace")
        accepted += origin.module is None
        print(f"{name}: {newer} (sdpa) against {older} (eager): {origin.verdict.name} at {origin.module!r}: {origin.because}", flush=True)
    print(f"figure versions_pairs {len(MODELS)} pairs")
    print(f"figure versions_accepted {accepted} pairs")
    return int(accepted < len(MODELS))


if __name__ == "__main__":
    raise SystemExit(main())
