"""What each kind of change does to texts, records and programs of before: the rules of compatibility.

Each rule is held by an experiment in tests/brewer/compatibility/: the classes of before write texts and records, and
those of now read them.

How text and records are read is what decides:
- The text of an instruction shows fields where `rhs_str` has them, and the others by name in the trailing dictionary,
  which leaves out what is absent or has its default.
- A record lists all operands by position, and by name those attributes and index lists that are not their default. Its
  `version` lets `renames` read older names, and `before` say what older records mean that leave an attribute out.
- Element types, memories, ranks, bounds and constraints are no matter of reading: the verifier refuses them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Flag, auto

from runtime.diagnostics import Place


class Effect(Flag):
    """What a change does. Where several instructions are written in many ways, one way is enough."""

    NONE = 0
    TEXT = auto()  # a text of before is refused, or means something else
    BIR = auto()  # a record of before is refused, or means something else
    PRINT = auto()  # the same program has another text; said only where the old text is still read
    VERSION = auto()  # the fields of a record, or what it means to leave one out, are others: readers must be told
    VERIFY = auto()  # the verifier may refuse what it accepted
    PYTHON = auto()  # Python that builds the instruction, or reads its fields, must change
    BEHAVIOUR = auto()  # passes, engines or the interpreter treat the same program differently


NONE, TEXT, BIR, PRINT = Effect.NONE, Effect.TEXT, Effect.BIR, Effect.PRINT
VERSION, VERIFY, PYTHON, BEHAVIOUR = Effect.VERSION, Effect.VERIFY, Effect.PYTHON, Effect.BEHAVIOUR


@dataclass(frozen=True, slots=True)
class Rule:
    effect: Effect
    why: str  # a clause that follows the effects; empty where there is nothing to explain
    mark: str = "~"  # what stands before it in a list: `+` something came, `-` it went, `~` it is another


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between what was meant and what is meant."""

    rule: str  # its key in RULES
    subject: str  # what has changed: `operand "bias"`
    said: str  # how: `f32 -> bf16`
    place: Place | None = field(default=None, compare=False)  # where it stands now
    concerns: tuple[str, ...] = ()  # of a word of the vocabulary: the instructions that use it

    def __post_init__(self) -> None:
        assert self.rule in RULES, f"{self.rule} is not in the table of rules"

    @property
    def effect(self) -> Effect:
        return RULES[self.rule].effect

    @property
    def why(self) -> str:
        return RULES[self.rule].why

    @property
    def mark(self) -> str:
        return RULES[self.rule].mark


_BREAKS = TEXT | BIR
_FIELD_GONE = TEXT | BIR | VERSION | PYTHON

