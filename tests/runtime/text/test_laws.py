"""What holds for every program: its text parses back to an equal one, and the text of that is the same text."""

from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given, settings

from runtime.blocks import Block
from runtime.equality import why_different
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.text.parser import parse, parse_with_places
from runtime.text.places import Places
from runtime.text.printer import print_function, print_module, write_module
from tests.runtime.random_programs import modules
from tests.runtime.text.kinds import CLASSES as KINDS

CLASSES = {**standard(), **KINDS}


@given(modules(CLASSES))
@settings(max_examples=100)
def test_the_text_of_a_program_parses_back(module: Module) -> None:
    check(module)


@pytest.mark.parametrize("mnemonic", sorted(CLASSES))
def test_the_text_of_every_instruction_parses_back(mnemonic: str) -> None:
    @given(modules(CLASSES, (mnemonic,)))
    @settings(max_examples=25)
    def run(module: Module) -> None:
        check(module)

    run()


@pytest.mark.long
@given(modules(CLASSES))
@settings(max_examples=1000)
def test_the_text_of_many_programs_parses_back(module: Module) -> None:
    check(module)


@given(modules(CLASSES))
@settings(max_examples=20)
def test_the_ways_to_print_agree(module: Module) -> None:
    file = StringIO()
    write_module(module, file)
    text = print_module(module)
    assert file.getvalue() == text
    apart = [print_function(function) for function in module.functions.values()]
    target = [f"target {module.target}\n"] if module.target else []
    carried = [] if module.carried is None else [f'carried "{module.carried.hex()}"\n']
    assert "\n".join(target + apart + carried) == text
    assert print_module(module.clone()) == text


def check(module: Module) -> None:
    text = print_module(module)
    parsed = parse_with_places(text, CLASSES)
    again = parsed.module
    assert why_different(module, again) is None, text
    assert print_module(again) == text
    assert why_different(again, parse(text, CLASSES)) is None
    assert why_different(again, again.clone()) is None
    for function in again.functions.values():
        _check_places(parsed.places, function.body)


def _check_places(places: Places, block: Block) -> None:
    last = 0
    for statement in block:
        place = places.of(statement)
        assert place is not None and place.line > last
        last = place.line
        for inner in statement.blocks:
            _check_places(places, inner)
