"""The auto-casts beyond their cases: modes, targets, names of the compiler, programs that cannot be run."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from passes.auto_cast_fp32 import AutoCastFP32
from passes.auto_cast_tc_inputs import AutoCastTCInputs
from passes.autocast.modes import CAST_MODES, UnknownCastModeError, canonical_token, cast_mode, mode_of
from passes.build import build_pipeline
from runtime.diagnostics import DiagnosticsError
from runtime.dtypes import bf16, f8e4m3, f16, f32, f32r, tf32
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.targets import TARGETS, trn2
from runtime.text.parser import parse
from runtime.text.printer import print_module
from runtime.verifier import verify


@pytest.mark.parametrize(
    ("scope", "type", "token"),
    [  # penguin, flags: tf32 is fp32r, and then all is matmult; fp8_e4m3 is fp8e4
        ("matmult", "bf16", "fp32-cast-matmult-bf16"),
        ("matmult", "fp16", "fp32-cast-matmult-fp16"),
        ("matmult", "tf32", "fp32-cast-matmult-fp32r"),
        ("matmult", "fp8_e4m3", "fp32-cast-matmult-fp8e4"),
        ("all", "bf16", "fp32-cast-all-bf16"),
        ("all", "fp16", "fp32-cast-all-fp16"),
        ("all", "tf32", "fp32-cast-matmult-fp32r"),
        ("all", "fp8_e4m3", "fp32-cast-all-fp8e4"),
        *(("none", type, "fp32-cast-none") for type in ("bf16", "fp16", "tf32", "fp8_e4m3")),
    ],
)
def test_what_a_user_asks_for_has_one_token(scope: str, type: str, token: str) -> None:
    assert canonical_token(scope, type) == token
    assert mode_of(scope, type) is cast_mode(token)


@pytest.mark.parametrize(
    ("token", "scope", "dtype", "transpose"),
    [
        ("none", "none", bf16, bf16),
        ("matmult", "matmult", bf16, f16),
        ("matmult-bf16", "matmult", bf16, bf16),
        ("matmult-fp16", "matmult", f16, f16),
        ("matmult-fp32r", "matmult", f32r, f32r),
        ("matmult-fp8e4", "matmult", f8e4m3, f8e4m3),
        ("all", "all", bf16, bf16),
        ("all-bf16", "all", bf16, bf16),
        ("all-fp16", "all", f16, f16),
        ("experimental-all-fp16", "all", f16, f16),
        ("all-fp32r", "all", f32r, f32r),
        ("all-fp8e4", "all", f8e4m3, f8e4m3),
    ],
)
def test_every_mode_of_the_compiler(token: str, scope: str, dtype: Any, transpose: Any) -> None:
    for name in (token, f"fp32-cast-{token}"):
        mode = cast_mode(name)
        assert (mode.scope, mode.dtype, mode.transpose) == (scope, dtype, transpose)
        assert AutoCastFP32.of(name).mode is mode


def test_the_table_has_no_other_modes() -> None:
    assert len(CAST_MODES) == 12


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda: cast_mode("matmul-bf16"), 'no auto-cast mode is called "matmul-bf16"; did you mean "matmult-bf16"?'),
        (lambda: cast_mode(""), 'no auto-cast mode is called ""; known: none, matmult'),
        (lambda: mode_of("al", "bf16"), 'no auto-cast mode is called "al"; did you mean "all"?'),
        (lambda: mode_of("all", "fp8"), 'no auto-cast type is called "fp8"; '),
        (lambda: mode_of("all", "fp8_e5m2"), 'no auto-cast type is called "fp8_e5m2"; did you mean "fp8_e4m3"?'),
    ],
)
def test_an_unknown_mode_is_an_error(given: Any, said: str) -> None:
    with pytest.raises(UnknownCastModeError) as error:
        given()
    assert str(error.value).startswith(said)


@pytest.mark.parametrize("option", ["mode=some", "type=fp8", "inline=maybe", "dtype=bf16"])
def test_an_unknown_option_of_the_pass_is_a_diagnostic(option: str) -> None:
    with pytest.raises(DiagnosticsError, match=r"error\[P00[35]\]"):
        build_pipeline(f"auto-cast-fp32{{{option}}}", None)


def test_what_targets_multiply() -> None:
    """Source: penguin, the dtypes of the tensor engine; no generation but the later ones has tf32."""
    for target in TARGETS:
        for wanted in (bf16, f16, f32r, f8e4m3):
            assert target.getMatmultOperandType(f32, wanted) is wanted
            assert target.getMatmultOperandType(f16, wanted) is f16
    assert [target.getMatmultOperandType(f32, tf32) for target in TARGETS] == [f32, tf32, tf32, tf32]


def matmul() -> Module:
    return module("%p: f32[8,8] = matmul %x, %x\nreturn %p", "%x: f32[4,8]")


def module(body: str, arguments: str = "", target: str = "trn2") -> Module:
    return parse(f"target {target}\n\nfunc @main({arguments}) {{\n{body}\n}}\n", standard())


def lines_after(program: Module, transform: AutoCastTCInputs) -> list[str]:
    transform.runOnModule(program)
    assert not verify(program)
    return [line.strip() for line in print_module(program).splitlines()[3:-1]]


def test_a_target_that_does_not_multiply_the_float_keeps_f32() -> None:
    target = dataclasses.replace(trn2, matmul_dtypes=(f32,))
    program, transform = matmul(), AutoCastTCInputs(target)
    assert not transform.runOnModule(program)
    ((inst, reason),) = transform.why_kept(program.root_function)
    assert inst.INFO.mnemonic == "matmul" and reason == "the tensor engine does not take bf16"


def test_a_target_whose_dma_does_not_convert_loads_f32() -> None:
    body = "tensor %a: f32[4,8] dram input\n%l: f32[4,8] = sb_atom_load %a\n%p: f32[4,8] = activation exp %l\nreturn %p"
    target = dataclasses.replace(trn2, enable_dma_cast=False)
    assert "%l: f32[4,8] = sb_atom_load %a" in lines_after(module(body), AutoCastFP32(target, mode="all"))
    assert "%l: bf16[4,8] = sb_atom_load %a" in lines_after(module(body), AutoCastFP32(trn2, mode="all"))


@pytest.mark.parametrize(("token", "dtype"), [("matmult", "f16"), ("matmult-bf16", "bf16"), ("matmult-fp16", "f16")])
def test_what_is_only_transposed_keeps_more_bits_in_the_plain_mode(token: str, dtype: str) -> None:
    program = module("%p: f32[8,8] = matmul %x, %x {is_transpose = true}\nreturn %p", "%x: f32[4,8]")
    lines = lines_after(program, AutoCastTCInputs.of(token, trn2))
    assert lines[:2] == [
        f"%x_{dtype}: {dtype}[4,8] = tensor_copy %x",
        f"%p: f32[8,8] = matmul %x_{dtype}, %x_{dtype} {{is_transpose = true}}",
    ]


OPAQUE = """\
tensor %t: f32[4,8] sbuf
tensor %u: f32[4,8] sbuf
%t = activation exp %x
%a: f32[4,8] = opaque "call" %t
%e: f32[4,8] = activation tanh %x
%b: f32[4,8] = opaque "call" %e
opaque "fill" %u
%c: f32[4,8] = activation tanh %u
return %a, %b, %c"""


def test_opaque_instructions_read_and_give_f32() -> None:
    lines = lines_after(module(OPAQUE, "%x: f32[4,8]"), AutoCastFP32(trn2, mode="all"))
    assert lines == [
        "tensor %t: f32[4,8] sbuf",
        "tensor %u: f32[4,8] sbuf",
        "%t = activation exp %x",
        '%a: f32[4,8] = opaque "call" %t',
        "%e: f32[4,8] = activation tanh %x",
        '%b: f32[4,8] = opaque "call" %e',
        'opaque "fill" %u',
        "%c: f32[4,8] = activation tanh %u",
        "return %a, %b, %c",
    ]


def test_nodes_of_onnx_stay_f32() -> None:
    text = 'func @main(%x: f32[4,4]) opset {"ai.onnx" = 17} {\n  %y: f32[4,4] = onnx.node "ai.onnx::MatMul" %x, %x\n'
    program = parse(text + "  return %y\n}\n", standard())
    assert not AutoCastFP32(mode="all").runOnModule(program)


def hubs(users: int) -> Iterator[str]:
    for number in range(users):
        yield f"%p{number}: f32[8,8] = matmul %x, %x"
    yield "return"


def test_a_value_with_many_products_is_cast_once() -> None:
    program = module("\n".join(hubs(500)), "%x: f32[4,8]")
    before = AutoCastTCInputs.inserted_casts
    assert AutoCastTCInputs(trn2).runOnModule(program)
    assert AutoCastTCInputs.inserted_casts - before == 1


def test_the_loc_of_a_cast_is_that_of_what_it_casts() -> None:
    body = '%e: f32[4,8] = activation exp %x {loc = "a.py:1"}\n%p: f32[8,8] = matmul %e, %e\nreturn %p'
    lines = lines_after(module(body, "%x: f32[4,8]"), AutoCastTCInputs(trn2))
    assert '%e_bf16: bf16[4,8] = tensor_copy %e {loc = "a.py:1"}' in lines
