"""A file that is read while it is fetched gives the program that reading it as a whole gives, or is left to that."""

import io
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.bir import bir_text, read_bir
from runtime.bir.json_stream import CHUNK, NotStreamed
from runtime.bir.mistakes import Mistakes
from runtime.bir.read import read_streamed, read_whole
from runtime.diagnostics import DiagnosticsError
from runtime.equality import why_different
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.instructions import Instruction
from tests.runtime.bir.programs import programs
from tests.runtime.bir.spoiled import CLASSES, TEXT, spoil
from tests.runtime.random_programs import modules
from tests.runtime.sample_instructions import SAMPLES

Classes = Mapping[str, type[Instruction]]
sizes = st.integers(1, 9) | st.integers(10, 300) | st.just(10**6)

PLAIN = """{"format": "brewer-bir", "version": 1, "target": null, "functions": [
{"name": "main", "args": [["%a", "f32[4]"]], "tensors": [
], "body": [
{"loop": "%i", "lower": 0, "step": 1, "times": 4, "body": [
{"op": "tensor_copy", "version": 1, "results": [["%0", "f32[4]"]], "args": ["%a"], "loc": "a.py:12"}
]}
]}
]}
"""


@settings(max_examples=25)
@given(programs(), sizes, st.none() | st.integers(0, 2))
def test_random_programs(module: Module, size: int, indent: int | None) -> None:
    text = bir_text(module)
    same(module, read_streamed(pieces(text, size), SAMPLES))
    same(module, read_streamed(pieces(json.dumps(json.loads(text), indent=indent), size), SAMPLES))


@settings(max_examples=20)
@given(modules(standard(), ("onnx.node", "onnx.initializer", "graph.if")), sizes)
def test_random_programs_of_a_front_end(module: Module, size: int) -> None:
    same(module, read_streamed(pieces(bir_text(module), size), standard()))


@pytest.mark.parametrize("size", range(1, 8))
def test_every_part_in_small_chunks(size: int) -> None:
    assert bir_text(read_streamed(pieces(TEXT, size), CLASSES)) == TEXT


@settings(max_examples=70)
@given(st.data(), sizes)
def test_a_part_replaced_is_the_same_program_or_left_to_the_whole_reader(data: st.DataObject, size: int) -> None:
    found = json.loads(TEXT)
    for _ in range(data.draw(st.integers(1, 2))):
        spoil(data, found)
    same_or_left(json.dumps(found), size, CLASSES)


