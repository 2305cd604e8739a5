"""The law of BIR: what is written reads back equal, and is written the same again."""

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.bir import bir_text, read_bir, write_bir
from runtime.builtin import Return, Yield
from runtime.equality import why_different
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.instructions import Instruction
from tests.runtime.bir.programs import programs, programs_of
from tests.runtime.random_programs import modules
from tests.runtime.sample_instructions import SAMPLES

CLASSES = tuple(cls for cls in standard().values() if cls not in (Return, Yield) and cls.INFO.mnemonic != "opaque")


@settings(max_examples=60)
@given(programs())
def test_a_program_reads_back_equal(module: Module) -> None:
    text = bir_text(module)
    again = read_bir(text, SAMPLES)
    assert why_different(module, again) is None
    assert bir_text(again) == text
    assert [names_of(inst) for inst in module.insts] == [names_of(inst) for inst in again.insts]
    assert uses_of(module) == uses_of(again)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@settings(max_examples=20)
@given(st.data())
def test_every_instruction_reads_back_equal(cls: type, data: st.DataObject) -> None:
    module = data.draw(programs_of((cls,)))
    text = bir_text(module)
    again = read_bir(text, standard())
    assert why_different(module, again) is None
    assert bir_text(again) == text


@settings(max_examples=25)
@given(modules(standard(), ("onnx.node", "onnx.initializer", "graph.if")))
def test_a_program_of_a_front_end_reads_back_equal(module: Module) -> None:
    text = bir_text(module)
    again = read_bir(text, standard())
    assert why_different(module, again) is None
    assert bir_text(again) == text
    assert [names_of(inst) for inst in module.insts] == [names_of(inst) for inst in again.insts]
    assert uses_of(module) == uses_of(again)


def test_files_and_open_files_hold_the_same_text(tmp_path: Path) -> None:
    module = Module("trn2")
    path, opened = tmp_path / "empty.bir", io.StringIO()
    write_bir(module, path)
    write_bir(module, str(path))
    write_bir(module, opened)
    assert path.read_text(encoding="utf-8") == opened.getvalue() == bir_text(module)
    assert read_bir(path, SAMPLES).target == "trn2"
    with path.open(encoding="utf-8") as file:
        assert read_bir(file, SAMPLES).target == "trn2"


def names_of(inst: Instruction) -> list[str | None]:
    """The own names of all results, to the letter: digits too, which are no name in text."""
    return [result.name for result in inst.results]


def uses_of(module: Module) -> list[tuple[int, ...]]:
    """How often each argument and result is used, and each tensor read and written."""
    found: list[tuple[int, ...]] = []
    for function in module.functions.values():
        found += [(tensor.n_loads, tensor.n_stores) for tensor in function.tensors.values()]
        found += [(argument.n_uses,) for argument in function.args]
        found += [tuple(result.n_uses for result in inst.results) for inst in function.insts]
    return found
