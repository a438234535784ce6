"""The kinds of documents: what each holds, what writes it, and the class that it is restored to."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """One kind of document.

    Attributes:
        name: what the document says of itself. schema: raised whenever the meaning of a stored field changes.
        home: "module:class" inside halfulp. title: what it answers. written_by: the command that writes it.
        problems: "module:function" inside halfulp that yields what is wrong with a result beyond its types; "" for nothing.
    """

    name: str
    schema: int
    home: str
    title: str
    written_by: str
    problems: str = ""

    def result_class(self) -> type[Any]:
        """The class, imported now."""
        return named(self.home)

    def problems_of(self, result: Any) -> list[str]:
        """What is wrong with a result of the class, in words."""
        return list(named(self.problems)(result)) if self.problems else []


def named(home: str) -> Any:
    """What "module:name" inside halfulp stands for, imported now."""
    module, _, name = home.partition(":")
    return getattr(importlib.import_module(f"halfulp.{module}"), name)


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "check",
            1,
            "verdicts.result:CheckResult",
            "Rounding or mistake?",
            "halfulp check FILE.py --json",
            "verdicts.evidence.measured:problems",
        ),
        Kind("comparison", 1, "differences.difference:Comparison", "How far apart are they?", "halfulp compare A B --json"),
        Kind("origin", 1, "origins.origin:Origin", "Where does it start?", "halfulp locate A B --json"),
        Kind(
            "explanation",
            1,
            "causes.cause:Explanation",
            "Why do they differ?",
            "halfulp explain FILE.py --json",
            "verdicts.evidence.measured:problems",
        ),
        Kind("orders", 1, "probes.stored:StoredOrders", "In which order do they add?", "halfulp order FILE.py --json"),
        Kind("datasheet", 1, "datasheets.sheet:Datasheet", "How accurate is this library here?", "halfulp datasheet --json"),
        Kind("matrix", 1, "sweeps.result:Matrix", "Which backends agree on which ops?", "halfulp matrix --json FILE.json"),
        Kind("growth", 1, "sweeps.slopes:Growth", "How does the error grow with the size?", "halfulp growth FILE.py --json"),
        Kind(
            "worst",
            1,
            "sweeps.worst_inputs:Worst",
            "On which inputs is it worst?",
            "halfulp worst FILE.py --json",
            "verdicts.evidence.measured:problems",
        ),
        Kind("sweep", 1, "sweeps.swept:Swept", "Which of these cases are wrong?", "halfulp sweep PLAN --store FOLDER --json"),
        Kind("benchmark", 1, "sweeps.benchmark:Benchmark", "How often is the verdict right?", "halfulp bench verdicts --json FILE.json"),
        Kind("audit", 1, "audits.findings:Audit", "Where do formats change?", "halfulp audit FILE.py --json"),
        Kind(
            "tolerance", 1, "remedies.tolerances:StoredTolerance", "Which tolerance does a test need?", "halfulp tolerance FILE.py --json"
        ),
        Kind("watch", 1, "sweeps.watch:Watch", "Did a verdict get worse?", "halfulp ci FILES --json"),
        Kind("baseline", 1, "sweeps.watch:Baseline", "Which verdicts are known?", "halfulp ci FILES --baseline FILE --update"),
        Kind("kernel", 1, "kernels.result:KernelReport", "Is this kernel right?", "halfulp kernel PROBLEM SOLUTION --json"),
        Kind("fingerprint", 1, "traces.fingerprint:Fingerprint", "What decides the bits here?", "halfulp doctor --json"),
    )
}
