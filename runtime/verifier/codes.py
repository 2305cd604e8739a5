"""Every code of the verifier with what it says. A code is never given another meaning and never reused."""

from __future__ import annotations

from collections.abc import Mapping

CODES: Mapping[str, str] = {
    # How a program is put together.
    "V001": "statements and blocks are not linked to each other as they stand",
    "V002": "a table of functions or tensors is out of step with what it holds",
    "V003": "a terminator where none may stand, or none where one must",
    "V004": "a region does not yield what its instruction gives",
    "V005": "a loop that cannot run",
    "V006": "regions are out of step with the attributes that name them",
    "V007": "a name, or what a front end carries, is of the wrong kind",
    "V008": "a region receives what its instruction does not give",
    # Uses.
    "V010": "a use-list is out of step with the operands",
    "V011": "the accesses that a tensor knows are out of step with the operands",
    "V012": "an access is not in the slot, or has not the mode, that it says",
    "V013": "the two ends of a dependency edge are out of step",
    # What may be used where.
    "V020": "a value is used before it is defined",
    "V021": "a value is used outside of the block that defines it",
    "V022": "a value or tensor does not belong to the function",
    "V023": "an axis is used outside of its loop",
    "V024": "a predicate on an instruction that gives a value or ends a block",
    "V025": "a predicate that holds always, or never",
    "V026": "a dependency edge against the order of the program",
    # Operands.
    "V030": "an operand is missing",
    "V031": "an operand of the wrong element type",
    "V032": "an operand in the wrong memory",
    "V033": "an operand of the wrong rank",
    "V034": "an operand slot holds what is neither a value nor an access",
    "V035": "an access in an operand of an instruction without memory",
    "V036": "an SSA value in an operand through which the instruction writes",
    # Attributes.
    "V040": "an attribute is missing or of the wrong kind",
    "V041": "an attribute is out of its bounds",
    "V042": "a word that an attribute does not know",
    "V043": "a list of access-pattern indices holds something else",
    # Results and destinations.
    "V050": "the type of a result is not what follows from the operands",
    "V051": "an instruction that must write a tensor has no destination",
    "V052": "the type of an instruction is not that of its destination",
    "V053": "the operands do not fit each other",
    "V054": "a result that is said to be absent",
    "V055": "a destination in the wrong memory",
    "V056": "a destination of the wrong element type",
    "V057": "a result that must be there is absent",
    "V058": "a result of the wrong element type",
    "V059": "a result of the wrong rank",
    # Engines and targets.
    "V060": "an instruction is on an engine where it cannot run",
    "V061": "the target does not have the engine",
    "V062": "no target has this name",
    "V063": "no version is stated of the operators of a domain",
    "V064": "an instruction accesses a memory that its engine does not reach",
    "V065": "an access starts at a partition where the engines cannot start",
    "V066": "the tensor engine of the target does not take the operands, or has no such mode",
    "V067": "a result of the tensor engine lies in more than one bank",
    "V068": "a rule that the instruction has on this target",
    # Accesses.
    "V070": "an access reaches outside of its tensor",
    "V071": "an access with a pair that reaches nothing",
    "V072": "the partition pair of an access is not contiguous",
    "V073": "an access crosses from one partition to the next within a free pair",
    "V074": "an access reads elements as a type that does not fit their width",
    "V075": "an access names some of its pairs",
    # Tensors.
    "V080": "a tensor does not fit its memory",
    "V081": "a tensor without elements",
    "V082": "the contents of a constant, or the default of an argument, are not of its type",
    "V083": "a constant tensor is written",
    "V084": "a tensor is read where nothing has written it",
    "V085": "an output that is never written, or not all of it",
    "V086": "tensors that hold something at the same time do not fit their memory",
    # What instructions say themselves.
    "V090": "a rule of the instruction's definition",
}
