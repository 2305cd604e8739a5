"""How mistakes are printed, sorted and explained."""

from pathlib import Path

import pytest

from runtime.diagnostics import Diagnostic, DiagnosticsError, Note, Place, did_you_mean, in_file_order, near_names


def test_a_diagnostic_shows_the_place_the_line_and_what_may_help() -> None:
    found = Diagnostic(
        "D005",
        'no data type is called "fb16"',
        Place("defs/neuron/X.yaml", 9, 14, 4),
        "    dtypes: [fb16, f32]",
        help='did you mean "bf16" or "f16"?',
        notes=(Note("inherited from here", Place("defs/neuron/Base.yaml", 4, 3)),),
    )
    assert found.render().splitlines() == [
        'defs/neuron/X.yaml:9:14: error[D005]: no data type is called "fb16"',
        "    dtypes: [fb16, f32]",
        "             ^^^^",
        'help: did you mean "bf16" or "f16"?',
        "note: defs/neuron/Base.yaml:4:3: inherited from here",
    ]


@pytest.mark.parametrize(
    ("place", "line", "carets"),
    [
        (Place("f", 1, 3, 2), "\tabc", "\t ^^"),
        (Place("f", 1, 1), "abc", "^"),
        (Place("f", 1, 2, 99), "abc", " ^^"),
        (Place("f", 1, 6, 1), "abc", "     ^"),
    ],
)
def test_carets_stand_under_the_text(place: Place, line: str, carets: str) -> None:
    assert Diagnostic("D001", "m", place, line).render().splitlines()[2] == carets


def test_of_a_very_long_line_the_part_around_the_place_is_shown() -> None:
    line = "a" * 1000 + "here" + "b" * 1000
    _, shown, carets = Diagnostic("D001", "m", Place("f", 1, 1001, 4), line).render().splitlines()
    assert shown == f"... {'a' * 120}here{'b' * 116} ..." and shown[carets.index("^") : len(carets)] == "here"
    _, shown, carets = Diagnostic("D001", "m", Place("f", 1, 3, 999), line).render().splitlines()
    assert shown == f"{'a' * 240} ..." and carets.startswith("  ^^^") and len(carets) <= len(shown)


def test_parts_that_are_not_known_are_left_out() -> None:
    assert Diagnostic("D001", "m").render() == "error[D001]: m"
    assert Diagnostic("D001", "m", Place("f", 1, 1), severity="warning").render() == "f:1:1: warning[D001]: m"


def test_near_names_lists_all_ties_and_nothing_far() -> None:
    dtypes = ("f32", "f16", "bf16", "i32")
    assert near_names("fb16", dtypes) == ("bf16", "f16")
    assert near_names("BF16", dtypes) == ("bf16",)
    assert near_names("complex", dtypes) == () and near_names("k", ("m", "n")) == () and near_names("", dtypes) == ()
    assert did_you_mean("scr", ("src", "dst")) == 'did you mean "src"?'


def test_diagnostics_are_in_file_order_and_said_once() -> None:
    first, second = Diagnostic("D002", "a", Place("a", 9, 1)), Diagnostic("D001", "b", Place("b", 1, 1))
    last = Diagnostic("D003", "c")
    assert in_file_order([last, second, first, second]) == (first, second, last)
    assert str(DiagnosticsError([second, first])) == "a:9:1: error[D002]: a\n\nb:1:1: error[D001]: b"


def test_paths_are_relative_to_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "below").mkdir()
    inside, outside = tmp_path / "below" / "x.yaml", tmp_path / "y.yaml"
    monkeypatch.chdir(tmp_path / "below")
    assert str(Place(str(inside), 1, 2)) == "x.yaml:1:2"
    assert str(Place(str(outside), 1, 2)) == f"{outside}:1:2"


def test_a_word_of_a_million_characters_is_not_said_in_full() -> None:
    word = "a" * 1_000_000
    said = Diagnostic("T020", f'no instruction is called "{word}"', help=f'opaque "{word}" is one').render()
    assert len(said) < 1200 and said.startswith(f'error[T020]: no instruction is called "{word[:399]}...')
    assert said.endswith('a" is one')
    name = "a" * 600
    assert name in Diagnostic("T020", f'no instruction is called "{name}"').render()
