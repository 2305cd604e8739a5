"""The precision facts of the graph dialect beside the op table that they come from."""

from collections import Counter

import pytest

from runtime.info import InstructionInfo
from runtime.instruction_set import standard
from tests.definitions.op_table import ROWS, Row

INFOS = {cls.INFO.name: cls.INFO for cls in standard().values() if cls.INFO.dialect == "graph"}
OF_THE_TABLE = {row.name: row for row in ROWS}

ELSEWHERE = {"DynamicSlice": "data_movement", "DynamicUpdateSlice": "data_movement"}
"""Instructions that RLX does not have: what they are by what they do."""


def test_the_table_has_as_many_operations_of_each_kind_as_the_document() -> None:
    listed = Counter(row.op_kind for row in ROWS if row.is_listed)
    kinds = {"compute": 53, "reduction": 22, "elementwise": 23, "data_movement": 21, "boundary": 3}
    assert listed == kinds and listed.total() == 122
    assert len(OF_THE_TABLE) == len(ROWS) == 126
    assert Counter(row.force_f32 for row in ROWS)[True] == 58
    assert [row.name for row in ROWS if row.precision_intact] == [
        "ScaledMatMul",
        "ScaledQuantize",
        "ScaledQuantScale",
        "ScaledDequantize",
    ]


def test_every_operation_of_the_table_has_a_definition() -> None:
    assert [row.name for row in ROWS if row.name not in INFOS] == []


@pytest.mark.parametrize("row", [row for row in ROWS if row.name in INFOS], ids=lambda row: row.name)
def test_a_definition_says_what_the_table_says(row: Row) -> None:
    info = INFOS[row.name]
    assert info.op_kind == row.op_kind
    assert _fact(info, "force_f32") == row.force_f32
    assert _fact(info, "precision_intact") == row.precision_intact


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_rlx_does_not_have_is_what_it_does(name: str) -> None:
    info = INFOS[name]
    assert name not in OF_THE_TABLE and info.op_kind == ELSEWHERE[name]
    assert not _fact(info, "force_f32") and not _fact(info, "precision_intact")


def _fact(info: InstructionInfo, name: str) -> bool:
    """Return a fact that holds always or never; one that depends on an attribute is none of the table's."""
    found = info.facts.get(name, False)
    assert isinstance(found, bool), f"{name} depends on an attribute: {found}"
    return found
