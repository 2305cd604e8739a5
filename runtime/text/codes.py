"""Every diagnostic code of the text form with what it says. A code is never given another meaning and never reused."""

from __future__ import annotations

from collections.abc import Mapping

CODES: Mapping[str, str] = {
    # The shape of the text.
    "T001": "something else is expected here",
    "T002": "a block, list or dictionary that is not closed",
    "T003": "blocks, lists or types are nested too deeply",
    "T004": "a quoted text with an unknown escape",
    # Names.
    "T010": "nothing has this name",
    "T011": "a value is used where it is not visible",
    "T012": "a name stands for two things",
    "T013": "a value, tensor or axis where another of the three is expected",
    "T014": "a number where a name is needed",
    # Instructions.
    "T020": "no instruction has this mnemonic",
    "T021": "a field that the instruction does not have",
    "T022": "a field that is given twice",
    "T023": "a field that is missing",
    "T024": "a field of the wrong kind",
    "T025": "a word that is not one of those allowed here",
    "T026": "the number or kind of results does not fit the instruction",
    # Types and numbers.
    "T030": "no data type has this name",
    "T031": "not a type, or not one that is allowed here",
    "T032": "a number that is too large, too small or not a number of this type",
    "T033": "the contents of a constant do not fit its type",
    # The program.
    "T040": "no target has this name",
    "T041": "something that stands twice, or where it has no place",
    "T042": "something that print left out because it was asked to",
}
