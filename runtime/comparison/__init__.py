"""Comparing two versions of a program while they run: which instruction loses the accuracy?

    print(runtime.compare(before, after, inputs))

Both run in lock step on the same inputs. What an instruction of the second version computes other than its counterpart
is taken apart: *introduced* by the instruction itself, which both are asked for on the same operands, or *inherited*
from what came before. The ranking is by what is introduced.

Deliberately absent: a verdict. How much error is too much depends on what the program is for.
"""

from runtime.comparison.compare import compare
from runtime.comparison.difference import Difference
from runtime.comparison.result import Compared, Comparison

__all__ = ["Compared", "Comparison", "Difference", "compare"]
