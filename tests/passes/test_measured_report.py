"""`--report` of a pipeline and `--sweep`: counts beside those found by hand, errors beside what the types explain."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from passes.__main__ import main
from passes.numerics.errors import errors_of

PROGRAMS = Path(__file__).parent / "programs"
UNITS = {"bf16": 2.0**-8, "fp16": 2.0**-11, "tf32": 2.0**-12, "fp8_e4m3": 2.0**-4}
"""Half a unit in the last place, relative: 8, 11, 12 and 4 significant bits."""

MODES = ["none", *(f"{mode} {type}" for mode in ("matmult", "all") for type in UNITS)]

COUNTS = {
    # Loads convert by DMA, the activation writes what the second product takes; nothing is left to cast.
    "two_layer_mlp": dict.fromkeys(MODES, (0, 0, 0)),
    # With matmult, v and the transposed weights get a cast each, and the load of v takes over its own. With all, each
    # instruction writes bf16 itself, but the two scalars of partitions, which are read as f32.
    "attention": {
        **dict.fromkeys(MODES, (2, 1, 1)),
        **dict.fromkeys(["none", "all bf16", "all fp16", "all fp8_e4m3"], (0, 0, 0)),
    },
    # The program's own round trip goes before anything is narrowed. With matmult, six operands of products get casts,
    # which five loads and the activation take over. With all, each of these writes the narrower float itself.
    "mlp_tiles": {
        **dict.fromkeys(MODES, (6, 7, 0)),
        **dict.fromkeys(["none", "all bf16", "all fp16", "all fp8_e4m3"], (0, 1, 0)),
    },
    # The round trip of the scores goes in every mode, since what gives them reads f32 from PSUM.
    "attention_tiles": {
        **dict.fromkeys(MODES, (2, 3, 0)),
        **dict.fromkeys(["none", "all bf16", "all fp16", "all fp8_e4m3"], (0, 1, 0)),
    },
}
"""By program and mode: casts inserted, removed and left."""

SIZES = {"bf16": 2, "fp16": 2, "tf32": 4, "fp8_e4m3": 1}
PROGRAMS_OWN = {"mlp_tiles": 64 * 4, "attention_tiles": 2 * 128 * 4}
OPERANDS = {"mlp_tiles": 3 * 64 + 3 * 128, "attention_tiles": 2 * (64 + 128), "attention": 2 * 16}
"""By program: bytes in each partition of its own casts, and elements of the casts of operands that go again.

A tile of f32 is a row of 64 or 128 elements; what stands in a loop is cast for each head.
"""


def eliminated(name: str, mode: str, type: str) -> int:
    """Return the bytes of the casts that go: of the program's own, and of those that a mode inserted."""
    is_cast = mode == "matmult" or (mode, type) == ("all", "tf32")
    return PROGRAMS_OWN.get(name, 0) + (OPERANDS.get(name, 0) * SIZES[type] if is_cast else 0)


@pytest.fixture(scope="module", params=COUNTS)
def swept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    file = tmp_path_factory.mktemp("sweep") / "table.json"
    name = request.param
    assert main([str(PROGRAMS / f"{name}.txt"), "--passes", "numeric-chain", "--sweep", "--report", str(file)]) == 0
    return name, json.loads(file.read_text(encoding="utf-8"))


def test_every_mode_and_type_is_in_the_table(swept: tuple[str, dict[str, Any]]) -> None:
    name, found = swept
    assert [" ".join(run["options"].values()) for run in found["runs"]] == MODES
    assert found["not_widened"] == [] and found["inputs"] == "generated inputs, ordinary values, seed 0"
    assert found["casts"] == (1 if name.endswith("tiles") else 0)


def test_the_counts_are_those_found_by_hand(swept: tuple[str, dict[str, Any]]) -> None:
    name, found = swept
    for run in found["runs"]:
        mode = " ".join(run["options"].values())
        assert (run["casts_inserted"], run["casts_removed"], run["casts_left"]) == COUNTS[name][mode], mode
        assert run["bytes_of_casts_eliminated"] == eliminated(name, *(*mode.split(), "")[:2]), mode
        assert found["casts"] + run["casts_inserted"] - run["casts_removed"] == run["casts_left"]
        assert (run["bytes_of_tensors_saved"] > 0) == (mode != "none" and "tf32" not in mode and name != "mlp_tiles")


def test_the_errors_are_of_the_size_that_the_types_explain(swept: tuple[str, dict[str, Any]]) -> None:
    """Roundings add up like random ones, to about half a unit of the type; f32's to its own, 256 products a sum."""
    name, found = swept
    for run in found["runs"]:
        (error,) = run["errors"]
        type = run["options"].get("type")
        unit = 2.0**-24 * 16 if type is None else UNITS[type]
        assert unit / 64 < error["rms"] < 2 * unit, run["options"]
        assert error["absolute"] > 0 and error["relative"] > 0
        # fp8 ends at 240, and the products of inputs that are not scaled go beyond: only there is anything infinite.
        assert error["special"] == 0 or (type == "fp8_e4m3" and name == "mlp_tiles")


