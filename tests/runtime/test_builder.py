"""Where a builder puts statements."""

from __future__ import annotations

import pytest

from runtime.blocks import Loop
from runtime.builder import Builder
from runtime.builtin import Opaque, Return
from runtime.functions import Function


def labels(build: Builder) -> list[str]:
    return [inst.label if isinstance(inst, Opaque) else "return" for inst in build.function.insts]


def test_statements_stand_in_the_order_in_which_they_are_inserted() -> None:
    build = Builder(Function("main"))
    first, last = build.insert(Opaque("first")), build.insert(Opaque("last"))
    with build.at_start(build.block):
        build.insert(Opaque("a"))
        build.insert(Opaque("b"))
    with build.at_after(first):
        build.insert(Opaque("c"))
        build.insert(Opaque("d"))
    with build.at_before(last):
        build.insert(Opaque("e"))
        with build.at_after(last):
            build.insert(Opaque("g"))
        build.insert(Opaque("f"))
    build.insert(Opaque("h"))
    assert labels(build) == ["a", "b", "first", "c", "d", "e", "f", "last", "g", "h"]


def test_the_end_of_a_block_is_in_front_of_its_terminator() -> None:
    build = Builder(Function("main"))
    build.insert(Return([]))
    with build.at_end(build.block):
        build.insert(Opaque("a"))
        build.insert(Opaque("b"))
    assert labels(build) == ["a", "b", "return"]


def test_a_loop_holds_what_is_inserted_in_it_and_the_point_comes_back() -> None:
    build = Builder(Function("main"))
    end = build.insert(Opaque("end"))
    with build.at_before(end), build.loop("i", 4):
        build.insert(Opaque("inside"))
    build.insert(Opaque("behind"))
    loop, *rest = build.function.body
    assert isinstance(loop, Loop) and rest[0] is end and labels(build) == ["inside", "end", "behind"]


def test_the_point_comes_back_after_an_exception() -> None:
    build = Builder(Function("main"))
    end = build.insert(Opaque("end"))
    with pytest.raises(KeyError), build.at_before(end):
        raise KeyError
    build.insert(Opaque("behind"))
    assert labels(build) == ["end", "behind"]


def test_a_point_in_front_of_what_is_gone_is_refused() -> None:
    build = Builder(Function("main"))
    end = build.insert(Opaque("end"))
    with build.at_before(end):
        end.eraseFromParent()
        with pytest.raises(ValueError, match="the insertion point is gone: <Opaque"):
            build.insert(Opaque("a"))
    with pytest.raises(ValueError, match="stands in no block"):
        build.at_before(end)
    with pytest.raises(ValueError, match="stands in no block"):
        build.at_after(end)
