"""Our side: `neuron` instructions on SSA values in one function, the text form, the passes.

Deliberately absent: pausing the collector anywhere but in the row that says so. `parse`, as shipped, pauses it itself.
"""

from collections.abc import Callable, Mapping

from bench.contender import SHAPE, Contender
from generated.neuron.TensorTensorOpGen import TensorTensorOpGen
from passes.eliminate_casts import NeuronEliminateCasts
from runtime.blocks import Block
from runtime.builtin import Return
from runtime.dtypes import bf16, f32
from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.instruction_set import standard
from runtime.text.parser import parse
from runtime.text.printer import print_module
from runtime.types import Type
from runtime.values import Value
from runtime.verifier import verify
from runtime.wrappers.ActivationOp import ActivationOp
from runtime.wrappers.TensorCopyOp import TensorCopyOp

WIDE = Type.tensor(f32, SHAPE)


def contender() -> Contender[Module]:
    return BrewerContender()


class BrewerContender(Contender[Module]):
    distribution = "brewer"

    def build_chain(self, size: int) -> Module:
        module, block = _main()
        earlier: Value
        last: Value
        earlier, last = block.arguments
        for _ in range(size):
            op = TensorTensorOpGen(earlier, last, "add")
            block.append(op)
            earlier, last = last, op
        block.append(Return((last,)))
        return module

    @property
    def builders(self) -> Mapping[str, Callable[[int], Module]]:
        return {"": self.build_chain, "in paused_gc()": self._build_chain_without_collecting}

    def count_instructions(self, program: Module) -> int:
        return sum(1 for _ in program.insts) - 1

    def print_text(self, program: Module) -> str:
        return print_module(program)

    def parse_text(self, text: str) -> Module:
        return parse(text, standard())

    def walk(self, program: Module) -> int:
        operands = 0
        for inst in program.insts:
            for _ in inst.operands():
                operands += 1
        return operands - 1

    @property
    def verifications(self) -> Mapping[str, Callable[[Module], int]]:
        return {"": lambda program: len(verify(program))}

    def build_fan(self, users: int) -> Module:
        module, block = _main()
        source, returned = block.arguments
        for _ in range(users):
            block.append(ActivationOp(source, "neg"))
        block.append(Return((returned,)))
        return module

    def erase_users(self, program: Module) -> None:
        for inst in program.insts:
            if not isinstance(inst, Return):
                inst.eraseFromParent()

    def build_round_trips(self, count: int) -> Module:
        module, block = _main()
        last: Value
        other, last = block.arguments
        for _ in range(count):
            narrow = TensorCopyOp(last, dtype=bf16)
            wide = TensorCopyOp(narrow, dtype=f32)
            consumer = TensorTensorOpGen(wide, other, "add")
            block.append(narrow)
            block.append(wide)
            block.append(consumer)
            last = consumer
        block.append(Return((last,)))
        return module

    @property
    def eliminations(self) -> Mapping[str, Callable[[Module], int]]:
        return {"NeuronEliminateCasts": _eliminate_with_the_pass}

    def _build_chain_without_collecting(self, size: int) -> Module:
        with paused_gc():
            return self.build_chain(size)


def _eliminate_with_the_pass(program: Module) -> int:
    elimination = NeuronEliminateCasts()
    elimination.transformStmts(program.root_function)
    return len(elimination.removed_roundings)


def _main() -> tuple[Module, Block]:
    module = Module()
    function = module.add_function(Function("main"))
    function.body.add_argument(WIDE, "x")
    function.body.add_argument(WIDE, "y")
    return module, function.body
