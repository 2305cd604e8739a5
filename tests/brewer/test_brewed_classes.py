"""What brewed classes do when they are built, changed, checked and read."""

import math
from pathlib import Path
from typing import Any

import pytest

from runtime import parse, print_module
from runtime.bir import bir_text, read_bir
from runtime.blocks import Block
from runtime.dtypes import bf16, f32, i32
from runtime.engines import NeuronEngine
from runtime.equality import why_different
from runtime.functions import Function, Module
from runtime.instruction_set import standard
from runtime.types import Type
from runtime.values import Value
from runtime.verifier import verify
from tests.brewer.brewed_classes import brewed_class

SCALED = """\
name: Scaled
base: NeuronUnaryInst
summary: Scales.
rhs_str: "scaled {src}(? scale {scale})(? bias {bias})"
operands:
  src: {shape: [P, N]}
  bias: {optional: true, shape: [P, 1]}
attributes:
  scale: {type: float, default: 1.0}
  limit: {type: float, optional: true}
  dims: {type: "list[int]", default: []}
results:
  result: {same_as: src, free_dtype: true}
"""


@pytest.fixture
def scaled(tmp_path: Path) -> Any:
    return brewed_class(SCALED, tmp_path)


def argument(*shape: int) -> Value:
    return Block().add_argument(Type.tensor(f32, shape))


def program(made: Any, target: str | None = None, **fields: Any) -> Module:
    """A program of one instruction of the class."""
    module = Module(target)
    body = module.add_function(Function("main")).body
    body.append(made(body.add_argument(Type.tensor(f32, (4, 8))), **fields))
    return module


def test_setters_convert_as_the_constructor_does(scaled: Any) -> None:
    inst = scaled(argument(4, 8), scale=3, limit=2, dims=[1])
    assert (repr(inst.scale), repr(inst.limit), inst.dims) == ("3.0", "2.0", (1,))
    inst.scale, inst.limit, inst.dims = 5, 4, [2, 3]
    assert (repr(inst.scale), repr(inst.limit), inst.dims) == ("5.0", "4.0", (2, 3))
    inst.limit = None
    assert inst.limit is None and inst.rhs_str().endswith("scale 5.0")


def test_a_dtype_and_a_result_type_exclude_each_other(scaled: Any) -> None:
    x = argument(4, 8)
    assert scaled(x).type is Type.tensor(f32, (4, 8))
    assert scaled(x, dtype=bf16).type is Type.tensor(bf16, (4, 8))
    assert scaled(x, result_type=Type.tensor(i32, (2,))).type is Type.tensor(i32, (2,))
    with pytest.raises(TypeError, match="Scaled takes a result_type or a dtype, not both: i32\\[2\\] and bf16"):
        scaled(x, result_type=Type.tensor(i32, (2,)), dtype=bf16)


def test_attributes_with_a_default_are_named_by_the_caller(scaled: Any) -> None:
    with pytest.raises(TypeError, match="positional"):
        scaled(argument(4, 8), argument(4, 1), 3.0)


def test_letters_that_operands_share_are_equal_extents(scaled: Any) -> None:
    x = argument(4, 8)
    assert [problem.message for problem in scaled(x).verify()] == []
    assert [problem.message for problem in scaled(x, argument(4, 1)).verify()] == []
    assert [problem.message for problem in scaled(x, argument(3, 2)).verify()] == [
        "src and bias have one extent P: src.shape[0] is 4 and bias.shape[0] is 3",
        "dimension 1 of bias has the extent 1: bias.shape[1] is 2",
    ]


def test_every_operand_is_linked(scaled: Any) -> None:
    x, bias = argument(4, 8), argument(4, 1)
    inst = scaled(x, bias)
    assert list(x.users) == [inst] and list(bias.users) == [inst] and inst.operands() == (x, bias)


def test_older_records_are_read_by_the_names_that_their_fields_had(tmp_path: Path) -> None:
    text = SCALED.replace("rhs_str", "version: 3\nrenames: {2: {factor: gain}, 3: {gain: scale}}\nrhs_str")
    made = brewed_class(text, tmp_path)
    assert made.INFO.renames == ((2, "factor", "gain"), (3, "gain", "scale"))
    written = bir_text(program(made, scale=2.5))
    for version, name in ((1, "factor"), (2, "gain"), (3, "scale")):
        old = written.replace('"scale"', f'"{name}"').replace('"version": 3', f'"version": {version}')
        assert (version == 3) == (old == written)
        inst: Any = next(iter(read_bir(old, {"scaled": made}).insts))
        assert inst.scale == 2.5


