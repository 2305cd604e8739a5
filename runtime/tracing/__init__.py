"""Watching a run: the range of every value that a program computes.

    trace = runtime.trace(module, inputs)
    print(trace)                                       # a table, a line for each instruction that ran
    [r for r in trace.records if r.range.infinite]     # where a value has left its dtype

Deliberately absent: the values themselves. A trace is as long as the program, however large its tensors are.
"""

from runtime.tracing.ranges import Range, range_of
from runtime.tracing.trace import Record, Trace, trace

__all__ = ["Range", "Record", "Trace", "range_of", "trace"]
