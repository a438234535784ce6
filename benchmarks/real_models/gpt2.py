"""GPT-2 with 124 million parameters on 128 tokens: what a check costs where a model fills memory, fused against plain attention and one epsilon."""

from __future__ import annotations

import json
import subprocess
import sys

CHILD = """
import copy, json, sys, time, warnings
warnings.simplefilter("ignore")
import torch
torch.set_num_threads(1)
import transformers as tr
import halfulp
from benchmarks.real_models.worker import COUNTS, Peak, count_what_is_played, counted
torch.manual_seed(0)
config = tr.GPT2Config(use_cache=False)
expected = tr.GPT2LMHeadModel._from_config(copy.deepcopy(config), attn_implementation="eager").eval()
if sys.argv[1] == "attention":
    actual = tr.GPT2LMHeadModel._from_config(copy.deepcopy(config), attn_implementation="sdpa").eval()
    actual.load_state_dict(expected.state_dict())
else:
    actual = copy.deepcopy(expected)
    actual.transformer.h[5].ln_2.eps = 1e-4
inputs = {"input_ids": torch.randint(0, 50257, (1, 128), generator=torch.Generator().manual_seed(1))}
with torch.no_grad():
    for side in (actual, expected):
        side(**inputs)
    start = time.perf_counter()
    actual(**inputs), expected(**inputs)
    forwards = time.perf_counter() - start
actual, expected = counted(actual, "actual")[0], counted(expected, "expected")[0]
count_what_is_played()
COUNTS.update(actual=0, expected=0)
peak, start = Peak(), time.perf_counter()
result = halfulp.check(actual, expected, inputs)
seconds = time.perf_counter() - start
print(json.dumps([result.verdict.name, sum(COUNTS.values()) / 2, seconds, seconds / forwards, peak.beyond_mb() / 1000, result.reason]))
"""


def figures_of_gpt2() -> dict[str, tuple[float, str]]:
    figures: dict[str, tuple[float, str]] = {}
    for name, pair in (("accepted", "attention"), ("rejected", "epsilon")):
        ran = subprocess.run([sys.executable, "-W", "ignore", "-c", CHILD, pair], capture_output=True, text=True, check=True)
        verdict, pairs, seconds, times, memory, reason = json.loads(ran.stdout.splitlines()[-1])
        print(f"GPT-2 of 124 million parameters, {pair}: {verdict}: {reason}")
        figures[f"gpt2_124m_{name}_forward_pairs"] = (pairs, "forward_pairs")
        figures[f"gpt2_124m_{name}_time"] = (times, "times_a_pair_of_forwards")
        figures[f"gpt2_124m_{name}_seconds"] = (seconds, "s")
        figures[f"gpt2_124m_{name}_peak"] = (memory, "GB")
    return figures
