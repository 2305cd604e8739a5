"""The words that brewer's own code repeats are those of the runtime that its output is for."""

import inspect
from importlib import import_module

import pytest

from brewer.check_wrappers import members_below
from brewer.definition_files import load_vocabulary
from brewer.definition_keys import BIR_KINDS
from brewer.field_keys import RELATIONS
from brewer.field_views import enum_alias
from brewer.formatting import formatted
from brewer.imports import import_lines
from brewer.plain_scalars import Ambiguous, plain_value
from brewer.problems import Problems
from brewer.python_text import Call, Code, docstring, literal, quoted
from brewer.rule_views import _RELATION_FUNCTIONS
from runtime import relations
from runtime.bir.writer import BirWriter
from runtime.engines import NeuronEngine
from runtime.targets import TARGETS
from tests.this_project import PROJECT, instructions


def test_every_relation_has_a_function() -> None:
    assert tuple(_RELATION_FUNCTIONS) == RELATIONS
    assert all(inspect.isfunction(getattr(relations, name)) for name in _RELATION_FUNCTIONS.values())


def test_every_bir_kind_is_a_method_of_the_writer() -> None:
    assert [kind for kind in BIR_KINDS if kind != "list" and not hasattr(BirWriter, kind)] == []


def test_every_target_has_the_engines_of_the_runtime() -> None:
    vocabulary = load_vocabulary(PROJECT, Problems())
    assert vocabulary is not None
    engines = {target.name: {engine.value for engine in target.engines} for target in TARGETS}
    assert {target: set(words) for target, words in vocabulary.engines_of} == engines


def test_every_engine_reads_and_writes_the_memories_of_the_runtime() -> None:
    vocabulary = load_vocabulary(PROJECT, Problems())
    assert vocabulary is not None
    said = {engine: (memories.reads, memories.writes) for engine, memories in vocabulary.engine_memories}
    known = {
        engine.value: (engine.reads, engine.writes) for engine in NeuronEngine if engine is not NeuronEngine.UNKNOWN
    }
    assert said == known
    assert NeuronEngine.UNKNOWN.reads == NeuronEngine.UNKNOWN.writes == vocabulary.memories


def test_what_a_wrapper_may_use_is_all_that_generated_classes_have() -> None:
    """Else a wrapper that calls a method which a template has given its class would be refused."""
    loaded = instructions()
    by_file = {definition.file: definition for definition in loaded.definitions}
    for brewable in loaded.brewables:
        definition = brewable.definition
        chain = [definition, *(by_file[file] for file in brewable.bases)]
        module = import_module(f"generated.{definition.dialect}.{definition.name}Gen")
        members = {name for name in vars(getattr(module, f"{definition.name}Gen")) if not name.startswith("__")}
        assert members - members_below(chain, PROJECT.sources) == set()


def test_relations_hold_as_long_as_something_is_unknown() -> None:
    assert relations.may_be_equal((2, None), (2, 3)) and relations.may_be_equal(("N", 3), (2, 3))
    assert not relations.may_be_equal((2, 3), (2, 4)) and not relations.may_be_equal((2,), (2, 1))
    assert relations.may_be_equal("exp", "exp") and not relations.may_be_equal("exp", "square")
    assert relations.may_differ(None, 1) and not relations.may_differ(1, 1)
    assert relations.may_be_less(1, 2) and not relations.may_be_less(2, 2) and relations.may_be_less("N", 2)
    assert relations.may_be_at_most(2, 2) and not relations.may_be_at_most(3, 2)
    assert relations.may_be_at_least(2, 2) and not relations.may_be_at_least(1, 2)
    assert relations.may_be_multiple_of(8, 4) and not relations.may_be_multiple_of(6, 4)
    assert not relations.may_be_multiple_of(6, 0) and relations.may_be_multiple_of(None, 4)
    assert relations.extent((2, 3), 1) == 3 and relations.extent((2,), 1) is None and relations.extent(None, 0) is None


def test_plain_scalars_are_what_every_yaml_reader_takes_them_for() -> None:
    clear = {
        "true": True,
        "0": 0,
        "-12": -12,
        "0.5": 0.5,
        "1.0e-6": 1e-6,
        "1.0e+3": 1000.0,
        "f32": "f32",
        "v1.2": "v1.2",
        "-.inf": float("-inf"),
    }
    assert {text: plain_value(text) for text in clear} == clear
    doubtful = ("yes", "NO", "On", "True", "010", "0x1F", "0o7", "0b1", "1_000", "1:30", "1e3", "1.", ".5", "+1", "-0")
    more = ("+.inf", ".Inf", "-.INF", ".nan", "~", "null", "Null", "2024-01-31", "<<", "=")
    assert [text for text in (*doubtful, *more) if not isinstance(plain_value(text), Ambiguous)] == []


def test_literals_are_written_as_black_writes_them() -> None:
    assert literal(("a",), 0) == '("a",)' and literal({"a": True}, 0) == '{"a": True}'
    assert literal(("a", "b"), 4, explode=True) == '(\n        "a",\n        "b",\n    )'
    assert literal((Call("F", ("a",), {"b": 1}),), 0) == '(\n    F(\n        "a",\n        b=1,\n    ),\n)'
    assert literal(frozenset({"b", "a"}), 0) == 'frozenset({"a", "b"})' and literal(Code("x"), 0) == "x"
    assert literal((-3.4028235e38, 1e-6), 0) == "(-3.4028235e38, 1e-06)"  # as black writes exponents
    assert quoted("it's") == '"it\'s"' and quoted('say "a"') == "'say \"a\"'"
    assert len(literal(tuple("abcdefgh" * 20), 0).splitlines()) == 162


def test_docstrings_are_filled_and_closed_safely() -> None:
    assert docstring(["One."], 4) == ['"""One."""']
    assert docstring(['Ends with "quotes"'], 4) == ['"""Ends with "quotes\\""""']
    assert docstring(["a" * 130, ""], 4)[-1] == '    """'
    assert docstring(["word " * 40], 4)[1].startswith("    word")


@pytest.mark.parametrize("length", range(100, 125))
def test_a_docstring_of_any_length_fits_and_black_leaves_it_alone(length: int) -> None:
    lines = docstring([("word " * 30)[: length - 1] + "."], 4)
    text = "class A:\n    " + "\n".join(lines) + "\n"
    assert formatted(text) == text and max(map(len, text.split("\n"))) <= 120


def test_imports_stand_in_the_order_of_isort() -> None:
    known = {
        "ClassVar": "typing",
        "TYPE_CHECKING": "typing",
        "b": "runtime.b",
        "B": "runtime.b",
        "Names": "runtime.names",
    }
    assert import_lines({"ClassVar", "b", "B", "Names", "other"}, known) == (
        "from typing import TYPE_CHECKING, ClassVar\n\nfrom runtime.b import B, b\n\n"
        "if TYPE_CHECKING:\n    from runtime.names import Names"
    )
    assert enum_alias("activation_function") == "ActivationFunction"
