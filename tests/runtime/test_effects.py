"""What statements do, and which of them may go or trade places; the answers are those of reading the programs."""

from typing import ClassVar

import pytest

import runtime
from generated.neuron.SBAtomStoreGen import SBAtomStoreGen
from runtime.access import AccessMode, NeuronAP
from runtime.blocks import Statement
from runtime.builtin import Opaque
from runtime.effects import effects_of, may_erase, may_swap, why_not_erase, why_not_swap
from runtime.engines import NeuronEngine
from runtime.functions import Function
from runtime.info import InstructionInfo
from runtime.instructions import GraphInst
from runtime.types import Type
from runtime.wrappers.TensorCopyOp import TensorCopyOp

HEAD = """
func @main(%a: f32[4,4], %c: bool[]) {
  tensor %i: f32[4,4] dram input
  tensor %o: f32[4,4] dram output
  tensor %s: f32[4,4] sbuf
  tensor %t: f32[4,4] sbuf
"""


class Fence(GraphInst):
    """Nothing is moved over it."""

    __slots__ = ()
    INFO: ClassVar = InstructionInfo("Fence", "test", "fence", results=(), capabilities=frozenset({"is_barrier"}))

    def __init__(self) -> None:
        super().__init__(Type.none())


def statements(text: str) -> list[Statement]:
    """The statements of a function with the tensors above."""
    return list(function_of(text).body)


def function_of(text: str) -> Function:
    return runtime.parse(f"{HEAD}{text}\n}}").functions["main"]


def names(accesses: tuple[NeuronAP, ...]) -> list[str | None]:
    return [access.tensor.name for access in accesses]


@pytest.mark.parametrize(
    ("text", "reads", "writes"),
    [
        ("%r: f32[4,4] = tensor_copy %a", [], []),
        ("%r: f32[4,4] = tensor_copy %s", ["s"], []),
        ("%t = tensor_copy %s", ["s"], ["t"]),
        ("%o = sb_atom_store %s", ["s"], ["o"]),
        ("%o = sb_atom_store %s rmw add", ["s", "o"], ["o"]),
        ('opaque "x" %s, %a', ["s"], ["s"]),
        ("for %i2 = 0 step 1 times 2 {\n%t = tensor_copy %s\n%s = tensor_copy %t\n}", ["s", "t"], ["t", "s"]),
        ("graph.if %c then {\n%t = tensor_copy %s\nyield\n} else {\nyield\n}", ["s"], ["t"]),
    ],
)
def test_what_is_read_and_written(text: str, reads: list[str], writes: list[str]) -> None:
    effects = effects_of(statements(text)[0])
    assert (names(effects.reads), names(effects.writes)) == (reads, writes)
    assert effects.is_pure == (not reads and not writes)
    assert not effects.is_terminator


def test_a_store_that_adds_reads_what_it_writes_as_long_as_it_adds() -> None:
    (store,) = statements("%o = sb_atom_store %s rmw add")
    assert isinstance(store, SBAtomStoreGen) and store.dst is not None
    output = store.dst.tensor
    assert store.loadTensor(output) and [load.owner for load in output.loads] == [store]
    store.rmw_op = None
    assert (store.dst.mode, store.loadTensor(output)) == (AccessMode.STORE, False)
    assert (output.loads, len(output.stores)) == ((), 1)
    store.rmw_op = "add"
    assert (store.dst.mode, len(output.loads), len(output.stores)) == (AccessMode.LOAD_STORE, 1, 1)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("%r: f32[4,4] = tensor_copy %a", None),
        ("%r: f32[4,4] = tensor_copy %a\nreturn %r", "its result is used"),
        ("%t = tensor_copy %a", None),
        ("%t = tensor_copy %a\n%r: f32[4,4] = tensor_copy %t", "it writes %t, which is read"),
        ("%o = dma_copy %a", "it writes %o, which is known outside of the function"),
        ('opaque "x"', "it has side effects"),
        ('graph.if %c then {\nopaque "x"\nyield\n} else {\nyield\n}', "it has side effects"),
        ("return %a", "it ends a block"),
    ],
)
def test_why_an_instruction_would_be_missed(text: str, reason: str | None) -> None:
    first = next(iter(function_of(text).insts))
    assert why_not_erase(first) == reason
    assert may_erase(first) == (reason is None)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("%r: f32[4,4] = tensor_copy %s", "%q: f32[4,4] = tensor_copy %s", None),
        ("%t = tensor_copy %a", "%s = tensor_copy %a", None),
        ("%t = tensor_copy %a", "%q: f32[4,4] = tensor_copy %t", "the second reads %t, which the first writes"),
        ("%r: f32[4,4] = tensor_copy %t", "%t = tensor_copy %a", "the second writes %t, which the first reads"),
        ("%t = tensor_copy %a", "%t = tensor_copy %s", "both write %t"),
        ("%r: f32[4,4] = tensor_copy %a", "%q: f32[4,4] = tensor_copy %r", "the second uses what the first gives"),
        (
            "%r: f32[4,4] = tensor_copy %a",
            "for %i2 = 0 step 1 times 2 {\n%t = tensor_copy %r\n}",
            "the second uses what the first gives",
        ),
        ('opaque "x"', 'opaque "y"', "both have side effects"),
        ('opaque "x"', "%q: f32[4,4] = tensor_copy %a", None),
        ("%r: f32[4,4] = tensor_copy %a", "return %a", "one of them ends the block"),
    ],
)
def test_why_two_statements_may_not_trade_places(first: str, second: str, reason: str | None) -> None:
    found = statements(f"{first}\n{second}")
    assert why_not_swap(found[0], found[1]) == reason
    assert may_swap(found[0], found[1]) == (reason is None)


def test_nothing_is_moved_over_a_barrier_and_it_stays() -> None:
    function = function_of("%r: f32[4,4] = tensor_copy %s")
    (copy,) = function.body
    fence = Fence()
    function.body.append(fence)
    assert why_not_swap(copy, fence) == "one of them is a barrier"
    assert why_not_erase(fence) == "it is a barrier"


def test_an_opaque_instruction_does_whatever_it_may_do_to_what_it_is_given() -> None:
    function = function_of("")
    tensor = function.tensors["s"]
    inst = Opaque("x", [NeuronAP(tensor)])
    effects = effects_of(inst)
    assert (names(effects.reads), names(effects.writes), effects.has_side_effects) == (["s"], ["s"], True)


@pytest.mark.parametrize(
    ("engine", "writes_psum"), [(None, True), ("unknown", True), ("vector", True), ("scalar", True), ("gpsimd", False)]
)
def test_who_may_write_to_psum(engine: str | None, writes_psum: bool) -> None:
    function = function_of("")
    copy = TensorCopyOp(function.args[0], engine=None if engine is None else NeuronEngine(engine))
    assert copy.canWriteToPsum is writes_psum


def test_an_instruction_whose_definition_keeps_it_elsewhere_does_not_write_to_psum() -> None:
    load, store, product = statements(
        "%l: f32[4,4] = sb_atom_load %i\n%o = sb_atom_store %s\n%p: f32[4,4] = matmul %s, %s"
    )
    assert not load.canWriteToPsum and not store.canWriteToPsum  # type: ignore[attr-defined]
    assert product.canWriteToPsum  # type: ignore[attr-defined]
