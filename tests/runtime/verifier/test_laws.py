"""Laws over random programs, whose types fit nowhere but whose uses, blocks and links are in order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.bir import bir_text, read_bir
from runtime.builtin import Return, Yield
from runtime.functions import Module, loops_of
from runtime.instruction_set import standard
from runtime.verifier import verify
from tests.runtime.bir.programs import programs, programs_of
from tests.runtime.random_programs import modules
from tests.runtime.sample_instructions import SAMPLES

CLASSES = tuple(cls for cls in standard().values() if cls not in (Return, Yield) and cls.INFO.mnemonic != "opaque")
STRUCTURE = ("V001", "V002", "V005", "V010", "V011", "V012", "V020", "V021", "V022", "V023", "V030", "V034")


@settings(max_examples=40)
@given(programs())
def test_a_program_that_was_built_hangs_together(module: Module) -> None:
    steps = {loop.axis.step for function in module.functions.values() for loop in loops_of(function.body)}
    found = {diagnostic.code for diagnostic in verify(module)}
    assert not found & set(STRUCTURE) or (found & set(STRUCTURE) == {"V005"} and 0 in steps)


@settings(max_examples=25)
@given(st.sampled_from(CLASSES).flatmap(lambda cls: programs_of((cls,))))
def test_instructions_of_any_class_are_judged(module: Module) -> None:
    assert not {diagnostic.code for diagnostic in verify(module)} & set(STRUCTURE)


@settings(max_examples=40)
@given(programs())
def test_a_program_and_what_reads_back_are_judged_alike(module: Module) -> None:
    again = read_bir(bir_text(module), SAMPLES)
    assert list(map(str, verify(again))) == list(map(str, verify(module)))


@settings(max_examples=40)
@given(programs())
def test_a_clone_is_judged_alike_and_judging_changes_nothing(module: Module) -> None:
    before = bir_text(module)
    found = list(map(str, verify(module)))
    assert bir_text(module) == before
    assert list(map(str, verify(module.clone()))) == found


@settings(max_examples=15)
@given(modules(standard(), ("onnx.node", "onnx.initializer")))
def test_a_program_of_a_front_end_what_reads_back_and_a_clone_are_judged_alike(module: Module) -> None:
    found = list(map(str, verify(module)))
    assert list(map(str, verify(read_bir(bir_text(module), standard())))) == found
    assert list(map(str, verify(module.clone()))) == found
