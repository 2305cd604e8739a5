"""The reference interpreter: what a program computes, bit for bit, with one rounding for each result.

Deliberately absent: speed, time and placement. It checks what a program computes, not how.
"""

from runtime.interpreter.errors import InputError, InterpreterError, MemoryAccessError, MissingSemanticsError
from runtime.interpreter.run import run

__all__ = ["InputError", "InterpreterError", "MemoryAccessError", "MissingSemanticsError", "run"]
