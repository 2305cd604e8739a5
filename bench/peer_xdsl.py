"""xDSL's side: `arith` on tensors in one `func.func`, the text of its printer and parser."""

from collections.abc import Callable, Mapping

from xdsl.context import Context
from xdsl.dialects.arith import AddfOp, Arith, ExtFOp, NegfOp, TruncFOp
from xdsl.dialects.builtin import Builtin, ModuleOp, TensorType, bf16, f32
from xdsl.dialects.func import Func, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from bench.contender import SHAPE, Contender

WIDE = TensorType(f32, SHAPE)
NARROW = TensorType(bf16, SHAPE)


def contender() -> Contender[ModuleOp]:
    return XdslContender()


class XdslContender(Contender[ModuleOp]):
    distribution = "xdsl"

    def build_chain(self, size: int) -> ModuleOp:
        block = Block(arg_types=(WIDE, WIDE))
        earlier: SSAValue
        last: SSAValue
        earlier, last = block.args
        for _ in range(size):
            op = AddfOp(earlier, last)
            block.add_op(op)
            earlier, last = last, op.result
        return _module(block, last)

    def count_instructions(self, program: ModuleOp) -> int:
        return sum(1 for _ in _body(program).ops) - 1

    def print_text(self, program: ModuleOp) -> str:
        return str(program)

    def parse_text(self, text: str) -> ModuleOp:
        context = Context()
        for dialect in (Builtin, Func, Arith):
            context.load_dialect(dialect)
        return Parser(context, text).parse_module()

    def walk(self, program: ModuleOp) -> int:
        operands = 0
        for op in program.walk():
            for _ in op.operands:
                operands += 1
        return operands - 1

    @property
    def verifications(self) -> Mapping[str, Callable[[ModuleOp], int]]:
        return {"": _verify}

    def build_fan(self, users: int) -> ModuleOp:
        block = Block(arg_types=(WIDE, WIDE))
        source, returned = block.args
        block.add_ops(NegfOp(source) for _ in range(users))
        return _module(block, returned)

    def erase_users(self, program: ModuleOp) -> None:
        block = _body(program)
        for op in tuple(block.ops)[:-1]:
            block.erase_op(op)

    def build_round_trips(self, count: int) -> ModuleOp:
        block = Block(arg_types=(WIDE, WIDE))
        last: SSAValue
        other, last = block.args
        for _ in range(count):
            narrow = TruncFOp(last, NARROW)
            wide = ExtFOp(narrow, WIDE)
            consumer = AddfOp(wide, other)
            block.add_ops((narrow, wide, consumer))
            last = consumer.result
        return _module(block, last)

    @property
    def eliminations(self) -> Mapping[str, Callable[[ModuleOp], int]]:
        return {"loop": _eliminate_in_a_loop, "PatternRewriteWalker": _eliminate_with_the_walker}


def _verify(program: ModuleOp) -> int:
    program.verify()  # raises VerifyException at the first mistake
    return 0


class EliminateRoundTrip(RewritePattern):
    """Replaces f32 -> bf16 -> f32 by its source."""

    def __init__(self) -> None:
        self.eliminated = 0

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExtFOp, rewriter: PatternRewriter) -> None:
        narrow = _narrowing_before(op)
        if narrow is None:
            return
        rewriter.replace(op, (), (narrow.input,))
        if narrow.result.first_use is None:
            rewriter.erase(narrow)
        self.eliminated += 1


def _eliminate_with_the_walker(program: ModuleOp) -> int:
    pattern = EliminateRoundTrip()
    PatternRewriteWalker(pattern).rewrite_module(program)
    return pattern.eliminated


def _eliminate_in_a_loop(program: ModuleOp) -> int:
    block = _body(program)
    eliminated = 0
    for op in tuple(block.ops):
        if not isinstance(op, ExtFOp):
            continue
        narrow = _narrowing_before(op)
        if narrow is None:
            continue
        op.result.replace_all_uses_with(narrow.input)
        block.erase_op(op)
        if narrow.result.first_use is None:
            block.erase_op(narrow)
        eliminated += 1
    return eliminated


def _narrowing_before(op: ExtFOp) -> TruncFOp | None:
    """The f32 -> bf16 conversion whose result `op` widens again, if that is what stands before it."""
    narrow = op.input.owner
    if not isinstance(narrow, TruncFOp) or narrow.result.type != NARROW:
        return None
    return narrow if narrow.input.type == op.result.type else None


def _module(block: Block, returned: SSAValue) -> ModuleOp:
    block.add_op(ReturnOp(returned))
    return ModuleOp([FuncOp("main", ((WIDE, WIDE), (WIDE,)), Region(block))])


def _body(program: ModuleOp) -> Block:
    function: Operation | None = program.body.block.first_op
    assert isinstance(function, FuncOp), "the program has one function"
    return function.body.block
