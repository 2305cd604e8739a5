"""What no text says, since the parser refuses it or cannot make it: programs that were broken by hand."""

from typing import Any

from runtime.access import AccessMode, APIndex, NeuronAP
from runtime.affine import Affine
from runtime.blocks import Loop
from runtime.builder import Builder
from runtime.builtin import Opaque, Return, Yield
from runtime.constants import Constant
from runtime.dtypes import bf16, bool_, f32, i32
from runtime.functions import Function, Module
from runtime.generic import OnnxNode, Region
from runtime.tensors import DRAMTensor
from runtime.types import Type
from runtime.verifier import verify
from tests.runtime.sample_instructions import (
    SampleActivation,
    SampleConstant,
    SampleGather,
    SampleIf,
    SampleMatMul,
    SampleStore,
)

CODES_OF_BROKEN_PROGRAMS = {
    *(
        "V001",
        "V002",
        "V005",
        "V006",
        "V007",
        "V008",
        "V010",
        "V011",
        "V012",
        "V013",
        "V020",
        "V021",
        "V022",
        "V023",
        "V026",
        "V030",
        "V034",
    ),
    *("V040", "V042", "V043", "V051", "V061", "V062", "V075", "V082"),
}
"""The codes that the tests of this module show; `found` checks that each is one of them."""


class Program:
    """A function with two values, a condition, a tensor, and short ways to break them."""

    def __init__(self) -> None:
        self.module = Module()
        self.function = self.module.add_function(Function("main"))
        self.builder = Builder(self.function)
        self.a = self.function.body.add_argument(Type.tensor(f32, (4, 4)), "a")
        self.c = self.function.body.add_argument(Type.tensor(bool_, ()), "c")
        self.x = self.builder.tensor("x", f32, (128, 512), "sbuf", isInput=True)

    def found(self) -> list[tuple[str, str]]:
        """Return code and message of everything that the verifier says."""
        diagnostics = verify(self.module)
        assert {diagnostic.code for diagnostic in diagnostics} <= CODES_OF_BROKEN_PROGRAMS | {"V050"}
        return [(diagnostic.code, diagnostic.message) for diagnostic in diagnostics]

    def codes(self) -> list[str]:
        return [code for code, _ in self.found()]


def poke(holder: Any, **fields: Any) -> None:
    """Set fields that nobody may set."""
    for name, value in fields.items():
        setattr(holder, name, value)


def test_a_good_program_has_nothing_wrong() -> None:
    program = Program()
    program.builder.insert(Return([program.builder.insert(SampleMatMul(program.a, program.a))]))
    assert verify(program.module) == []


def test_links() -> None:
    for field in ("prev", "parent"):
        program = Program()
        first = program.builder.insert(SampleMatMul(program.a, program.a))
        program.builder.insert(SampleMatMul(first, first))
        poke(program.function.body.last, **{field: None})
        assert program.codes() == ["V001"]


def test_a_circle_of_links_ends() -> None:
    program = Program()
    first = program.builder.insert(SampleMatMul(program.a, program.a))
    last = program.builder.insert(SampleMatMul(program.a, program.a))
    poke(last, next=first)
    assert program.codes() == ["V001"]


def test_the_last_statement_and_owners() -> None:
    program = Program()
    program.builder.insert(SampleMatMul(program.a, program.a))
    poke(program.function.body, last=None)
    assert program.codes() == ["V001"]
    program = Program()
    branch = program.builder.insert(SampleIf(program.c))
    poke(branch.blocks[0], owner=program.function)
    assert program.codes() == ["V001"]


def test_tables() -> None:
    program = Program()
    program.function.name = "other"
    program.x.name = "y"
    program.x.function = None
    assert program.codes() == ["V002"] * 3


def test_a_use_that_the_use_list_lacks() -> None:
    program = Program()
    first = program.builder.insert(SampleMatMul(program.a, program.a), "first")
    program.builder.insert(SampleMatMul(first, first))
    poke(first, _uses=None)
    assert program.found() == [
        ("V010", "%first is in 2 operand slots of an instruction that its use-list holds 0 times")
    ]


def test_a_use_that_is_none() -> None:
    program = Program()
    first = program.builder.insert(SampleMatMul(program.a, program.a), "first")
    erased = SampleMatMul(first, program.a)
    assert program.codes() == ["V010", "V010"]
    notes = [diagnostic.notes[0].message for diagnostic in verify(program.module)]
    assert all("stands in no block" in note for note in notes)
    erased._unlink_operands()
    assert program.found() == []


def test_counts_of_uses() -> None:
    program = Program()
    second = program.builder.insert(SampleMatMul(program.a, program.a))
    program.a.addUser(second)
    assert program.found() == [("V010", "%a is in 2 operand slots of an instruction that its use-list holds 3 times")]


