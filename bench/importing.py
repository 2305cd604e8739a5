"""What it takes to import the IR, one instruction and all of them, as whole processes, beside `import numpy`.

Modules are compiled before the first run, as they are for a user who runs anything a second time.
"""

import sys
from datetime import date
from statistics import median

from bench.brewing import run_process

REPEATS, SMOKE_REPEATS = 9, 1
NUMPY = "`import numpy`"
_CODES = {
    "bare Python": "pass",
    NUMPY: "import numpy",
    "`import runtime`": "import runtime; runtime.parse",
    "one instruction": "from runtime.instruction_set import standard; standard()['graph.layer_norm']",
    "all instructions": "from runtime.instruction_set import standard; [*standard().values()]",
}
MOST_BESIDE_NUMPY = 12
"""How many times the processor time of `import numpy` the import of all instructions is to take at most."""


def measure_importing(repeats: int = REPEATS) -> dict[str, float]:
    """The median processor time of each process, in seconds; all are run once before."""
    found: dict[str, list[float]] = {label: [] for label in _CODES}
    for at in range(repeats + 1):
        for label, code in _CODES.items():
            sample = run_process((sys.executable, "-c", code), "")
            if at:
                found[label].append(sample.cpu)
    return {label: median(times) for label, times in found.items()}


def write_section(repeats: int = REPEATS) -> list[str]:
    """The figures as a section of RESULTS.md."""
    times = measure_importing(repeats)
    return [
        "## Importing",
        "",
        f"`python -m bench importing` of {date.today().isoformat()}: medians of {repeats} processes, CPU time.",
        f"All instructions are to take at most {MOST_BESIDE_NUMPY}x the time of numpy, which is among them.",
        "",
        "| process | CPU ms | beside numpy |",
        "|---|---:|---:|",
        *[f"| {label} | {time * 1e3:.0f} | {time / times[NUMPY]:.2f}x |" for label, time in times.items()],
    ]
