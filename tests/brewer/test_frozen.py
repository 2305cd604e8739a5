"""`@frozen` beside `@dataclass(frozen=True, slots=True)`: what readers of a class may rely on."""

import dataclasses
from functools import cached_property
from typing import Any

import pytest

from brewer.frozen import frozen


def point(decorator: Any) -> Any:
    class Point:
        """A place."""

        x: int
        y: int = 2
        names: tuple[str, ...] = ()

        @property
        def sum(self) -> int:
            return self.x + self.y

    return decorator(Point)


Ours = point(frozen)
Theirs = point(dataclasses.dataclass(frozen=True, slots=True))


@pytest.mark.parametrize("cls", [Ours, Theirs])
def test_instances_are_values(cls: Any) -> None:
    one = cls(1, names=("a",))
    assert (one.x, one.y, one.names, one.sum) == (1, 2, ("a",), 3)
    assert one == cls(1, 2, ("a",)) and one != cls(1) and one != (1, 2, ("a",)) and cls.__doc__ == "A place."
    assert hash(one) == hash(cls(1, 2, ("a",))) and len({one, cls(1, 2, ("a",)), cls(3)}) == 2
    assert repr(one).endswith("Point(x=1, y=2, names=('a',))")
    assert cls.__match_args__ == ("x", "y", "names")


@pytest.mark.parametrize("cls", [Ours, Theirs])
def test_nothing_changes_once_it_is_made(cls: Any) -> None:
    one = cls(1)
    with pytest.raises(AttributeError):
        one.x = 2
    with pytest.raises(AttributeError):
        del one.x
    with pytest.raises((AttributeError, TypeError)):
        one.z = 2
    assert one == cls(1)


@pytest.mark.parametrize("cls", [Ours, Theirs])
@pytest.mark.parametrize(("arguments", "named"), [((), {}), ((1, 2, (), 4), {}), ((1,), {"z": 1}), ((1,), {"x": 1})])
def test_wrong_arguments_are_refused(cls: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        cls(*arguments, **named)


def test_functions_of_dataclasses_know_it() -> None:
    one = Ours(1)
    changed: Any = dataclasses.replace(one, y=5)
    assert changed == Ours(1, 5)
    assert dataclasses.is_dataclass(type(one)) and dataclasses.asdict(one) == {"x": 1, "y": 2, "names": ()}
    ours, theirs = dataclasses.fields(Ours), dataclasses.fields(Theirs)
    assert [(f.name, f.type, f.default) for f in ours] == [(f.name, f.type, f.default) for f in theirs]


def test_a_cached_property_is_kept() -> None:
    @frozen
    class Word:
        text: str

        @cached_property
        def letters(self) -> list[str]:
            return list(self.text)

    word = Word("ab")
    assert word.letters is word.letters and word == Word("ab")


def test_fields_are_inherited() -> None:
    @frozen
    class Base:
        x: int

    @frozen
    class Derived(Base):
        y: int = 3

    assert Derived(1) == Derived(1, 3) and Derived(1) != Base(1)
    assert (Derived(1).x, Derived(1).y) == (1, 3) and not hasattr(Derived(1), "__dict__")
    assert [field.name for field in dataclasses.fields(Derived)] == ["x", "y"]
