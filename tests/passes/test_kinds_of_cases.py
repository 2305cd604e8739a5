"""What a pass that changes dtypes or casts meets, kind by kind: which case shows it, with a twin that must not fire.

A kind has the names of cases in the folder of the pass, of which at least one must leave something as it is (it is
unchanged, or says why a statement is kept); or a sentence that says why the pass never meets it, or need not look.

What a precision policy is about beside these kinds is in `tests/passes/precision`.
"""

from collections.abc import Mapping
from typing import Final

import pytest

from passes.registry import PASSES
from tests.passes.pass_cases import Case
from tests.passes.test_cases import CASES

KINDS: Final = (
    "several users",
    "several stores, one not mutable",
    "a tensor read by somebody else",
    "a store between a cast and a user",
    "inputs",
    "outputs",
    "constants",
    "PSUM",
    "reinterpreted bits",
    "integers and floats",
    "floats of eight bits",
    "carried values",
    "captures",
    "predicated stores",
    "a cast of a cast",
    "a cast to its own dtype",
    "an empty function",
    "a widened tensor that no longer fits",
)

NARROWS = "It makes nothing wider."
RETYPES_NOTHING = "It changes no tensor's dtype, and no value's."
CONVERTS_NOTHING = "It moves elements of one dtype, whichever that is, and converts none."
STORES_ALIKE = "It asks what a tensor may hold, not what has written it."

