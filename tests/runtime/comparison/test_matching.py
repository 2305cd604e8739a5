"""Which instructions are counterparts: by name, else by structure, whatever casts were put in between."""

from typing import Any

import numpy as np
import pytest

import runtime
from runtime.comparison import Comparison, compare
from runtime.comparison.matching import match_modules
from runtime.interpreter import InputError, InterpreterError
from runtime.interpreter.errors import line_of
from runtime.names import Names

ONES = np.ones((2, 2), np.float32)


def program(*lines: str, arguments: str = "%x: f32[2,2]") -> runtime.Module:
    module = runtime.parse(f"func @main({arguments}) {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n")
    assert runtime.verify(module) == []
    return module


def pairs(first: runtime.Module, second: runtime.Module) -> list[tuple[str, str]]:
    """Return the counterparts, each without its operands."""
    roots = first.root_function, second.root_function
    found = match_modules(first, second, roots)
    names = Names(roots[0]), Names(roots[1])
    return [
        (line_of(a, names[0]).partition(":")[0], line_of(b, names[1]).partition(":")[0])
        for b, a in found.counterparts.items()
    ]


def test_by_name_whatever_the_order() -> None:
    first = program(
        "%a: f32[2,2] = graph.activation exp %x", "%b: f32[2,2] = graph.activation tanh %x", "return %a, %b"
    )
    second = program(
        "%b: f32[2,2] = graph.activation tanh %x", "%a: f32[2,2] = graph.activation exp %x", "return %a, %b"
    )
    assert sorted(pairs(first, second)) == [("%a", "%a"), ("%b", "%b")]
    assert all(one.score == 0 for one in compare(first, second, {"x": ONES}).ranking)


def test_a_name_that_a_cast_has_taken_over_leads_to_what_it_converts() -> None:
    first = program("%a: f32[2,2] = graph.activation exp %x", "return %a")
    second = program("%0: bf16[2,2] = activation exp %x", "%a: f32[2,2] = tensor_copy %0", "return %a")
    assert pairs(first, second) == []  # the neuron instruction is another operation than that of the graph
    second = program(
        "%0: bf16[2,2] = graph.cast %x",
        "%1: bf16[2,2] = graph.activation exp %0",
        "%a: f32[2,2] = graph.cast %1",
        "return %a",
    )
    assert pairs(first, second) == [("%a", "%1")]
    found = compare(first, second, {"x": ONES})
    assert [one.first is None for one in found.ranking].count(True) == 2  # the two casts


def test_by_structure_through_inserted_casts() -> None:
    first = program("%0: f32[2,2] = graph.activation exp %x", "%1: f32[2,2] = graph.binary add %0, %0", "return %1")
    second = program(
        "%0: f16[2,2] = graph.cast %x",
        "%1: f16[2,2] = graph.activation exp %0",
        "%2: f32[2,2] = graph.cast %1",
        "%3: f32[2,2] = graph.binary add %2, %2",
        "return %3",
    )
    assert pairs(first, second) == [("%0", "%1"), ("%1", "%3")]


def test_what_is_alike_is_paired_in_order() -> None:
    lines = [f"%{at}: f32[2,2] = graph.activation exp %x" for at in range(3)]
    assert pairs(program(*lines, "return %0, %1, %2"), program(*lines, "return %0, %1, %2")) == [
        ("%0", "%0"),
        ("%1", "%1"),
        ("%2", "%2"),
    ]


def test_other_functions_of_the_same_operand_are_no_counterparts() -> None:
    first = program("%0: f32[2,2] = graph.activation exp %x", "return %0")
    second = program("%0: f32[2,2] = graph.activation tanh %x", "return %0")
    found = compare(first, second, {"x": ONES})
    assert found.ranking == () and len(found.only_first) == len(found.only_second) == 1
    assert "without a counterpart in the first version:\n  %0: f32[2,2] = graph.activation tanh %x" in str(found)


def test_casts_that_are_gone_are_listed() -> None:
    first = program(
        "%p: bf16[2,2] = activation gelu %x",
        "%c: f32[2,2] = tensor_copy %p",
        "%u: f32[2,2] = activation tanh %c",
        "return %u",
    )
    second = program("%p: f32[2,2] = activation gelu %x", "%u: f32[2,2] = activation tanh %p", "return %u")
    found = compare(first, second, {"x": ONES})
    assert found.removed_casts == ("%c: f32[2,2] = tensor_copy %p",) and not found.only_first
    p, u = found.ranking
    assert (p.line[:2], u.line[:2]) == ("%p", "%u") and u.score == 0 and p.score > 0