def test_uses_that_are_out_of_order_are_in_step() -> None:
    program = Program()
    later = SampleMatMul(program.a, program.a)
    program.builder.insert(SampleMatMul(program.a, program.a))
    program.builder.insert(later)
    assert program.found() == []


def test_accesses_of_a_tensor() -> None:
    program = Program()
    access = NeuronAP(program.x)
    program.builder.insert(SampleActivation(access, "gelu"))
    program.x._loads.clear()
    assert program.found() == [("V011", "the accesses that read the tensor lack %x")]
    program.x._stores[access] = None
    assert program.found() == [
        ("V011", "the accesses that read the tensor lack %x"),
        ("V011", "the accesses that write the tensor hold %x, which is in no such operand slot"),
    ]


def test_an_access_in_two_slots_of_another_owner_or_mode() -> None:
    program = Program()
    inst = program.builder.insert(SampleActivation(NeuronAP(program.x), "gelu"))
    poke(inst, _bias=inst.src)
    assert program.codes() == ["V012"]
    poke(inst, _bias=None)
    poke(inst.src, owner=None)
    assert program.codes() == ["V012"]


def test_an_access_of_another_mode_in_an_instruction_of_the_ir_itself() -> None:
    for mode, inst in ((AccessMode.LOAD, Opaque), (AccessMode.STORE, Opaque), (AccessMode.STORE, Return)):
        program = Program()
        access = NeuronAP(program.x)
        program.builder.insert(Opaque("test.op", [access]) if inst is Opaque else Return([access]))
        assert program.codes() == []
        program.x.remove_access(access)
        poke(access, mode=mode)
        program.x.add_access(access)
        assert program.codes() == ["V012"]


def test_a_value_before_its_definition() -> None:
    program = Program()
    later = SampleMatMul(program.a, program.a)
    program.builder.insert(SampleMatMul(program.a, later))
    program.builder.insert(later, "later")
    assert program.found() == [("V020", "%later is used before it is defined")]


def test_a_value_in_its_own_region() -> None:
    program = Program()
    branch = program.builder.insert(SampleIf(program.c, result_types=[program.a.type]))
    for block in branch.blocks:
        with program.builder.at(block):
            program.builder.insert(Yield([branch]))
    assert program.codes() == ["V020", "V020"]


def test_a_value_outside_of_its_block() -> None:
    program = Program()
    with program.builder.loop("i", 4):
        inner = program.builder.insert(SampleMatMul(program.a, program.a), "inner")
    branch = program.builder.insert(SampleIf(program.c))
    argument = branch.blocks[0].add_argument(program.a.type, "r")
    with program.builder.at(branch.blocks[1]):
        program.builder.insert(SampleMatMul(inner, argument))
    assert program.found() == [
        ("V008", 'the region "then" of `graph.if` receives %r; nothing gives it a value'),
        ("V021", "%inner is used outside of the block that defines it"),
        ("V021", "%r is used outside of the block that defines it"),
    ]


def test_strangers() -> None:
    program, other = Program(), Program()
    stray = DRAMTensor("stray", f32, (128, 512))
    program.builder.insert(SampleMatMul(program.a, SampleMatMul(program.a, program.a)))
    program.builder.insert(SampleGather(NeuronAP(stray), 0))
    written = program.builder.insert(SampleStore(NeuronAP(program.x), dst=NeuronAP(program.x)))
    program.builder.insert(SampleActivation(written, "gelu"))
    program.builder.insert(SampleMatMul(program.a, other.a))
    assert program.codes()[1:] == ["V022"] * 4
    assert program.codes()[0] == "V010"  # of the product that stands nowhere


def test_an_axis_outside_of_its_loop() -> None:
    program = Program()
    with program.builder.loop("i", 4) as axis:
        pass
    access = NeuronAP(program.x, ((512, 128), (1, 4)), Affine.of(axis) * 4)
    program.builder.insert(SampleActivation(access, "gelu"))
    assert [code for code, _ in program.found()] == ["V023"]


def test_one_axis_for_two_loops() -> None:
    program = Program()
    with program.builder.loop("i", 4) as axis:
        program.builder.insert(Loop(axis))
    assert program.codes() == ["V005"]


def test_a_loop_that_runs_less_than_never() -> None:
    program = Program()
    with program.builder.loop("i", -1):
        pass
    assert program.found() == [("V005", "the loop runs -1 times; expected at least 0")]


def test_operands_that_are_none() -> None:
    program = Program()
    inst = program.builder.insert(SampleStore(program.a, dst=NeuronAP(program.x)))
    inst.type = program.x.type
    program.a.removeUser(inst)
    poke(inst, _src=program.x)
    assert program.codes() == ["V034"]
    poke(inst, _src=7)
    assert program.codes() == ["V034"]


def test_a_missing_operand() -> None:
    program = Program()
    inst = SampleGather(program.a, 0)
    program.builder.insert(inst)
    program.a.removeUser(inst)

    class Broken(SampleGather):
        __slots__ = ()

        def operands(self) -> tuple[Any, ...]:
            return ()

    poke(inst, __class__=Broken, _src=None)
    assert program.found() == [("V030", 'the operand "src" is missing')]


