"""The public interface of `runtime`: what there is, that it is listed, and what goes in where."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest

import runtime
from runtime.diagnostics import DiagnosticsError
from runtime.instruction_set import standard

TEXT = "func @main(%x: f32[2]) {\n  %y: f32[2] = graph.activation relu %x\n  return %y\n}\n"


def test_every_name_is_there_listed_and_described_in_a_line() -> None:
    assert set(runtime.__all__) <= set(dir(runtime))
    described = re.findall(r"^    ([\w, ]+?)(?:\(.*?\))?  +\S", runtime.__doc__ or "", re.MULTILINE)
    names = [name for names in described for name in names.split(", ")]
    assert sorted(names) == sorted(runtime.__all__)
    for name in runtime.__all__:
        assert getattr(runtime, name).__doc__, f"{name} says nothing of itself"


def test_what_is_not_there_is_not_listed() -> None:
    assert not {"import_module", "TYPE_CHECKING", "os"} & set(dir(runtime))
    with pytest.raises(AttributeError, match="module 'runtime' has no attribute 'prase'"):
        _ = runtime.prase


@pytest.mark.parametrize("form", ["name", "path", "file", "text", "indented text", "one line"])
def test_what_was_written_as_bir_is_read_in_every_form(form: str, tmp_path: Path) -> None:
    file = tmp_path / "program.bir"
    runtime.write_bir(runtime.parse(TEXT), str(file))
    text = file.read_text(encoding="utf-8")
    source: Any = {
        "name": str(file),
        "path": file,
        "file": io.StringIO(text),
        "text": text,
        "indented text": "  " + text,
        "one line": text.replace("\n", " "),
    }[form]
    assert runtime.print_module(runtime.read_bir(source)) == TEXT
    if not isinstance(source, io.StringIO):
        assert runtime.print_module(runtime.read_bir(source, standard())) == TEXT


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("no_such.bir", "no_such.bir:1:1: error[B001]: cannot read no_such.bir: No such file or directory"),
        (Path("no_such.bir"), "no_such.bir:1:1: error[B001]: cannot read no_such.bir"),
        ("", "<bir>:1:1: error[B003]: the text ends too early"),
        ("{", "<bir>:1:2: error[B003]: the text ends too early"),
        (TEXT, "<bir>:1:1: error[B002]: this is not JSON"),
    ],
)
def test_what_is_no_bir_is_a_diagnostic(source: str | Path, said: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        runtime.read_bir(source)
    assert str(error.value).startswith(said)


def test_a_table_of_its_own_may_be_given() -> None:
    text = io.StringIO()
    runtime.write_bir(runtime.parse(TEXT), text)
    with pytest.raises(DiagnosticsError, match="graph.activation"):
        runtime.read_bir(text.getvalue(), {"return": standard()["return"]})


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match=r"parse takes the text of a program, such as path.read_text\(\), not .*Path"):
        runtime.parse(Path("chain.txt"))  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match="read_bir takes the name of a file, a path, .* or the text, not b'{}', a bytes"
    ):
        runtime.read_bir(b"{}")  # type: ignore[arg-type]