@settings(max_examples=70)
@given(st.integers(0, len(TEXT)), st.integers(0, 9), st.text('{}[]",:0e.-+ \n\\tbody', max_size=4), sizes)
def test_text_replaced_is_the_same_program_or_left_to_the_whole_reader(at: int, n: int, text: str, size: int) -> None:
    same_or_left(TEXT[:at] + text + TEXT[at + n :], size, CLASSES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"functions": [', '"functions": [],\n"functions": ['),  # the last one counts
        ('"body": [\n{"loop"', '"body": [],\n"body": [\n{"loop"'),
        ('"tensors": [\n], ', ""),
        ('"tensors": [\n]', '"tensors": [\n], "defaults": []'),
        ("]}\n]}\n", '], "name": "main"}\n]}\n'),
        ('"times": 4, "body": [\n', '"body": [], "times": 4, "body": [\n'),
        ('"target": null, ', ""),
        ('{"format": "brewer-bir", ', "{"),
        ('"lower": 0', '"lower": NaN'),
        ('"lower": 0', '"lower": 0x1'),
        ('"lower": 0', '"lower": 0.'),
        ('"lower": 0', '"lower": 01'),
        ('"lower": 0', '"lower": -'),
        ('"lower": 0', f'"lower": {"1" * 5000}'),
        ('"%a"], "loc"', '"%b"], "loc"'),
        ('"op": "tensor_copy"', '"op": "tensor_cop"'),
        ('{"op": "tensor_copy"', '{"body": [], "op": "tensor_copy"'),
        ('{"op": "tensor_copy"', '{"regions": [], "op": "tensor_copy"'),
        ('"loc": "a.py:12"}', '"regions": [{"args": [], "body": []}]}'),
        ('"loc": "a.py:12"}', '"regions": {"body": []}}'),
        ('"loc": "a.py:12"}', '"loc": "a.py\n12"}'),
        ("]}\n]}\n]}\n", "]}\n]}\n]} {}"),
        ("]}\n]}\n]}\n", "]}\n]}\n]"),
        ("{", "[{"),
        ("{", "\ufeff{"),
        (PLAIN, ""),
        (PLAIN, " \n"),
        (PLAIN, "{}"),
        (PLAIN, "null"),
    ],
)
def test_other_layouts_and_mistakes(old: str, new: str) -> None:
    """Source: the standard decoder, over all of the text."""
    assert old in PLAIN
    text = PLAIN.replace(old, new, 1)
    for size in (1, 2, 3, 7, 10**6):
        same_or_left(text, size, standard())


def test_regions_that_no_attribute_or_a_negative_one_names_are_left_to_the_whole_reader() -> None:
    node = '{"op": "onnx.node", "version": 1, "args": [[]], "fields": {"op_type": "If"}, "attributes": {"a": %s},'
    node += ' "regions": [{"args": [], "body": []}]}'
    attributes = ('{"region": 5}', '{"region": -1}', "2", '[{"region": 0}, {"region": 0}]', '{"region": 99999999999}')
    for attribute in attributes:
        text = PLAIN.replace('"body": [\n', '"body": [\n' + node % attribute + ",\n", 1)
        for size in (5, 10**6):
            same_or_left(text, size, standard())
    with pytest.raises(NotStreamed):
        read_streamed(pieces(PLAIN.replace('"body": [\n', '"body": [\n' + node % 2 + ",\n", 1), 5), standard())


@pytest.mark.parametrize("spoiled", [False, True])
def test_every_kind_of_source(tmp_path: Path, spoiled: bool) -> None:
    text = PLAIN.replace('"version": 1, "target"', '"target"') if spoiled else PLAIN
    path = tmp_path / "program.bir"
    path.write_text(text, encoding="utf-8")
    with path.open(encoding="utf-8") as opened:
        for source in (text, path, opened, io.StringIO(text), OnceOnly(text), after_a_line(text)):
            if not spoiled:
                assert bir_text(read_bir(source, standard())) == PLAIN
                continue
            with pytest.raises(DiagnosticsError, match=r'1:1: error\[B010\]: the key "version" is missing'):
                read_bir(source, standard())


def test_a_file_that_is_no_text_far_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "program.bir"
    path.write_bytes(PLAIN.encode() + b" " * 3 * CHUNK + b"\xff")
    place = f"byte {len(PLAIN) + 3 * CHUNK} is 0xff"
    with pytest.raises(DiagnosticsError, match=place):
        read_bir(path, standard())
    with path.open(encoding="utf-8") as opened, pytest.raises(DiagnosticsError, match=r"error\[B001\]"):
        read_bir(opened, standard())


def test_loops_deeper_than_the_stack() -> None:
    loop = '{"loop": "%%%d", "times": 1, "body": ['
    text = PLAIN.replace("f32[4]", "f32[5]").split('{"loop"')[0]
    text += "".join(loop % at for at in range(2_000)) + "]}" * 2_000 + "]}]}"
    same_or_left(text, 100, standard())


@pytest.mark.parametrize("n", [6_000])
def test_memory(n: int, tmp_path: Path) -> None:
    """Neither writing nor reading needs twice the memory of the program, whose own is the unit."""
    written, read = ratios(n, tmp_path, "traced")
    assert 1 <= written <= 2 and 1 <= read <= 2


@pytest.mark.bench
def test_memory_of_a_million_instructions(tmp_path: Path) -> None:
    written, read = ratios(1_000_000, tmp_path, "resident")
    assert 1 <= written <= 2 and 1 <= read <= 2


def ratios(n: int, folder: Path, how: str) -> list[float]:
    """The highest memory while writing and while reading a program, each in a process of its own."""
    found = []
    for what in ("write", "read"):
        command = [sys.executable, "-m", "tests.runtime.bir.memory", what, how, str(n), str(folder / "program.bir")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found.append(float(done.stdout))
    return found


class OnceOnly(io.StringIO):
    """An open file that cannot be read twice, such as a pipe."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: Any) -> int:
        raise io.UnsupportedOperation

    def tell(self) -> int:
        raise io.UnsupportedOperation


def after_a_line(text: str) -> io.StringIO:
    """An open file whose first line somebody has read."""
    opened = io.StringIO(f"a line\n{text}")
    opened.readline()
    return opened


def pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def same(first: Module, second: Module) -> None:
    assert why_different(first, second) is None
    assert bir_text(first) == bir_text(second)
    for one, other in zip(first.insts, second.insts, strict=True):
        assert [result.name for result in one.results] == [result.name for result in other.results]
        assert [result.n_uses for result in one.results] == [result.n_uses for result in other.results]


def same_or_left(text: str, size: int, classes: Classes) -> None:
    """What is streamed is no mistake to the whole reader, and the same to it."""
    try:
        streamed = read_streamed(pieces(text, size), classes)
    except NotStreamed:
        return
    same(read_whole(text, classes, Mistakes("whole.bir")), streamed)
