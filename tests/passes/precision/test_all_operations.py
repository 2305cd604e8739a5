"""Every operation of the graph under every policy, beside the tables of the document.

The kinds of the operations and what its further lists say of them stand in `tests/definitions/op_table.py`; what each
policy does with each kind is read here from `PrecisionPolicy::precision_for` of the same document.
"""

from typing import Final

import pytest

from passes.auto_mixed_precision import AutoMixedPrecision
from runtime import parse
from runtime.functions import Module
from runtime.instructions import Instruction
from runtime.operand_slots import infos_of, values_of
from runtime.text.printer import print_module
from runtime.verifier import verify
from tests.definitions.op_table import ROWS, Row
from tests.passes.precision.operation_programs import program_of

# compute, reduction, elementwise, data_movement
RESOLUTION: Final = {
    "always-f32": ("f32", "f32", "f32", "f32"),
    "always-f16": ("f16", "f16", "f16", "f16"),
    "auto-mixed-conservative": ("f32", "f32", "f16", "f32"),
    "auto-mixed": ("f32", "f16", "f16", "f32"),
    "auto-mixed-bf16": ("bf16", "bf16", "bf16", "bf16"),
}
KINDS: Final = ("compute", "reduction", "elementwise", "data_movement")
LEFT_ALONE: Final = {"Cast", "Input", "Param", "Constant"}
"""A cast keeps its target, and its operand is never cast; boundaries keep their dtype."""
LIKE_A_SCALE: Final = {"FakeQuantizeLSQBackwardScale"}
"""The gradient of a scale is of the dtype of the scale, which stays f32 beside low data."""


def only(name: str, module: Module) -> Instruction:
    found = [inst for inst in module.root_function.insts if inst.INFO.name == name]
    assert found, f"no {name} in its program"
    return found[0]


def floats_of(inst: Instruction) -> set[str]:
    """The f32, f16 and bf16 that an instruction reads and gives, but for what its definition says of slots."""
    free = [value for value, info in zip(values_of(inst), infos_of(inst), strict=True) if info.precision is None]
    infos = inst.INFO.results
    for at, result in enumerate(inst.results):
        if infos[min(at, len(infos) - 1)].precision is None:
            free.append(result)
    names = {value.type.dtype.name for value in free if value is not None and value.type.dtype is not None}
    return names & {"f32", "f16", "bf16"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_operation_under_every_policy(row: Row) -> None:
    source = program_of(row.name)
    before = only(row.name, parse(source))
    wrong = []
    for policy, resolution in RESOLUTION.items():
        module = parse(source)
        declared = [value.type for value in module.root_function.body.terminator.operands()]  # type: ignore[union-attr]
        changed = AutoMixedPrecision(policy=policy).runOnModule(module)
        assert verify(module) == []
        assert [value.type for value in module.root_function.body.terminator.operands()] == declared  # type: ignore[union-attr]
        text = print_module(module)
        assert not AutoMixedPrecision(policy=policy).runOnModule(module) and print_module(module) == text
        found = floats_of(only(row.name, module))
        if row.precision_intact or row.name in LEFT_ALONE:
            expected = floats_of(before)
        elif row.force_f32:
            expected = {"f32"}
        else:
            expected = {resolution[KINDS.index(row.op_kind)]}
        if row.name in LIKE_A_SCALE:
            expected = expected | {"f32"}
        if policy == "always-f32":
            assert not changed and text == print_module(parse(source))
        if found != expected and floats_of(before):
            wrong.append(f"{policy}: {found or 'no float'}, expected {expected}")
        integers = [(a.type, b.type) for a, b in zip(before.results, only(row.name, module).results, strict=True)]
        assert all(a is b or a.dtype.is_float for a, b in integers if a.dtype is not None)  # nor is a mask relabelled
    assert not wrong, wrong


@pytest.mark.parametrize(("policy", "low"), [("autocast-f16", "f16")])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_operation_under_autocast(row: Row, policy: str, low: str) -> None:
    """What runs low is compute and elementwise; what moves data follows, and follows f32 arguments here."""
    module = parse(program_of(row.name))
    transform = AutoMixedPrecision(policy=policy)
    transform.runOnModule(module)
    assert verify(module) == []
    text = print_module(module)
    assert not AutoMixedPrecision(policy=policy).runOnModule(module) and print_module(module) == text
    inst = only(row.name, module)
    low_kinds = ("compute", "elementwise")
    if low in floats_of(inst):
        assert row.op_kind in low_kinds and not row.precision_intact
        assert any(line.precision == low for line in transform.report.lines)
    elif "f32" in floats_of(inst):
        lines = [line for line in transform.report.lines if line.operator == inst.INFO.mnemonic]
        assert lines and all(line.reason for line in lines)
