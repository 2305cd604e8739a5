"""The records of BIR: what `Instruction.serialize` and `Instruction.deserialize` take."""

from __future__ import annotations

from runtime.bir.reader import BirReader
from runtime.bir.writer import BirWriter, Record

__all__ = ["BirReader", "BirWriter", "Record"]
