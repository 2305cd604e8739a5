"""The command line of programs: what is printed and written, what is refused, and that nothing is lost meanwhile."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import runtime.__main__ as driver
from runtime.array_files import write_arrays
from runtime.command_line import main
from runtime.diagnostics import DiagnosticsError
from runtime.dtypes import dtype_of
from runtime.run_codes import CODES
from tests.tree import ROOT

PROGRAM = """\
target trn2

func @main(%x: f32[2,4]) {
  tensor %bias: bf16[2,1] sbuf input
  tensor %y: bf16[2,4] sbuf output
  %h: f32[2,4] = activation exp %x bias %bias
  %y = tensor_copy %h
  return %h
}
"""
X = np.array([[0, 0, 1, 1], [0, 0, 0, -np.inf]], np.float32)
BIAS = np.array([[0], [1]], ml_dtypes.bfloat16)
NO_FILE = "No such file or directory"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text(PROGRAM, encoding="utf-8")
    np.save("x.npy", X)
    np.save("bias.npy", BIAS)
    np.savez("both.npz", x=X, bias=BIAS.view(np.uint16))
    return tmp_path


def test_the_default_is_to_print_in_canonical_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("loose.txt").write_text(PROGRAM.replace("  %h", "// a comment\n\n     %h"))
    assert main(["loose.txt"]) == 0
    assert capsys.readouterr() == (PROGRAM, "")


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(PROGRAM.encode())))
    assert main(["-", "-o", "-"]) == 0
    assert capsys.readouterr().out == PROGRAM


def test_conversion_goes_by_the_endings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["a.txt", "-o", "a.bir"]) == 0 and Path("a.bir").read_text().startswith("{")
    assert main(["a.bir", "-o", "again.txt"]) == 0 and Path("again.txt").read_text() == PROGRAM
    assert capsys.readouterr() == ("", "")


def test_elide_leaves_long_constants_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.txt").write_text(
        "func @main() {\n  %c: f32[3] = graph.constant {value = dense<[1.0, 2.0, 3.0]>}\n  return %c\n}\n"
    )
    assert main(["c.txt", "--elide", "2"]) == 0
    assert "dense<elided>" in capsys.readouterr().out
    assert main(["c.txt", "--elide", "2", "-o", "short.txt"]) == 0
    assert "dense<elided>" in Path("short.txt").read_text()


def test_verify_says_all_that_is_wrong_with_carets(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["a.txt", "--verify"]) == 0
    assert capsys.readouterr().out == "a.txt: 3 instructions, nothing wrong\n"
    Path("b.txt").write_text(PROGRAM.replace("%h: f32[2,4]", "%h: f32[2,5]").replace("bf16[2,1]", "bf16[3,1]"))
    assert main(["b.txt", "--verify"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("error[V") >= 2 and "b.txt:7:3: error[V050]" in err and "^^^" in err


@pytest.mark.parametrize("inputs", [["-i", "x.npy", "-i", "bias.npy"], ["-i", "both.npz"]])
def test_outputs_go_to_an_archive(folder: Path, inputs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """exp(0), exp(1), exp(-infinity): bf16 has 8 significant bits, so e is 2.71875 in it."""
    assert main(["a.txt", "--run", *inputs, "-o", "out.npz"]) == 0
    assert capsys.readouterr() == ("", "")
    out = np.load("out.npz")
    assert sorted(out.files) == ["0", "y"]
    e = np.float32(np.e)
    assert out["0"].tolist() == [[1, 1, e, e], [e, e, e, 0]] and out["0"].dtype == np.float32
    assert out["y"].dtype == np.uint16
    assert out["y"].view(ml_dtypes.bfloat16).astype(float).tolist() == [[1, 1, 2.71875, 2.71875], [*[2.71875] * 3, 0]]
    first = Path("out.npz").read_bytes()
    assert main(["a.txt", "--run", *inputs, "-o", "out.npz"]) == 0 and Path("out.npz").read_bytes() == first


def test_outputs_are_summarised_without_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["a.txt", "--run", "-i", "both.npz"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "output       type  low   high  nan  inf  elements",
        "     0   f32[2,4]    0  2.718    -    -  1.0, 1.0, 2.7182817, 2.7182817, 2.7182817, 2.7182817, 2.7182817, 0.0",
        "    %y  bf16[2,4]    0  2.719    -    -  1, 1, 2.71875, 2.71875, 2.71875, 2.71875, 2.71875, 0",
    ]


NOT_OF_NUMPY = ["f8e4m3fn", "f8e5m2", "f8e8m0", "f4e2m1", "i4", "u4", "bf16"]


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [(dtype, bits) for dtype in NOT_OF_NUMPY for bits in (True, False) if bits or dtype != "f8e5m2"],
)
def test_elements_that_numpy_does_not_know_come_back_as_they_went(dtype: str, bits: bool, folder: Path) -> None:
    Path("id.txt").write_text(f"func @main(%x: {dtype}[4]) {{\n  return %x\n}}\n")
    values = np.array([1, 2, 4, 1]).astype(dtype_of(dtype).numpy)
    np.save("x.npy", values.view(f"u{values.itemsize}") if bits else values)
    assert main(["id.txt", "--run", "-i", "x.npy", "-o", "out.npz"]) == 0
    assert (np.load("out.npz")["0"].view(values.dtype) == values).all()


def test_what_numpy_writes_and_does_not_read_is_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("x.npy", np.ones(4, ml_dtypes.float8_e5m2))
    assert main(["a.txt", "--run", "-i", "x.npy"]) == 2
    assert "help: numpy.save gives some arrays of ml_dtypes a type that it cannot read" in capsys.readouterr().err


def test_elements_in_the_other_byte_order(folder: Path) -> None:
    np.save("x.npy", X.astype(">f4"))
    assert main(["a.txt", "--run", "-i", "x.npy", "-i", "bias.npy", "-o", "out.npz"]) == 0
    assert np.load("out.npz")["0"][0, 0] == 1


def test_names_in_quotes_are_given_without_them(folder: Path) -> None:
    Path("n.txt").write_text(
        'func @main(%"/in:0": f32[2]) {\n  tensor %"file": f32[2] sbuf output\n' '  %file = tensor_copy %"/in:0"\n}\n'
    )
    named: dict[str, Any] = {"/in:0": X[0, :2]}
    np.savez("in.npz", **named)
    assert main(["n.txt", "--run", "-i", "in.npz", "-o", "out.npz"]) == 0
    assert np.load("out.npz")["file"].tolist() == [0, 0]


def test_how_a_run_rounds_is_chosen(folder: Path) -> None:
    Path("r.txt").write_text("func @main(%x: f32[3]) {\n  %y: f8e5m2[3] = graph.cast %x\n  return %y\n}\n")
    np.save("x.npy", np.array([1.1, 1e9, -1e9], np.float32))  # 1.1 lies between 1 and 1.25

    def rounded(*options: str) -> list[float]:
        assert main(["r.txt", "--run", "-i", "x.npy", "-o", "out.npz", *options]) == 0
        found: list[float] = np.load("out.npz")["0"].view(ml_dtypes.float8_e5m2).astype(float).tolist()
        return found

    assert rounded() == [1, np.inf, -np.inf]
    assert rounded("--saturate") == [1, 57344, -57344]
    assert {rounded("--stochastic", str(seed))[0] for seed in range(30)} == {1, 1.25}


def test_trace_shows_the_range_of_every_value(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["a.txt", "--trace", "-i", "both.npz"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0] == "@main"
    assert [line.split()[:7] for line in table[2:]] == [
        ["1", "8", "0", "1", "-", "1", "-"],
        ["1", "2", "0", "1", "-", "-", "-"],
        ["1", "8", "0", "2.718", "-", "-", "-"],
        ["1", "8", "0", "2.719", "-", "-", "-"],
    ]
    assert main(["a.txt", "--trace", "-i", "both.npz", "-o", "trace.json"]) == 0
    assert json.loads(Path("trace.json").read_text())[2]["range"]["elements"] == 8


def test_a_trace_of_what_fails_ends_where_it_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("p.txt").write_text(
        PROGRAM.replace(
            "  %y =", "  %z: i32[2] = graph.constant {value = dense<0>}\n  %q: i32[2] = graph.binary div %z, %z\n  %y ="
        )
    )
    assert main(["p.txt", "--trace", "-i", "both.npz"]) == 2
    out, err = capsys.readouterr()
    assert "activation exp" in out and "%y = tensor_copy" not in out
    assert err.splitlines()[:3] == [
        "p.txt:8:3: error[R003]: cannot be computed: an integer is divided by zero",
        "  %q: i32[2] = graph.binary div %z, %z",
        "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ]


def test_compare_says_what_introduces_the_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.txt").write_text(PROGRAM.replace("%h: f32", "%h: bf16"))
    assert main(["a.txt", "--compare", "b.txt", "-i", "both.npz"]) == 0
    out = capsys.readouterr().out
    assert "  1. %h: bf16[2,4] = activation exp %x bias %bias\n     was %h: f32[2,4] = activation exp" in out
    assert "one rounding of its result" in out
    assert main(["a.txt", "--compare", "b.txt", "-i", "both.npz", "-o", "report.json"]) == 0
    report = json.loads(Path("report.json").read_text())
    assert report["ranking"][0]["dtype"] == "bf16" and report["ranking"][0]["introduced"]["ulps"] <= 0.5


def _npy(header: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + (len(header) + 1).to_bytes(2, "little") + header.encode() + b"\n" + bytes(16)


def _archive(entry: bytes, *, flags: int = 0, method: int = 0) -> bytes:
    """A .npz of one array, with the bits of its entry that say that it is encrypted, and how it is compressed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("x.npy", entry)
    found = bytearray(stream.getvalue())
    directory = found.rfind(b"PK\x01\x02")
    for place in (6, directory + 8):
        found[place : place + 4] = flags.to_bytes(2, "little") + method.to_bytes(2, "little")
    return bytes(found)


_HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': %s}"
DAMAGED = {
    "beyond_64_bits.npy": _npy(_HEADER % f"({10**30},)"),
    "unfinished.npy": _npy(_HEADER[:-3] + "(4,"),
    "unhashable.npy": _npy("{[]: 1}"),
    "no_literal.npy": _npy(_HEADER % "f()"),
    "no_header.npy": b"\x93NUMPY\x01\x00",
    "negative.npy": _npy(_HEADER % "(-1,)"),
    "too_large.npy": _npy(_HEADER % f"({10**15},)"),
    "empty.npy": b"",
    "encrypted.npz": _archive(_npy(_HEADER % "(4,)"), flags=1),
    "unknown_method.npz": _archive(_npy(_HEADER % "(4,)"), method=99),
    "no_array.npz": _archive(b"hello"),
}


WRONG: dict[str, tuple[list[str], list[str]]] = {
    "no package": (["a.txt", "--classes", "gone.instructions"], ["error[R007]: there is no module gone"]),
    "no program": (["gone.txt"], [f"error[P010]: gone.txt cannot be read: {NO_FILE}"]),
    "no text": (["x.npy"], ["error[P010]: x.npy is no text", "\nhelp: a file that ends in .bir or .json holds BIR"]),
    "no target": (["a.txt", "--target", "trn9"], ['error[P006]: no target is called "trn9"']),
    "no file of inputs": (["a.txt", "--run", "-i", "gone.npy"], [f"error[R001]: gone.npy cannot be read: {NO_FILE}"]),
    "no array": (
        ["a.txt", "--run", "-i", "a.txt"],
        ["error[R001]: a.txt cannot be read: it is neither a .npy nor a .npz"],
    ),
    "pickled": (["a.txt", "--run", "-i", "pickled.npy"], ["error[R001]: pickled.npy cannot be read: Object arrays"]),
    "damaged": (
        ["a.txt", "--run", *(word for name in DAMAGED for word in ("-i", name))],
        [f"error[R001]: {name} cannot be read: " for name in DAMAGED],
    ),
    "cut short": (["a.txt", "--run", "-i", "short.npz"], ["error[R001]: short.npz cannot be read: "]),
    "a name for an archive": (["a.txt", "--run", "-i", "x=both.npz"], ["is an archive", 'leave out "x="']),
    "twice": (["a.txt", "--run", "-i", "both.npz", "-i", "x.npy"], ['error[R002]: the input "x" is given twice']),
    "missing": (
        ["a.txt", "--run", "-i", "x.npy"],
        ['error[R002]: tensor "bias": bf16[2,1] is missing\nhelp: -i bias=FILE.npy gives it'],
    ),
    "text in a model": (
        ["a.txt", "-o", "Out.ONNX"],
        ["error[R006]: Out.ONNX: a file of this name holds a model\nhelp: python -m passes a.txt -o Out.ONNX"],
    ),
    "misspelt": (
        ["a.txt", "--run", "-i", "x.npy", "-i", "bas=bias.npy"],
        ['"bias": bf16[2,1] is missing\nhelp: did you mean "bas"?', 'has no input "bas"\nhelp: did you mean "bias"?'],
    ),
    "another shape": (["a.txt", "--run", "-i", "both.npz", "-i", "bias=x.npy"], ["is given twice"]),
    "another dtype": (
        ["a.txt", "--run", "-i", "x=x64.npy", "-i", "bias=x.npy"],
        ["f32[2,4] is given elements of float64", "bf16[2,1] is given elements of float32", "given the shape [2,4]"],
    ),
    "no function": (["a.txt", "--run", "--function", "man"], ['has no function "man"', 'did you mean "main"?']),
    "overwriting the program": (["a.txt", "-o", "a.txt"], ["error[R004]: the output would overwrite a.txt"]),
    "overwriting an input": (
        ["a.txt", "--run", "-i", "x=both.npz", "-o", "both.npz"],
        ["error[R004]: the output would overwrite both.npz"],
    ),
    "overwriting by a link": (["a.txt", "-o", "link.txt"], ["error[R004]: the output would overwrite a.txt"]),
    "a folder that is not there": (
        ["a.txt", "-o", "gone/a.bir"],
        ["error[P011]: gone/a.bir cannot be written: no such folder"],
    ),
    "no archive": (["a.txt", "--run", "-i", "both.npz", "-o", "out.npy"], ["error[R006]: out.npy: what --run gives"]),
    "inputs without a run": (["a.txt", "-i", "x.npy"], ["error[R006]: --input is for --run, --trace and --compare"]),
    "iterations without a trace": (
        ["a.txt", "--run", "--per-iteration"],
        ["error[R006]: --per-iteration is for --trace"],
    ),
    "rounding without a run": (
        ["a.txt", "--compare", "wrong.txt", "--saturate", "--stochastic", "0"],
        ["error[R006]: --saturate is for --run and --trace", "error[R006]: --stochastic is for --run and --trace"],
    ),
    "elide": (["a.txt", "--verify", "--elide", "3"], ["error[R006]: --elide is for printing the program"]),
    "elided BIR": (["a.txt", "--elide", "3", "-o", "a.bir"], ["error[R006]: a.bir: --elide is for text"]),
    "a sequence": (["s.txt", "--run", "-o", "out.npz"], ["error[R003]: these instructions have no semantics"]),
    "inputs of the second version": (
        ["a.txt", "--compare", "wider.txt", "-i", "both.npz"],
        ['error[R002]: wider.txt: argument "x": f32[2,5] is given the shape [2,4]'],
    ),
    "inputs of the first version": (
        ["wider.txt", "--compare", "a.txt", "-i", "both.npz"],
        ['error[R002]: wider.txt: argument "x": f32[2,5] is given the shape [2,4]'],
    ),
    "invalid": (["a.txt", "--compare", "wrong.txt", "-i", "both.npz"], ["wrong.txt:6:7: error[V"]),
    "too large": (["huge.txt", "--run"], ["huge.txt:4:3: error[R003]: cannot be computed: "]),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_diagnostics(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, said = WRONG[case]
    np.save("pickled.npy", np.array([{}], object), allow_pickle=True)
    np.save("x64.npy", X.astype(np.float64))
    Path("short.npz").write_bytes(Path("both.npz").read_bytes()[:100])
    for name, contents in DAMAGED.items():
        Path(name).write_bytes(contents)
    Path("link.txt").symlink_to("a.txt")
    Path("wrong.txt").write_text(PROGRAM.replace("%h: f32[2,4]", "%h: f32[2,5]"))
    Path("wider.txt").write_text(PROGRAM.replace("f32[2,4]", "f32[2,5]").replace("bf16[2,4]", "bf16[2,5]"))
    Path("s.txt").write_text('func @main() {\n  %s: seq<f32[2]> = opaque "x"\n  return %s\n}\n')
    Path("huge.txt").write_text(
        "func @main() {\n  tensor %y: f32[4611686018427387904] dram output\n"
        "  tensor %x: f32[1] dram const = dense<0.0>\n  %y = dma_copy %x[0 | 0:4611686018427387904]\n}\n"
    )
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and all(each in err for each in said), err
    assert "Traceback" not in err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(("name", "why"), [("x.npy/", "Not a directory"), ("loop.txt", "symbolic links")])
def test_names_that_no_file_can_have(name: str, why: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("loop.txt").symlink_to("loop.txt")
    before = Path("a.txt").read_bytes()
    assert main(["a.txt", "-o", name]) == 2
    assert f"{name} cannot be written" in (err := capsys.readouterr().err) and why in err
    assert Path("a.txt").read_bytes() == before and Path("loop.txt").is_symlink()


def test_standard_output_by_the_name_of_its_device_keeps_what_others_wrote(folder: Path) -> None:
    command = f"echo first; {sys.executable} -m runtime a.txt -o /dev/stdout; echo last"
    with Path("log").open("w") as log:
        subprocess.run(["sh", "-c", command], stdout=log, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert Path("log").read_text().splitlines()[-1] == "last" and "activation exp" in Path("log").read_text()


def test_every_code_is_shown_by_a_mistake() -> None:
    shown = " ".join(said for _, texts in WRONG.values() for said in texts)
    assert [code for code in CODES if code not in shown and code != "R005"] == []


def test_what_is_no_array_is_not_written(folder: Path) -> None:
    outputs: dict[int | str, Any] = {0: X, "s": [X]}
    with pytest.raises(DiagnosticsError, match=r"error\[R005\]: output s is no array of numbers"):
        write_arrays("out.npz", outputs)
    assert not Path("out.npz").exists()


def test_a_full_disk_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out.npz").write_bytes(b"as before")

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    names = sorted(os.listdir())
    assert main(["a.txt", "--run", "-i", "both.npz", "-o", "out.npz"]) == 2
    assert Path("out.npz").read_bytes() == b"as before" and sorted(os.listdir()) == names


def test_ctrl_c_is_no_traceback(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("runtime.command_line.run", interrupt)
    assert driver.main(["a.txt", "--run", "-i", "both.npz"]) == 130
    assert capsys.readouterr() == ("", "runtime: interrupted; nothing was written\n")


def test_as_a_process(folder: Path) -> None:
    command = [sys.executable, "-m", "runtime", str(folder / "a.txt"), "--run", "-i", str(folder / "both.npz")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("output") and done.stderr == ""
    (folder / "generated").mkdir()
    (folder / "generated" / "__init__.py").write_text("")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    done = subprocess.run(command, cwd=ROOT.parent, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith('runtime: error: the package "generated" of this project')
