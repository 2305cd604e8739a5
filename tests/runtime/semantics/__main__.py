"""Print what instructions were checked against: `python -m tests.runtime.semantics [MNEMONIC ...]`, without one all.

The largest error is that of this machine, by the measure of `check.error_of`.
"""

import sys
from collections.abc import Sequence

from tests.runtime.semantics.table import lines, unknown


def main(mnemonics: Sequence[str]) -> int:
    """Print the table of these instructions, or of all; return the exit status."""
    if wrong := unknown(mnemonics):
        print(*wrong, sep="\n", file=sys.stderr)
        return 2
    for line in lines(mnemonics):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
