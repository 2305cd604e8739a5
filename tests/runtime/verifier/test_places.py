"""Where the verifier shows a mistake: in the text that the program came from, else in the printed statement."""

import runtime
from generated.graph.BinaryGen import BinaryGen
from generated.graph.IfGen import IfGen
from runtime.blocks import Block
from runtime.builder import Builder
from runtime.diagnostics import DiagnosticsError
from runtime.dtypes import bf16, bool_, f32, i8
from runtime.functions import Function, Module
from runtime.types import Type
from runtime.wrappers.ActivationOp import ActivationOp

TEXT = """\
func @main(%a: i8[2,2]) {
  %0: f32[2,2] = graph.binary add %a, %a
}
"""


def built() -> tuple[Module, Builder]:
    module = Module()
    return module, Builder(module.add_function(Function("main")))


def shown(module: Module) -> list[str]:
    return [diagnostic.render() for diagnostic in runtime.verify(module)]


def test_a_program_that_was_parsed_is_shown_in_its_text() -> None:
    module = runtime.parse(TEXT, "model.ir")
    (found,) = shown(module)
    assert found.splitlines()[0].startswith("model.ir:2:7: error[V050]")
    assert found.splitlines()[1:] == ["  %0: f32[2,2] = graph.binary add %a, %a", "      ^^^^^^^^"]


def test_a_clone_and_whoever_forgets_the_places_is_shown_as_printed() -> None:
    module = runtime.parse(TEXT)
    clone = module.clone()
    assert clone.places is None and clone.functions["main"].module is clone
    expected = shown(clone)
    assert expected[0].startswith("@main %0: error[V050]")
    module.places = None
    assert shown(module) == expected


def test_a_statement_that_was_added_to_a_parsed_program_is_shown_as_printed() -> None:
    module = runtime.parse(TEXT)
    main = module.functions["main"]
    Builder(main).insert(BinaryGen(main.args[0], main.args[0], "add", result_type=Type.tensor(bf16, (2, 2))), "new")
    assert [str(found.place) for found in runtime.verify(module)] == ["<text>:2:7", "@main %new"]


def test_a_printed_statement_has_its_dictionary_and_the_caret_under_the_slot() -> None:
    module, builder = built()
    a = builder.function.body.add_argument(Type.tensor(i8, (2, 2)), "a")
    builder.insert(ActivationOp(a, "gelu", a, loc="m.py:1"))
    first, *_ = shown(module)
    assert first.splitlines()[1:3] == ['%0: i8[2,2] = activation gelu %a bias %a {loc = "m.py:1"}', " " * 30 + "^^"]


def test_a_printed_region_shows_where_it_ends() -> None:
    module, builder = built()
    c = builder.function.body.add_argument(Type.tensor(bool_, ()), "c")
    scalar = Type.tensor(f32, ())
    branch = builder.insert(IfGen(c, result_types=[scalar, scalar]))
    then, other = branch.blocks
    assert isinstance(then, Block) and other.first is None
    first, second = shown(module)
    headline = '@main %0: error[V003]: the region "then" has no `yield`; `graph.if` has 2 results'
    assert first.splitlines() == [headline, "} else {", "^"]
    assert second.splitlines()[1:] == ["}", "^"]


def test_mistakes_without_a_line_stay_in_program_order() -> None:
    module, builder = built()
    a = builder.function.body.add_argument(Type.tensor(i8, (2, 2)), "a")
    for _ in range(11):
        builder.insert(BinaryGen(a, a, "add", result_type=Type.tensor(f32, (2, 2))))
    error = DiagnosticsError(runtime.verify(module))
    assert [str(found.place) for found in error.diagnostics] == [f"@main %{number}" for number in range(11)]