def test_an_inserted_tensor_is_looked_through() -> None:
    lines = ["tensor %t: f32[2,2] sbuf input", "tensor %y: f32[2,2] sbuf output"]
    first = program(*lines, "%y = activation tanh %t", arguments="")
    second = program(
        lines[0],
        "tensor %low: bf16[2,2] sbuf",
        lines[1],
        "%low = tensor_copy %t",
        "%y = activation tanh %low",
        arguments="",
    )
    found = compare(first, second, {"t": np.full((2, 2), 1 + 2**-9, np.float32)})
    cast, tanh = found.ranking
    assert cast.first is None and cast.introduced is not None and cast.introduced.largest == 2**-9
    assert tanh.score == 0 and tanh.inherited is not None and tanh.inherited.differing == 4


def test_a_gather_reads_the_tensor_of_the_first_version() -> None:
    def gather(dtype: str) -> runtime.Module:
        return program(
            f"tensor %t: {dtype}[2,2] sbuf",
            "tensor %x: f32[2,2] sbuf input",
            "%t = tensor_copy %x",
            f"%r: {dtype}[1,2] = dynamic_copy_src %t[0 | 2:1, 1:2] generic_dim:[0] generic_addrs: %i "
            "{offset_scale = 2}",
            "return %r",
            arguments="%i: u32[1]",
        )

    inputs: dict[str, Any] = {"x": np.array([[1, 2], [1 + 2**-9, 4]], np.float32), "i": np.array([1], np.uint32)}
    found = compare(gather("f32"), gather("bf16"), inputs)
    assert [(one.line.partition(" ")[0], one.score > 0) for one in found.ranking] == [("%t", True), ("%r:", False)]
    assert found.ranking[1].why_not is None


def test_different_trip_counts_are_noted() -> None:
    def loop(times: int) -> runtime.Module:
        return program(
            "tensor %y: f32[1,4] sbuf output",
            "tensor %x: f32[1,4] sbuf input",
            "%y = tensor_copy %x",
            f"for %i = 0 step 1 times {times} {{",
            "  %y[0 + 1*%i | 4:1, 1:1] = activation exp %x[0 + 1*%i | 4:1, 1:1]",
            "}",
            arguments="",
        )

    found = compare(loop(3), loop(2), {"x": np.zeros((1, 4), np.float32)})
    assert found.notes == ("1 executions have no counterpart: the versions run different numbers of times",)
    assert next(one for one in found.ranking if "exp" in one.line).runs == 2


def narrowed() -> Comparison:
    first = program("%y: f32[2,2] = graph.activation copy %x", "return %y")
    second = program("%y: bf16[2,2] = graph.activation copy %z", "return %y", arguments="%z: bf16[2,2]")
    return compare(first, second, {"x": np.full((2, 2), 1 + 2**-9, np.float32)})


def test_inputs_of_other_names_and_dtypes_are_given_and_noted() -> None:
    assert narrowed().notes == (
        'input "z" of the second version gets what "x" of the first one gets',
        'input "z" is rounded to bf16 for the second version',
    )


def test_an_error_says_in_which_version() -> None:
    first = program("%y: f32[2,2] = graph.activation copy %x", "return %y")
    zeros = "%o: i32[2] = graph.constant {value = dense<0>}"
    second = program(zeros, "%z: i32[2] = graph.binary div %o, %o", "return %x")
    with pytest.raises(InterpreterError, match="the second version cannot be computed: an integer is divided by zero"):
        compare(first, second, {"x": ONES})
    with pytest.raises(InputError, match='argument "x": f32.* is missing'):
        compare(first, second, {})
    with pytest.raises(InputError, match='argument "w": f32.* is missing'):
        both = "%x: f32[2,2], %w: f32[2,2]"
        compare(first, program("return %x", arguments=both), {"x": ONES})


def test_regions_are_compared_from_inside() -> None:
    def branch(dtype: str) -> runtime.Module:
        return program(
            f"%r: {dtype}[2,2] = graph.if %c then {{",
            f"  %a: {dtype}[2,2] = activation exp %x",
            "  yield %a",
            "} else {",
            f"  %b: {dtype}[2,2] = activation copy %x",
            "  yield %b",
            "}",
            "return %r",
            arguments="%c: bool[], %x: f32[2,2]",
        )

    found = compare(branch("f32"), branch("bf16"), {"c": np.array(True), "x": ONES})
    assert [one.line.partition(":")[0] for one in found.ranking] == ["%a", "%r"]
    assert found.ranking[1].why_not == "what stands in its regions is compared by itself"
