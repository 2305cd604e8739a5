"""Print what every instruction was checked against: `python -m tests.runtime.semantics`.

The largest error is that of this machine, by the measure of `check.error_of`.
"""

from tests.runtime.semantics.table import lines

if __name__ == "__main__":
    for line in lines():
        print(line, flush=True)
