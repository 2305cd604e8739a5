"""Print what instructions were checked against: `python -m tests.runtime.semantics [MNEMONIC ...]`, without one all.

The largest error is that of this machine, by the measure of `check.error_of`.
"""

import argparse
import sys
from collections.abc import Sequence

from tests.runtime.semantics.table import lines, unknown


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of these instructions, or of all; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.runtime.semantics",
        description="Runs the checks of what instructions compute, and prints a table in Markdown.",
    )
    parser.add_argument("mnemonics", nargs="*", metavar="MNEMONIC", help="only these, such as graph.softmax")
    mnemonics = parser.parse_args(arguments).mnemonics
    if wrong := unknown(mnemonics):
        print(*wrong, sep="\n", file=sys.stderr)
        return 2
    for line in lines(mnemonics):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
