"""Counters get their label and unit from either form of registration, and can be put back."""

from typing import ClassVar

import pytest

from runtime.statistics import Statistic, Unit, register_stats, reset, restore, snapshot, statistics_of


class Labelled:
    """The form of the label alone: labels and counters in the same order."""

    removed: ClassVar[int] = 0
    moved: ClassVar[int] = 0
    width = 2.0  # no int, so no counter
    _depth = 3
    enabled = True
    register_stats(**{"Number of bytes removed": Unit.Bytes, "Number of moves": Unit.Count})


class Named:
    """The form of the attribute, beside an int that is no counter."""

    LIMIT = 100
    shrunk = 0
    register_stats(shrunk=("Number of elements shrunk", Unit.Elements))


class Derived(Labelled):
    pass


class InModule:
    folded = 0


register_stats(folded=("Number of folds", Unit.Count))


def test_labels_belong_to_counters_in_order() -> None:
    assert statistics_of([Labelled]) == (
        Statistic(Labelled, "removed", "Number of bytes removed", Unit.Bytes),
        Statistic(Labelled, "moved", "Number of moves", Unit.Count),
    )


def test_a_named_counter_is_described_and_no_other() -> None:
    assert statistics_of([Named]) == (Statistic(Named, "shrunk", "Number of elements shrunk", Unit.Elements),)


def test_a_registration_in_the_module_describes_its_classes() -> None:
    assert statistics_of([InModule]) == (Statistic(InModule, "folded", "Number of folds", Unit.Count),)


def test_a_derived_class_has_the_counters_of_its_base_once() -> None:
    assert statistics_of([Derived, Labelled]) == statistics_of([Labelled])


def test_counts_are_read_reset_and_put_back() -> None:
    statistics = statistics_of([Labelled])
    Labelled.removed += 5
    before = snapshot(statistics)
    Derived.moved = 1  # an attribute of the derived class: no count of the base
    Labelled.removed += 2
    assert [statistic.value for statistic in statistics] == [7, 0]
    restore(before)
    assert Labelled.removed == 5
    reset(statistics)
    assert [statistic.value for statistic in statistics] == [0, 0]


def test_labels_without_counters_are_refused() -> None:
    class Wrong:
        one = 0
        two = 0
        register_stats(**{"Number of ones": Unit.Count})

    with pytest.raises(ValueError, match=r"Wrong has 2 counters \(one, two\) for 1 labels \(Number of ones\)"):
        statistics_of([Wrong])


def test_a_name_that_is_no_counter_is_refused() -> None:
    class Wrong:
        one = 0
        register_stats(oen=("Number of ones", Unit.Count))

    with pytest.raises(ValueError, match="Wrong has no counter oen; it has one"):
        statistics_of([Wrong])


def test_a_label_is_registered_once() -> None:
    with pytest.raises(ValueError, match="registered twice: Number of ones"):

        class Wrong:
            one = 0
            register_stats(**{"Number of ones": Unit.Count})
            register_stats(**{"Number of ones": Unit.Count})
