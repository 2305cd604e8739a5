"""Whatever a file holds, reading it gives a program or diagnostics, with places in the file; nothing else rises."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.bir import read_bir
from runtime.diagnostics import DiagnosticsError
from tests.runtime.bir.spoiled import CLASSES, TEXT, junk, spoil


@settings(max_examples=300)
@given(st.data())
def test_any_part_replaced(data: st.DataObject) -> None:
    found = json.loads(TEXT)
    for _ in range(data.draw(st.integers(1, 3))):
        spoil(data, found)
    read(json.dumps(found, indent=data.draw(st.none() | st.just(1))))


@given(st.integers(0, len(TEXT) - 3))
def test_truncated_anywhere(length: int) -> None:
    assert not read(TEXT[:length])


@given(st.text(max_size=20), st.integers(0, len(TEXT)))
def test_text_put_in_anywhere(text: str, at: int) -> None:
    read(TEXT[:at] + text + TEXT[at:])


@given(junk)
def test_any_json(found: Any) -> None:
    assert not read(json.dumps(found))


def test_a_number_of_thousands_of_digits() -> None:
    assert not read(TEXT.replace("512", "1" * 5_000))


def read(text: str) -> bool:
    """Read a text; return whether it is a program."""
    try:
        read_bir(text, CLASSES, name="spoiled.bir")
    except DiagnosticsError as error:
        lines = text.split("\n")
        assert error.diagnostics
        for diagnostic in error.diagnostics:
            place = diagnostic.place
            assert place is not None and 1 <= place.line <= len(lines)
            assert 1 <= place.column <= len(lines[place.line - 1]) + 1
            assert diagnostic.render()
        return False
    return True