TABLE: Final[Mapping[str, Mapping[str, str]]] = {
    "eliminate-casts": {
        "several users": "several_casts_together another_user",
        "several stores, one not mutable": "tensor store_of_another_class one_of_two_stores",
        "a tensor read by somebody else": "tensor_with_several_casts tensor_with_another_load",
        "a store between a cast and a user": "store_after_the_user store_between back_edge "
        "store_in_the_body_of_a_while",
        "inputs": "tensor_is_an_input source_is_an_argument",
        "outputs": "tensor_is_an_output",
        "constants": "tensor_is_a_constant",
        "PSUM": "tensor_in_psum",
        "reinterpreted bits": "tensor_reinterpreted",
        "integers and floats": "integer_round_trip integer_in_between",
        "floats of eight bits": "saturating_type",
        "carried values": "carried_value carried_narrow_value",
        "captures": "users_in_regions users_in_two_branches store_in_the_other_branch store_in_a_region_between",
        "predicated stores": "stores_under_predicates store_of_another_class_under_a_predicate "
        "store_to_the_tensor_by_a_user",
        "a cast of a cast": "casts_in_a_row casts_to_two_dtypes",
        "a cast to its own dtype": "no_cast",
        "an empty function": "empty",
        "a widened tensor that no longer fits": "tensor_fits tensor_does_not_fit tensor_must_fit_every_target",
    },
    "dtype-mutator": {
        "several users": "value another_user",
        "several stores, one not mutable": "tensor two_writers",
        "a tensor read by somebody else": "tensor two_readers",
        "a store between a cast and a user": "store_between",
        "inputs": "input argument",
        "outputs": "output",
        "constants": "constants constant_reinterpreted",
        "PSUM": "psum",
        "reinterpreted bits": "reinterpreted written_reinterpreted",
        "integers and floats": "from_integers to_integers",
        "floats of eight bits": "to_eight_bits load_to_e5m2",
        "carried values": "carried_value",
        "captures": "captures captured_producer",
        "predicated stores": "predicated_store predicated_stores",
        "a cast of a cast": "copies_in_a_row cast_of_a_cast from_f64",
        "a cast to its own dtype": "cast_to_its_own_dtype",
        "an empty function": "empty",
        "a widened tensor that no longer fits": NARROWS,
    },
    "enforce-alu-dt-acc": {
        "several users": "value another_user",
        "several stores, one not mutable": "one_of_several_writers",
        "a tensor read by somebody else": "another_user",
        "a store between a cast and a user": "It moves no read.",
        "inputs": "inputs_and_constants",
        "outputs": "output",
        "constants": "inputs_and_constants",
        "PSUM": "psum",
        "reinterpreted bits": "reinterpreted",
        "integers and floats": "integers",
        "floats of eight bits": "eight_bits",
        "carried values": "carried_value",
        "captures": "captures carried_value",
        "predicated stores": "predicated_stores",
        "a cast of a cast": "through_copies narrow_from_the_start",
        "a cast to its own dtype": "cast_to_its_own_dtype",
        "an empty function": "empty",
        "a widened tensor that no longer fits": "still_fits no_longer_fits",
    },
    "auto-cast-fp32": {
        "several users": "several_users boundary_only",
        "several stores, one not mutable": "several_writers one_of_several_writers",
        "a tensor read by somebody else": "matmult_tensor_shrinks matmult_tensor_with_another_reader nobody_reads",
        "a store between a cast and a user": "store_between_products matmult_of_nothing",
        "inputs": "all_on_the_chip boundary_only",
        "outputs": "output_tensor boundary_only",
        "constants": "constants constant_returned",
        "PSUM": "psum",
        "reinterpreted bits": "reinterpreted",
        "integers and floats": "integers integers_all",
        "floats of eight bits": "all_fp8 narrow_already",
        "carried values": "carried_values carried_integers",
        "captures": "branches carried_integers",
        "predicated stores": "predicated_stores predicated_store_that_keeps_f32",
        "a cast of a cast": "cast_of_a_cast widened_by_the_program",
        "a cast to its own dtype": "cast_to_its_own_dtype copy_of_f32 narrow_already",
        "an empty function": "empty",
        "a widened tensor that no longer fits": NARROWS,
    },
    "auto-cast-inputs": {
        "several users": "arguments captures returned",
        "several stores, one not mutable": "several_stores outputs",
        "a tensor read by somebody else": "reinterpreted loads",
        "a store between a cast and a user": "several_stores outputs",
        "inputs": "loads arguments narrow_inputs",
        "outputs": "outputs",
        "constants": "constants",
        "PSUM": "outputs",
        "reinterpreted bits": "reinterpreted",
        "integers and floats": "integers",
        "floats of eight bits": "eight_bits integers",
        "carried values": "carried_value integers",
        "captures": "captures returned",
        "predicated stores": "captures several_stores outputs",
        "a cast of a cast": "converted_already",
        "a cast to its own dtype": "cast_to_its_own_dtype converted_already",
        "an empty function": "empty",
        "a widened tensor that no longer fits": NARROWS,
    },
    "auto-cast-tc-inputs": {
        "several users": "several_users no_product",
        "several stores, one not mutable": "predicated_stores predicated_stores_that_nobody_multiplies",
        "a tensor read by somebody else": "reinterpreted nobody_multiplies",
        "a store between a cast and a user": "store_between_products nobody_multiplies",
        "inputs": "inputs_outputs_constants boundary_without_a_product",
        "outputs": "inputs_outputs_constants boundary_without_a_product",
        "constants": "inputs_outputs_constants boundary_without_a_product",
        "PSUM": "predicated_stores predicated_stores_that_nobody_multiplies",
        "reinterpreted bits": "reinterpreted nobody_multiplies",
        "integers and floats": "integers",
        "floats of eight bits": "eight_bits integers",
        "carried values": "captures carried_integers",
        "captures": "captures captures_without_a_product",
        "predicated stores": "predicated_stores predicated_stores_that_nobody_multiplies",
        "a cast of a cast": "cast_of_a_cast casts_without_a_product",
        "a cast to its own dtype": "cast_to_its_own_dtype casts_without_a_product",
        "an empty function": "empty",
        "a widened tensor that no longer fits": NARROWS,
    },
    "fold-casts": {
        "several users": "several_users rounding_first",
        "several stores, one not mutable": STORES_ALIKE,
        "a tensor read by somebody else": RETYPES_NOTHING,
        "a store between a cast and a user": "store_behind store_between back_edge no_store_on_the_back_edge",
        "inputs": "input_output_constant output_in_between",
        "outputs": "input_output_constant output_in_between",
        "constants": "input_output_constant output_in_between",
        "PSUM": "memory_within_reach memory_out_of_reach store_from_psum",
        "reinterpreted bits": "reinterpreted reinterpreted_otherwise",
        "integers and floats": "integers_through_floats integers_through_floats_too_short floats_through_integers "
        "clamped_twice clamped_to_ranges_that_cross bool_through_numbers numbers_through_bool",
        "floats of eight bits": "saturating_type saturating_type_without_infinities saturating_type_on_the_way",
        "carried values": "carried_value_cast_twice carried_value",
        "captures": "captures captures_a_snapshot",
        "predicated stores": "predicated_store store_between_under_a_predicate",
        "a cast of a cast": "exact_first cast_of_a_cast there_and_back back_from_narrower",
        "a cast to its own dtype": "cast_to_its_own_dtype copies_that_stay",
        "an empty function": "empty",
        "a widened tensor that no longer fits": RETYPES_NOTHING,
    },
    "share-casts": {
        "several users": "value other_dtype",
        "several stores, one not mutable": STORES_ALIKE,
        "a tensor read by somebody else": "tensor tensor_other_elements",
        "a store between a cast and a user": "store_in_front_and_behind store_between back_edge "
        "store_in_a_region_between",
        "inputs": "input_and_constant run_time_address",
        "outputs": "input_and_constant output_written_between",
        "constants": "input_and_constant tensor_other_elements",
        "PSUM": "psum_read_twice psum",
        "reinterpreted bits": "tensor_other_elements",
        "integers and floats": "integers other_dtype",
        "floats of eight bits": "integers other_dtype",
        "carried values": "carried_value_cast_twice carried_value",
        "captures": "captures branches",
        "predicated stores": "predicated_users store_between_under_a_predicate",
        "a cast of a cast": "cast_of_a_cast other_instruction",
        "a cast to its own dtype": "cast_to_its_own_dtype",
        "an empty function": "empty",
        "a widened tensor that no longer fits": RETYPES_NOTHING,
    },
    "eliminate-dead-code": {
        "several users": "captures used_values",
        "several stores, one not mutable": "store_that_nobody_reads store_that_somebody_reads",
        "a tensor read by somebody else": "cycle cycle_that_is_read unknown_reader",
        "a store between a cast and a user": "It moves no read.",
        "inputs": "tensor_without_accesses inputs_and_outputs input_instruction",
        "outputs": "loop_with_a_store inputs_and_outputs adds_to_an_output",
        "constants": "constant_instruction inputs_and_outputs",
        "PSUM": "psum psum_that_is_read",
        "reinterpreted bits": "reinterpreted_for_nobody reinterpreted",
        "integers and floats": "Dtypes make no difference to it.",
        "floats of eight bits": "Dtypes make no difference to it.",
        "carried values": "carried_values_of_nobody carried_values",
        "captures": "captures region region_with_a_store",
        "predicated stores": "predicated_store predicated_user",
        "a cast of a cast": "cast_of_a_cast used_values",
        "a cast to its own dtype": "cast_of_a_cast used_values",
        "an empty function": "empty",
        "a widened tensor that no longer fits": RETYPES_NOTHING,
    },
    "cast-op-elimination": {
        "several users": "copy_behind copy_behind_and_another_reader",
        "several stores, one not mutable": "sum_in_front several_writers",
        "a tensor read by somebody else": "slice_in_front slice_in_front_is_read_by_two",
        "a store between a cast and a user": "store_between_is_passed_by store_between_and_another_writer",
        "inputs": "copy_in_front_of_a_part input_in_between",
        "outputs": "chain output_in_between",
        "constants": "copy_of_a_constant constant",
        "PSUM": "on_the_chip psum",
        "reinterpreted bits": "reinterpreted_by_the_copy_in_front reinterpreted_by_the_cast "
        "reinterpreted_by_the_copy_behind",
        "integers and floats": "widened_and_narrowed narrowed_and_widened",
        "floats of eight bits": "narrow_enough_for_eight_bits saturating",
        "carried values": "loop carried",
        "captures": "copy_and_cast_in_a_branch cast_in_a_branch_of_what_was_summed neighbour_in_a_loop",
        "predicated stores": "predicated_store_between predicates",
        "a cast of a cast": "widened_and_narrowed narrowed_and_widened",
        "a cast to its own dtype": "The verifier lets no offloaded cast keep its dtype.",
        "an empty function": "empty",
        "a widened tensor that no longer fits": RETYPES_NOTHING,
    },
    "eliminate-copies": {
        "several users": "slices_of_slices one_of_several_loads",
        "several stores, one not mutable": "fill_and_cast_write_the_output "
        "destination_has_another_writer part_is_filled",
        "a tensor read by somebody else": "concatenation_written_in_place concatenation_whose_source_is_read",
        "a store between a cast and a user": "store_after_the_user store_between store_on_the_back_edge",
        "inputs": "slices_of_slices input copy_of_an_input_to_an_output",
        "outputs": "copy_to_an_output output nobody_reads_an_output",
        "constants": "constant_is_read input",
        "PSUM": "copy_on_the_chip psum",
        "reinterpreted bits": "bitcast reinterpreted_by_the_copy reinterpreted_by_the_user",
        "integers and floats": CONVERTS_NOTHING,
        "floats of eight bits": CONVERTS_NOTHING,
        "carried values": "axis user_in_front user_outside_of_the_loop",
        "captures": "copy_in_a_branch copy_in_a_branch_is_read_behind_it",
        "predicated stores": "predicated_user predicated_store_between predicated_copy",
        "a cast of a cast": CONVERTS_NOTHING,
        "a cast to its own dtype": "The verifier lets no offloaded cast keep its dtype.",
        "an empty function": "empty",
        "a widened tensor that no longer fits": RETYPES_NOTHING,
    },
    "auto-mixed-precision": {
        "several users": "several_users users_that_stay",
        "several stores, one not mutable": "tensors",
        "a tensor read by somebody else": "tensors",
        "a store between a cast and a user": "tensors",
        "inputs": "inputs_and_outputs returned_as_it_came",
        "outputs": "inputs_and_outputs returned_as_it_came",
        "constants": "constant constant_in_range_of_bf16 constant_out_of_range",
        "PSUM": "tensors",
        "reinterpreted bits": "tensors",
        "integers and floats": "carried_value integers",
        "floats of eight bits": "eight_bits",
        "carried values": "carried_value carried_value_that_stays",
        "captures": "several_users capture_that_stays",
        "predicated stores": "tensors",
        "a cast of a cast": "cast_of_a_cast rounding_of_the_user",
        "a cast to its own dtype": "cast_to_its_own_dtype",
        "an empty function": "empty",
        "a widened tensor that no longer fits": NARROWS,
    },
}

BY_NAME: Final[Mapping[tuple[str, str], Case]] = {(case.pass_name, case.path.stem): case for case in CASES}


@pytest.mark.parametrize("name", TABLE)
def test_every_kind_has_its_cases_or_a_reason(name: str) -> None:
    assert name in PASSES
    assert tuple(TABLE[name]) == KINDS
    for kind, said in TABLE[name].items():
        if said.endswith("."):
            continue
        cases = [BY_NAME.get((name, stem)) for stem in said.split()]
        found = [case for case in cases if case is not None]
        assert len(found) == len(cases), f"{name}, {kind}: not all of {said} are cases"
        assert any(_leaves_something(case) for case in found), f"{name}, {kind}: none of {said} must not fire"


def test_every_pass_is_in_the_table() -> None:
    assert {*TABLE} == {*PASSES}


def _leaves_something(case: Case) -> bool:
    return case.expected.endswith("// unchanged\n") or "// kept: " in case.expected