CHAIN = """func @main(%x: f32[128,512]) {
  %p: bf16[128,512] = activation gelu %x
  %c: f32[128,512] = tensor_copy %p
  %u: f32[128,512] = activation tanh %c
  return %u
}
"""
SHORT = "eliminate-casts"


@pytest.fixture
def chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "chain.txt"
    file.write_text(CHAIN)
    return file


def test_any_pipeline_is_reported_beside_the_program(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chain.txt", "--passes", SHORT, "--report"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("func @main") and "tensor_copy" not in out
    head, on, empty, columns, row, *_ = err.splitlines()
    assert head == "chain.txt: 3 statements, casts among them: 1; eliminate-casts"
    assert on == "errors against the same program in f64, on generated inputs, ordinary values, seed 0" and not empty
    assert columns.split()[:6] == ["inserted", "removed", "left", "eliminated", "smaller", "output"]
    assert row.split()[:5] == ["0", "1", "0", "2048", "0"]


def test_a_file_or_standard_output_gets_it_where_the_program_goes_to_a_file(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chain.txt", "--passes", SHORT, "-o", "out.txt", "--report"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("chain.txt: 3 statements") and not err
    assert main(["chain.txt", "--passes", SHORT, "-o", "out.txt", "--report", "report.txt"]) == 0
    assert Path("report.txt").read_text() == out
    assert main(["chain.txt", "--passes", SHORT, "-o", "out.txt", "--report", "report.JSON"]) == 0
    assert json.loads(Path("report.JSON").read_text())["runs"][0]["casts_removed"] == 1


def test_the_error_is_that_on_the_inputs_that_are_given(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("x.npy", np.zeros((128, 512), np.float32))
    assert main(["chain.txt", "--passes", SHORT, "-i", "x.npy", "--report", "r.json"]) == 0
    found = json.loads(Path("r.json").read_text())
    assert found["inputs"] == "the inputs given" and found["runs"][0]["errors"][0]["absolute"] == 0


def test_a_sweep_goes_over_what_the_pipeline_leaves_open(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def options(pipeline: str, *more: str) -> list[dict[str, str]]:
        assert main(["chain.txt", "--passes", pipeline, "--report", "r.json", *(more or ("--sweep",))]) == 0
        return [run["options"] for run in json.loads(Path("r.json").read_text())["runs"]]

    assert options("numeric-chain{mode=all}") == [{"type": type} for type in UNITS]
    assert options("numeric-chain{type=fp16}") == [{"mode": mode} for mode in ("none", "matmult", "all")]
    assert options(SHORT, "--sweep=allow-excess-precision") == [
        {"allow_excess_precision": "false"},
        {"allow_excess_precision": "true"},
    ]
    assert capsys.readouterr().out == ""


def test_types_without_a_mode_are_named_and_said_to_do_nothing(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chain.txt", "--passes", "numeric-chain", "--sweep=type"]) == 0
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()[4:8]] == list(UNITS)
    assert err.startswith("passes: warning: auto-cast-fp32 narrows nothing, since it is given no mode; give it")
    assert main(["chain.txt", "--passes", "numeric-chain{mode=all}", "--sweep=type"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["chain.txt", "--passes", "numeric-chain", "--sweep"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and out.splitlines()[-1].startswith("note: tf32 is the float of the tensor engine's products, so")


RUINED = """func @main(%x: f32[1,2]) {
  %e: f32[1,2] = activation exp %x
  %c: f8e4m3[1,2] = tensor_copy %e
  %u: f32[1,2] = tensor_copy %c
  return %u
}
"""


def test_where_no_element_is_finite_there_is_no_error_to_tell(chain: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """exp(800) is beyond f64 and exp(10) beyond 240, so one of two is infinite in both, and one here only."""
    chain.write_text(RUINED)
    np.save("x.npy", np.array([[800, 10]], np.float32))
    words = ["chain.txt", "--passes", SHORT, "-i", "x.npy", "--report"]
    assert main(words) == 0
    out, err = capfd.readouterr()
    assert err.splitlines()[4].split()[5:] == ["result", "0", "-", "-", "-", "1"] and "Warning" not in out + err
    assert main([*words, "r.json"]) == 0
    (error,) = json.loads(Path("r.json").read_text())["runs"][0]["errors"]
    distances = ("absolute", "relative", "rms", "elementwise_relative")
    assert [error[name] for name in distances] == [None] * 4 and error["special"] == 1


def test_relative_is_beside_the_largest_magnitude() -> None:
    """The element near zero would make it 99."""
    found = errors_of({0: np.array([256, 0.01])}, {0: np.array([257, 1e-4])})[0]
    assert found.relative == 1 / 257 and found.elementwise_relative == pytest.approx(99)


def test_a_program_that_nobody_can_run_is_counted_all_the_same(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chain.write_text(CHAIN.replace("activation tanh %c", 'opaque "mystery" %c'))
    assert main(["chain.txt", "--passes", SHORT, "--report"]) == 0
    err = capsys.readouterr().err
    reason = 'opaque "mystery": 1, first `%u: f32[128,512] = opaque "mystery" %c` in @main'
    assert err.endswith(f"note: no error is known: these instructions have no semantics:\n  {reason}\n")
    assert err.splitlines()[3].split() == ["0", "1", "0", "2048", "0", *"-----"]


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (["--sweep"], "P016"),
        (["--report"], "P016"),
        (
            ["--passes", SHORT, "--sweep"],
            'P050]: --sweep: the pipeline leaves no option "mode" open, and no option "type"\nhelp: it leaves open'
            ' "allow_excess_precision"; name one, such as --sweep=allow_excess_precision\n',
        ),
        (["--passes", "eliminate-dead-code", "--sweep"], "help: it goes over options of auto-cast-fp32, which"),
        (["--passes", "numeric-chain", "--sweep=mod"], 'did you mean "mode"?'),
        (
            ["--passes", "numeric-chain{mode=all}", "--sweep=mode"],
            'P050]: --sweep: the pipeline leaves no option "mode"',
        ),
        (["--passes", "numeric-chain", "--sweep", "-o", "out.txt"], "leave out --output"),
        (["--passes", "numeric-chain", "--sweep", "--verify-numerics"], "leave out --verify-numerics"),
        (["--auto-cast", "all", "--sweep"], "leave out --auto-cast"),
        (["--passes", SHORT, "-i", "x.npy"], "--input is for --report and --sweep"),
        (["--passes", SHORT, "--report", "-i", "x.npy", "--seed", "3"], "--seed is for inputs that are generated"),
        (["--passes", SHORT, "--report", "-i", "x.npy"], 'P032]: argument "x": f32[128,512] is given the shape [3]'),
        (["--passes", SHORT, "--report", "none/r.txt"], "P011]: none/r.txt cannot be written: no such folder"),
        (["--passes", SHORT, "--report", "out.txt", "-o", "out.txt"], "would both be written to out.txt"),
        (["--passes", SHORT, "--report", "chain.txt"], "P014]: the report would overwrite chain.txt"),
    ],
)
def test_mistakes(chain: Path, arguments: list[str], wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("x.npy", np.zeros(3, np.float32))
    assert main(["chain.txt", *arguments]) == 2
    out, err = capsys.readouterr()
    assert wrong in err and out == "" and chain.read_text() == CHAIN


@pytest.mark.parametrize(
    "arguments",
    [
        ["--report", "chain.txt"],
        ["--report", "chain.txt", "--passes", SHORT],
        ["--passes", SHORT, "--report", "no.txt"],
    ],
)
def test_a_report_that_took_the_program_for_its_file(
    chain: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    taken = arguments[arguments.index("--report") + 1]
    assert capsys.readouterr().err == (
        f"error[P016]: no program is given: {taken} behind --report is the file that the report goes to\n"
        f"help: name the program first, {taken} --report, or say that it is no value, --report=FILE or --report=-\n"
    )
    assert chain.read_text() == CHAIN


@pytest.mark.parametrize("arguments", [["--passes", SHORT], ["--report=chain.txt"], ["--report"], []])
def test_no_program_at_all_is_a_mistake_in_the_usage(
    chain: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit:
        main(arguments)
    assert exit.value.code == 2 and "one of the arguments FILE --list is required" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--report", "--stats"])
@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("other.txt", "// A program.\n\nfunc @main() {\n"),
        ("other", "target trn2\n"),
        ("other.json", '{"format": "brewer-bir", "version": 1'),
        ("other.onnx", "any bytes"),
    ],
)
def test_another_program_is_not_overwritten_by_a_report(
    chain: Path, option: str, name: str, start: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_text(start)
    assert main(["chain.txt", "--passes", SHORT, f"{option}={name}"]) == 2
    what = {"--report": "report", "--stats": "statistics"}[option]
    assert f"error[P014]: the {what} would overwrite {name}, which is a program\n" in capsys.readouterr().err
    assert Path(name).read_text() == start


@pytest.mark.parametrize("name", ["r.txt", "r.json"])
def test_a_report_replaces_an_older_one(chain: Path, name: str) -> None:
    for _ in range(2):
        assert main(["chain.txt", "--passes", SHORT, f"--report={name}", f"--stats=stats_{name}", "-o", "out.txt"]) == 0


def test_a_program_with_mistakes_is_not_run(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chain.write_text(
        CHAIN.replace("return %u", "return %c, %c").replace("f32[128,512] = tensor_copy", "f32[128] = tensor_copy")
    )
    assert main(["chain.txt", "--passes", SHORT, "--report"]) == 2
    assert "error[V" in capsys.readouterr().err