def test_what_older_records_leave_out_is_what_it_was_then(tmp_path: Path) -> None:
    text = SCALED.replace(
        "rhs_str", "version: 3\nbefore: {2: {gain: 0.5}, 3: {scale: 4.0}}\nrenames: {3: {gain: scale}}\nrhs_str"
    )
    made = brewed_class(text, tmp_path)
    assert made.INFO.before == ((2, "gain", 0.5), (3, "scale", 4.0))
    written = bir_text(program(made))
    assert '"scale"' not in written
    for version, scale in ((1, 0.5), (2, 4.0), (3, 1.0)):
        old = written.replace('"version": 3', f'"version": {version}')
        inst: Any = next(iter(read_bir(old, {"scaled": made}).insts))
        assert inst.scale == scale


CHOICES = """\
name: Scaled
base: NeuronUnaryInst
summary: Scales.
rhs_str: "scaled {src}(? bias {bias})"
operands:
  src: {}
  bias: {optional: true}
attributes:
  scale: {type: float, optional: true}
  table: {type: "list[int]", optional: true}
  mode: {type: str, default: fast, one_of: [fast, exact, slow]}
  flag: {type: bool, default: false}
results:
  result: {same_as: src}
constraints:
  one: {exactly_one: [scale, table], message: a scale or a table}
  few: {at_most_one: [bias, table], when: {mode: [exact, slow]}, message: bias excludes a table}
  both: {together: [bias, scale], when: {flag: true}, message: bias and scale go together}
  flat: {equal: [src.rank, 1], when: {mode: slow, flag: false}, message: src has one dimension}
  wide: {equal: [src.rank, 2], when: bias, message: src has two dimensions}
"""


@pytest.mark.parametrize(
    ("fields", "has_bias", "said"),
    [
        ({"scale": 1.0}, False, []),
        ({"scale": 0.0}, True, []),
        ({"table": []}, False, []),
        ({}, False, ["a scale or a table: found none"]),
        ({"scale": 1.0, "table": [1]}, True, ["a scale or a table: found scale, table"]),
        ({"table": [1], "mode": "fast"}, True, []),
        ({"table": [1], "mode": "exact"}, True, ["bias excludes a table: found bias, table"]),
        ({"table": [1], "mode": "exact"}, False, []),
        ({"scale": 1.0, "flag": True}, False, ["bias and scale go together: found scale"]),
        ({"scale": 1.0, "flag": True}, True, []),
        ({"table": [1], "flag": True}, False, []),
        ({"table": [1], "flag": True, "mode": "slow"}, False, []),
        ({"scale": 1.0, "mode": "slow"}, False, ["src has one dimension: src.rank is 2"]),
        ({"scale": 1.0, "mode": "slow", "flag": True}, True, []),
    ],
)
def test_rules_about_optional_fields(fields: dict[str, Any], has_bias: bool, said: list[str], tmp_path: Path) -> None:
    made: Any = brewed_class(CHOICES, tmp_path)
    inst = made(argument(4, 8), argument(4, 8) if has_bias else None, **fields)
    assert [problem.message for problem in inst.verify()] == said


@pytest.mark.parametrize(("target", "codes"), [("trn1", ["V060"]), ("trn2", []), (None, [])])
def test_engines_are_those_of_the_target(target: str | None, codes: list[str], tmp_path: Path) -> None:
    text = SCALED.replace("rhs_str", "engines: {default: [vector, scalar], trn1: [vector]}\nrhs_str")
    made: Any = brewed_class(text, tmp_path)
    assert made.INFO.engines_on("trn1") == ("vector",) and made.INFO.engines_on(None) == ("vector", "scalar")
    module = program(made, target, engine=NeuronEngine.SCALAR)
    assert [found.code for found in verify(module)] == codes


def test_infinity_as_a_default_is_carried_by_text_and_bir(tmp_path: Path) -> None:
    low = SCALED.replace("default: 1.0", "default: -.inf").replace("dims: {", 'ends: {type: "list[float]", default: [')
    made: Any = brewed_class(low.replace('type: "list[int]", default: []}', "-.inf, .inf]}"), tmp_path)
    first = made(argument(4, 8))
    assert (first.scale, first.ends) == (-math.inf, (-math.inf, math.inf)) and " scale" not in first.rhs_str()
    assert made(argument(4, 8), scale=math.inf).rhs_str().endswith("scale inf")
    for fields in ({}, {"scale": math.inf}, {"scale": -math.inf}, {"scale": 2.0, "ends": [math.inf]}):
        module = program(made, **fields)
        text = print_module(module)
        assert " scale -inf" not in text and verify(module) == []
        again = parse(text, classes={**standard(), "scaled": made})
        assert why_different(again, module) is None
        assert why_different(read_bir(bir_text(module), {"scaled": made}), module) is None