def test_attributes() -> None:
    program = Program()
    inst = program.builder.insert(SampleActivation(program.a, "gelu"))
    for kind, scale, expected in [
        ("gelo", 1.0, [("V042", 'the attribute "kind" has no word "gelo"')]),
        (None, 1.0, [("V040", 'the attribute "kind" is missing; expected a word')]),
        ("gelu", "two", [("V040", "the attribute \"scale\" is 'two'; expected a number")]),
        ("gelu", True, [("V040", 'the attribute "scale" is True; expected a number')]),
        ("gelu", 1, []),
    ]:
        poke(inst, _kind=kind, _scale=scale)
        assert program.found() == expected


def test_attributes_of_other_kinds() -> None:
    program = Program()
    inst = program.builder.insert(SampleConstant(Constant.of([1.0], f32), bf16, Type.none(), (2, "N", None), (1, 2)))
    assert program.found() == []
    poke(inst, _to="bf16", _wanted=f32, _shape=(-1,), _dims=(1, 2.5), _label=None)
    assert program.codes() == ["V040"] * 5


def test_lists_of_indices() -> None:
    program = Program()
    inst = program.builder.insert(SampleGather(program.a, 0, None, [APIndex("k")]))
    assert program.found() == []
    poke(inst, _addr_free_indices=("k",))
    assert program.codes() == ["V043"]


def test_destinations_targets_and_engines() -> None:
    program = Program()
    program.builder.insert(SampleStore(program.a))
    assert program.codes() == ["V051"]
    program.module.target = "trn22"
    assert program.found()[0] == ("V062", 'no target is called "trn22"')

    class OnGpsimd(SampleActivation):
        __slots__ = ()
        INFO = SampleActivation.INFO.__class__("OnGpsimd", "neuron", "on_gpsimd", engines=("gpsimd",))

    program = Program()
    program.module.target = "inf1"
    program.builder.insert(OnGpsimd(program.a, "gelu"))
    assert program.found() == [("V061", '`on_gpsimd` runs on "gpsimd"; inf1 has none of these engines')]


def test_indices_for_some_pairs() -> None:
    program = Program()
    program.builder.insert(SampleActivation(NeuronAP(program.x, indices=[APIndex("k")]), "gelu"))
    assert program.codes() == ["V075"]


def test_contents_of_another_type() -> None:
    program = Program()
    program.x.init = Constant.of([[1, 2]], i32)
    assert program.codes() == ["V082"]


def test_regions_and_the_attributes_that_name_them() -> None:
    program = Program()
    node = program.builder.insert(OnnxNode("Op", [program.a, None], {"body": Region(0)}, n_regions=2), "n")
    for block in node.blocks:
        block.append(Yield([program.a]))
    assert program.found() == [("V006", "no attribute is region 1 of the instruction")]
    for value, expected in [
        (Region(2), [("V006", 'the attribute "more" is region 2; the instruction has 2 regions')]),
        (Region(0), [("V006", 'the attribute "more" is region 0, as "body" is already')]),
        ((Region(1), Region(0)), [("V006", 'the attribute "more" is region 0, as "body" is already')]),
        ((Region(1),), []),
        (Region(1), []),
    ]:
        node.attributes["more"] = value
        assert program.found() == expected


def test_names_and_what_is_carried() -> None:
    program = Program()
    node = program.builder.insert(OnnxNode("Op", [], {"body": Region(0)}, result_types=[program.a.type], n_regions=1))
    node.blocks[0].append(Yield([]))
    poke(node, name=7, carried="doc")
    poke(node.blocks[0], carried=[])
    poke(program.c, name=b"c")
    poke(program.module, carried="")
    assert program.found() == [
        ("V007", "what is carried with the program is ''; expected bytes or None"),
        ("V007", "the name of a value is b'c'; expected text or None"),
        ("V007", "what is carried with this is 'doc'; expected bytes or None"),
        ("V007", "what is carried with a block is []; expected bytes or None"),
        ("V007", "the name of a value is 7; expected text or None"),
    ]


def test_what_is_found_stands_in_program_order() -> None:
    program = Program()
    for _ in range(12):
        program.builder.insert(SampleStore(program.a))
    shown = [str(diagnostic.place) for diagnostic in verify(program.module)]
    assert shown == [f"@main %{number}" for number in range(12)]


def test_a_broken_instruction_is_shown_as_far_as_it_prints() -> None:
    program = Program()
    inst = program.builder.insert(SampleStore(program.a, dst=NeuronAP(program.x)))
    program.a.removeUser(inst)
    poke(inst, _src=7)
    (diagnostic,) = [found for found in verify(program.module) if found.code == "V034"]
    assert "SampleStore" in diagnostic.render()
