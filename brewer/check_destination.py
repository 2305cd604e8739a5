"""The destination of a definition, and the memories of its operands, against its fields, dialect and engines."""

from __future__ import annotations

from collections.abc import Collection

from brewer.model import Definition, Text
from brewer.problems import Problems
from brewer.vocabulary import Vocabulary
from runtime.diagnostics import either


def check_destination(definition: Definition, in_memory: bool, problems: Problems) -> None:
    """Reports a destination where there is none, and an attribute that cannot say whether it accumulates."""
    dst = definition.dst
    if dst.place is None or dst.place.file != definition.name.place.file:
        return  # said at the base
    if not in_memory:
        message = f'"{definition.name}" writes no tensor: its base class has no memory'
        problems.error("D120", dst.place, message, help="remove `dst`")
        return
    if definition.has_many_results and dst.use != "forbidden":
        message = f'"{definition.name}" has several results, so it gives values only'
        problems.error("D120", dst.place, message, help="remove `dst`")
        return
    if dst.use == "forbidden" and (dst.memory or dst.dtypes or dst.accumulates):
        message = f'"{definition.name}" is said to write no tensor, and of which kind it is'
        problems.error("D120", dst.place, message, help="keep `use: forbidden` only")
    name = dst.accumulates
    if isinstance(name, Text):
        fitting = [a.name.value for a in definition.attributes if a.optional or str(a.type) == "bool"]
        if name.value not in fitting:
            help = problems.hint(name.place, name.value, fitting, "those of it")
            message = f'"{name}" is no optional attribute of "{definition.name}", and none of type bool'
            problems.error("D120", name.place, message, help=help)


def check_memories(definition: Definition, vocabulary: Vocabulary, problems: Problems) -> None:
    """Reports an operand or a destination in memories that no engine of the instruction reads, or writes."""
    engines = definition.engines.legal
    if not engines:
        return  # as of most
    known = dict(vocabulary.engine_memories)
    if any(engine not in known for engine in engines):
        return
    for operand in definition.operands:
        reads = {memory for engine in engines for memory in known[engine].reads}
        writes = {memory for engine in engines for memory in known[engine].writes}
        fitting = reads if operand.access == "load" else writes if operand.access == "store" else reads & writes
        if operand.memory and not fitting.intersection(operand.memory):
            _report(definition, operand.name, operand.memory, fitting, problems)
    dst = definition.dst
    fitting = {memory for engine in engines for memory in known[engine].writes}
    if dst.place is not None and dst.memory and not fitting.intersection(dst.memory):
        _report(definition, Text("dst", dst.place), dst.memory, fitting, problems)


def _report(
    definition: Definition, name: Text, memory: Collection[str], fitting: Collection[str], problems: Problems
) -> None:
    engines = either(definition.engines.legal)
    message = f'"{name}" is in {either(memory)}, where {engines} cannot access it'
    help = f"there it may be in {either(sorted(fitting))}" if fitting else "none of them reads and writes one memory"
    problems.error("D121", name.place, message, help=help)