RULES: Mapping[str, Rule] = {
    # The definition.
    "added": Rule(NONE, "", "+"),
    "removed": Rule(_BREAKS | PYTHON, "its mnemonic is refused", "-"),
    "removed_base": Rule(PYTHON, "what stood on it is compared by itself", "-"),
    "became_abstract": Rule(_BREAKS | PYTHON, "its mnemonic is refused"),
    "became_concrete": Rule(NONE, ""),
    "renamed": Rule(PYTHON, "the class is imported by another name; texts and records only know the mnemonic"),
    "mnemonic_changed": Rule(_BREAKS, "texts and records of before have the old mnemonic"),
    "base_changed": Rule(BEHAVIOUR, "it inherits other methods, and is of another class to those that ask"),
    "left_memory": Rule(_BREAKS | PYTHON, "it takes no dst and no engine any more"),
    "entered_memory": Rule(BEHAVIOUR, "it may write tensors, and runs on engines"),
    # Operands. By position in a record and a constructor; by place or by name in a text.
    "operand_added": Rule(_FIELD_GONE, "what was written before has no such operand", "+"),
    "operand_added_at_the_end": Rule(VERSION, "it need not be there; what was written before leaves it out", "+"),
    "operand_added_in_between": Rule(
        BIR | VERSION, "a record lists operands by position, so each behind it would be taken for another", "+"
    ),
    "operand_removed": Rule(_FIELD_GONE, "what was written before has an operand too many", "-"),
    "operand_renamed": Rule(PYTHON, "they name it; records, and texts whose form shows it, have it by position"),
    "operands_moved": Rule(BIR | VERSION, "a record lists operands by position, so each would be taken for another"),
    "operand_now_optional": Rule(PYTHON, "whoever reads it may find None"),
    "operand_now_required": Rule(_BREAKS, "where it was left out, it is missing now"),
    "operand_now_variadic": Rule(_BREAKS | VERSION | PYTHON, "several operands stand in brackets, one does not"),
    "operand_in_form_now_variadic": Rule(BIR | VERSION | PYTHON, "a record has a list of operands in its place"),
    "operand_no_longer_variadic": Rule(_BREAKS | VERSION | PYTHON, "where there were none or several, one is expected"),
    "operand_access_changed": Rule(BEHAVIOUR, "what reads and what writes its tensor are ordered differently"),
    "operand_precision_changed": Rule(BEHAVIOUR, "the precision passes convert it differently"),
    "operand_widened": Rule(NONE, ""),
    "operand_narrowed": Rule(VERIFY, "the verifier accepts fewer operands"),
    # Attributes and lists of indices. By name in a record and in a dictionary, which leave defaults out.
    "attribute_added": Rule(VERSION, "what was written before does not mention it, and means the default", "+"),
    "required_attribute_added": Rule(_FIELD_GONE, "what was written before has no value for it", "+"),
    "required_attribute_added_since": Rule(
        TEXT | VERSION | PYTHON,
        "a text of before has no value for it; `before` says what it is in a record",
        "+",
    ),
    "attribute_removed": Rule(_FIELD_GONE, "where it was given, it is refused", "-"),
    "attribute_renamed": Rule(
        BIR | VERSION | PYTHON, "a record has it by name, and no `renames` of a newer version says so"
    ),
    "attribute_renamed_in_records": Rule(VERSION | PYTHON, "`renames` reads the old name in records of before"),
    "name_in_dictionary_changed": Rule(TEXT, "a text has it by name, and texts know no old names"),
    "type_changed": Rule(_FIELD_GONE, "a value is written in another way"),
    "type_narrowed": Rule(_BREAKS | PYTHON, "not every value of before is one of the new type"),
    "int_became_float": Rule(PRINT | PYTHON, "whole numbers are read, and get a point; there may be fractions"),
    "enum_became_str": Rule(TEXT | PYTHON, "a text has quotes now, a record is the same; it may be no word"),
    "enum_renamed": Rule(PYTHON, "its type has another name"),
    "words_added": Rule(NONE, ""),
    "words_removed": Rule(_BREAKS, "the word is refused where it stands"),
    "default_changed": Rule(_BREAKS | VERSION | PYTHON, "what leaves it out meant the old one"),
    "default_of_shown_changed": Rule(
        BIR | VERSION | PYTHON, "the text shows it, but a record that leaves it out meant the old one"
    ),
    "default_changed_since": Rule(
        TEXT | VERSION | PYTHON, "a text that leaves it out meant the old one, which `before` keeps for records"
    ),
    "default_of_shown_changed_since": Rule(
        VERSION | PYTHON, "the text shows it, and `before` keeps the old one for records of before"
    ),
    "default_added": Rule(VERSION | PRINT | PYTHON, "it is still read where it stands; callers give it by name"),
    "default_added_to_shown": Rule(VERSION | PYTHON, "it is still read where it stands; callers give it by name"),
    "default_removed": Rule(_FIELD_GONE, "where it was left out, it is missing now"),
    "default_of_shown_removed": Rule(
        BIR | VERSION | PYTHON, "the text shows it, but a record that leaves it out is refused"
    ),
    "default_removed_since": Rule(
        TEXT | VERSION | PYTHON, "where a text left it out, it is missing now; `before` keeps it for records of before"
    ),
    "default_of_shown_removed_since": Rule(
        VERSION | PYTHON, "the text shows it, and `before` keeps the default for records of before"
    ),
    "bounds_widened": Rule(NONE, ""),
    "bounds_narrowed": Rule(VERIFY, "the verifier accepts fewer values"),
    "indices_added": Rule(VERSION, "what was written before does not mention them, and has none", "+"),
    "indices_removed": Rule(_FIELD_GONE, "where they were given, they are refused", "-"),
    # Results, regions, the constructor.
    "results_refused": Rule(_BREAKS | PYTHON, "what was written before has another number of results"),
    "number_of_results_changed": Rule(VERIFY | PYTHON, "readers take any number of results, the verifier does not"),
    "optional_result_added": Rule(
        PRINT | PYTHON, "what was written before lacks it; the constructor takes `result_types`, a list", "+"
    ),
    "result_now_optional": Rule(PYTHON, "whoever reads it may find None"),
    "result_now_required": Rule(VERIFY | PYTHON, "where it was absent, it is missing now"),
    "result_widened": Rule(NONE, ""),
    "result_narrowed": Rule(VERIFY, "the verifier accepts fewer results"),
    "result_precision_changed": Rule(BEHAVIOUR, "the precision passes convert it differently"),
    "results_now_variadic": Rule(PYTHON, "the constructor takes `result_types`, a list"),
    "result_renamed": Rule(NONE, ""),
    "result_rule_changed": Rule(VERIFY | BEHAVIOUR, "a stated type that does not follow is refused"),
    "result_rule_added": Rule(VERIFY, "a stated type that does not follow is refused"),
    "result_rule_removed": Rule(PYTHON, "whoever builds it must give the type"),
    "result_dtype_free": Rule(NONE, ""),
    "result_dtype_fixed": Rule(VERIFY | PYTHON, "another data type than the rule gives is refused"),
    "dst_now_required": Rule(VERIFY, "what writes no tensor is refused"),
    "dst_now_optional": Rule(NONE, ""),
    "dst_now_forbidden": Rule(_BREAKS | PYTHON, "what writes a tensor is refused"),
    "dst_widened": Rule(NONE, ""),
    "dst_narrowed": Rule(VERIFY, "the verifier accepts fewer tensors"),
    "dst_accumulates_changed": Rule(BEHAVIOUR, "what reads and what writes the tensor are ordered differently"),
    "region_renamed": Rule(TEXT | PYTHON, "a text has regions by name, a record by position"),
    "region_added": Rule(_BREAKS | VERSION, "what was written before has a region too few", "+"),
    "region_removed": Rule(_FIELD_GONE, "what was written before has a region too many", "-"),
    "region_runs_changed": Rule(BEHAVIOUR, "passes count its runs differently"),
    "region_ports_changed": Rule(VERIFY, "what its regions receive and hand out is refused"),
    "regions_moved": Rule(_BREAKS | VERSION, "texts and records have the regions in the order of the definition"),
    "constructor_changed": Rule(PYTHON, "arguments that callers give by position reach other parameters"),
    # The printed form.
    "form_refuses": Rule(TEXT, "a text of before is not read to its end"),
    "form_reads": Rule(NONE, "", "+"),
    "form_may_vanish": Rule(NONE, ""),
    "form_prints_differently": Rule(PRINT, "a text of before is read, and printed in the new form"),
    "dictionary_reordered": Rule(PRINT, "the dictionary is in the order of the definition; reading does not mind"),
    # Rules of the verifier.
    "constraint_added": Rule(VERIFY, "the verifier refuses what violates it", "+"),
    "constraint_on_new_field": Rule(NONE, "", "+"),
    "constraint_removed": Rule(NONE, "", "-"),
    "constraint_narrowed": Rule(VERIFY, "the verifier refuses what violates it"),
    "constraint_widened": Rule(NONE, ""),
    "constraint_renamed": Rule(NONE, ""),
    "constraint_message_changed": Rule(NONE, ""),
    # What passes, engines and the interpreter do.
    "engine_hint_changed": Rule(BEHAVIOUR, "it runs elsewhere where nobody chose an engine"),
    "engines_widened": Rule(NONE, ""),
    "engines_narrowed": Rule(VERIFY, "the verifier accepts fewer engines"),
    "capability_changed": Rule(BEHAVIOUR, "passes rely on it"),
    "op_kind_changed": Rule(BEHAVIOUR, "the precision policies choose by it"),
    "fact_changed": Rule(BEHAVIOUR, "the precision passes rely on it"),
    "semantics_added": Rule(NONE, ""),
    "semantics_changed": Rule(BEHAVIOUR, "the interpreter may compute something else"),
    "semantics_removed": Rule(BEHAVIOUR, "the interpreter refuses it"),
    "wrapper_changed": Rule(BEHAVIOUR, "the class that is built has other rules and hooks"),
    # Records.
    "version_raised": Rule(NONE, ""),
    "version_lowered": Rule(BIR, "records of before are taken for those of a newer brewer"),
    "rename_added": Rule(NONE, "", "+"),
    "rename_removed": Rule(BIR, "records of older versions have the old name", "-"),
    "older_value_added": Rule(NONE, "", "+"),
    "older_value_removed": Rule(NONE, "", "-"),
    "older_value_changed": Rule(BIR, "`before` does not say of older records what it said"),
    "derived_field_added": Rule(VERSION, "it follows from the rest, so records of before need not have it", "+"),
    "derived_field_removed": Rule(BIR | VERSION, "records of before have it", "-"),
    "record_reordered": Rule(NONE, ""),
    # For people.
    "docs_changed": Rule(NONE, ""),
    "deprecated": Rule(NONE, ""),
    # The vocabulary: what it does to an instruction is said of the instruction.
    "word_added": Rule(NONE, "", "+"),
    "word_removed": Rule(NONE, "", "-"),
    "words_reordered": Rule(NONE, ""),
    "group_changed": Rule(NONE, ""),
    "engine_memories_changed": Rule(VERIFY | BEHAVIOUR, "the verifier and lowerings ask what an engine reaches"),
    # Facts about foreign operators.
    "operator_added": Rule(BEHAVIOUR, "the precision passes knew nothing of it", "+"),
    "operator_removed": Rule(BEHAVIOUR, "the precision passes know nothing of it any more", "-"),
    "operator_changed": Rule(BEHAVIOUR, "the precision passes decide by it"),
}
