"""The driver: `python -m brewer`, and the console script `brewer`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line, unless parts of it come from somewhere else."""
    complaint = _why_shadowed()
    if complaint:
        print(complaint, file=sys.stderr)
        return 2
    from brewer.command_line import main as run

    return run(arguments)


def _why_shadowed() -> str | None:
    """Another package named `runtime` may stand before ours on the path; say so instead of failing inside it."""
    import runtime

    ours = Path(__file__).resolve().parent.parent / "runtime"
    found = [Path(place).resolve() for place in runtime.__path__]
    if ours in found:
        return None
    where = ", ".join(map(str, found))
    return f"brewer needs its own package `runtime`, but Python finds {where} first: run it from another directory"


if __name__ == "__main__":
    sys.exit(main())
