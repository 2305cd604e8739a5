"""Counters of passes: what they count, in which unit, and taking them back when a pass is rolled back.

Deliberately absent: counter objects. A counter is a class attribute that its pass adds to (`Pass.counter += n`), shared
by all instances and runs. A pass that adds often adds up in itself first, since each write to a class empties Python's
caches of its methods. This module only knows what to call a counter, and a registration stands in the class or module
that made it.

    class NeuronEliminateCasts(TargetLowering):
        eliminated_casts = 0
        register_stats(**{"Number of bytes of casts eliminated": Unit.Bytes})

A class whose counters of bytes are those of one partition names them in `per_partition`; labels stay as they are.

Source: penguin, statistics; both of its forms are accepted, `{label: unit}` and `{attribute: (label, unit)}`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

_KEY = "__statistics__"


class Unit(Enum):
    """What a counter counts; the value is how it is printed after the number."""

    Bytes = "bytes"
    Count = ""
    Elements = "elements"


@dataclass(frozen=True)
class Statistic:
    """One counter: the class attribute `counter` of `owner`."""

    owner: type
    counter: str
    label: str
    unit: Unit

    @property
    def value(self) -> int:
        """The count so far."""
        count = getattr(self.owner, self.counter)
        assert isinstance(count, int), f"{self.owner.__name__}.{self.counter} is no counter: {count!r}"
        return count

    @property
    def is_per_partition(self) -> bool:
        """Whether it counts what is in one partition, and not in all of them."""
        return self.counter in getattr(self.owner, "per_partition", ())


def register_stats(**described: Unit | tuple[str, Unit]) -> None:
    """Describe the counters of the class in whose body this is called, or of the classes of the calling module.

    `{label: unit}`: the labels belong to the counters of the class in the order of both; a counter is a class attribute
    that is an int and has a public name. `{attribute: (label, unit)}`: the counter is named, for a class that has
    other such attributes too.

    Raises: ValueError where a label or attribute is described twice.
    """
    # The namespace of a class body or a module is the caller's `f_locals`; in a class body it becomes the class's
    # `__dict__`, so the registration is found there and no table of all passes is needed.
    registered: dict[str, Unit | tuple[str, Unit]] = sys._getframe(1).f_locals.setdefault(_KEY, {})
    twice = sorted(registered.keys() & described.keys())
    if twice:
        raise ValueError(f"registered twice: {', '.join(twice)}")
    registered.update(described)


def statistics_of(owners: Iterable[type]) -> tuple[Statistic, ...]:
    """Return the counters of these classes and of their bases, each once.

    Raises: ValueError where a registration names no counter, or labels and counters differ in number.
    """
    classes = dict.fromkeys(base for owner in owners for base in reversed(owner.__mro__))
    return tuple(statistic for cls in classes for statistic in _declared_by(cls))


def snapshot(statistics: Iterable[Statistic]) -> dict[Statistic, int]:
    """Return the present counts, for `restore`."""
    return {statistic: statistic.value for statistic in statistics}


def restore(counts: Mapping[Statistic, int]) -> None:
    """Set counters back to what they were at a `snapshot`."""
    for statistic, count in counts.items():
        setattr(statistic.owner, statistic.counter, count)


def reset(statistics: Iterable[Statistic]) -> None:
    """Set counters to zero, as before the first compilation of a process."""
    restore(dict.fromkeys(statistics, 0))


def why_uncounted(instance: object, statistics: Iterable[Statistic]) -> str | None:
    """Return what is wrong where an instance has counted for itself, in an attribute that hides a counter."""
    hidden = next((one for one in statistics if one.counter in vars(instance)), None)
    if hidden is None:
        return None
    counter = f"{hidden.owner.__name__}.{hidden.counter}"
    return f"self.{hidden.counter} was counted, and is not the counter; write {counter} += n"


def _declared_by(cls: type) -> list[Statistic]:
    counters = [name for name, value in vars(cls).items() if type(value) is int and not name.startswith("_")]
    if not counters:
        return []
    in_module = getattr(sys.modules.get(cls.__module__), _KEY, {})
    registered: dict[str, Unit | tuple[str, Unit]] = vars(cls).get(_KEY, in_module)
    named = {key: entry for key, entry in registered.items() if isinstance(entry, tuple)}
    if registered is not in_module:
        unknown = sorted(named.keys() - set(counters))
        if unknown:
            raise ValueError(f"{cls.__name__} has no counter {', '.join(unknown)}; it has {', '.join(counters)}")
    found = [Statistic(cls, key, *named[key]) for key in counters if key in named]
    labels = [(key, entry) for key, entry in registered.items() if not isinstance(entry, tuple)]
    unnamed = [key for key in counters if key not in named] if labels else []
    if len(labels) != len(unnamed):
        raise ValueError(
            f"{cls.__name__} has {len(unnamed)} counters ({', '.join(unnamed)}) for {len(labels)} labels"
            f" ({', '.join(label for label, _ in labels)}): name them, attribute=(label, unit)"
        )
    return found + [
        Statistic(cls, counter, label, unit) for counter, (label, unit) in zip(unnamed, labels, strict=True)
    ]
