"""Dependency edges that no text says, since the parser refuses them: programs that were broken by hand."""

from runtime.verifier import verify
from tests.runtime.sample_instructions import SampleIf, SampleMatMul
from tests.runtime.verifier.test_broken_programs import Program


def test_dependency_edges() -> None:
    program = Program()
    first = program.builder.insert(SampleMatMul(program.a, program.a), "first")
    second = program.builder.insert(SampleMatMul(program.a, program.a), "second")
    second.addDependency(first)
    assert program.found() == []
    first.addDependency(second)
    message = "the instruction must come after one (ordered) that stands behind it or around it"
    assert program.found() == [("V026", message)]
    ((note,),) = (found.notes for found in verify(program.module))
    assert note.message.startswith("the instruction is %second: f32[4,4] = graph.matmul %a, %a {")
    assert note.message.endswith("mark = 1, dependencies = [ordered 0]}")
    second.takeDependencies(first)
    assert program.found() == [] and not second.dependencies and not second.dependents


def test_a_dependency_edge_from_elsewhere() -> None:
    program, other = Program(), Program()
    here = program.builder.insert(SampleMatMul(program.a, program.a))
    there = other.builder.insert(SampleMatMul(other.a, other.a))
    here.addDependency(there)
    here.addDependency(SampleMatMul(program.a, program.a))
    assert [code for code, _ in program.found()] == ["V010", "V022", "V022"]


def test_a_dependency_edge_that_one_end_does_not_know() -> None:
    program = Program()
    first = program.builder.insert(SampleMatMul(program.a, program.a), "first")
    second = program.builder.insert(SampleMatMul(program.a, program.a), "second")
    second.addDependency(first)
    assert first.extras is not None and second.extras is not None
    first.extras.dependents = None
    assert program.codes() == ["V013"]
    first.extras.dependents = {second: None}
    second.extras.sources = None
    assert program.codes() == ["V013"]


def test_a_dependency_edge_from_an_instruction_to_its_own_region() -> None:
    program = Program()
    branch = program.builder.insert(SampleIf(program.c))
    with program.builder.at(branch.blocks[0]):
        program.builder.insert(SampleMatMul(program.a, program.a)).addDependency(branch)
    assert program.codes() == ["V026"]
