"""The collector pauses while many objects are made, is as it was afterwards, and does not walk them all at once."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from runtime.garbage import paused_gc


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


def test_what_is_made_meanwhile_is_old_afterwards() -> None:
    with paused_gc():
        assert not gc.isenabled()
        made = [[at] for at in range(1000)]
    assert gc.isenabled() and gc.get_freeze_count() == 0
    young = {id(one) for generation in (0, 1) for one in gc.get_objects(generation)}
    assert young.isdisjoint(map(id, made))


def test_what_is_made_meanwhile_is_collected_all_the_same() -> None:
    class Ring:
        pass

    with paused_gc():
        ring = Ring()
        ring.own = ring  # type: ignore[attr-defined]
        dead = weakref.ref(ring)
        del ring
    assert dead() is not None
    gc.collect()
    assert dead() is None


def test_it_is_put_back_when_something_goes_wrong() -> None:
    with pytest.raises(ZeroDivisionError), paused_gc():
        _ = 1 // 0
    assert gc.isenabled()


def test_one_that_was_off_stays_off() -> None:
    gc.disable()
    with paused_gc(), paused_gc():
        pass
    assert not gc.isenabled()


def test_what_somebody_keeps_from_the_collector_stays_so() -> None:
    gc.freeze()
    before = gc.get_freeze_count()
    with paused_gc():
        pass
    assert before and gc.get_freeze_count() >= before - 100  # some of them may be gone
