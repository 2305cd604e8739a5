"""Which instruction of the second version stands for which one of the first.

By name first: values that are called the same, ONNX nodes too. Then by structure, in program order: the same operation,
on operands that stand for each other, in blocks that do. Copies and casts from float to float are looked through, so
that what a pass has inserted does not hide the rest.

Each step is a look into a dictionary, so the whole takes time in proportion to the two programs.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from runtime.access import NeuronAP
from runtime.blocks import Block, Loop
from runtime.comparison.casts import source_of_cast
from runtime.comparison.rewired import rewired
from runtime.functions import Function, Module
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.interpreter.errors import label_of
from runtime.values import Value


@dataclass(frozen=True)
class Matching:
    """The counterparts, and what has none, each in program order."""

    counterparts: dict[Instruction, Instruction] = field(default_factory=dict)  # second version -> first
    inserted: list[Instruction] = field(default_factory=list)  # casts that only the second version has
    removed: list[Instruction] = field(default_factory=list)  # casts that only the first version has
    only_first: list[Instruction] = field(default_factory=list)
    only_second: list[Instruction] = field(default_factory=list)
    rewired: list[Instruction] = field(default_factory=list)  # of the second version, with other operands


def match_modules(first: Module, second: Module, functions: tuple[Function, Function]) -> Matching:
    """Return the counterparts of two modules: in the two functions that are run, and in others of the same name."""
    found = Matching()
    pairs = [functions]
    for name, function in first.functions.items():
        if name in second.functions and function is not functions[0] and second.functions[name] is not functions[1]:
            pairs.append((function, second.functions[name]))
    for pair in pairs:
        _match_functions(*pair, found)
    return found


def _match_functions(first: Function, second: Function, found: Matching) -> None:
    matcher = _Matcher(first, second, {})
    matcher.run()
    found.counterparts.update(matcher.counterparts)
    found.rewired.extend(matcher.rewired())
    taken = {found.counterparts[inst] for inst in second.insts if inst in found.counterparts}
    for inst in second.insts:
        if inst not in found.counterparts and not inst.is_terminator:
            (found.only_second if source_of_cast(inst) is None else found.inserted).append(inst)
    for inst in first.insts:
        if inst not in taken and not inst.is_terminator:
            (found.only_first if source_of_cast(inst) is None else found.removed).append(inst)


_MOST_CASTS = 8  # in a row that are looked through for a name


class _Matcher:
    """The state of matching two functions."""

    def __init__(self, first: Function, second: Function, counterparts: dict[Instruction, Instruction]) -> None:
        self.first, self.second = first, second
        self.counterparts = counterparts
        self.taken: set[Instruction] = set()
        self.same: dict[Value, Value] = {}  # of the second version -> of the first
        self.roots: dict[Value, Value] = {}  # of both: what a value is but for casts
        self.blocks: dict[Hashable, Block] = {}  # of the first version
        self.waiting: defaultdict[Hashable, deque[Instruction]] = defaultdict(deque)
        self.writers: defaultdict[Hashable, deque[Instruction]] = defaultdict(deque)

    def run(self) -> None:
        for name, tensor in self.second.tensors.items():
            if name in self.first.tensors:
                self.same[tensor] = self.first.tensors[name]
        own = {argument.name: argument for argument in self.first.args if argument.name}
        self.same.update((argument, own[argument.name]) for argument in self.second.args if argument.name in own)
        self._match_by(_node_names)
        self._match_by(_value_names)
        for inst, block in self._walk(self.first.body, 0, self.blocks):
            self._find_root(inst)
            if inst not in self.taken:
                self.waiting[self._structure(inst, block)].append(inst)
                if inst.dst is not None:
                    self.writers[self._written(inst, block)].append(inst)
        for inst, block in self._walk(self.second.body, 0, {}):
            self._find_root(inst)
            if inst not in self.counterparts:
                self._match_by_structure(inst, block)

    def rewired(self) -> Iterator[Instruction]:
        """Yield the instructions of the second version that read or write something else than their counterparts."""
        return rewired(self.counterparts, self.same, self._root)

    def _pair(self, first: Instruction, second: Instruction) -> bool:
        """Make two instructions counterparts, unless they are too different or have one already."""
        if first in self.taken or second in self.counterparts or len(first.results) != len(second.results):
            return False
        self.counterparts[second] = first
        self.taken.add(first)
        self.same.update(zip(second.results, first.results, strict=True))
        return True

    def _match_by(self, names: _Names) -> None:
        """Match what has the same name, or what a cast converts that has the name."""
        of_first = names(self.first)
        for name, second in names(self.second).items():
            first = of_first.get(name)
            if first is not None:
                first, second = _behind_casts(first, second)
                if _operation(first) == _operation(second):
                    self._pair(first, second)

    def _match_by_structure(self, inst: Instruction, block: Hashable) -> None:
        if self._take(self.waiting[self._structure(inst, block)], inst):
            return
        if inst.dst is not None:
            self._take(self.writers[self._written(inst, block)], inst)

    def _take(self, waiting: deque[Instruction], inst: Instruction) -> bool:
        while waiting:
            if self._pair(waiting.popleft(), inst):
                return True
        return False

    def _walk(
        self, block: Block, key: Hashable, blocks: dict[Hashable, Block]
    ) -> Iterator[tuple[Instruction, Hashable]]:
        """Yield the instructions of a block with the key of the block around each; terminators are left out."""
        blocks[key] = block
        if blocks is not self.blocks and key in self.blocks:
            for argument, first in zip(block.arguments, self.blocks[key].arguments, strict=False):
                self.same.setdefault(argument, first)
        loops = 0
        for statement in block:
            if isinstance(statement, Loop):
                yield from self._walk(statement.body, ("loop", key, loops), blocks)
                loops += 1
            elif isinstance(statement, Instruction) and not statement.is_terminator:
                yield statement, key
                owner = self.counterparts.get(statement, statement)
                for at, inner in enumerate(statement.blocks):
                    yield from self._walk(inner, ("region", owner, at), blocks)

    def _find_root(self, inst: Instruction) -> None:
        source = source_of_cast(inst)
        if source is None:
            return
        dst = inst.dst
        if dst is None:
            self.roots[inst] = self._root(source)
        elif dst.tensor.name not in self.first.tensors and dst.is_whole:  # a tensor that a pass has put in
            self.roots[dst.tensor] = self._root(source)

    def _root(self, operand: object) -> Value:
        """Return what an operand is but for casts, in terms of the first version where it has a counterpart there."""
        value = operand.tensor if isinstance(operand, NeuronAP) else operand
        assert isinstance(value, Value)
        root = self.roots.get(value, value)
        root = self.same.get(root, root)
        return self.roots.get(root, root)

    def _structure(self, inst: Instruction, block: Hashable) -> Hashable:
        """Return what two instructions have in common that stand for each other."""
        operands = tuple([self._root(operand) for operand in inst.operands()])
        dtype = None if source_of_cast(inst) is None or inst.dst is not None else inst.type.dtype
        return (_operation(inst), operands, None if inst.dst is None else self._root(inst.dst), block, dtype)

    def _written(self, inst: Instruction, block: Hashable) -> Hashable:
        assert inst.dst is not None
        return (_operation(inst), self._root(inst.dst), block)


class _Names:
    """Callable with a function: its instructions by a name that stands once in it."""

    def __call__(self, function: Function) -> dict[str, Instruction]:
        found: dict[str, Instruction] = {}
        twice = set()
        for inst in function.insts:
            for name in self.of(inst):
                if name in found:
                    twice.add(name)
                found[name] = inst
        return {name: inst for name, inst in found.items() if name not in twice}

    def of(self, inst: Instruction) -> Iterator[str]:
        """Yield the names of an instruction: those of its results."""
        for result in inst.results:
            if result.name:
                yield result.name


class _NodeNames(_Names):
    """The same for the names of ONNX nodes."""

    def of(self, inst: Instruction) -> Iterator[str]:
        if isinstance(inst, OnnxNode) and inst.node_name:
            yield inst.node_name


_value_names, _node_names = _Names(), _NodeNames()


def _behind_casts(first: Instruction, second: Instruction) -> tuple[Instruction, Instruction]:
    """Return the two, or what the one converts where only that one is a cast: passes give a cast the name."""
    for _ in range(_MOST_CASTS):
        of_first, of_second = source_of_cast(first), source_of_cast(second)
        if of_second is None and isinstance(of_first, Instruction):
            first = of_first
        elif of_first is None and isinstance(of_second, Instruction):
            second = of_second
        else:
            break
    return first, second


def _operation(inst: Instruction) -> Hashable:
    """Return what an instruction does, without its operands: the mnemonic, and words such as `add` or `exp`."""
    words = [getattr(inst, attribute.name) for attribute in inst.INFO.attributes if attribute.type == "enum"]
    return (inst.INFO.mnemonic, label_of(inst), *words)
